"""Copilot CLI: the verdict on every recorded run, and what it is started with."""

from __future__ import annotations

import csv
import json
import os
import platform
import stat
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoutkit.agents.copilot import Copilot, CopilotReader
from scoutkit.errors import Unavailable
from scoutkit.model.agents import Event, EventKind
from scoutkit.model.missions import Kind, Mission, Outcome

STREAMS = Path(__file__).parent / "streams" / "copilot"
LOGS = "scoutkit run logs"
# case: result, a telling part of the reason and of the hint, tokens in and out
EXPECTED = {
    "ok": ("done", "", "", None, None),
    "ok-usagefile": ("done", "", "", 3600, 240),
    "ok-anthropic": ("done", "", "", None, None),
    "e400": ("failed", "the model refused the request: 400 scripted failure", LOGS, None, None),
    "e401": (
        "failed",
        "its key is refused: Authentication failed with provider",
        "COPILOT_PROVIDER_API_KEY",
        None,
        None,
    ),
    "e429": ("failed", "429 Rate limit reached", "try again in 1s", None, None),
    "e500": ("failed", "the model's server has trouble: 500", "try again later", None, None),
    "cut": ("failed", "cut off on its way", "ask again", None, None),
    "midcut": ("failed", "cut off on its way", "ask again", None, None),
    "garbage": ("failed", "cut off on its way: Failed to parse", "ask again", None, None),
    "empty": ("failed", "No response was returned", "ask again", None, None),
    "nokey": ("failed", "not logged in: No authentication information found", "COPILOT_GITHUB_TOKEN", None, None),
    "term-native": ("failed", "it was interrupted", "", None, None),  # exit 0, and `exitCode` 0
    "term-stall": ("failed", "signal 15", "", None, None),
    "write-default": ("failed", "its only tool call did not work", LOGS, None, None),
    "orphan": ("done", "", "", None, None),
}
INDEX = {row["case"]: int(row["exit"]) for row in csv.DictReader((STREAMS / "INDEX.tsv").open(), delimiter="\t")}


def lines(case: str) -> list[str]:
    return (STREAMS / f"{case}.jsonl").read_text(encoding="utf-8").removesuffix("\n").split("\n")


def read(case: str, *, priced: bool = False) -> tuple[Outcome, list[Event]]:
    reader = CopilotReader(
        Path("/w/tree"),
        version="1.0.102",
        usage=STREAMS / f"{case}.usage.json",
        prices={"gpt-4.1": {"input": 2, "output": 8, "cached": 0.5}},
        priced=priced,
    )
    events = [event for line in lines(case) for event in reader.feed(line)]
    stderr = STREAMS / f"{case}.stderr"
    told = stderr.read_text(encoding="utf-8")[-4000:] if stderr.exists() else ""
    return reader.finish(INDEX[case], told, None), events


def test_every_recorded_run_has_an_expected_verdict() -> None:
    assert set(INDEX) == set(EXPECTED)


@pytest.mark.parametrize("case", EXPECTED)
def test_the_verdict_on_a_recorded_run(case: str) -> None:
    result, reason, hint, read_tokens, wrote = EXPECTED[case]
    outcome, events = read(case)
    assert (outcome.result.value, outcome.version) == (result, "1.0.102")
    assert reason in outcome.reason
    assert bool(outcome.reason) == (result != "done")
    assert hint in outcome.hint
    assert (outcome.usage.input_tokens, outcome.usage.output_tokens) == (read_tokens, wrote)
    assert outcome.model == {"nokey": "", "ok-anthropic": "claude-sonnet-4.6"}.get(case, "gpt-4.1")
    if result == "done":
        assert outcome.report.startswith("# How greeting works\n")
        assert outcome.report.endswith("(`app/main.py:6`).\n")
        assert events[-1].kind is EventKind.DONE


