"""The birth check: verdicts against a real commit."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from scoutkit.knowledge import citations, verify
from scoutkit.knowledge.verify import Checked
from scoutkit.model.notes import Verdict
from scoutkit.snapshot import Snapshot

SIGNING = "src/auth/signing.py"


@pytest.fixture
def check(repo: Path, git: Callable[..., str]) -> Callable[..., list[Checked]]:
    """Check a report against the repository as it is committed now, with more files if given."""

    def call(report: str, files: dict[str, str | bytes] | None = None) -> list[Checked]:
        for name, content in (files or {}).items():
            path = repo / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        git(repo, "add", "-A")
        git(repo, "commit", "-q", "--allow-empty", "-m", "more")
        with Snapshot(repo, git(repo, "rev-parse", "HEAD").strip()) as snapshot:
            return verify.check(citations.read(report), snapshot)

    return call


def verdict(checked: list[Checked]) -> str:
    (one,) = checked
    return f"{one.citation.verdict} {one.citation.at}"


@pytest.mark.parametrize(
    "sentence",
    [
        "`sign` makes the mac (src/auth/signing.py:12-14)",
        "`SessionSigner.sign` makes it (src/auth/signing.py:12-14)",
        "`SessionSigner::sign()` makes it (src/auth/signing.py:12-14)",
        "`signing.sign` makes it (src/auth/signing.py:12-14)",
        "It returns `value + b'.' + mac.digest()` (src/auth/signing.py:14)",
        "It returns `value  +  b'.' + mac.digest()` (src/auth/signing.py:14)",
        "`hmac.new(self.key, …)` is called in src/auth/signing.py:13",
        "`sign(key, value)` is in src/auth/signing.py:12",
        'The hash is `"sha256"`: src/auth/signing.py:13',
        "signing.py:12 holds `sign`",
        "auth/signing.py:12 holds `sign`",
        ".\\src\\auth\\signing.py:12 holds `sign`",
        "SRC/Auth/signing.py:12 holds `sign`",
        "src/auth/signing.py:13:\n\n```python\nmac = hmac.new(self.key, value, 'sha256')\n```\n",
        "src/auth/signing.py:12-14:\n\n```\n12: def sign(self, value):\n13: …\n14: return value + b'.'\n```",
        "src/auth/signing.py:13:\n\n```py\ndef sign(self, value):\n    mac = hmac.new(self.key, value, 'sha256')\n```",
    ],
)
def test_supported_where_the_lines_hold_a_name_or_the_quote(check: Callable[..., list[Checked]], sentence: str) -> None:
    (one,) = check(sentence)
    assert (one.citation.verdict, one.citation.path) == (Verdict.SUPPORTED, SIGNING)
    assert one.citation.symbol == "SessionSigner.sign"
    assert one.evidence


@pytest.mark.parametrize(
    ("sentence", "why"),
    [
        ("It is signed in src/auth/signing.py:12-14", "the sentence names nothing to look for"),
        ("`verifier` is in src/auth/signing.py:12", "the lines do not hold `verifier`"),
        ("`ign` is in src/auth/signing.py:12", "the lines do not hold `ign`"),
        ("`Other.sign` is in src/auth/signing.py:12", "the lines do not hold `Other.sign`"),
        ("`a + b` is in src/auth/signing.py:12", "the lines do not hold the quoted text"),
        (
            "`sign` ends in src/auth/signing.py:14",
            "the lines do not hold `sign`; they are inside `SessionSigner.sign`; could be src/auth/signing.py:12",
        ),
        ("`signing.py` has src/auth/signing.py:12", "the sentence names nothing to look for"),
    ],
)
def test_unsupported_where_nothing_can_be_found(check: Callable[..., list[Checked]], sentence: str, why: str) -> None:
    (one,) = check(sentence)
    assert (one.citation.verdict, one.why) == (Verdict.UNSUPPORTED, why)


@pytest.mark.parametrize(
    ("citation", "at", "why"),
    [
        ("src/auth/sessions.py:12", "src/auth/sessions.py:12", "no such file"),
        ("src/auth/signing.py:12-400", "src/auth/signing.py:12-400", "the file has 18 lines"),
        ("src/auth/signing.py:19", "src/auth/signing.py:19", "the file has 18 lines"),
        ("src/auth/signing.py:14-12", "src/auth/signing.py:14-12", "the last line is before the first"),
        ("src/auth/signing.py:0", "src/auth/signing.py", "lines are counted from 1"),
        ("/usr/lib/x.py:3", "/usr/lib/x.py:3", "outside the repository"),
        ("src/auth/signing.py::unsign", "src/auth/signing.py", "the file defines no `unsign`"),
        ("README.md::nothing", "README.md", "the file defines no `nothing`"),
        ("src/tool:12", "src/tool:12", "no such file"),
    ],
)
def test_wrong_keeps_what_was_written(check: Callable[..., list[Checked]], citation: str, at: str, why: str) -> None:
    (one,) = check(f"`resign` is in {citation}.")
    assert (one.citation.verdict, one.citation.at, one.why) == (Verdict.WRONG, at, why)


def test_several_files_that_end_so_are_named_not_guessed(check: Callable[..., list[Checked]]) -> None:
    checked = check(
        "`x` is in a.py:1, Dockerfile:1", {f"{at}/{name}": "x\n" for at in "pq" for name in ("a.py", "Dockerfile")}
    )
    assert [(one.citation.at, one.citation.verdict, one.why) for one in checked] == [
        ("a.py:1", "wrong", "several files end so: p/a.py, q/a.py"),
        ("Dockerfile:1", "wrong", "several files end so: p/Dockerfile, q/Dockerfile"),
    ]


def test_what_looks_like_a_citation_is_one_only_if_there_is_such_a_file(check: Callable[..., list[Checked]]) -> None:
    report = "Makefile:1, bin/tool:1, redis:6379, `std::vector`, key:1, src/tool:1, example.com:443, `Gem::spec`"
    checked = check(report, {"Makefile": "all:\n", "bin/tool": "x\n", "sub/redis": "x\n"})
    assert [one.citation.at for one in checked] == ["Makefile:1", "bin/tool:1", "src/tool:1"]


def test_an_exact_path_wins_over_other_readings(check: Callable[..., list[Checked]]) -> None:
    files = {"src/my dir/a.py": "x = 1\n", "dir/a.py": "y = 1\n", "@types/x.d.ts": "z\n"}
    checked = check("`src/my dir/a.py:1` `see dir/a.py:1` `@types/x.d.ts:1` `@src/auth/signing.py:1`", files)
    assert [one.citation.path for one in checked] == ["src/my dir/a.py", "dir/a.py", "@types/x.d.ts", SIGNING]


def test_a_symbol_becomes_its_lines(check: Callable[..., list[Checked]]) -> None:
    (one,) = check("See src/auth/signing.py::SessionSigner::sign.")
    assert (verdict([one]), one.citation.symbol) == (f"supported {SIGNING}:12-14", "SessionSigner.sign")
    assert verdict(check("See signing.py::sign.")) == f"supported {SIGNING}:12-14"


def test_a_symbol_defined_twice_is_not_guessed(check: Callable[..., list[Checked]]) -> None:
    (one,) = check(
        "See two.py::run.", {"two.py": "class A:\n    def run(self): ...\nclass B:\n    def run(self): ...\n"}
    )
    assert (one.citation.verdict, one.why) == (
        "wrong",
        "`run` is defined 2 times, on lines 2, 4; could be two.py:2, two.py:4",
    )


def test_notes_are_never_what_a_short_path_means(check: Callable[..., list[Checked]]) -> None:
    files = {".claude/notes/2026-01-01-x.md": "`sign`\n"}
    assert verdict(check("`sign`: 2026-01-01-x.md:1", files)) == "corrected src/auth/signing.py:12"
    assert verdict(check("`only here`: 2026-01-01-x.md:1", {".claude/notes/2026-01-01-x.md": "only here\n`sign`"})) == (
        "wrong 2026-01-01-x.md:1"
    )
    assert (
        verdict(check("`sign`: .claude/notes/2026-01-01-x.md:1", files)) == "supported .claude/notes/2026-01-01-x.md:1"
    )


def test_the_commit_counts_not_the_working_tree(check: Callable[..., list[Checked]], repo: Path) -> None:
    check("")
    (repo / SIGNING).write_text("nothing\n")
    (repo / "new.py").write_text("sign\n")
    head = Snapshot(repo, "HEAD")
    with head as snapshot:
        checked = verify.check(citations.read("`sign`: src/auth/signing.py:12, new.py:1"), snapshot)
    assert [one.citation.verdict for one in checked] == ["supported", "wrong"]


def test_a_link_stands_for_its_target(check: Callable[..., list[Checked]], repo: Path) -> None:
    (repo / "SIGNING.py").symlink_to("src/auth/signing.py")
    (repo / "out.py").symlink_to("/etc/hostname")
    (repo / "loop.py").symlink_to("loop.py")
    checked = check("`sign`: SIGNING.py:12, out.py:1, loop.py:1")
    assert [(one.citation.path, one.citation.verdict) for one in checked] == [
        (SIGNING, "supported"),
        ("out.py", "wrong"),
        ("loop.py", "wrong"),
    ]


def test_a_binary_file_has_no_lines(check: Callable[..., list[Checked]]) -> None:
    (one,) = check("`x`: data.json:1", {"data.json": b"x\0y\n"})
    assert (one.citation.verdict, one.why) == ("wrong", "a binary file: it has no lines")


def test_line_ends_and_odd_bytes_do_not_matter(check: Callable[..., list[Checked]]) -> None:
    files = {"crlf.py": b"a = 1\r\nb = caf\xe9\r\nc = f(x)", "empty.py": b""}
    checked = check("`b`: crlf.py:2. `c = f(x)`: crlf.py:3. `d`: crlf.py:4. `e`: empty.py:1", files)
    assert [one.citation.verdict for one in checked] == ["supported", "supported", "wrong", "wrong"]


def test_the_symbol_is_found_past_decorators_comments_and_blank_lines(check: Callable[..., list[Checked]]) -> None:
    code = "import x\n\n# makes it\n@x.y\ndef run():\n    '''Doc.'''\n    return 1\n\n\nz = 1\n"
    checked = check("d.py:3-7 d.py:4-8 d.py:5 d.py:2-9 d.py:5-10", {"d.py": code})
    assert [one.citation.symbol for one in checked] == ["run", "run", "run", "run", ""]


def test_a_decorator_or_return_type_holds_the_name_below_it(check: Callable[..., list[Checked]]) -> None:
    files = {
        "d.py": "# makes it\n@x.y\ndef run(\n    a,\n):\n    return 1\n\n\nz = 1\n",
        "d.c": "static int\nrun(int a)\n{\n    return a;\n}\n",
    }
    checked = check("`run`: d.py:2. `run`: d.c:1. `run`: d.py:6-7. `run`: d.py:1. `run`: d.py:9", files)
    assert [one.citation.verdict for one in checked] == ["supported"] * 2 + ["unsupported"] * 2 + ["corrected"]


def test_verdicts_come_in_the_order_of_the_report(check: Callable[..., list[Checked]]) -> None:
    checked = check("`x`: README.md:1, nowhere.py:1, src/auth/signing.py:1, README.md:2-3,9")
    assert [one.citation.at for one in checked] == [
        *("README.md:1", "nowhere.py:1", "src/auth/signing.py:1", "README.md:2-3", "README.md:9"),
    ]


def test_flags_match_however_they_are_registered(check: Callable[..., list[Checked]]) -> None:
    files = {"cli.go": 'cmd.Flags().String("base-ref", "", "use %[1]s--head%[1]s")\nx := "base"\n'}
    checked = check("`--base-ref`: cli.go:1\n\n`--head`: cli.go:1\n\n`--base`: cli.go:1\n\n`--base`: cli.go:2\n", files)
    assert [one.citation.verdict for one in checked] == ["supported", "supported", "corrected", "supported"]


def test_one_git_process_reads_every_file(
    check: Callable[..., list[Checked]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check("", {f"f{number}.py": "x\n" for number in range(20)})
    log = tmp_path / "calls"
    wrapper = tmp_path / "bin" / "git"
    wrapper.parent.mkdir()
    wrapper.write_text(f'#!/bin/sh\necho "$@" >> {log}\nexec {shutil.which("git")} "$@"\n')
    wrapper.chmod(0o755)
    monkeypatch.setenv("PATH", f"{wrapper.parent}{os.pathsep}{os.environ['PATH']}")
    with Snapshot(tmp_path / "repo", "HEAD") as snapshot:
        verify.check(citations.read(" ".join(f"`x` f{number}.py:1" for number in range(20))), snapshot)
    assert sum("cat-file" in line for line in log.read_text().splitlines()) == 1
