"""Codex: how it is started for one mission, in a home of its own, and what its JSON lines say.

It needs no server for files: it reads with commands, in a sandbox of its own.
"""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from scoutkit.agents import causes, codex_config, prices
from scoutkit.agents.codex_session import Session
from scoutkit.agents.program import STOP, Program, private, temporary
from scoutkit.agents.stream import Stream, number, short
from scoutkit.model.agents import Availability, Event, EventKind, Invocation
from scoutkit.model.missions import Kind, Mission, Outcome, Usage

PROGRAM = Program(
    name="codex",
    install="npm install -g @openai/codex, or brew install codex",
    keys=("CODEX_API_KEY", "CODEX_ACCESS_TOKEN", "OPENAI_API_KEY", "OPENAI_ORGANIZATION", "OPENAI_PROJECT"),
    login=(".codex/auth.json",),
    sign_in="run codex login, or set CODEX_API_KEY",
    flags=(
        *("exec", "--json", "--sandbox", "--cd", "--model", "--config", "--skip-git-repo-check", "--ignore-rules"),
        "resume",
    ),
    home_variable="CODEX_HOME",
)
IDLE = 300.0  # a long thought or a slow command says nothing for minutes

_FIXED = (
    *("-c", "analytics.enabled=false", "-c", "check_for_update_on_startup=false"),
    *("-c", "features.plugins=false", "-c", "features.apps=false"),  # what the user has connected is not for a mission
    *("-c", 'approval_policy="never"', "-c", 'cli_auth_credentials_store="file"'),
    *("-c", "shell_environment_policy.ignore_default_excludes=false"),  # no keys for the commands that it runs
    *("-c", "sandbox_workspace_write.exclude_slash_tmp=true"),  # there are other runs' worktrees
    *("-c", "sandbox_workspace_write.exclude_tmpdir_env_var=true"),
)
_NOISE = "Reading additional input from stdin..."  # on stderr, always
_TOOLS = ("command_execution", "file_change", "mcp_tool_call", "web_search", "collab_tool_call")


@dataclass(frozen=True)
class Codex:
    """The agent. Its report is its last message. `prices` is the user's table: it tells no cost."""

    name: str = field(default="codex", init=False)
    kinds: frozenset[Kind] = field(default=frozenset(Kind), init=False)
    needs_checkout: bool = field(default=True, init=False)
    prices: Mapping[str, Any] = field(default_factory=dict, kw_only=True)

    def availability(self) -> Availability:
        """Logged in by its own file, a key, or a provider of the user's that takes one."""
        here = PROGRAM.availability()
        config = codex_config.carried()
        provider = codex_config.provider(config)
        if not here.path or not provider or provider.get("requires_openai_auth"):
            return here
        key, name = str(provider.get("env_key") or ""), config["model_provider"]
        lacks = bool(key) and not os.environ.get(key)
        login = "not logged in" if lacks else f"{name}, its model provider" + (f", with {key}" if key else "")
        way_out = f"set {key}, the key of {name}" if lacks else ""
        return replace(here, login=login, hint=way_out if here.ok else here.hint)

    def invocation(self, mission: Mission, prompt: str, worktree: Path, scratch: Path) -> Invocation:
        """`ask` cannot write: its sandbox reads only. Other missions may write in the worktree."""
        path = PROGRAM.needed()
        home, pairs = PROGRAM.home(scratch)
        config = codex_config.carried()
        private(home / ".codex" / "config.toml", codex_config.written(config))
        model = ("-m", mission.model) if mission.model else ()
        own = ("--trust",) if mission.trusted else ("--ignore-rules", "-c", "features.hooks=false")
        fixed = (path, "exec", "--json", "--skip-git-repo-check", "-C", str(worktree), *_FIXED, *model, *own)
        reader = CodexReader(
            version=PROGRAM.version(),
            model=mission.model or str(config.get("model") or ""),
            sessions=home / ".codex" / "sessions",
            prices=self.prices,
        )
        keys = codex_config.keys(PROGRAM, config)
        start = Invocation(
            argv=(*fixed, *_sandbox(mission, scratch), "-"),
            reader=reader,
            stdin=prompt,
            env={**keys, **temporary(scratch), "HOME": str(home), "CODEX_HOME": str(home / ".codex")},
            shown=PROGRAM.shown(),
            hosts=codex_config.hosts(config, keys, pairs[0][0] if pairs else None),
            idle=IDLE,
            login=pairs,
        )

        def closing() -> Invocation | None:
            if not reader.seen.session:
                return None
            no_tools = ("-s", "read-only", "-c", "features.shell_tool=false")
            argv = (*fixed, *no_tools, "resume", reader.seen.session, "-")
            return replace(start, argv=argv, reader=reader.again(), stdin=STOP, closing=None)

        return replace(start, closing=closing)


