from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from scoutkit import git as scout
from scoutkit.errors import ScoutError
from scoutkit.snapshot import Snapshot

Git = Callable[..., str]
ODD = ["with space", 'quo\'te "double"', "naïve-日本", "new\nline", "-dash", "back\\slash", "[glob]*"]


def head(git: Git, where: Path) -> str:
    return git(where, "rev-parse", "HEAD").strip()


def error(call: Callable[[], object]) -> ScoutError:
    with pytest.raises(ScoutError) as caught:
        call()
    assert "\n" not in caught.value.message
    assert caught.value.hint
    return caught.value


# discover


def test_a_sub_folder_knows_its_repository_and_prefix(repo: Path) -> None:
    found = scout.discover(repo / "src" / "auth")
    assert (found.toplevel, found.main, found.prefix) == (repo, repo, "src/auth/")
    assert (found.git_dir, found.common_dir, found.bare) == (repo / ".git", repo / ".git", False)


def test_a_linked_worktree_knows_the_main_one(repo: Path, git: Git, tmp_path: Path) -> None:
    git(repo, "worktree", "add", "-q", "--detach", tmp_path / "linked")
    found = scout.discover(tmp_path / "linked" / "src")
    assert (found.toplevel, found.main, found.bare) == (tmp_path / "linked", repo, False)
    assert (found.common_dir, found.git_dir) == (repo / ".git", repo / ".git" / "worktrees" / "linked")


def test_inside_the_git_folder_there_is_a_main_worktree_but_no_toplevel(repo: Path) -> None:
    found = scout.discover(repo / ".git" / "refs")
    assert (found.toplevel, found.main, found.bare) == (None, repo, False)


