"""What SQLite's errors mean to whoever keeps something in a file of its."""

from __future__ import annotations

import sqlite3


def damaged(error: BaseException) -> bool:
    """Is the file no database, or not a whole one any more?"""
    return _code(error) in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def busy(error: BaseException) -> bool:
    """Does another process hold a lock?"""
    return _code(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def unwritable(error: BaseException) -> bool:
    """Can nothing be written there: a full disk, no rights, a fault of the device?"""
    return _code(error) in (
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_CANTOPEN,
    )


def _code(error: BaseException) -> int:
    """The error's kind; 0 for one that does not come from SQLite."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF
