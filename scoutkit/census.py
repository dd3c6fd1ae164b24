"""The process table: which processes there are, who they are, and what tells them apart. Looks, never touches.

On Linux it reads `/proc` itself, which is quicker than importing psutil; elsewhere it asks psutil.
"""

from __future__ import annotations

import contextlib
import functools
import os
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from scoutkit.model.missions import Owner

RUN_MARK = "SCOUTKIT_RUN"
_EXEC = 0.2  # seconds that are waited for one that is becoming another program


@functools.cache
def boot_id() -> str:
    """Names this boot of this machine. Empty where the kernel does not: start times are wall-clock times there."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
    except OSError:
        return ""


@functools.cache
def host() -> str:
    """Names this machine and the processes that can be seen from here: `name/machine id/pid namespace`."""
    machine = namespace = ""
    with contextlib.suppress(OSError):
        machine = Path("/etc/machine-id").read_text("ascii", "replace").strip()[:8]
    with contextlib.suppress(OSError):
        namespace = str(Path("/proc/self/ns/pid").readlink()).strip("pid:[]")
    return f"{os.uname().nodename}/{machine}/{namespace}"


class Entry(NamedTuple):
    """A line of the process table. `start` is in seconds since boot on Linux, since 1970 elsewhere."""

    pid: int
    parent: int
    session: int
    terminal: bool
    start: float
    zombie: bool

    @property
    def owner(self) -> Owner:
        from scoutkit.model.missions import Owner  # a noun of missions: a search does not wait for it

        return Owner(self.pid, self.start, boot_id(), host())

    def is_(self, owner: Owner) -> bool:
        """That very process, or its zombie? For owners of this boot and namespace."""
        return self.pid == owner.pid and abs(self.start - owner.start) < 0.005


def entry(pid: int) -> Entry | None:
    """None when there is no such process."""
    return _from_proc(pid) if _has_proc() else _from_psutil(pid)


def table() -> dict[int, Entry]:
    """Every process that can be seen."""
    if _has_proc():
        pids: Iterable[int] = (int(name) for name in os.listdir("/proc") if name.isdigit())  # noqa: PTH208 - speed
    else:
        import psutil

        pids = psutil.pids()
    return {pid: found for pid in pids if (found := entry(pid))}


def identify(pid: int | None = None, *, ended: bool = False) -> Owner | None:
    """Who a pid is now; this process by default. None when there is no such process, or only its zombie (`ended`
    takes that too)."""
    found = entry(os.getpid() if pid is None else pid)
    return None if found is None or (found.zombie and not ended) else found.owner


def alive(owner: Owner | None) -> bool:
    """Is it still that process? What cannot be seen from here, on another host or in another pid namespace, counts
    as alive."""
    if owner is None:
        return False
    if bool(owner.boot) != bool(boot_id()):
        return True
    machine, _, namespace = owner.host.rpartition("/")
    here, _, visible = host().rpartition("/")
    if owner.boot != boot_id():
        return machine != here  # an earlier boot of this machine, or another machine
    if namespace != visible or (not owner.boot and machine != here):
        return True
    found = entry(owner.pid)
    if found is None:
        return _hidden(owner.pid)
    return not found.zombie and found.is_(owner)


def parent(pid: int) -> int | None:
    """None when there is no such process."""
    found = entry(pid)
    return found.parent if found else None


def mark(pid: int) -> str:
    """The run id in the environment a process was started with; empty where there is none or it cannot be read."""
    if not _has_proc():
        import psutil

        try:
            return psutil.Process(pid).environ().get(RUN_MARK, "")
        except (psutil.Error, OSError):
            return ""
    try:
        environ, until = Path(f"/proc/{pid}/environ").read_bytes(), time.monotonic() + _EXEC
        while not environ:
            there = not _becoming(pid)  # asked before it is read again: it may be there by now
            environ = Path(f"/proc/{pid}/environ").read_bytes()
            if there or time.monotonic() > until:
                break
            time.sleep(0.001)
    except OSError:
        return ""
    _, found, rest = (b"\0" + environ).partition(f"\0{RUN_MARK}=".encode())
    return os.fsdecode(rest.partition(b"\0")[0]) if found else ""


def _becoming(pid: int) -> bool:
    """Is it just becoming another program? Then it has memory, and its environment is not there yet (man 5 proc: vsize,
    env_end; that is 0, too, of a process whose environment may not be read)."""
    try:
        with open(f"/proc/{pid}/stat", "rb", buffering=0) as file:  # noqa: PTH123 - as below
            stat = file.read()
    except OSError:
        return False
    fields = stat[stat.rindex(b")") + 2 :].split()
    return fields[0] not in b"ZXx" and fields[20] != b"0" and len(fields) > 48 and fields[48] == b"0"


def works_in(pid: int, folder: str) -> bool:
    """Is its working directory `folder` (absolute, symlinks resolved) or below? False where that cannot be read."""
    if not _has_proc():
        import psutil

        try:
            where = psutil.Process(pid).cwd()
        except (psutil.Error, OSError):
            return False
    else:
        try:
            where = str(Path(f"/proc/{pid}/cwd").readlink()).removesuffix(" (deleted)")
        except OSError:
            return False
    return f"{where}/".startswith(f"{folder}/")


def memory(pid: int) -> int:
    """Bytes of memory that are this process's own; 0 when it is gone. What a fork still shares counts for both."""
    if _has_proc():
        try:
            with open(f"/proc/{pid}/statm", "rb", buffering=0) as file:  # noqa: PTH123 - as below
                _, resident, shared = map(int, file.read().split()[:3])
        except (OSError, ValueError):
            return 0
        return (resident - shared) * os.sysconf("SC_PAGE_SIZE")
    import psutil

    try:
        return int(psutil.Process(pid).memory_info().rss)
    except (psutil.Error, OSError):
        return 0


@functools.cache
def _has_proc() -> bool:
    return sys.platform.startswith("linux") and Path("/proc/self/stat").exists()


@functools.cache
def _ticks() -> int:
    return os.sysconf("SC_CLK_TCK")


def _from_proc(pid: int) -> Entry | None:
    try:
        with open(f"/proc/{pid}/stat", "rb", buffering=0) as file:  # noqa: PTH123 - a third of what a Path costs
            stat = file.read()
    except OSError:
        return None
    fields = stat[stat.rindex(b")") + 2 :].split()  # the name before may hold blanks and brackets
    threads, start = int(fields[17]), int(fields[19]) / _ticks()
    gone = fields[0] in b"ZXx" and threads <= 1  # a process may outlive its first thread
    return Entry(pid, int(fields[1]), int(fields[3]), fields[4] != b"0", start, gone)


def _from_psutil(pid: int) -> Entry | None:
    import psutil

    try:
        process = psutil.Process(pid)
        with process.oneshot():
            zombie = process.status() == psutil.STATUS_ZOMBIE
            terminal = not zombie and process.terminal() is not None
            return Entry(pid, process.ppid(), os.getsid(pid), terminal, process.create_time(), zombie)
    except (psutil.Error, OSError):
        return None


def _hidden(pid: int) -> bool:
    """Is it a process of another user that /proc is mounted not to show?"""
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (ProcessLookupError, OverflowError):
        return False
    return False
