"""The event protocol of scoutkit's own agents: one JSON object a line on stdout. Written and read only here.

    {"kind": "text", "text": "…", "usage": {"input_tokens": 1, "output_tokens": 2, "cost_usd": 0.1}, "data": {…}}

Only `kind` is needed. `data` may name the `model` and `version` that answer, an error's `hint`, and of a report
that is no answer, why it is `unanswered`.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import IO, Any

from scoutkit.agents.verdict import judge
from scoutkit.model.agents import Event, EventKind
from scoutkit.model.missions import Outcome, Result, Usage

_KINDS = frozenset(kind.value for kind in EventKind)
_FIELDS = ("input_tokens", "output_tokens", "cost_usd")


def python(module: str, *arguments: str) -> tuple[str, ...]:
    """How to run a module of ours as a child: without the folder it runs in on the import path (`-P`), since that is
    a worktree full of somebody else's modules."""
    return (sys.executable, "-P", "-m", module, *arguments)


def encode(event: Event) -> str:
    """One line, ASCII, without its newline."""
    record: dict[str, Any] = {"kind": event.kind.value}
    if event.text:
        record["text"] = event.text
    if event.usage:
        record["usage"] = {name: value for name in _FIELDS if (value := getattr(event.usage, name)) is not None}
    if event.data:
        record["data"] = dict(event.data)
    return json.dumps(record, separators=(",", ":"), default=str)


def emit(event: Event, stream: IO[str] | None = None) -> None:
    """Write an event at once, to stdout unless told otherwise."""
    print(encode(event), file=stream or sys.stdout, flush=True)


def decode(line: str) -> Event:
    """The event in a line. What is not understood is kept: unknown fields in `data`, the rest as an OTHER event."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return Event(EventKind.OTHER, line)
    if not isinstance(record, dict):
        return Event(EventKind.OTHER, line)
    kind = record.get("kind")
    if not isinstance(kind, str) or kind not in _KINDS:
        return Event(EventKind.OTHER, data=record)
    text, data = record.get("text", ""), record.get("data")
    more = {name: value for name, value in record.items() if name not in ("kind", "text", "usage", "data")}
    if data is not None:
        more = {**more, **data} if isinstance(data, dict) else {**more, "data": data}
    return Event(EventKind(kind), text if isinstance(text, str) else json.dumps(text), usage(record.get("usage")), more)


def usage(given: object) -> Usage | None:
    """Tokens and money in a JSON object; what is no number that can be counted with is None."""
    if not isinstance(given, Mapping):
        return None
    read = Usage(_count(given.get(_FIELDS[0])), _count(given.get(_FIELDS[1])), _money(given.get(_FIELDS[2])))
    return None if read == Usage() else read


def _money(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > 1e12 or not value >= 0:
        return None
    return float(value)


def _count(value: object) -> int | None:
    amount = _money(value)
    return None if amount is None or not math.isfinite(amount) else int(amount)


class LinesReader:
    """Reads the protocol; one a run. The report is the last REPORT event, else all TEXT joined by newlines."""

    def __init__(self, *, model: str = "", version: str = "") -> None:
        self._texts: list[str] = []
        self._report: str | None = None
        self._unanswered = ""
        self._error = Event(EventKind.ERROR)
        self._usage = Usage()
        self._model = model
        self._version = version

    def feed(self, line: str) -> Iterable[Event]:
        """The event in the line; none in a blank one."""
        if not line.strip():
            return ()
        event = decode(line)
        match event.kind:
            case EventKind.TEXT:
                self._texts.append(event.text)
            case EventKind.REPORT:
                self._report, self._unanswered = event.text, _word(event.data, "unanswered")
            case EventKind.ERROR:
                self._error = event
        if event.usage:
            said = {name: value for name in _FIELDS if (value := getattr(event.usage, name)) is not None}
            self._usage = replace(self._usage, **said)
        if event.kind is not EventKind.OTHER:
            self._model = _word(event.data, "model") or self._model
            self._version = _word(event.data, "version") or self._version
        return (event,)

    def finish(self, exit_code: int | None, stderr_tail: str, report_file: str | None) -> Outcome:  # noqa: ARG002
        """Done on exit status 0 and a report that is not blank."""
        outcome = judge(
            "\n".join(self._texts) if self._report is None else self._report,
            exit_code,
            stderr_tail,
            error=self._error.text,
            hint=_word(self._error.data, "hint"),
            usage=self._usage,
            model=self._model,
            version=self._version,
        )
        return replace(outcome, unanswered=self._unanswered) if outcome.result is Result.DONE else outcome


def _word(data: Mapping[str, Any], name: str) -> str:
    value = data.get(name, "")
    return value if isinstance(value, str) else ""
