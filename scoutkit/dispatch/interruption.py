"""Why a run should stop before its agent is done: a signal to this process, or `run stop` from another."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Self

from scoutkit.dispatch import records as kept
from scoutkit.model.missions import Outcome, Result


class Interruption:
    """Set by signal handlers, looked at by whoever works on a run. `urgent`: do not wait for things to end well."""

    def __init__(self) -> None:
        self.result: Result | None = None
        self.reason = ""
        self.urgent = False

    def request(self, result: Result, reason: str) -> None:
        """Ask to stop; the first reason stands."""
        if self.result is None:
            self.result, self.reason = result, reason

    def of(self, records: Path) -> Outcome | None:
        """How the run with these records should end, if it was asked to stop in either way."""
        if self.result:
            return Outcome(self.result, reason=self.reason)
        if kept.asked_to_stop(records):
            return Outcome(Result.STOPPED, reason="stopped with scoutkit run stop")
        return None

    @classmethod
    @contextlib.contextmanager
    def listen(cls) -> Iterator[Self]:
        """Turn Ctrl-C, TERM and HUP into a request while in the context; a second Ctrl-C makes it urgent.

        A signal that was ignored stays so (`nohup`, background jobs). Only in the main thread.
        """
        self = cls()

        def notice(number: int, _: FrameType | None) -> None:
            self.urgent = self.urgent or (self.result is not None and number == signal.SIGINT)
            self.request(Result.INTERRUPTED, f"interrupted by {signal.Signals(number).name}")

        before = {}
        try:
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                if signal.getsignal(number) is not signal.SIG_IGN:
                    before[number] = signal.signal(number, notice)
            yield self
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
