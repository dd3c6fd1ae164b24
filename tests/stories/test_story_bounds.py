"""An agent that takes too much still leaves a note that says so, and a repository that is as it was."""

from __future__ import annotations

import pytest

from scoutkit import config
from scoutkit.agents.command import Command
from scoutkit.desk import Desk
from scoutkit.model.missions import Kind, Limits, Result, Terms
from scoutkit.stories import story

TAKERS = {
    "fork bomb": "b() { [ $1 -gt 0 ] && { b $(($1-1)) & b $(($1-1)) & }; sleep 600; }; b 7",
    "disk": "i=0; while [ $i -lt 300 ]; do head -c 1000000 /dev/zero >f$i; i=$((i+1)); sleep 0.01; done; sleep 600",
    "output": "yes some line | head -c 2000000000",
}


@pytest.mark.parametrize(("taker", "why"), [("fork bomb", "processes"), ("disk", "of disk"), ("output", "bytes")])
def test_it_leaves_a_draft_that_says_why_and_a_clean_repository(repo, git, taker, why):
    before = git(repo, "for-each-ref"), git(repo, "status", "--porcelain", "--ignored")
    desk, command = Desk.open(repo), f"echo '# Half'; echo; echo a finding; {TAKERS[taker]}"
    agent = Command(command)
    limits = Limits(timeout=100, output_bytes=200_000, disk_bytes=20_000_000, processes=100)
    terms = Terms(limits, isolation="none")
    mission = story.plan(desk, Kind.ASK, "q", agent, base="HEAD", terms=terms, agent_cmd=command)
    answer = story.ask(desk, mission, agent, tell=lambda _: None, watch=lambda _: None)
    assert answer.outcome.result is Result.BUDGET
    assert why in answer.run.reason
    assert answer.note.status == "draft"
    text = (repo / answer.note.path).read_text()
    assert "a finding" in text
    assert why in text
    assert not list((config.user_state() / "runs").iterdir())
    after = git(repo, "for-each-ref"), git(repo, "status", "--porcelain", "--ignored", "--", ".", ":!.claude")
    assert after == before


def test_a_daemon_left_behind_does_not_outlive_the_run(repo, tmp_path):
    desk, tick = Desk.open(repo), tmp_path / "tick"
    command = f"echo '# T'; echo; echo x; setsid sh -c 'while sleep 0.1; do touch {tick}; done' >/dev/null 2>&1 &"
    agent = Command(command)
    terms = Terms(isolation="none")
    mission = story.plan(desk, Kind.ASK, "q", agent, base="HEAD", terms=terms, agent_cmd=command)
    answer = story.ask(desk, mission, agent, tell=lambda _: None, watch=lambda _: None)
    assert answer.note.status == "stable"
    tick.unlink(missing_ok=True)
    import time

    time.sleep(0.4)
    assert not tick.exists()
