import csv
import json
import os
import stat
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scoutkit.agents import codex_config
from scoutkit.agents.codex import Codex, CodexReader
from scoutkit.model.agents import EventKind
from scoutkit.model.missions import Kind, Limits, Mission, Result, Usage

STREAMS = Path(__file__).parent / "streams" / "codex"
SIGN_IN, LATER, LOGS = "codex login", "try again later", "scoutkit run logs"
CUT = ("cut off on its way: stream disconnected", "ask again")
BUSY = ("server has trouble: We’re currently experiencing high demand", LATER)
NOTHING = (None, None)

# case: result, a telling part of the reason, of the hint, tokens in and out
EXPECTED = {
    "ok": ("done", "", "", 3600, 240),
    "ok-lastmsg": ("done", "", "", 3600, 240),
    "ok-schema": ("done", "", "", 3600, 240),
    "e400": ("failed", "the model refused the request: scripted failure", LOGS, *NOTHING),
    "e401": ("failed", "its key is refused: unexpected status 401", SIGN_IN, *NOTHING),
    "e429": ("failed", "rate limit: exceeded retry limit", LATER, *NOTHING),
    "e500": ("failed", *BUSY, *NOTHING),
    "e500-default": ("failed", *BUSY, *NOTHING),
    "cut": ("failed", *CUT, *NOTHING),
    "midcut": ("failed", *CUT, *NOTHING),
    "mid500": ("failed", *BUSY, *NOTHING),
    "garbage": ("failed", *CUT, *NOTHING),
    "empty": ("failed", "it left no report", LOGS, 1200, 80),
    "nokey": ("failed", "not logged in: Missing environment variable: `FAKE_KEY`", "set FAKE_KEY", *NOTHING),
    "nogit": ("failed", "Not inside a trusted directory", "", *NOTHING),
    "codexhome": ("failed", "that path does not exist", "", *NOTHING),
    "term-stall": ("failed", "signal 15 (terminated)", "", *NOTHING),
    "term-slowtool": ("failed", "signal 15 (terminated)", "", *NOTHING),
    "int-stall": ("failed", "exit status 1", "", *NOTHING),
    "kill-slowtool": ("failed", "signal 9 (killed)", "", *NOTHING),
    "write-ro": ("failed", "it never looked at the code: it called no tool", LOGS, 2400, 160),
    "orphan": ("done", "", "", 2400, 160),
    "resume": ("failed", "it never looked at the code", LOGS, 4800, 320),  # for a reader that saw nothing before
}
INDEX = {row["case"]: int(row["exit"]) for row in csv.DictReader((STREAMS / "INDEX.tsv").open(), delimiter="\t")}
PRICES = {"gpt-5": {"input": 2, "output": 10, "cached": 1}}


def recorded(case):
    return (STREAMS / f"{case}.jsonl").read_text("utf-8").splitlines()


def play(lines, code=0, stderr="", reader=None):
    reader = reader or CodexReader(version="0.171.0", model="gpt-5", prices=PRICES)
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
    result, reason, hint, read, wrote = EXPECTED[case]

    assert outcome.result == result
    assert reason in outcome.reason
    assert bool(outcome.reason) == (result != "done")
    assert hint in outcome.hint
    assert bool(outcome.hint) == bool(hint)
    assert (outcome.usage.input_tokens, outcome.usage.output_tokens) == (read, wrote)
    # a sixth of its input is from the cache, in these recordings
    assert outcome.usage.cost_usd == (None if read is None else pytest.approx((read * 11 / 6 + wrote * 10) / 1e6))
    assert (outcome.model, outcome.version) == ("gpt-5", "0.171.0")
    if result == "done" and case != "ok-schema":
        assert outcome.report == (STREAMS / "ok-lastmsg.last.md").read_text("utf-8")


def test_every_recorded_run_is_expected():
    assert EXPECTED.keys() == INDEX.keys()


def test_what_it_does_is_told_in_a_persons_words():
    _, events = replay("ok")

    calls = of(events, EventKind.TOOL_CALL)
    assert [event.text for event in calls] == ["Run cat -n app/greet.py", "Run grep -rn greet app tests"]
    assert calls[0].data["input"] == {"command": "/bin/bash -lc 'cat -n app/greet.py'"}
    assert [event.data["ok"] for event in of(events, EventKind.TOOL_RESULT)] == [True, True]
    assert len(of(events, EventKind.TURN)) == 3
    assert of(events, EventKind.STATUS)[1].text.startswith("Model metadata")  # an item called error warns
    assert not of(events, EventKind.ERROR)
    assert [event.kind for event in events[-3:]] == [EventKind.USAGE, EventKind.REPORT, EventKind.DONE]