def test_what_was_said_before_it_broke_off_is_the_draft() -> None:
    assert read("term-stall")[0].report == "I will look at\n"
    assert read("midcut")[0].report == "I will look at the code.\n\nI will look at\n", "a retried part counts once"


def test_tools_turns_and_retries_are_told_and_the_prompt_is_not() -> None:
    _, events = read("ok")
    calls = [event.text for event in events if event.kind is EventKind.TOOL_CALL]
    assert calls == ["view app/greet.py", "grep greet"]
    assert [event.data["ok"] for event in events if event.kind is EventKind.TOOL_RESULT] == [True, True]
    assert sum(event.kind is EventKind.TURN for event in events) == 3
    assert "Reply in Markdown" not in str(events)
    _, events = read("e429")
    retries = [event for event in events if event.kind is EventKind.RETRY]
    told = ("Rate limit reached. Please try again in 1s.", "try again in 1s")
    assert [(event.text, event.data["hint"]) for event in retries] == [told] * 5
    _, events = read("cut")
    (told,) = {event.text for event in events if event.kind is EventKind.RETRY}
    assert told.startswith("the answer was cut off on its way: Failed to finalize")


@pytest.mark.parametrize(
    ("failure", "text", "hint"),
    [
        ({"errorMessage": "odd"}, "no answer came: streaming error", "check the network, or ask again"),
        ({}, "no answer came: streaming error", "check the network, or ask again"),
        (
            {"statusCode": 429, "errorMessage": '{"message": "Too much.", "code": "insufficient_quota"}'},
            "no credit left: Too much.",
            "look at the account that pays for it, or use another agent",
        ),
    ],
)
def test_a_retry_has_the_cause_that_the_call_before_it_gave(failure: dict[str, object], text: str, hint: str) -> None:
    reader = CopilotReader()
    list(reader.feed(json.dumps({"type": "model.call_failure", "data": failure})))
    (event,) = reader.feed(json.dumps({"type": "assistant.turn_retry", "data": {"reason": "streaming_error"}}))
    assert (event.kind, event.text, event.data["hint"]) == (EventKind.RETRY, text, hint)


def test_tokens_cost_something_where_a_provider_is_paid_by_them() -> None:
    assert read("ok-usagefile")[0].usage.cost_usd is None, "GitHub counts requests"
    cost = read("ok-usagefile", priced=True)[0].usage.cost_usd
    assert cost == pytest.approx((3000 * 2 + 600 * 0.5 + 240 * 8) / 1e6)


@pytest.mark.parametrize("text", ["", "[]", '{"modelMetrics": 3}', '{"modelMetrics": {"m": {"usage": []}}}', "\udcff"])
def test_a_usage_file_that_says_nothing_is_no_usage(tmp_path: Path, text: str) -> None:
    file = tmp_path / "usage.json"
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    assert CopilotReader(usage=file).finish(1, "", None).usage.input_tokens is None


def test_a_resumed_session_keeps_what_was_said_and_is_judged_anew() -> None:
    reader = CopilotReader()
    for line in lines("term-native"):
        list(reader.feed(line))
    reader.finish(0, "", None)
    later = reader.again()
    for line in lines("ok"):
        list(later.feed(line))
    outcome = later.finish(0, "", None)
    assert outcome.result.value == "done"
    assert outcome.report.startswith("# How greeting works")


_JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["content", "success", "model", "toolName", "arguments"]), inner, max_size=3)
    ),
    max_leaves=5,
)
_TYPES = sorted({json.loads(line)["type"] for case in ("ok", "midcut", "term-native") for line in lines(case)})


@settings(max_examples=200)
@given(
    said=st.lists(
        st.fixed_dictionaries({"type": st.sampled_from(_TYPES) | _JSON}, optional={"data": _JSON}).map(json.dumps)
        | st.text(max_size=20),
        max_size=5,
    ),
    code=st.none() | st.integers(-64, 255),
)
def test_no_line_makes_the_reader_raise(said: list[str], code: int | None) -> None:
    reader = CopilotReader()
    for line in said:
        assert all(isinstance(event, Event) for event in reader.feed(line))
    assert reader.finish(code, "\n".join(said), None).result.value in ("done", "failed")
    reader.again().finish(code, "", None)


