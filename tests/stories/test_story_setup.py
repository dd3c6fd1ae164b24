"""A scout's worktree is made ready, and what is secret in it comes into no note and no record."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from scoutkit import config
from scoutkit.agents.command import Command
from scoutkit.desk import Desk
from scoutkit.model.missions import Kind, Result, Terms
from scoutkit.stories import leftovers, story

KEYS = {  # none is anybody's; each is put together here, so that no scanner of this file stumbles over it
    "AWS_ACCESS_KEY_ID": "AKIA" + "QX7N2LM4RTVW8YZ3",
    "GITHUB": "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8",
    "STRIPE": "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc",
    "SLACK": "xoxb-" + "123456789012-1234567890123-AbCdEfGhIjKlMnOpQrStUvWx",
    "SENDGRID": "SG." + "ngeVfQFYQlKU0ufo8x5d1A.TwL2iGABf9DHoTf-09kqeF8tAmbihYzrnopKc-1s5cr",
    "TWILIO": "SK" + "0a1b2c3d4e5f60718293a4b5c6d7e8f9",
    "MAILCHIMP": "9f86d081884c7d659a2feaa0c55ad015" + "-us12",
    "DISCORD": "MTk4NjIyNDgzNDcxOTI1MjQ4" + ".Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs",
    "AZURE": "lJzRc1YdHaAA2KCNJJ1tkYwF/+mKK6Ygw0NGe170Xu592euJv2wYUtBlV8z+qnlcNQSnIYVTkLWntUO1F8j8rQ" + "==",
    "JWT": "eyJhbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
    "DB_PASSWORD": "correct-horse-battery",
    "SESSION_SALT": "3f2a9c0e7b51d8644fa0c2be9d17a65c",
}
COPIED = (
    "cat .env.local; cat .env.local >&2; cp .env.local notes.txt; echo; echo '# Keys'; echo;"
    ' while IFS= read -r line; do echo "- it says ${line#*=}"; done <.env.local'
)


@pytest.fixture
def ready(repo, git):
    (repo / ".gitignore").write_text(".env*\n.worktreeinclude\n")
    prompts = repo / config.PROMPTS
    prompts.mkdir(parents=True)
    (prompts / "scout.md").write_text("{{ question }}\n")
    git(repo, "add", ".")
    git(repo, "commit", "-q", "-m", "ignore")
    (repo / ".worktreeinclude").write_text(".env.local\n")
    (repo / ".env.local").write_text("".join(f"{name}={value}\n" for name, value in KEYS.items()))
    return repo


def send(repo: Path, kind: Kind, command: str):
    desk, told = Desk.open(repo), []
    agent = Command(command)
    mission = story.plan(desk, kind, "try", agent, base="HEAD", terms=Terms(isolation="none"), agent_cmd=command)
    return story.ask(desk, mission, agent, tell=told.append, watch=lambda _: None), told


def everything_kept(repo: Path) -> str:
    folders = (repo / ".claude/notes", repo / ".git/scoutkit")
    files = (path for folder in folders for path in folder.rglob("*") if path.is_file())
    return "".join(path.read_bytes().decode("utf-8", "replace") for path in files)


def test_keys_of_ten_kinds_in_copied_files_come_into_no_note_and_no_record(ready):
    answer, told = send(ready, Kind.SCOUT, COPIED)
    assert any("copied .env.local" in line for line in told)
    assert "it says" in answer.outcome.report
    kept = everything_kept(ready)
    assert "it says" in kept
    assert [name for name, value in KEYS.items() if value in kept] == []


def test_an_ask_gets_no_ignored_file(ready):
    answer, told = send(ready, Kind.ASK, "ls -A; echo; echo '# Files'; ls .env.local || echo none")
    assert told == []
    assert "none" in answer.outcome.report


def test_a_run_that_was_cut_short_is_finished_without_them_too(ready):
    """Killed while its report file held the keys: another command reads that file, and knows what is secret in it."""
    pid = os.fork()
    if pid == 0:
        try:
            desk = Desk.open(ready)
            command = "cp .env.local {report_file}; kill -9 $PPID; sleep 600"
            agent = Command(command)
            terms = Terms(isolation="none")
            mission = story.plan(desk, Kind.SCOUT, "try", agent, base="HEAD", terms=terms, agent_cmd=command)
            story.ask(desk, mission, agent, tell=lambda _: None, watch=lambda _: None)
        finally:
            os._exit(3)
    os.waitpid(pid, 0)
    told = []
    leftovers.recover(Desk.open(ready), told.append)
    assert "cut short" in told[0], told
    kept = everything_kept(ready)
    assert "SESSION_SALT" in kept
    assert [name for name, value in KEYS.items() if value in kept] == []


def test_a_failing_set_up_ends_the_run_and_its_note_says_so(ready):
    settings = config.user_config() / "config.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text(f'[repositories."{ready}"]\nsetup = ["echo cannot >&2; exit 3"]\n')
    answer, _ = send(ready, Kind.SCOUT, "echo '# T'; echo; echo began")
    assert answer.outcome.result is Result.FAILED
    assert "exit status 3: cannot" in answer.run.reason
    assert answer.note.status == "draft"
    records = Desk.open(ready).places.records(answer.run.id)
    assert "began" not in (records / "transcript.txt").read_text()
    assert "cannot" in (records / "stderr.txt").read_text()
