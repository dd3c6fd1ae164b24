"""Gemini CLI: the verdict on every recorded run, and what it is started with."""

from __future__ import annotations

import csv
import json
import os
import stat
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoutkit.agents.gemini import Gemini, GeminiReader
from scoutkit.errors import Unavailable
from scoutkit.model.agents import Event, EventKind
from scoutkit.model.missions import Kind, Limits, Mission, Outcome

STREAMS = Path(__file__).parent / "streams" / "gemini"
LOGS = "scoutkit run logs"
# case: result, a telling part of the reason and of the hint, tokens in and out
EXPECTED = {
    "ok": ("done", "", "", 3600, 240),
    "ok-json": ("failed", "broke off before its end", LOGS, None, None),  # another format than is asked for
    "ok-stdin": ("done", "", "", 3600, 240),
    "e400": ("failed", "the model refused the request: 400 scripted failure", LOGS, 0, 0),
    "e401": ("failed", "its key is refused: 401 API key not valid", "GEMINI_API_KEY", 0, 0),
    "own-e404": (
        "failed",
        "the model is unknown: scripted failure",
        "--model NAME",
        0,
        0,
    ),  # only stderr has the status
    "e429": ("failed", "rate limit: You exceeded your current quota", "try again in 1s", 0, 0),
    "e500": ("failed", "the model's server has trouble: 500", "try again later", 0, 0),
    "cut": ("failed", "cut off on its way: Model stream ended", "ask again", 0, 0),
    "midcut": ("failed", "its report breaks off in the middle", "ask again", 1200, 80),  # exit 0 and `success`
    "garbage": ("failed", "cut off on its way: Incomplete JSON", "ask again", 0, 0),
    "empty": ("failed", "empty response", "ask again", 2400, 160),
    "nokey": ("failed", "not logged in: When using Gemini API", "GEMINI_API_KEY", None, None),
    "maxturns": ("budget", "its limit of turns", "", 3600, 240),
    "loop": ("failed", "Loop detected", "ask again", 4800, 320),  # exit 0 and `success`
    "plain": ("failed", "not running in a trusted directory", "", None, None),
    "term-norelaunch": ("failed", "broke off before its end", LOGS, None, None),  # exit 0
    "term-stall": ("failed", "signal 9", "", None, None),
    "int-norelaunch": ("failed", "broke off before its end", LOGS, None, None),  # exit 0
    "write-plan": ("failed", "its only tool call did not work", LOGS, 2400, 160),
    "orphan": ("done", "", "", 2400, 160),
}
INDEX = {row["case"]: int(row["exit"]) for row in csv.DictReader((STREAMS / "INDEX.tsv").open(), delimiter="\t")}


def read(case: str) -> tuple[Outcome, list[Event]]:
    reader = GeminiReader(Path("/w/tree"), version="0.61.0")
    lines = (STREAMS / f"{case}.jsonl").read_text(encoding="utf-8").removesuffix("\n").split("\n")
    events = [event for line in lines for event in reader.feed(line)]
    stderr = (STREAMS / f"{case}.stderr").read_text(encoding="utf-8")
    return reader.finish(INDEX[case], stderr[-4000:], None), events


def test_every_recorded_run_has_an_expected_verdict() -> None:
    assert set(INDEX) == set(EXPECTED)


@pytest.mark.parametrize("case", EXPECTED)
def test_the_verdict_on_a_recorded_run(case: str) -> None:
    result, reason, hint, read_tokens, wrote = EXPECTED[case]
    outcome, events = read(case)
    assert (outcome.result.value, outcome.version) == (result, "0.61.0")
    assert reason in outcome.reason
    assert bool(outcome.reason) == (result != "done")
    assert hint in outcome.hint
    assert (outcome.usage.input_tokens, outcome.usage.output_tokens) == (read_tokens, wrote)
    assert outcome.model == ("" if case in ("ok-json", "nokey", "plain") else "gemini-2.5-pro")
    if result == "done":
        assert outcome.report.startswith("# How greeting works\n")
        assert outcome.report.endswith("(`app/main.py:6`).\n")
        assert events[-1].kind is EventKind.DONE


def test_what_was_said_before_a_signal_is_the_draft() -> None:
    assert read("term-norelaunch")[0].report == "I will look at\n"


def test_the_prompt_is_not_told_again_and_text_comes_in_whole_lines() -> None:
    _, events = read("ok")
    assert "Reply in Markdown" not in str(events)
    text = "\n".join(event.text for event in events if event.kind is EventKind.TEXT)
    assert text.startswith(
        "I will look at the code.\nI will look at the code.\n# How greeting works\n\n`greet()` builds"
    )
    assert [event.text for event in events if event.kind is EventKind.TOOL_CALL] == [
        "read_file app/greet.py",
        "grep_search greet",
    ]
    assert sum(event.kind is EventKind.TURN for event in events) == 3


