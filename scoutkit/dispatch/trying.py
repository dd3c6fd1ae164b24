"""A person's own checks of a scout's work: commands that run in the agent's room before it begins and once it is done.

They get none of the agent's keys. One that fails or hangs is a result like any other; what each leaves running is
ended. How they went is among the run's events: `check`, `when`, `exit`, `ok`, `seconds`, `hung` of a STATUS event, and
what they printed line by line before it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scoutkit.model.agents import Event, EventKind, Invocation
from scoutkit.model.missions import Limits, Outcome, Result, Run

LONGEST = 600.0  # seconds for each; less where the agent itself has less
OUTPUT = 20_000_000  # bytes, of each
BEFORE, AFTER = "before", "after"


@dataclass(frozen=True, slots=True)
class CheckReader:
    """Nothing that it prints is a report; how it ends is all that counts."""

    command: str
    when: str

    def feed(self, line: str) -> Iterable[Event]:
        """As it came."""
        return [Event(EventKind.OTHER, line, data={"check": self.command, "when": self.when})]

    def finish(self, exit_code: int | None, stderr_tail: str, report_file: str | None) -> Outcome:  # noqa: ARG002
        """Done when it ended well."""
        return Outcome(Result.DONE if exit_code == 0 else Result.FAILED)


def limits(run: Run) -> Limits:
    """What each may use."""
    return Limits(timeout=min(run.limits.timeout or LONGEST, LONGEST), output_bytes=OUTPUT)


def invocation(command: str, when: str, agent: Invocation, scratch: Path) -> Invocation:
    """How it is started: where the agent is, with the same network. What it says on stderr stands with the rest."""
    argv = ("/bin/sh", "-c", f"exec 2>&1\n{command}")
    env = {name: str(scratch / "home") for name in ("HOME",) if agent.env.get(name, "").startswith(str(scratch))}
    return Invocation(argv, CheckReader(command, when), hosts=agent.hosts, shown=agent.shown, env=env)


def said(command: str, when: str, outcome: Outcome, code: int | None, seconds: float) -> tuple[str, dict[str, Any]]:
    """How it went, in a line and as data."""
    hung = outcome.result is Result.TIMEOUT
    ok = outcome.result is Result.DONE
    seconds = round(seconds, 3)
    data = {"check": command, "when": when, "ok": ok, "exit": None if hung else code, "seconds": seconds, "hung": hung}
    how = f"stopped after {seconds:g} s" if hung else "passed" if ok else f"failed with exit status {code}"
    if outcome.result in (Result.BUDGET, Result.STOPPED, Result.INTERRUPTED):
        how = outcome.reason or str(outcome.result)
    return f"check {when} the agent: {command}: {how}", data