# --- how it is started

MISSION = Mission(Kind.ASK, "How?", "0" * 40, "copilot")
PROGRAM = """#!/bin/sh
mkdir -p "$COPILOT_PKG_CACHE_HOME/pkg/x/1.2.3"
echo unpacked >> "$COPILOT_PKG_CACHE_HOME/times"
touch "$COPILOT_PKG_CACHE_HOME/pkg/x/1.2.3/index.js"
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The package as npm installs it: a loader on PATH, and the program beside it, which unpacks itself."""
    for name in list(os.environ):
        if name.startswith(("COPILOT_", "GH_", "GITHUB_")):
            monkeypatch.delenv(name)
    modules = tmp_path / "lib/node_modules/@github"
    machine = {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    native = modules / f"copilot-linux-{machine}"
    native.mkdir(parents=True)
    (native / "copilot").write_text(PROGRAM)
    (native / "copilot").chmod(0o755)
    (native / "package.json").write_text('{"version": "1.2.3"}')
    loader = modules / "copilot/npm-loader.js"
    loader.parent.mkdir()
    loader.write_text("#!/usr/bin/env node\n")
    loader.chmod(0o755)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/copilot").symlink_to(loader)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.defpath}")
    monkeypatch.setattr("sys.platform", "linux")
    return native


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    folder = tmp_path / "scratch"
    folder.mkdir()
    return folder


def test_the_program_itself_is_started_not_its_loader(package: Path, tmp_path: Path, scratch: Path) -> None:
    start = Copilot().invocation(MISSION, "prompt", tmp_path, scratch)
    assert start.argv[0] == str(package / "copilot")
    assert (start.stdin, "prompt" in start.argv) == ("prompt", False)
    assert package in start.shown


def test_its_version_is_known_without_starting_it(package: Path, home: Path) -> None:
    (package / "copilot").write_text("#!/bin/sh\nexit 9\n")
    assert Copilot().availability().version == "1.2.3"


def test_it_is_unpacked_once_into_a_cache_all_runs_share(package: Path, tmp_path: Path, home: Path) -> None:
    for number in range(3):
        scratch = tmp_path / f"scratch{number}"
        scratch.mkdir()
        start = Copilot().invocation(MISSION, "", tmp_path, scratch)
        cache = home / ".cache/scoutkit/copilot"
        assert start.env["COPILOT_PKG_CACHE_HOME"] == str(cache)
        assert cache in start.shown
    assert (cache / "times").read_text() == "unpacked\n"


def test_what_its_user_has_unpacked_is_used(package: Path, tmp_path: Path, scratch: Path, home: Path) -> None:
    (home / ".cache/copilot/pkg/linux-x64/1.2.3").mkdir(parents=True)
    (home / ".cache/copilot/pkg/linux-x64/1.2.3/index.js").touch()
    start = Copilot().invocation(MISSION, "", tmp_path, scratch)
    assert start.env["COPILOT_PKG_CACHE_HOME"] == str(home / ".cache/copilot")
    assert not (home / ".cache/scoutkit/copilot").exists()


def test_one_that_cannot_be_unpacked_is_not_available(package: Path, tmp_path: Path, scratch: Path) -> None:
    (package / "copilot").write_text("#!/bin/sh\necho no space >&2\nexit 3\n")
    with pytest.raises(Unavailable, match="no space"):
        Copilot().invocation(MISSION, "", tmp_path, scratch)