def test_a_resumed_session_adds_its_usage_to_what_was_used_before() -> None:
    reader = GeminiReader()
    for line in (STREAMS / "maxturns.jsonl").read_text().splitlines():
        list(reader.feed(line))
    reader.finish(53, "", None)
    later = reader.again()
    for line in (
        '{"type":"init","session_id":"s","model":"gemini-2.5-pro"}',
        '{"type":"message","role":"assistant","content":"All that I know.","delta":true}',
        '{"type":"result","status":"success","stats":{"input_tokens":10,"output_tokens":2,"models":{}}}',
    ):
        list(later.feed(line))
    outcome = later.finish(0, "", None)
    assert (outcome.result.value, outcome.report) == ("done", "All that I know.\n")
    assert (outcome.usage.input_tokens, outcome.usage.output_tokens) == (3610, 242)


def test_the_users_price_makes_a_cost() -> None:
    reader = GeminiReader(prices={"gemini-2.5-pro": {"input": 1.0, "output": 10.0, "cached": 0.1}})
    for line in (STREAMS / "ok.jsonl").read_text().splitlines():
        list(reader.feed(line))
    assert reader.finish(0, "", None).usage.cost_usd == pytest.approx((3000 * 1.0 + 600 * 0.1 + 240 * 10.0) / 1e6)


def test_an_http_status_is_read_off_the_exit_status_where_nothing_else_tells() -> None:
    assert "its key is refused" in GeminiReader().finish(145, "", None).reason


_JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["models", "message", "x"]), inner, max_size=3)
    ),
    max_leaves=5,
)


@settings(max_examples=200)
@given(
    said=st.lists(
        st.dictionaries(
            st.sampled_from(
                ["type", "role", "content", "status", "stats", "error", "tool_name", "parameters", "model"]
            ),
            st.sampled_from(["init", "message", "tool_use", "tool_result", "error", "result", "assistant"]) | _JSON,
        ).map(json.dumps)
        | st.text(max_size=20),
        max_size=5,
    ),
    code=st.none() | st.integers(-64, 255),
)
def test_no_line_makes_the_reader_raise(said: list[str], code: int | None) -> None:
    reader = GeminiReader()
    for line in said:
        assert all(isinstance(event, Event) for event in reader.feed(line))
    assert reader.finish(code, "\n".join(said), None).result.value in ("done", "failed", "budget")
    reader.again().finish(code, "", None)


# --- how it is started


