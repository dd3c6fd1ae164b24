from __future__ import annotations

import json
import os
import stat
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from waiting import until

from scoutkit import git as scout
from scoutkit import process
from scoutkit.config import user_state
from scoutkit.dispatch import worktree
from scoutkit.errors import Interrupted, Refused, RepositoryError, ScoutError, Unavailable

Git = Callable[..., str]


def everything(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    """Every file below a folder: mode, time of change, content."""
    found = {}
    for base, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = Path(base, name)
            status = path.lstat()
            content = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
            found[str(path)] = (status.st_mode, status.st_mtime_ns, content)
    return found


def borrow(where: Path, run_id: str = "run1", base: str = "HEAD", **options: bool) -> worktree.Checkout:
    repository = scout.discover(where)
    return worktree.borrow(repository, scout.resolve(repository, base), run_id, **options)


def give_back(checkout: worktree.Checkout, where: Path) -> None:
    worktree.remove(checkout.folder, common_dir=scout.discover(where).common_dir)


def deleted(path: Path) -> bool:
    """Wait for the background deletion."""
    return until(lambda: not os.path.lexists(path))


def trash() -> list[Path]:
    return list((user_state() / "trash").glob("*"))


# making one


def test_it_holds_the_commit_and_is_detached(repo: Path, git: Git) -> None:
    (repo / "README.md").write_text("not committed\n")
    made = borrow(repo)
    assert (made.worktree.name, made.worktree.parent, made.folder.name) == ("repo", made.folder, "run1")
    assert made.folder == worktree.folder_of("run1") == user_state() / "runs" / "run1"
    assert (made.worktree / "README.md").read_text() == "# Sessions\n\nCookies are signed.\n"
    assert git(made.worktree, "status", "--porcelain=v2", "--branch").splitlines() == [
        f"# branch.oid {git(repo, 'rev-parse', 'HEAD').strip()}",
        "# branch.head (detached)",
    ]
    assert made.skipped == ()
    assert list(made.scratch.iterdir()) == []


def test_an_older_base(repo: Path, git: Git) -> None:
    (repo / "README.md").write_text("two\n")
    git(repo, "commit", "-qam", "second")
    made = borrow(repo, base="HEAD~1")
    assert (made.worktree / "README.md").read_text().startswith("# Sessions")
    assert git(made.worktree, "rev-parse", "HEAD") == git(repo, "rev-parse", "HEAD~1")


def test_nothing_of_the_users_is_written(repo: Path, git: Git) -> None:
    (repo / "README.md").write_text("stashed\n")
    git(repo, "stash")
    git(repo, "branch", "topic")
    os.utime(repo / "README.md", ns=(1, 1))  # git would refresh its index if it could
    before = everything(repo)
    made = borrow(repo)
    give_back(made, repo)
    assert everything(repo) == before


def test_what_an_agent_does_with_git_stays_in_the_shadow(repo: Path, git: Git) -> None:
    git(repo, "branch", "topic")
    before = everything(repo)
    made = borrow(repo)
    (made.worktree / "README.md").write_text("by an agent\n")
    git(made.worktree, "switch", "-q", "-c", "mine")
    git(made.worktree, "commit", "-qam", "an agent's")
    git(made.worktree, "branch", "-D", "topic")
    git(made.worktree, "tag", "v9")
    (made.worktree / "README.md").write_text("more\n")
    git(made.worktree, "stash")
    git(made.worktree, "config", "core.bare", "true")
    git(made.worktree, "config", "user.name", "An Agent")
    git(made.worktree, "worktree", "prune")
    git(made.worktree, "gc", "-q", "--prune=now")
    assert {path: (mode, content) for path, (mode, _, content) in everything(repo).items()} == {
        path: (mode, content) for path, (mode, _, content) in before.items()
    }


def test_an_agent_can_commit_without_any_identity_or_signing_key(repo: Path, git: Git, home: Path) -> None:
    (home / ".gitconfig").write_text("[commit]\n\tgpgsign = true\n[gpg]\n\tprogram = false\n")
    made = borrow(repo)
    bare = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    commit = ["git", "commit", "-q", "--allow-empty", "-m", "x"]
    assert subprocess.run(commit, cwd=made.worktree, env=bare, check=False).returncode == 0


def test_the_shadow_has_the_refs_but_no_stash_remote_or_hook(repo: Path, git: Git) -> None:
    (repo / "README.md").write_text("stashed\n")
    git(repo, "stash")
    git(repo, "tag", "-a", "-m", "annotated", "v1")
    git(repo, "branch", "release/x")
    git(repo, "update-ref", "refs/scoutkit/x", "HEAD")
    git(repo, "remote", "add", "origin", "https://user:secret@example.org/x.git")
    git(repo, "config", "alias.st", "!touch trap")
    git(repo, "pack-refs", "--all")
    git(repo, "branch", "loose")
    made = borrow(repo)
    refs = git(made.worktree, "for-each-ref", "--format=%(refname)").split()
    assert refs == ["refs/heads/loose", "refs/heads/main", "refs/heads/release/x", "refs/tags/v1"]
    assert git(made.worktree, "rev-parse", "v1^{commit}") == git(repo, "rev-parse", "HEAD")
    own = git(made.worktree, "config", "--local", "--list")
    assert "remote" not in own
    assert "alias" not in own
    assert not (made.shadow / "hooks").exists()


def test_the_folders_are_private(repo: Path) -> None:
    user_state().mkdir(parents=True, mode=0o755)
    user_state().chmod(0o755)
    made = borrow(repo)
    for folder in (user_state(), made.folder.parent, made.folder, made.scratch):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700, folder


def test_the_state_folder_may_be_a_link(repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "link"))
    made = borrow(repo)
    assert made.folder == tmp_path / "real" / "scoutkit" / "runs" / "run1"
    give_back(made, repo)
    assert not made.folder.exists()