def test_retries_are_told_with_the_way_out_and_an_error_once():
    _, events = replay("e401")

    (retry,) = of(events, EventKind.RETRY)
    assert (retry.data["status"], retry.data["hint"]) == (401, "run codex login, or set CODEX_API_KEY")
    assert retry.data["cause"].startswith("its key is refused: unexpected status 401")
    assert len(of(events, EventKind.ERROR)) == 1


def test_without_a_known_price_there_is_no_cost():
    assert replay("ok", reader=CodexReader(model="gpt-5"))[0].usage == Usage(3600, 240, None)


def item(kind, phase="completed", **more):
    return json.dumps({"type": f"item.{phase}", "item": {"id": "i1", "type": kind, **more}})


END = json.dumps({"type": "turn.completed", "usage": {"input_tokens": 1, "output_tokens": 1}})
REPORT = item("agent_message", text="# It is so\n\nYes.")


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ([item("command_execution", status="completed", exit_code=0), REPORT], ""),
        ([item("command_execution", status="completed", exit_code=1), REPORT], "its only tool call did not work"),
        ([item("command_execution", status="failed", exit_code=0), REPORT], "its only tool call did not work"),
        ([item("web_search", query="x"), REPORT], "its only tool call did not work"),
        ([item("mcp_tool_call", server="s", tool="t", status="completed"), REPORT], ""),
        (
            [item("mcp_tool_call", server="s", tool="t", error={"message": "no"}), REPORT],
            "its only tool call did not work",
        ),
        ([REPORT, item("command_execution", status="completed", exit_code=0)], "it left no report"),
        (
            [
                item("file_change", status="completed", changes=[{"path": "a.py"}]),
                item("agent_message", text="Half of"),
            ],
            "breaks off",
        ),
        (
            [item("file_change", status="completed", changes=3), item("agent_message", text="All.\n\n## F")],
            "breaks off",
        ),
    ],
)
def test_done_needs_a_tool_that_worked_and_a_whole_report_after_it(lines, reason):
    outcome, _ = play([*lines, END])

    assert (outcome.result is Result.DONE) == (not reason)
    assert reason in outcome.reason


def test_an_error_that_it_got_over_is_none():
    lines = [
        json.dumps({"type": "error", "message": "odd"}),
        item("command_execution", status="completed", exit_code=0),
    ]

    assert play([*lines, REPORT, END])[0].result is Result.DONE
    assert play([*lines, REPORT], 1)[0].reason == "odd"


def session(folder, *payloads, thread="01a229a2-5901"):
    file = folder / "2026/11/30" / f"rollout-2026-11-30T00-00-00-{thread}.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a") as out:
        out.writelines(json.dumps(one) + "\n" for one in payloads)
    return file


def used(read, wrote):
    usage = {"input_tokens": read, "cached_input_tokens": 0, "output_tokens": wrote}
    return {"type": "event_msg", "payload": {"type": "token_count", "info": {"total_token_usage": usage}}}


def test_model_and_usage_of_a_run_that_was_stopped_come_from_its_session_file(tmp_path):
    reader = CodexReader(sessions=tmp_path, prices=PRICES)
    list(reader.feed('{"type":"thread.started","thread_id":"01a229a2-5901"}'))
    session(
        tmp_path,
        {"type": "turn_context", "payload": {"model": "gpt-5"}},
        {"type": "event_msg", "payload": {"type": "token_count", "info": None}},
        {"type": "token_count", "payload": '"token_count" of another version'},
        used(100, 10),
    )

    events = list(reader.feed(item("command_execution", status="completed", exit_code=0)))
    assert of(events, EventKind.USAGE)[0].usage == Usage(100, 10, pytest.approx(0.0003))

    with session(tmp_path, used(200, 20)).open("a") as file:
        file.write('{"half a line": "token_count"')
    outcome = reader.finish(-15, "", None)
    assert (outcome.model, outcome.usage) == ("gpt-5", Usage(200, 20, pytest.approx(0.0006)))


def test_a_session_file_that_is_none_is_left_alone(tmp_path):
    session(tmp_path, used(7, 7), thread="other")
    (tmp_path / "2026/11/30/rollout-x-away.jsonl").symlink_to("/etc/passwd")

    for thread in ("away", "../..", "*", "", "missing"):
        reader = CodexReader(sessions=tmp_path)
        list(reader.feed(json.dumps({"type": "thread.started", "thread_id": thread})))
        assert reader.finish(0, "", None).usage == Usage()


