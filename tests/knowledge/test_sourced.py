"""Citations of other repositories: how they are written, which source they mean, their verdicts."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoutkit.knowledge import citations, mending, sourced
from scoutkit.model import pinned
from scoutkit.model.notes import Citation, Region, Verdict
from scoutkit.model.pinned import Pinned
from scoutkit.snapshot import Snapshot

FULL = "0123456789abcdef" * 2 + "01234567"


@pytest.mark.parametrize(
    "text",
    [
        "lib@0123456:src/a.py:3-5",
        "`lib@0123456:src/a.py:3-5`",
        "(lib@0123456:src/a.py:3-5)",
        "**lib@0123456:src/a.py:3-5**",
        "lib@0123456:src/a.py, lines 3-5",
        "`lib@0123456:src/a.py` (lines 3-5)",
        "`lib@0123456:src/a.py`:3-5",
        "lib@0123456:src/a.py#L3-L5",
        "[here](lib@0123456:src/a.py#L3-L5)",
        "| x | lib@0123456:src/a.py:3-5 |\n|---|---|",
        "参见lib@0123456:src/a.py:3-5",
        "lib@0123456:./src/a.py:3-5",
    ],
)
def test_a_citation_names_its_source(text):
    (one,) = citations.read(text)
    assert (one.path, one.start, one.end, one.sure) == ("lib@0123456:src/a.py", 3, 5, True)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("me@0123456:12", "me@0123456"),  # no path
        ("lib@main:src/a.py:3", "src/a.py"),  # no commit
        ("lib@01234:src/a.py:3", "src/a.py"),  # too few digits
        ("a/lib@0123456:src/a.py:3", "src/a.py"),
        ("see:src/a.py:3", "src/a.py"),
    ],
)
def test_what_only_looks_like_it_is_read_as_before(text, path):
    assert [one.path for one in citations.read(text)] == [path]


def test_ranges_symbols_and_spaces():
    several = citations.read("`lib@0123456:src/a.py:3-5,9`")
    assert [(one.path, one.start, one.end) for one in several] == [
        ("lib@0123456:src/a.py", 3, 5),
        ("lib@0123456:src/a.py", 9, 9),
    ]
    (one,) = citations.read("`lib@0123456:my docs/a b.md:3`")
    assert one.path == "lib@0123456:my docs/a b.md"
    (one,) = citations.read("lib@0123456:src/a.py::Signer.sign")
    assert (one.path, one.symbol) == ("lib@0123456:src/a.py", "Signer.sign")


@settings(max_examples=60, deadline=None)
@given(
    name=st.from_regex(rf"\A{pinned.NAME}\Z"),
    sha=st.from_regex(r"\A[0-9a-f]{7,40}\Z"),
    path=st.sampled_from(["src/a.py", "a.go", "deep/er/x.rs", "Makefile", "odd-name_1.ts"]),
    line=st.integers(1, 9999),
)
def test_whatever_is_written_so_is_read_so(name, sha, path, line):
    (one,) = citations.read(f"`{name}@{sha}:{path}:{line}`")
    assert (one.path, one.start) == (f"{name}@{sha}:{path}", line)
    assert pinned.read(one.path) == (name, sha, path)


@pytest.fixture
def check(repo, git, tmp_path):
    """Check a report against two sources: the small repository and one that shares a file name with it."""
    other = tmp_path / "other"
    (other / "src").mkdir(parents=True)
    git(other, "init", "-q")
    (other / "src/serve.py").write_text("def serve():\n    return 1\n")
    (other / "README.md").write_text("# Serving\n")
    git(other, "add", ".")
    git(other, "commit", "-q", "-m", "one")
    shown = {
        name: Pinned(name, str(where), git(where, "rev-parse", "HEAD").strip())
        for name, where in (("repo", repo), ("other", other))
    }

    def call(report, away=()):
        opened = {one: None if one.name in away else Snapshot(one.origin, one.commit) for one in shown.values()}
        try:
            report = report.replace("REPO", f"repo@{shown['repo'].commit[:9]}").replace(
                "OTHER", f"other@{shown['other'].commit[:9]}"
            )
            found = sourced.check(citations.read(report, roots=["/run/sources"]), opened)
        finally:
            for one in opened.values():
                if one:
                    one.__exit__()
        said = [f"{one.citation.verdict} {one.citation.at}" for one in found]
        for name, source in shown.items():
            said = [text.replace(source.prefix, f"{name}:") for text in said]
        call.why = [one.why for one in found]
        return said

    return call


@pytest.mark.parametrize(
    ("report", "said"),
    [
        ("`sign` is in REPO:src/auth/signing.py:12-14", ["supported repo:src/auth/signing.py:12-14"]),
        ("`sign` is in REPO:signing.py:12-14", ["supported repo:src/auth/signing.py:12-14"]),
        ("`sign` is in REPO:src/auth/signing.py:1-3", ["corrected repo:src/auth/signing.py:12-14"]),
        ("`sign` is in REPO:src/auth/signing.py::SessionSigner.sign", ["supported repo:src/auth/signing.py:12-14"]),
        ("`serve` is in src/serve.py:1", ["supported other:src/serve.py:1"]),
        ("`serve` is in ../sources/other/src/serve.py:1", ["supported other:src/serve.py:1"]),
        ("`serve` is in /run/sources/other/src/serve.py:1", ["supported other:src/serve.py:1"]),
        ("`serve` is in other/src/serve.py:1", ["supported other:src/serve.py:1"]),
        ("REPO:src/auth/signing.py:900 ends early", ["wrong repo:src/auth/signing.py:900"]),
        ("src/serve.py:900 has no such line", ["wrong other:src/serve.py:900"]),
        ("src/serve.py::nobody is not defined", ["wrong other:src/serve.py"]),
        ("README.md:1 is in both", ["wrong README.md:1"]),
        ("proof.py:1 is the agent's own", ["wrong proof.py:1"]),
        ("third@0123456:a.py:1 was not shown", ["wrong third@0123456:a.py:1"]),
        ("redis:6379 is a port", []),
    ],
)
def test_verdicts_are_those_of_the_source(check, report, said):
    assert check(report) == said


def test_order_is_that_of_the_report(check):
    report = "`serve`: OTHER:src/serve.py:1\n\n`sign`: REPO:src/auth/signing.py:12\n\n`serve`: OTHER:src/serve.py:1-2"
    assert [one.split()[1] for one in check(report)] == [
        "other:src/serve.py:1",
        "repo:src/auth/signing.py:12",
        "other:src/serve.py:1-2",
    ]


def test_a_source_that_is_away_is_not_called_wrong(check):
    assert check("`serve`: OTHER:src/serve.py:1, `sign`: REPO:src/auth/signing.py:12", away=["other"]) == [
        "unsupported other:src/serve.py:1",
        "supported repo:src/auth/signing.py:12",
    ]
    assert check.why[0] == "its source is not here any more"


def test_a_reference_means_the_citation_of_its_source():
    known = [Citation(f"lib@{FULL}:src/a.py", 3, 5, Verdict.SUPPORTED), Citation("src/b.py", 3, 5, Verdict.SUPPORTED)]
    for text in (f"lib@{FULL}:src/a.py:3-5", f"lib@{FULL[:7]}:src/a.py:3-5", "src/a.py:3-5", "a.py:3-5"):
        (one,) = citations.read(text)
        assert mending.meaning(one, known) == known[0], text
    (one,) = citations.read("lib@fffffff:src/a.py:3-5")
    assert mending.meaning(one, known) is None
    (one,) = citations.read("src/b.py:3-5")
    assert mending.meaning(one, known) == known[1]


def test_mending_a_note_leaves_what_is_in_other_repositories():
    text = f"See `lib@{FULL[:9]}:src/a.py:3-5` and `src/b.py:3-5`.\n"
    known = [Citation(f"lib@{FULL}:src/a.py", 3, 5), Citation("src/b.py", 3, 5)]
    done = mending.mend(text, {known[1]: Region("src/b.py", 7, 9)}, known)
    assert done.text == f"See `lib@{FULL[:9]}:src/a.py:3-5` and `src/b.py:7-9`.\n"
    assert done.missed == ()
