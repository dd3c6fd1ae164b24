"""The server as client programs know it: a process, which the SDK's own client talks to."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from waiting import PATIENCE, until

from scoutkit.serving import tools

SLOW = """\
[[step]]
event = { kind = "text", text = "I look at `src/auth/signing.py:12-14`." }

[[step]]
event = { kind = "tool_call", text = "read src/auth/signing.py" }

[[step]]
delay = 600
"""


def rpc(method: str, number: int = 0, **params: Any) -> bytes:
    """A line of the protocol: a notification without a number."""
    message = {"jsonrpc": "2.0", "method": method, "params": params} | ({"id": number} if number else {})
    return json.dumps(message).encode() + b"\n"


HELLO = rpc(
    "initialize", 1, protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "test", "version": "1"}
) + rpc("notifications/initialized")


@pytest.fixture
def bare(repo: Path) -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """Start a server whose pipes the test holds."""
    started: list[subprocess.Popen[bytes]] = []

    def start(*options: str) -> subprocess.Popen[bytes]:
        pipe = subprocess.PIPE
        argv = [sys.executable, "-m", "scoutkit", "mcp", *options]
        started.append(subprocess.Popen(argv, cwd=repo, stdin=pipe, stdout=pipe, stderr=pipe))
        return started[-1]

    yield start
    for popen in started:
        popen.kill()
        popen.wait()
        for pipe in (popen.stdin, popen.stdout, popen.stderr):
            assert pipe
            with contextlib.suppress(BrokenPipeError):
                pipe.close()


def answers_of(popen: subprocess.Popen[bytes], number: int) -> dict[str, Any]:
    """The answer to a request; whatever comes before it must be the protocol's too."""
    assert popen.stdout
    for line in popen.stdout:
        message = json.loads(line)
        assert message["jsonrpc"] == "2.0"
        if message.get("id") == number:
            return message
    raise AssertionError("it closed stdout")


def alive(one: psutil.Process) -> bool:
    try:
        return one.is_running() and one.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_a_client_finds_tools_and_notes_and_reads_them(
    talk: Callable[..., Any], put: Callable[..., Path], repo: Path
) -> None:
    from mcp.shared.exceptions import MCPError

    put("cookie01", "Session cookies are signed by SessionSigner")
    here = talk("--budget", "600")

    listed = {tool.name: tool for tool in here.do("list_tools").tools}
    assert list(listed) == [tool.name for tool in tools.READING], "ask is offered only where it is allowed"
    for tool in listed.values():
        assert tool.annotations
        assert tool.annotations.read_only_hint
        assert tool.input_schema["additionalProperties"] is False
        assert tool.output_schema

    assert [hit["id"] for hit in here.data("search_notes", query="who signs cookies?")["hits"]] == ["cookie01"]
    assert here.data("read_note", note="cookie01")["verdicts"] == {"fresh": 1}
    assert [hit["id"] for hit in here.data("notes_about", path="src/auth/signing.py", start=13)["hits"]] == ["cookie01"]
    pack = here.data("pack_notes", task="sign the session cookies in another way")
    assert "makes the MAC" in pack["pack"]
    assert pack["budget_used"] <= 600
    assert here.data("check_note", note="cookie01")["holds"]

    (resource,) = here.do("list_resources").resources
    assert (str(resource.uri), resource.title) == ("note://cookie01", "Session cookies are signed by SessionSigner")
    (content,) = here.do("read_resource", "note://cookie01").contents
    assert "makes the MAC" in content.text
    assert content.meta["budget_used"] <= 600
    (template,) = here.do("list_resource_templates").resource_templates
    assert template.uri_template == "note://{id}{?offset}"

    # what goes wrong is said, and stops nothing
    assert here.error("search_notes", query="x", limit=51).startswith("error: limit: 51 is greater than")
    assert here.error("search_notes", query="x" * 9_999).startswith("error: query: is too long: 9,999 characters\n")
    assert here.error("search_notes", query="  ").startswith("error: query: is blank\n")
    assert "'wrong' was unexpected" in here.error("search_notes", query="x", wrong=1)
    for long in ("n" * 50_000, "注" * 50_000, "🔥" * 50_000):
        assert len(here.error("read_note", note=long).encode()) <= 500, (
            "no more bytes than the smallest budget's tokens"
        )
    assert "'query' is a required property" in here.error("search_notes")
    assert "hint: search_notes finds" in here.error("read_note", note="nosuch")
    assert "no such lines" in here.error("notes_about", path="src", start=5, end=2)
    for uri in ("note://nosuch", "file:///etc/passwd", "note://cookie01/../../x"):
        with pytest.raises(MCPError):
            here.do("read_resource", uri)
    with pytest.raises(MCPError, match="no such tool: ask"):
        here.call("ask", question="How?")

    # what another process writes is found by the next call
    second = put("second01", "Zebras are striped")
    assert [hit["id"] for hit in here.data("search_notes", query="zebras")["hits"]] == ["second01"]
    second.write_text(second.read_text().replace("Zebras", "Lions"))
    assert not here.data("search_notes", query="zebras")["hits"]
    second.unlink()
    assert not here.data("search_notes", query="lions")["hits"]
    for file in (repo / ".git/scoutkit").glob("scoutkit.db*"):
        file.unlink()
    assert [hit["id"] for hit in here.data("search_notes", query="cookies")["hits"]] == ["cookie01"]
    assert (repo / ".git/scoutkit/scoutkit.db").exists()
    for number in range(120):
        put(f"many{number:04d}", f"Note {number}")
    first = here.do("list_resources")
    rest = here.do("list_resources", cursor=first.next_cursor)
    assert (len(first.resources), len(rest.resources), rest.next_cursor) == (100, 21, None)


