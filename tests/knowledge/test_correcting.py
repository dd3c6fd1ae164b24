"""Citations that are off: set right where one place fits clearly best, never guessed."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from scoutkit.knowledge import citations, verify
from scoutkit.knowledge.verify import Checked
from scoutkit.snapshot import Snapshot

FILES = {
    "pkg/store.py": (
        "import json\n\n\nclass Store:\n    '''Keeps rows.'''\n\n"
        "    def __init__(self, path):\n        self.path = path\n\n"
        "    @property\n    def size(self):\n        '''How many.'''\n"
        "        rows = self.load()\n        return len(rows)\n\n"
        "    def load(self):\n        with open(self.path) as file:\n            return json.load(file)\n\n"
        "    def dump(self, rows):\n        text = json.dumps(rows, indent=2)\n        self.path.write_text(text)\n"
        "        return text\n"
    ),
    "pkg/cache.py": "class Cache:\n    def load(self):\n        return {}\n\n    def forget(self):\n        pass\n",
    "pkg/__init__.py": "from .store import Store\n",
    "app/__init__.py": "def create_app(config):\n    app = object()\n    return app\n",
    "app/settings.py": "DEBUG = True\nDATABASE_URL = 'sqlite://'\nTIMEOUT = 30\n",
    "tests/test_store.py": "from pkg.store import Store\n\n\ndef test_size():\n    assert Store('x').size == 0\n",
}


@pytest.fixture
def check(tmp_path: Path, git: Callable[..., str]) -> Callable[..., list[str]]:
    """Verdict and place of each citation of a report."""

    def call(report: str, files: dict[str, str] | None = None) -> list[str]:
        return [f"{one.citation.verdict} {one.citation.at}" for one in whole(tmp_path, git, report, files or {})]

    return call


def whole(tmp_path: Path, git: Callable[..., str], report: str, files: dict[str, str]) -> list[Checked]:
    repo = tmp_path / "repository"
    shutil.rmtree(repo, ignore_errors=True)
    for name, text in {**FILES, **files}.items():
        (repo / name).parent.mkdir(parents=True, exist_ok=True)
        (repo / name).write_text(text)
    git(repo, "init", "-q")
    git(repo, "add", ".")
    git(repo, "commit", "-q", "-m", "x")
    with Snapshot(repo, "HEAD") as snapshot:
        return verify.check(citations.read(report), snapshot)


@pytest.mark.parametrize(
    ("report", "expected"),
    [
        # the same file, whole definitions and heads
        ("`Store.dump` (pkg/store.py:1-4) writes.", "corrected pkg/store.py:20-23"),
        ("`dump` (pkg/store.py:2-5) writes.", "corrected pkg/store.py:20-23"),
        ("`dump` writes: pkg/store.py:1", "corrected pkg/store.py:20"),
        ("`dump` writes: pkg/store.py:12-14", "corrected pkg/store.py:20-23"),
        ("`Store` (pkg/store.py:1-2)", "corrected pkg/store.py:4-5"),
        ("`store.load` (pkg/store.py:1-3)", "corrected pkg/store.py:16-18"),
        ("`self.dump` (pkg/store.py:1-4)", "corrected pkg/store.py:20-23"),
        # with or without its decorator
        ("`size` (pkg/store.py:1-5)", "corrected pkg/store.py:10-14"),
        ("`size` (pkg/store.py:1-4)", "corrected pkg/store.py:11-14"),
        ("`size`: pkg/store.py:2", "corrected pkg/store.py:11"),
        # quotes
        ("It runs `json.dumps(rows, indent=2)` in pkg/store.py:17.", "corrected pkg/store.py:21"),
        ("pkg/store.py:2:\n\n```py\nrows = self.load()\nreturn len(rows)\n```", "corrected pkg/store.py:13-14"),
        (
            "pkg/store.py:2-3:\n\n```py\ntext = json.dumps(rows, indent=2)\n…\nreturn text\n```",
            "corrected pkg/store.py:21-23",
        ),
        ("`Store.dump` has `return text` (pkg/store.py:20)", "supported pkg/store.py:20"),
        # a use, where nothing defines it
        ("`indent` is set in pkg/store.py:3", "corrected pkg/store.py:21"),
        ('`"DATABASE_URL"`: app/settings.py:1', "corrected app/settings.py:2"),
        # past the end of the file, and backwards
        ("`dump`: pkg/store.py:90-93", "corrected pkg/store.py:20-23"),
        ("`dump`: pkg/store.py:9-3", "corrected pkg/store.py:20-23"),
        # another path
        ("`create_app` (src/app/__init__.py:1-3)", "corrected app/__init__.py:1-3"),
        ("`create_app` (app/factory.py:1-3)", "corrected app/__init__.py:1-3"),
        ("`create_app` (app/factory.py:21-23)", "corrected app/__init__.py:1-3"),
        ("`create_app`: __init__.py:1", "supported app/__init__.py:1"),
        ("`create_app`: __init__.py:9", "corrected app/__init__.py:1"),
        ("`forget`: old/cache.py:5", "corrected pkg/cache.py:5"),
        ("See lib/cache.py::Cache.forget", "corrected pkg/cache.py:5-6"),
        # definitions of one name in several files: the size or the file's name says which
        ("`load` (old/store.py:16-18)", "corrected pkg/store.py:16-18"),
        ("`load` (old/rows.py:30-33)", "wrong old/rows.py:30-33"),
    ],
)
def test_a_citation_is_moved_to_what_it_names(check: Callable[..., list[str]], report: str, expected: str) -> None:
    assert check(report) == [expected]


@pytest.mark.parametrize(
    "report",
    [
        "`size` (pkg/store.py:10)",  # the decorator alone
        "`size` (pkg/store.py:10-12)",  # ends early
        "`size` (pkg/store.py:12-14)",  # begins late: without its first lines
        "`Store` keeps rows (pkg/store.py:1-23)",  # too much
        "`dump` and `nothing` are in pkg/store.py:20-22",
        "`load` is called in pkg/store.py:13",
    ],
)
def test_what_is_right_is_left_alone(check: Callable[..., list[str]], report: str) -> None:
    (said,) = check(report)
    assert said.startswith("supported")


@pytest.mark.parametrize(
    "report",
    [
        "`dump` ends in pkg/store.py:23",  # inside what it names
        "`Store` sets it up in pkg/store.py:8",
        "`create_app` reads this: app/settings.py:3",  # a definition elsewhere does not make a right file wrong
        "`self` is in pkg/store.py:2",  # many places
        "`nowhere_at_all` is in pkg/store.py:2",
    ],
)
def test_what_cannot_be_told_is_not_guessed(check: Callable[..., list[str]], report: str) -> None:
    (said,) = check(report)
    assert said.startswith("unsupported")


def test_ties_are_listed(tmp_path: Path, git: Callable[..., str]) -> None:
    (one,) = whole(tmp_path, git, "`load`: pkg/rows.py:3", {})
    assert one.why == "no such file; could be pkg/cache.py:2, pkg/store.py:16"


def test_a_corrected_citation_remembers_where_it_was(tmp_path: Path, git: Callable[..., str]) -> None:
    (one,) = whole(tmp_path, git, "`dump` (pkg/store.py:1-4) writes.", {})
    assert (one.citation.was, one.citation.symbol) == ("pkg/store.py:1-4", "Store.dump")
    assert one.evidence
    assert (one.evidence.kind, one.evidence.text) == ("definition", "dump")


@pytest.mark.parametrize(
    "report",
    [
        "`load` (pkg/store.py:20-23) reads what `dump` (pkg/store.py:16-18) wrote.",
        "At pkg/store.py:20-23 is `load`, at pkg/store.py:16-18 is `dump`.",
        "| `load` | pkg/store.py:20-23 | `dump` | pkg/store.py:16-18 |\n|-|-|-|-|\n",
    ],
)
def test_two_that_were_exchanged_are_exchanged_back(check: Callable[..., list[str]], report: str) -> None:
    assert check(report) == ["corrected pkg/store.py:16-18", "corrected pkg/store.py:20-23"]


def test_two_in_one_sentence_are_not_moved_to_the_same_place(check: Callable[..., list[str]]) -> None:
    assert check("`dump` is at pkg/store.py:20-23 and pkg/store.py:1-2.") == [
        "supported pkg/store.py:20-23",
        "unsupported pkg/store.py:1-2",
    ]
    assert check("`dump` (pkg/store.py:1-4) is told by `load` (pkg/store.py:2-4).") == [
        "corrected pkg/store.py:20-23",
        "corrected pkg/store.py:16-18",
    ]


def test_no_correction_leads_into_the_notes(check: Callable[..., list[str]]) -> None:
    notes = {".claude/notes/2026-01-01-x.md": "`only_in_a_note` is here\n"}
    assert check("`only_in_a_note`: gone.py:3", notes) == ["wrong gone.py:3"]


def test_the_tree_is_searched_once_and_only_for_doubtful_citations(
    tmp_path: Path, git: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "calls"
    wrapper = tmp_path / "bin" / "git"
    wrapper.parent.mkdir()
    wrapper.write_text(f'#!/bin/sh\necho "$@" >> {log}\nexec {shutil.which("git")} "$@"\n')
    wrapper.chmod(0o755)
    monkeypatch.setenv("PATH", str(wrapper.parent), prepend=":")
    whole(tmp_path, git, "`dump`: pkg/store.py:20. `load`: pkg/store.py:1.", {})
    assert " grep " not in log.read_text()
    whole(tmp_path, git, "`create_app`: a.py:1. `forget`: b.py:1. `nowhere_at_all`: pkg/store.py:1.", {})
    assert log.read_text().count(" grep ") == 1
