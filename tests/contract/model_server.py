"""A scripted model on loopback: stands in for the services that agent programs talk to. Standard library only.

The base URL is `http://127.0.0.1:PORT/s/SCENARIO`, so one server plays every scenario. What it answers follows from the
request alone: its turn is the number of tool results the request already holds. Which tool it calls, it chooses among
those that the request declares. `wires.py` knows the four formats.
"""

from __future__ import annotations

import json
import os
import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Literal, Self
from urllib.parse import urlsplit

import wires
from wires import Call, Tokens, Tool, Turn

END = "<!-- end of report -->"
REPORT = f"""\
# Session cookies are signed by Signer.sign and checked by Signer.verify before a request is let in

`Signer.sign` appends a MAC to a value, and `current_user` lets in only what `Signer.verify` accepts.

## How it works

- `Signer.sign` computes the MAC with `hmac.digest` (`app/sessions.py:14-16`).
- `Signer.verify` splits at the last `SEPARATOR` and compares in constant time (`app/sessions.py:18-21`).
- `current_user` asks `verify` and gives up on None (`app/web.py:9-14`).
- `test_a_forged_cookie_is_refused` covers the refusal (`tests/test_sessions.py:9-11`).

## Open questions

None.

{END}"""
DRAFT = f"""\
# Only the signing was read before the time was up

`Signer.sign` computes a MAC (`app/sessions.py:14-16`). Who checks it was not looked at.

{END}"""
# As a process list shows them; a pid keeps those of tests that run at the same time apart.
SECONDS = {"slowtool": f"3470.{os.getpid():07d}5", "orphan": f"3480.{os.getpid():07d}5"}


@dataclass(frozen=True)
class Do:
    """Asks for a tool: `read` and `write` a path, `grep` a pattern, `shell` a command; `mcp` a tool of a server, with
    `content` as its arguments. `unless` is done instead where none is declared; None: it is called all the same, by a
    name that programs use."""

    intent: Literal["read", "grep", "shell", "write", "mcp"]
    what: str
    content: str = ""
    unless: Any = None


@dataclass(frozen=True)
class Say:
    """The final answer; `echo` adds what the last tool printed."""

    text: str = REPORT
    echo: bool = False


@dataclass(frozen=True)
class Fail:
    status: int


@dataclass(frozen=True)
class Break:
    """Begins to answer, and then: `cut` drops the connection, `end` ends it early in good order, `stall` is silent."""

    how: Literal["cut", "end", "stall", "garbage", "empty"]


LOOK = (Do("read", "app/sessions.py"), Do("grep", "verify"))
# {worktree}, {home}, {outside}: where those are in this run; {mark} is the server's; a shell has a home of its own
LITTER = "for d in . {worktree} {home} {outside} ~ /tmp /var/tmp; do echo pwned > $d/PWNED-{mark}.txt; done; echo tried"
WRITES = (
    LOOK[0],
    Do("write", "{worktree}/PWNED-{mark}-tool.txt", "written by a tool\n"),
    Do("write", "{worktree}/app/sessions.py", "written by a tool\n"),
)
ESCAPES = (
    Do("write", "{home}/PWNED-{mark}-tool.txt", "written by a tool\n"),
    Do("write", "{outside}/PWNED-{mark}-tool.txt", "written by a tool\n"),
    Do("shell", "git config --global user.name pwned; git -C {outside}/repository update-ref refs/heads/pwned HEAD"),
)
SCENARIOS: dict[str, tuple[Any, ...]] = {
    "ok": (*LOOK, Say()),
    **{f"e{status}": (Fail(status),) for status in (400, 401, 403, 404, 429, 500, 529)},
    "mid500": (LOOK[0], Fail(500)),
    "cut": (Break("cut"),),
    "midcut": (LOOK[0], Break("end")),
    "garbage": (Break("garbage"),),
    "empty": (Break("empty"),),
    "stall": (Break("stall"),),
    "midstall": (LOOK[0], Break("stall")),
    "slowtool": (LOOK[0], Do("shell", f"sleep {SECONDS['slowtool']}", unless=Break("stall")), Say()),
    "orphan": (
        LOOK[0],
        Do("shell", f"setsid sleep {SECONDS['orphan']} >/dev/null 2>&1 & echo started", unless=LOOK[1]),
        Say(),
    ),
    "write": (*WRITES, Do("shell", LITTER), Do("read", "app/sessions.py"), Say()),
    "escape": (LOOK[0], *ESCAPES, Do("shell", LITTER), Say()),
    "wild": (
        *(*WRITES, *ESCAPES, Do("shell", LITTER)),
        Do("shell", f"setsid sleep {SECONDS['orphan']} >/dev/null 2>&1 & echo started"),
        *(Do("shell", "env"), Do("read", "app/sessions.py"), Say()),
    ),
    "scout": (
        LOOK[0],
        Do("write", "{worktree}/app/extra.py", "written by a tool\n"),
        Do("shell", "sed -i s/sha256/sha512/ app/sessions.py"),
        Do("shell", "make nothing-such"),
        Do("shell", "git checkout -q -b topic"),
        Do("shell", "git add -A"),
        Do("shell", "git commit -qm 'Try it'"),
        Say(),
    ),
    "research": (
        Do("read", "../sources/repository/app/sessions.py"),
        Do(
            "shell",
            "touch ../sources/repository/x; echo 'print(6 * 7)' > poc.py; "
            "grep -n 'class Signer' ../sources/*/app/*; python3 poc.py",
        ),
        Say(echo=True),
    ),
    "edit": (LOOK[0], Do("write", "{worktree}/app/sessions.py", "written by a tool\n"), Say()),
    "loop": (Do("grep", "[v{turn}]erify"),),  # never the same twice: some programs notice that
    "budget": (Do("grep", "[v{turn}]erify"),),
    "anywhere": (Do("grep", "e"), Say()),
    "notes": (
        Do("mcp", "search_notes", '{"query": "who signs the session cookie", "limit": 3}'),
        Do("mcp", "read_note", '{"note": "cookie01"}'),
        Do("mcp", "read_note", '{"note": "nosuchnote"}'),
        Say(),
    ),
    "asks": (Do("mcp", "ask", '{"question": "Where is the session cookie signed?"}'), Say()),
    "keyprint": (LOOK[0], Do("shell", "env", unless=LOOK[1]), Say(echo=True)),
    "keyhunt": (LOOK[0], Do("shell", "cat /proc/*/environ | tr '\\0' '\\n'", unless=LOOK[1]), Say(echo=True)),
}
USED = {"budget": Tokens(input=150_000, output=8_000)}
PAUSE = {"loop": 0.3}  # seconds before each answer


