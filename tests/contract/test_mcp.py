"""Real programs as clients of `scoutkit mcp`: they find its tools, call them, and tell their model what these gave."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from stage import MODELS, QUESTION, Stage, git

NOTE = """\
---
id: cookie01
type: ask
title: Session cookies are signed by Signer.sign
status: stable
commit: {commit}
citations:
- {{at: 'app/sessions.py:14-16', verdict: supported, symbol: Signer.sign}}
---

`Signer.sign` appends a MAC (`app/sessions.py:14-16`).
"""
SERVER: dict[str, Any] = {"command": sys.executable, "args": ["-m", "scoutkit", "mcp"]}


def _claude(_: Stage, *options: str) -> list[str]:
    config = json.dumps({"mcpServers": {"scoutkit": {**SERVER, "args": [*SERVER["args"], *options]}}})
    own = ("--strict-mcp-config", "--mcp-config", config, "--allowedTools", "mcp__scoutkit")
    return ["claude", "-p", QUESTION, "--output-format", "json", "--model", MODELS["claude"], "--tools", "", *own]


def _codex(stage: Stage) -> list[str]:
    """`required`: `codex exec` waits for the server before its first question to the model."""
    stage.configure("notes")
    settings = stage.home / ".codex/config.toml"
    lines = [f"{key} = {json.dumps(value)}\n" for key, value in {**SERVER, "required": True}.items()]
    settings.write_text(f"{settings.read_text()}[mcp_servers.scoutkit]\n{''.join(lines)}")
    return ["codex", "exec", "--json", "--skip-git-repo-check", "-s", "read-only", "-m", MODELS["codex"], QUESTION]


@pytest.mark.parametrize("start", [_claude, pytest.param(_codex, marks=pytest.mark.agents)])
def test_a_program_searches_and_reads_notes(stage: Stage, start: object) -> None:
    notes = stage.repo / ".claude/notes"
    notes.mkdir(parents=True)
    (notes / "2026-11-30-cookies.md").write_text(NOTE.format(commit=git(stage.repo, "rev-parse", "HEAD").strip()))
    assert callable(start)
    program, *argv = start(stage)
    done = subprocess.run(
        [Path(stage.programs, program), *argv],
        cwd=stage.repo,
        env={**stage.environment("notes"), "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )
    assert done.returncode == 0, (done.stdout, done.stderr)
    last = stage.server.asked("notes")[-1]
    for name in ("search_notes", "read_note", "notes_about", "pack_notes", "check_note"):
        assert [tool for tool in last.tools if tool.endswith(name)], last.tools
    search, read, wrong = last.results
    assert '"id":"cookie01"' in search
    assert '"budget_used":' in search
    assert "appends a MAC" in read
    assert '"verdicts":{"fresh":1}' in read
    assert "error: no such note: nosuchnote\nhint: " in wrong
    assert not [line for line in stage.strays() if "mcp" in line]


@pytest.mark.agents
def test_a_program_sends_an_agent_and_is_told_what_it_found(stage: Stage) -> None:
    program, *argv = _claude(stage, "--allow-ask", "--agent", "builtin")
    done = subprocess.run(
        [Path(stage.programs, program), *argv],
        cwd=stage.repo,
        env={**stage.environment("asks"), "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert done.returncode == 0, (done.stdout, done.stderr)
    last = stage.server.asked("asks")[-1]
    (answer,) = last.results
    assert '"from_memory":false' in answer
    assert "app/sessions.py:" in answer
    (kept,) = (stage.repo / ".claude/notes").glob("*.md")
    assert "Where is the session cookie signed?" in kept.read_text()
    assert not [line for line in stage.strays() if "mcp" in line or "scoutkit" in line]
