"""What following lines said before: where lines of a commit are in a file with a certain content.

That never changes, so it is kept by content, in a file that may be deleted: answers in which no other file had a say.
"""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path
from typing import Self

from scoutkit.anchors.targets import Key
from scoutkit.model.regions import Located, Region, Verdict

VERSION = 1  # of the answers: another one forgets those of the one before
MOST = 200_000  # answers that are kept; the oldest go first
_WAIT = 0.2  # seconds for another process's transaction: it is only a memory
_TABLE = (
    "CREATE TABLE IF NOT EXISTS located (version, commit_id, path, start, end, blob, verdict, now_start, now_end,"
    " score, similarity, PRIMARY KEY (commit_id, path, start, end, blob)) WITHOUT ROWID"
)
_KEEP = "INSERT OR REPLACE INTO located VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_ASK = "SELECT verdict, now_start, now_end, score, similarity FROM located WHERE version = ? AND commit_id = ? AND"
_ASK += " path = ? AND start = ? AND end = ? AND blob = ?"


class Memory:
    """A context manager: what is new is written when it ends. Where it cannot be, nothing is remembered."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._new: dict[Key, Located] = {}
        self._connection: sqlite3.Connection | None = None

    def __enter__(self) -> Self:
        try:
            self._connection = sqlite3.connect(self._path, timeout=_WAIT)
            self._connection.execute(_TABLE)
        except sqlite3.Error:
            self._give_up()
        return self

    def __exit__(self, *_: object) -> None:
        if self._connection is None:
            return
        with contextlib.suppress(sqlite3.Error), self._connection:
            if self._new:
                self._connection.executemany(_KEEP, [_row(key, one) for key, one in self._new.items()])
                (count,) = self._connection.execute("SELECT count(*) FROM located").fetchone()
                if count > MOST:
                    self._connection.execute("DELETE FROM located")
        self._connection.close()

    def get(self, key: Key) -> Located | None:
        """What was found; None where that is not known."""
        if self._connection is None:
            return None
        try:
            row = self._connection.execute(_ASK, (VERSION, *map(_bound, key))).fetchone()
            return _located(key.path, *row) if row else None
        except (sqlite3.Error, ValueError, TypeError):  # damaged, locked for long, or none of ours
            self._give_up()
            return None

    def _give_up(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def put(self, key: Key, found: Located) -> None:
        """Remember what was found in the same file."""
        self._new[key] = found


def _bound(part: object) -> object:
    """As SQLite takes it: a path need not be text."""
    return part.encode("utf-8", "surrogateescape") if isinstance(part, str) else part


def _row(key: Key, found: Located) -> tuple[object, ...]:
    now = found.region
    assert now
    return VERSION, *map(_bound, key), str(found.verdict), now.start, now.end, found.score, found.similarity


def _located(path: str, verdict: str, start: int, end: int, score: float, similarity: float) -> Located:
    return Located(Verdict(verdict), Region(path, int(start), int(end)), float(score), float(similarity))
