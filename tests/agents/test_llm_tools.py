"""llm's tools read one repository and nothing else, in bounded time and space."""

from __future__ import annotations

import json
import os
import runpy
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from waiting import PATIENCE, soon

import scoutkit.agents.llm

FILE = Path(scoutkit.agents.llm.__file__).with_name("llm_tools.py")
Tool = Callable[..., str]


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Tool]:
    """The tools as `llm` has them: what the file defines that can be called and has no underscore."""
    root = tmp_path / "tree"
    (root / "app").mkdir(parents=True)
    (root / "app/greet.py").write_text('DEFAULT = "world"\n\n\nasync def greet(name):\n    return name or DEFAULT\n')
    (root / "notes.md").write_text("# Title\n\nText.\n\n## Part\n")
    (root / ".git").write_text("gitdir: /elsewhere\n")
    (root / "blob.bin").write_bytes(b"\x7fELF\0\0greet")
    (tmp_path / "secret.txt").write_text("greet the secret\n")
    (root / "out").symlink_to(tmp_path / "secret.txt")
    (root / "up").symlink_to(tmp_path)
    (root / "alias").symlink_to(root / "notes.md")
    monkeypatch.setenv("SCOUTKIT_WORKTREE", str(root))
    found = runpy.run_path(str(FILE))
    return {name: one for name, one in found.items() if callable(one) and not name.startswith("_")}


def test_four_tools_are_offered_each_with_a_description_and_typed_parameters(tools: dict[str, Tool]) -> None:
    assert sorted(tools) == ["grep", "list_files", "outline", "read_file"]
    assert all(tool.__doc__ for tool in tools.values())
    assert all(set(tool.__annotations__.values()) <= {str, int} for tool in tools.values())


def test_a_file_is_read_with_line_numbers(tools: dict[str, Tool]) -> None:
    assert tools["read_file"]("app/greet.py", 4, 4) == "    4  async def greet(name):\n(lines 4 to 4 of 5)"
    assert tools["read_file"]("app/greet.py").splitlines()[-1] == "    5      return name or DEFAULT"
    assert tools["read_file"]("alias").startswith("    1  # Title"), "a link that stays inside is followed"


def test_a_range_past_the_end_says_how_long_the_file_is(tools: dict[str, Tool]) -> None:
    assert tools["read_file"]("app/greet.py", 99) == "app/greet.py has 5 lines"


def test_a_regular_expression_is_looked_for_in_text_files_of_the_repository_alone(tools: dict[str, Tool]) -> None:
    assert tools["grep"](r"greet\(") == "app/greet.py:4: async def greet(name):"
    assert tools["grep"]("greet", files="*.md") == "nothing matches"
    assert tools["grep"]("DEFAULT", "app/greet.py").count("\n") == 1


def test_files_are_listed_without_links_and_without_git(tools: dict[str, Tool]) -> None:
    assert tools["list_files"]().splitlines() == ["blob.bin", "notes.md", "app/greet.py"]
    assert tools["list_files"](files="app/*") == "app/greet.py"


def test_an_outline_has_what_a_file_defines(tools: dict[str, Tool]) -> None:
    assert tools["outline"]("app/greet.py") == "    4  async def greet(name):"
    assert tools["outline"]("notes.md") == "    1  # Title\n    5  ## Part"


@pytest.mark.parametrize(
    "path", ["../secret.txt", "out", "up/secret.txt", "app/../../secret.txt", "/etc/passwd", "up", "~/x/../../..", ".."]
)
@pytest.mark.parametrize("tool", ["read_file", "outline", "list_files", "grep"])
def test_what_leads_out_of_the_repository_is_refused(tools: dict[str, Tool], tool: str, path: str) -> None:
    answer = tools[tool]("greet", path) if tool == "grep" else tools[tool](path)
    assert answer.startswith("Error: ")
    assert "secret" not in answer.replace("secret.txt", "")


def test_gits_own_file_is_not_part_of_the_code(tools: dict[str, Tool]) -> None:
    assert tools["read_file"](".git") == "Error: .git is not part of the code"
    assert "gitdir" not in tools["grep"]("gitdir")


