"""What a person is told of an agent program's failure is a way out that can be gone."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

STREAMS = Path(__file__).parents[1] / "agents/streams/claude"


@pytest.fixture
def claude(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program of that name, which says what Claude Code once said when none of its tools worked."""
    folder = tmp_path / "programs"
    folder.mkdir()
    (folder / "said").write_text((STREAMS / "write-plan.jsonl").read_text("utf-8"), "utf-8")
    program = folder / "claude"
    program.write_text('#!/bin/sh\n[ "$1" = --version ] && exec echo 2.1.332\ncat >/dev/null\ncat "${0%/*}/said"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")


@pytest.mark.usefixtures("claude")
def test_what_a_failed_agent_said_is_shown_by_the_command_in_the_hint(scoutkit: Callable[..., Any]) -> None:
    asked = scoutkit("ask", "Where are cookies signed?", "--agent", "claude", "--isolate", "none", "--no-hints")

    assert asked.code == 4
    assert "its only tool call did not work" in asked.err
    (run,) = re.findall(r"scoutkit run logs (\w{8})\b", asked.err)
    logs = scoutkit("run", "logs", run)
    assert (logs.code, "Write" in logs.out) == (0, True)


@pytest.mark.usefixtures("claude")
def test_of_a_test_no_logs_are_promised(scoutkit: Callable[..., Any]) -> None:
    tried = scoutkit("agents", "test", "claude", "--isolate", "none")

    assert tried.code == 4
    assert "its only tool call did not work" in tried.err
    assert "run logs" not in tried.err
    assert "nothing is kept of a test; to see what it says: scoutkit ask QUESTION --agent claude" in tried.err
