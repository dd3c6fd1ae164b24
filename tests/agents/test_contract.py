"""What every agent promises, whoever wrote it."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from waiting import soon

from scoutkit import config
from scoutkit.agents import registry
from scoutkit.agents.command import from_settings
from scoutkit.config import Settings
from scoutkit.model.agents import Agent, Event
from scoutkit.model.missions import Kind, Outcome, Result

MAKERS = {
    "builtin": lambda: registry.find("builtin", Settings()),
    "scripted": lambda: registry.find("scripted:demo", Settings()),
    "command": lambda: registry.find("command", Settings(), agent_cmd="cat >&2; echo; echo '# Found'"),
    "mine": lambda: from_settings("mine", {"command": "wc -c < {prompt_file} > {report_file}", "kinds": ["ask"]}),
}
every_agent = pytest.mark.parametrize("name", MAKERS)
hostile = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Agent programs that say which version they are. What the real ones do is in tests/contract."""
    for name in registry.PROGRAMS:
        program = tmp_path / "bin" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text("#!/bin/sh\necho 99.1.0\n")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")


def test_every_agent_that_ships_is_held_to_this():
    assert set(registry.REGISTRY) == {"builtin", "scripted", *registry.PROGRAMS}


@pytest.mark.parametrize("name", registry.PROGRAMS)
def test_a_program_is_started_by_its_path_with_its_own_home_and_the_prompt_in_no_argument(name, stage, installed):
    def outside() -> list[Path]:
        ours = (stage.scratch, config.user_cache())
        return sorted(path for path in stage.worktree.parent.rglob("*") if not any(map(path.is_relative_to, ours)))

    agent = registry.find(name, Settings(prices={"m": {"input": 1, "output": 2}}))
    before = outside()

    prompt = "Where are cookies signed?" * 10_000
    invocation = agent.invocation(stage.mission, prompt, stage.worktree, stage.scratch)

    assert agent.name == name
    assert Path(invocation.argv[0]).is_absolute()
    assert not any(prompt in argument for argument in invocation.argv)
    assert Path(invocation.env["HOME"]).is_relative_to(stage.scratch)
    assert all(copy.is_relative_to(stage.scratch) for _, copy in invocation.login)
    assert invocation.contained
    assert invocation.hosts
    assert outside() == before


@every_agent
def test_it_says_who_it_is_and_what_it_can_do(name):
    agent: Agent = MAKERS[name]()

    assert agent.name == name
    assert agent.kinds
    assert agent.kinds <= frozenset(Kind)
    assert isinstance(agent.needs_checkout, bool)


@every_agent
def test_availability_is_known_at_once(name):
    agent = MAKERS[name]()

    with soon():
        assert agent.availability().ok


@every_agent
def test_being_asked_how_to_start_it_touches_only_scratch(name, stage, git):
    before = sorted(stage.worktree.parent.rglob("*"))

    invocation = MAKERS[name]().invocation(stage.mission, "a prompt", stage.worktree, stage.scratch)

    after = [path for path in sorted(stage.worktree.parent.rglob("*")) if not path.is_relative_to(stage.scratch)]
    assert after == [path for path in before if not path.is_relative_to(stage.scratch)]
    assert os.access(invocation.argv[0], os.X_OK)
    assert Path(invocation.argv[0]).is_absolute()


@every_agent
@pytest.mark.parametrize(
    "prompt", ["Where are cookies signed?", "--help", "säße `id` $(id) \"'\\ {x}\n\n", "x" * 300_000]
)
def test_it_answers_any_prompt_with_a_report_and_leaves_the_worktree_clean(name, prompt, stage, git):
    outcome, events = stage.play(MAKERS[name](), prompt)

    assert outcome.result is Result.DONE, outcome.reason
    assert outcome.report.strip()
    assert not outcome.reason
    assert all(isinstance(event, Event) for event in events)
    assert git(stage.worktree, "status", "--porcelain", "--ignored") == ""


@every_agent
def test_a_signal_or_an_exit_status_is_a_failure_with_a_reason_even_with_a_report(name, stage):
    for code, words in ((-9, "signal 9 (killed)"), (3, "exit status 3"), (None, "nobody saw")):
        reader = MAKERS[name]().invocation(stage.mission, "p", stage.worktree, stage.scratch).reader
        list(reader.feed("# Half a report"))

        outcome = reader.finish(code, "", "# Half a report")

        assert outcome.result is Result.FAILED
        assert words in outcome.reason


@every_agent
def test_nothing_said_is_a_failure_with_a_reason(name, stage):
    for report_file in (None, "", " \n\t\n"):
        reader = MAKERS[name]().invocation(stage.mission, "p", stage.worktree, stage.scratch).reader
        list(reader.feed("  "))

        outcome = reader.finish(0, "last words\n\n", report_file)

        assert outcome.result is Result.FAILED
        assert not outcome.report
        assert outcome.reason.endswith("last words")


LINES = st.one_of(
    st.text(max_size=60),
    st.sampled_from(
        ['{"kind":"text"', '{"kind":"text","text":7}', "[]", "null", '{"kind":[]}', "\x1b[", "NaN", "1e999"]
    ),
    st.from_regex(
        r'\{"kind":"(text|usage|report|error|done|new)","(usage|data|text)":(1|"x"|\[\]|\{"model":2\}|null)\}'
    ),
)


@every_agent
@given(lines=st.lists(LINES, max_size=6), code=st.none() | st.integers(-70, 300), tail=st.text(max_size=50))
@hostile
def test_no_line_breaks_the_reader(name, stage, lines, code, tail):
    reader = MAKERS[name]().invocation(stage.mission, "p", stage.worktree, stage.scratch).reader

    events = [event for line in lines for event in reader.feed(line)]
    outcome = reader.finish(code, tail, None)

    assert all(isinstance(event, Event) for event in events)
    assert isinstance(outcome, Outcome)
    assert outcome.result is Result.FAILED or (code == 0 and outcome.report.strip())


@every_agent
def test_two_runs_at_once_do_not_share_a_reader(name, stage):
    make: Callable[[], Agent] = MAKERS[name]
    agent = make()

    one = agent.invocation(stage.mission, "p", stage.worktree, stage.scratch)
    other = agent.invocation(stage.mission, "p", stage.worktree, stage.scratch)

    assert one.reader is not other.reader