def test_a_binary_file_is_named_as_one(tools: dict[str, Tool]) -> None:
    assert tools["read_file"]("blob.bin") == "Error: blob.bin is binary, 11 bytes"


def test_a_pipe_is_not_waited_for(tools: dict[str, Tool]) -> None:
    os.mkfifo(Path(os.environ["SCOUTKIT_WORKTREE"]) / "pipe")
    assert tools["read_file"]("pipe") == "Error: pipe is no file"
    assert tools["grep"]("greet").startswith("app/greet.py:4:")


def test_long_files_and_long_lines_come_in_parts(tools: dict[str, Tool]) -> None:
    root = Path(os.environ["SCOUTKIT_WORKTREE"])
    (root / "long.txt").write_text("".join(f"{number}\n" for number in range(1000)) + "x" * 10_000)
    (root / "huge.txt").write_text("y" * 3_000_000)
    first = tools["read_file"]("long.txt")
    assert first.splitlines()[-1] == "(lines 1 to 400 of 1001)"
    assert len(first) < 10_000
    assert len(tools["read_file"]("long.txt", 1001)) < 1000
    assert "more that is not read" in tools["read_file"]("huge.txt")
    assert tools["grep"](r"\d").splitlines()[-1].startswith("(only the first 200")


def test_an_expression_that_never_ends_is_stopped(tools: dict[str, Tool]) -> None:
    Path(os.environ["SCOUTKIT_WORKTREE"], "a.txt").write_text("a" * 40 + "!\n")
    tools["grep"].__globals__["_grep"].__globals__["_SECONDS"] = 0.3
    with soon():
        assert "stopped after 0.3 seconds" in tools["grep"]("(a+)+$")


def test_where_nothing_can_stop_an_expression_it_is_taken_as_text(tools: dict[str, Tool]) -> None:
    answers: list[str] = []
    thread = threading.Thread(target=lambda: answers.extend([tools["grep"]("greet("), tools["grep"]("g.eet")]))
    thread.start()
    thread.join(timeout=PATIENCE)
    assert answers == ["app/greet.py:4: async def greet(name):", "nothing matches"]


@pytest.mark.parametrize("arguments", [("(",), ("greet", "nowhere"), ("greet", "\0")])
def test_what_cannot_be_looked_for_is_an_answer_and_not_an_exception(
    tools: dict[str, Tool], arguments: tuple[str, ...]
) -> None:
    assert tools["grep"](*arguments).startswith("Error: ")


def test_without_a_repository_every_tool_says_so(tools: dict[str, Tool], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SCOUTKIT_WORKTREE")
    assert tools["read_file"]("notes.md") == "Error: there is no repository here"


def test_each_call_leaves_a_line_that_the_reader_understands(
    tools: dict[str, Tool], capsys: pytest.CaptureFixture[str]
) -> None:
    tools["read_file"]("notes.md")
    tools["read_file"]("../secret.txt")
    lines = [line for line in capsys.readouterr().out.split("\n") if line]
    assert [line[0] for line in lines] == ["\x1e", "\x1e"]
    assert [json.loads(line[1:])["ok"] for line in lines] == [True, False]


def test_answers_are_kept_where_a_variable_says(
    tools: dict[str, Tool], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "answers.jsonl"
    monkeypatch.setenv("SCOUTKIT_ANSWERS", str(kept))
    answer = tools["read_file"]("notes.md", 1, 1)
    assert json.loads(kept.read_text()) == {"call": "read_file notes.md", "answer": answer}
    monkeypatch.setenv("SCOUTKIT_ANSWERS", str(tmp_path / "no/where"))
    assert tools["read_file"]("notes.md", 1, 1) == answer


_PATHS = st.text(alphabet="./~\\ab\0 \n*", max_size=12) | st.sampled_from(["out", "up/x", "app", "notes.md"])


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(path=_PATHS, pattern=st.text(max_size=8), start=st.integers(), end=st.integers())
def test_no_argument_raises_or_leads_out(tools: dict[str, Tool], path: str, pattern: str, start: int, end: int) -> None:
    calls: list[Any] = [
        tools["read_file"](path, start, end),
        tools["outline"](path),
        tools["list_files"](path, pattern),
        tools["grep"](pattern, path),
    ]
    assert all("the secret" not in answer for answer in calls)
