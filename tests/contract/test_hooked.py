"""`scoutkit about --hook` in a real Claude Code: what it answers reaches the model, before and after a tool."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from stage import MODELS, QUESTION, Stage

NOTE = "`Signer.sign` appends a MAC (`app/sessions.py:14-16`).\n"
TITLE = "Session cookies are signed by Signer.sign"


@pytest.mark.agents
@pytest.mark.parametrize(("event", "matcher"), [("PreToolUse", "Read"), ("PostToolUse", "Read|Grep")])
def test_the_model_is_told_what_is_known_of_a_file_that_it_reads(stage: Stage, event: str, matcher: str) -> None:
    programs = f"{Path(sys.executable).parent}{os.pathsep}"
    env = stage.environment("ok") | {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
    env["PATH"] = programs + env["PATH"]
    hook = {"matcher": matcher, "hooks": [{"type": "command", "command": "scoutkit about --hook", "timeout": 10}]}
    settings = stage.repo / ".claude/settings.json"
    settings.parent.mkdir(exist_ok=True)
    settings.write_text(json.dumps({"hooks": {event: [hook]}}))
    argv = ["scoutkit", "new", TITLE]
    subprocess.run(argv, cwd=stage.repo, env=env, input=NOTE.encode(), capture_output=True, check=True)
    argv = [str(stage.programs / "claude"), "-p", QUESTION, "--model", MODELS["claude"], "--tools", "Read,Grep"]
    subprocess.run(argv, cwd=stage.repo, env=env, stdin=subprocess.DEVNULL, capture_output=True, check=True, timeout=90)
    asked = stage.server.asked("ok")
    assert TITLE not in asked[0].text
    assert asked[-1].text.count(f"{TITLE} (note ") == 1
    assert "fresh: app/sessions.py:14-16" in asked[-1].text
