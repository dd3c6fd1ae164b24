"""Sources: how they are written, pinned to a commit, fetched into a mirror, at hand later."""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import subprocess
import sys
import time

import psutil
import pytest
from waiting import until

from scoutkit import git as ours
from scoutkit.dispatch import fetching as fetcher
from scoutkit.dispatch import mirrors, sources
from scoutkit.dispatch.sources import Asked
from scoutkit.errors import RepositoryError, UsageError
from scoutkit.model.pinned import Pinned


@pytest.fixture
def pin():
    """Pin sources; what was told is in `pin.said`."""

    def call(*texts):
        return sources.pin([str(text) for text in texts], tell=call.said.append)

    call.said = []
    return call


@pytest.fixture
def head(git):
    return lambda where, revision="HEAD": git(where, "rev-parse", revision).strip()


@pytest.mark.parametrize(
    ("text", "where", "revision", "is_address"),
    [
        ("/srv/lib", "/srv/lib", "HEAD", False),
        ("/srv/lib@v1.2", "/srv/lib", "v1.2", False),
        ("../lib@feature/x", "../lib", "feature/x", False),
        ("lib@HEAD@{1}", "lib@HEAD", "{1}", False),
        ("https://example.org/a/lib", "https://example.org/a/lib", "HEAD", True),
        ("https://example.org/a/lib.git@v2", "https://example.org/a/lib.git", "v2", True),
        ("https://me@example.org/a/lib", "https://me@example.org/a/lib", "HEAD", True),
        ("https://me:pw@example.org/a/lib@main", "https://me:pw@example.org/a/lib", "main", True),
        ("git@example.org:a/lib.git", "git@example.org:a/lib.git", "HEAD", True),
        ("git@example.org:a/lib.git@abc1234", "git@example.org:a/lib.git", "abc1234", True),
        ("ssh://git@example.org:22/a/lib@v1", "ssh://git@example.org:22/a/lib", "v1", True),
        ("file:///srv/lib@v1~2", "file:///srv/lib", "v1~2", True),
    ],
)
def test_a_source_is_a_place_and_a_revision(text, where, revision, is_address):
    asked = sources.read(text)
    assert (asked, asked.is_address) == (Asked(where, revision), is_address)


def test_a_path_that_has_an_at_sign_is_a_path(tmp_path, monkeypatch):
    (tmp_path / "me@work").mkdir()
    monkeypatch.chdir(tmp_path)
    assert sources.read("me@work") == Asked("me@work", "HEAD")
    assert sources.read("me@work@v1") == Asked("me@work", "v1")


@pytest.mark.parametrize("text", ["", "@v1", "lib@", "--upload-pack=x", " "])
def test_what_names_no_source_is_a_usage_error(text):
    with pytest.raises(UsageError):
        sources.read(text)


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("https://token@example.org/a", "https://example.org/a"),
        ("https://me:pw@example.org/a", "https://example.org/a"),
        ("ssh://git:pw@example.org/a", "ssh://git@example.org/a"),
        ("git@example.org:a", "git@example.org:a"),
        ("https://example.org/a@b", "https://example.org/a@b"),
    ],
)
def test_secrets_are_taken_out_of_addresses(address, shown):
    assert sources.public(address) == shown


def test_any_revision_is_pinned_to_its_whole_commit(repo, git, head, pin):
    git(repo, "commit", "-q", "--allow-empty", "-m", "second")
    lost = head(repo)
    git(repo, "reset", "-q", "--hard", "HEAD~1")  # only the reflog knows it
    git(repo, "tag", "v1")
    git(repo, "checkout", "-q", "-b", "topic")
    for revision in ("HEAD", "v1", "topic", "main~0", head(repo)[:8]):
        assert pin(f"{repo}@{revision}") == (Pinned("repo", str(repo), head(repo)),)
    assert pin(f"{repo}@{lost[:10]}")[0].commit == lost
    mirror = mirrors.find(str(repo))
    assert ours.output(mirror, "cat-file", "-t", lost).strip() == "commit"


