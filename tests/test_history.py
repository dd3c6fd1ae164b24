from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from scoutkit import history

Git = Callable[..., str]


def test_the_history_of_paths(repo: Path, git: Git) -> None:
    (repo / "README.md").write_text("two\n")
    git(repo, "commit", "-qam", "second")
    (repo / "[glob]*").write_text("x")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "third")
    subjects = [commit.subject for commit in history.newest(repo, "HEAD", ["README.md"], limit=9)]
    assert subjects == ["second", "first"]
    assert [commit.subject for commit in history.newest(repo, "HEAD", ["[glob]*"], limit=9)] == ["third"]
    assert [commit.author for commit in history.newest(repo, "HEAD", ["README.md"], limit=1)] == ["A"]


def test_the_way_between_two_commits_goes_by_first_parents(repo: Path, git: Git) -> None:
    def commit(name: str) -> str:
        git(repo, "commit", "-q", "--allow-empty", "-m", name)
        return git(repo, "rev-parse", "HEAD").strip()

    old = commit("old")
    git(repo, "checkout", "-qb", "side")
    side = commit("side")
    git(repo, "checkout", "-q", "-")
    main = commit("main")
    git(repo, "merge", "-q", "--no-ff", "-m", "merge", "side")
    merge = git(repo, "rev-parse", "HEAD").strip()
    assert history.mainline(repo, old, merge) == [old, main, merge]
    assert history.mainline(repo, merge, old) == [merge, main, old]
    assert history.mainline(repo, side, merge) == [side, merge]
    assert history.mainline(repo, side, main) == [side, main]


def test_how_many_commits_lie_between_is_counted_as_git_counts_them(repo, git):
    git(repo, "checkout", "-q", "-b", "side")
    git(repo, "commit", "-q", "--allow-empty", "-m", "side 1")
    git(repo, "checkout", "-q", "main")
    git(repo, "commit", "-q", "--allow-empty", "-m", "main 1")
    git(repo, "merge", "-q", "--no-ff", "-m", "merge", "side")
    git(repo, "checkout", "-q", "-b", "other", "main~1")
    git(repo, "commit", "-q", "--allow-empty", "-m", "not in main")
    git(repo, "checkout", "-q", "main")
    names = ["main", "main~1", "main~2", "side", "other"]
    commits = {git(repo, "rev-parse", name).strip(): name for name in names}
    counted = {commits[at]: number for at, number in history.behind(repo, "main")(commits).items()}
    assert counted == {name: int(git(repo, "rev-list", "--count", f"{name}..main")) for name in names}
    assert history.behind(repo, "main")(["ab" * 20]) == {}