@pytest.fixture
def gemini(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Gemini:
    """The agent, with a program on PATH that only knows its version."""
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "gemini"
    program.write_text("#!/bin/sh\necho 0.61.0\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.defpath}")
    for name in list(os.environ):
        if name.startswith(("GEMINI_", "GOOGLE_")):
            monkeypatch.delenv(name)
    return Gemini()


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    folder = tmp_path / "scratch"
    folder.mkdir()
    return folder


MISSION = Mission(Kind.ASK, "How?", "0" * 40, "gemini")


def own_settings(scratch: Path) -> dict[str, dict[str, object]]:
    found = json.loads((scratch / "home/.gemini/settings.json").read_text())
    assert isinstance(found, dict)
    return found


def test_a_repositorys_own_settings_are_not_used(gemini: Gemini, tmp_path: Path, scratch: Path) -> None:
    start = gemini.invocation(MISSION, "prompt", tmp_path, scratch)
    assert start.env["GEMINI_CLI_TRUST_WORKSPACE"] == "false"
    assert "--skip-trust" not in start.argv
    found = own_settings(scratch)
    assert found["security"]["folderTrust"] == {"enabled": False}
    assert found["advanced"] == {"ignoreLocalEnv": True}


def test_they_are_where_the_user_trusts_the_repository(gemini: Gemini, tmp_path: Path, scratch: Path) -> None:
    start = gemini.invocation(replace(MISSION, trusted=True), "prompt", tmp_path, scratch)
    assert start.env["GEMINI_CLI_TRUST_WORKSPACE"] == "true"
    assert "--approval-mode=plan" in start.argv
    assert "advanced" not in own_settings(scratch)


def test_the_prompt_is_on_stdin_and_the_home_is_the_runs(gemini: Gemini, tmp_path: Path, scratch: Path) -> None:
    start = gemini.invocation(replace(MISSION, model="gemini-3.7-flash"), "--help", tmp_path, scratch)
    assert start.stdin == "--help"
    assert "--help" not in start.argv
    assert Path(start.argv[0]).is_absolute()
    assert "--model=gemini-3.7-flash" in start.argv
    assert {start.env["HOME"], start.env["GEMINI_CLI_HOME"]} == {str(scratch / "home")}
    assert start.env["GEMINI_CLI_NO_RELAUNCH"] == "true"


def test_only_missions_that_may_change_files_have_rules_that_allow_it(
    gemini: Gemini, tmp_path: Path, scratch: Path
) -> None:
    assert not [one for one in gemini.invocation(MISSION, "", tmp_path, scratch).argv if "policy" in one]
    start = gemini.invocation(replace(MISSION, kind=Kind.SCOUT), "", tmp_path, scratch)
    rules = Path(next(one for one in start.argv if one.startswith("--policy=")).removeprefix("--policy="))
    assert "write_file" in rules.read_text()


def test_limits_go_into_its_settings(gemini: Gemini, tmp_path: Path, scratch: Path) -> None:
    gemini.invocation(replace(MISSION, limits=Limits(turns=7, retries=2)), "", tmp_path, scratch)
    found = own_settings(scratch)
    assert (found["model"]["maxSessionTurns"], found["general"]["maxAttempts"]) == (7, 3)


@pytest.mark.parametrize(
    ("env", "files", "chosen", "host"),
    [
        ({"GEMINI_API_KEY": "k"}, {}, "gemini-api-key", "generativelanguage.googleapis.com:443"),
        ({}, {".gemini/oauth_creds.json": "{}"}, "oauth-personal", "cloudcode-pa.googleapis.com:443"),
        ({"GOOGLE_GENAI_USE_VERTEXAI": "true"}, {}, "vertex-ai", "aiplatform.googleapis.com:443"),
        ({"GOOGLE_GENAI_USE_GCA": "true", "GEMINI_API_KEY": "k"}, {}, "oauth-personal", "oauth2.googleapis.com:443"),
        (
            {"GEMINI_API_KEY": "k"},
            {".gemini/settings.json": '// mine\n{"security": {"auth": {"selectedType": "oauth-personal"}}}'},
            "oauth-personal",
            "cloudcode-pa.googleapis.com:443",
        ),
        (
            {"GEMINI_API_KEY": "k", "GOOGLE_GEMINI_BASE_URL": "http://127.0.0.1:8/x"},
            {},
            "gemini-api-key",
            "127.0.0.1:8",
        ),
        ({}, {".gemini/settings.json": "not JSON"}, "gemini-api-key", "generativelanguage.googleapis.com:443"),
    ],
)
def test_how_it_logs_in_follows_variables_then_choice_then_files(
    gemini: Gemini,
    home: Path,
    tmp_path: Path,
    scratch: Path,
    monkeypatch: pytest.MonkeyPatch,
    env: dict[str, str],
    files: dict[str, str],
    chosen: str,
    host: str,
) -> None:
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    for path, text in files.items():
        (home / path).parent.mkdir(exist_ok=True)
        (home / path).write_text(text)
    start = gemini.invocation(MISSION, "", tmp_path, scratch)
    assert own_settings(scratch)["security"]["auth"] == {"selectedType": chosen}
    assert host in start.hosts


def test_the_login_is_copied_for_its_user_alone_and_put_back_if_renewed(
    gemini: Gemini, home: Path, tmp_path: Path, scratch: Path
) -> None:
    (home / ".gemini").mkdir()
    (home / ".gemini/oauth_creds.json").write_text('{"refresh_token": "r"}')
    start = gemini.invocation(MISSION, "", tmp_path, scratch)
    copy = scratch / "home/.gemini/oauth_creds.json"
    assert start.login == ((home / ".gemini/oauth_creds.json", copy),)
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600


def test_a_key_in_its_own_env_file_counts_and_other_variables_there_do_not(
    gemini: Gemini, home: Path, tmp_path: Path, scratch: Path
) -> None:
    (home / ".gemini").mkdir()
    (home / ".gemini/.env").write_text('# mine\nexport GEMINI_API_KEY="k1" # key\nNODE_OPTIONS=--require=/x\n')
    start = gemini.invocation(MISSION, "", tmp_path, scratch)
    assert start.env["GEMINI_API_KEY"] == "k1"
    assert "NODE_OPTIONS" not in start.env
    assert gemini.availability().login == "key in ~/.gemini/.env: GEMINI_API_KEY"


def test_it_closes_a_session_that_began_without_tools_and_without_its_limit_of_turns(
    gemini: Gemini, tmp_path: Path, scratch: Path
) -> None:
    start = gemini.invocation(replace(MISSION, limits=Limits(turns=3)), "", tmp_path, scratch)
    assert start.closing is not None
    assert start.closing() is None, "nothing began"
    session = next(one for one in start.argv if one.startswith("--session-id=")).removeprefix("--session-id=")
    chats = scratch / "home/.gemini/tmp/x/chats"
    chats.mkdir(parents=True)
    (chats / f"session-2026-11-30-{session[:8]}.jsonl").touch()
    closing = start.closing()
    assert closing is not None
    assert f"--resume={session}" in closing.argv
    assert '"*"' in (scratch / "home/no-tools.toml").read_text()
    assert "maxSessionTurns" not in own_settings(scratch)["model"]
    assert closing.closing is None


def test_a_missing_program_says_how_to_get_it(tmp_path: Path, scratch: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "npm install" in Gemini().availability().hint
    with pytest.raises(Unavailable, match="gemini is not on PATH"):
        Gemini().invocation(MISSION, "", tmp_path, scratch)


def test_without_a_sign_of_a_login_it_says_so(gemini: Gemini) -> None:
    here = gemini.availability()
    assert (here.ok, here.version, here.login) == (True, "0.61.0", "not logged in")
    assert "GEMINI_API_KEY" in here.hint
