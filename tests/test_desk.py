"""The desk: paths as people type them, ignored notes."""

from __future__ import annotations

import pytest

from scoutkit.desk import Desk


@pytest.mark.parametrize(
    ("folder", "typed", "means"),
    [
        ("", "src/auth/signing.py", "src/auth/signing.py"),
        ("src/auth", "signing.py", "src/auth/signing.py"),
        ("src/auth", "src/auth/signing.py", "src/auth/signing.py"),
        ("src/auth", "../auth/", "src/auth"),
        ("src", ".", "src"),
        ("", "./src//auth", "src/auth"),
        ("", "no/such.py", "no/such.py"),
        ("", "src\\auth\\signing.py", "src/auth/signing.py"),
        ("", "../outside.py", "../outside.py"),
    ],
)
def test_a_typed_path_is_taken_from_where_one_stands_or_from_the_root(repo, folder, typed, means):
    assert Desk.open(repo / folder).relative(typed) == means


def test_an_absolute_path_inside_the_repository(repo):
    assert Desk.open(repo).relative(str(repo / "README.md")) == "README.md"


def test_ignored_notes_are_noticed_with_their_rule(repo):
    assert Desk.open(repo).notes_ignored() == ""
    (repo / ".gitignore").write_text("*.log\n.claude/notes/\n")
    assert Desk.open(repo).notes_ignored() == ".gitignore:2:.claude/notes/"
