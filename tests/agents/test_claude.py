import csv
import json
import os
import stat
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scoutkit.agents.claude import CHANGING, READING, Claude, ClaudeReader
from scoutkit.errors import Unavailable
from scoutkit.model.agents import EventKind
from scoutkit.model.missions import Kind, Limits, Mission, Result, Usage

STREAMS = Path(__file__).parent / "streams" / "claude"
SIGN_IN, LATER, LOGS = "ANTHROPIC_API_KEY", "try again later", "scoutkit run logs"
CUT = ("cut off on its way", "ask again")

# case: result, a telling part of the reason, of the hint, tokens in and out, USD
EXPECTED = {
    "ok": ("done", "", "", 4200, 240, 0.01458),
    "ok-json": ("failed", "called no tool", LOGS, 4200, 240, 0.01458),  # one object, that tells of no tools
    "ok-schema": ("done", "", "", 4200, 240, 0.01458),
    "ok-partial": ("failed", "called no tool", LOGS, 1400, 80, 0.00486),
    "ok-restricted": ("done", "", "", 4200, 240, 0.01458),
    "old-ok": ("done", "", "", 4200, 240, 0.01458),
    "e400": ("failed", "the model refused the request: API Error: 400", LOGS, 0, 0, 0),
    "e401": ("failed", "its key is refused: Invalid API key", SIGN_IN, 0, 0, 0),
    "e403": ("failed", "its key may not do this", "another one", 0, 0, 0),
    "e404": ("failed", "the model is unknown", "--model NAME", 0, 0, 0),
    "e429": ("failed", "rate limit", LATER, 0, 0, 0),
    "e500": ("failed", "server has trouble: API Error: 500", LATER, 0, 0, 0),
    "e529": ("failed", "529 Overloaded", LATER, 0, 0, 0),
    "cut": ("failed", *CUT, 2800, 8, 0.00744),
    "midcut": ("failed", *CUT, 4200, 88, 0.0123),
    "mid500": ("failed", "server has trouble", LATER, 1400, 80, 0.00486),
    "garbage": ("failed", *CUT, 0, 0, 0),
    "empty": ("failed", "it left no report", LOGS, 2800, 160, 0.00972),
    "refusal": ("failed", "can't help with this", "in other words", 2800, 160, 0.00972),
    "maxtok": ("failed", "longer than the model may write", "ask for less", 5600, 320, 0.01944),
    "maxturns": ("budget", "Reached maximum number of turns (3)", "", 4200, 240, 0.01458),
    "budget": ("budget", "Reached maximum budget ($0.02)", "", 7000, 400, 0.0243),
    "nokey": ("failed", "Not logged in", SIGN_IN, 0, 0, 0),
    "badflag": ("failed", "does not know an option", "update it", None, None, None),
    "term-stall": ("failed", "exit status 143: signal 15 (terminated)", "", None, None, None),
    "term-slowtool": ("failed", "signal 15", "", 1400, 1, None),
    "int-stall": ("failed", "it was interrupted", "", 1400, 4, 0.00372),
    "kill-slowtool": ("failed", "signal 9 (killed)", "", 1400, 1, None),
    "killgroup-slowtool": ("failed", "signal 9 (killed)", "", 1400, 1, None),
    "orphan": ("done", "", "", 2800, 160, 0.00972),
    "write-plan": ("failed", "its only tool call did not work", LOGS, 2800, 160, 0.00972),
    "write-bypass-root": ("failed", "cannot be used with root", "", None, None, None),
    "sess-dup": ("failed", "already in use", "", None, None, None),
    "hk1": ("done", "", "", 4200, 240, 0.01458),
    "hup-stall": ("failed", "signal 1 (hangup)", "", None, None, None),
}
INDEX = {row["case"]: int(row["exit"]) for row in csv.DictReader((STREAMS / "INDEX.tsv").open(), delimiter="\t")}
SILENT = {"ok-json", "badflag", "write-bypass-root", "sess-dup"}  # without the event that names model and version


def recorded(case):
    return (STREAMS / f"{case}.jsonl").read_text("utf-8").splitlines()


