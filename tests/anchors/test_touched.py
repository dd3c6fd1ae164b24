"""How many commits touched lines, and who last: real histories."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from scoutkit import git as scout
from scoutkit.anchors import touched
from scoutkit.anchors.check import Followed
from scoutkit.anchors.touched import Touched
from scoutkit.model.notes import Citation, Located, Region, Verdict

FILE = "src/a.py"
LINES = [f"line_{n} = {n}" for n in range(1, 31)]


class History:
    """A repository in which each commit has an author."""

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir()
        self.git("init", "-q", "-b", "main")
        self.write(LINES)
        self.first = self.commit("Ada")

    def git(self, *args: str, **env: str) -> str:
        done = subprocess.run(
            ["git", *args], cwd=self.root, env={**os.environ, **env}, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    def write(self, lines: list[str], path: str = FILE) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(f"{line}\n" for line in lines))

    def lines(self, path: str = FILE) -> list[str]:
        return (self.root / path).read_text().splitlines()

    def change(self, number: int, text: str, author: str = "Ada") -> str:
        """Line `number`, from 1, becomes `text`, in a commit."""
        lines = self.lines()
        lines[number - 1] = text
        self.write(lines)
        return self.commit(author)

    def commit(self, author: str, message: str = "x") -> str:
        self.git("add", "-A")
        who = {"GIT_AUTHOR_NAME": author, "GIT_AUTHOR_DATE": "2026-03-04T05:06:07+02:00"}
        self.git("commit", "-qm", message, "--allow-empty", **who)
        return self.git("rev-parse", "HEAD")

    def count(self, start: int = 10, end: int = 12, *, old: str = "", new: str = "HEAD", path: str = FILE) -> Touched:
        one = citation(start, end, path)
        return touched.count(self.root, old or self.first, new, [one], uncommitted=True)[one]


def citation(start: int, end: int, path: str = FILE, verdict: Verdict = Verdict.EDITED, now: str = "") -> Followed:
    located = Located(verdict, Region(now, start, end), 0.9) if now else None
    return Followed(Citation(path, start, end), Region(path, start, end), verdict, located)


@pytest.fixture
def history(tmp_path) -> History:
    return History(tmp_path / "history")


def test_commits_that_change_the_lines_count_and_the_newest_is_named(history):
    history.change(11, "eleven", "Ada")
    history.change(20, "twenty", "Bob")
    last = history.change(12, "twelve", "Grace Hopper")
    history.change(9, "nine", "Bob")

    found = history.count()

    assert found.commits == 2
    assert found.last is not None
    assert (found.last.id, found.last.author, found.last.at) == (last, "Grace Hopper", "2026-03-04T05:06:07+02:00")


@pytest.mark.parametrize(
    ("at", "commits"), [(9, 0), (10, 1), (12, 1), (13, 0)], ids=["above", "first", "last", "below"]
)
def test_the_first_and_last_line_are_in_and_their_neighbours_are_not(history, at, commits):
    history.change(at, "changed")
    assert history.count().commits == commits


@pytest.mark.parametrize(("after", "commits"), [(9, 0), (10, 1), (11, 1), (12, 0)])
def test_lines_that_come_in_touch_only_what_they_come_between(history, after, commits):
    lines = history.lines()
    history.write([*lines[:after], "new", *lines[after:]])
    history.commit("Ada")
    assert history.count().commits == commits


def test_lines_are_followed_down_and_up_and_as_they_grow(history):
    history.write(["above"] * 7 + history.lines())
    history.commit("Ada")  # 17-19
    history.change(18, "within")
    lines = history.lines()
    history.write(lines[:18] + ["more"] * 3 + lines[18:])  # between its lines: 17-22
    history.commit("Ada")
    history.write(history.lines()[5:])  # 12-17
    history.commit("Ada")
    history.change(12, "its first")
    last = history.change(17, "its last")
    history.change(11, "above it")
    history.change(18, "below it")

    found = history.count()

    assert found.commits == 4
    assert found.last
    assert found.last.id == last


def test_a_renamed_file_is_followed(history):
    history.change(10, "ten", "Bob")
    history.git("mv", FILE, "src/b.py")
    history.commit("Ada")
    lines = history.lines("src/b.py")
    lines[10] = "eleven"
    history.write(lines, "src/b.py")
    edited = history.commit("Grace")
    one = citation(10, 12, now="src/b.py")
    found = touched.count(history.root, history.first, "HEAD", [one], uncommitted=True)[one]
    assert (found.commits, found.last and found.last.id) == (2, edited)


def test_a_removed_file_is_touched_by_its_removal(history):
    history.change(11, "eleven", "Bob")
    (history.root / FILE).unlink()
    gone = history.commit("Grace")

    found = history.count()

    assert (found.commits, found.last and found.last.id) == (2, gone)


def test_what_a_merged_branch_did_counts_once(history):
    history.git("checkout", "-q", "-b", "side")
    history.change(11, "on a branch", "Bob")
    history.git("checkout", "-q", "main")
    history.write(["above", *history.lines()])
    history.commit("Ada")
    history.git("merge", "-q", "--no-edit", "side")

    found = history.count()

    assert (found.commits, found.last and found.last.author) == (1, "Bob")


@pytest.mark.parametrize("name", ["with space.py", "naïve-日本.py", 'quo"te.py', "tab\t.py", "a b/c.py", "[x]*.py"])
def test_odd_names(history, name):
    history.write(LINES, name)
    old = history.commit("Ada")
    history.write([*LINES[:10], "changed", *LINES[11:]], name)
    history.commit("Bob")

    found = history.count(path=name, old=old)

    assert (found.commits, found.last and found.last.author) == (1, "Bob")


def test_content_that_looks_like_a_patch_is_content(history):
    lines = history.lines()
    history.write(
        [*lines[:20], "-- a/src/a.py", "++ b/other.py", "@@ -10,3 +10,3 @@", "diff --git a/x b/y", *lines[20:]]
    )
    history.commit("Ada")
    history.write([line for line in history.lines() if not line.startswith(("--", "++", "@@", "diff"))])
    history.commit("Ada")
    assert history.count().commits == 0
    history.change(11, "--- a/nothing")
    assert history.count().commits == 1


def test_a_last_line_without_an_end_is_a_line(history):
    path = history.root / FILE
    path.write_text(path.read_text().rstrip("\n"))
    history.commit("Ada")
    assert history.count(28, 29).commits == 0
    assert history.count(30, 30).commits == 1
    path.write_text("above\n" + path.read_text())
    history.commit("Bob")
    assert history.count(30, 30).commits == 1


def test_many_files_are_asked_about_in_turns(history):
    names = [f"many/{n:03}.py" for n in range(450)]
    for one in names:
        history.write(LINES[:3], one)
    old = history.commit("Ada")
    for one in names[::2]:
        history.write(["changed", *LINES[1:3]], one)
    history.commit("Bob")
    asked = [citation(1, 2, one) for one in names]

    found = touched.count(history.root, old, "HEAD", asked, uncommitted=True)

    assert [found[one].commits for one in asked] == [1, 0] * 225


def test_what_holds_or_was_wrong_at_birth_is_not_asked_about(history):
    history.change(11, "eleven")
    asked = [citation(10, 12, verdict=verdict) for verdict in (Verdict.FRESH, Verdict.MOVED, Verdict.WRONG)]
    assert touched.count(history.root, history.first, "HEAD", asked, uncommitted=True) == {}


def test_where_git_cannot_tell_nothing_is_said(history):
    one = citation(10, 12)
    last = history.change(11, "eleven")

    for old in ("", "0" * 40, "nope"):
        assert touched.count(history.root, old, "HEAD", [one], uncommitted=True) == {}
    assert touched.count(history.root, last, history.first, [one], uncommitted=False) == {}  # backwards
    assert touched.count(history.root, last, last, [one], uncommitted=True) == {one: Touched()}  # not committed yet


def test_in_a_partial_clone_nothing_is_fetched_and_nothing_is_said(history, tmp_path):
    history.change(11, "eleven")
    history.change(11, "eleven again")
    history.git("config", "uploadpack.allowFilter", "true")
    where = tmp_path / "partial"
    history.git("clone", "-q", "--bare", "--filter=blob:none", f"file://{history.root}", str(where))
    lacking = scout.output(where, "rev-list", "--objects", "--missing=print", "--all").count("?")
    one = citation(10, 12)

    assert touched.count(where, history.first, "HEAD", [one], uncommitted=False) == {}

    assert lacking
    assert scout.output(where, "rev-list", "--objects", "--missing=print", "--all").count("?") == lacking
