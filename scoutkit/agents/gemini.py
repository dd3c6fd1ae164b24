"""Gemini CLI: how it is started for one mission, in a home of its own, and what its JSON lines say.

A repository's `.gemini/settings.json` (hooks, servers, commands that find tools), its extensions and its `.env` count
for nothing in a folder that Gemini does not trust. Such a folder ends it with exit status 55, unless folder trust is
off in the user's settings while the environment says that this folder is not trusted: that is what is written here.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from scoutkit import config
from scoutkit.agents import prices
from scoutkit.agents.program import STOP, Program, address, private, temporary
from scoutkit.agents.stream import Stream, number, short
from scoutkit.agents.verdict import readable
from scoutkit.model.agents import Availability, Event, EventKind, Invocation
from scoutkit.model.missions import Kind, Mission, Outcome, Usage

PROGRAM = Program(
    name="gemini",
    install="npm install -g @google/gemini-cli",
    keys=(
        *("GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GEMINI_BASE_URL", "GEMINI_MODEL", "GEMINI_CLI_CUSTOM_HEADERS"),
        *("GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_GENAI_USE_GCA", "GOOGLE_VERTEX_BASE_URL", "GOOGLE_GENAI_API_VERSION"),
        *("GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_PROJECT_ID", "GOOGLE_CLOUD_LOCATION", "GOOGLE_APPLICATION_CREDENTIALS"),
    ),
    login=(".gemini/oauth_creds.json", ".gemini/google_accounts.json", ".gemini/gemini-credentials.json"),
    sign_in="run gemini once to log in, or set GEMINI_API_KEY",
    flags=("--output-format", "--approval-mode", "--session-id", "--resume", "--policy", "--model"),
)
IDLE = 300.0  # it tells nothing while it thinks or waits for a model that refuses
TURN_LIMIT = 53

_KEY, _GOOGLE, _VERTEX = "gemini-api-key", "oauth-personal", "vertex-ai"  # as its settings call the ways to log in
_HOSTS = {
    _KEY: ("generativelanguage.googleapis.com:443",),
    _GOOGLE: ("cloudcode-pa.googleapis.com:443", "oauth2.googleapis.com:443", "www.googleapis.com:443"),
    _VERTEX: ("aiplatform.googleapis.com:443", "oauth2.googleapis.com:443"),
}
_CLOUD_LOGIN = ".config/gcloud/application_default_credentials.json"
_MAY_CHANGE = """[[rule]]
toolName = ["write_file", "replace", "run_shell_command"]
decision = "allow"
allowRedirection = true
priority = 500
"""
_NO_TOOLS = """[[rule]]
toolName = "*"
decision = "deny"
priority = 998
"""


class Gemini:
    """The agent. Its reports are the text that follows the last tool result."""

    name = "gemini"
    kinds = frozenset(Kind)
    needs_checkout = True

    def availability(self) -> Availability:
        """Logged in by a file of its own, or by a key in the environment or in `~/.gemini/.env`."""
        here = PROGRAM.availability()
        if here.ok and here.login == "not logged in" and (kept := _kept_keys().keys() & {"GEMINI_API_KEY"}):
            return replace(here, login=f"key in ~/.gemini/.env: {min(kept)}", hint="")
        return here

    def invocation(self, mission: Mission, prompt: str, worktree: Path, scratch: Path) -> Invocation:  # noqa: ARG002
        """`ask` has tools that read and no others; other missions may write and run commands."""
        program = PROGRAM.needed()
        keys = {**_kept_keys(), **PROGRAM.environment()}
        way = _way_in(keys)
        login = {_KEY: PROGRAM.login[2:], _GOOGLE: PROGRAM.login, _VERTEX: (_CLOUD_LOGIN,)}[way]
        home, pairs = replace(PROGRAM, login=login).home(scratch)
        _write_settings(home, mission, way)
        session = str(uuid.uuid4())
        env = {
            **keys,
            **temporary(scratch),
            "HOME": str(home),
            "GEMINI_CLI_HOME": str(home),
            "GEMINI_CLI_NO_RELAUNCH": "true",  # else the outer of its two processes swallows signals
            "GEMINI_CLI_TRUST_WORKSPACE": "true" if mission.trusted else "false",
        }
        model = (f"--model={mission.model}",) if mission.model else ()
        mode = "plan" if mission.kind is Kind.ASK else "yolo"
        if mission.trusted:
            allowed: tuple[str, ...] = (f"--approval-mode={mode}",)
        else:  # where a folder is not trusted, every mode becomes this one, which offers only tools that read
            allowed = ("--approval-mode=default",)
            if mission.kind is not Kind.ASK:
                allowed += (f"--policy={_policy(home, 'may-change', _MAY_CHANGE)}",)
        fixed = (program, "--output-format=stream-json", *model)
        reader = GeminiReader(version=PROGRAM.version(), model=mission.model, overrides=config.load(None).prices)
        start = Invocation(
            argv=(*fixed, f"--session-id={session}", *allowed),
            reader=reader,
            stdin=prompt,
            env=env,
            shown=_shown(keys),
            hosts=_hosts(keys, way),
            idle=IDLE,
            login=pairs,
        )

        def closing() -> Invocation | None:
            if not any(home.glob(f".gemini/tmp/*/chats/*{session[:8]}*")):
                return None  # stopped before it began
            policy = f"--policy={_policy(home, 'no-tools', _NO_TOOLS)}"
            argv = (*fixed, f"--resume={session}", "--approval-mode=default", policy)
            return replace(start, argv=argv, reader=reader.again(), stdin=STOP, closing=None)

        return replace(start, closing=closing)


class GeminiReader(Stream):
    """What follows the last tool result is the report. Its terminal event says `success` of answers cut off, too."""

    program = "gemini"

    def __init__(self, *, version: str = "", model: str = "", overrides: Mapping[str, Any] | None = None) -> None:
        super().__init__(version=version, model=model)
        self._overrides = overrides  # of prices
        self._before = Usage()  # what the session used before it was resumed: its figures are those of one process
        self._message = ""  # what it has told since the last tool result
        self._line = ""  # the end of that, as far as it is no whole line
        self._waiting = True  # for the model to begin an answer

    def understand(self, said: Mapping[str, Any]) -> Iterable[Event]:
        match said["type"]:
            case "init":
                self.seen.session, self.seen.model = str(said["session_id"]), str(said["model"])
                yield Event(EventKind.STATUS, data={"model": self.seen.model, "session": self.seen.session})
            case "message" if said["role"] == "assistant":
                yield from self._turn()
                yield from self._say(str(said["content"]))
            case "message":  # the prompt, which is known
                yield Event(EventKind.OTHER, data={"type": "message", "role": str(said["role"])})
            case "tool_use":
                self.seen.tried += 1
                yield from self._turn()
                yield from self._pause()
                yield Event(EventKind.TOOL_CALL, _call(said), data={"tool": str(said["tool_name"])})
            case "tool_result":
                worked = said["status"] == "success"
                self.seen.worked += worked
                self._waiting = True
                yield from self._pause()
                yield Event(EventKind.TOOL_RESULT, str(said.get("output") or ""), data={"ok": worked})
            case "error":
                yield from self._complain(said)
            case "result":
                yield from self._end(said)

    def again(self) -> Self:
        later = super().again()
        if self._message.strip():
            later.seen.said.append(self._message.strip())
        later._before, later._message, later._line, later._waiting = self.seen.usage, "", "", True
        return later

    def finish(self, exit_code: int | None, stderr_tail: str, report_file: str | None) -> Outcome:
        """The exit status says what the stream may not: the limit of turns, no login, an HTTP status less 256."""
        seen = self.seen
        if self._message.strip():
            seen.said.append(self._message.strip())
        if exit_code == TURN_LIMIT:
            seen.limit = seen.limit or "it reached its limit of turns"
        elif exit_code == 41:
            told = next((line for line in readable(stderr_tail).splitlines() if not line.startswith("Warning:")), "")
            seen.error = f"not logged in: {told.strip()}"
        elif exit_code is not None and 144 <= exit_code <= 254:
            seen.status = exit_code + 256
            seen.error = seen.error or f"its model answered {seen.status}"
        return super().finish(exit_code, stderr_tail, report_file)

    def _turn(self) -> Iterable[Event]:
        if self._waiting:
            self._waiting = False
            yield Event(EventKind.TURN)

    def _say(self, text: str) -> Iterable[Event]:
        self._message += text
        whole, newline, self._line = (self._line + text).rpartition("\n")
        if newline:
            yield Event(EventKind.TEXT, whole)

    def _pause(self) -> Iterable[Event]:
        """A message is over."""
        if self._line.strip():
            yield Event(EventKind.TEXT, self._line)
        if self._message.strip():
            self.seen.said.append(self._message.strip())
        self._line = self._message = ""

    def _complain(self, said: Mapping[str, Any]) -> Iterable[Event]:
        message = str(said["message"])
        if said.get("severity") == "error" or "Loop detected" in message:
            self.seen.error, self.seen.hint = message, "ask again"
            yield Event(EventKind.ERROR, message)
        else:
            yield Event(EventKind.STATUS, message)

    def _end(self, said: Mapping[str, Any]) -> Iterable[Event]:
        seen = self.seen
        report = self._message
        yield from self._pause()
        seen.ended = True
        stats = said.get("stats")
        if isinstance(stats, Mapping):
            seen.usage = self._usage(stats)
            yield Event(EventKind.USAGE, usage=seen.usage, data={"model": seen.model})
        if said["status"] == "success":
            seen.report = report.strip()
            yield Event(EventKind.REPORT, seen.report)
        else:
            error = said.get("error")
            error = error if isinstance(error, Mapping) else {}
            if error.get("type") == "FatalTurnLimitedError":
                seen.limit = "it reached its limit of turns"
            if error.get("message"):
                seen.hint = ""  # what it says tells more than what came before it
            seen.error = _plain(str(error.get("message") or "")) or seen.error or f"it ended with {said['status']!r}"
            yield Event(EventKind.ERROR, seen.error)
        yield Event(EventKind.DONE, usage=seen.usage)

    def _usage(self, stats: Mapping[str, Any]) -> Usage:
        models = stats.get("models")
        used = (
            {name: one for name, one in models.items() if isinstance(one, Mapping)} if isinstance(models, dict) else {}
        )
        if used and self.seen.model not in used:  # "auto" and the like: the one that answered
            self.seen.model = max(used, key=lambda name: number(used[name].get("total_tokens")) or 0)
        read, wrote = number(stats.get("input_tokens")), number(stats.get("output_tokens"))
        tokens = prices.Tokens(read or 0, wrote or 0, number(stats.get("cached")) or 0)
        return _sum(self._before, Usage(read, wrote, prices.cost(self.seen.model, tokens, self._overrides)))


def _sum(first: Usage, second: Usage) -> Usage:
    def both(one: Any, other: Any) -> Any:
        return one if other is None else other if one is None else one + other

    return Usage(
        both(first.input_tokens, second.input_tokens),
        both(first.output_tokens, second.output_tokens),
        both(first.cost_usd, second.cost_usd),
    )


def _call(said: Mapping[str, Any]) -> str:
    parameters = said.get("parameters")
    values = parameters.values() if isinstance(parameters, Mapping) else ()
    return short(" ".join([str(said["tool_name"]), *[one for one in values if isinstance(one, str)][:1]]))


def _plain(message: str) -> str:
    """An error without its wrapping: `[API Error: {"error": {"code": 401, "message": …}}]`."""
    inner = re.search(r"\[API Error: (.*?)\](?:\n|\s*$)", message, re.DOTALL)
    text = inner[1] if inner else message
    try:
        error = json.loads(text)["error"]
        text = f"{error['code']} {error['message']}"
    except (ValueError, KeyError, TypeError, RecursionError):
        pass  # it was plain
    return " ".join(text.split())


def _settings(home: Path) -> dict[str, Any]:
    """What the user has set; nothing where that cannot be read."""
    try:
        text = (home / ".gemini/settings.json").read_text(encoding="utf-8")
        settings = json.loads(re.sub(r"^\s*//.*$", "", text, flags=re.MULTILINE))
    except (OSError, ValueError, RecursionError):
        return {}
    return settings if isinstance(settings, dict) else {}


def _setting(settings: Mapping[str, Any], *path: str) -> str:
    value: Any = settings
    for name in path:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value if isinstance(value, str) else ""


def _kept_keys() -> dict[str, str]:
    """What `~/.gemini/.env` has for it: its own file for keys, which it reads in folders it trusts."""
    try:
        text = (Path.home() / ".gemini/.env").read_text(encoding="utf-8")
    except (OSError, ValueError):
        return {}
    found = re.findall(r"""^\s*(?:export\s+)?(\w+)\s*=\s*(?:"([^"\n]*)"|'([^'\n]*)'|([^\s#]*))""", text, re.MULTILINE)
    return {name: "".join(value) for name, *value in found if name in PROGRAM.keys}