def play(lines, code=0, stderr="", reader=None):
    reader = reader or ClaudeReader(Path("/w/tree"))
    events = [event for line in lines for event in reader.feed(line)]
    return reader.finish(code, stderr, None), events


def replay(case, **more):
    stderr = STREAMS / f"{case}.stderr"
    return play(recorded(case), INDEX[case], stderr.read_text("utf-8") if stderr.exists() else "", **more)


def of(events, *kinds):
    return [event for event in events if event.kind in kinds]


@pytest.mark.parametrize("case", INDEX)
def test_a_recorded_run_has_the_verdict_that_its_evidence_gives(case):
    outcome, _ = replay(case)
    result, reason, hint, read, wrote, cost = EXPECTED[case]

    assert outcome.result == result
    assert reason in outcome.reason
    assert bool(outcome.reason) == (result != "done")
    assert hint in outcome.hint
    assert bool(outcome.hint) == bool(hint)
    assert outcome.usage == Usage(read, wrote, cost)
    assert (outcome.model, outcome.version) == (
        ("", "") if case in SILENT else ("claude-sonnet-4-5", "2.1.197" if case == "old-ok" else "2.1.332")
    )
    if result == "done" and case != "ok-schema":
        assert outcome.report.startswith("# How greeting works\n")
        assert outcome.report.endswith("(`app/main.py:6`).\n")


def test_every_recorded_run_is_expected():
    assert EXPECTED.keys() == INDEX.keys()


def test_what_it_does_is_told_in_a_persons_words_once_per_answer():
    _, events = replay("ok")

    assert [event.text for event in of(events, EventKind.TOOL_CALL)] == [
        "Read app/greet.py",
        "Bash grep -rn greet app tests",
    ]
    assert of(events, EventKind.TOOL_CALL)[0].data["input"] == {"file_path": "/w/tree/app/greet.py"}
    assert [event.data["ok"] for event in of(events, EventKind.TOOL_RESULT)] == [True, True]
    assert len(of(events, EventKind.TURN)) == 3
    assert [event.usage.input_tokens for event in of(events, EventKind.USAGE)] == [1400, 2800, 4200, 4200]
    assert of(events, EventKind.REPORT)[0].text.startswith("# How greeting works")
    assert events[-1].kind is EventKind.DONE


@pytest.mark.parametrize(
    ("name", "given", "words"),
    [
        ("Read", {"file_path": "/w/tree/a b.py", "offset": 1, "limit": 20}, "Read a b.py:1-20"),
        ("Read", {"file_path": "/elsewhere/a.py", "offset": 5}, "Read /elsewhere/a.py:5-"),
        ("Grep", {"pattern": "def greet", "path": "/w/tree/app"}, "Grep def greet in app"),
        ("Glob", {"pattern": "**/*.py"}, "Glob **/*.py"),
        ("Grep", {"pattern": "x", "path": "/w/tree"}, "Grep x"),
        ("Bash", {"command": "ls\n  -la", "description": "lists"}, "Bash ls -la"),
        ("Edit", {"file_path": "/w/tree/x.py", "old_string": "a"}, "Edit x.py"),
        ("Task", {}, "Task"),
        ("Odd", {"n": 1}, "Odd"),
    ],
)
def test_tool_calls(name, given, words):
    block = {"type": "tool_use", "id": "t", "name": name, "input": given}
    line = {"type": "assistant", "message": {"id": "m", "model": "x", "content": [block]}}

    _, events = play([json.dumps(line)])

    assert [event.text for event in of(events, EventKind.TOOL_CALL)] == [words]


def test_what_an_agent_says_that_it_sent_is_no_report():
    said = {"type": "assistant", "parent_tool_use_id": "t1"}
    message = {"id": "m9", "model": "x", "content": [{"type": "text", "text": "from below"}]}

    outcome, events = play([json.dumps({**said, "message": message})], code=-9)

    assert not of(events, EventKind.TEXT)
    assert of(events, EventKind.OTHER)[0].data["text"] == "from below"
    assert outcome.report == ""


def test_retries_are_told_with_the_way_out():
    _, events = replay("e401")
    (retry,) = of(events, EventKind.RETRY)

    assert retry.text.startswith("its key is refused: authentication failed; attempt 1 of 1")
    assert retry.data["status"] == 401
    assert SIGN_IN in retry.data["hint"]


