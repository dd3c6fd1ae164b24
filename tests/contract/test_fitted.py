"""What `scoutkit init` writes for agent programs, they read: the skill, the hook before edits, the server."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from stage import MODELS, QUESTION, Stage, git

NOTE = "`Signer.sign` appends a MAC (`app/sessions.py:14-16`).\n"
TITLE = "Session cookies are signed by Signer.sign"


def run(stage: Stage, argv: Sequence[str | Path], scenario: str = "edit", stdin: str = "") -> str:
    env = stage.environment(scenario)
    env["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{env['PATH']}"
    quiet = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "GEMINI_CLI_TRUST_WORKSPACE": "true"}
    done = subprocess.run(
        [*argv], cwd=stage.repo, env=env | quiet, input=stdin, capture_output=True, text=True, timeout=90
    )
    assert done.returncode == 0, (done.stdout, done.stderr)
    return done.stdout + done.stderr


@pytest.mark.agents
def test_claude_is_told_before_an_edit_and_finds_skill_and_server(stage: Stage) -> None:
    run(stage, ["scoutkit", "init", "--claude"])
    run(stage, ["scoutkit", "new", TITLE], stdin=NOTE)
    own = ("--tools", "Read,Write,Edit,Skill", "--permission-mode", "acceptEdits")
    run(stage, [stage.programs / "claude", "-p", QUESTION, "--model", MODELS["claude"], *own])
    asked = stage.server.asked("edit")
    assert [tool for tool in asked[-1].tools if tool == "mcp__scoutkit__search_notes"], asked[-1].tools
    assert "What is already known about this codebase" in asked[0].text
    assert TITLE not in asked[0].text
    assert TITLE in asked[-1].text
    run(stage, ["scoutkit", "init", "--undo"])
    assert git(stage.repo, "status", "--short", "--", ".mcp.json", ".claude/settings.json", ".claude/skills") == ""


@pytest.mark.parametrize("agent", ["codex", pytest.param("gemini", marks=pytest.mark.agents)])
def test_others_list_the_server(stage: Stage, agent: str) -> None:
    run(stage, ["scoutkit", "init", f"--{agent}"])
    if agent == "codex":
        stage.configure("ok")
        settings = stage.home / ".codex/config.toml"
        assert "scoutkit" not in run(stage, [stage.programs / agent, "mcp", "list"])
        settings.write_text(f'{settings.read_text()}\n[projects."{stage.repo}"]\ntrust_level = "trusted"\n')
    assert "scoutkit mcp" in " ".join(run(stage, [stage.programs / agent, "mcp", "list"]).split())
