"""The only module that ends processes: asks them to, and kills what does not. Whom, it is told; `census` sees them."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Collection, Generator
from typing import TYPE_CHECKING

from scoutkit import census
from scoutkit.census import alive

if TYPE_CHECKING:  # nouns of missions: whoever starts git does not wait for them
    from scoutkit.model.missions import Owner

AGAIN = 0.5  # seconds after which a process that was told while it started is told again
UNKILLABLE = 5.0  # seconds after which a process that outlives KILL is given up: it is stuck in the kernel


def interrupt(popen: subprocess.Popen[bytes], *, urgent: bool = False) -> None:
    """Ask a process that was started here to end: TERM, or when it is `urgent` INT, as a second Ctrl-C would."""
    popen.send_signal(signal.SIGINT if urgent else signal.SIGTERM)


def end(find: Callable[[], list[Owner]], *, grace: float = 5.0) -> list[Owner]:
    """TERM to all that `find` returns, KILL to what is left after `grace` seconds; asks `find` again until empty.

    What one of them starts meanwhile helps it to end well, and is told only when it is left alone.

    Returns what could not be ended: processes of other users, or stuck in the kernel. Zombies do not count: whoever
    started them collects their exit status.
    """
    todo = steps(find, grace=lambda: grace)
    while True:
        try:
            time.sleep(next(todo))
        except StopIteration as stop:
            left: list[Owner] = stop.value
            return left


def steps(
    find: Callable[[], list[Owner]], *, grace: Callable[[], float], spared: Callable[[], Collection[int]] = tuple
) -> Generator[float, None, list[Owner]]:
    """`end` in steps: yields how many seconds to wait for the next one; `grace` is asked again at every step.

    The pids that `spared` returns hear no TERM, and what they started does not wait for their end to hear it: they go
    with it, or are killed in the end.
    """
    began, pause = time.monotonic(), 0.005
    killed: float | None = None
    told: dict[Owner, float] = {}
    new: set[Owner] | None = None  # started meanwhile: a signal between fork and exec may be lost
    refused: set[Owner] = set()
    known: dict[Owner, None] = {}  # one whose parent dies may be known by nothing else

    def look() -> list[Owner]:
        """None twice in a row: one may end during a look and leave what it started to the next."""
        none = 0
        while none < 2:
            found = find()
            known.update(dict.fromkeys(found))
            if living := [one for one in known if alive(one)]:
                return living
            none = 0 if found else none + 1
        return []

    while left := [one for one in look() if one not in refused]:
        now = time.monotonic()
        if killed is None and now - began >= grace():
            killed, pause = now, 0.005
        if killed is not None and now - killed >= UNKILLABLE:
            return [*left, *refused]
        spare = set(spared()) if killed is None else set()
        living = {one.pid for one in left} - spare if told else set()
        new = set() if new is None else new | (set(left) - set(told))
        for one in left:
            try:
                if killed is not None:
                    _signal(one, signal.SIGKILL)
                elif one.pid in spare:
                    continue
                elif (one in new and now - told.get(one, now) > AGAIN) or (
                    one not in told and census.parent(one.pid) not in living
                ):
                    told[one] = now
                    _signal(one, signal.SIGTERM)
                    _signal(one, signal.SIGCONT)  # a stopped process would not notice
            except PermissionError:
                refused.add(one)
        yield pause
        pause = min(pause * 1.5, 0.1)
    return [one for one in refused if alive(one)]


def crush(run_id: str, root: Owner | None, *, seconds: float = 5.0) -> None:
    """KILL to all of a run that has so many processes that one after the other would not do, for so many seconds.

    To whole groups: a group that is killed has no member left that could fork. Only groups in sessions that are not
    this process's: the agent has one of its own, and so has whatever left it.
    """
    until, mine, none = time.monotonic() + seconds, os.getsid(0), 0
    while none < 2 and time.monotonic() < until:
        done: set[int] = set()
        for entry in census.table().values():
            led = root is not None and entry.session == root.pid
            if entry.zombie or entry.session in (mine, 0) or not (led or census.mark(entry.pid) == run_id):
                continue
            with contextlib.suppress(ProcessLookupError, PermissionError):
                group = os.getpgid(entry.pid)
                if group not in done and os.getsid(entry.pid) == entry.session:
                    done.add(group)
                    os.killpg(group, signal.SIGKILL)
        none = 0 if done else none + 1


def _signal(target: Owner, number: signal.Signals) -> None:
    entry = census.entry(target.pid)
    if entry and entry.is_(target):  # the pid may be another's by now
        with contextlib.suppress(ProcessLookupError):
            os.kill(target.pid, number)
