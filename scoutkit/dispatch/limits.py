"""What an agent may use: counts what it says, and tells when it has to stop and how to allow it more."""

from __future__ import annotations

import time
from dataclasses import asdict, replace

from scoutkit.model.agents import Event, EventKind
from scoutkit.model.missions import Limits, Outcome, Result, Usage

NEAR = 0.8  # of a limit: from here on the agent is told to write its report
CLOSING = 90.0  # seconds to write the report in, once a limit stopped the agent
REFUSED = frozenset({400, 401, 402, 403, 404})  # HTTP statuses that asking again does not change
PATIENCE = 2  # such answers in a row: a program may renew its key in between
LINES = 500_000  # each is looked through for secrets and costs a record, however short: some ten seconds for all
_NO_ANSWER = frozenset({EventKind.RETRY, EventKind.STATUS, EventKind.OTHER, EventKind.ERROR})


class Meter:
    """Counts from its making on. `spent`: what `broken` told was a limit that leaves the agent able to report;
    `answered`: its model has said anything."""

    def __init__(self, run_id: str, limits: Limits, *, idle: float | None = None) -> None:
        self.spent = self.answered = False
        self.bytes = self.lines = 0
        self.heard = self._began = time.monotonic()
        self._run_id = run_id
        self._limits = limits
        self._idle = idle if limits.idle is None else limits.idle
        self._usage = Usage()
        self._turns = self._retries = self._refused = 0
        self._retry = Event(EventKind.RETRY)
        self._done = False

    def wrote(self, size: int, lines: int) -> None:
        """The agent wrote so many bytes on stdout or stderr, with so many ends of lines."""
        self.heard = time.monotonic()
        self.bytes += size
        self.lines += lines

    @property
    def flooded(self) -> bool:
        """Has it written more than is kept?"""
        return self.bytes > self._limits.output_bytes or self.lines > LINES

    def saw(self, event: Event) -> None:
        """What the agent did. Once it says that it is done, nothing is saved any more by stopping it."""
        match event.kind:
            case EventKind.TURN:
                self._turns += 1
            case EventKind.RETRY:
                self._retries += 1
                self._refused += event.data.get("status") in REFUSED
                self._retry = event
            case EventKind.DONE:
                self._done = True
        if event.kind not in _NO_ANSWER:
            self._retries = self._refused = 0
            self.answered = True
        if event.usage:
            said = {name: value for name, value in asdict(event.usage).items() if value is not None}
            self._usage = replace(self._usage, **said)

    def unpriced(self) -> bool:
        """Was a limit in money given, and are there tokens whose cost nobody tells? Then it stops nothing."""
        return self._limits.cost_usd is not None and self._usage.cost_usd is None and _tokens(self._usage) > 0

    def broken(self, now: float) -> Outcome | None:
        """How the run ends for the limit that the agent broke; None while it keeps to all of them."""
        if self.flooded:
            most = f"{LINES:,} lines" if self.lines > LINES else f"{self._limits.output_bytes:,} bytes"
            reason = f"it wrote more than {most}"
            return Outcome(Result.BUDGET, reason=reason, hint=f"see what it wrote: scoutkit run logs {self._run_id}")
        if stuck := self._stuck(now):
            return stuck
        spent = self._time(now) or (None if self._done else self._money())
        self.spent = spent is not None and not self._retries  # else its model cannot be had, for a report either
        return spent

    def near(self, now: float) -> str:
        """What of its limits the agent has nearly used up, in words; nothing while there is enough of each."""
        limits, usage = self._limits, self._usage
        used = {
            "time": (now - self._began, limits.timeout),
            "turns": (self._turns, limits.turns),
            "tokens": (_tokens(usage), limits.tokens),
            "money": (usage.cost_usd or 0, limits.cost_usd),
        }
        return ", ".join(what for what, (so_far, limit) in used.items() if limit and so_far >= NEAR * limit)

    def _stuck(self, now: float) -> Outcome | None:
        retries, idle = self._limits.retries, self._idle
        if retries is not None and (self._retries > retries or self._refused > PATIENCE):
            reason = self._unanswered(str(self._retry.data.get("cause", "")))
            return Outcome(Result.FAILED, reason=reason, hint=str(self._retry.data.get("hint", "")))
        if idle is not None and now - self.heard >= idle:
            reason = f"it said nothing for {idle:g} s"
            return Outcome(Result.TIMEOUT, reason=reason, hint=f"if it needs so long: --idle {_twice(idle)}")
        return None

    def _time(self, now: float) -> Outcome | None:
        limit = self._limits.timeout
        if limit is None or now - self._began < limit:
            return None
        hint = f"give it more time: --timeout {_twice(limit)}"
        reason = f"it took longer than {limit:g} s"
        if self._retries:
            reason, hint = f"{reason}: {self._unanswered()}", str(self._retry.data.get("hint") or hint)
        return Outcome(Result.TIMEOUT, reason=reason, hint=hint)

    def _unanswered(self, cause: str = "") -> str:
        times = f"{self._retries} times in a row" if self._retries > 1 else "when it was last asked"
        said = f": {last}" if (last := cause or self._retry.text) else ""
        return f"the model could not be had {times}{said}"

    def _money(self) -> Outcome | None:
        limits, usage = self._limits, self._usage
        if limits.turns is not None and self._turns > limits.turns:
            reason, hint = (
                f"it took more than {limits.turns} turn{'s' * (limits.turns != 1)}",
                f"--max-turns {2 * limits.turns}",
            )
        elif limits.tokens is not None and (used := _tokens(usage)) > limits.tokens:
            reason, hint = f"it used {used:,} tokens, more than {limits.tokens:,}", f"--max-tokens {_ample(used):.0f}"
        elif limits.cost_usd is not None and (usage.cost_usd or 0) > limits.cost_usd:
            reason = f"it cost {_dollars(usage.cost_usd or 0)}, more than {_dollars(limits.cost_usd)}"
            hint = f"--max-cost {_ample(usage.cost_usd or 0):g}"
        else:
            return None
        return Outcome(Result.BUDGET, reason=reason, hint=f"allow it more: {hint}")


def more(limits: Limits) -> str:
    """A hint for an agent that stopped itself at a limit that it was given; which, it may not say."""
    given = {"--max-turns": limits.turns, "--max-tokens": limits.tokens, "--max-cost": limits.cost_usd}
    names = [f"{name} {2 * value:g}" for name, value in given.items() if value is not None]
    return f"allow it more: {' or '.join(names)}" if names else "a limit of its own stopped it: see its settings"


def _tokens(usage: Usage) -> int:
    return (usage.input_tokens or 0) + (usage.output_tokens or 0)


def _dollars(amount: float) -> str:
    """`$1.10`; below a dollar as much of it as tells something."""
    whole = f"{amount:.2f}"
    return f"${whole}" if amount >= 1 or float(whole) == amount else f"${amount:.4g}"


def _ample(used: float) -> float:
    """Twice what was used, in two figures: a run may be stopped long after it broke its limit."""
    return float(f"{2 * used:.2g}")


def _twice(seconds: float) -> str:
    """Double a time, as the options take it."""
    double = max(1, round(2 * seconds))
    return f"{double // 60}m" if double % 60 == 0 else f"{double}s"