def test_a_try_that_got_no_answer_says_where_to_look():
    said = {"type": "system", "subtype": "api_retry", "attempt": 1, "max_retries": 2, "retry_delay_ms": 500}
    _, events = play([json.dumps({**said, "error_status": None, "error": "unknown"})], code=1)

    (retry,) = of(events, EventKind.RETRY)
    assert retry.text == "no answer; attempt 1 of 2 in 0.5 s"
    assert retry.data["hint"] == "check the network, and --network if you gave it"


def test_a_limit_that_names_its_end_is_a_hint_for_when():
    info = {"type": "rate_limit_event", "rate_limit_info": {"status": "rejected", "resetsAt": 1796025600}}
    end = {"type": "result", "subtype": "success", "is_error": True, "result": "You've hit your session limit"}

    outcome, _ = play([json.dumps(info), json.dumps(end)], code=1)

    assert outcome.reason == "rate limit: You've hit your session limit"
    assert outcome.hint.startswith("try again at ")
    assert "November" in outcome.hint or "December" in outcome.hint


def test_a_resumed_session_counts_once_and_has_looked_already():
    _, _ = play(recorded("maxturns"), 1, reader=(reader := ClaudeReader()))
    later = reader.again()
    message = {"id": "m7", "model": "claude-sonnet-4-5", "usage": {"input_tokens": 100, "output_tokens": 5}}
    message["content"] = [{"type": "text", "text": "# Late\n\nIt is so.\n\n<!-- end of report -->"}]
    end = {
        "type": "result",
        "subtype": "success",
        "is_error": False,
        "result": "# Late\n\nIt is so.\n\n<!-- end of report -->",
        "total_cost_usd": 0.02,
        "usage": {"input_tokens": 100, "output_tokens": 5},
        "modelUsage": {"claude-sonnet-4-5": {"inputTokens": 3700, "cacheReadInputTokens": 600, "outputTokens": 245}},
    }

    outcome, events = play([json.dumps({"type": "assistant", "message": message}), json.dumps(end)], reader=later)

    assert outcome.result is Result.DONE
    assert outcome.report == "# Late\n\nIt is so.\n"
    assert [event.usage for event in of(events, EventKind.USAGE)] == [Usage(4300, 8, None), Usage(4300, 245, 0.02)]
    assert reader.seen.limit
    assert not later.seen.limit


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=6,
)
KNOWN = ("type", "subtype", "message", "content", "usage", "id", "model", "result", "modelUsage", "is_error", "errors")
ODD = JSON | st.dictionaries(st.sampled_from(KNOWN), JSON, max_size=4)
SAID = st.fixed_dictionaries(
    {"type": st.sampled_from(["system", "assistant", "user", "result", "rate_limit_event", "new"])},
    optional=dict.fromkeys(KNOWN[1:], ODD | st.lists(ODD, max_size=2)),
)


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.text() | SAID.map(json.dumps) | JSON.map(json.dumps), max_size=6), st.none() | st.integers(-64, 255))
def test_nothing_that_it_prints_breaks_the_reader(lines, code):
    outcome, events = play(lines, code, "x")

    assert outcome.result in (Result.DONE, Result.FAILED, Result.BUDGET)
    assert len(events) >= sum(bool(line.strip()) for line in lines)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(st.text(min_size=1).map("new_".__add__), JSON, max_size=3), st.sampled_from(sorted(INDEX)))
def test_unknown_fields_and_events_change_nothing(more, case):
    def with_more(line):
        try:
            said = json.loads(line)
        except ValueError:
            return line
        if isinstance(said.get("message"), dict):
            said["message"] |= more
        return json.dumps({**said, **more})

    lines = [line for one in recorded(case) for line in (with_more(one), json.dumps({"type": "new", **more}))]

    assert play(lines, INDEX[case])[0] == play(recorded(case), INDEX[case])[0]


