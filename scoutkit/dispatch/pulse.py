"""Whether the journal has anything for the next command to do. Every command asks, so it imports only sqlite3."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path


def unfinished(journal: Path) -> bool:
    """Is there a run whose worktree is not known to be gone? Also true where the journal cannot be read: `Journal`
    then says what is wrong with it."""
    if not journal.exists():
        return False
    import sqlite3

    try:
        with closing(sqlite3.connect(f"{journal.absolute().as_uri()}?mode=ro", uri=True, timeout=5)) as db:
            return db.execute("SELECT 1 FROM runs WHERE state != 'removed' LIMIT 1").fetchone() is not None
    except (sqlite3.Error, UnicodeDecodeError):  # the second where its message quotes bytes that are no text
        return True


def stamp(journal: Path) -> str:
    """Another text after every change of the journal; empty where there is none."""
    parts = []
    for path in (journal, journal.with_name(f"{journal.name}-wal")):
        try:
            status = path.stat()
        except OSError:
            continue
        if status.st_size:
            parts.append(f"{status.st_mtime_ns} {status.st_size}")
    return ", ".join(parts)