def test_without_files_it_is_an_empty_worktree_of_the_commit(repo: Path, git: Git) -> None:
    made = borrow(repo, files=False)
    assert [path.name for path in made.worktree.iterdir()] == [".git"]
    assert git(made.worktree, "rev-parse", "HEAD") == git(repo, "rev-parse", "HEAD")
    assert git(made.worktree, "show", "HEAD:README.md").startswith("# Sessions")


def test_every_git_process_carries_the_runs_mark(repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen, real = tmp_path / "seen", subprocess.check_output(["sh", "-c", "command -v git"], text=True).strip()
    fake = tmp_path / "bin" / "git"
    fake.parent.mkdir()
    fake.write_text(f'#!/bin/sh\necho "${process.RUN_MARK} $*" >>{seen}\nexec {real} "$@"\n')
    fake.chmod(0o755)
    repository = scout.discover(repo)
    base = scout.resolve(repository, "HEAD")
    monkeypatch.setenv("PATH", f"{fake.parent}:{os.environ['PATH']}")
    worktree.borrow(repository, base, "run1")
    calls = seen.read_text().splitlines()
    assert all(call.startswith("run1 ") for call in calls)
    assert len(calls) <= 6, "each costs the user some milliseconds"


def test_git_variables_in_the_environment_never_redirect(
    repo: Path, git: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(tmp_path, "init", "-q", "other")
    base, before = git(repo, "rev-parse", "HEAD"), everything(tmp_path / "other")
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"):
        monkeypatch.setenv(name, str(tmp_path / "other" / ".git"))
    made = borrow(repo)
    monkeypatch.undo()
    assert everything(tmp_path / "other") == before
    assert git(made.worktree, "rev-parse", "HEAD") == base
    assert git(made.worktree, "status", "--porcelain") == ""


def test_many_at_once(repo: Path) -> None:
    failed: list[BaseException] = []

    def one(number: int) -> None:
        try:
            made = borrow(repo, f"run{number}")
            assert (made.worktree / "README.md").exists()
            give_back(made, repo)
        except BaseException as error:  # noqa: BLE001 - shown below
            failed.append(error)

    before = everything(repo)
    threads = [threading.Thread(target=one, args=(number,)) for number in range(24)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert everything(repo) == before


# when it cannot be made


def nothing_left() -> bool:
    return list((user_state() / "runs").glob("*")) == []


def test_an_unknown_base_leaves_nothing(repo: Path) -> None:
    with pytest.raises(RepositoryError) as caught:
        worktree.borrow(scout.discover(repo), "1" * 40, "run1")
    assert caught.value.message.startswith(f"no worktree of {'1' * 12}: ")
    assert caught.value.hint
    assert nothing_left()


def test_missing_objects_are_told_in_gits_words_and_leave_nothing(repo: Path, git: Git) -> None:
    blob = git(repo, "rev-parse", "HEAD:README.md").strip()
    (repo / ".git/objects" / blob[:2] / blob[2:]).unlink()
    with pytest.raises(RepositoryError, match=f"read .*{blob}"):
        borrow(repo)
    assert nothing_left()


def test_a_state_folder_that_cannot_be_written(repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    with pytest.raises(Unavailable, match="Not a directory") as caught:
        borrow(repo)
    assert "XDG_STATE_HOME" in caught.value.hint


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to somebody else")
def test_a_state_folder_of_somebody_else_is_refused(repo: Path) -> None:
    user_state().mkdir(parents=True)
    os.chown(user_state(), 12345, 12345)
    with pytest.raises(Refused, match="another user"):
        borrow(repo)


def test_a_run_id_is_used_once_and_is_no_path(repo: Path) -> None:
    made = borrow(repo)
    with pytest.raises(Refused, match="already"):
        borrow(repo)
    assert (made.worktree / "README.md").exists()
    for name in ("", ".", "..", "../run1", "a/b", ".hidden", "-rf", "a\nb"):
        with pytest.raises(Refused):
            worktree.folder_of(name)


def test_an_interruption_leaves_nothing(repo: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    slow = tmp_path / "bin" / "git"
    slow.parent.mkdir()
    # git runs twice at once, and the second signal would reach the next test
    slow.write_text(f"#!/bin/sh\nmkdir {tmp_path}/told 2>/dev/null && kill -INT $PPID\nexec sleep 30\n")
    slow.chmod(0o755)
    repository = scout.discover(repo)
    base = scout.resolve(repository, "HEAD")
    monkeypatch.setenv("PATH", f"{slow.parent}:{os.environ['PATH']}")
    with pytest.raises(KeyboardInterrupt):
        worktree.borrow(repository, base, "run1")
    assert nothing_left()


def test_ctrl_c_that_reaches_git_alone_is_an_interruption(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = subprocess.check_output(["sh", "-c", "command -v git"], text=True).strip()
    fake = tmp_path / "bin" / "git"
    fake.parent.mkdir()
    fake.write_text(f'#!/bin/sh\ncase "$*" in *reset*) kill -INT $$;; esac\nexec {real} "$@"\n')
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{fake.parent}:{os.environ['PATH']}")
    with pytest.raises(Interrupted):
        borrow(repo)
    assert nothing_left()


# giving it back


def test_removal_waits_for_a_rename_and_then_deletes(repo: Path, git: Git) -> None:
    made = borrow(repo)
    give_back(made, repo)
    assert not made.folder.exists()
    assert all(deleted(path) for path in trash())
    give_back(made, repo)  # gone already: fine


def test_links_are_not_followed(repo: Path, tmp_path: Path) -> None:
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "file").write_text("kept")
    made = borrow(repo)
    (made.worktree / "link").symlink_to(tmp_path / "precious")
    (made.scratch / "link").symlink_to(tmp_path / "precious" / "file")
    give_back(made, repo)
    assert all(deleted(path) for path in trash())
    assert (tmp_path / "precious" / "file").read_text() == "kept"


def test_folders_without_write_permission_do_not_stop_it(repo: Path, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("kept")
    precious.chmod(0o444)
    made = borrow(repo)
    deep = made.worktree / "locked" / "in"
    deep.mkdir(parents=True)
    (deep / "hard").hardlink_to(precious)
    for folder in (deep, deep.parent, made.worktree, made.folder):
        folder.chmod(0o500 if folder != deep else 0)
    give_back(made, repo)
    assert all(deleted(path) for path in trash())
    assert stat.S_IMODE(precious.stat().st_mode) == 0o444


@pytest.mark.parametrize(
    "damage",
    [
        lambda folder: (folder / worktree.MARKER).unlink(),
        lambda folder: (folder / worktree.MARKER).write_text("{"),
        lambda folder: (folder / worktree.MARKER).write_text("[]"),
        lambda folder: (folder / worktree.MARKER).write_text('{"run": "other", "repository": "/x"}'),
        lambda folder: (folder / worktree.MARKER).rename(folder / "m") and (folder / worktree.MARKER).symlink_to("m"),
    ],
)
def test_a_folder_that_lost_its_marker_is_kept(repo: Path, damage: Callable[[Path], object]) -> None:
    made = borrow(repo)
    damage(made.folder)
    with pytest.raises(Refused, match="marker") as caught:
        give_back(made, repo)
    assert caught.value.exit_code == 6
    assert (made.worktree / "README.md").exists()
    assert made.folder in worktree.leftovers(repo / ".git") or "names run" in caught.value.message


def test_a_folder_of_another_repository_is_kept(repo: Path, tmp_path: Path) -> None:
    made = borrow(repo)
    with pytest.raises(Refused, match="names run run1"):
        worktree.remove(made.folder, common_dir=tmp_path / "other" / ".git")
    assert (made.worktree / "README.md").exists()


def test_only_what_lies_where_runs_are_is_removed(repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = borrow(repo)
    marker = json.loads((made.folder / worktree.MARKER).read_text())
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / worktree.MARKER).write_text(json.dumps({**marker, "run": "elsewhere"}))
    for path in (elsewhere, made.folder / "scratch", made.folder / "..", made.folder.parent):
        with pytest.raises(Refused):
            worktree.remove(path, common_dir=repo / ".git")
    link = made.folder.parent / "link"
    link.symlink_to(elsewhere)
    with pytest.raises(Refused, match="no folder"):
        worktree.remove(link, common_dir=repo / ".git")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    with pytest.raises(Refused, match="XDG_STATE_HOME"):
        worktree.remove(made.folder, common_dir=repo / ".git")
    assert elsewhere.exists()
    assert made.worktree.exists()


def test_a_trash_that_cannot_be_used_keeps_the_folder(repo: Path) -> None:
    made = borrow(repo)
    (user_state() / "trash").write_text("a file")
    with pytest.raises(ScoutError, match="trash"):
        give_back(made, repo)
    assert (made.worktree / "README.md").exists()


def test_what_a_crash_left_before_the_marker_is_removed(repo: Path) -> None:
    for name, content in (("empty", None), ("begun", "")):
        folder = worktree.folder_of(name)
        folder.mkdir(parents=True)
        if content is not None:
            (folder / worktree.MARKER).write_text(content)
        assert worktree.leftovers(repo / ".git") == []  # perhaps it is just being made
        worktree.remove(folder, common_dir=repo / ".git")
        assert not folder.exists()
        assert all(deleted(path) for path in trash())


def test_leftovers_are_this_repositorys_and_the_trash(repo: Path, git: Git, tmp_path: Path) -> None:
    assert worktree.leftovers(repo / ".git") == []
    git(tmp_path, "clone", "-q", repo, "other")
    ours, theirs = borrow(repo, "ours"), borrow(tmp_path / "other", "theirs")
    (user_state() / "trash").mkdir()
    (user_state() / "trash" / "old.1").mkdir()
    assert worktree.leftovers(repo / ".git") == [ours.folder, user_state() / "trash" / "old.1"]
    (theirs.folder / worktree.MARKER).unlink()
    assert theirs.folder in worktree.leftovers(repo / ".git")


def test_sweeping_empties_the_trash(repo: Path) -> None:
    worktree.sweep()  # nothing there: nothing to do
    made = borrow(repo)
    old = user_state() / "trash" / "-rf old\n.1"
    (old / "deep").mkdir(parents=True)
    worktree.sweep()
    assert deleted(old)
    assert made.worktree.exists()