@dataclass(frozen=True)
class Request:
    """One that was answered: for assertions."""

    scenario: str
    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]
    model: str
    tools: tuple[str, ...]
    text: str  # all strings of the body, one a line
    results: tuple[str, ...]  # what tools gave back so far

    def leaks(self, secret: str) -> list[str]:
        """Where a secret is, other than in the header that is for it."""
        found = [name for name, value in self.headers.items() if secret in value and name.lower() not in wires.AUTH]
        return [*found, *["path"] * (secret in self.path), *["body"] * (secret in self.text)]


class ModelServer(ThreadingHTTPServer):
    """Use it as a context; `outside` and `home` are where the `write` and `escape` scenarios try to write."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 128  # programs open several connections at once, and a busy machine accepts them late

    def __init__(
        self, *, home: Path = Path("/nonexistent"), outside: Path = Path("/nonexistent"), port: int = 0
    ) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.home, self.outside = home, outside
        self.mark = str(self.server_address[1])  # in the names of files that tools are asked to write
        self.requests: list[Request] = []
        self.closing = threading.Event()
        self._thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self.shutdown()
        self._thread.join()
        self.server_close()

    def url(self, scenario: str) -> str:
        assert scenario in SCENARIOS
        return f"http://127.0.0.1:{self.server_address[1]}/s/{scenario}"

    def asked(self, scenario: str) -> list[Request]:
        """Requests in which the agent could act: side requests, such as for a title, declare no tool."""
        return [one for one in self.requests if one.scenario == scenario and one.tools]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients are killed in these tests: a broken pipe is no news."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: ModelServer

    def log_message(self, *_: Any) -> None:
        pass

    def do_HEAD(self) -> None:
        self._answer(200, {})

    def do_GET(self) -> None:
        names = ("scripted-model", "claude-sonnet-4-5", "gpt-5", "gemini-2.5-pro")
        models = [{"id": name, "object": "model", "type": "model", "slug": name} for name in names]
        known = urlsplit(self.path).path.endswith("/models")
        self._answer(
            200 if known else 404, {"object": "list", "data": models, "models": []} if known else {"error": {}}
        )

    def do_POST(self) -> None:
        raw = self._body()
        parts = urlsplit(self.path)
        match = re.fullmatch(r"/s/(\w+)(/.*)", parts.path)
        wire = wires.of(parts.path, parts.query)
        if not match or match[1] not in SCENARIOS or not wire:
            self._answer(404, {"error": {"type": "not_found_error", "message": f"no such route: {self.path}"}})
            return
        body = json.loads(raw or b"{}")
        if wire is wires.COUNTING:
            self._answer(200, {"input_tokens": 1200, "totalTokens": 1200})
            return
        tools = wire.tools(body)
        text = "\n".join(wires.strings(body))
        model = body.get("model") or wire.model
        names = tuple(tool.name for tool in tools)
        results = tuple("\n".join(wires.strings([one])) for one in wire.results(body))
        request = Request(match[1], self.path, dict(self.headers), body, model, names, text, results)
        self.server.requests.append(request)
        self._play(match[1], wire, body, tools, text)

    def _play(self, scenario: str, wire: wires.Wire, body: Mapping[str, Any], tools: list[Tool], text: str) -> None:
        self.server.closing.wait(PAUSE.get(scenario, 0))
        steps = SCENARIOS[scenario]
        turn = wire.turn(body)
        step = steps[min(turn, len(steps) - 1)]
        if wire.asked_again(body) or (not tools and turn):  # a session that was stopped, and resumed for its report
            step = Say(DRAFT)
        elif not tools and isinstance(step, Do):
            step = Say("A title")
        served = self.server
        where = {"worktree": _worktree(text), "home": served.home, "outside": served.outside, "mark": served.mark}
        where["turn"] = str(turn)
        answer = Turn(number=turn, used=USED.get(scenario, Tokens()))
        while isinstance(step, Do):
            call = _call(step, tools, where)
            if not call and step.unless:
                step = step.unless
                continue
            answer.text = f"I look at it, step {turn + 1}."
            answer.call = call or Call(Tool("Write" if step.intent == "write" else "Bash"), {"command": step.what})
            self._send(wire, body, answer)
            return
        if isinstance(step, Fail):
            retry = {"retry-after": "1"} if step.status == 429 else {}
            self._answer(step.status, wire.error(step.status), retry)
            return
        if isinstance(step, Say):
            answer.text = step.text
            if step.echo:
                answer.text = step.text.replace(END, f"```\n{wire.printed(body)}\n```\n\n{END}")
        elif step.how != "empty":
            answer.text = REPORT
        self._send(wire, body, answer, step.how if isinstance(step, Break) else "")

    def _send(self, wire: wires.Wire, body: Mapping[str, Any], turn: Turn, broken: str = "") -> None:
        wire = wire.streaming(body)
        if not wire.streams:
            if broken == "stall":
                self.server.closing.wait()
            elif broken in ("cut", "end", "garbage"):
                self._raw(b'{"half": [1, 2', whole=False)
            else:
                self._answer(200, wire.whole(body, turn))
            return
        frames = list(wire.frames(body, turn))
        self._open()
        if broken == "garbage":
            frames = ["data: {no json\n\n", "what is this\n\n"]
        elif broken and broken != "empty":
            frames = frames[: max(3, len(frames) // 2)]
        for frame in frames:
            self._chunk(frame.encode())
        if broken == "stall":
            self.server.closing.wait()
        if broken != "cut":
            self._chunk(b"")
        self.close_connection = True

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        parts = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    def _answer(self, status: int, said: Any, headers: Mapping[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self._raw(json.dumps(said).encode())

    def _raw(self, data: bytes, *, whole: bool = True) -> None:
        if not whole:
            self.send_response(200)
            self.close_connection = True
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data) if whole else len(data) + 500))
        self.end_headers()
        self.wfile.write(data if self.command != "HEAD" else b"")

    def _open(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()


NAMES: dict[str, tuple[str, ...]] = {
    "read": ("Read", "read_file", "view", "read"),
    "grep": ("Grep", "grep_search", "search_file_content", "grep", "rg"),
    "write": ("Write", "write_file", "create", "edit_file", "write"),
    "shell": ("Bash", "exec_command", "run_shell_command", "bash", "shell_command", "shell", "local_shell", "exec"),
}


def _call(step: Do, tools: list[Tool], where: Mapping[str, object]) -> Call | None:
    """The tool for a step among those declared, and what it is called with; a shell does for every other."""
    what = step.what
    for name, place in where.items():
        what = what.replace(f"{{{name}}}", str(place) or ".")
    declared = {tool.name: tool for tool in tools}
    if step.intent == "mcp":
        return _served(step, tools)
    tool = next((declared[name] for name in (*NAMES[step.intent], *NAMES["shell"]) if name in declared), None)
    if not tool:
        return None
    command = {
        "read": f"cat -n {what}",
        "grep": f"grep -rn {what} .",
        "write": f"printf '%s' '{step.content}' > {what}",
        "shell": what,
    }[step.intent]
    if tool.free:
        return Call(tool, f"const r = await tools.exec_command({{cmd: {json.dumps(command)}}}); text(r.output ?? r);")
    path = what if what.startswith("/") else str(Path(str(where["worktree"]), what))
    return Call(tool, tool.filled(path=path, command=command, content=step.content, pattern=what))


def _served(step: Do, tools: list[Tool]) -> Call | None:
    """A tool of a server, whose name programs put before it; where tools are called from code, by that."""
    own = next((tool for tool in tools if not tool.free and tool.name.endswith(step.what)), None)
    if own:
        return Call(own, json.loads(step.content))
    code = next((tool for tool in tools if tool.free), None)
    made = f"const r = await tools.mcp__scoutkit__{step.what}({step.content}); text(JSON.stringify(r));"
    return Call(code, made) if code else None


def _worktree(text: str) -> str:
    """The checkout that a request speaks of: the first folder with a `.git` among the paths in it."""
    paths = dict.fromkeys(found.rstrip(".") for found in re.findall(r"(?<![\w.:/])/[\w@.+/-]+", text))
    return next((path for path in paths if Path(path, ".git").exists()), "")


if __name__ == "__main__":
    import sys

    with ModelServer(port=int(sys.argv[1]) if len(sys.argv) > 1 else 0) as server:
        sys.stdout.write(server.url("ok") + "\n")
        sys.stdout.flush()
        server.closing.wait()
