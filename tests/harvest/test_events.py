"""What an agent did, from its events: for every agent's own way of telling it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scoutkit.agents.claude import ClaudeReader
from scoutkit.agents.codex import CodexReader
from scoutkit.agents.copilot import CopilotReader
from scoutkit.agents.gemini import GeminiReader
from scoutkit.harvest import events
from scoutkit.harvest.shell import families


def kept(folder: Path, reader, lines: list[dict]) -> Path:
    """The records of a run whose agent said these lines, half a second apart."""
    with (folder / "events.jsonl").open("w") as file:
        for number, line in enumerate(lines, 1):
            for event in reader.feed(json.dumps(line)):
                at = f"2026-11-30T10:00:{number * 0.5:06.3f}+00:00"
                record = {"at": at, "kind": event.kind.value, "text": event.text, "data": dict(event.data)}
                file.write(json.dumps(record) + "\n")
    return folder


def claude_call(name: str, given: dict, ident: str) -> dict:
    block = {"type": "tool_use", "name": name, "input": given, "id": ident}
    return {"type": "assistant", "message": {"id": f"m{ident}", "model": "m", "content": [block]}}


def claude_result(text: str, ident: str, error: bool) -> dict:
    block = {"type": "tool_result", "tool_use_id": ident, "content": text, "is_error": error}
    return {"type": "user", "message": {"content": [block]}}


def codex_command(ident: str, command: str, code: int, out: str) -> list[dict]:
    item = {"id": ident, "type": "command_execution", "command": f"/bin/bash -lc '{command}'"}
    done = {**item, "status": "completed" if code == 0 else "failed", "exit_code": code, "aggregated_output": out}
    return [{"type": "item.started", "item": item}, {"type": "item.completed", "item": done}]


CASES = {
    "claude": (
        lambda: ClaudeReader(Path("/w/tree")),
        [
            claude_call("Bash", {"command": "npm test"}, "1"),
            claude_call("Edit", {"file_path": "/w/tree/a.py", "old_string": "x", "new_string": "y"}, "2"),
            claude_result("ok", "2", False),
            claude_result("Exit code 3\nError: no such script", "1", True),
        ],
    ),
    "codex": (
        CodexReader,
        [
            *codex_command("1", "npm test", 3, "Error: no such script\n"),
            {
                "type": "item.completed",
                "item": {
                    "id": "2",
                    "type": "file_change",
                    "changes": [{"path": "/w/tree/a.py", "kind": "update"}],
                    "status": "completed",
                },
            },
        ],
    ),
    "gemini": (
        lambda: GeminiReader(Path("/w/tree")),
        [
            {
                "type": "tool_use",
                "tool_name": "run_shell_command",
                "tool_id": "1",
                "parameters": {"command": "npm test"},
            },
            {
                "type": "tool_result",
                "tool_id": "1",
                "status": "success",
                "output": "Output: Error: no such script\nExit Code: 3",
            },
            {
                "type": "tool_use",
                "tool_name": "replace",
                "tool_id": "2",
                "parameters": {"file_path": "/w/tree/a.py", "old_string": "x", "new_string": "y"},
            },
            {"type": "tool_result", "tool_id": "2", "status": "success", "output": "ok"},
        ],
    ),
    "copilot": (
        lambda: CopilotReader(Path("/w/tree")),
        [
            {
                "type": "tool.execution_start",
                "data": {"toolCallId": "1", "toolName": "bash", "arguments": {"command": "npm test"}},
            },
            {
                "type": "tool.execution_complete",
                "data": {
                    "toolCallId": "1",
                    "success": True,
                    "result": {"content": "Error: no such script\n<exited with exit code 3>"},
                },
            },
            {
                "type": "tool.execution_start",
                "data": {
                    "toolCallId": "2",
                    "toolName": "edit",
                    "arguments": {"path": "/w/tree/a.py", "old_str": "x", "new_str": "y"},
                },
            },
            {
                "type": "tool.execution_complete",
                "data": {"toolCallId": "2", "success": True, "result": {"content": ""}},
            },
        ],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_commands_and_edits_of_every_agent_are_known(tmp_path, name):
    reader, lines = CASES[name]
    did = events.read(kept(tmp_path, reader(), lines), roots=("/w/tree",))
    (ran,) = did.ran
    assert (ran.command, ran.exit, ran.ok) == ("npm test", 3, False)
    assert ran.seconds
    assert ran.telling[0].endswith("Error: no such script")
    assert [edit.path for edit in did.edits] == ["a.py"]


def test_half_a_file_of_events_and_no_file_tell_what_they_can(tmp_path):
    assert events.read(tmp_path, roots=()).ran == []
    call = {
        "at": "2026-11-30T10:00:00+00:00",
        "kind": "tool_call",
        "data": {"tool": "shell", "input": {"command": "x"}},
    }
    (tmp_path / "events.jsonl").write_text(json.dumps(call) + '\nnull\n[]\n{"kind": 3}\n{"at": "never", "ki')
    (ran,) = events.read(tmp_path, roots=()).ran
    assert (ran.command, ran.ok, ran.exit) == ("x", None, None)
    assert "was running" in ran.note


def test_the_lines_that_tell_are_the_first_that_say_what_is_wrong():
    output = 'Traceback (most recent call last):\n  File "a.py"\n\x1b[31mValueError: bad\x1b[0m\n0 errors\nbye\n'
    assert events.telling(output) == ("ValueError: bad",)
    assert events.telling("one\ntwo\nthree\n\n") == ("two", "three")
    assert events.telling("") == ()


@pytest.mark.parametrize(
    ("line", "ok", "found"),
    [
        ("npm run build", False, [("npm run build", False)]),
        ("cd web && FOO=1 npx turbo build --filter=x", False, [("turbo build", False)]),
        ("npm ci && npm test", True, [("npm ci", True), ("npm test", True)]),
        ("npm ci && npm test", False, [("npm test", False)]),
        ("pytest -x tests/test_a.py", True, [("pytest", True)]),
        ("python -m pytest -q", False, [("python -m pytest", False)]),
        ("pytest 2>&1 | tail -5", True, []),
        ("make || true", True, []),
        ("make; echo $?", True, []),
        ("grep -rn foo .", False, []),
        ("git status", False, []),
        ("git rebase main", False, [("git rebase", False)]),
        ("cat > x <<'EOF'\nnpm run lies\nEOF", False, []),
        ("'unbalanced", False, [("'unbalanced", False)]),
        ("timeout 60 cargo build", False, [("cargo build", False)]),
        ("", False, []),
        ("make", None, []),
    ],
)
def test_families_of_commands(line, ok, found):
    assert families(line, ok=ok) == found
