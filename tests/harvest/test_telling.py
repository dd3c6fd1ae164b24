"""Which lines of an output tell why a command failed. Outputs are as the programs wrote them, shortened."""

from __future__ import annotations

import subprocess

import pytest

from scoutkit.harvest.telling import telling

MAKE = """\
warning: something is deprecated and not found in cache
gcc -Wall -c bad.c -o bad.o
bad.c: In function ‘unused’:
bad.c:2:24: warning: unused variable ‘x’ [-Wunused-variable]
bad.c:4:43: error: expected ‘;’ before ‘}’ token
    4 | int main(void) { return undefined_thing(3) }
      |                                           ^~
make[1]: *** [Makefile:5: bad.o] Error 1
make: *** [Makefile:2: all] Error 2
"""
PYTEST = """\
collected 3 items

t_x.py FF.                                                               [100%]
=================================== FAILURES ===================================
____________________________________ test_a ____________________________________
    def test_a():
        warnings.warn("old thing is deprecated, error-prone", DeprecationWarning)
>       assert f() == 2
E       assert 1 == 2
E        +  where 1 = f()

t_x.py:4: AssertionError
=========================== short test summary info ============================
FAILED t_x.py::test_a - assert 1 == 2
==================== 2 failed, 1 passed, 1 warning in 0.71s ====================
"""
COLLECTING = """\
==================================== ERRORS ====================================
ImportError while importing test module '/w/t_y.py'.
Traceback:
/usr/lib/python3.11/importlib/__init__.py:126: in import_module
    return _bootstrap._gcd_import(name[level:], package, level)
t_y.py:1: in <module>
    import nope_mod
E   ModuleNotFoundError: No module named 'nope_mod'
!!!!!!!!!!!!!!!!!!!! Interrupted: 1 error during collection !!!!!!!!!!!!!!!!!!!!
"""
TRACEBACK = """\
Traceback (most recent call last):
  File "/w/tb.py", line 2, in f
    def f(): return json.loads("{bad")
  File "/usr/lib/python3.11/json/decoder.py", line 353, in raw_decode
    obj, end = self.scan_once(s, idx)
json.decoder.JSONDecodeError: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)
"""
NODE = """\
node:internal/modules/cjs/loader:1210
  throw err;
  ^

Error: Cannot find module 'nope'
Require stack:
- /w/n.js
    at Module._resolveFilename (node:internal/modules/cjs/loader:1207:15)
    at Object.<anonymous> (/w/n.js:1:1)
  code: 'MODULE_NOT_FOUND',
"""
MOCHA = """\
  1 passing (20ms)
  1 failing

  1) sum
       adds:

      AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:

2 !== 3
      at Context.<anonymous> (m.js:1:54)
"""
TAP = """\
# Subtest: adds
not ok 1 - adds
  ---
  location: '/w/t.test.js:2:1'
  failureType: 'testCodeFailure'
  error: |-
    Expected values to be strictly equal:
  code: 'ERR_ASSERTION'
"""
NPM = """\
> x@1.0.0 test
> echo "Error: no test specified" && exit 1

npm error code E404
npm error 404 Not Found - GET https://example.org/nope
npm error 404
npm error 404  The requested resource 'nope@99' could not be found
npm error A complete log of this run can be found in: /root/.npm/_logs/x.log
"""
ESLINT = """\
/w/l.js
  1:1   warning  Unexpected var, use let or const instead      no-var
  1:16  error    'x' is assigned a value but never used        no-unused-vars

✖ 2 problems (1 error, 1 warning)
"""
TSC = """\
\x1b[96ma.ts\x1b[0m:\x1b[93m1\x1b[0m:\x1b[93m7\x1b[0m - \x1b[91merror\x1b[0m\x1b[90m TS2322: \x1b[0mType 'a' is none.
Found 1 error in a.ts\x1b[90m:1\x1b[0m
"""
CARGO = """\
warning: unused import: `std::collections::HashMap`
 --> src/main.rs:1:5
error[E0308]: mismatched types
 --> src/main.rs:2:26
2 | fn main() { let x: i32 = "a"; foo(); }
  |                    ---   ^^^ expected `i32`, found `&str`
Some errors have detailed explanations: E0308, E0425.
error: could not compile `x` (bin "x") due to 2 previous errors; 1 warning emitted
"""
CARGO_TEST = """\
warning: unused variable: `unused`
 --> src/main.rs:2:25
test ok ... ok
test adds ... FAILED

failures:
---- adds stdout ----
thread 'adds' (16621) panicked at src/main.rs:2:37:
assertion `left == right` failed
"""
GO = """\
# example.org/x
./x.go:5:2: undefined: foo
FAIL\texample.org/x [build failed]
"""
GO_TEST = """\
=== RUN   TestAdd
    x_test.go:9: got 1, want 2
--- FAIL: TestAdd (0.00s)
FAIL
FAIL\texample.org/x\t0.003s
"""
MAVEN = """\
[INFO] Scanning for projects...
[WARNING] The POM for org.codehaus.plexus:plexus-utils:jar:1.4.1 is missing, no dependency information available
[INFO] BUILD FAILURE
[ERROR] COMPILATION ERROR :
[ERROR] /w/src/main/java/A.java:[1,28] incompatible types: String cannot be converted to int
[ERROR]
[ERROR] To see the full stack trace of the errors, re-run Maven with the -e switch.
"""
GRADLE = """\
> Task :compileJava FAILED
/w/A.java:1: error: incompatible types: String cannot be converted to int
1 error

FAILURE: Build failed with an exception.

* What went wrong:
Execution failed for task ':compileJava'.
> Compilation failed; see the compiler error output for details.
"""
RUBY = """\
  1) Greeter greets
     Failure/Error: expect(greet).to eq("Hello")

       expected: "Hello"
rspec ./spec/greeter_spec.rb:4 # Greeter greets
"""
LINKER = """\
/usr/bin/ld: /tmp/cciQ1258.o: in function `main':
link.c:(.text+0xa): undefined reference to `missing_fn'
collect2: error: ld returned 1 exit status
"""


