"""What following said before is said again without git, as long as the file holds the same; and never anything else."""

from __future__ import annotations

import sqlite3

import pytest

from scoutkit import git as runs
from scoutkit.anchors.memory import Memory
from scoutkit.anchors.region import Regions
from scoutkit.anchors.targets import Key
from scoutkit.model.regions import Located, Region, Verdict

SIGN = Region("src/auth/signing.py", 12, 14)


@pytest.fixture
def first(repo, git):
    return git(repo, "rev-parse", "HEAD").strip()


def located(repo, first, tmp_path, *, objects=None) -> Located:
    with (
        Memory(tmp_path / "followed.db") as memory,
        Regions(runs.discover(repo), objects=objects, memory=memory) as regions,
    ):
        return regions.locate(SIGN, first)


class Nothing:
    """No object of git's can be had."""

    def __getattr__(self, name):
        raise AssertionError(f"git was asked: {name}")


def test_a_file_with_the_same_content_is_not_looked_into_again(repo, first, tmp_path):
    file = repo / SIGN.path
    file.write_text("import os\n" + file.read_text())
    found = located(repo, first, tmp_path)
    assert (found.verdict, found.region) == (Verdict.MOVED, Region(SIGN.path, 13, 15))
    again = located(repo, first, tmp_path, objects=Nothing())
    assert (again.verdict, again.region, again.similarity) == (found.verdict, found.region, found.similarity)
    file.write_text("import re\n" + file.read_text())
    assert located(repo, first, tmp_path).region == Region(SIGN.path, 14, 16)


def test_a_place_in_another_file_is_not_remembered(repo, git, first, tmp_path):
    git(repo, "mv", SIGN.path, "src/auth/other.py")
    assert located(repo, first, tmp_path).region == Region("src/auth/other.py", 12, 14)
    with pytest.raises(AssertionError, match="git was asked"):
        located(repo, first, tmp_path, objects=Nothing())


@pytest.mark.parametrize("damage", [b"no database", b""])
def test_a_damaged_or_a_locked_memory_remembers_nothing_and_stops_nobody(repo, first, tmp_path, damage):
    (tmp_path / "followed.db").write_bytes(damage)
    other = sqlite3.connect(tmp_path / "followed.db")
    if not damage:
        other.execute("BEGIN EXCLUSIVE")
    assert located(repo, first, tmp_path).verdict is Verdict.FRESH
    other.close()


def test_a_memory_that_was_damaged_is_made_anew_by_the_next(repo, first, tmp_path):
    def moved():
        file = repo / SIGN.path
        file.write_text("import os\n" + file.read_text())
        return located(repo, first, tmp_path).region

    path = tmp_path / "followed.db"
    path.write_bytes(b"no database")
    assert moved() == Region(SIGN.path, 13, 15)  # and it is taken away
    assert moved() == Region(SIGN.path, 14, 16)
    assert located(repo, first, tmp_path, objects=Nothing()).region == Region(SIGN.path, 14, 16)
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))  # all after the first page
    assert moved() == Region(SIGN.path, 15, 17)
    assert moved() == Region(SIGN.path, 16, 18)
    assert located(repo, first, tmp_path, objects=Nothing()).region == Region(SIGN.path, 16, 18)


def test_a_path_that_is_no_text_is_remembered_too(tmp_path):
    key = Key("ab" * 20, "a\udcff.py", 1, 2, "cd" * 20)
    with Memory(tmp_path / "m.db") as memory:
        memory.put(key, Located(Verdict.EDITED, Region(key.path, 3, 4), 0.9, 0.5))
    with Memory(tmp_path / "m.db") as memory:
        assert memory.get(key) == Located(Verdict.EDITED, Region(key.path, 3, 4), 0.9, 0.5)
        assert memory.get(key._replace(blob="ef" * 20)) is None


def test_lines_of_a_commit_and_how_far_it_is_away_are_remembered_by_full_ids_alone(tmp_path, first):
    target = "ab" * 20
    with Memory(tmp_path / "followed.db") as memory:
        assert memory.was(first, SIGN) is None
        memory.put_was(first, SIGN, ["a", "", "c"])
        memory.put_was(first[:9], SIGN, ["a"])
        memory.put_was(first, Region(SIGN.path, 1, 1), ["half \udc80"])
        memory.put_behind(target, {first: 3, first[:9]: 4})
        memory.put_behind("HEAD", {first: 5})
    with Memory(tmp_path / "followed.db") as memory:
        assert memory.was(first, SIGN) == ["a", "", "c"]
        assert memory.was(first[:9], SIGN) is None
        assert memory.was(first, Region(SIGN.path, 1, 1)) is None
        assert memory.behind(target, [first, first[:9], "cd" * 20]) == {first: 3}
        assert memory.behind("HEAD", [first]) == {}


def test_lines_as_they_were_are_had_without_git_the_next_time(repo, first, tmp_path):
    for objects in (None, Nothing()):
        with (
            Memory(tmp_path / "followed.db") as memory,
            Regions(runs.discover(repo), objects=objects, memory=memory) as regions,
        ):
            assert [*regions.was(SIGN, first)] == (repo / SIGN.path).read_text().split("\n")[11:14]