@pytest.mark.parametrize("revision", ["HEAD", "v1", "topic", "HEAD~1", "full", "lost", "refs/pull/1/head"])
def test_so_it_is_by_an_address(repo, git, head, pin, revision):
    git(repo, "commit", "-q", "--allow-empty", "-m", "second")
    git(repo, "tag", "v1", "HEAD~1")
    git(repo, "branch", "topic")
    git(repo, "update-ref", "refs/pull/1/head", head(repo, "HEAD~1"))
    git(repo, "commit", "-q", "--allow-empty", "-m", "lost")
    lost = head(repo)
    git(repo, "reset", "-q", "--hard", "HEAD~1")
    wanted = {"full": head(repo), "lost": lost}.get(revision) or head(repo, revision)
    asked = {"full": head(repo), "lost": lost}.get(revision, revision)
    assert pin(f"file://{repo}@{asked}") == (Pinned("repo", f"file://{repo}", wanted),)


def test_a_mirror_follows_its_source_and_keeps_what_that_forgot(repo, git, head, pin):
    git(repo, "branch", "old")
    first = pin(f"file://{repo}")[0].commit
    git(repo, "commit", "-q", "--amend", "-m", "rewritten")
    git(repo, "branch", "-D", "old")
    second = pin(f"file://{repo}")[0].commit
    assert (first == second, second) == (False, head(repo))
    assert pin(f"file://{repo}@{first}")[0].commit == first
    with pytest.raises(RepositoryError, match="no such revision: old"):
        pin(f"file://{repo}@old")
    assert len(mirrors.kept()) == 1


def test_a_commit_that_is_there_is_not_fetched_again(repo, head, pin, tmp_path):
    pin(f"file://{repo}")
    repo.rename(tmp_path / "gone")
    assert pin(f"file://{repo}@{head(tmp_path / 'gone')}")[0].commit == head(tmp_path / "gone")
    with pytest.raises(RepositoryError, match="cannot fetch"):
        pin(f"file://{repo}@main")


def test_nothing_of_the_source_is_changed_or_linked(repo, git, pin):
    objects = [path for path in (repo / ".git/objects").rglob("*") if path.is_file()]
    before = {path: path.read_bytes() for path in (repo / ".git").rglob("*") if path.is_file()}
    pin(repo)
    assert {path: path.read_bytes() for path in (repo / ".git").rglob("*") if path.is_file()} == before
    assert {path.stat().st_nlink for path in objects} == {1}


def test_names_are_unique_and_can_be_cited(repo, git, pin, tmp_path):
    places = [tmp_path / "a/lib", tmp_path / "b/lib.git", tmp_path / "c/Lib", tmp_path / "d/odd name @é"]
    for place in places:
        git(tmp_path, "clone", "-q", *(["--bare"] if place.suffix else []), repo, place)
    names = [one.name for one in pin(*places, places[0])]
    assert names == ["lib", "lib-2", "Lib-3", "odd-name"]
    (tmp_path / "a/lib/.git").exists()
    assert pin(tmp_path / "a/lib/.git")[0].name == "lib"


def test_one_source_at_two_commits_is_two_sources_of_one_mirror(repo, git, head, pin):
    git(repo, "commit", "-q", "--allow-empty", "-m", "second")
    found = pin(repo, f"{repo}@HEAD~1", f"{repo}@main")
    assert [(one.name, one.commit) for one in found] == [("repo", head(repo)), ("repo-2", head(repo, "HEAD~1"))]
    assert len(mirrors.kept()) == 1


def test_an_empty_source_has_no_commit(tmp_path, git, pin):
    git(tmp_path, "init", "-q", "empty")
    for text in (tmp_path / "empty", f"file://{tmp_path / 'empty'}"):
        with pytest.raises(RepositoryError, match="no commit"):
            pin(text)


def test_a_worktree_a_bare_and_a_sha256_repository_are_sources(repo, git, head, pin, tmp_path):
    git(repo, "worktree", "add", "-q", "-b", "side", tmp_path / "side")
    git(tmp_path / "side", "commit", "-q", "--allow-empty", "-m", "on the side")
    assert pin(tmp_path / "side")[0].commit == head(tmp_path / "side")
    git(tmp_path, "clone", "-q", "--bare", "--depth=1", f"file://{repo}", "shallow.git")
    assert pin(tmp_path / "shallow.git")[0].commit == head(repo)
    git(tmp_path, "init", "-q", "--object-format=sha256", "new")
    git(tmp_path / "new", "commit", "-q", "--allow-empty", "-m", "one")
    assert pin(tmp_path / "new")[0].commit == head(tmp_path / "new")
    assert pin(f"file://{tmp_path / 'new'}")[0].commit == head(tmp_path / "new")


