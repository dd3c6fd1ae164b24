"""Gemini CLI: how it is started for one mission, in a home of its own, and what its JSON lines say.

A repository's `.gemini/settings.json` (hooks, servers, commands that find tools), its extensions and its `.env` count
for nothing in a folder that Gemini does not trust. Such a folder ends it with exit status 55, unless folder trust is
off in the user's settings while the environment says that this folder is not trusted: that is what is written here.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from scoutkit.agents import gemini_home, prices
from scoutkit.agents.gemini_home import PROGRAM
from scoutkit.agents.program import STOP, temporary
from scoutkit.agents.session_usage import Answer, SessionUsage, tokens
from scoutkit.agents.stream import Stream, call, number
from scoutkit.agents.verdict import readable
from scoutkit.model.agents import Availability, Event, EventKind, Invocation
from scoutkit.model.missions import Kind, Mission, Outcome, Usage

IDLE = 300.0  # it tells nothing while it thinks or waits for a model that refuses
TURN_LIMIT = 53

_MAY_CHANGE = """[[rule]]
toolName = ["write_file", "replace"]
decision = "allow"
priority = 500

[[rule]]
toolName = "run_shell_command"
commandRegex = "."
decision = "allow"
allowRedirection = true
priority = 500
"""
"""Under a rule without a pattern every git command in a folder that is not trusted becomes a question, and a question
that nobody can answer is a refusal. Makefiles, package.json and the like are changed by the shell alone: that is built
into it."""
_NO_TOOLS = """[[rule]]
toolName = "*"
decision = "deny"
priority = 998
"""


@dataclass(frozen=True)
class Gemini:
    """The agent. Its reports are the text that follows the last tool result."""

    name: str = field(default="gemini", init=False)
    kinds: frozenset[Kind] = field(default=frozenset(Kind), init=False)
    needs_checkout: bool = field(default=True, init=False)
    prices: Mapping[str, Any] = field(default_factory=dict, kw_only=True)  # the user's own

    def availability(self) -> Availability:
        """Logged in by a file of its own, or by a key in the environment or in `~/.gemini/.env`."""
        here = PROGRAM.availability()
        if here.ok and here.login == "not logged in" and (kept := gemini_home.kept_keys().keys() & {"GEMINI_API_KEY"}):
            return replace(here, login=f"key in ~/.gemini/.env: {min(kept)}", hint="")
        return here

    def invocation(self, mission: Mission, prompt: str, worktree: Path, scratch: Path) -> Invocation:
        """`ask` has tools that read and no others; other missions may write and run commands."""
        program = PROGRAM.needed()
        keys = {**gemini_home.kept_keys(), **PROGRAM.environment()}
        way = gemini_home.way_in(keys)
        home, pairs = gemini_home.furnish(scratch, mission, way)
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
                allowed += (f"--policy={gemini_home.policy(home, 'may-change', _MAY_CHANGE)}",)
        fixed = (program, "--output-format=stream-json", *model)
        if mission.sources:  # its tools read no folder but those that it is told of
            fixed += (f"--include-directories={worktree.parent / 'sources'}",)
        reader = GeminiReader(worktree, home, version=PROGRAM.version(), model=mission.model, prices=self.prices)
        start = Invocation(
            argv=(*fixed, f"--session-id={session}", *allowed),
            reader=reader,
            stdin=prompt,
            env=env,
            shown=gemini_home.shown(keys),
            hosts=gemini_home.hosts(keys, way),
            idle=IDLE,
            login=pairs,
        )

        def closing() -> Invocation | None:
            if not any(home.glob(f".gemini/tmp/*/chats/*{session[:8]}*")):
                return None  # stopped before it began
            unlimited = replace(mission, limits=replace(mission.limits, turns=None))
            gemini_home.write_settings(home, unlimited, way)
            policy = f"--policy={gemini_home.policy(home, 'no-tools', _NO_TOOLS)}"
            argv = (*fixed, f"--resume={session}", "--approval-mode=default", policy)
            return replace(start, argv=argv, reader=reader.again(), stdin=STOP, closing=None)

        return replace(start, closing=closing)


class GeminiReader(Stream):
    """What follows the last tool result is the report. Its terminal event says `success` of answers cut off, too."""

    program = "gemini"

    def __init__(
        self,
        worktree: Path | None = None,
        home: Path | None = None,
        *,
        version: str = "",
        model: str = "",
        prices: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(version=version, model=model)
        self._tree = worktree
        self._session = SessionUsage(home, ".gemini/tmp/*/chats/*.jsonl", _answer, prices=prices) if home else None
        self._prices = prices or {}
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
                name, given = str(said["tool_name"]), said.get("parameters")
                yield Event(
                    EventKind.TOOL_CALL,
                    call(name, given, self._tree),
                    data={"tool": name, "input": given, "id": str(said.get("tool_id") or "")},
                )
            case "tool_result":
                worked = said["status"] == "success"
                self.seen.worked += worked
                self._waiting = True
                yield from self._pause()
                yield Event(
                    EventKind.TOOL_RESULT,
                    str(said.get("output") or ""),
                    data={"ok": worked, "id": str(said.get("tool_id") or "")},
                )
                if self._session and (used := self._session.so_far()):
                    self.seen.usage = used
                    yield Event(EventKind.USAGE, usage=used)
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
        if self._session and not seen.ended:
            seen.usage = self._session.so_far() or seen.usage
        if exit_code == TURN_LIMIT:
            seen.limit = seen.limit or "it reached its limit of turns"
        elif exit_code == 41:
            told = next((line for line in readable(stderr_tail).splitlines() if not line.startswith("Warning:")), "")
            seen.error = f"not logged in: {told.strip()}"
        elif exit_code is not None and 144 <= exit_code <= 254:
            seen.status = exit_code + 256
            seen.error = seen.error or f"its model answered {seen.status}"
        elif seen.error and (
            trace := re.findall(r"^ +(?:code|status): ([45]\d\d)$", readable(stderr_tail), re.MULTILINE)
        ):
            seen.status = int(trace[-1])
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
        own = tokens(stats, "input_tokens", "output_tokens", "cached")
        wrote = max(own.output, (number(stats.get("total_tokens")) or 0) - own.input)  # thoughts, too
        own = replace(own, output=wrote)
        usage = _sum(self._before, Usage(own.input, wrote, prices.cost(self.seen.model, own, self._prices)))
        session = self._session.so_far() if self._session else None  # has what a run that was stopped used, too
        return session if session and (session.input_tokens or 0) >= (usage.input_tokens or 0) else usage


def _sum(first: Usage, second: Usage) -> Usage:
    def both(one: Any, other: Any) -> Any:
        return one if other is None else other if one is None else one + other

    return Usage(
        both(first.input_tokens, second.input_tokens),
        both(first.output_tokens, second.output_tokens),
        both(first.cost_usd, second.cost_usd),
    )


def _answer(said: Mapping[str, Any]) -> Answer | None:
    if said.get("type") != "gemini":
        return None
    return str(said["id"]), str(said["model"]), tokens(said["tokens"], "input", "output", "cached", "thoughts")


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
