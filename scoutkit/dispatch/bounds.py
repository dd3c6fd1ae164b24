"""What one agent may take of this machine: disk, processes, memory, its turn on the processor. Who holds it to that.

A cgroup where one can be made, the container engine where there is one, else a watcher of the process tree.
"""

from __future__ import annotations

import contextlib
import functools
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from scoutkit import ending, process
from scoutkit.dispatch import cgroup, container, worktree
from scoutkit.dispatch.crowd import Crowd, share
from scoutkit.dispatch.disk import Disk
from scoutkit.model.missions import Outcome, Owner, Result, Run

NICE = 5  # added to its niceness where no cgroup gives it less of the processor
_HOLDERS = {
    "cgroup": "held by a cgroup",
    "container": "held by its container",
    "watcher": "seen by a watcher of its process tree",
}


@functools.cache
def possible() -> tuple[str, str]:
    """What holds an agent here without a container, and why it is no cgroup if it is none."""
    above, why = cgroup.parent()
    return ("cgroup", "") if above else ("watcher", why)


def holder(isolation: str) -> str:
    """By what an agent is held: cgroup, container or watcher."""
    return "container" if isolation in container.ENGINES else possible()[0]


def memory(run: Run) -> int | None:
    """What a run may use, in bytes."""
    return share() if run.limits.memory_bytes is None else run.limits.memory_bytes


@dataclass(slots=True)
class Bounds:
    """Of one conversation: `entering` before its agent starts, `began` after, `look` often, `close` in the end."""

    run: Run
    isolation: str
    urgent: bool = False  # there is no time to end well
    by: str = field(init=False, default="")  # cgroup, container or watcher
    _disk: Disk = field(init=False)
    _crowd: Crowd | None = field(init=False, default=None)
    _group: cgroup.Cgroup | None = field(init=False, default=None)
    _child: Owner | None = field(init=False, default=None)
    _family: Callable[[], list[Owner]] | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self._disk = Disk(worktree.marked(self.run), self.run.limits.disk_bytes)
        self.by = "container" if self.isolation in container.ENGINES else "watcher"
        if self.by == "watcher" and (above := cgroup.parent()[0]):
            self._group = cgroup.Cgroup.make(above, self.run.id, self.run.limits.processes, memory(self.run))
            self.by = "cgroup" if self._group else self.by

    def entering(self, argv: Sequence[str]) -> Sequence[str]:
        """The command as it is started."""
        return self._group.entering(argv) if self._group else argv

    def began(self, child: Owner | None, family: Callable[[], list[Owner]]) -> None:
        """It has started, as `child`."""
        self._child, self._family = child, family
        if self.by == "watcher":
            self._watch()

    def _watch(self) -> None:
        child = self._child
        if child is None or self._family is None:
            return
        self._crowd = Crowd(self._family, self.run.limits.processes, memory(self.run))
        with contextlib.suppress(OSError, AttributeError):
            os.setpriority(os.PRIO_PROCESS, child.pid, os.getpriority(os.PRIO_PROCESS, 0) + NICE)
        _fence(child.pid, self.run.limits.processes)

    def look(self, now: float) -> Outcome | None:
        """How the run ends for the bound that it broke; what has to be ended at once is ended then."""
        if why := self._disk.look(now):
            return self._ended(why, "--max-disk")
        if self._group and not self._crowd and not self._group.holds() and process.alive(self._child):
            self.by = "watcher"  # it could not be moved there
            self._watch()
        if self._group and (why := self._group.broken()):
            return self._ended(f"{why}, {_HOLDERS['cgroup']}", _option(why))
        if self._crowd and (why := self._crowd.look(now)):
            self.urgent = self._crowd.bomb
            if self.urgent:
                ending.crush(self.run.id, self._child)
            return self._ended(f"{why}, {_HOLDERS['watcher']}", _option(why))
        return None

    def close(self) -> None:
        """Let go of what was made for it."""
        if self._group:
            self._group.close()

    def _ended(self, why: str, option: str) -> Outcome:
        hint = f"if it needs so much: {option}; see what it did: scoutkit run logs {self.run.id}"
        return Outcome(Result.BUDGET, reason=why, hint=hint)


def _option(why: str) -> str:
    return "--max-memory" if "memory" in why else "--max-processes"


def _fence(pid: int, processes: int | None) -> None:
    """A second net, for users who are not root: the kernel refuses it more once this user has so many threads that no
    run can need them. It counts all of the user's, so it is wide: threads there are now, and four times the limit."""
    if processes is None or not sys.platform.startswith("linux") or os.geteuid() == 0:
        return
    import resource

    with contextlib.suppress(OSError, ValueError):
        now = sum(1 for _ in os.scandir("/proc"))
        soft, hard = resource.prlimit(pid, resource.RLIMIT_NPROC)
        wide = 4 * (now + processes)
        if soft == resource.RLIM_INFINITY or soft > wide:
            resource.prlimit(pid, resource.RLIMIT_NPROC, (wide, hard))
