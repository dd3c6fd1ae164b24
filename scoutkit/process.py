"""The only module that starts processes, and knows which belong together; `ending` ends them.

Processes of a run carry `SCOUTKIT_RUN=<id>` in their environment, so that they are found again by a later command
even when they left their session, their group and their parent.
"""

from __future__ import annotations

import contextlib
import math
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple

from scoutkit import census
from scoutkit.census import RUN_MARK, alive, identify, memory

if TYPE_CHECKING:  # nouns of missions: a search does not wait for them
    from scoutkit.model.missions import Owner

__all__ = [
    "RUN_MARK",
    "Completed",
    "adopt_orphans",
    "alive",
    "collect",
    "detach",
    "exited",
    "family",
    "feed",
    "identify",
    "interact",
    "memory",
    "run",
    "spawn",
    "stop",
    "tree",
]

_leaders: dict[int, subprocess.Popen[bytes]] = {}  # started here with a session of their own


class Completed(NamedTuple):
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
    """Run to the end and capture. Raises FileNotFoundError and subprocess.TimeoutExpired; never on an exit status.

    `timeout` bounds the whole tree: what the program started is ended with it, so that nothing holds its pipes open.
    """
    pipe = subprocess.PIPE
    with subprocess.Popen(argv, cwd=cwd, env=env, stdin=pipe, stdout=pipe, stderr=pipe) as popen:
        try:
            out, err = popen.communicate(stdin, timeout)
        except BaseException:  # a timeout or Ctrl-C
            stop(popen)
            raise
    return Completed(popen.returncode, out, err)


def feed(argv: Sequence[str | Path], data: bytes, *, timeout: float) -> int:
    """Give a program its stdin and wait for it; its exit status. Raises OSError and subprocess.TimeoutExpired.

    What it leaves running (a clipboard is kept by somebody) stays: it holds nothing of this process.
    """
    null = subprocess.DEVNULL
    done = subprocess.run(
        argv, input=data, stdout=null, stderr=null, timeout=timeout, check=False, start_new_session=True
    )
    return done.returncode


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
    popen = subprocess.Popen(
        argv, cwd=cwd, env=env, stdin=stdin, stdout=subprocess.PIPE, stderr=stderr, start_new_session=session
    )
    if session:
        _lead(popen)
    return popen


def detach(argv: Sequence[str | Path]) -> None:
    """Start a process that outlives this one and holds nothing of it."""
    null = subprocess.DEVNULL
    _lead(subprocess.Popen(argv, cwd="/", stdin=null, stdout=null, stderr=null, start_new_session=True))


def _lead(popen: subprocess.Popen[bytes]) -> None:
    for pid in [pid for pid, other in _leaders.items() if other.returncode is not None]:
        _leaders.pop(pid, None)
    _leaders[popen.pid] = popen


def exited(popen: subprocess.Popen[bytes]) -> bool:
    """Has it ended? Leaves its status uncollected where that is possible, so that its pid stays its own."""
    if popen.returncode is not None:
        return True
    if not hasattr(os, "waitid"):
        return popen.poll() is not None
    try:
        return os.waitid(os.P_PID, popen.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:
        return True


def stop(popen: subprocess.Popen[bytes]) -> None:
    """End a process that was started here, and all that it started."""
    from scoutkit import ending

    root = identify(popen.pid)
    ending.end(lambda: tree(root), grace=1.0)


def interact(argv: Sequence[str | Path], *, cwd: Path | None = None) -> int:
    """Run a program on the user's own terminal (an editor, a pager); its exit status."""
    return subprocess.run(argv, cwd=cwd, check=False).returncode


# The processes of a run


def adopt_orphans() -> None:
    """Become the parent of whatever the agent's tree orphans (Linux `PR_SET_CHILD_SUBREAPER`); elsewhere a no-op."""
    if sys.platform.startswith("linux"):
        import ctypes

        pr_set_child_subreaper = 36
        ctypes.CDLL(None, use_errno=True).prctl(pr_set_child_subreaper, 1, 0, 0, 0)


def collect() -> None:
    """Take adopted processes that ended off the process table. Children that somebody here waits for are left."""
    if hasattr(os, "waitid"):  # asking costs a hundredth of a look at the process table
        try:
            if os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
                return
        except ChildProcessError:
            return
    me, session = os.getpid(), os.getsid(0)
    for entry in census.table().values():
        if entry.zombie and entry.parent == me and entry.session != session and entry.pid not in _leaders:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(entry.pid, os.WNOHANG)


def tree(root: Owner | None) -> list[Owner]:
    """A process and all that descend from it, parents first; empty when it is gone."""
    table = census.table()
    return _living(table, [root.pid]) if root and _in(table, root) else []


def family(
    run_id: str,
    roots: Sequence[Owner | None] = (),
    *,
    folder: Path | None = None,
    adopted_since: float | None = None,
    since: float = 0.0,
) -> list[Owner]:
    """Every live process of a run, in one pass over the process table. Never this process.

    They carry its mark, are one of `roots` or in a session that one of them leads, work inside `folder` without a
    terminal (a person's shell has one), or descend from such. `adopted_since` adds orphans without a mark that came to
    this process and started no earlier: to be used where only one run is going on in it. Nothing that started before
    `since` is looked at. Times are those of `Owner.start`.
    """
    table, me, session = census.table(), os.getpid(), os.getsid(0)
    led = {root.pid for root in roots if root and root.boot == census.boot_id() and _in(table, root)}
    inside = os.path.realpath(folder) if folder else ""
    orphans = math.inf if adopted_since is None else adopted_since
    found = []
    for entry in table.values():
        if entry.zombie or entry.start < since:
            continue
        started = entry.parent == me and (entry.session == session or entry.pid in _leaders)  # here: git, for instance
        if (
            entry.session in led
            or (mark := census.mark(entry.pid)) == run_id
            or (entry.parent == me and not started and not mark and entry.start >= orphans)
            or (inside and not started and not entry.terminal and census.works_in(entry.pid, inside))
        ):
            found.append(entry.pid)
    return _living(table, [*led, *found])


def _in(table: Mapping[int, census.Entry], owner: Owner) -> bool:
    entry = table.get(owner.pid)
    return entry is not None and entry.is_(owner)


def _living(table: Mapping[int, census.Entry], found: Sequence[int]) -> list[Owner]:
    """The processes and their descendants that live; this process and its own children are not among them."""
    children: dict[int, list[int]] = {}
    for entry in table.values():
        children.setdefault(entry.parent, []).append(entry.pid)
    seen: dict[int, None] = {}
    todo = list(found)
    for pid in todo:
        if pid not in seen and pid not in (0, 1, os.getpid()):
            seen[pid] = None
            todo.extend(children.get(pid, ()))
    return [table[pid].owner for pid in seen if pid in table and not table[pid].zombie]
