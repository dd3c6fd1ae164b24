"""What following lines said before: where lines of a commit are in a file with a certain content.

That never changes, so it is kept by content, in a file that may be deleted: answers in which no other file had a say.
With it lines as they were at a commit, and how many commits two of them are apart.
"""

from __future__ import annotations

import contextlib
import re
import sqlite3
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Self

from scoutkit import sqlite
from scoutkit.anchors.targets import Key
from scoutkit.model.regions import Located, Region, Verdict

VERSION = 1  # of the answers: another one forgets those of the one before
MOST = 200_000  # answers that are kept; the oldest go first
_LONGEST = 20_000  # characters of lines that are kept
_WAIT = 0.2  # seconds for another process's transaction: it is only a memory
_TABLES = """
CREATE TABLE IF NOT EXISTS located (version, commit_id, path, start, end, blob, verdict, now_start, now_end, score,
    similarity, PRIMARY KEY (commit_id, path, start, end, blob)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS was (commit_id, path, start, end, text,
    PRIMARY KEY (commit_id, path, start, end)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS behind (target, commit_id, commits, PRIMARY KEY (target, commit_id)) WITHOUT ROWID
"""
_FULL = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")  # an id that can mean nothing else one day
_KEEP = "INSERT OR REPLACE INTO located VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_ASK = "SELECT verdict, now_start, now_end, score, similarity FROM located WHERE version = ? AND commit_id = ? AND"
_ASK += " path = ? AND start = ? AND end = ? AND blob = ?"


class Memory:
    """A context manager: what is new is written when it ends. Where it cannot be, nothing is remembered."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._new: dict[Key, Located] = {}
        self._was: list[tuple[object, ...]] = []
        self._behind: list[tuple[str, str, int]] = []
        self._connection: sqlite3.Connection | None = None

    def __enter__(self) -> Self:
        try:
            self._connection = sqlite3.connect(self._path, timeout=_WAIT)
            self._connection.execute("PRAGMA synchronous = OFF")  # one that a power cut damaged is made anew
            for table in _TABLES.split(";"):
                self._connection.execute(table)
        except sqlite3.Error as error:
            self._give_up(error)
        return self

    def __exit__(self, *_: object) -> None:
        if self._connection is None:
            return
        with contextlib.suppress(sqlite3.Error), self._connection:
            if self._new:
                self._connection.executemany(_KEEP, [_row(key, one) for key, one in self._new.items()])
                self._limit("located")
            if self._was:
                self._connection.executemany("INSERT OR REPLACE INTO was VALUES (?, ?, ?, ?, ?)", self._was)
                self._limit("was")
            if self._behind:
                self._connection.executemany("INSERT OR REPLACE INTO behind VALUES (?, ?, ?)", self._behind)
                self._limit("behind")
        self._connection.close()

    def get(self, key: Key) -> Located | None:
        """What was found; None where that is not known."""
        if self._connection is None:
            return None
        try:
            row = self._connection.execute(_ASK, (VERSION, *map(_bound, key))).fetchone()
            return _located(key.path, *row) if row else None
        except (sqlite3.Error, ValueError, TypeError) as error:  # damaged, locked for long, or none of ours
            self._give_up(error)
            return None

    def was(self, commit: str, region: Region) -> list[str] | None:
        """A region's lines at a commit; None where they are not known."""
        if self._connection is None or not _FULL.fullmatch(commit):
            return None
        asked = "SELECT text FROM was WHERE commit_id = ? AND path = ? AND start = ? AND end = ?"
        try:
            row = self._connection.execute(asked, (commit, _bound(region.path), region.start, region.end)).fetchone()
        except sqlite3.Error as error:
            self._give_up(error)
            return None
        return str(row[0]).split("\n") if row else None

    def put_was(self, commit: str, region: Region, lines: Sequence[str]) -> None:
        """Remember a region's lines at a commit."""
        text = "\n".join(lines)
        if _FULL.fullmatch(commit) and lines and len(text) <= _LONGEST and _storable(text):
            self._was.append((commit, _bound(region.path), region.start, region.end, text))

    def behind(self, target: str, commits: Collection[str]) -> dict[str, int]:
        """How many commits a target has that each of some commits has not, of those for which that is known."""
        found: dict[str, int] = {}
        with contextlib.suppress(sqlite3.Error):
            for commit in commits if self._connection and _FULL.fullmatch(target) else ():
                asked = "SELECT commits FROM behind WHERE target = ? AND commit_id = ?"
                if self._connection and (row := self._connection.execute(asked, (target, commit)).fetchone()):
                    found[commit] = int(row[0])
        return found

    def put_behind(self, target: str, counts: Mapping[str, int]) -> None:
        """Remember it."""
        if _FULL.fullmatch(target):
            self._behind += [(target, commit, count) for commit, count in counts.items() if _FULL.fullmatch(commit)]

    def _limit(self, table: str) -> None:
        """Forget all of a table that grew too long."""
        assert self._connection
        (count,) = self._connection.execute(f"SELECT count(*) FROM {table}").fetchone()  # noqa: S608 - our own
        if count > MOST:
            self._connection.execute(f"DELETE FROM {table}")  # noqa: S608

    def _give_up(self, error: Exception) -> None:
        """Remember nothing from here on; what is damaged is taken away, so that the next can."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        if sqlite.damaged(error):
            for path in (Path(f"{self._path}-journal"), self._path):
                path.unlink(missing_ok=True)

    def put(self, key: Key, found: Located) -> None:
        """Remember what was found in the same file."""
        self._new[key] = found


def _bound(part: object) -> object:
    """As SQLite takes it: a path need not be text."""
    return part.encode("utf-8", "surrogateescape") if isinstance(part, str) else part


def _storable(text: str) -> bool:
    """Has it no half of a surrogate pair, which stands for a byte that is no text?"""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _row(key: Key, found: Located) -> tuple[object, ...]:
    now = found.region
    assert now
    return VERSION, *map(_bound, key), str(found.verdict), now.start, now.end, found.score, found.similarity


def _located(path: str, verdict: str, start: int, end: int, score: float, similarity: float) -> Located:
    return Located(Verdict(verdict), Region(path, int(start), int(end)), float(score), float(similarity))
