"""Claude Code: how it is started for one mission, in a home of its own, and what its JSON lines say.

It needs no server for files: it has tools that read. Its read-only missions are not in its plan mode, which tells the
model to write a plan file and to send agents of its own; that only tools that read are offered keeps it from writing.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from scoutkit.agents import causes, claude_home
from scoutkit.agents.claude_home import PROGRAM
from scoutkit.agents.clouds import CLOUDS, on
from scoutkit.agents.program import STOP, temporary
from scoutkit.agents.stream import Stream, number, short, total
from scoutkit.agents.verdict import last_line
from scoutkit.model.agents import Availability, Event, EventKind, Invocation
from scoutkit.model.missions import Kind, Mission, Usage

IDLE = 300.0  # a long thought or a slow tool says nothing for minutes
READING = "Read,Grep,Glob"
CHANGING = f"{READING},Edit,Write,NotebookEdit,Bash"

_QUIET = (
    *("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "DISABLE_AUTOUPDATER", "DISABLE_TELEMETRY"),
    *("DISABLE_ERROR_REPORTING", "CLAUDE_CODE_DISABLE_AUTO_MEMORY", "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS"),
)


class Claude:
    """The agent. Its report is what its last message says."""

    name = "claude"
    kinds = frozenset(Kind)
    needs_checkout = True

    def availability(self) -> Availability:
        """Logged in by its own file, a key, a helper that prints one, or a cloud's credentials."""
        here = PROGRAM.availability()
        if here.login != "not logged in":
            return here
        keys, settings = claude_home.given(), claude_home.user("settings.json")
        login = next((f"by {cloud}" for cloud in CLOUDS if on(keys, cloud)), "")
        login = login or next((f"{name} in its settings" for name in ("apiKeyHelper",) if settings.get(name)), "")
        login = login or next((f"key in {name} of its settings" for name in PROGRAM.keys[:3] if keys.get(name)), "")
        login = login or ("key in its .claude.json" if claude_home.user(".claude.json").get("primaryApiKey") else "")
        return replace(here, login=login, hint="" if here.ok else here.hint) if login else here

    def invocation(self, mission: Mission, prompt: str, worktree: Path, scratch: Path) -> Invocation:
        """`ask` has tools that read and no others; other missions may write and run commands without being asked."""
        keys = claude_home.given()
        cloud = next((CLOUDS[one] for one in CLOUDS if on(keys, one)), None)
        program = PROGRAM if cloud is None else replace(PROGRAM, login=(*PROGRAM.login, *cloud.login))
        path = program.needed()
        home, pairs = program.home(scratch)
        claude_home.furnish(home)
        reading = mission.kind is Kind.ASK
        own = () if mission.trusted else ("--setting-sources", "user", "--strict-mcp-config")
        fixed = (path, "-p", "--output-format", "stream-json", "--verbose", *own)
        if mission.model:
            fixed += ("--model", mission.model)
        limits = mission.limits
        bounds: tuple[str, ...] = () if limits.turns is None else ("--max-turns", str(limits.turns))
        bounds += () if limits.cost_usd is None else ("--max-budget-usd", f"{limits.cost_usd:f}")
        mode = ("--permission-mode", "dontAsk" if reading else "bypassPermissions")
        reader = ClaudeReader(worktree, version=PROGRAM.version(), model=mission.model)
        env = {**keys, **dict.fromkeys(_QUIET, "1"), **temporary(scratch)}
        env |= {"HOME": str(home), "CLAUDE_CONFIG_DIR": str(home / ".claude")}
        if limits.retries is not None:
            env["CLAUDE_CODE_MAX_RETRIES"] = str(min(10, limits.retries))  # 10, its own number, take three minutes
        if not reading and os.geteuid() == 0:
            env["IS_SANDBOX"] = "1"  # else it does not let root go on unasked
        file = keys.get("GOOGLE_APPLICATION_CREDENTIALS", "")
        start = Invocation(
            argv=(*fixed, *mode, "--tools", READING if reading else CHANGING, *bounds),
            reader=reader,
            stdin=prompt,
            env=env,
            shown=(*PROGRAM.shown(), *([Path(file)] if Path(file).is_absolute() else [])),
            hosts=claude_home.hosts(keys, cloud, renews=bool(pairs)),
            idle=IDLE,
            counts_money=limits.cost_usd is not None,
            login=pairs[:1] if pairs and pairs[0][1].name == ".credentials.json" else (),  # a cloud's is not its own
        )

        def closing() -> Invocation | None:
            if not reader.seen.session:
                return None
            resume = ("--permission-mode", "dontAsk", "--resume", reader.seen.session, "--max-turns", "1")
            argv = (*fixed, *resume, "--tools", "")
            return replace(start, argv=argv, reader=reader.again(), stdin=STOP, closing=None)

        return replace(start, closing=closing)