def test_a_resumed_session_counts_once_and_has_looked_already():
    _, _ = play(recorded("ok")[:-2], -15, reader=(reader := CodexReader(model="gpt-5", prices=PRICES)))
    outcome, events = replay("resume", reader=reader.again())

    assert outcome.result is Result.DONE
    assert outcome.usage.input_tokens == 4800
    assert len(of(events, EventKind.TURN)) == 1


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=6,
)
TYPES = [
    "thread.started",
    "turn.started",
    "item.started",
    "item.completed",
    "error",
    "turn.completed",
    "turn.failed",
    "new",
]
ITEM = st.fixed_dictionaries(
    {
        "type": st.sampled_from(
            ["agent_message", "command_execution", "file_change", "mcp_tool_call", "error", "todo_list"]
        )
    },
    optional=dict.fromkeys(("id", "text", "command", "changes", "status", "exit_code", "message", "error"), JSON),
)
SAID = st.fixed_dictionaries(
    {"type": st.sampled_from(TYPES)},
    optional={"item": ITEM | JSON, "usage": JSON, "message": JSON, "error": JSON, "thread_id": JSON},
)


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.text() | SAID.map(json.dumps) | JSON.map(json.dumps), max_size=6), st.none() | st.integers(-64, 255))
def test_nothing_that_it_prints_breaks_the_reader(lines, code):
    outcome, events = play(lines, code, "x")

    assert outcome.result in (Result.DONE, Result.FAILED)
    assert len(events) >= sum(bool(line.strip()) for line in lines)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(st.text(min_size=1).map("new_".__add__), JSON, max_size=3), st.sampled_from(sorted(INDEX)))
def test_unknown_fields_and_events_change_nothing(more, case):
    def with_more(line):
        said = json.loads(line)
        if "item" in said:
            said["item"] |= more
        return json.dumps({**said, **more})

    new = [json.dumps({"type": "new", **more}), item("new", **more)]
    lines = [line for one in recorded(case) for line in (with_more(one), *new)]

    assert play(lines, INDEX[case])[0] == play(recorded(case), INDEX[case])[0]