def test_a_submodule_is_a_repository_of_its_own(repo: Path, git: Git, tmp_path: Path) -> None:
    outer = tmp_path / "outer"
    git(tmp_path, "init", "-q", outer)
    git(outer, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", repo, "deps/inner")
    found = scout.discover(outer / "deps" / "inner" / "src")
    assert found.toplevel == found.main == outer / "deps" / "inner"
    assert found.common_dir == outer / ".git" / "modules" / "deps" / "inner"


def test_a_submodules_main_worktree_is_found_from_a_linked_one_also_with_per_worktree_settings(
    repo: Path, git: Git, tmp_path: Path
) -> None:
    outer = tmp_path / "outer"
    git(tmp_path, "init", "-q", outer)
    git(outer, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", repo, "inner")
    git(outer / "inner", "worktree", "add", "-q", "--detach", tmp_path / "linked")
    assert scout.discover(tmp_path / "linked").main == outer / "inner"
    git(outer / "inner", "sparse-checkout", "set", "src")  # moves core.worktree to config.worktree
    assert "worktree = " not in (outer / ".git/modules/inner/config").read_text()
    assert scout.discover(tmp_path / "linked").main == outer / "inner"


def test_a_bare_repository_has_no_worktree(repo: Path, git: Git, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", repo, "bare.git")
    found = scout.discover(tmp_path / "bare.git" / "refs")
    assert (found.bare, found.toplevel, found.main) == (True, None, None)
    assert found.git_dir == tmp_path / "bare.git"


def test_a_linked_worktree_of_a_bare_repository_has_no_main_one(repo: Path, git: Git, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", repo, "project/.git")
    git(tmp_path / "project", "worktree", "add", "-q", "--detach", "wt")
    git(tmp_path / "project" / "wt", "sparse-checkout", "set", "src")  # moves core.bare to config.worktree
    found = scout.discover(tmp_path / "project" / "wt")
    assert (found.toplevel, found.main) == (tmp_path / "project" / "wt", None)


def test_a_separate_git_folder(repo: Path, git: Git, tmp_path: Path) -> None:
    git(repo, "init", "-q", "--separate-git-dir", tmp_path / "elsewhere")
    found = scout.discover(repo / "src")
    assert (found.toplevel, found.main, found.common_dir) == (repo, repo, tmp_path / "elsewhere")


@pytest.mark.parametrize("name", ODD)
def test_any_path_is_understood(repo: Path, git: Git, tmp_path: Path, name: str) -> None:
    moved = tmp_path / name / "repo"
    moved.parent.mkdir()
    repo.rename(moved)
    (moved / name).mkdir()
    found = scout.discover(moved / name)
    assert (found.toplevel, found.git_dir, found.prefix) == (moved, moved / ".git", f"{name}/")
    assert scout.resolve(found, "HEAD") == head(git, moved)


def test_a_path_through_a_link_is_the_real_one(repo: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(repo / "src")
    assert scout.discover(tmp_path / "link").toplevel == repo


def test_git_variables_in_the_environment_never_redirect(
    repo: Path, git: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(tmp_path, "init", "-q", "other")
    expected = head(git, repo)
    other = tmp_path / "other"
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other))
    monkeypatch.setenv("GIT_COMMON_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / "index"))
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(other / "objects"))
    monkeypatch.setenv("GIT_NAMESPACE", "other")
    monkeypatch.setenv("GIT_PREFIX", "other/")
    monkeypatch.setenv("GIT_CONFIG_PARAMETERS", "'core.bare=true'")
    found = scout.discover(repo)
    assert (found.toplevel, found.bare) == (repo, False)
    assert scout.resolve(found, "HEAD") == expected


def test_where_git_must_not_look_further_up_is_respected(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(repo))
    assert "not in a git repository" in error(lambda: scout.discover(repo / "src")).message


def test_no_repository(tmp_path: Path) -> None:
    told = error(lambda: scout.discover(tmp_path))
    assert (told.message, told.exit_code) == (f"not in a git repository: {tmp_path}", 3)
    assert "git init" in told.hint


def test_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for where in (tmp_path / "missing", tmp_path / "file"):
        told = error(lambda where=where: scout.discover(where))
        assert (told.message, told.exit_code) == (f"no such folder: {where}", 3)


def test_a_worktree_whose_repository_moved_away_says_how_to_mend_it(repo: Path, git: Git, tmp_path: Path) -> None:
    git(repo, "worktree", "add", "-q", "--detach", tmp_path / "linked")
    repo.rename(tmp_path / "moved")
    told = error(lambda: scout.discover(tmp_path / "linked"))
    assert told.message.startswith(f"{tmp_path}/linked belongs to a repository that is not there: ")
    assert "git worktree repair" in told.hint
    git(tmp_path / "moved", "worktree", "repair", tmp_path / "linked")  # the hint helps
    assert scout.discover(tmp_path / "linked").main == tmp_path / "moved"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a repository to somebody else")
@pytest.mark.parametrize("name", ["plain", "quo'te"])
def test_somebody_elses_repository_needs_gits_permission(repo: Path, git: Git, tmp_path: Path, name: str) -> None:
    theirs = repo.rename(tmp_path / name)
    for folder, _, _ in os.walk(theirs):
        os.chown(folder, 12345, 12345)
    told = error(lambda: scout.discover(theirs / "src"))
    assert told.message == f"git does not trust {theirs}: it belongs to another user"
    assert told.exit_code == 3
    os.system(told.hint.removeprefix("if you do: "))
    found = scout.discover(theirs / "src")
    assert scout.resolve(found, "HEAD") == head(git, theirs)


def test_a_bare_repository_that_git_may_not_use(repo: Path, git: Git, tmp_path: Path, home: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", repo, "bare.git")
    git(tmp_path, "config", "--global", "safe.bareRepository", "explicit")
    told = error(lambda: scout.discover(tmp_path / "bare.git"))
    assert "safe.bareRepository" in told.message
    assert "worktrees" in told.hint


def test_what_git_does_not_know_is_told_in_its_words(repo: Path, git: Git) -> None:
    git(repo, "config", "core.repositoryformatversion", "1")
    git(repo, "config", "extensions.wonder", "true")
    assert error(lambda: scout.discover(repo)).message.endswith("unknown repository extension found: wonder")


def test_odd_settings_of_the_worktree(repo: Path, git: Git, tmp_path: Path) -> None:
    git(repo, "config", "core.bare", "true")
    found = scout.discover(repo)
    assert (found.bare, found.toplevel, found.main) == (True, None, None)
    git(repo, "config", "core.bare", "false")
    git(repo, "config", "core.worktree", tmp_path / "missing")
    found = scout.discover(repo)
    assert (found.bare, found.toplevel, found.main) == (False, None, None)
    (tmp_path / "missing").mkdir()
    assert scout.discover(repo).main == tmp_path / "missing"


# resolve


def test_names_of_commits(repo: Path, git: Git) -> None:
    git(repo, "tag", "-a", "-m", "annotated", "v1")
    git(repo, "branch", "release/x")
    git(repo, "branch", "HEAD-not")
    found, commit = scout.discover(repo), head(git, repo)
    for name in ("HEAD", "@", "main", "v1", "release/x", "HEAD-not", commit, commit[:7], "refs/heads/main", ":/first"):
        assert scout.resolve(found, name) == commit


def test_a_commit_is_found_from_a_folder_without_files_of_it(repo: Path, git: Git) -> None:
    (repo / "new").mkdir()
    assert scout.resolve(scout.discover(repo / "new"), "HEAD") == head(git, repo)


@pytest.mark.parametrize("revision", ["HEAD", "main", "v1"])
def test_no_commit_yet(tmp_path: Path, git: Git, revision: str) -> None:
    git(tmp_path, "init", "-q")
    told = error(lambda: scout.resolve(scout.discover(tmp_path), revision))
    assert (told.message, told.exit_code) == ("the repository has no commit yet", 3)
    assert "git commit" in told.hint


@pytest.mark.parametrize("revision", ["nope", "", "--all", "-n1", "main..main", "a\0b", "HEAD~9", "0" * 40, "é\udcff"])
def test_an_unknown_base(repo: Path, revision: str) -> None:
    told = error(lambda: scout.resolve(scout.discover(repo), revision))
    assert (told.message, told.exit_code) == (f"no such revision: {revision}", 3)
    assert "git log" in told.hint


def test_an_unborn_branch_beside_others(repo: Path, git: Git) -> None:
    git(repo, "checkout", "-q", "--orphan", "fresh")
    found = scout.discover(repo)
    told = error(lambda: scout.resolve(found, "HEAD"))
    assert told.message == "HEAD points to no commit"
    assert "--base" in told.hint
    assert error(lambda: scout.resolve(found, "nope")).message == "no such revision: nope"
    assert scout.resolve(found, "main")


def test_what_is_no_commit(repo: Path, git: Git) -> None:
    git(repo, "tag", "-a", "-m", "x", "readme", "HEAD:README.md")
    found = scout.discover(repo)
    for name in ("readme", git(repo, "rev-parse", "HEAD^{tree}").strip()):
        assert error(lambda name=name: scout.resolve(found, name)).message == f"not a commit: {name}"


def test_too_few_digits(repo: Path, git: Git, tmp_path: Path) -> None:
    stream = "".join(
        f"commit refs/heads/many\ncommitter A <a@example.org> {number} +0000\ndata 0\n" for number in range(1500)
    )
    done = scout.git(repo, "fast-import", "--quiet", stdin=stream.encode())
    assert done.code == 0
    ids = git(repo, "rev-list", "many").split()
    short = {commit[:4] for commit in ids if sum(other[:4] == commit[:4] for other in ids) > 1}.pop()
    told = error(lambda: scout.resolve(scout.discover(repo), short))
    assert told.message == f"more than one object is called {short}"


# running git


def test_no_hook_and_no_monitor_runs(repo: Path, git: Git, tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    for hook in (repo / ".git/hooks/post-index-change", tmp_path / "monitor"):
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\ntouch {trap}\n")
        hook.chmod(0o755)
    with (repo / ".git/config").open("a") as config:
        config.write(f"[core]\n\tfsmonitor = {tmp_path}/monitor\n")
    (repo / "README.md").write_text("changed\n")
    scout.output(repo, "status")
    scout.output(repo, "add", "README.md")
    assert not trap.exists()
    git(repo, "status")
    assert trap.exists()  # they would have


def test_reading_takes_no_lock_and_writes_nothing(repo: Path) -> None:
    before = (repo / ".git/index").stat().st_mtime_ns
    os.utime(repo / "README.md", ns=(1, 1))
    scout.output(repo, "status")
    assert (repo / ".git/index").stat().st_mtime_ns == before


def test_two_at_once(repo: Path, git: Git) -> None:
    first, second = scout.begin(repo, "rev-parse", "HEAD"), scout.begin(repo, "no-such-command")
    assert second().code == 1
    assert first().text.strip() == head(git, repo)


def test_git_is_missing(repo: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    told = error(lambda: scout.discover(repo))
    assert (told.message, told.exit_code) == ("git is not installed", 5)


# reading a commit


def test_a_commits_files_whatever_they_are_called(repo: Path, git: Git) -> None:
    for name in ODD:
        (repo / name).write_text(name)
    (repo / "link").symlink_to("README.md")
    os.close(os.open(os.fsencode(repo) + b"/\xff", os.O_CREAT))
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "odd")
    shutil.rmtree(repo / "src")  # the working tree does not matter
    with Snapshot(repo, head(git, repo)) as snapshot:
        assert [snapshot.text(name) for name in ODD] == ODD
        assert snapshot.text("\udcff") == ""
        assert snapshot.blob("link") is None
        assert snapshot.blob("src") is None
        assert snapshot.lines("README.md") == ["# Sessions", "", "Cookies are signed."]
        assert "src/auth/signing.py" in snapshot.entries


def test_binary_and_undecodable_files(repo: Path, git: Git) -> None:
    (repo / "binary").write_bytes(b"a\0b")
    (repo / "latin").write_bytes(b"caf\xe9\r\nform\x0cfeed\r\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "bytes")
    with Snapshot(repo, head(git, repo)) as snapshot:
        assert snapshot.text("binary") is None
        assert snapshot.blob("binary") == b"a\0b"
        assert snapshot.lines("latin") == ["caf\ufffd", "form\x0cfeed"]


def test_the_commit_at_head_is_read_without_git_where_it_is_written(repo, git, tmp_path, monkeypatch):
    commit = git(repo, "rev-parse", "HEAD").strip()
    here = scout.discover(repo)
    git(repo, "worktree", "add", "-q", "--detach", tmp_path / "other", commit)
    git(repo, "commit", "-q", "--allow-empty", "-m", "second")
    second = git(repo, "rev-parse", "HEAD").strip()
    other = scout.discover(tmp_path / "other")
    monkeypatch.setenv("PATH", "")
    assert (scout.head(here), scout.head(other)) == (second, commit)
    monkeypatch.undo()
    git(repo, "pack-refs", "--all")
    assert scout.head(here) == second
    git(repo, "checkout", "-q", "--orphan", "unborn")
    assert scout.head(here) == ""
    git(repo, "checkout", "-q", "main")
    (repo / ".git/shallow").write_text(f"{commit}\n")
    assert scout.head(here) == ""