def test_without_a_repository_every_call_says_so_until_there_is_one(
    talk: Callable[..., Any], tmp_path: Path, git: Callable[..., str]
) -> None:
    from mcp.shared.exceptions import MCPError

    folder = tmp_path / "later"
    folder.mkdir()
    here = talk(folder=folder)
    assert here.do("list_tools").tools
    said = here.error("search_notes", query="x")
    assert said.startswith(f"error: not in a git repository: {folder}\nhint: ")
    assert "-C FOLDER" in said
    with pytest.raises(MCPError, match="not in a git repository"):
        here.do("list_resources")
    git(folder, "init", "-q")
    assert here.data("search_notes", query="x")["hits"] == []


def test_stdout_has_the_protocol_alone_and_the_end_of_stdin_ends_it_once_all_is_answered(
    bare: Callable[..., Any], put: Callable[..., Path]
) -> None:
    put("cookie01", "Cookies")
    server = bare()
    asked = [rpc("tools/call", number, name="check_note", arguments={"note": "cookie01"}) for number in range(2, 12)]
    out, err = server.communicate(HELLO + b"this is no message\n\n" + b"".join(asked), timeout=PATIENCE)
    messages = [json.loads(line) for line in out.splitlines()]
    assert {message["jsonrpc"] for message in messages} == {"2.0"}
    assert messages[0]["result"]["serverInfo"]["name"] == "scoutkit"
    assert sorted(one["id"] for one in messages[1:] if one["result"]["structuredContent"]["holds"]) == list(
        range(2, 12)
    )
    assert server.returncode == 0
    assert b"Traceback" not in err


