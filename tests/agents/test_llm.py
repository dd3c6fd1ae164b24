"""llm: the verdict on every recorded run, and what it is started with."""

from __future__ import annotations

import csv
import json
import os
import stat
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoutkit.agents.llm import Llm, LlmReader
from scoutkit.errors import Unavailable
from scoutkit.model.agents import Event, EventKind
from scoutkit.model.missions import Kind, Limits, Mission, Outcome

STREAMS = Path(__file__).parent / "streams" / "llm"
LOGS = "scoutkit run logs"
# case: result, a telling part of the reason and of the hint, tokens in and out; `own` ones with the tools that ship
EXPECTED = {
    "own": ("done", "", "", 3600, 240),
    "own-midcut": ("failed", "its report breaks off in the middle", "ask again", 1200, 80),  # exit 0
    "own-turns": ("budget", "its limit of turns", "", None, None),
    "own-garbage": ("failed", "cut off on its way: malformed response", "ask again", None, None),
    "ok": ("failed", "it called no tool", LOGS, 1200, 80),
    "ok-json": ("failed", "it called no tool", LOGS, None, None),
    "tools": ("failed", "it called no tool", LOGS, 3600, 240),  # other tools, which leave no line on stdout
    "e401": ("failed", "its key is refused: Error code: 401", "llm keys set", None, None),
    "e429": ("failed", "429 - Rate limit reached", "try again in 1s", None, None),
    "e500": ("failed", "the model's server has trouble", "try again later", None, None),
    "cut": ("failed", "its report breaks off in the middle", "ask again", None, None),  # exit 0
    "empty": ("failed", "it left no report", "ask again", None, None),  # exit 0
    "term": ("failed", "signal 15", "", None, None),
}
INDEX = {row["case"]: int(row["exit"]) for row in csv.DictReader((STREAMS / "INDEX.tsv").open(), delimiter="\t")}


def read(case: str, **more: object) -> tuple[Outcome, list[Event]]:
    reader = LlmReader(version="0.36", model="fake", **more)  # type: ignore[arg-type]
    text = (STREAMS / f"{case}.jsonl").read_bytes().decode("utf-8").removesuffix("\n")
    events = [event for line in text.split("\n") for event in reader.feed(line)]
    stderr = STREAMS / f"{case}.stderr"
    told = stderr.read_text(encoding="utf-8")[-4000:] if stderr.exists() else ""
    return reader.finish(INDEX[case], told, None), events


def test_every_recorded_run_has_an_expected_verdict() -> None:
    assert set(INDEX) == set(EXPECTED)


@pytest.mark.parametrize("case", EXPECTED)
def test_the_verdict_on_a_recorded_run(case: str) -> None:
    result, reason, hint, read_tokens, wrote = EXPECTED[case]
    outcome, _ = read(case)
    assert (outcome.result.value, outcome.version, outcome.model) == (result, "0.36", "fake")
    assert reason in outcome.reason
    assert bool(outcome.reason) == (result != "done")
    assert hint in outcome.hint
    assert (outcome.usage.input_tokens, outcome.usage.output_tokens) == (read_tokens, wrote)
    if result == "done":
        assert outcome.report.startswith("# How greeting works\n"), "what it said between tools is not the report"
        assert outcome.report.endswith("(`app/main.py:6`).\n")


def test_tools_turns_and_lines_of_text_are_told() -> None:
    _, events = read("own")
    told = [(event.kind, event.text) for event in events if event.kind is not EventKind.TEXT]
    assert told == [
        (EventKind.TURN, ""),
        (EventKind.TOOL_CALL, "read_file app/greet.py"),
        (EventKind.TOOL_RESULT, ""),
        (EventKind.TURN, ""),
        (EventKind.TOOL_CALL, "grep greet"),
        (EventKind.TOOL_RESULT, ""),
        (EventKind.TURN, ""),
    ]
    assert "# How greeting works" in [event.text for event in events if event.kind is EventKind.TEXT]


def test_what_was_said_before_a_limit_is_the_draft() -> None:
    assert read("own-turns")[0].report.startswith("I will look at the code.")


def test_the_users_price_makes_a_cost() -> None:
    outcome, _ = read("own", prices={"fake": {"input": 1, "output": 10, "cached": 0.1}})
    assert outcome.usage.cost_usd == pytest.approx((3000 * 1 + 600 * 0.1 + 240 * 10) / 1e6)


@pytest.mark.parametrize(
    ("told", "reason", "hint"),
    [
        ("Error: No key found - add one using 'llm keys set openai'\n", "not logged in", "llm keys set"),
        ("Error: 'Unknown model: nosuch'\n", "the model is unknown: Unknown model: nosuch", "--model NAME"),
        ("Usage: llm [OPTIONS]\n\nError: No such option: --functions\n", "does not know an option", "update it"),
        ("Error: Connection error.\n", "the model cannot be reached", "network"),
    ],
)
def test_what_it_says_on_stderr_is_a_cause_with_a_way_out(told: str, reason: str, hint: str) -> None:
    outcome = LlmReader().finish(1, told, None)
    assert reason in outcome.reason
    assert hint in outcome.hint


@settings(max_examples=200)
@given(
    said=st.lists(st.text(max_size=20) | st.text(max_size=20).map("\x1e{}".format), max_size=6),
    code=st.none() | st.integers(-64, 255),
    stderr=st.text(max_size=40) | st.just("Token usage: 1 input, 2 output, {\n"),
)
def test_no_line_makes_the_reader_raise(said: list[str], code: int | None, stderr: str) -> None:
    reader = LlmReader()
    for line in said:
        assert all(isinstance(event, Event) for event in reader.feed(line))
    assert reader.finish(code, stderr, None).result.value == "failed", "no tool was called"


