"""Set-up commands run before the agent, where it will work; one that fails ends the run before it began."""

from __future__ import annotations

import pytest

from scoutkit.dispatch import setup
from scoutkit.model.missions import Result

READS = '[[step]]\nrun = "cat made"\n[[step]]\nreport = "# T\\n\\nread"\n'


def test_they_run_in_the_worktree_before_the_agent_in_order(play):
    outcome = play(READS, commands=["echo one >made", "echo two >>made; echo noise"])
    assert outcome.result is Result.DONE
    assert (play.worktree / "made").read_text() == "one\ntwo\n"
    told = [event.data["setup"] for event in play.events if event.text.startswith("set-up: ")]
    assert told == ["echo one >made", "echo two >>made; echo noise"]
    assert "noise" in (play.records / "transcript.txt").read_text()
    assert "noise" not in outcome.report


def test_one_that_fails_ends_the_run_with_its_reason_and_the_agent_is_not_started(play):
    outcome = play(READS, commands=["echo 'no such package' >&2; exit 7", "touch second"])
    assert outcome.result is Result.FAILED
    assert "exit 7" in outcome.reason
    assert "exit status 7: no such package" in outcome.reason
    assert "run logs" in outcome.hint
    assert outcome.report == ""
    assert not (play.worktree / "second").exists()
    assert "no such package" in (play.records / "stderr.txt").read_text()


def test_one_that_hangs_is_stopped(play, monkeypatch):
    monkeypatch.setattr(setup, "SECONDS", 0.3)
    outcome = play(READS, commands=["sleep 600"])
    assert outcome.result is Result.FAILED
    assert "longer than 0.3 s" in outcome.reason


def test_what_they_leave_running_is_ended_before_the_agent(play):
    scenario = '[[step]]\nrun = "test -e tick && mv tick gone; sleep 0.6; ls"\n[[step]]\nreport = "# T\\n\\nx"\n'
    play(
        scenario,
        commands=["(while sleep 0.1; do touch tick; done) >/dev/null 2>&1 & until [ -e tick ]; do sleep 0.05; done"],
    )
    assert (play.worktree / "gone").exists()
    assert not (play.worktree / "tick").exists()


def test_the_agents_keys_are_not_theirs(play):
    play(READS, commands=["env >made"], env={"MY_KEY": "k-123456789"})
    assert "MY_KEY" not in (play.worktree / "made").read_text()


@pytest.mark.parametrize("isolation", ["bwrap", "landlock"])
def test_they_are_as_isolated_as_the_agent(play, isolation, tmp_path):
    from scoutkit.dispatch import sandbox

    if not any(one.name == isolation and one.ok for one in sandbox.possible()):
        pytest.skip(f"no {isolation} here")
    target = tmp_path / "outside"
    play(READS, commands=[f"touch made; touch {target}"], isolation=isolation, writable=True)
    assert (play.worktree / "made").exists()
    assert not target.exists()
