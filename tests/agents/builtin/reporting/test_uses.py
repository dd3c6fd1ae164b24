"""What uses a name, in languages whose definitions, comments and constants look different."""

import re

import pytest

from scoutkit.agents.builtin.reporting.looks import defines, lines_with, prose


def uses(looked):
    (used,) = looked.found.usages
    return {(one.path, at): one.sure for one in used.files for at in one.lines}


C = (
    '#include "pool.h"\n\n#define POOL_MOST 64\n#define POOL_TAKE(p) pool_take(p, 1)\n\n'
    "/* The pool's own\n   pool_take(p) is not called here. */\n"
    "/* Takes one. */\nint pool_take(struct pool *p, int n)\n{\n    return n > POOL_MOST ? 0 : p->left;\n}\n"
)
USER = '#include "pool.h"\n\nint run(struct pool *p)\n{\n    int left; /* of POOL_MOST */\n'
USER += "    return pool_take(p, 3);\n}\n"
POOLS = {
    "src/pool.c": C,
    "src/pool.h": "struct pool {\n    int left;\n};\nint pool_take(struct pool *p, int n);\n",
    "src/run.c": USER,
    "README": "pool_take() takes; POOL_MOST is the limit\n",
    "src/alloc.supp": "pool_take(p)\n",
}


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("Who uses pool_take?", {("src/pool.c", 4): True, ("src/run.c", 6): True, ("src/alloc.supp", 1): False}),
        ("What uses `POOL_MOST`?", {("src/pool.c", 11): True}),
        ("where is POOL_MOST used?", {("src/pool.c", 11): True}),
        ("What uses `pool`?", {("src/pool.c", 9): True, ("src/pool.h", 4): True, ("src/run.c", 3): True}),
    ],
)
def test_macros_types_and_constants_of_c_are_told_by_code_and_not_by_comments(look, make, question, found):
    assert uses(look(make(POOLS), question)) == found


def test_a_definition_is_no_use_of_itself_and_a_prototype_of_nothing(look, make):
    files = {"src/one.c": "/* It does.\n\n   So. */\nint lonely_call(int a)\n{\n    return a;\n}\n"}
    files["src/one.h"] = "extern int lonely_call(int a);\n"
    assert "Nothing in this code uses `lonely_call`" in look(make(files), "What calls `lonely_call`?").text


@pytest.mark.parametrize(
    ("line", "is_one"),
    [
        ("static unsigned char *made(char *a,", True),
        ("    public static <T> List<T> made(T a) {", True),
        ("Lexer *Style::made(bool e)", True),
        ("#define made(x) other(x)", True),
        ("    return made(a);", False),
        ("    else made(a);", False),
        ("    x = made(1);", False),
        ("    default: made(1);", False),
        ("    assert made(1);", False),
        ("    a && made(1)", False),
        ("    return new made(1);", False),
    ],
)
def test_a_type_before_a_name_makes_a_definition_and_a_statement_does_not(line, is_one):
    assert defines(line, "made", "cpp") == is_one


def test_what_is_too_large_to_parse_calls_all_the_same(look, make, monkeypatch):
    monkeypatch.setattr("scoutkit.grammars.LARGEST", 2_000)
    large = "int other(int a) {\n  return fill_up(a);\n}\n" + "int fill_up(int a);\n" + "// nothing\n" * 200
    files = {"src/fill.cpp": "int fill_up(int a) {\n  return a;\n}\n", "src/large.cpp": large}
    assert uses(look(make(files), "What calls `fill_up`?")) == {("src/large.cpp", 2): True}