# --- how it is started

MISSION = Mission(Kind.ASK, "How?", "0" * 40, "llm")
MODELS = """
- model_id: mine
  model_name: big
  api_base: "http://127.0.0.1:8123/v1"
  aliases: [m]
"""


@pytest.fixture
def venv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A virtual environment with an `llm` in it that only knows its version, on PATH by a link."""
    for name in list(os.environ):
        if name.startswith(("LLM_", "OPENAI_")):
            monkeypatch.delenv(name)
    folder = tmp_path / "venv"
    (folder / "bin").mkdir(parents=True)
    (folder / "pyvenv.cfg").touch()
    (folder / "bin/python3").symlink_to(sys.executable)
    program = folder / "bin/llm"
    program.write_text(f"#!{folder}/bin/python3\nprint('llm, version 0.36')\n")
    program.chmod(0o755)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/llm").symlink_to(program)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.defpath}")
    return folder


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    folder = tmp_path / "scratch"
    folder.mkdir()
    return folder


@pytest.fixture
def theirs(home: Path) -> Path:
    folder = home / ".config/io.datasette.llm"
    folder.mkdir(parents=True)
    (folder / "keys.json").write_text('{"// Note": "n", "openai": "k1"}')
    (folder / "extra-openai-models.yaml").write_text(MODELS)
    (folder / "default_model.txt").write_text("mine")
    (folder / "logs.db").write_text("all that was ever asked")
    return folder


def test_its_folder_is_private_and_has_keys_and_models_but_no_log(
    venv: Path, theirs: Path, tmp_path: Path, scratch: Path
) -> None:
    start = Llm().invocation(MISSION, "prompt", tmp_path, scratch)
    folder = Path(start.env["LLM_USER_PATH"])
    assert folder.is_relative_to(scratch)
    assert {file.name for file in folder.iterdir()} == {"keys.json", "extra-openai-models.yaml", "default_model.txt"}
    assert stat.S_IMODE((folder / "keys.json").stat().st_mode) == 0o600
    assert "--no-log" in start.argv
    assert start.stdin == "prompt"


def test_it_gets_tools_confined_to_the_worktree(venv: Path, theirs: Path, tmp_path: Path, scratch: Path) -> None:
    start = Llm().invocation(replace(MISSION, limits=Limits(turns=4)), "", tmp_path, scratch)
    tools = Path(start.argv[start.argv.index("--functions") + 1])
    assert tools.is_relative_to(scratch)
    assert "def read_file(" in tools.read_text()
    assert start.env["SCOUTKIT_WORKTREE"] == str(tmp_path)
    assert start.argv[start.argv.index("--chain-limit") + 1] == "4"
    assert Llm().kinds == {Kind.ASK}


def test_a_report_is_asked_for_with_what_its_tools_answered(
    venv: Path, theirs: Path, tmp_path: Path, scratch: Path
) -> None:
    start = Llm().invocation(MISSION, "Where is it?", tmp_path, scratch)
    assert start.closing is not None
    assert start.closing() is None, "nothing was looked at"
    answer = {"call": "grep x", "answer": "a.py:1: x"}
    Path(start.env["SCOUTKIT_ANSWERS"]).write_text(f"{json.dumps(answer)}\n")
    closing = start.closing()
    assert closing is not None
    assert "--functions" not in closing.argv
    assert closing.stdin.startswith("Where is it?\n")
    assert "## grep x\n\na.py:1: x\n" in closing.stdin
    for line in ("# It is in a.py", "", "`a.py:1` has it."):
        list(closing.reader.feed(line))
    assert closing.reader.finish(0, "", None).report == "# It is in a.py\n\n`a.py:1` has it.\n"


@pytest.mark.parametrize(
    ("model", "hosts"),
    [
        ("", ("127.0.0.1:8123",)),
        ("m", ("127.0.0.1:8123",)),
        ("claude-opus-5", ("api.anthropic.com:443",)),
        ("gpt-5.5", ("api.openai.com:443",)),
    ],
)
def test_its_host_is_that_of_the_model(
    venv: Path, theirs: Path, tmp_path: Path, scratch: Path, model: str, hosts: tuple[str, ...]
) -> None:
    assert Llm().invocation(replace(MISSION, model=model), "", tmp_path, scratch).hosts == hosts


def test_a_model_that_nothing_is_known_of_may_be_anybodys(venv: Path, tmp_path: Path, scratch: Path) -> None:
    assert len(Llm().invocation(replace(MISSION, model="zz"), "", tmp_path, scratch).hosts) > 5


def test_the_python_that_it_runs_in_is_shown(venv: Path, tmp_path: Path, scratch: Path) -> None:
    start = Llm().invocation(MISSION, "", tmp_path, scratch)
    assert venv in start.shown
    assert Path(os.path.realpath(sys.executable)).parent.parent in start.shown
    assert start.argv[0] == str(tmp_path / "bin/llm")


def test_it_is_logged_in_by_a_key_of_its_own(venv: Path, theirs: Path) -> None:
    here = Llm().availability()
    assert (here.ok, here.version, here.login) == (True, "0.36", "keys stored for openai")
    (theirs / "keys.json").unlink()
    assert Llm().availability().login == "models of your own"


def test_one_without_tools_is_too_old(venv: Path) -> None:
    program = venv / "bin/llm"
    program.write_text(program.read_text().replace("0.36", "0.25"))
    here = Llm().availability()
    assert not here.ok
    assert "0.26 or newer" in here.hint


def test_a_missing_program_says_how_to_get_it(tmp_path: Path, scratch: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "install llm" in Llm().availability().hint
    with pytest.raises(Unavailable, match="llm is not on PATH"):
        Llm().invocation(MISSION, "", tmp_path, scratch)
