"""The only module that starts or ends processes.

Processes of a run carry `SCOUTKIT_RUN=<id>` in their environment, so that they are found again by a later command
even when they left their session, their group and their parent.
"""

from __future__ import annotations

import contextlib
import functools
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from scoutkit.model import Owner

RUN_MARK = "SCOUTKIT_RUN"


@dataclass(frozen=True, slots=True)
class Completed:
    """What a finished process left: its exit status (negative: signal) and output as bytes."""

    code: int
    out: bytes
    err: bytes

    @property
    def text(self) -> str:
        """stdout, decoded so that any path survives a round trip through `os.fsencode`."""
        return os.fsdecode(self.out)

    @property
    def error(self) -> str:
        """stderr for a person."""
        return self.err.decode("utf-8", "replace").strip()


def run(
    argv: Sequence[str | Path],
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    stdin: bytes = b"",
    timeout: float | None = None,
) -> Completed:
    """Run to the end and capture. Raises FileNotFoundError and subprocess.TimeoutExpired; never on an exit status."""
    done = subprocess.run(argv, cwd=cwd, env=env, input=stdin, capture_output=True, timeout=timeout, check=False)
    return Completed(done.returncode, done.stdout, done.stderr)


def spawn(
    argv: Sequence[str | Path],
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    stdin: int = subprocess.PIPE,
    stderr: int | IO[bytes] = subprocess.PIPE,
    session: bool = False,
) -> subprocess.Popen[bytes]:
    """Start a process whose stdin and stdout the caller holds; `session` gives it a session and group of its own."""
    return subprocess.Popen(
        argv, cwd=cwd, env=env, stdin=stdin, stdout=subprocess.PIPE, stderr=stderr, start_new_session=session
    )


def detach(argv: Sequence[str | Path]) -> None:
    """Start a process that outlives this one and holds nothing of it."""
    subprocess.Popen(
        argv,
        cwd="/",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def interact(argv: Sequence[str | Path], *, cwd: Path | None = None) -> int:
    """Run a program on the user's own terminal (an editor, a pager); its exit status."""
    return subprocess.run(argv, cwd=cwd, check=False).returncode


@functools.cache
def boot_id() -> str:
    """Names this boot of this machine, so that a pid from before a restart is never taken for a live one."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        import psutil

        return str(int(psutil.boot_time()))


def identify(pid: int | None = None) -> Owner | None:
    """Who a pid is now; this process by default. None when there is no such process or it is a zombie."""
    import psutil

    try:
        process = psutil.Process(pid)
        if process.status() == psutil.STATUS_ZOMBIE:
            return None
        return Owner(process.pid, process.create_time(), boot_id(), socket.gethostname())
    except psutil.Error:
        return None


def alive(owner: Owner | None) -> bool:
    """Is it still that process? An owner on another host counts as alive: it cannot be seen from here."""
    if owner is None:
        return False
    if owner.host != socket.gethostname():
        return True
    if owner.boot != boot_id():
        return False
    now = identify(owner.pid)
    return now is not None and abs(now.start - owner.start) < 0.05


def adopt_orphans() -> None:
    """Become the parent of whatever the agent's tree orphans (Linux `PR_SET_CHILD_SUBREAPER`); elsewhere a no-op."""
    if sys.platform.startswith("linux"):
        import ctypes

        pr_set_child_subreaper = 36
        ctypes.CDLL(None, use_errno=True).prctl(pr_set_child_subreaper, 1, 0, 0, 0)


def family(run_id: str, roots: Sequence[Owner | None] = ()) -> list[int]:
    """Every live process of a run: marked with its id, or descended from, or in the session of, one of `roots`."""
    import psutil

    found: dict[int, None] = {}
    for root in roots:
        if root is not None and root.host == socket.gethostname() and alive(root):
            with contextlib.suppress(psutil.Error):
                for process in [*psutil.Process(root.pid).children(recursive=True), psutil.Process(root.pid)]:
                    found[process.pid] = None
    sessions = {root.pid for root in roots if root is not None and root.boot == boot_id()}
    mark = f"{RUN_MARK}={run_id}".encode()
    for pid in psutil.pids():
        if pid in found or pid == os.getpid():
            continue
        with contextlib.suppress(OSError):
            if os.getsid(pid) in sessions or _carries(pid, mark):
                found[pid] = None
    return [pid for pid in found if pid != os.getpid() and identify(pid) is not None]


def _carries(pid: int, mark: bytes) -> bool:
    """Does the environment the process was started with hold `mark`? False where it cannot be read."""
    try:
        return mark in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except FileNotFoundError:
        if Path("/proc/self").exists():
            return False
        import psutil

        try:
            name, value = mark.decode().split("=", 1)
            return psutil.Process(pid).environ().get(name) == value
        except (psutil.Error, OSError):
            return False


def end(find: Callable[[], list[int]], *, grace: float = 5.0) -> None:
    """TERM to all that `find` returns, KILL to what is left after `grace` seconds; asks `find` again until empty.

    Zombies do not count: whoever started them collects their exit status.
    """
    deadline = time.monotonic() + grace
    _signal(find(), signal.SIGTERM)
    while pids := find():
        if time.monotonic() >= deadline:
            _signal(pids, signal.SIGKILL)
            if time.monotonic() >= deadline + 5:
                return  # unkillable (stuck in the kernel): the caller's inspection says so
        time.sleep(0.02)


def _signal(pids: Sequence[int], number: signal.Signals) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)