def test_several_at_once_share_one_mirror(repo, tmp_path):
    code = f"from scoutkit.dispatch import sources; print(sources.pin(['file://{repo}'], tell=print)[0].commit)"
    many = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) for _ in range(4)]
    answers = {one.communicate()[0].decode().splitlines()[-1] for one in many}
    assert [one.returncode for one in many] == [0] * 4
    assert len(answers) == 1
    (kept,) = mirrors.kept()
    assert ours.git(kept.folder, "fsck", "--strict").code == 0
    assert not list(mirrors.folder().glob("*.new"))


def test_what_a_killed_fetch_left_is_no_obstacle(repo, git, head, pin):
    pin(f"file://{repo}")
    mirror = mirrors.find(f"file://{repo}")
    (mirror / ".git/packed-refs.lock").write_text("")
    (mirror / ".git/refs/heads").mkdir(parents=True, exist_ok=True)
    (mirror / ".git/refs/heads/main.lock").write_text("")
    half = mirror.with_name(f"{mirror.name}.4711.new")
    (half / ".git").mkdir(parents=True)
    assert len(mirrors.kept()) == 1
    assert [one.folder for one in mirrors.tidy()] == [half]
    git(repo, "commit", "-q", "--allow-empty", "-m", "second")
    assert pin(f"file://{repo}")[0].commit == head(repo)


def test_a_hook_s_environment_does_not_redirect_a_fetch(repo, tmp_path, monkeypatch, pin, head):
    wanted = head(repo)
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere.git"))
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(tmp_path / "objects"))
    assert pin(f"file://{repo}")[0].commit == wanted
    assert not (tmp_path / "objects").exists()


def test_no_password_is_kept(repo, pin):
    with pytest.raises(RepositoryError) as raised:
        pin("https://me:hunter2secret@localhost:1/lib")
    assert "hunter2secret" not in raised.value.message + raised.value.hint
    assert not [
        path for path in mirrors.folder().rglob("*") if path.is_file() and "hunter2" in path.read_text("latin-1")
    ]


def test_a_source_is_at_hand_where_it_was_else_in_its_mirror(repo, git, pin, tmp_path):
    (source,) = pin(repo)
    assert sources.here(source).toplevel == repo
    repo.rename(tmp_path / "away")
    found = sources.here(source)
    assert found.bare
    assert ours.resolve(found, "HEAD") == source.commit
    git(tmp_path, "init", "-q")
    repo.mkdir()  # a folder of another repository is not the source
    assert sources.here(source).bare
    assert sources.here(Pinned("x", "/nowhere", "0" * 40)) is None
    assert sources.here(Pinned("x", "https://example.org/x", "0" * 40)) is None


def test_mirrors_that_no_run_used_for_a_month_go(repo, pin, tmp_path):
    pin(repo)
    (kept,) = mirrors.kept()
    assert kept.size > 0
    assert mirrors.tidy() == []
    old = time.time() - 40 * 86_400
    os.utime(kept.folder, (old, old))
    assert [one.folder for one in mirrors.tidy(dry=True)] == [kept.folder]
    assert kept.folder.exists()
    assert [one.folder for one in mirrors.tidy()] == [kept.folder]
    assert mirrors.kept() == []
    assert pin(repo)  # and it is made again


def test_a_mirror_of_many_fetches_is_one_pack_again_and_forgets_nothing(repo, git, head, pin, monkeypatch):
    monkeypatch.setattr(mirrors, "PACKS", 3)
    commits = []
    for number in range(3):
        git(repo, "commit", "-q", "--amend", "-m", f"way {number}")  # nothing leads to the one before
        assert mirrors.repack(tell=pin.said.append) == []
        commits.append(pin(repo)[0].commit)
    mirror = mirrors.find(str(repo))
    packs = mirror / ".git/objects/pack"
    (packs / "tmp_pack_cut").write_bytes(b"of a fetch that was killed")
    with mirrors._lock_of(mirror.name).open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert mirrors.repack(tell=pin.said.append) == []
    assert mirrors.repack(dry=True, tell=pin.said.append) == [mirror]
    assert len(list(packs.glob("*.pack"))) == 3
    assert mirrors.repack(tell=pin.said.append) == [mirror]
    assert [path.suffix for path in sorted(packs.glob("*"))] == [".idx", ".pack"]
    assert [ours.output(mirror, "cat-file", "-t", one).strip() for one in commits] == ["commit"] * 3
    assert mirrors.repack(tell=pin.said.append) == []


