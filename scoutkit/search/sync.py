"""Keeps the catalogue in step with the note files: what changed, what went, what is wrong.

A file is read again when its time or size changed, or when it was read so soon after it was written that a later
write may not show in them. Nothing is written when nothing changed.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from scoutkit import sqlite
from scoutkit.errors import ScoutError
from scoutkit.model.found import Problem
from scoutkit.search import store

if TYPE_CHECKING:
    from scoutkit.search.work import File, Known, Work

_TICK = 2_000_000_000  # nanoseconds: the coarsest clock of a file system
_NOTES_AT_ONCE = 200  # bounds a transaction, so that others get their turn
_BYTES_AT_ONCE = 20_000_000
_MISSING = os.strerror(errno.ENOENT)


class Source(Protocol):
    """Where the notes of one worktree are."""

    def files(self) -> tuple[Iterable[tuple[str, int, int]], Sequence[Problem]]:
        """(path, mtime in ns, size) of every note, and what cannot be read: files and whole folders."""

    def bytes_of(self, path: str) -> bytes:
        """A note as it is on disk; OSError or ScoutError when it cannot be read."""


class Sync(NamedTuple):
    """What bringing the catalogue in step came to.

    `problems` are all there are, `problems_changed` whether their number is another than before. `rebuilt` says why
    the catalogue was made anew, `memory` why it could not be kept on disk, `behind` why it may not know the newest
    notes; each is empty otherwise.
    """

    changed: int = 0
    removed: int = 0
    problems: tuple[Problem, ...] = ()
    problems_changed: bool = False
    rebuilt: str = ""
    memory: str = ""
    behind: str = ""


Seen = dict[str, tuple[Iterable[tuple[str, int, int]], Sequence[Problem]]]
"""What a source listed when a catalogue of this generation was in step with it, for good."""


def sync(connection: sqlite3.Connection, worktree: str, source: Source, seen: Seen | None = None) -> Sync:
    """Bring the rows of one worktree's notes in step with its files.

    `seen` remembers files and catalogue for a process that does this often: where both are as they were, they are not
    compared again.
    """
    had = problems(connection, worktree)
    was = store.generation(connection)
    if seen and (before := seen.get(was)) and source.files() == before:
        return Sync(problems=had)
    known = _known(connection, worktree)  # before the scan: a row that comes later is not taken for a leftover
    found, closed = source.files()
    scan = {path: (mtime, size) for path, mtime, size in found}
    unreadable = {problem.path: problem for problem in closed}
    gone = [row for path, row in known.items() if path not in scan and not _within(path, unreadable)]
    done: set[str] = set()
    changed, removed, behind = 0, 0, ""
    try:
        while (work := _look(connection, worktree, source, scan, known, unreadable, done)) or gone:
            from scoutkit.search import rows
            from scoutkit.search.work import Work

            with store.writing(connection):
                written = rows.write(connection, worktree, (work or Work())._replace(gone=gone))
            gone = []
            changed, removed = changed + written.changed, removed + written.removed
        if changed >= _NOTES_AT_ONCE:
            with store.writing(connection):
                rows.tidy(connection)
    except sqlite3.OperationalError as error:
        if not sqlite.busy(error):
            raise
        behind = "other processes are updating it"
    if seen is not None:
        seen.clear()
        if not (changed or removed or behind or closed) and all(settled for _, _, settled, _ in known.values()):
            seen[was] = (found, closed)
    now = problems(connection, worktree)
    return Sync(changed, removed, now, len(now) != len(had), behind=behind)


def problems(connection: sqlite3.Connection, worktree: str) -> tuple[Problem, ...]:
    """Everything that is wrong with notes, by path and line."""
    found = connection.execute(
        "SELECT path, line, problem, hint FROM problems WHERE worktree = ? ORDER BY path, line, problem", (worktree,)
    )
    return tuple(Problem(*row) for row in found)


def _known(connection: sqlite3.Connection, worktree: str) -> dict[str, Known]:
    found = connection.execute(
        "SELECT path, mtime, size, settled, key FROM files WHERE worktree = ? ORDER BY path", (worktree,)
    )
    return {path: (mtime, size, settled, key) for path, mtime, size, settled, key in found}


def _within(path: str, unreadable: Mapping[str, Problem]) -> bool:
    """Is it, or a folder it is in, something that could not be read? Then it is not gone."""
    return any(path == one or path.startswith(f"{one}/") for one in unreadable)


def _look(
    connection: sqlite3.Connection,
    worktree: str,
    source: Source,
    scan: Mapping[str, tuple[int, int]],
    known: Mapping[str, Known],
    unreadable: dict[str, Problem],
    done: set[str],
) -> Work | None:
    """What is to be written next, read from disk before the transaction begins; None when nothing is.

    Adds to `done` what was looked at and to `unreadable` what could not be read.
    """
    files: list[File] = []
    size = 0
    for path, (mtime, length) in scan.items():
        row = known.get(path)
        same = row is not None and row[:2] == (mtime, length)
        if (row and same and row[2]) or path in unreadable or path in done:
            continue
        done.add(path)
        now = time.time_ns()
        try:
            raw = source.bytes_of(path)
        except (ScoutError, OSError) as error:
            if getattr(error, "strerror", "") != _MISSING:  # gone since the scan: the next one knows
                unreadable[path] = _unreadable(path, error)
            continue
        file = _file(path, mtime, length, now, raw)
        if row and same and not file.settled and file.hash == _hash(connection, row[3]):
            continue  # looked at again, still too young to be sure: next time
        files.append(file)
        size += len(raw)
        if len(files) >= _NOTES_AT_ONCE or size > _BYTES_AT_ONCE:
            break
    stored = connection.execute(
        "SELECT path, line, problem, hint FROM problems WHERE worktree = ? AND origin = 'folder'", (worktree,)
    )
    same = {Problem(*row) for row in stored} == set(unreadable.values())
    if same and not files:
        return None
    from scoutkit.search.work import Work

    return Work(files, unreadable=None if same else list(unreadable.values()))


def _file(path: str, mtime: int, size: int, now: int, raw: bytes) -> File:
    import hashlib

    from scoutkit.search.work import File

    return File(path, mtime, size, int(now - mtime > _TICK), hashlib.sha256(raw).hexdigest(), raw)


def _unreadable(path: str, error: ScoutError | OSError) -> Problem:
    if isinstance(error, ScoutError):
        return Problem(path, 1, error.message, error.hint)
    return Problem(path, 1, f"unreadable: {error.strerror or error}", "check it and its permissions")


def _hash(connection: sqlite3.Connection, key: int) -> str:
    found = connection.execute("SELECT hash FROM files WHERE key = ?", (key,)).fetchone()
    return str(found[0]) if found else ""