class CodexReader(Stream):
    """What `codex exec --json` says, and what its session file adds: the model, and usage before the end."""

    program = "codex"

    def __init__(
        self,
        *,
        version: str = "",
        model: str = "",
        sessions: Path | None = None,
        prices: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(version=version, model=model)
        self._session = Session(sessions) if sessions else None
        self._prices = prices or {}
        self._waiting = True  # for the model to begin an answer
        self._started: set[str] = set()  # tool calls, by item

    def again(self) -> Self:
        """Items are counted anew."""
        later = super().again()
        later._waiting, later._started = True, set()
        return later

    def understand(self, said: Mapping[str, Any]) -> Iterable[Event]:
        seen = self.seen
        match said["type"]:
            case "thread.started":
                seen.session = str(said["thread_id"])
                yield Event(EventKind.STATUS, data={"session": seen.session, "version": seen.version})
            case "turn.started":
                self._waiting = True
                yield Event(EventKind.STATUS, "the model is at work")
            case "item.started" | "item.updated" | "item.completed":
                yield from self._item(said["item"], said["type"])
            case "error":
                yield from self._complain(str(said["message"]))
            case "turn.completed":
                seen.ended, seen.error = True, ""
                yield from self._look()
                yield from self._used(said.get("usage"))
                yield Event(EventKind.REPORT, seen.report)
                yield Event(EventKind.DONE)
            case "turn.failed":
                seen.ended, told = True, str(said["error"]["message"])
                yield from self._look()
                if told != seen.error:
                    seen.error = told
                    yield Event(EventKind.ERROR, told)
                yield Event(EventKind.DONE)

    def finish(self, exit_code: int | None, stderr_tail: str, report_file: str | None) -> Outcome:
        """Also of a run that was stopped, what its session file knows."""
        list(self._look())
        return super().finish(exit_code, stderr_tail.replace(_NOISE, ""), report_file)

    def _item(self, item: Mapping[str, Any], phase: str) -> Iterable[Event]:
        kind, over = item["type"], phase == "item.completed"
        if kind == "error":  # a warning: it goes on
            yield Event(EventKind.STATUS, str(item["message"]))
            return
        if self._waiting and kind != "todo_list":  # commands at once count as one after the other: nothing tells
            self._waiting = False
            yield Event(EventKind.TURN)
        if kind == "agent_message" and over:
            self.seen.report = str(item["text"])
            if self.seen.report.strip():
                self.seen.said.append(self.seen.report.strip())
                yield Event(EventKind.TEXT, self.seen.report)
        elif kind in _TOOLS:
            if phase == "item.started" or (over and str(item["id"]) not in self._started):
                yield self._call(item)
            if over:
                yield from self._result(item)
        else:
            yield Event(EventKind.OTHER, data={"type": phase, "item": item})

    def _call(self, item: Mapping[str, Any]) -> Event:
        self._started.add(str(item["id"]))
        self.seen.tried += 1
        self.seen.report = ""  # what it says before it looks at something is not its last word
        return Event(
            EventKind.TOOL_CALL,
            _words(item),
            data={"tool": str(item["type"]), "input": _input(item), "id": str(item["id"])},
        )

    def _result(self, item: Mapping[str, Any]) -> Iterable[Event]:
        worked = item.get("status", "completed") == "completed" and not item.get("error")
        if item["type"] == "command_execution":  # in a broken sandbox each fails, and it still ends well
            worked = worked and item.get("exit_code") == 0
        self.seen.worked += worked and item["type"] != "web_search"  # which is no look at the code
        self._waiting = True
        told = {"ok": worked, "id": str(item["id"]), "exit": item.get("exit_code")}
        yield Event(EventKind.TOOL_RESULT, str(item.get("aggregated_output") or ""), data=told)
        yield from self._look()

    def _complain(self, message: str) -> Iterable[Event]:
        if message.startswith("Reconnecting"):
            what, hint = causes.explain(self.program, message.partition(" (")[2].removesuffix(")") or message)
            yield Event(
                EventKind.RETRY, message, data={"hint": hint, "status": causes.status_in(message), "cause": what}
            )
        else:
            self.seen.error = message
            yield Event(EventKind.ERROR, message)

    def _look(self) -> Iterator[Event]:
        """What its session file has to say since the last look."""
        for model, usage in self._session.news(self.seen.session) if self._session else ():
            self.seen.model = model or self.seen.model
            yield from self._used(usage)

    def _used(self, usage: object) -> Iterator[Event]:
        """Usage is that of the whole session, a resumed one too."""
        if not isinstance(usage, Mapping):
            return
        names = ("input_tokens", "output_tokens", "cached_input_tokens", "cache_write_input_tokens")
        read, wrote, cached, written = (number(usage.get(name)) for name in names)
        cost = None
        if read is not None and wrote is not None:
            tokens = prices.Tokens(read, wrote, cached or 0, written or 0)
            cost = prices.cost(self.seen.model, tokens, self._prices)
        fresh = Usage(read, wrote, cost)
        if fresh != self.seen.usage:
            self.seen.usage = fresh
            yield Event(EventKind.USAGE, usage=fresh)


def _words(item: Mapping[str, Any]) -> str:
    """A tool call in a person's words."""
    match item["type"]:
        case "command_execution":
            return f"Run {short(_command(str(item.get('command') or '')))}"
        case "file_change":
            changes = item.get("changes")
            paths = (
                [str(one.get("path")) for one in changes if isinstance(one, dict)] if isinstance(changes, list) else []
            )
            return f"Change {short(', '.join(paths))}".rstrip()
        case "mcp_tool_call":
            return f"Call {short(item.get('tool') or '')} of {short(item.get('server') or '')}"
        case "web_search":
            return f"Search the web for {short(item.get('query') or '')}"
    return str(item["type"])


def _input(item: Mapping[str, Any]) -> dict[str, Any]:
    return {name: item[name] for name in ("command", "changes", "server", "tool", "arguments", "query") if name in item}


def _command(line: str) -> str:
    """What it runs, without the shell around it: `/bin/bash -lc 'cat -n a.py'` is `cat -n a.py`."""
    try:
        words = shlex.split(line)
    except ValueError:
        return line
    return words[2] if len(words) == 3 and words[1] in ("-c", "-lc") else line


def _sandbox(mission: Mission, scratch: Path) -> tuple[str, ...]:
    """Its own sandbox where there is no other. Inside one it cannot be made: a process there may neither mount nor map
    users, and every command would fail."""
    if mission.isolation != "none":
        return ("-s", "danger-full-access")
    if mission.kind is Kind.ASK:
        return ("-s", "read-only")
    network = str(mission.network == "full").lower()
    roots = json.dumps([str(scratch / "tmp")])  # the file that it is asked to keep is there; a TOML list, too
    return (
        *("-s", "workspace-write", "-c", f"sandbox_workspace_write.network_access={network}"),
        *("-c", f"sandbox_workspace_write.writable_roots={roots}"),
    )
