"""A watcher of a run's process tree, for where no cgroup holds it: how many processes it has, and their memory.

It sees what happened, and some tenths of a second late. It looks at once when the machine's number of threads jumps or
its free memory falls, else every two seconds.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable
from pathlib import Path

from scoutkit import process
from scoutkit.model.missions import Owner

EVERY = 2.0  # seconds


class Crowd:
    """`look` often. `bomb`: so many processes that they have to be ended all at once."""

    def __init__(self, family: Callable[[], list[Owner]], processes: int | None, memory: int | None) -> None:
        self.bomb = False
        self._family = family
        self._processes = processes
        self._memory = memory
        self._threads, self._free = _threads(), _available()
        self._next = 0.0

    def look(self, now: float) -> str:
        """Why the agent has to stop, if so."""
        if self._processes is None and self._memory is None:
            return ""
        threads, free = _threads(), _available()
        jumped = self._processes is not None and threads - self._threads > self._processes // 4
        fell = self._memory is not None and self._free - free > self._memory // 4
        if now < self._next and not jumped and not fell:
            return ""
        self._next, self._threads, self._free = now + EVERY, threads, free
        family = self._family()
        if self._processes is not None and len(family) > self._processes:
            self.bomb = True
            return f"it had {len(family):,} processes, more than {self._processes:,}"
        if self._memory is not None and (used := sum(process.memory(one.pid) for one in family)) > self._memory:
            self.bomb = True  # ending it well takes time, in which it takes more
            return f"it used {used / 1e9:.3g} GB of memory, more than {self._memory / 1e9:.3g} GB"
        return ""


def share() -> int | None:
    """Three quarters of this machine's memory, in bytes; None where it does not say."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") * 3 // 4
    except (OSError, ValueError):
        return None


def _threads() -> int:
    """Of the whole machine, from proc(5): `0.20 0.18 0.12 1/80 11206`; 0 where there is none."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        return int(Path("/proc/loadavg").read_text("ascii").split()[3].split("/")[1])
    return 0


def _available() -> int:
    """Bytes of memory that can be had without swapping; 0 where nothing says."""
    if sys.platform.startswith("linux"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            lines = Path("/proc/meminfo").read_text("ascii").splitlines()
            return next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable:")) * 1024
    return 0