@pytest.fixture
def program(tmp_path, monkeypatch):
    """A `claude` on PATH that tells a version, and no variable of it in the environment."""
    folder = tmp_path / "bin"
    folder.mkdir()
    file = folder / "claude"
    file.write_text("#!/bin/sh\necho '2.1.332 (Claude Code)'\n")
    file.chmod(0o755)
    for name in list(os.environ):
        if name.startswith(("ANTHROPIC_", "CLAUDE_", "AWS_", "GOOGLE_", "CLOUD_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    return file


MISSION = Mission(Kind.ASK, "q", "0" * 40, "claude", limits=Limits(turns=7, cost_usd=0.5), model="sonnet")


def invoke(tmp_path, mission=MISSION):
    scratch = tmp_path / "scratch"
    scratch.mkdir(exist_ok=True)
    return Claude().invocation(mission, "What?", tmp_path / "tree", scratch), scratch


def after(argv, flag):
    return argv[argv.index(flag) + 1]


def test_ask_gets_tools_that_read_and_nothing_of_the_repositorys(program, tmp_path):
    invocation, scratch = invoke(tmp_path)

    argv = invocation.argv
    assert argv[0] == str(program)
    assert invocation.stdin == "What?"
    assert "What?" not in argv
    assert after(argv, "--tools") == READING
    assert after(argv, "--setting-sources") == "user"
    assert "--strict-mcp-config" in argv
    assert (after(argv, "--model"), after(argv, "--max-turns"), after(argv, "--max-budget-usd")) == (
        "sonnet",
        "7",
        "0.500000",
    )
    assert "IS_SANDBOX" not in invocation.env
    home = Path(invocation.env["HOME"])
    assert home.is_dir()
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    assert home.is_relative_to(scratch)
    assert not home.is_relative_to(invocation.env["TMPDIR"])
    assert invocation.env["CLAUDE_CONFIG_DIR"] == str(home / ".claude")


def test_missions_that_change_files_may_run_commands(program, tmp_path, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    invocation, _ = invoke(tmp_path, replace(MISSION, kind=Kind.SCOUT, limits=Limits(), model=""))

    assert after(invocation.argv, "--tools") == CHANGING
    assert after(invocation.argv, "--permission-mode") == "bypassPermissions"
    assert invocation.env["IS_SANDBOX"] == "1"
    assert not {"--model", "--max-turns", "--max-budget-usd"} & set(invocation.argv)


def test_only_a_trusted_repository_has_its_settings_used(program, tmp_path):
    invocation, _ = invoke(tmp_path, replace(MISSION, trusted=True))

    assert not {"--setting-sources", "--strict-mcp-config"} & set(invocation.argv)


def test_its_home_has_the_login_and_nothing_else_of_the_users(program, tmp_path, home):
    (home / ".claude").mkdir()
    (home / ".claude/.credentials.json").write_text('{"claudeAiOauth": {"accessToken": "t"}}')
    (home / ".claude/CLAUDE.md").write_text("always sing")
    (home / ".claude/settings.json").write_text(
        json.dumps(
            {"hooks": {"Stop": []}, "model": "opus", "env": {"ANTHROPIC_BASE_URL": "http://me:81", "OTHER": "1"}}
        )
    )
    (home / ".claude.json").write_text(
        json.dumps({"oauthAccount": {"id": 1}, "mcpServers": {"x": {}}, "projects": {"/secret": {}}})
    )

    invocation, scratch = invoke(tmp_path)

    copy = scratch / "home/.claude"
    assert sorted(file.name for file in copy.iterdir()) == [".claude.json", ".credentials.json", "settings.json"]
    assert json.loads((copy / ".claude.json").read_text()) == {"oauthAccount": {"id": 1}}
    settings = json.loads((copy / "settings.json").read_text())
    assert list(settings.pop("hooks")) == ["PostToolUse"]  # our own: the user's Stop is not there
    assert settings == {"model": "opus"}
    assert invocation.env["ANTHROPIC_BASE_URL"] == "http://me:81"
    assert "OTHER" not in invocation.env
    assert invocation.login == ((home / ".claude/.credentials.json", copy / ".credentials.json"),)
    assert all(stat.S_IMODE(file.stat().st_mode) == 0o600 for file in copy.iterdir())
    assert invocation.hosts == ("me:81",)


def test_a_config_folder_elsewhere_is_where_the_login_is(program, tmp_path, monkeypatch):
    moved = tmp_path / "moved"
    moved.mkdir()
    (moved / ".credentials.json").write_text("{}")
    (moved / ".claude.json").write_text('{"oauthAccount": 2}')
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(moved))

    invocation, scratch = invoke(tmp_path)

    assert invocation.login == ((moved / ".credentials.json", scratch / "home/.claude/.credentials.json"),)
    assert json.loads((scratch / "home/.claude/.claude.json").read_text()) == {"oauthAccount": 2}


def test_it_gets_its_own_keys_and_a_clouds_only_when_that_serves_its_model(program, tmp_path, monkeypatch, home):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k1")
    monkeypatch.setenv("OPENAI_API_KEY", "k2")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "k3")
    monkeypatch.setenv("AWS_REGION", "eu-west-1")
    (home / ".aws").mkdir()
    (home / ".aws/credentials").write_text("[default]\n")

    alone, _ = invoke(tmp_path)
    assert alone.env["ANTHROPIC_API_KEY"] == "k1"
    assert not {"OPENAI_API_KEY", "AWS_SECRET_ACCESS_KEY"} & alone.env.keys()
    assert alone.hosts == ("api.anthropic.com:443",)

    monkeypatch.setenv("CLAUDE_CODE_USE_BEDROCK", "1")
    served, scratch = invoke(tmp_path)
    assert served.env["AWS_SECRET_ACCESS_KEY"] == "k3"
    assert (scratch / "home/.aws/credentials").is_file()
    assert "bedrock-runtime.eu-west-1.amazonaws.com:443" in served.hosts
    assert served.login == ()


@pytest.mark.parametrize(
    ("files", "env", "login"),
    [
        ({}, {}, "not logged in"),
        ({}, {"ANTHROPIC_API_KEY": "k"}, "key in ANTHROPIC_API_KEY"),
        ({".claude/.credentials.json": "{}"}, {}, "login in ~/.claude/.credentials.json"),
        ({".claude/settings.json": '{"apiKeyHelper": "x"}'}, {}, "apiKeyHelper in its settings"),
        (
            {".claude/settings.json": '{"env": {"ANTHROPIC_API_KEY": "k"}}'},
            {},
            "key in ANTHROPIC_API_KEY of its settings",
        ),
        ({".claude.json": '{"primaryApiKey": "k"}'}, {}, "key in its .claude.json"),
        ({}, {"CLAUDE_CODE_USE_VERTEX": "1"}, "by CLAUDE_CODE_USE_VERTEX"),
        ({".claude/settings.json": "[broken"}, {"CLAUDE_CODE_USE_VERTEX": "0"}, "not logged in"),
    ],
)
def test_how_it_is_logged_in(program, monkeypatch, home, files, env, login):
    for name, text in files.items():
        (home / name).parent.mkdir(exist_ok=True)
        (home / name).write_text(text)
    for name, value in env.items():
        monkeypatch.setenv(name, value)

    here = Claude().availability()

    assert (here.ok, here.version, here.path, here.login) == (True, "2.1.332", str(program), login)
    assert bool(here.hint) == (login == "not logged in")
    assert "--strict-mcp-config" in here.flags


def test_an_old_version_and_a_missing_program_say_how_to_get_it(program, tmp_path, monkeypatch):
    program.write_text("#!/bin/sh\necho '1.0.3 (Claude Code)'\n")
    assert Claude().availability().ok is False
    assert "1.0.3 is too old" in Claude().availability().hint

    monkeypatch.setenv("PATH", "/nowhere")
    assert "npm install -g @anthropic-ai/claude-code" in Claude().availability().hint
    with pytest.raises(Unavailable):
        invoke(tmp_path)


def test_it_closes_by_resuming_its_session_without_tools(program, tmp_path):
    invocation, _ = invoke(tmp_path)
    assert invocation.closing() is None

    for line in recorded("term-slowtool"):
        list(invocation.reader.feed(line))
    last = invocation.closing()

    assert after(last.argv, "--resume") == json.loads(recorded("term-slowtool")[0])["session_id"]
    assert (after(last.argv, "--max-turns"), after(last.argv, "--tools")) == ("1", "")
    assert "--max-budget-usd" not in last.argv
    assert last.env == invocation.env
    assert "<!-- end of report -->" in last.stdin
    assert last.closing is None