@pytest.mark.parametrize(
    ("output", "first", "told"),
    [
        (MAKE, "bad.c:4:43: error: expected", "make[1]: *** [Makefile:5: bad.o] Error 1"),
        (PYTEST, "E assert 1 == 2", "t_x.py:4: AssertionError"),
        (COLLECTING, "E ModuleNotFoundError: No module named 'nope_mod'", "t_y.py:1: in <module>"),
        (TRACEBACK, "json.decoder.JSONDecodeError: ", 'File "/w/tb.py", line 2, in f'),
        (NODE, "Error: Cannot find module 'nope'", "at Object.<anonymous> (/w/n.js:1:1)"),
        (MOCHA, "AssertionError [ERR_ASSERTION]: ", "at Context.<anonymous> (m.js:1:54)"),
        (TAP, "not ok 1 - adds", "Expected values to be strictly equal:"),
        (NPM, "npm error code E404", "npm error 404 Not Found - GET https://example.org/nope"),
        (ESLINT, "1:16 error 'x' is assigned", ""),
        (TSC, "a.ts:1:7 - error TS2322: Type 'a' is none.", ""),
        (CARGO, "error[E0308]: mismatched types", "--> src/main.rs:2:26"),
        (CARGO_TEST, "test adds ... FAILED", "assertion `left == right` failed"),
        (GO, "./x.go:5:2: undefined: foo", ""),
        (GO_TEST, "x_test.go:9: got 1, want 2", "--- FAIL: TestAdd (0.00s)"),
        (MAVEN, "[ERROR] /w/src/main/java/A.java:[1,28] incompatible types", ""),
        (GRADLE, "> Task :compileJava FAILED", "/w/A.java:1: error: incompatible types"),
        (RUBY, "Failure/Error: expect(greet)", "rspec ./spec/greeter_spec.rb:4 # Greeter greets"),
        (LINKER, "link.c:(.text+0xa): undefined reference to `missing_fn'", "collect2: error: ld returned 1"),
        (
            "x: error: no\nmake: *** No rule to make target 'no'.  Stop.\n",
            "make: *** No rule to make target 'no'. Stop.",
            "",
        ),
        (
            "warning: cannot cache\n3 of 5 widgets bent\nmake: *** [M:1: a] Error 3\n",
            "3 of 5 widgets bent",
            "make: ***",
        ),
        ("npm warn deprecated a: invalid\nthe schema is invalid\n", "the schema is invalid", ""),
        ("sh: 1: pyest: not found\n", "sh: 1: pyest: not found", ""),
        ("one\ntwo\nthree\n<exit 3>\n", "two", "three"),
        ("", "", ""),
    ],
)
def test_the_lines_that_tell_come_first_and_warnings_do_not(output, first, told):
    found = telling(output)
    assert len(found) <= 3
    assert "".join(found[:1]).startswith(first), found
    assert any(line.startswith(told) for line in found) or not told, found
    if first:
        assert not any("warning:" in line.lower() or "WARNING" in line for line in found), found


def test_of_make_itself_the_error_above_its_last_word_is_told(tmp_path):
    (tmp_path / "Makefile").write_text("all:\n\t@echo 'warning: not found'\n\t@echo 'all widgets bent'\n\t@exit 3\n")
    done = subprocess.run(["make"], cwd=tmp_path, capture_output=True, text=True, env={"PATH": "/usr/bin:/bin"})
    assert telling(done.stdout + done.stderr) == ("all widgets bent", "make: *** [Makefile:4: all] Error 3")