def _way_in(keys: Mapping[str, str]) -> str:
    """How it logs in, by the variables that say so, what its user chose, and what there is."""
    if keys.get("GOOGLE_GENAI_USE_GCA") == "true":
        return _GOOGLE
    if keys.get("GOOGLE_GENAI_USE_VERTEXAI") == "true":
        return _VERTEX
    chosen = _setting(_settings(Path.home()), "security", "auth", "selectedType")
    if chosen in (_GOOGLE, _VERTEX) or keys.get("GEMINI_API_KEY"):
        return chosen if chosen in _HOSTS else _KEY
    if chosen != _KEY and (Path.home() / PROGRAM.login[0]).is_file():
        return _GOOGLE
    return _VERTEX if keys.get("GOOGLE_API_KEY") else _KEY


def _write_settings(home: Path, mission: Mission, way: str) -> None:
    model: dict[str, Any] = {}
    if mission.limits.turns is not None:
        model["maxSessionTurns"] = mission.limits.turns
    if name := _setting(_settings(Path.home()), "model", "name"):
        model["name"] = name
    general: dict[str, Any] = {"enableAutoUpdate": False, "enableAutoUpdateNotification": False}
    if mission.limits.retries is not None:
        general["maxAttempts"] = max(1, min(10, mission.limits.retries + 1))
    settings = {
        "security": {"auth": {"selectedType": way}, "folderTrust": {"enabled": False}},
        "general": general,
        "privacy": {"usageStatisticsEnabled": False},
        "model": model,
    }
    if not mission.trusted:
        settings["advanced"] = {"ignoreLocalEnv": True}
        settings["hooksConfig"] = {"enabled": False}
    private(home / ".gemini/settings.json", json.dumps(settings, indent=1))


def _policy(home: Path, name: str, rules: str) -> Path:
    file = home / f"{name}.toml"
    private(file, rules)
    return file


def _shown(keys: Mapping[str, str]) -> tuple[Path, ...]:
    node = shutil.which("node")
    folders = [Path(node).parent, Path(os.path.realpath(node)).parent] if node else []
    file = keys.get("GOOGLE_APPLICATION_CREDENTIALS", "")
    return tuple(dict.fromkeys((*PROGRAM.shown(), *folders, *([Path(file)] if Path(file).is_absolute() else []))))


def _hosts(keys: Mapping[str, str], way: str) -> tuple[str, ...]:
    if own := address(keys.get("GOOGLE_VERTEX_BASE_URL" if way == _VERTEX else "GOOGLE_GEMINI_BASE_URL", "")):
        return (own, *_HOSTS[way][1:])
    place = keys.get("GOOGLE_CLOUD_LOCATION", "")
    return (*_HOSTS[way], *([f"{place}-aiplatform.googleapis.com:443"] if way == _VERTEX and place else []))
