"""`.worktreeinclude`: ignored files that it names are in the worktree, nothing else is, and no byte goes elsewhere."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from scoutkit import git as git_module
from scoutkit.dispatch import included, reflink, worktree


@pytest.fixture
def lend(repo, git):
    """A worktree of HEAD, filled with what `include` names; `ignore` goes into .gitignore, `files` beside it."""
    made = []

    def call(include, ignore, files=(), *, most=included.MOST, commit=()):
        for name, text in [(".gitignore", ignore), *commit]:
            (repo / name).parent.mkdir(parents=True, exist_ok=True)
            (repo / name).write_text(text)
        git(repo, "add", ".")
        git(repo, "commit", "-q", "-m", "more")
        for name, text in [(included.NAME, include), *files]:
            (repo / name).parent.mkdir(parents=True, exist_ok=True)
            (repo / name).write_text(text)
        repository = git_module.discover(repo)
        checkout = worktree.borrow(repository, git(repo, "rev-parse", "HEAD").strip(), f"r{len(made)}")
        made.append(checkout)
        return checkout.worktree, included.copy(repository, checkout.worktree, checkout.shadow, most=most)

    return call


def test_ignored_files_that_it_names_are_copied_with_mode_and_time(lend, repo):
    (repo / "bin").mkdir()
    (repo / "bin/tool").write_text("#!/bin/sh\n")
    (repo / "bin/tool").chmod(0o750)
    os.utime(repo / "bin/tool", (1_000_000_000, 1_000_000_000))
    tree, found = lend(".env.local\nbin/\n", ".env*\nbin\nlog\n", [(".env.local", "A=1\n"), ("log", "x")])
    assert (tree / ".env.local").read_text() == "A=1\n"
    status = (tree / "bin/tool").stat()
    assert (stat.S_IMODE(status.st_mode), status.st_mtime) == (0o750, 1_000_000_000)
    assert not (tree / "log").exists()
    assert sorted(found.paths) == [".env.local", "bin/tool"]
    assert ".env.local, bin/tool" in found.said[0]


def test_without_the_file_nothing_is_copied_and_nothing_said(lend, repo):
    tree, found = lend("", ".env\n", [(".env", "A=1\n")])
    assert (found.paths, found.said) == ([], [])
    assert not (tree / ".env").exists()


def test_its_syntax_is_gitignores(lend):
    files = [("a/x.cache", ""), ("b/x.cache", ""), ("b/keep.cache", ""), ("b/#odd.cache", "")]
    _, found = lend("# caches\n*.cache\n!keep.cache\n/a/\n", "*.cache\n", files)
    assert sorted(found.paths) == ["a/x.cache", "b/#odd.cache", "b/x.cache"]


def test_what_git_does_not_ignore_is_not_copied_and_said(lend):
    tree, found = lend("*.txt\n", "secret.txt\n", [("secret.txt", "1"), ("draft.txt", "2")])
    assert found.paths == ["secret.txt"]
    assert not (tree / "draft.txt").exists()
    assert any("git does not ignore them: draft.txt" in line for line in found.said)


def test_a_file_of_the_commit_stays_as_it_is(lend, repo, git):
    (repo / "settings.py").write_text("committed\n")
    git(repo, "add", "settings.py")
    git(repo, "commit", "-q", "-m", "settings")
    base = git(repo, "rev-parse", "HEAD").strip()
    git(repo, "rm", "-q", "--cached", "settings.py")
    (repo / ".gitignore").write_text("settings.py\n")
    git(repo, "add", ".gitignore")
    git(repo, "commit", "-q", "-m", "no settings")
    (repo / "settings.py").write_text("mine\n")
    (repo / included.NAME).write_text("settings.py\n")
    repository = git_module.discover(repo)
    checkout = worktree.borrow(repository, base, "old")
    found = included.copy(repository, checkout.worktree, checkout.shadow)
    assert (checkout.worktree / "settings.py").read_text() == "committed\n"
    assert any("the commit has them: settings.py" in line for line in found.said)


@pytest.mark.parametrize(
    ("target", "goes"),
    [
        ("real", True),
        ("../cache/real", True),
        ("../../outside", False),
        ("/etc/passwd", False),
        ("../../repo/cache/real", False),
    ],
)
def test_a_link_is_copied_as_one_unless_it_leads_out(lend, repo, target, goes):
    (repo.parent / "outside").write_text("theirs\n")
    (repo / "cache").mkdir()
    (repo / "cache/link").symlink_to(target)
    tree, found = lend("cache/\n", "cache\n", [("cache/real", "r\n")])
    assert (tree / "cache/link").is_symlink() is goes
    assert ("cache/link" in found.paths) is goes
    assert any("links that lead out: cache/link" in line for line in found.said) is not goes
    if goes:
        assert Path(os.path.realpath(tree / "cache/link")) == tree / "cache/real"


def test_a_link_in_the_commit_leads_no_copy_out_of_the_worktree(repo, git, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (repo / "cache").symlink_to(outside)
    git(repo, "add", ".")
    git(repo, "commit", "-q", "-m", "link")
    base = git(repo, "rev-parse", "HEAD").strip()
    (repo / "cache").unlink()
    (repo / "cache/deep").mkdir(parents=True)
    (repo / "cache/deep/x").write_text("x")
    (repo / ".git/info/exclude").write_text("cache/\n.worktreeinclude\n")
    git(repo, "rm", "-q", "--cached", "cache")
    (repo / included.NAME).write_text("cache/\n")
    repository = git_module.discover(repo)
    checkout = worktree.borrow(repository, base, "r")
    found = included.copy(repository, checkout.worktree, checkout.shadow)
    assert found.paths == []
    assert list(outside.iterdir()) == []
    assert any("a link on the way there" in line for line in found.said)


def test_what_is_more_than_the_cap_is_left_out_and_said(lend):
    files = [("a.bin", "x" * 60), ("b.bin", "y" * 60), ("c.bin", "z" * 30)]
    tree, found = lend("*.bin\n", "*.bin\n", files, most=100)
    if found.taken == 0:
        pytest.skip("this file system shares blocks: nothing is copied")
    assert found.paths == ["a.bin", "c.bin"]
    assert not (tree / "b.bin").exists()
    assert any("more than 100 bytes in all: b.bin" in line for line in found.said)


def test_pipes_are_not_read(lend, repo):
    os.mkfifo(repo / "pipe.bin")
    _, found = lend("*.bin\n", "*.bin\n", [("a.bin", "x")])
    assert found.paths == ["a.bin"]


def test_repositories_in_it_are_left_out_and_said(lend, repo, git):
    (repo / "vendor/lib").mkdir(parents=True)
    git(repo / "vendor/lib", "init", "-q")
    _, found = lend("vendor/\n", "vendor\n", [("vendor/lib/a", "x"), ("vendor/b", "x")])
    assert found.paths == ["vendor/b"]
    assert any("repositories of their own: vendor/lib/" in line for line in found.said)


def test_what_was_copied_is_no_change_even_where_only_the_user_ignores_it(lend, repo, git):
    (repo / ".git/info/exclude").write_text("*.odd\n")
    names = ["a b.odd", "star*.odd", "#x.odd", "[y].odd", "trailing .odd", "é.odd"]
    tree, found = lend("*.odd\n.worktreeinclude\n", "/nothing\n.worktreeinclude\n", [(name, "x") for name in names])
    assert set(names) <= set(found.paths)
    assert git(tree, "status", "--porcelain") == ""
    (tree / "star2.odd").write_text("new")
    assert "star2.odd" in git(tree, "status", "--porcelain")


def test_it_is_remembered_among_the_records(tmp_path):
    found = included.Included(tmp_path / "src", ["a", "b\udce9"])
    included.remember(tmp_path / "records", found)
    assert included.remembered(tmp_path / "records").files == found.files
    assert included.remembered(tmp_path / "none").paths == []


def test_a_copy_that_fails_leaves_nothing(tmp_path):
    (tmp_path / "old").write_bytes(b"x" * 50)
    with pytest.raises(OSError, match="larger"):
        reflink._copy(os.open(tmp_path / "old", os.O_RDONLY), os.open(tmp_path / "n", os.O_WRONLY | os.O_CREAT), 50, 10)
    (tmp_path / "new").write_text("there")
    with pytest.raises(FileExistsError):
        reflink.copy(tmp_path / "old", tmp_path / "new", room=100)
    assert (tmp_path / "new").read_text() == "there"
