"""Set-up commands: what makes a worktree ready before an agent that changes it begins, in the same room.

They get none of the agent's keys. What they leave running is ended before the agent starts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from scoutkit.model.agents import Event, EventKind, Invocation
from scoutkit.model.missions import Outcome, Result

SECONDS = 600.0  # for each
OUTPUT = 20_000_000  # bytes, of each


class SetupReader:
    """Nothing that they print is a report; how they end is all that counts."""

    def __init__(self, command: str) -> None:
        self.command = command

    def feed(self, line: str) -> Iterable[Event]:
        """As it came."""
        return [Event(EventKind.OTHER, line, data={"setup": self.command})]

    def finish(self, exit_code: int | None, stderr_tail: str, report_file: str | None) -> Outcome:  # noqa: ARG002
        """Done when it ended well."""
        if exit_code == 0:
            return Outcome(Result.DONE)
        how = f"exit status {exit_code}" if (exit_code or 0) >= 0 else f"signal {-(exit_code or 0)}"
        said = [line.strip() for line in stderr_tail.splitlines() if line.strip()]
        return Outcome(Result.FAILED, reason=f"it ended with {how}" + (f": {said[-1]}" if said else ""))


def invocations(commands: Sequence[str], agent: Invocation) -> list[Invocation]:
    """Each as it is started: where the agent will be, with the same network."""
    return [
        Invocation(("/bin/sh", "-c", command), SetupReader(command), hosts=agent.hosts, shown=agent.shown)
        for command in commands
    ]


def failed(command: str, outcome: Outcome, run_id: str) -> Outcome:
    """How the run ends for a set-up command that did not end well. One that a person stopped is stopped."""
    if outcome.result in (Result.STOPPED, Result.INTERRUPTED):
        return outcome
    return replace(
        outcome,
        result=Result.FAILED,
        report="",
        reason=f"set-up failed: `{command}`: {outcome.reason or outcome.result}",
        hint=f"see what it printed: scoutkit run logs {run_id}; the agent was not started",
    )
