"""Real programs in a repository that means harm, and a model that does as it is told: nothing gets out."""

from __future__ import annotations

import os
import signal
import subprocess

import pytest
from stage import MODELS, Stage
from waiting import until

ISOLATIONS = ("bwrap", "landlock", "none")


@pytest.fixture(params=ISOLATIONS)
def isolation(request: pytest.FixtureRequest) -> str:
    if request.param == "bwrap":
        request.getfixturevalue("bwrap")
    return str(request.param)


ARMED = {  # how a program is to be started so that it does run what a repository brings, and what is run then
    "claude": (("claude", "-p", "--model", MODELS["claude"]), {"claude-hook", "claude-server", "claude-helper"}),
    "codex": (("codex", "exec", "--trust", "--model", MODELS["codex"], "-"), {"codex-server"}),
}


@pytest.mark.parametrize("agent", list(ARMED))
def test_the_hostile_repository_is_armed(stage: Stage, agent: str) -> None:
    """Without scoutkit its commands are run: what the other tests show is not that they do not work."""
    stage.hostile()
    stage.configure("ok")
    argv, run = ARMED[agent]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    env = stage.environment("ok")
    with subprocess.Popen(argv, cwd=stage.repo, env=env, stdin=subprocess.PIPE, start_new_session=True, **quiet) as one:
        assert one.stdin
        one.stdin.write(b"Why?")
        one.stdin.close()
        try:
            until(lambda: run <= {path.name for path in stage.proof.iterdir()})
        finally:
            os.killpg(one.pid, signal.SIGKILL)  # it was told of a model that is not there


def test_what_a_repository_brings_is_not_run(stage: Stage, agent: str, isolation: str) -> None:
    stage.hostile()
    done = stage.ask(agent, "ok", "--isolate", isolation)
    assert done.code == 0, done.err
    assert done.answer["run"]["isolation"] == isolation
    assert not list(stage.proof.iterdir())
    stage.undisturbed()
    stage.keyless(done)


def test_an_agent_that_means_harm_writes_nothing_sees_no_key_and_leaves_nothing_running(
    stage: Stage, agent: str, isolation: str
) -> None:
    stage.hostile()
    done = stage.ask(agent, "wild", "--isolate", isolation)
    assert done.code == 0, done.err
    tried = stage.server.asked("wild")[-1].results
    assert len(tried) >= 9
    assert "written by a tool" not in tried[-1], "the worktree of a question is not written to"
    assert "class Signer" in tried[-1]
    assert not list(stage.proof.iterdir()), "what the repository brings is not run"
    stage.undisturbed()
    stage.keyless(done)


def test_an_agent_reaches_its_model_and_nothing_else(stage: Stage, agent: str, bwrap: None) -> None:
    done = stage.ask(agent, "ok", "--isolate", "bwrap", "--network", "model")
    assert done.code == 0, done.err
    stage.undisturbed()


@pytest.mark.timeout(200)
def test_an_agent_without_a_network_says_so(stage: Stage, agent: str, bwrap: None) -> None:
    done = stage.ask(agent, "ok", "--isolate", "bwrap", "--network", "none", "--timeout", "8s", limit=150)
    assert done.code == 4, (done.out, done.err)
    assert not stage.server.asked("ok")
    stage.undisturbed()
