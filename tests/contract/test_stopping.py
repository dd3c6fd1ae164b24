"""Real programs that do not end by themselves: limits, signals, and what they leave running."""

from __future__ import annotations

import contextlib
import os
import signal
from pathlib import Path

import pytest
from model_server import DRAFT, SECONDS
from stage import MODELS, QUESTION, Stage, command_lines, processes
from waiting import until

TITLE = DRAFT.splitlines()[0].removeprefix("# ")
REPORTING = ("claude", "codex", "gemini", "copilot")  # llm keeps no session to resume
ISOLATIONS = ("bwrap", "landlock", "none")


def drafts(stage: Stage) -> list[str]:
    return [path.read_text() for path in (stage.repo / ".claude/notes/drafts").glob("*.md")]


def test_an_agent_out_of_turns_still_writes_its_report(stage: Stage, agent: str) -> None:
    done = stage.ask(agent, "loop", "--max-turns", "3")
    assert done.code == 4, (done.out, done.err)
    assert "turn" in done.err
    assert "--max-turns" in done.err
    assert len([one for one in stage.server.asked("loop") if "no more time" not in one.text]) <= 6
    (draft,) = drafts(stage)
    assert (TITLE if agent in REPORTING else "I look at it, step 1") in draft
    stage.undisturbed()


@pytest.mark.parametrize("isolation", ISOLATIONS)
def test_claude_is_told_while_it_works_that_little_is_left(
    stage: Stage, request: pytest.FixtureRequest, isolation: str
) -> None:
    if isolation == "bwrap":
        request.getfixturevalue("bwrap")
    stage.ask("claude", "loop", "--max-turns", "8", "--isolate", isolation)
    told = ["Little is left of what you may use" in one.text for one in stage.server.asked("loop")]
    assert any(told)
    assert not any(told[:6])
    stage.undisturbed()


def test_an_agent_out_of_money_still_writes_its_report(stage: Stage) -> None:
    done = stage.ask("claude", "budget", "--max-cost", "1")
    assert done.code == 4, (done.out, done.err)
    assert "--max-cost" in done.err
    assert len(stage.server.asked("budget")) <= 5
    (draft,) = drafts(stage)
    assert TITLE in draft
    stage.undisturbed()


def test_an_agent_out_of_time_still_writes_its_report(stage: Stage, agent: str) -> None:
    done = stage.ask(agent, "loop", "--timeout", "10s" if agent in ("claude", "codex") else "15s")  # those start late
    assert done.code == 4, (done.out, done.err)
    assert "it took longer than 1" in done.err
    assert "--timeout" in done.err or "when it was last asked" in done.err  # its connection may just have been cut
    (draft,) = drafts(stage)
    assert (TITLE if agent in REPORTING else "I look at it, step 1") in draft
    stage.undisturbed()


def test_an_agent_that_says_nothing_is_stopped(stage: Stage, agent: str) -> None:
    done = stage.ask(agent, "midstall", "--idle", "5s")
    assert done.code == 4, (done.out, done.err)
    assert "said nothing for 5 s" in done.err
    stage.undisturbed()


@pytest.mark.parametrize("isolation", ISOLATIONS)
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL, signal.SIGINT], ids=lambda how: how.name)
def test_nothing_outlives_scoutkit(
    stage: Stage, request: pytest.FixtureRequest, isolation: str, how: signal.Signals
) -> None:
    if isolation == "bwrap":
        request.getfixturevalue("bwrap")
    popen = stage.start(*asking("codex", isolation), scenario="slowtool")
    until(lambda: stage.server.asked("slowtool"))
    until(lambda: any(f"sleep {SECONDS['slowtool']}" in line for line in command_lines()))
    os.kill(popen.pid, how)
    done = stage.finish(popen)
    if how is signal.SIGKILL:
        assert done.code == -signal.SIGKILL
        assert stage.scoutkit("runs").code == 0  # whatever comes next finishes the run
    else:
        assert done.code == 130, done.err
    assert len(drafts(stage)) == 1
    stage.undisturbed()


@pytest.mark.parametrize("isolation", ISOLATIONS)
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL], ids=lambda how: how.name)
def test_an_agent_that_is_killed_leaves_nothing(
    stage: Stage, request: pytest.FixtureRequest, agent: str, isolation: str, how: signal.Signals
) -> None:
    if isolation == "bwrap":
        request.getfixturevalue("bwrap")
    popen = stage.start(*asking(agent, isolation), scenario="slowtool")
    until(lambda: len(stage.server.asked("slowtool")) >= 2)
    for pid in programs_of(stage, agent):
        with contextlib.suppress(ProcessLookupError):  # it may end with another of them
            os.kill(pid, how)
    done = stage.finish(popen)
    assert done.code == 4, (done.out, done.err)
    stage.undisturbed()


def asking(agent: str, isolation: str) -> tuple[str, ...]:
    return ("ask", QUESTION, "--agent", agent, "--model", MODELS[agent], "--json", "--isolate", isolation)


def programs_of(stage: Stage, agent: str) -> list[int]:
    """The program itself, not what contains it nor what it started: the outermost whose file is the program's."""
    file = os.path.realpath(stage.programs / agent)
    package = next((str(one) for one in Path(file).parents if one.name == "node_modules"), file)
    state = str(stage.home)
    found = [pid for pid, cwd, line in processes() if cwd.startswith(state) and of_program(pid, line, package, agent)]
    assert found, f"{agent} does not run"
    return found


def of_program(pid: int, line: str, package: str, agent: str) -> bool:
    first, second = [*line.split(" "), "", ""][:2]
    return first.endswith(f"/{agent}") or first.startswith(package) or second.endswith(f"/{agent}")