class ClaudeReader(Stream):
    """What `--output-format stream-json` says. Usage: the sum of its answers until its end tells the total."""

    program = "claude"

    def __init__(self, worktree: Path | None = None, *, version: str = "", model: str = "") -> None:
        super().__init__(version=version, model=model)
        self._worktree = worktree
        self._answers: dict[str, Usage] = {}  # an answer comes in several messages of the same id, each with its usage

    def understand(self, said: Mapping[str, Any]) -> Iterable[Event]:
        match said["type"]:
            case "system":
                yield from self._system(said)
            case "assistant":
                yield from self._assistant(said)
            case "user":
                yield from self._results(said)
            case "rate_limit_event":
                info = said["rate_limit_info"]
                until = number(info.get("resetsAt")) if info["status"] == "rejected" else None
                self.seen.hint = causes.at(until) if until else ""
            case "result":
                yield from self._end(said)

    def _system(self, said: Mapping[str, Any]) -> Iterable[Event]:
        seen = self.seen
        match said["subtype"]:
            case "init":
                seen.session, seen.model = str(said["session_id"]), str(said["model"])
                seen.version = str(said.get("claude_code_version") or seen.version)
                facts = {"model": seen.model, "version": seen.version, "session": seen.session}
                yield Event(EventKind.STATUS, f"model {seen.model}", data=facts)
            case "api_retry":
                status = number(said.get("error_status"))
                error = str(said.get("error") or "").replace("_", " ").replace("unknown", "")
                what, hint = causes.explain(self.program, error, status=status)
                if not what and status is None:
                    hint = causes.explain(self.program, "network")[1]
                wait = (number(said.get("retry_delay_ms")) or 0) / 1000
                text = (
                    f"{what or 'no answer'}; attempt {said.get('attempt')} of {said.get('max_retries')} in {wait:g} s"
                )
                yield Event(EventKind.RETRY, text, data={"hint": hint, "status": status, "delay": wait, "cause": what})
            case "permission_denied":
                yield Event(EventKind.STATUS, f"not allowed: {last_line(str(said.get('message') or ''))}")

    def _assistant(self, said: Mapping[str, Any]) -> Iterable[Event]:
        seen, message = self.seen, said["message"]
        mine = not said.get("parent_tool_use_id")  # else it comes from an agent that it sent
        if message.get("model") == "<synthetic>":  # by the program itself, about an error
            seen.error = "\n".join(str(one.get("text", "")) for one in message["content"]).strip().split("\n")[0]
            yield Event(EventKind.ERROR, seen.error)
            return
        if str(message["id"]) not in self._answers:
            yield Event(EventKind.TURN, data={"model": message.get("model")})
        used = message.get("usage")
        if isinstance(used, Mapping):
            self._answers[str(message["id"])] = Usage(_read(used), number(used.get("output_tokens")))
            if (so_far := self._so_far()) != seen.usage:
                seen.usage = so_far
                yield Event(EventKind.USAGE, usage=so_far)
        for block in message["content"]:
            match block.get("type"):
                case "text" if mine and str(block["text"]).strip():
                    seen.said.append(str(block["text"]).strip())
                    yield Event(EventKind.TEXT, str(block["text"]))
                case "tool_use":
                    seen.tried += 1
                    given = block.get("input")
                    given = given if isinstance(given, Mapping) else {}
                    name = str(block["name"])
                    yield Event(
                        EventKind.TOOL_CALL,
                        self._call(name, given),
                        data={"tool": name, "input": given, "id": str(block.get("id") or "")},
                    )
                case _:
                    yield Event(EventKind.OTHER, data=block)

    def _results(self, said: Mapping[str, Any]) -> Iterable[Event]:
        content = said["message"]["content"]
        for block in content if isinstance(content, list) else []:
            if block.get("type") == "tool_result":
                worked = not block.get("is_error")
                self.seen.worked += worked
                told = {"ok": worked, "id": str(block.get("tool_use_id") or "")}
                yield Event(EventKind.TOOL_RESULT, _text(block.get("content")), data=told)

    def _end(self, said: Mapping[str, Any]) -> Iterable[Event]:
        seen = self.seen
        seen.ended, seen.error, seen.status = True, "", None
        seen.usage = self._in_all(said)
        yield Event(EventKind.USAGE, usage=seen.usage)
        errors = said.get("errors")
        told = str(said.get("result") or (errors[0] if isinstance(errors, list) and errors else "")).strip()
        if str(said.get("subtype")).startswith("error_max_"):
            seen.limit = f"it stopped at its limit: {told or said['subtype']}"
        elif str(said.get("terminal_reason") or "").startswith("aborted"):
            seen.error = "it was interrupted"
        elif said.get("is_error") or said.get("subtype") != "success":
            seen.error = told.split("\n")[0] or f"it ended with {said.get('subtype')!r}"
            seen.status = number(said.get("api_error_status"))
        else:
            seen.report = told
        if seen.limit or seen.error:
            yield Event(EventKind.ERROR, seen.limit or seen.error)
        else:
            yield Event(EventKind.REPORT, seen.report)
        yield Event(EventKind.DONE)

    def _so_far(self) -> Usage:
        """Too few tokens out: an answer's usage is that of its beginning. No cost, rather than one that is too low."""
        answers = self._answers.values()
        return Usage(sum(one.input_tokens or 0 for one in answers), sum(one.output_tokens or 0 for one in answers))

    def _in_all(self, said: Mapping[str, Any]) -> Usage:
        """By model, which is the whole session's; `usage` leaves out what came before a session was resumed."""
        models = said.get("modelUsage")
        used = [one for one in models.values() if isinstance(one, Mapping)] if isinstance(models, Mapping) else []
        read = [total(one, "inputTokens", "cacheReadInputTokens", "cacheCreationInputTokens") or 0 for one in used]
        wrote = [number(one.get("outputTokens")) or 0 for one in used]
        usage = said.get("usage")
        usage = usage if isinstance(usage, Mapping) else {}
        cost = said.get("total_cost_usd")
        priced = isinstance(cost, int | float) and not isinstance(cost, bool) and 0 <= cost < 1e9
        return Usage(
            sum(read) if used else _read(usage),
            sum(wrote) if used else number(usage.get("output_tokens")),
            round(float(cost), 9) if priced and isinstance(cost, int | float) else None,
        )

    def _call(self, name: str, given: Mapping[str, Any]) -> str:
        """A tool call in a person's words."""
        path = str(given.get("file_path") or given.get("notebook_path") or given.get("path") or "")
        if self._worktree and Path(path).is_relative_to(self._worktree):
            path = str(Path(path).relative_to(self._worktree))
        if name == "Read" and (first := number(given.get("offset"))):
            count = number(given.get("limit"))
            return f"Read {path}:{first}-{first + count - 1 if count else ''}"
        if pattern := given.get("pattern"):
            return f"{name} {short(pattern)}" + (f" in {path}" if path not in ("", ".") else "")
        what = path or next((one for one in given.values() if isinstance(one, str)), "")
        return f"{name} {short(what)}".rstrip()


def _read(usage: Mapping[str, Any]) -> int | None:
    """All that the model read, in a cache or not."""
    return total(usage, "input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")


def _text(content: object) -> str:
    if isinstance(content, list):
        return "\n".join(str(one["text"]) for one in content if isinstance(one, dict) and "text" in one)
    return str(content or "")
