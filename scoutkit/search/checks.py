"""What the last check said of each note: whether it held, against what and when. One that changed since is unchecked.

Kept so that a search can ask for it; derived like all of the catalogue, and gone with it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from scoutkit.search import store
from scoutkit.search.query import clean

STANDING = "CASE checks.holds WHEN 1 THEN 'fresh' WHEN 0 THEN 'stale' ELSE 'uncited' END"
"""What a check said of a note, as `is:` asks for it."""


class Said(NamedTuple):
    """Of the notes of a worktree: how many a check spoke of as they are now, since when (ISO 8601), against what
    (commits; "" for the working tree), and how many it did not."""

    checked: int
    oldest: str
    targets: tuple[str, ...]
    unchecked: int


def record(
    connection: sqlite3.Connection, worktree: str, holds: Mapping[str, bool | None], target: str, why: Mapping[str, str]
) -> None:
    """Remember whether these notes (by their files) hold, and why not; None: there is no citation that counts. Files
    that are no notes are left out."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    rows = [(held, clean(why.get(path, "")), target, now, worktree, store.bound(path)) for path, held in holds.items()]
    with store.writing(connection):
        connection.executemany(
            "INSERT OR REPLACE INTO checks (worktree, path, hash, holds, why, target, at)"
            " SELECT worktree, path, hash, ?, ?, ?, ? FROM files WHERE worktree = ? AND path = CAST(? AS TEXT)",
            rows,
        )
        connection.execute(
            "DELETE FROM checks WHERE NOT EXISTS (SELECT 1 FROM files"
            " WHERE files.worktree = checks.worktree AND files.path = checks.path)"
        )


def said(connection: sqlite3.Connection, worktree: str) -> Said:
    """What checks said of a worktree's notes as they are now."""
    rows = connection.execute(
        "SELECT checks.target, min(checks.at), count(*) FROM files JOIN checks USING (worktree, path, hash)"
        " WHERE worktree = ? GROUP BY checks.target ORDER BY 2 DESC",
        (worktree,),
    ).fetchall()
    notes = connection.execute("SELECT count(*) FROM files WHERE worktree = ?", (worktree,)).fetchone()[0]
    checked = sum(row[2] for row in rows)
    return Said(checked, min((row[1] for row in rows), default=""), tuple(row[0] for row in rows), notes - checked)


def when(connection: sqlite3.Connection, worktree: str) -> dict[str, str]:
    """The notes that a check spoke of as they are now, by their files, and when it did."""
    sql = "SELECT path, checks.at FROM files JOIN checks USING (worktree, path, hash) WHERE worktree = ?"
    return dict(connection.execute(sql, (worktree,)).fetchall())


def standing(connection: sqlite3.Connection, worktree: str, ids: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Of notes by id that a check spoke of as they are now: whether they hold (`fresh`, `stale`, `uncited`), and why
    not. At most some hundreds."""
    rows = connection.execute(
        f"SELECT notes.id, {STANDING}, why FROM notes CROSS JOIN files USING (key) CROSS JOIN checks"
        " ON checks.worktree = files.worktree AND checks.path = files.path AND checks.hash = files.hash"
        f" WHERE files.worktree = ? AND notes.id IN ({', '.join('?' * len(ids))})",
        (worktree, *ids),
    )
    return {note_id: (standing, why) for note_id, standing, why in rows}


def head(connection: sqlite3.Connection, worktree: str) -> str:
    """The commit at which all notes were checked last."""
    row = connection.execute("SELECT value FROM state WHERE name = ?", (f"checked {worktree}",)).fetchone()
    return str(row[0]) if row else ""


def knows_head(connection: sqlite3.Connection, worktree: str, commit: str) -> None:
    """Remember that all notes are checked at a commit."""
    with store.writing(connection):
        connection.execute("INSERT OR REPLACE INTO state (name, value) VALUES (?, ?)", (f"checked {worktree}", commit))
