"""Hostile agents: harmless in their worktree, kept out by isolation, noticed without it, and undone."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from waiting import until

from scoutkit.agents.scripted import SCENARIOS
from scoutkit.dispatch import sandbox

HOSTILE = sorted(path.stem for path in SCENARIOS.glob("hostile-*.toml"))


@pytest.fixture
def worked_in(repo, git):
    """The small repository as somebody works in it: history, branches, a remote, a stash, things not committed."""
    (repo / ".gitignore").write_text(".env\n")
    (repo / "later.txt").write_text("later\n")
    git(repo, "add", ".")
    git(repo, "commit", "-qm", "second")
    git(repo, "branch", "topic")
    git(repo.parent, "clone", "-q", "--bare", repo, "origin.git")
    git(repo, "remote", "add", "origin", repo.parent / "origin.git")
    git(repo, "fetch", "-q", "origin")
    git(repo, "worktree", "add", "-q", "--detach", repo.parent / "linked")
    (repo.parent / "linked").rename(repo.parent / "away")
    (repo / "src/auth/middleware.py").write_text("stashed\n")
    git(repo, "stash", "push", "-q", "-m", "mine")
    (repo / "README.md").write_text("being changed\n")
    (repo / "notes.txt").write_text("not committed\n")
    (repo / ".env").write_text("KEY=1\n")
    (repo / "staged.txt").write_text("staged\n")
    git(repo, "add", "staged.txt")
    return repo


def state(repo: Path) -> dict[str, object]:
    """All that a person would miss."""

    def git(*args: str) -> str:
        env = {**os.environ, "GIT_OPTIONAL_LOCKS": "0"}
        return subprocess.run(["git", *args], cwd=repo, env=env, capture_output=True, check=True).stdout.decode()

    own = [repo / ".git" / name for name in ("HEAD", "config", "info/exclude")]
    own += [path for name in ("hooks", "worktrees") for path in (repo / ".git" / name).rglob("*") if path.is_file()]
    files = [path for path in repo.rglob("*") if path.is_file() and not {".git", ".claude"} & set(path.parts)]
    return {
        "refs": git("for-each-ref"),
        "stash": git("stash", "list"),
        "index": git("ls-files", "--stage"),
        "status": git("status", "--porcelain", "--", ".", ":(exclude).claude"),
        "own": {str(path): (path.stat().st_mode, path.read_bytes()) for path in own},
        "files": {str(path): (path.stat().st_mode, path.read_bytes()) for path in files},
    }


@pytest.mark.parametrize("isolation", ["bwrap", "landlock"])
@pytest.mark.parametrize("name", HOSTILE)
def test_isolation_keeps_it_out(scoutkit, worked_in, name, isolation):
    here = next(one for one in sandbox.possible() if one.name == isolation)
    if not here.ok:
        pytest.skip(here.why)
    before = state(worked_in)
    said = scoutkit("ask", "q", "--agent", f"scripted:{name}", "--isolate", isolation)
    assert said.code == 0, said.err
    assert state(worked_in) == before
    assert "CHANGED" not in said.err
    assert "changed meanwhile" not in said.err


FOUND = {
    "branch": "ref refs/heads/topic",
    "checkout": "HEAD HEAD",
    "commit": "ref refs/heads/main",
    "config": "core.hookspath, user.name",
    "gc": "objects",
    "hooks": "hook hooks/pre-commit",
    "parent": "file wild.txt",
    "prune": "worktree worktrees/linked/gitdir",
    "push": "ref refs/heads/pushed",
    "reset": "file later.txt",
    "stash": "stash refs/stash",
    "write": "file .env",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_without_isolation_it_is_noticed_and_undone(scoutkit, worked_in, name):
    before = state(worked_in)
    said = scoutkit("ask", "q", "--agent", f"scripted:{name}", "--isolate", "none", "--json")
    assert said.code == 0, said.err
    assert "CHANGED WHILE THE AGENT WORKED" in said.err
    assert FOUND[name.removeprefix("hostile-")] in said.err
    assert state(worked_in) != before or name == "hostile-gc"
    note, run = said.json["note"], said.json["run"]["id"]
    assert "## Changed while it ran" in (worked_in / note["path"]).read_text()
    looked = scoutkit("run", "undo", run, "--dry-run", "--json").json["steps"]
    assert {step["state"] for step in looked} <= {"will be restored", "cannot be restored"}
    lost = [step for step in looked if step["state"] == "cannot be restored"]
    assert {step["what"] for step in lost} == ({"objects"} if name == "hostile-gc" else set())
    undone = scoutkit("run", "undo", run, "--yes")
    assert undone.code == bool(lost), undone.err
    assert ("what was pushed, if anything, the remote still has" in undone.err) is (name == "hostile-push")
    assert state(worked_in) == before
    again = scoutkit("run", "undo", run, "--json").json
    assert {step["state"] for step in again["steps"]} <= {"is as it was", "cannot be restored"}
    assert again["backup"] == ""


def test_in_its_own_worktree_all_of_it_is_harmless(scoutkit, worked_in, tmp_path):
    import tomllib

    wild = tmp_path / "wild.toml"
    own = [tomllib.loads((SCENARIOS / f"{name}.toml").read_text())["step"][0]["run"] for name in HOSTILE]
    wild.write_text("".join(f"[[step]]\nrun = '''{one}'''\n" for one in own) + "[[step]]\nsay = '# Done'\n")
    before = state(worked_in)
    said = scoutkit("ask", "q", "--agent", f"scripted:{wild}", "--isolate", "none")
    assert said.code == 0, said.err
    assert state(worked_in) == before
    assert "CHANGED" not in said.err


def changed(scoutkit, command: str) -> str:
    """The id of a run whose agent ran a command where it had no business."""
    said = scoutkit("ask", command, "--isolate", "none", "--json", "--agent-cmd", f"{command}\necho '# Did it'")
    assert said.code == 0, said.err
    return str(said.json["run"]["id"])


def test_what_somebody_changed_since_is_left_alone(scoutkit, worked_in, git):
    run = changed(scoutkit, f"cd {worked_in}; echo a > README.md; echo b > notes.txt; git branch -f topic HEAD~1")
    (worked_in / "README.md").write_text("my later work\n")
    git(worked_in, "branch", "-f", "topic", "stash@{0}")
    undone = scoutkit("run", "undo", run, "--yes")
    assert undone.code == 1
    assert "no longer as the run left it" in undone.err
    aside = next((worked_in / f".git/scoutkit/runs/{run}").glob("undo-*/was")) / str(worked_in / "README.md")[1:]
    assert aside.read_text() == "being changed\n"
    assert (worked_in / "README.md").read_text() == "my later work\n"
    assert git(worked_in, "rev-parse", "topic") == git(worked_in, "rev-parse", "stash@{0}")
    assert (worked_in / "notes.txt").read_text() == "not committed\n"


def test_what_is_replaced_is_in_the_backup(scoutkit, worked_in):
    run = changed(scoutkit, f"cd {worked_in}; echo theirs > README.md; echo theirs > added.txt")
    backup = Path(scoutkit("run", "undo", run, "--yes", "--json").json["backup"])
    for name in ("README.md", "added.txt"):
        assert (backup / "files" / str(worked_in / name)[1:]).read_text() == "theirs\n"
    assert not (worked_in / "added.txt").exists()
    assert backup.stat().st_mode & 0o077 == 0


def test_without_a_terminal_nothing_is_restored_unless_told_to(scoutkit, worked_in):
    run = changed(scoutkit, f"echo theirs > {worked_in}/README.md")
    said = scoutkit("run", "undo", run)
    assert said.code == 2
    assert "--yes" in said.err
    assert "README.md" in said.out
    assert (worked_in / "README.md").read_text() == "theirs\n"


def test_a_link_on_the_way_is_not_followed(scoutkit, worked_in, tmp_path):
    (tmp_path / "victim").mkdir()
    run = changed(scoutkit, f"cd {worked_in}; rm -r src/auth; ln -s {tmp_path}/victim src/auth")
    said = scoutkit("run", "undo", run, "--yes", "--json")
    assert not list((tmp_path / "victim").iterdir())
    left = {step["where"]: step["state"] for step in said.json["steps"]}
    assert left["src/auth"] == "restored"
    assert (worked_in / "src/auth/signing.py").exists() == (left["src/auth/signing.py"] == "restored")


def test_what_a_run_staged_in_a_linked_worktree_is_undone_from_anywhere(scoutkit, repo, git, tmp_path):
    linked = tmp_path / "linked"
    git(repo, "worktree", "add", "-q", "--detach", linked)
    said = scoutkit(
        *("ask", "q", "--isolate", "none", "--json", "--agent-cmd"),
        f"cd {linked}; echo theirs > README.md; git add README.md; echo '# Did it'",
        cwd=linked,
    )
    undone = scoutkit("run", "undo", said.json["run"]["id"], "--yes", cwd=repo)
    assert undone.code == 0, undone.err
    assert git(linked, "status", "--porcelain") == ""


refs = st.from_regex(r"[\w+%=é\u2028\x85-]{1,12}(/[\w+%=é\u2028\x85-]{1,12}){0,2}", fullmatch=True).filter(
    lambda name: not name.startswith("-")
)


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=refs, other=refs)
def test_refs_of_any_name_come_back(scoutkit, repo, git, name, other):
    """One that is deleted, one that is made, where one may be a folder of the other."""
    for ref in git(repo, "for-each-ref", "--format=%(refname)", "refs/x").split("\n")[:-1]:  # of the example before
        git(repo, "update-ref", "-d", ref)
    git(repo, "update-ref", f"refs/x/{name}", "HEAD")
    before = git(repo, "for-each-ref")
    command = f"cd {repo}; git update-ref -d 'refs/x/{name}'; git update-ref 'refs/x/{other}' HEAD"
    run = changed(scoutkit, command)
    if git(repo, "for-each-ref") == before:  # the same name
        return
    undone = scoutkit("run", "undo", run, "--yes")
    assert undone.code == 0, undone.err
    assert git(repo, "for-each-ref") == before


def is_said_and_undone(scoutkit, worked_in):
    """What a run that was cut short had changed."""
    said = scoutkit("runs", "--json")
    assert "cut short" in said.err
    assert "file README.md" in said.err
    assert scoutkit("run", "undo", said.json["runs"][0]["id"], "--yes").code == 0
    assert (worked_in / "README.md").read_text() == "being changed\n"


def test_what_a_killed_run_changed_is_said_by_the_command_that_finishes_it(scoutkit, worked_in):
    command = f"echo theirs > {worked_in}/README.md; echo '# Begun'; sleep 600"
    asking = subprocess.Popen(
        [sys.executable, "-m", "scoutkit", "ask", "q", "--isolate", "none", "--agent-cmd", command],
        cwd=worked_in,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    until(lambda: (worked_in / "README.md").read_text() == "theirs\n")
    asking.kill()
    asking.wait()
    is_said_and_undone(scoutkit, worked_in)


def test_what_an_agent_changed_before_the_journal_knew_of_it_is_said_too(scoutkit, worked_in):
    assert scoutkit("ask", "an earlier one", "--agent-cmd", "echo '# Made the journal'").code == 0
    journal = sqlite3.connect(worked_in / ".git/scoutkit/journal.db", isolation_level=None, timeout=60)
    command = f"echo theirs > {worked_in}/README.md; sleep 600"
    asking = subprocess.Popen(
        [sys.executable, "-m", "scoutkit", "ask", "q", "--isolate", "none", "--agent-cmd", command],
        cwd=worked_in,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    while journal.execute("SELECT count(*) FROM runs").fetchone() != (2,):  # a moment later it is too late
        time.sleep(0.005)
    journal.execute("BEGIN IMMEDIATE")  # the agent starts, and what says so has to wait
    until(lambda: (worked_in / "README.md").read_text() == "theirs\n")
    asking.kill()
    asking.wait()
    journal.execute("ROLLBACK")
    journal.close()
    is_said_and_undone(scoutkit, worked_in)


def test_a_run_that_touched_nothing_has_nothing_to_undo(scoutkit, worked_in):
    run = changed(scoutkit, "true")
    said = scoutkit("run", "undo", run, "--yes")
    assert (said.code, "nothing changed" in said.err) == (0, True)


def test_a_run_of_the_built_in_agent_was_not_looked_at(scoutkit, repo):
    run = scoutkit("ask", "where are cookies signed", "--agent", "builtin", "--json").json["run"]["id"]
    said = scoutkit("run", "undo", run)
    assert said.code == 1
    assert "hint: " in said.err