@pytest.fixture
def program(tmp_path, monkeypatch):
    """A `codex` on PATH that tells a version, and no variable of it in the environment."""
    folder = tmp_path / "bin"
    folder.mkdir()
    file = folder / "codex"
    file.write_text("#!/bin/sh\necho 'codex-cli 0.171.0'\n")
    file.chmod(0o755)
    for name in list(os.environ):
        if name.startswith(("CODEX_", "OPENAI_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    return file


MISSION = Mission(Kind.ASK, "q", "0" * 40, "codex", limits=Limits(), model="gpt-5.5")


def invoke(tmp_path, mission=MISSION):
    scratch = tmp_path / "scratch"
    scratch.mkdir(exist_ok=True)
    return Codex().invocation(mission, "What?", tmp_path / "tree", scratch), scratch


def after(argv, flag):
    return argv[argv.index(flag) + 1]


def test_ask_cannot_write(program, tmp_path):
    invocation, scratch = invoke(tmp_path)

    argv = invocation.argv
    assert argv[:2] == (str(program), "exec")
    assert argv[-1] == "-"
    assert invocation.stdin == "What?"
    assert (after(argv, "-s"), after(argv, "-C"), after(argv, "-m")) == ("read-only", str(tmp_path / "tree"), "gpt-5.5")
    assert "--ephemeral" not in argv  # a closing report resumes the session
    home = Path(invocation.env["CODEX_HOME"])
    assert home == scratch / "home/.codex"
    assert home.is_dir()
    assert not home.is_relative_to(invocation.env["TMPDIR"])
    assert invocation.env["HOME"] == str(scratch / "home")


@pytest.mark.parametrize(
    ("kind", "isolation", "network", "sandbox"),
    [
        (Kind.SCOUT, "none", "full", ("workspace-write", "sandbox_workspace_write.network_access=true")),
        (Kind.RESEARCH, "none", "none", ("workspace-write", "sandbox_workspace_write.network_access=false")),
        (Kind.SCOUT, "bwrap", "full", ("danger-full-access",)),
        (Kind.ASK, "landlock", "full", ("danger-full-access",)),  # its own cannot be made in there
    ],
)
def test_its_sandbox_is_for_where_there_is_no_other(program, tmp_path, kind, isolation, network, sandbox):
    invocation, _ = invoke(tmp_path, replace(MISSION, kind=kind, isolation=isolation, network=network))

    assert after(invocation.argv, "-s") == sandbox[0]
    assert set(sandbox[1:]) <= set(invocation.argv)
    assert "sandbox_workspace_write.exclude_slash_tmp=true" in invocation.argv


def test_only_a_trusted_repository_has_its_settings_used(program, tmp_path):
    cautious, trusting = (invoke(tmp_path, replace(MISSION, trusted=trusted))[0].argv for trusted in (False, True))

    assert {"--ignore-rules", "features.hooks=false"} <= set(cautious)
    assert "--trust" not in cautious
    assert "--trust" in trusting
    assert not {"--ignore-rules", "features.hooks=false"} & set(trusting)


CONFIG = r"""
model = "own-1"
model_provider = "mine"
notify = ["touch", "x"]
profile = "work"

[profiles.work]
model = "own-2"
approval_policy = "never"

[model_providers.mine]
name = "é \"quoted\" \\ \u007f"
base_url = "https://me.example:8443/v1"
env_key = "MY_KEY"
env_http_headers = { "X-Team" = "MY_TEAM" }
query_params = { "api-version" = "1" }
request_max_retries = 4
stream_idle = 1.5
flags = [true, "a"]

[mcp_servers.x]
command = "touch"

[hooks]
x = 1
"""


def test_of_the_users_settings_it_has_the_model_provider_alone(program, tmp_path, monkeypatch, home):
    (home / ".codex").mkdir()
    (home / ".codex/config.toml").write_text(CONFIG)
    (home / ".codex/AGENTS.md").write_text("always sing")
    monkeypatch.setenv("MY_KEY", "k1")
    monkeypatch.setenv("MY_TEAM", "t")
    monkeypatch.setenv("OPENAI_API_KEY", "k2")

    invocation, scratch = invoke(tmp_path, replace(MISSION, model=""))

    assert [file.name for file in (scratch / "home/.codex").iterdir()] == ["config.toml"]
    given = tomllib.loads((scratch / "home/.codex/config.toml").read_text())
    assert given == {
        "model": "own-2",
        "model_provider": "mine",
        "model_providers": tomllib.loads(CONFIG)["model_providers"],
    }
    assert {name: value for name, value in invocation.env.items() if value in ("k1", "k2", "t")} == {
        "MY_KEY": "k1",
        "MY_TEAM": "t",
    }
    assert invocation.hosts == ("me.example:8443",)
    assert invocation.reader.seen.model == "own-2"
    assert Codex().availability().login == "mine, its model provider, with MY_KEY"

    monkeypatch.delenv("MY_KEY")
    assert Codex().availability().login == "not logged in"
    assert "MY_KEY" in Codex().availability().hint


@given(JSON.filter(lambda value: value is not None).map(lambda value: {"model": value}))
@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_settings_are_written_as_they_were(config):
    def without_null(value):
        if isinstance(value, dict):
            return {key: without_null(one) for key, one in value.items() if one is not None}
        return [without_null(one) for one in value if one is not None] if isinstance(value, list) else value

    config = without_null(config)
    assert repr(tomllib.loads(codex_config.written(config))) == repr(config)


@pytest.mark.parametrize("text", ["[broken", "model_provider = 3\nmodel_providers = 4\nprofile = []\nprofiles = 1"])
def test_settings_that_say_nothing_useful_are_no_reason_to_fail(program, tmp_path, home, text):
    (home / ".codex").mkdir()
    (home / ".codex/config.toml").write_text(text)

    assert invoke(tmp_path)[0].hosts == ("api.openai.com:443",)
    assert Codex().availability().login == "not logged in"


def test_its_login_is_copied_and_found_elsewhere_too(program, tmp_path, monkeypatch):
    moved = tmp_path / "moved"
    moved.mkdir()
    (moved / "auth.json").write_text('{"tokens": {"access_token": "t"}}')
    monkeypatch.setenv("CODEX_HOME", str(moved))

    invocation, scratch = invoke(tmp_path)

    copy = scratch / "home/.codex/auth.json"
    assert invocation.login == ((moved / "auth.json", copy),)
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert invocation.hosts == ("chatgpt.com:443", "auth.openai.com:443")
    assert Codex().availability().login.startswith("login in ")


def test_it_closes_by_resuming_its_session(program, tmp_path):
    invocation, _ = invoke(tmp_path)
    assert invocation.closing() is None

    list(invocation.reader.feed('{"type":"thread.started","thread_id":"T1"}'))
    last = invocation.closing()

    assert last.argv[-3:] == ("resume", "T1", "-")
    assert after(last.argv, "-s") == "read-only"
    assert "features.shell_tool=false" in last.argv
    assert "<!-- end of report -->" in last.stdin
    assert last.env == invocation.env
    assert last.closing is None


def test_it_takes_no_argument():
    with pytest.raises(TypeError):
        Codex("x")
