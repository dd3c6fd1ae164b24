"""What of a repository is another after a run: every kind of thing, and what is no difference."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scoutkit import config, git
from scoutkit.dispatch import copies, untouched


@pytest.fixture
def look(repo, tmp_path):
    """`look()` before, `look.after()` after; with what isolation."""
    return Looking(repo, tmp_path)


class Looking:
    def __init__(self, repo: Path, folder: Path, isolation: str = "none", cwd: Path | None = None) -> None:
        self.repository = git.discover(cwd or repo)
        self.places = config.places(self.repository, config.Settings())
        self.isolation = isolation
        self.records = folder / "records"
        self.records.mkdir(mode=0o700)

    def __call__(self) -> None:
        untouched.before(self.repository, self.places, self.records, self.isolation)

    def after(self) -> set[tuple[str, str]]:
        self.found = untouched.after(self.repository, self.places, self.records, self.isolation)
        return {(one.what, one.where) for one in self.found}


def work(repo: Path, command: str) -> None:
    subprocess.run(["sh", "-ec", command], cwd=repo, check=True, capture_output=True)


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("git update-ref refs/heads/topic HEAD", {("ref", "refs/heads/topic")}),
        ("git tag v1", {("ref", "refs/tags/v1")}),
        ("git branch -qD old", {("ref", "refs/heads/old"), ("reflog", "logs/refs/heads/old")}),
        ("git checkout -q --detach", {("HEAD", "HEAD")}),
        ("git config user.name X", {("config", "config")}),
        ("git config --global core.hooksPath /x", {("config", "~/.gitconfig")}),
        ("echo evil > .git/hooks/pre-commit", {("hook", "hooks/pre-commit")}),
        ("chmod +x .git/hooks/*.sample; chmod 777 .git/hooks/mine", {("hook", "hooks/mine")}),
        ("echo x >> .git/info/exclude", {("git file", "info/exclude")}),
        ("git stash push -q", {("stash", "refs/stash"), ("file", "README.md")}),
        ("git add README.md", {("index", "index")}),
        ("git commit -qam more", {("ref", "refs/heads/main"), ("index", "index")}),
        ("echo other > README.md", {("file", "README.md")}),
        ("git checkout -q README.md", {("file", "README.md")}),
        ("rm notes.txt", {("file", "notes.txt")}),
        ("echo more >> .env", {("file", ".env")}),
        ("rm .env", {("file", ".env")}),
        ("rm src/auth/signing.py", {("file", "src/auth/signing.py")}),
        ("chmod +x src/auth/signing.py", {("file", "src/auth/signing.py")}),
        ("mkdir -p a/b; echo x > a/b/c", {("file", "a/b/c")}),
        ("rm notes.txt; ln -s /etc/passwd notes.txt", {("file", "notes.txt")}),
        ("rm -r .git/worktrees/linked/logs; git worktree prune", {("reflog", "worktrees/linked/logs/HEAD")}),
        ("rm -r ../linked; git worktree prune", None),
        ("git reflog expire --expire=now --all; git gc -q --prune=now", None),
    ],
)
def test_each_kind_of_change_is_found_and_nothing_else(look, repo, git, command, found):
    prepare(repo, git)
    look()
    work(repo, command)
    seen = {(what, where.replace(os.environ["HOME"], "~")) for what, where in look.after()}
    if found is not None:
        assert seen == found
    elif "linked" in command:
        assert {"worktree", "HEAD"} <= {what for what, _ in seen}
    else:
        assert {"objects", "reflog"} <= {what for what, _ in seen}


@pytest.mark.parametrize(
    "command",
    [
        "true",
        "git status; touch README.md src/auth/signing.py; git status",
        "git pack-refs --all",
        "git log; git diff; git fetch -q . main",
        "mkdir -p .claude/notes .git/scoutkit; echo x > .claude/notes/2026-01-01-x.md; echo > .git/scoutkit/x.db",
        "mkdir empty",
        "mkdir -p build; echo x > build/more",
    ],
)
def test_what_is_as_before_is_no_difference(look, repo, git, command):
    prepare(repo, git)
    look()
    work(repo, command)
    assert look.after() == set()
    assert sorted(path.name for path in look.records.iterdir()) == ["changed.json"]


def prepare(repo: Path, git) -> None:
    """A repository that somebody works in: dirty, untracked and ignored files, a branch, a hook, a linked worktree."""
    (repo / ".gitignore").write_text(".env\nbuild/\n")
    git(repo, "add", ".")
    git(repo, "commit", "-qm", "second")
    git(repo, "branch", "old")
    git(repo, "worktree", "add", "-q", "--detach", repo.parent / "linked")
    (repo / "README.md").write_text("being changed\n")
    (repo / "notes.txt").write_text("mine\n")
    (repo / ".env").write_text("KEY=1\n")
    (repo / "build").mkdir()
    (repo / "build/out").write_text("x")
    (repo / ".git/hooks").mkdir(exist_ok=True)
    for sample in (repo / ".git/hooks").glob("*.sample"):
        sample.chmod(0o755)
    (repo / ".git/hooks/mine").write_text("#!/bin/sh\n")
    (repo / ".git/hooks/mine").chmod(0o755)


def test_a_reset_shows_every_file_that_it_took(look, repo, git):
    (repo / "new.txt").write_text("new\n")
    (repo / "README.md").write_text("second\n")
    git(repo, "add", ".")
    git(repo, "commit", "-qm", "second")
    look()
    git(repo, "reset", "-q", "--hard", "HEAD~1")
    assert {("ref", "refs/heads/main"), ("index", "index"), ("file", "new.txt"), ("file", "README.md")} == look.after()
    assert all(one.restorable for one in look.found)


def test_what_is_too_large_to_keep_is_noticed_and_said(look, repo, monkeypatch):
    monkeypatch.setattr("scoutkit.dispatch.seen.LARGEST", 100)
    (repo / "big.bin").write_bytes(b"x" * 1000)
    look()
    (repo / "big.bin").write_bytes(b"y" * 1000)
    assert look.after() == {("file", "big.bin")}
    assert "not kept" in look.found[0].why_not


def test_copies_are_for_the_users_eyes_and_go_when_nothing_changed(look, repo):
    (repo / ".env").write_text("KEY=1\n")
    look()
    kept = look.records / copies.KEPT
    assert kept.stat().st_mode & 0o077 == 0
    assert b"KEY=1" in kept.read_bytes()
    look.after()
    assert not kept.exists()


def test_only_copies_of_what_changed_stay(look, repo):
    (repo / "a.txt").write_text("aaaa\n")
    (repo / "b.txt").write_text("bbbb\n")
    look()
    (repo / "a.txt").write_text("other\n")
    look.after()
    assert (look.records / copies.KEPT).read_bytes() == b"aaaa\n"


def test_asked_again_it_says_what_it_said_the_first_time(look, repo):
    look()
    (repo / "x.txt").write_text("x")
    first = look.after()
    (repo / "y.txt").write_text("y")
    assert look.after() == first == {("file", "x.txt")}


@pytest.mark.parametrize("name", ["fingerprint.json", "kept"])
def test_records_that_an_agent_damaged_stop_nothing(look, repo, name):
    (repo / "a.txt").write_text("aaaa\n")
    (repo / "README.md").write_text("changed\n")
    look()
    work(repo, "git add README.md; git config user.name x; echo b > a.txt")
    (look.records / name).write_text("")
    assert look.after()
    assert {one.why_not != "" for one in look.found} == {True}
    assert copies.changed(look.records)[0]


def test_nobody_looked_before_so_nothing_is_said(look):
    assert look.after() == set()


@pytest.mark.parametrize(
    ("isolation", "loud"),
    [("none", {"x.txt", "hooks/a"}), ("landlock", {"hooks/a"}), ("bwrap", set())],
)
def test_what_isolation_keeps_away_is_not_blamed_on_the_agent(repo, tmp_path, isolation, loud):
    hook = repo / ".git/hooks/a"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\n")
    look = Looking(repo, tmp_path, isolation)
    look()
    hook.chmod(0o777)
    (repo / "x.txt").write_text("x")
    assert look.after() == {("file", "x.txt"), ("hook", "hooks/a")}
    assert {one.where for one in untouched.suspected(look.found, isolation)} == loud
    said = untouched.said(look.found, isolation, "run1")
    assert any("not by the agent" in line for line in said) == (isolation != "none")
    assert bool(untouched.section(look.found, isolation, "run1")) == bool(loud)


@pytest.mark.parametrize(
    ("command", "loud"), [("chmod +x README.md", True), (": > README.md", True), ("echo > README.md", False)]
)
def test_landlock_does_not_keep_modes_away_nor_emptying(repo, tmp_path, command, loud):
    look = Looking(repo, tmp_path, "landlock")
    look()
    work(repo, command)
    assert look.after() == {("file", "README.md")}
    assert bool(untouched.suspected(look.found, "landlock")) == loud
    assert look.found[0].restorable


def test_a_broken_configuration_is_said_and_stops_nothing(look, repo):
    look()
    (repo / ".git/config").write_text("[broken\n")
    assert {what for what, _ in look.after()} == {"config", "not looked at"}


def test_a_bare_repository_and_a_linked_worktree_are_looked_at(repo, git, tmp_path):
    git(tmp_path, "clone", "-q", "--bare", repo, "bare.git")
    bare = Looking(tmp_path / "bare.git", tmp_path)
    bare()
    git(tmp_path / "bare.git", "branch", "x", "main")
    assert bare.after() == {("ref", "refs/heads/x")}
    git(repo, "worktree", "add", "-q", "--detach", tmp_path / "linked")
    (tmp_path / "more").mkdir()
    linked = Looking(repo, tmp_path / "more", cwd=tmp_path / "linked")
    linked()
    (tmp_path / "linked/README.md").write_text("x\n")
    (repo / "README.md").write_text("y\n")
    assert linked.after() == {("file", "README.md")}
    assert {one.root for one in linked.found} == {str(repo), str(tmp_path / "linked")}


def test_before_the_first_commit(tmp_path, git):
    repo = tmp_path / "fresh"
    repo.mkdir()
    git(repo, "init", "-q")
    (repo / "a").write_text("a")
    look = Looking(repo, tmp_path)
    look()
    git(repo, "add", "a")
    git(repo, "commit", "-qm", "first")
    assert {("ref", "refs/heads/main"), ("index", "index")} == look.after()


names = st.text(st.characters(exclude_characters="/\0", exclude_categories=("Cs",)), min_size=1, max_size=40).filter(
    lambda name: name not in (".", "..") and name.lower() != ".git" and len(name.encode()) < 200
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=names, other=names)
def test_any_file_name_is_told_and_comes_back_from_disk(repo, tmp_path_factory, name, other):
    folder = tmp_path_factory.mktemp("names")
    path = repo / "sub" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("before")
    look = Looking(repo, folder)
    look()
    path.write_text("after, and longer")
    fresh = repo / "sub" / f"{other}\n{other}"
    fresh.write_text("x")
    found = look.after()
    assert ("file", f"sub/{name}") in found
    assert ("file", f"sub/{fresh.name}") in found
    assert copies.changed(look.records)[0] == look.found
    assert all("\n" not in line for line in untouched.said(look.found, "none", "r"))
    path.unlink()
    fresh.unlink()


def test_a_name_that_is_no_text_survives(look, repo):
    raw = os.fsencode(repo) + b"/caf\xe9\n.txt"
    look()
    Path(os.fsdecode(raw)).write_bytes(b"x")
    assert look.after() == {("file", os.fsdecode(b"caf\xe9\n.txt"))}
    assert copies.changed(look.records)[0] == look.found
