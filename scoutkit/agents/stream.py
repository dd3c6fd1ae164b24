"""What readers of agent programs that print JSON lines share: a line is an object, evidence gathers, we judge.

No program's own word for success is taken: exit statuses, `success` and `is_error` were each seen to be wrong.
"""

from __future__ import annotations

import json
import math
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from scoutkit.agents import causes
from scoutkit.agents.verdict import ending, is_closed, judge, last_line
from scoutkit.model.agents import Event, EventKind
from scoutkit.model.missions import Outcome, Result, Usage

_FINISHED = re.compile(r"[.!?…:;`*_)\]}>|\"'”’。！？]\s*$")


@dataclass(slots=True)
class Evidence:
    """What a stream has shown so far; one a run."""

    ended: bool = False  # its terminal event came
    error: str = ""  # what it says went wrong
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
    """A reader. A program's own is `understand`, and what its terminal event is worth."""

    program = ""
    certain = True  # its terminal event means that the last message is whole
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

    def finish(self, exit_code: int | None, stderr_tail: str, report_file: str | None) -> Outcome:
        """Done needs the terminal event, no error, a report that is whole, and a tool that gave a result."""
        seen = self.seen
        report = (report_file or "").strip() or seen.report.strip()
        text = judge(report or "\n\n".join(seen.said), 0, "").report
        facts = Outcome(Result.FAILED, text, usage=seen.usage, model=seen.model, version=seen.version)
        if seen.limit:
            return replace(facts, result=Result.BUDGET, reason=seen.limit)
        error = self._error(exit_code, stderr_tail, report)
        if not error:
            return replace(facts, result=Result.DONE)
        reason, hint = causes.explain(self.program, error, stderr_tail)
        return replace(facts, reason=reason, hint=hint)

    def _error(self, exit_code: int | None, stderr_tail: str, report: str) -> str:
        """What is wrong; "" for nothing."""
        seen = self.seen
        if seen.error:
            return seen.error
        if causes.is_error(report):
            return last_line(report)
        if exit_code != 0:
            said = last_line(stderr_tail)
            return f"{ending(exit_code)}: {said}" if said else ending(exit_code)
        if not seen.ended:
            return "it broke off before its end"
        if not report:
            return "it left no report"
        if not is_closed(report) and not (self.certain and finished(report)) and not self._whole(report):
            return "its report breaks off in the middle"
        if self.looks and not seen.worked:
            tried = f"none of its {seen.tried} tool calls worked" if seen.tried else "it called no tool"
            return f"it never looked at the code: {tried}"
        return ""

    def _whole(self, report: str) -> bool:
        """For a program whose terminal event is not certain, and a report without the closing line."""
        return finished(report)


def finished(report: str) -> bool:
    """Does a text end as texts do? Half a sentence does not; a list's item, a table's row and a heading do."""
    last = report.rstrip().rpartition("\n")[2].strip()
    return bool(_FINISHED.search(last)) or bool(re.match(r"[-*+#]|\d+[.)]", last))


def number(value: object) -> int | None:
    """A count of tokens; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or value < 0:
        return None
    return int(value)