def test_in_a_run_of_scoutkit_itself_no_agent_is_sent_and_a_signal_ends_it_while_stdin_is_open(
    bare: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCOUTKIT_RUN", "r1234567")
    server = bare("--allow-ask")
    server.stdin.write(HELLO + rpc("tools/list", 2))
    server.stdin.flush()
    listed = answers_of(server, 2)["result"]["tools"]
    assert [tool["name"] for tool in listed] == [tool.name for tool in tools.READING]
    server.send_signal(signal.SIGTERM)
    assert server.wait(PATIENCE) == 130
    err = server.stderr.read()
    assert b"ask is not offered" in err
    assert b"Traceback" not in err


def test_ask_sends_an_agent_tells_how_it_goes_and_gives_its_note(talk: Callable[..., Any], repo: Path) -> None:
    here = talk("--allow-ask", "--agent", "scripted:demo")
    ask = here.do("list_tools").tools[-1]
    assert ask.name == "ask"
    assert not ask.annotations.read_only_hint
    assert ask.annotations.destructive_hint is False
    answer = here.data("ask", question="How does this work?")
    assert answer["note"]["title"] == "The scripted agent plays a scenario file and reads no code"
    assert (answer["from_memory"], answer["run"] is not None) == (False, True)
    assert here.progress
    again = here.data("ask", question="how does this work")
    assert (again["note"]["id"], again["from_memory"], again["run"]) == (answer["note"]["id"], True, None)
    assert "no such revision: nowhere" in here.error("ask", question="How?", base="nowhere")
    assert "base" in here.error("ask", question="How?", base="--output=x")


@pytest.mark.parametrize("ends", [["cancelled", "terminated"], ["left"]], ids=" then ".join)
def test_a_question_that_nobody_waits_for_is_stopped_and_leaves_a_draft(
    bare: Callable[..., Any], repo: Path, tmp_path: Path, ends: list[str]
) -> None:
    scenario = tmp_path / "slow.toml"
    scenario.write_text(SLOW)
    server = bare("--allow-ask", "--agent", f"scripted:{scenario}")
    server.stdin.write(HELLO)
    drafts = repo / ".claude/notes/drafts"
    for number, how in enumerate(ends, 2):
        asking = {"name": "ask", "arguments": {"question": f"How, {how}?"}, "_meta": {"progressToken": "p"}}
        server.stdin.write(rpc("tools/call", number, **asking))
        server.stdin.flush()
        for line in server.stdout:
            if "signing.py" in line.decode():
                break
        started = psutil.Process(server.pid).children(recursive=True)
        assert started
        if how == "cancelled":
            server.stdin.write(rpc("notifications/cancelled", requestId=number, reason="enough"))
            server.stdin.flush()
        elif how == "terminated":
            server.terminate()
        else:
            server.stdin.close()
        until(lambda: len(list(drafts.glob("*.md"))) == number - 1, "a draft")  # noqa: B023
        until(lambda: not any(map(alive, started)), "no process is left")  # noqa: B023
        if how == "cancelled":
            server.stdin.write(rpc("tools/call", 9, name="search_notes", arguments={"query": "signing"}))
            server.stdin.flush()
            hits = answers_of(server, 9)["result"]["structuredContent"]["hits"]
            assert [hit["status"] for hit in hits] == ["draft"]
        else:
            assert server.wait(PATIENCE) == (130 if how == "terminated" else 0)
    assert all("src/auth/signing.py:12-14" in draft.read_text() for draft in drafts.glob("*.md"))


def test_several_servers_and_writers_share_one_catalogue(
    talk: Callable[..., Any], put: Callable[..., Path], repo: Path
) -> None:
    one, other = talk(), talk()
    for number in range(2):
        put(f"shared{number:02d}", f"Note {number} on badgers")
        listing = subprocess.Popen([sys.executable, "-m", "scoutkit", "-C", repo, "list", "--json"], stdout=-1)
        for here in (one, other):
            hits = here.data("search_notes", query="badgers", limit=50)["hits"]
            assert sorted(hit["id"] for hit in hits) == [f"shared{known:02d}" for known in range(number + 1)]
        assert len(json.loads(listing.communicate()[0])["hits"]) == number + 1


@pytest.mark.parametrize(
    ("code", "options", "said"),
    [
        (2, ("--agent", "builtin"), "error: --agent builtin is for --allow-ask\nhint: add --allow-ask\n"),
        (2, ("--budget", "499"), "error: invalid value for '--budget'"),
    ],
)
def test_what_cannot_be_is_refused_at_the_start(bare: Callable[..., Any], code: int, options: Any, said: str) -> None:
    server = bare(*options)
    out, err = server.communicate(timeout=PATIENCE)
    assert (server.returncode, out) == (code, b"")
    assert err.decode().startswith(said)


def test_where_the_sdk_is_not_installed_one_line_says_how_to_get_it(repo: Path) -> None:
    code = "import sys; sys.modules['mcp'] = None; from scoutkit import commands; sys.exit(commands.run(['mcp']))"
    done = subprocess.run([sys.executable, "-c", code], cwd=repo, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (5, "")
    assert done.stderr.splitlines()[1] == f'hint: {shlex.quote(sys.executable)} -m pip install "scoutkit[mcp]"'
    assert os.linesep.join(done.stderr.splitlines()[:1]).startswith("error: the MCP server needs a package")