def test_a_method_of_a_name_that_everybody_has_is_told_by_name_and_not_as_unused(look, make):
    base = "class Base:\n    def remove(self):\n        return 1\n"
    user = "def go(child, hints):\n    child.remove()\n    remove(hints)\n    'a'.remove()\n"
    looked = look(make({"src/base.py": base, "src/go.py": user}), "What calls `Base.remove`?")
    assert uses(looked) == {("src/go.py", 2): False}
    core = "module Jar\n  def delete_if\n    1\n  end\nend\n"
    files = {"lib/jar.rb": core, "lib/use.rb": "def go(list)\n  list.delete_if(1)\n  list.delete_if?(1)\nend\n"}
    assert uses(look(make(files, "other"), "What calls `delete_if`?")) == {("lib/use.rb", 2): False}


GO = (
    'package log\n\nimport "fmt"\n\ntype Promo struct{}\n\nfunc (p *Promo) Println(a int) {}\n\n'
    "func (p *Promo) Both() {\n\tp.Println(1)\n\tfmt.Println(2)\n}\n"
)


def test_a_call_behind_an_imported_module_is_no_method_and_gos_receiver_is_ones_own(look, make):
    rest = "package log\n\ntype Other struct{}\n\nfunc (o *Other) Println(a int) {}\n\n"
    rest += "func (o *Other) All() {\n\to.Println(1)\n}\n"
    commit = make({"log/promo.go": GO, "log/other.go": rest})
    assert uses(look(commit, "What calls Promo.Println?")) == {("log/promo.go", 10): True}
    assert uses(look(commit, "What calls Other.Println?")) == {("log/other.go", 8): True}


def test_a_module_in_parts_is_one(look, make):
    files = {
        f"lib/note/{name}.rb": f"module Note\n  class {name.title()}\n  end\nend\n" for name in ("first", "second")
    }
    files["app/use.rb"] = "class Use\n  def go\n    Note::First.new # Note\n  end\nend\n"
    looked = look(make(files), "What uses `Note`?")
    assert uses(looked) == {("app/use.rb", 3): True}
    assert "Others are named" not in looked.text


def test_lines_of_a_comment_or_of_a_text_of_several_lines_are_left_out():
    code = ['"""', "made(1)", '"""', "made(2)", "x = '''", "made(3)", "'''"]
    assert lines_with(code, "made", re.compile("made"), "python") == [4]
    script = ["a = 'src/**/*.js'", "made(1)", "/* so", "made(2)", "*/", "made(3) // made"]
    assert lines_with(script, "made", re.compile("made"), "javascript") == [2, 6]
    assert [path for path in ("a/README", "ChangeLog", "src/read.c", "docs/a.md", "a/install.py") if prose(path)] == [
        "a/README",
        "ChangeLog",
        "docs/a.md",
    ]


def test_code_of_another_language_calls_no_method_of_this_one(look, make):
    files = {
        "src/Flow.java": "class Flow {\n  int windowOf(int a) { return a; }\n  int own() { return windowOf(1); }\n}\n",
        "web/a.js": "export const one = (it) => it.windowOf(2)\n",
        "src/native.c": "int two(void)\n{\n    return windowOf(3);\n}\n",
    }
    found = uses(look(make(files), "What calls `windowOf`?"))
    assert set(found) == {("src/Flow.java", 3), ("src/native.c", 3)}


def test_what_a_class_calls_of_its_own_may_be_what_overrides_it(look, make):
    base = (
        "class Button {\n  void onClick(int a) {}\n\n  void press() {\n    onClick(1);\n    this.onClick(2);\n  }\n}\n"
    )
    toggle = "class Toggle extends Button {\n  void onClick(int a) {}\n\n  void flip() { onClick(3); }\n}\n"
    other = "class Menu {\n  void onClick(int a) {}\n\n  void open() { onClick(4); }\n}\n"
    commit = make({"src/Button.java": base, "src/Toggle.java": toggle, "src/Menu.java": other})
    found = uses(look(commit, "What calls Toggle.onClick?"))
    assert set(found) == {("src/Toggle.java", 4), ("src/Button.java", 5), ("src/Button.java", 6)}
    assert found["src/Toggle.java", 4]
    assert not found["src/Button.java", 5]