def test_asking_has_tools_that_read_and_trusts_no_folder(package: Path, tmp_path: Path, scratch: Path) -> None:
    argv = Copilot().invocation(MISSION, "", tmp_path, scratch).argv
    assert "--available-tools=view,grep,glob" in argv
    assert not {"--allow-all-tools", "--trust-folder"} & set(argv)
    argv = Copilot().invocation(replace(MISSION, kind=Kind.SCOUT), "", tmp_path, scratch).argv
    assert "--allow-all-tools" in argv
    assert "--trust-folder" not in argv
    assert "--trust-folder" in Copilot().invocation(replace(MISSION, trusted=True), "", tmp_path, scratch).argv


def test_of_the_users_settings_only_the_login_and_the_model_go_along(
    package: Path, home: Path, tmp_path: Path, scratch: Path
) -> None:
    (home / ".copilot").mkdir()
    (home / ".copilot/config.json").write_text(
        '// managed\n{"loggedInUsers": [{"login": "ann"}], "copilotTokens": {"x": "t"}, "trustedFolders": ["/"],'
        ' "mcpServers": {"x": 1}, "installedPlugins": [1]}'
    )
    (home / ".copilot/settings.json").write_text('{"model": "gpt-5.5", "hooks": {}}')
    start = Copilot().invocation(MISSION, "", tmp_path, scratch)
    copy = Path(start.env["COPILOT_HOME"]) / "config.json"
    assert json.loads(copy.read_text()).keys() == {"loggedInUsers", "copilotTokens"}
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert copy.is_relative_to(scratch)
    assert "--model=gpt-5.5" in start.argv
    assert start.login == (), "a part of a file is not put back over the whole"
    assert "login in" in Copilot().availability().login


@pytest.mark.parametrize(
    ("env", "passed", "login", "host"),
    [
        (
            {"GH_TOKEN": "tok-1", "GITHUB_TOKEN": "tok-2"},
            {"GH_TOKEN"},
            "token in GH_TOKEN",
            "api.githubcopilot.com:443",
        ),
        (
            {
                "COPILOT_PROVIDER_BASE_URL": "https://h.example/v1",
                "COPILOT_PROVIDER_API_KEY": "key-1",
                "GH_TOKEN": "tok-3",
            },
            {"COPILOT_PROVIDER_BASE_URL", "COPILOT_PROVIDER_API_KEY", "COPILOT_OFFLINE"},
            "provider in COPILOT_PROVIDER_BASE_URL",
            "h.example:443",
        ),
        ({}, set(), "not logged in", "api.github.com:443"),
    ],
)
def test_one_token_or_one_provider_goes_along(
    package: Path,
    tmp_path: Path,
    scratch: Path,
    monkeypatch: pytest.MonkeyPatch,
    env: dict[str, str],
    passed: set[str],
    login: str,
    host: str,
) -> None:
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    start = Copilot().invocation(MISSION, "", tmp_path, scratch)
    own = {"COPILOT_HOME", "COPILOT_PKG_CACHE_HOME", "COPILOT_AUTO_UPDATE"}
    assert {name for name in start.env if name.startswith(("COPILOT", "GH_", "GITHUB"))} - own == passed
    assert not any(value in str(start.argv) for value in env.values()), "a key is never an argument"
    assert Copilot().availability().login == login
    assert host in start.hosts


def test_it_closes_a_session_that_began_without_tools(package: Path, tmp_path: Path, scratch: Path) -> None:
    start = Copilot().invocation(replace(MISSION, kind=Kind.SCOUT), "", tmp_path, scratch)
    assert start.closing is not None
    assert start.closing() is None, "nothing began"
    session = scratch / "home/.copilot/session-state/x"
    session.mkdir(parents=True)
    (session / "events.jsonl").touch()
    closing = start.closing()
    assert closing is not None
    assert {"--continue", "--available-tools=none"} <= set(closing.argv)
    assert "--allow-all-tools" not in closing.argv


def test_a_missing_program_says_how_to_get_it(tmp_path: Path, scratch: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "npm install" in Copilot().availability().hint
    with pytest.raises(Unavailable, match="copilot is not on PATH"):
        Copilot().invocation(MISSION, "", tmp_path, scratch)
