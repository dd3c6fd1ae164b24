"""What readers of agent programs that print JSON lines share: a line is an object, evidence gathers, we judge.

No program's own word for success is taken: exit statuses, `success` and `is_error` were each seen to be wrong.
"""

from __future__ import annotations

import copy
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from scoutkit.agents import causes
from scoutkit.agents.verdict import ending, is_closed, judge, last_line
from scoutkit.model.agents import Event, EventKind
from scoutkit.model.missions import Outcome, Result, Usage

_FINISHED = re.compile(r"[.!?…`*_)\]}>|\"'”’。！？]\s*$")
SHORT = 80  # characters of a command or a pattern in a progress line


@dataclass(slots=True)
class Evidence:
    """What a stream has shown so far; one a run."""

    ended: bool = False  # its terminal event came
    error: str = ""  # what it says went wrong
    status: int | None = None  # that of the HTTP answer, if that is what went wrong
    hint: str = ""  # the way out, where the stream tells it better than the words of `error`
    limit: str = ""  # the limit of its own that stopped it
    report: str = ""  # what it calls its result
    said: list[str] = field(default_factory=list)  # all that it told, message by message
    tried: int = 0  # tools called
    worked: int = 0  # tools that gave a result that is no error
    usage: Usage = field(default_factory=Usage)
    model: str = ""
    version: str = ""
    session: str = ""


class Stream(ABC):
    """A reader. A program's own is `understand`."""

    program = ""
    looks = True  # it has tools, and an answer without having used one is not from the code

    def __init__(self, *, version: str = "", model: str = "") -> None:
        self.seen = Evidence(version=version, model=model)

    @abstractmethod
    def understand(self, said: Mapping[str, Any]) -> Iterable[Event]:
        """The events of one object, noting what it shows in `seen`. What it does not know: nothing.

        May raise KeyError, TypeError, ValueError or AttributeError for an object that is not as expected.
        """

    def feed(self, line: str) -> Iterable[Event]:
        """Events; what is not understood is kept as it came."""
        if not line.strip():
            return ()
        try:
            said = json.loads(line)
        except (ValueError, RecursionError):
            return (Event(EventKind.OTHER, line),)
        if not isinstance(said, dict):
            return (Event(EventKind.OTHER, line),)
        try:
            events = list(self.understand(said))
        except (KeyError, TypeError, ValueError, AttributeError):
            events = []
        return events or (Event(EventKind.OTHER, data=said),)

    def again(self) -> Self:
        """The reader for the same session once it is resumed: what was seen counts, how it ended does not."""
        later = copy.copy(self)
        later.seen = replace(
            self.seen, ended=False, error="", status=None, hint="", limit="", report="", said=list(self.seen.said)
        )
        later.looks = False  # it is only to write down what it knows
        return later

    def finish(self, exit_code: int | None, stderr_tail: str, report_file: str | None) -> Outcome:
        """Done needs the terminal event, no error, a report that is whole, and a tool that gave a result."""
        seen = self.seen
        report = (report_file or "").strip() or seen.report.strip()
        text = judge(report or "\n\n".join(seen.said), 0, "").report
        facts = Outcome(Result.FAILED, text, usage=seen.usage, model=seen.model, version=seen.version)
        if seen.limit:
            return replace(facts, result=Result.BUDGET, reason=seen.limit)
        if error := seen.error or (last_line(report) if causes.is_error(report) else ""):
            reason, hint = causes.explain(self.program, error, stderr_tail, status=seen.status)
            return replace(facts, reason=reason, hint=seen.hint or hint)
        if exit_code != 0:
            reason, hint = self._ended_badly(exit_code, stderr_tail)
            return replace(facts, reason=reason, hint=hint)
        fault = self._fault(report)
        if not fault:
            return replace(facts, result=Result.DONE)
        return replace(facts, reason=fault, hint="ask again; what it said: scoutkit run logs")

    def _ended_badly(self, exit_code: int | None, stderr_tail: str) -> tuple[str, str]:
        """Its exit status says so and it does not: what is on stderr may tell why, unless somebody else ended it."""
        how, said = ending(exit_code), last_line(stderr_tail)
        if exit_code is None or exit_code < 0 or exit_code > 128 or not said:
            return how, ""
        reason, hint = causes.explain(self.program, "", stderr_tail)
        return f"{how}: {reason}", hint

    def _fault(self, report: str) -> str:
        """What is wrong although nothing says so; "" for nothing."""
        seen = self.seen
        if not seen.ended:
            return "it broke off before its end"
        if not report:
            return "it left no report"
        if not self._whole(report):
            return "its report breaks off in the middle"
        if self.looks and not seen.worked:
            many = f"none of its {seen.tried} tool calls worked"
            tried = {0: "it called no tool", 1: "its only tool call did not work"}.get(seen.tried, many)
            return f"it never looked at the code: {tried}"
        return ""

    def _whole(self, report: str) -> bool:
        """Half a sentence was seen to be called success, so the text itself has to show its end."""
        return is_closed(report) or finished(report)


def finished(report: str) -> bool:
    """Does a text end as texts do? Half a sentence does not, and no text ends in a heading."""
    last = report.rstrip().rpartition("\n")[2].strip()
    return bool(_FINISHED.search(last)) and not last.startswith("#")


def number(value: object) -> int | None:
    """A count of tokens; None for anything else."""
    good = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1e15
    return int(value) if good and isinstance(value, int | float) else None


def total(table: Mapping[str, Any], *names: str) -> int | None:
    """The sum of the counts of those names; None where the table has none of them."""
    counts = [count for name in names if (count := number(table.get(name))) is not None]
    return sum(counts) if counts else None


def short(text: object) -> str:
    """One line of a tool's input for a person."""
    line = " ".join(str(text).split())
    return line if len(line) <= SHORT else f"{line[: SHORT - 1]}…"


def call(tool: str, given: object, worktree: Path | None = None) -> str:
    """A tool call in a person's words: the tool, and the first text that it was given; paths as in the worktree."""
    values = given.values() if isinstance(given, Mapping) else ()
    first = next((one for one in values if isinstance(one, str)), "")
    return short(f"{tool} {first.removeprefix(f'{worktree}/') if worktree else first}".rstrip())
