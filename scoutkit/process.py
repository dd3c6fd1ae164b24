"""The only module that starts or ends processes; `census` is how it sees them.

Processes of a run carry `SCOUTKIT_RUN=<id>` in their environment, so that they are found again by a later command
even when they left their session, their group and their parent.
"""

from __future__ import annotations

import contextlib
import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
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
    "crush",
    "detach",
    "end",
    "ending",
    "exited",
    "family",
    "feed",
    "identify",
    "interact",
    "interrupt",
    "memory",
    "run",
    "spawn",
    "tree",
]

AGAIN = 0.5  # seconds after which a process that was told while it started is told again
UNKILLABLE = 5.0  # seconds after which a process that outlives KILL is given up: it is stuck in the kernel

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
            root = identify(popen.pid)
            end(lambda: tree(root), grace=1.0)
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


def interrupt(popen: subprocess.Popen[bytes], *, urgent: bool = False) -> None:
    """Ask a process that was started here to end: TERM, or when it is `urgent` INT, as a second Ctrl-C would."""
    popen.send_signal(signal.SIGINT if urgent else signal.SIGTERM)


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


def end(find: Callable[[], list[Owner]], *, grace: float = 5.0) -> list[Owner]:
    """TERM to all that `find` returns, KILL to what is left after `grace` seconds; asks `find` again until empty.

    What one of them starts meanwhile helps it to end well, and is told only when it is left alone.

    Returns what could not be ended: processes of other users, or stuck in the kernel. Zombies do not count: whoever
    started them collects their exit status.
    """
    steps = ending(find, grace=lambda: grace)
    while True:
        try:
            time.sleep(next(steps))
        except StopIteration as stop:
            left: list[Owner] = stop.value
            return left


def ending(
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
