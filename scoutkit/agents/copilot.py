"""GitHub Copilot CLI: how it is started for one mission, in a home of its own, and what its JSON lines say.

What PATH has is a loader in Node that does not hand signals on, so the program itself is started. That one unpacks
245 MB before it does anything: into a cache all runs share, and before a run begins, since a run may not write there.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from scoutkit.agents import causes, copilot_home, copilot_package
from scoutkit.agents.copilot_home import PROGRAM, PROVIDER
from scoutkit.agents.prices import Tokens
from scoutkit.agents.program import STOP, temporary
from scoutkit.agents.session_usage import Answer, SessionUsage, tokens, total
from scoutkit.agents.stream import Stream, call, number
from scoutkit.agents.verdict import readable
from scoutkit.model.agents import Availability, Event, EventKind, Invocation
from scoutkit.model.missions import Kind, Mission, Outcome, Usage

IDLE = 300.0  # it tells of every part of an answer; a tool that runs may be silent


@dataclass(frozen=True)
class Copilot:
    """The agent, with GitHub's models or, where the `COPILOT_PROVIDER_*` variables name one, any other provider's."""

    name: str = field(default="copilot", init=False)
    kinds: frozenset[Kind] = field(default=frozenset(Kind), init=False)
    needs_checkout: bool = field(default=True, init=False)
    prices: Mapping[str, Any] = field(default_factory=dict, kw_only=True)  # the user's own

    def availability(self) -> Availability:
        """The version is that of the package: asking the program would have it unpack itself."""
        if not PROGRAM.path:
            return PROGRAM.availability()
        login = copilot_home.logged_in()
        return Availability(
            ok=True,
            version=copilot_package.version(PROGRAM),
            path=PROGRAM.path,
            hint="" if login else PROGRAM.sign_in,
            login=login or "not logged in",
            flags=PROGRAM.flags,
        )

    def invocation(self, mission: Mission, prompt: str, worktree: Path, scratch: Path) -> Invocation:
        """`ask` has tools that read and no others; other missions may do all that their isolation lets them."""
        PROGRAM.needed()
        program, keys = copilot_package.native(PROGRAM), copilot_home.keys()
        home, _ = PROGRAM.home(scratch)
        copilot_home.copy_login(home)
        unpacked = copilot_package.unpacked(PROGRAM)
        usage = scratch / "usage.json"
        env = {
            **keys,
            **temporary(scratch),
            "HOME": str(home),
            "COPILOT_HOME": str(home / ".copilot"),
            "XDG_CONFIG_HOME": str(home / ".config"),
            "XDG_CACHE_HOME": str(home / ".cache"),
            "COPILOT_PKG_CACHE_HOME": str(unpacked),
            "COPILOT_AUTO_UPDATE": "false",
        }
        if keys.get(PROVIDER) and not keys.get("COPILOT_OFFLINE"):
            env["COPILOT_OFFLINE"] = "true"  # nothing but its provider is asked
        model = mission.model or ("" if keys.get("COPILOT_MODEL") else copilot_home.settings().get("model", ""))
        secret = ",".join(name for name in keys if name.endswith(("KEY", "TOKEN", "HEADERS")))
        fixed = (
            *(str(program), "--output-format=json", "--no-color", "--no-ask-user", "--disable-builtin-mcps"),
            *("--disable-client-telemetry", f"--usage-output-file={usage}"),
            *((f"--secret-env-vars={secret}",) if secret else ()),
            *((f"--model={model}",) if isinstance(model, str) and model else ()),
        )
        may: tuple[str, ...] = ("--available-tools=view,grep,glob", "--disallow-temp-dir")
        if mission.kind is not Kind.ASK:
            may = ("--allow-all-tools",)
        if mission.sources:  # --add-dir would trust what a source says to agents
            may += ("--allow-all-paths",)
        if mission.trusted:
            may += ("--trust-folder",)
        reader = CopilotReader(
            worktree,
            version=copilot_package.version(PROGRAM),
            model=mission.model,
            home=home / ".copilot",
            usage=usage,
            prices=self.prices,
            priced=PROVIDER in keys,
        )
        start = Invocation(
            argv=(*fixed, *may),
            reader=reader,
            stdin=prompt,
            env=env,
            shown=tuple(dict.fromkeys((*PROGRAM.shown(), program.parent, unpacked))),
            hosts=copilot_home.hosts(keys),
            idle=IDLE,
        )

        def closing() -> Invocation | None:
            if not any(home.glob(".copilot/session-state/*/events.jsonl")):
                return None  # stopped before it began
            none = "--available-tools=none"  # no tool is called so; an empty list would be all of them
            argv = (*fixed, "--continue", none, "--disallow-temp-dir")
            return replace(start, argv=argv, reader=reader.again(), stdin=STOP, closing=None)

        return replace(start, closing=closing)


class CopilotReader(Stream):
    """The last message that asks for no tool is the report. What was used is in a file of its own, at the end."""

    program = "copilot"

    def __init__(
        self,
        worktree: Path | None = None,
        *,
        version: str = "",
        model: str = "",
        home: Path | None = None,
        usage: Path | None = None,
        prices: Mapping[str, Any] | None = None,
        priced: bool = False,
    ) -> None:
        super().__init__(version=version, model=model)
        self._tree = worktree
        self._usage_file = usage
        pattern = "session-state/*/events.jsonl"
        self._session = SessionUsage(home, pattern, _answer, prices=prices, priced=priced) if home else None
        self._prices = prices or {}
        self._priced = priced  # by tokens; GitHub counts requests
        self._part = ""  # of a message that is being written
        self._status: int | None = None  # of the HTTP answer that is tried again
        self._failure = ""  # and what it said

    def understand(self, said: Mapping[str, Any]) -> Iterable[Event]:
        kind = str(said["type"])
        data = said.get("data")
        data = data if isinstance(data, Mapping) else {}
        match kind:
            case "session.tools_updated":
                self.seen.model = str(data["model"])
                yield Event(EventKind.STATUS, data={"model": self.seen.model})
            case "assistant.turn_start":
                yield Event(EventKind.TURN)
            case "assistant.message_start":
                self._part = ""
                yield Event(EventKind.OTHER, data={"type": kind})
            case "assistant.message_delta":
                self._part += str(data["deltaContent"])
                yield Event(EventKind.OTHER, data={"type": kind})
            case "assistant.tool_call_delta" | "user.message" | "session.skills_loaded":  # long, and of no use
                yield Event(EventKind.OTHER, data={"type": kind})
            case "assistant.message":
                yield from self._message(data)
            case "assistant.turn_end":
                if self._session and (used := self._session.so_far()):
                    self.seen.usage = used
                    yield Event(EventKind.USAGE, usage=used)
            case "tool.execution_start":
                self.seen.tried += 1
                name, given = str(data["toolName"]), data.get("arguments")
                yield Event(
                    EventKind.TOOL_CALL,
                    call(name, given, self._tree),
                    data={"tool": name, "input": given, "id": str(data.get("toolCallId") or "")},
                )
            case "tool.execution_complete":
                yield self._result(data)
            case "model.call_failure":
                self._status, self._failure = number(data.get("statusCode")), str(data.get("errorMessage") or "")
                yield Event(EventKind.OTHER, data=said)
            case "assistant.turn_retry":
                what, hint = causes.explain(self.program, self._failure, status=self._status)
                if not hint:
                    reason = str(data["reason"]).replace("_", " ")
                    what, hint = causes.explain(self.program, reason, status=self._status)
                yield Event(EventKind.RETRY, what, data={"hint": hint, "status": self._status})
            case "session.info" if data["infoType"] != "configuration":
                yield Event(EventKind.STATUS, str(data["message"]))
            case "session.error":
                self.seen.error, self.seen.hint = _plain(str(data["message"]))
                self.seen.status = number(data.get("statusCode"))
                yield Event(EventKind.ERROR, self.seen.error)
            case "abort":
                self.seen.error = f"it was interrupted: {data['reason']}"
                yield Event(EventKind.ERROR, self.seen.error)
            case "result":
                self.seen.ended, self.seen.session = True, str(said["sessionId"])
                if self.seen.report and not self.seen.error:
                    yield Event(EventKind.REPORT, self.seen.report)
                yield Event(EventKind.DONE)

    def again(self) -> Self:
        later = super().again()
        if self._part.strip():
            later.seen.said.append(self._part.strip())
        later._part = ""
        return later

    def finish(self, exit_code: int | None, stderr_tail: str, report_file: str | None) -> Outcome:
        """Its usage file speaks for the whole session, before and after it was resumed."""
        seen = self.seen
        if self._part.strip():
            seen.said.append(self._part.strip())
        seen.usage = self._used() or seen.usage
        if exit_code != 0 and not seen.ended and not seen.error:
            told = (line[6:].strip() for line in readable(stderr_tail).splitlines() if line[:6].lower() == "error:")
            seen.error = next(told, "")
        return super().finish(exit_code, stderr_tail, report_file)

    def _message(self, data: Mapping[str, Any]) -> Iterable[Event]:
        text, wants = str(data["content"]).strip(), data.get("toolRequests")
        self._part = ""
        self.seen.model = str(data.get("model") or self.seen.model)
        self.seen.report = "" if wants else text
        if text:
            self.seen.said.append(text)
            yield Event(EventKind.TEXT, f"{text}\n")
        else:
            yield Event(EventKind.OTHER, data={"type": "assistant.message"})

    def _result(self, data: Mapping[str, Any]) -> Event:
        worked = data["success"] is True
        self.seen.worked += worked
        told = data.get("result") if worked else data.get("error")
        text = told.get("content" if worked else "message") if isinstance(told, Mapping) else ""
        return Event(
            EventKind.TOOL_RESULT, str(text or ""), data={"ok": worked, "id": str(data.get("toolCallId") or "")}
        )

    def _used(self) -> Usage | None:
        """All its models together; None without a file that says so."""
        try:
            metrics = json.loads(self._usage_file.read_bytes())["modelMetrics"] if self._usage_file else {}
            used = [(name, _tokens(one["usage"])) for name, one in metrics.items()]
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            used = []
        so_far = self._session.so_far() if self._session else None
        return total(used, prices=self._prices, priced=self._priced) or so_far


def _tokens(usage: Mapping[str, Any]) -> Tokens:
    return tokens(usage, "inputTokens", "outputTokens", "cacheReadTokens")


def _answer(said: Mapping[str, Any]) -> Answer | None:
    if said.get("type") != "session.usage_record":
        return None
    return str(said["id"]), str(said["data"]["usage"]["model"]), _tokens(said["data"]["usage"])


def _plain(message: str) -> tuple[str, str]:
    """An error without how often it was tried; and the way out where its causes do not tell it."""
    text = " ".join(message.rpartition("Last error: ")[2].split())
    if "COPILOT_PROVIDER_" in text:
        return text, "set COPILOT_PROVIDER_API_KEY to a key that its provider takes"
    return text, "ask again" if text.startswith("No response") else ""