def test_what_was_shown_is_remembered_for_whoever_finishes_the_run(tmp_path):
    shown = (Pinned("lib", "/srv/lib", "a" * 40), Pinned("lib-2", "https://example.org/ü", "b" * 40))
    assert sources.remembered(tmp_path) == ()
    sources.remember(tmp_path, shown)
    assert sources.remembered(tmp_path) == shown


def test_progress_is_told_now_and_then(monkeypatch):
    monkeypatch.setattr(fetcher, "_EVERY", 0.0)
    said = []
    hear = fetcher._progress("lib", said.append)
    for line in (
        "remote: Enumerating objects: 12, done.",
        "remote: Counting objects:  50% (1/2)",
        "Receiving objects:  45% (9/20), 12.10 MiB | 3.00 MiB/s",
        "Resolving deltas: 100% (4/4), done.",
        "remote: Compressing objects:  50% (1/2), \x1b]0;gotcha\x07",
        "fatal: the remote end hung up",
        "not progress: at all",
    ):
        hear(line)
    assert said == [
        "lib: counting objects 50 %",
        "lib: receiving objects 45 %, 12.10 MiB",
        "lib: resolving deltas 100 %",
        "lib: compressing objects 50 %",
    ]


def test_what_git_says_while_it_works_is_heard_line_by_line(repo, tmp_path):
    heard = []
    done = ours.heard(tmp_path, "clone", "--progress", f"file://{repo}", "copy", hear=heard.append)
    assert done.code == 0
    assert any("Receiving objects: 100%" in line for line in heard)
    done = ours.heard(tmp_path, "clone", "file:///nowhere", "other", hear=heard.append)
    assert done.code
    assert "fatal: " in done.error

    def stop(line):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ours.heard(tmp_path, "clone", "--progress", f"file://{repo}", "third", hear=stop)


def test_a_source_that_was_taken_away_is_fetched_again(repo, pin):
    (source,) = pin(repo)
    old = time.time() - 40 * 86_400
    os.utime(mirrors.find(str(repo)), (old, old))
    mirrors.tidy()
    sources.ready(source, pin.said.append)
    assert ours.output(sources.mirror(source), "rev-parse", source.commit).strip() == source.commit


def test_paths_are_taken_from_where_one_starts(repo, head, tmp_path):
    assert sources.pin(["repo@main"], start=tmp_path, tell=print)[0].commit == head(repo)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_a_command_that_is_ended_while_it_fetches_leaves_nothing_in_the_way(repo, tmp_path, pin, number):
    slow = tmp_path / "slow"  # a transport that never comes to its end
    slow.write_text("#!/bin/sh\nexec sleep 600\n")
    slow.chmod(0o755)
    code = "from scoutkit.dispatch import sources; sources.pin(['ssh://localhost/lib'], tell=print)"
    env = {**os.environ, "GIT_SSH": str(slow)}
    popen = subprocess.Popen([sys.executable, "-c", code], env=env, stderr=subprocess.PIPE)
    until(lambda: fetching("sleep"), "git has called its transport")
    halves = list(mirrors.folder().glob("*.new/.git"))
    popen.send_signal(number)
    popen.wait(100)
    left = fetching()
    assert (bool(left), halves[0].exists()) == ((True, True) if number == signal.SIGKILL else (False, False))
    for one in left:
        with contextlib.suppress(psutil.NoSuchProcess):
            one.kill()
    mirrors.tidy()
    assert not list(mirrors.folder().glob("*.new"))


def fetching(name=None):
    """Processes (of that name) that work in the folder of mirrors."""
    found = []
    for one in psutil.process_iter():
        with contextlib.suppress(psutil.Error):  # it may end between any two looks
            at_work = one.cwd().startswith(str(mirrors.folder())) and one.status() != psutil.STATUS_ZOMBIE
            if at_work and name in (None, one.name()):
                found.append(one)
    return found
