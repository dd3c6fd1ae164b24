"""What lies between a commit and what is to come: hunks of both sides."""

from __future__ import annotations

import pytest

from scoutkit import difference
from scoutkit import git as gitting
from scoutkit.difference import Hunk
from scoutkit.errors import RepositoryError
from scoutkit.model.notes import Region


@pytest.fixture
def odd(repo, git):
    """Files whose names and kinds git writes in ways of its own."""
    names = ('a b/x"y\tz.txt', "new\nline.txt", "ü.txt", "link.txt", "plain.txt")
    for name in names:
        (repo / name).parent.mkdir(exist_ok=True)
        (repo / name).write_text("".join(f"{number}\n" for number in range(1, 21)))
    (repo / "binary").write_bytes(b"a\0b")
    git(repo, "add", ".")
    git(repo, "commit", "-qm", "odd")
    return repo


def hunks(repo, revision="", **options):
    return set(difference.between(gitting.discover(repo), revision, **options).hunks)


def edit(path, old, new):
    path.write_text(path.read_text().replace(old, new, 1))


@pytest.mark.parametrize("staged", [True, False])
def test_every_name_and_kind_of_change_is_read(odd, git, staged):
    edit(odd / 'a b/x"y\tz.txt', "5\n", "five\n+++ b/other\n@@ -1 +1 @@\n")
    edit(odd / "new\nline.txt", "7\n8\n", "")
    edit(odd / "ü.txt", "20\n", "20\n21")
    (odd / "link.txt").unlink()
    (odd / "link.txt").symlink_to("plain.txt")
    (odd / "plain.txt").chmod(0o755)
    (odd / "binary").write_bytes(b"a\0c")
    git(odd, "config", "diff.noprefix", "true")
    git(odd, "config", "core.quotePath", "true")
    if staged:
        git(odd, "add", "-A")
    found = hunks(odd, "" if staged else "HEAD", staged=staged)
    assert found == {
        Hunk('a b/x"y\tz.txt', 5, 1, 'a b/x"y\tz.txt', 5, 3),
        Hunk("new\nline.txt", 7, 2, "new\nline.txt", 6, 0),
        Hunk("ü.txt", 20, 0, "ü.txt", 21, 1),
        Hunk("link.txt", 1, 20, "", 0, 0),
        Hunk("", 0, 0, "link.txt", 1, 1),
    }


def test_a_renamed_file_has_both_names(odd, git):
    git(odd, "mv", "plain.txt", "other.txt")
    edit(odd / "other.txt", "3\n", "three\n")
    assert hunks(odd, "HEAD") == {Hunk("plain.txt", 3, 1, "other.txt", 3, 1)}


def test_a_file_in_conflict_hides_no_other(odd, git):
    git(odd, "branch", "side")
    for branch, text in (("main", "one\n"), ("side", "two\n")):
        git(odd, "checkout", "-q", branch)
        edit(odd / "plain.txt", "1\n", text)
        edit(odd / "ü.txt", "9\n", "9\n" if branch == "side" else "nine\n")
        git(odd, "commit", "-qam", branch)
    with pytest.raises(Exception, match="merge"):
        git(odd, "merge", "main")
    assert Hunk("ü.txt", 9, 1, "ü.txt", 9, 1) in hunks(odd, staged=True)


def test_ranges_are_of_two_commits(odd, git):
    git(odd, "checkout", "-qb", "topic", "HEAD~1")
    (odd / "new.txt").write_text("x\n")
    git(odd, "add", "new.txt")
    git(odd, "commit", "-qm", "topic")
    assert hunks(odd, "main...topic") == hunks(odd, "main...") == {Hunk("", 0, 0, "new.txt", 1, 1)}
    assert Hunk("plain.txt", 1, 20, "", 0, 0) in hunks(odd, "main..topic")
    git(odd, "checkout", "-q", "--orphan", "other")
    git(odd, "commit", "-qm", "other")
    with pytest.raises(RepositoryError, match="nothing in common"):
        hunks(odd, "main...other")
    with pytest.raises(RepositoryError, match="no such revision: nosuch"):
        hunks(odd, "nosuch")


def test_before_the_first_commit_all_that_is_staged_is_new(tmp_path, git):
    git(tmp_path, "init", "-q")
    (tmp_path / "a.txt").write_text("x\n")
    git(tmp_path, "add", "a.txt")
    assert hunks(tmp_path, staged=True) == {Hunk("", 0, 0, "a.txt", 1, 1)}


def test_a_hunk_knows_what_it_has_in_common_with_lines():
    hunk = Hunk("a.py", 5, 2, "b.py", 10, 0)
    assert [hunk.takes(Region("a.py", *lines)) for lines in ((1, 4), (1, 5), (5, 6), (6, 9), (7, 9))] == [0, 1, 2, 1, 0]
    assert hunk.takes(Region("b.py", 5, 6)) == hunk.gives(Region("b.py", 9, 12)) == hunk.takes(None) == 0
