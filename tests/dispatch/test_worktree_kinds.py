"""Repositories of every kind."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from scoutkit import git as scout
from scoutkit.dispatch import worktree
from scoutkit.errors import RepositoryError

Git = Callable[..., str]
ODD = [
    "with space",
    'quo\'te "double"',
    "naïve-日本",
    "new\nline",
    "-dash",
    "back\\slash",
    "tab\there",
    "all\n\"\\é'",
    "#hash",
    "a:b",
]


def borrow(where: Path, run_id: str = "run1", **options: bool) -> worktree.Checkout:
    repository = scout.discover(where)
    return worktree.borrow(repository, scout.resolve(repository, "HEAD"), run_id, **options)


def content(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink()
    }


def clean(git: Git, made: worktree.Checkout) -> bool:
    return git(made.worktree, "status", "--porcelain", "--ignored") == ""


def hook(folder: Path, script: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "post-checkout").write_text(f"#!/bin/sh\n{script}\n")
    (folder / "post-checkout").chmod(0o755)


# where the user stands


@pytest.mark.parametrize("name", ODD)
def test_any_path(repo: Path, git: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / f"state {name}"))
    moved = repo.rename(tmp_path / name)
    (moved / f"file {name}").write_text("x")
    git(moved, "add", "-A")
    git(moved, "commit", "-q", "-m", "odd")
    made = borrow(moved / "src")
    assert made.worktree.name == name
    assert (made.worktree / f"file {name}").read_text() == "x"
    assert clean(git, made)
    worktree.remove(made.folder, common_dir=moved / ".git")
    assert not made.folder.exists()


def test_a_path_that_is_no_text(repo: Path, git: Git, tmp_path: Path) -> None:
    moved = repo.rename(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9"))
    made = borrow(moved)
    assert clean(git, made)
    worktree.remove(made.folder, common_dir=moved / ".git")
    assert not made.folder.exists()


@pytest.mark.parametrize("name", [worktree.MARKER, worktree.SHADOW, worktree.SCRATCH])
def test_a_repository_named_like_one_of_our_own_files(repo: Path, git: Git, tmp_path: Path, name: str) -> None:
    made = borrow(repo.rename(tmp_path / name))
    assert made.worktree.name == f"{name}-worktree"
    assert clean(git, made)


def test_a_linked_worktree(repo: Path, git: Git, tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    git(repo, "worktree", "add", "-q", "-b", "topic", linked)
    (linked / "new").write_text("x")
    git(linked, "add", "new")
    git(linked, "commit", "-q", "-m", "topic")
    made = borrow(linked / "src")
    assert made.worktree.name == "repo"
    assert (made.worktree / "new").exists()
    assert git(repo, "worktree", "list").count("\n") == 2
    worktree.remove(made.folder, common_dir=repo / ".git")


def test_a_bare_repository_and_its_linked_worktree(repo: Path, git: Git, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", repo, "project/code.git")
    made = borrow(tmp_path / "project/code.git")
    assert made.worktree.name == "code"
    assert clean(git, made)
    git(tmp_path / "project/code.git", "worktree", "add", "-q", "--detach", "../feature")
    made = borrow(tmp_path / "project/feature", "run2")
    assert made.worktree.name == "feature"
    assert clean(git, made)
    git(tmp_path, "clone", "-q", "--bare", repo, "hidden/.bare")
    assert borrow(tmp_path / "hidden/.bare", "run3").worktree.name == "hidden"


def test_a_submodule(repo: Path, git: Git, tmp_path: Path) -> None:
    outer = tmp_path / "outer"
    git(tmp_path, "init", "-q", outer)
    git(outer, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", repo, "deps/inner")
    git(outer, "commit", "-q", "-m", "add")
    made = borrow(outer / "deps" / "inner")
    assert made.worktree.name == "inner"
    assert (made.worktree / "README.md").exists()
    around = borrow(outer, "run2")
    assert list((around.worktree / "deps/inner").iterdir()) == []
    assert around.skipped == ("submodules are left empty: deps/inner",)
    git(tmp_path, "config", "--global", "submodule.recurse", "true")
    assert borrow(outer, "run3").skipped == around.skipped


def test_where_git_may_not_use_bare_repositories(repo: Path, git: Git, tmp_path: Path) -> None:
    git(tmp_path, "config", "--global", "safe.bareRepository", "explicit")
    assert clean(git, borrow(repo))


def test_a_separate_git_folder_and_odd_settings(repo: Path, git: Git, tmp_path: Path) -> None:
    git(repo, "init", "-q", "--separate-git-dir", tmp_path / "elsewhere.git")
    made = borrow(repo)
    assert made.worktree.name == "repo"
    assert clean(git, made)
    git(repo, "config", "core.worktree", tmp_path / "missing")
    assert clean(git, borrow(repo, "run2"))
    git(repo, "config", "--unset", "core.worktree")
    git(repo, "config", "core.bare", "true")
    assert clean(git, borrow(repo, "run3"))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a repository to somebody else")
def test_a_repository_of_somebody_else_that_git_was_told_to_trust(repo: Path, git: Git, tmp_path: Path) -> None:
    git(repo, "worktree", "add", "-q", "--detach", tmp_path / "linked")
    for top in (repo, tmp_path / "linked"):
        for folder, _, files in os.walk(top):
            for path in (Path(folder), *(Path(folder, name) for name in files)):
                os.chown(path, 12345, 12345)
    with pytest.raises(RepositoryError, match="does not trust"):
        borrow(repo)
    git(tmp_path, "config", "--global", "--add", "safe.directory", repo)
    assert clean(git, borrow(repo))
    git(tmp_path, "config", "--global", "--add", "safe.directory", tmp_path / "linked")
    assert clean(git, borrow(tmp_path / "linked", "run2"))


# how the repository stores things


def test_alternates_of_the_users_own_chain(repo: Path, git: Git, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--shared", repo, "second")
    git(tmp_path, "clone", "-q", "--shared", "second", "new\nline")
    (tmp_path / "second/.git/objects/info/alternates").write_text("../../../repo/.git/objects\n")
    made = borrow(tmp_path / "new\nline")
    assert clean(git, made)


def test_a_shallow_clone_keeps_its_boundary(repo: Path, git: Git, tmp_path: Path) -> None:
    for number in range(3):
        git(repo, "commit", "-q", "--allow-empty", "-m", str(number))
    git(tmp_path, "clone", "-q", "--depth=2", f"file://{repo}", "shallow")
    made = borrow(tmp_path / "shallow")
    assert git(made.worktree, "rev-list", "--count", "HEAD").strip() == "2"
    git(made.worktree, "fsck", "--connectivity-only")


def test_sha256(git: Git, tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--object-format=sha256", "long")
    (tmp_path / "long" / "file").write_text("x")
    git(tmp_path / "long", "add", "file")
    git(tmp_path / "long", "commit", "-q", "-m", "x")
    made = borrow(tmp_path / "long")
    assert len(git(made.worktree, "rev-parse", "HEAD").strip()) == 64
    assert clean(git, made)


def test_reftable(git: Git, tmp_path: Path) -> None:
    made = subprocess.run(["git", "init", "-q", "--ref-format=reftable", "table"], cwd=tmp_path, capture_output=True)
    if made.returncode:
        pytest.skip("this git has no reftable")
    git(tmp_path / "table", "commit", "-q", "--allow-empty", "-m", "x")
    git(tmp_path / "table", "tag", "v1")
    checkout = borrow(tmp_path / "table")
    assert git(checkout.worktree, "rev-parse", "v1") == git(tmp_path / "table", "rev-parse", "HEAD")


@pytest.fixture
def partial(repo: Path, git: Git, tmp_path: Path) -> Path:
    git(repo, "config", "uploadpack.allowFilter", "true")
    git(repo, "config", "uploadpack.allowAnySHA1InWant", "true")
    git(tmp_path, "clone", "-q", "--no-checkout", "--filter=blob:none", f"file://{repo}", "partial")
    return tmp_path / "partial"


def missing(git: Git, where: Path) -> int:
    return git(where, "rev-list", "--objects", "--missing=print", "HEAD").count("\n?")


@pytest.mark.parametrize("files", [True, False])
def test_a_partial_clone_fetches_in_one_go_into_the_shadow(
    partial: Path, git: Git, tmp_path: Path, files: bool
) -> None:
    trace = tmp_path / "trace"
    git(tmp_path, "config", "--global", "trace2.eventTarget", trace)
    made = borrow(partial, files=files)
    fetches = [line for line in trace.read_text().splitlines() if '"child_start"' in line and '"fetch"' in line]
    assert len(fetches) == 1
    assert (made.worktree / "README.md").read_text().startswith("# Sessions")
    assert missing(git, partial) == 4
    assert missing(git, made.worktree) == 0
    assert clean(git, made)


def test_a_partial_clone_of_a_relative_remote(partial: Path, git: Git) -> None:
    git(partial, "config", "remote.origin.url", "../repo")
    assert clean(git, borrow(partial))


def test_a_partial_clones_credentials_are_lent_for_the_checkout_but_not_kept(
    partial: Path, repo: Path, git: Git, tmp_path: Path
) -> None:
    git(partial, "config", "url.file:///.insteadOf", "https://somebody:secret@example.org/")
    git(partial, "config", "remote.origin.url", f"https://somebody:secret@example.org{repo}")
    git(partial, "config", "http.extraHeader", "Authorization: secret")
    made = borrow(partial)
    assert clean(git, made)
    assert git(made.worktree, "config", "remote.origin.url").strip() == f"https://example.org{repo}"
    for path, raw in content(made.folder).items():
        assert b"secret" not in raw, path


def test_a_partial_clone_whose_remote_is_gone(partial: Path, repo: Path, tmp_path: Path) -> None:
    repo.rename(tmp_path / "away")
    with pytest.raises(RepositoryError, match="no worktree of"):
        borrow(partial)
    assert list(worktree.folder_of("run1").parent.iterdir()) == []


@pytest.mark.parametrize("cone", ["--cone", "--no-cone"])
def test_the_sparse_set_is_inherited(repo: Path, git: Git, cone: str) -> None:
    git(repo, "sparse-checkout", "set", cone, "src" if cone == "--cone" else "/src/auth/signing.py")
    before = content(repo / ".git")
    made = borrow(repo)
    assert content(repo / ".git") == before
    inside = set(content(made.worktree)) - {".git"}
    assert inside == set(content(repo)) - {f".git/{name}" for name in before}
    assert "tests/test_signing.py" not in inside
    assert clean(git, made)
    git(made.worktree, "sparse-checkout", "disable")  # an agent may widen it
    assert (made.worktree / "tests/test_signing.py").exists()


def test_the_sparse_set_is_that_of_the_worktree_the_user_stands_in(repo: Path, git: Git, tmp_path: Path) -> None:
    git(repo, "worktree", "add", "-q", "--detach", tmp_path / "linked")
    git(tmp_path / "linked", "sparse-checkout", "set", "tests")
    assert (borrow(repo).worktree / "src").exists()
    made = borrow(tmp_path / "linked", "run2")
    assert not (made.worktree / "src").exists()
    assert (made.worktree / "tests/test_signing.py").exists()
    git(tmp_path / "linked", "sparse-checkout", "set", "--sparse-index", "tests")
    assert clean(git, borrow(tmp_path / "linked", "run3"))


# hooks and filters


def test_hooks_do_not_run_and_it_is_said(repo: Path, tmp_path: Path) -> None:
    hook(repo / ".git/hooks", f"touch {tmp_path}/trap")
    made = borrow(repo)
    assert made.skipped == ("hooks are off: post-checkout did not run (--run-hooks turns it on)",)
    assert not (tmp_path / "trap").exists()
    (repo / ".git/hooks/post-checkout").chmod(0o644)
    assert borrow(repo, "run2").skipped == ()


def test_hooks_run_when_asked_for(repo: Path, git: Git, tmp_path: Path) -> None:
    hook(repo / ".git/hooks", 'pwd >linked; echo "$@" >>linked; git rev-parse --show-toplevel >>linked')
    made = borrow(repo, run_hooks=True)
    base = git(repo, "rev-parse", "HEAD").strip()
    expected = f"{made.worktree}\n{'0' * 40} {base} 1\n{made.worktree}\n"
    assert (made.worktree / "linked").read_text() == expected
    assert made.skipped == ()


@pytest.mark.parametrize("scope", ["--local", "--global"])
@pytest.mark.parametrize("committed", [True, False])
def test_hooks_elsewhere(repo: Path, git: Git, tmp_path: Path, scope: str, committed: bool) -> None:
    hook(repo / ".hooks" if committed else tmp_path / "home/hooks", "touch hooked")
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "--allow-empty", "-m", "hooks")
    git(repo, "config", scope, "core.hooksPath", ".hooks" if committed else "~/hooks")
    assert "hooks are off" in borrow(repo).skipped[0]
    made = borrow(repo, "run2", run_hooks=True)
    assert (made.worktree / "hooked").exists()
    assert made.skipped == ()


def test_a_failing_hook_leaves_a_good_worktree(repo: Path, git: Git) -> None:
    hook(repo / ".git/hooks", "echo no npm here >&2; exit 3")
    made = borrow(repo, run_hooks=True)
    assert made.skipped == ("the post-checkout hook failed (exit 3): no npm here",)
    assert clean(git, made)
    hook(repo / ".git/hooks", "kill -KILL $$")
    assert borrow(repo, "run2", run_hooks=True).skipped == ("the post-checkout hook failed (signal 9)",)


@pytest.mark.parametrize(
    "damage", ["rm .git", "git commit -q --allow-empty -m x", "git -c core.hooksPath=. switch -q main"]
)
def test_a_hook_that_leads_elsewhere_is_no_success(repo: Path, damage: str) -> None:
    hook(repo / ".git/hooks", damage)
    with pytest.raises(RepositoryError):
        borrow(repo, run_hooks=True)
    assert list(worktree.folder_of("run1").parent.iterdir()) == []


def test_a_monitor_program_is_off_and_it_is_said(repo: Path, git: Git, tmp_path: Path) -> None:
    git(repo, "config", "core.fsmonitor", "true")
    assert borrow(repo).skipped == ()
    git(repo, "config", "core.fsmonitor", ".git/hooks/watchman")
    assert borrow(repo, "run2").skipped == ("core.fsmonitor is off: .git/hooks/watchman",)


POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize 5\n"


def test_missing_lfs_is_no_failure_and_pointers_are_said(repo: Path, git: Git, tmp_path: Path, home: Path) -> None:
    (home / ".gitconfig").open("a").write(
        '[filter "lfs"]\n\tclean = no-such-lfs clean\n\tsmudge = no-such-lfs smudge\n'
        "\tprocess = no-such-lfs process\n\trequired = true\n"
    )
    (repo / "art").mkdir()
    (repo / "art/.gitattributes").write_text("*.png filter=lfs diff=lfs merge=lfs -text\n")
    assert borrow(repo).skipped == ()  # nothing of the commit asks for it
    for name in ("a.png", "b.png"):
        (repo / "art" / name).write_text(POINTER.format("1" * 64))
    off = ("-c", "filter.lfs.process=", "-c", "filter.lfs.clean=", "-c", "filter.lfs.required=false")
    git(repo, *off, "add", "-A")
    git(repo, *off, "commit", "-q", "-m", "art")
    made = borrow(repo, "run2")
    assert made.skipped == ("Git LFS is off; pointers instead of contents: art/a.png, art/b.png",)
    assert clean(git, made)  # the agent's git runs no filter either
    assert borrow(repo, "run3", files=False).skipped == ()


@pytest.mark.skipif(not shutil.which("git-lfs"), reason="git-lfs is not installed")
def test_installed_lfs_fetches_nothing(repo: Path, git: Git) -> None:
    git(repo, "lfs", "install")
    (repo / ".gitattributes").write_text("*.png filter=lfs diff=lfs merge=lfs -text\n")
    (repo / "a.png").write_bytes(b"picture")
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "art")
    made = borrow(repo)
    assert made.skipped == (
        "hooks are off: post-checkout did not run (--run-hooks turns it on)",
        "Git LFS is off; pointers instead of contents: a.png",
    )
    assert clean(git, made)


def test_filters_of_the_repository_are_off_and_it_is_said(repo: Path, git: Git) -> None:
    (repo / ".gitattributes").write_text("*.key filter=git-crypt\n*.ipynb filter=nobody\n")
    for name in ("a.key", "b.ipynb"):
        (repo / name).write_text("secret")
    git(repo, "config", "filter.git-crypt.clean", "tr a-z A-Z")
    git(repo, "config", "filter.git-crypt.smudge", "tr A-Z a-z; false")
    git(repo, "config", "filter.git-crypt.required", "true")
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "keys")
    made = borrow(repo)
    assert made.skipped == ("filter git-crypt is off; as stored, not as in your checkout: a.key",)
    assert (made.worktree / "a.key").read_text() == "SECRET"


def test_attributes_of_the_user_count_too(repo: Path, git: Git, home: Path) -> None:
    git(repo, "config", "--global", "filter.indent.smudge", "false")
    (home / ".config/git").mkdir(parents=True)
    (home / ".config/git/attributes").write_text("*.py filter=indent\n")
    for name in "abc":
        (repo / f"{name}.py").write_text("x = 1\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "more")
    made = borrow(repo)
    files = "a.py, b.py, c.py and 3 more"
    assert made.skipped == (f"filter indent is off; as stored, not as in your checkout: {files}",)
    assert (made.worktree / "src/auth/signing.py").read_text().startswith('"""Signing."""')