def test_a_field_of_a_methods_name_is_no_use_of_it_in_java(look, make):
    files = {
        "src/Arena.java": "class Arena {\n  int caches = 1;\n\n  int numCaches() {\n    return numCaches;\n  }\n}\n",
        "src/Use.java": "class Use {\n  int numCaches = arena.numCaches;\n}\n",
    }
    assert "Nothing in this code uses" in look(make(files), "What calls `numCaches`?").text


@pytest.mark.parametrize(
    ("path", "code", "line"),
    [
        ("A.cs", "class A {\n  void FillUp<T>() {}\n  void B(A a) {\n    a?.FillUp();\n  }\n}\n", 4),
        ("B.cs", "class A {\n  void FillUp<T>() {}\n  void B(A a) {\n    a.FillUp<List<int>>();\n  }\n}\n", 4),
        ("a.cpp", "void A::FillUp() {}\nvoid b(A a) {\n  a.FillUp<int>(3);\n}\n", 3),
        ("a.php", "<?php\nclass A { function FillUp() {} }\n$a?->FillUp();\n", 3),
        ("A.java", "class A {\n  int fill() { return 1; }\n  void b() { go(A::fill); }\n}\n", 3),
        ("a.js", "function b (o) {\n  o.it.fillUp = () => {\n    return 1\n  }\n}\n\no.it.fillUp(2)\n", 7),
    ],
)
def test_calls_that_a_grammar_says_otherwise_count(look, make, path, code, line):
    name = next(one for one in ("FillUp", "fillUp", "fill") if one in code)
    assert (f"src/{path}", line) in uses(look(make({f"src/{path}": code}), f"What calls `{name}`?"))


def test_a_package_at_the_root_is_called_by_the_name_of_its_module(look, make):
    files = {
        "context.go": "package chi\n\nfunc RouteOf(a int) int { return a }\n",
        "examples/main.go": 'package main\n\nimport "x.test/go/chi/v5"\n\nfunc main() {\n\tchi.RouteOf(1)\n}\n',
    }
    assert set(uses(look(make(files), "What calls `RouteOf`?"))) == {("examples/main.go", 6)}


def test_a_package_hands_on_what_its_modules_have(look, make):
    files = {
        "src/flask/json/__init__.py": "def jsonify_it(a):\n    return a\n",
        "tests/test_it.py": "import flask, other\n\ndef test_it():\n    flask.jsonify_it(1)\n    other.jsonify_it(2)\n",
    }
    assert set(uses(look(make(files), "What calls `jsonify_it`?"))) == {("tests/test_it.py", 4)}


def test_a_method_that_a_known_class_does_not_have_is_not_another_classes(look, make):
    files = {
        "src/pool.py": "class Base:\n    def sweep_all(self):\n        return 1\n\n\nclass Pool(Base):\n    size = 1\n",
        "src/other.py": "class Strict:\n    def clean_up(self):\n        return 1\n",
        "src/use.py": "from src.pool import Pool\n\n\ndef run(pool):\n    pool.sweep_all()\n    return Pool()\n",
    }
    commit = make(files)
    assert all(used.name != "Strict.clean_up" for used in look(commit, "What calls Pool.clean_up?").found.usages)
    (used,) = look(commit, "What calls Pool.sweep_all?").found.usages  # it has that from what it extends
    assert (used.name, [(one.path, one.lines) for one in used.files]) == ("Base.sweep_all", [("src/use.py", (5,))])


def test_a_decorator_that_only_tests_use_is_used(look, make):
    test = "def test_it(app):\n    @app.before_request\n    def run():\n        pass\n"
    files = {
        "src/app.py": "class App:\n    def before_request(self, f):\n        return f\n",
        "tests/test_app.py": test,
    }
    (used,) = look(make(files), "What calls `before_request`?").found.usages
    assert [(one.path, one.lines) for one in used.files] == [("tests/test_app.py", (2,))]
