"""Which edits a run shows to be taken back."""

from __future__ import annotations

import pytest

from scoutkit.harvest import given_up
from scoutkit.harvest.events import Did
from scoutkit.model.evidence import Ran, Touched


def taken_back(*commands: str, ok: bool = True, touched: tuple[Touched, ...] = ()) -> list[str]:
    did = Did()
    did.ran += [Ran(command, 0 if ok else 1, 0.1, ok=ok) for command in commands]
    base = {"a.py": "one\n", "b c.py": "two\n"}
    return [one.what for one in given_up.edits(did, touched, base.get)]


@pytest.mark.parametrize(
    "command",
    [
        "git checkout -- a.py",
        "git checkout HEAD -- a.py",
        "git restore a.py",
        "make test; git checkout -q -- a.py && make",
    ],
)
def test_a_file_that_git_put_back_is_an_edit_taken_back(command):
    assert taken_back("sed -i s/one/two/ a.py", command, command) == ["a.py"]


def test_a_quoted_name_is_one_file():
    assert taken_back("git checkout -- 'b c.py' a.py") == ["b c.py", "a.py"]


@pytest.mark.parametrize(
    "command",
    ["git checkout -b a.py", "git restore --staged a.py", "git checkout -- gone.py", "echo git checkout -- a.py", "ls"],
)
def test_what_puts_nothing_back_is_none(command):
    assert taken_back(command) == []


def test_one_that_failed_or_whose_file_differs_in_the_end_is_none():
    assert taken_back("git restore a.py", ok=False) == []
    assert taken_back("git restore a.py", touched=(Touched("a.py", "modified", 1, 1),)) == []
