"""Every example of docs/agents.md works as it stands there."""

import os
import re
import shlex
import sys
import tomllib
from pathlib import Path

import pytest

from scoutkit.agents import registry
from scoutkit.agents.scenario import ACTIONS
from scoutkit.config import Settings, load, user_config
from scoutkit.model.agents import EventKind
from scoutkit.model.missions import Result, Usage
from scoutkit.reuse import prompts

PAGE = (Path(__file__).parents[2] / "docs" / "agents.md").read_text("utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
COMMANDS = [
    words[words.index("--agent-cmd") + 1]
    for language, text in BLOCKS
    if language == "console"
    for words in map(shlex.split, text.splitlines())
    if "--agent-cmd" in words
]


def block(language: str, containing: str) -> str:
    (text,) = [text for found, text in BLOCKS if found == language and containing in text]
    return text


def test_the_command_given_once_reports(stage):
    outcome, _ = stage.play(registry.find("command", Settings(), agent_cmd=COMMANDS[0]))

    assert outcome.result is Result.DONE
    assert outcome.report.splitlines()[0] == "# These files mention cookies"
    assert "src/auth/middleware.py" in outcome.report


def test_the_recipes_are_those_that_the_hints_name():
    table = PAGE[PAGE.index("## Other agent programs") :]
    assert re.findall(r"^\| \S.* \| `(.+?)` \|", table, re.MULTILINE)[:3] == list(registry.RECIPES.values())


def test_the_commands_with_names_are_found_and_work(stage, monkeypatch, git, tmp_path):
    user_config().mkdir(parents=True)
    (user_config() / "config.toml").write_text(block("toml", "[agents.todo]"))
    program = tmp_path / "bin" / "my-assistant"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\necho "# With $MY_ASSISTANT_KEY: $*" > answer.md\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("MY_ASSISTANT_KEY", "k")
    (stage.worktree / "late.py").write_text("a = 1\n# TODO b\n")
    git(stage.worktree, "add", "late.py")

    todo, _ = stage.play(registry.find("todo", load(None)))
    assistant, _ = stage.play(registry.find("assistant", load(None)))

    assert todo.report == "# Comments that say TODO\n\n- `late.py:2` # TODO b\n"
    assert assistant.report == "# With k: --quiet --out answer.md\n"


def test_the_override_adds_to_the_prompt(tmp_path):
    (tmp_path / "ask.md").write_text(block("jinja", "shipped/ask.md"))
    variables = {"question": "q", "repository": "r", "commit": "c"}

    text = prompts.render("ask", variables, overrides=tmp_path)

    assert text.startswith(prompts.render("ask", variables))
    assert "the folder `legacy/` is not deployed" in text


def test_the_scenario_plays(stage, scenario):
    path = scenario(block("toml", "description ="))

    outcome, events = stage.play(registry.find(f"scripted:{path}", Settings()))

    assert outcome.result is Result.DONE
    assert outcome.report.startswith("# Session cookies are signed in SessionSigner\n")
    assert (outcome.model, outcome.usage) == ("demo-1", Usage(1200, 80, 0.01))
    assert EventKind.TOOL_CALL in {event.kind for event in events}


def test_every_action_of_a_scenario_is_explained():
    section = PAGE[PAGE.index("| action |") :].split("\n\n")[0]

    assert re.findall(r"^\| `(\w+)`", section, re.MULTILINE) == list(ACTIONS)


@pytest.mark.parametrize(
    ("prints", "result", "reason"),
    [
        ('{"type":"tool","text":"read"}\n{"type":"end","text":"# T","usage":{"input_tokens":9}}', Result.DONE, ""),
        ('{"type":"end","text":"# T","error":"no credit"}', Result.FAILED, "it broke off: no credit"),
        ('{"type":"tool","text":"read"}', Result.FAILED, "it left no report"),
        ("[1]\n7\nnonsense", Result.FAILED, "it left no report"),
    ],
)
def test_the_agent_in_python_is_found_and_understands_its_program(stage, tmp_path, monkeypatch, prints, result, reason):
    site = tmp_path / "site"
    info = site / "my_agent-1.0.dist-info"
    info.mkdir(parents=True)
    (site / "my_agent.py").write_text(block("python", "class MyAgent"))
    points = tomllib.loads(block("toml", "entry-points"))["project"]["entry-points"]["scoutkit.agents"]
    lines = [f"{name} = {target}" for name, target in points.items()]
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-agent\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("\n".join(["[scoutkit.agents]", *lines]))
    monkeypatch.syspath_prepend(site)
    monkeypatch.delitem(sys.modules, "my_agent", raising=False)
    program = tmp_path / "bin" / "my-agent"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\ncat <<'END'\n{prints}\nEND\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")

    outcome, events = stage.play(registry.find("my-agent", Settings()))

    assert (outcome.result, outcome.reason) == (result, reason)
    assert events
    assert outcome.usage.input_tokens == (9 if result is Result.DONE else None)
