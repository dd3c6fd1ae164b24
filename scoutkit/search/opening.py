"""How the catalogue's file is opened, made and replaced.

Everything in it is derived from the notes and the journal: a file of another version, or one that SQLite cannot read,
is made anew, and where none can be written one in memory stands in. What makes tables is imported only then.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from scoutkit.search.connection import Connection
from scoutkit.search.store import VERSION, is_broken

BUSY = 30.0  # seconds to wait for another process's transaction


class Opened(NamedTuple):
    """A catalogue that can be used. `rebuilt` says why it was made anew, `memory` why it is not kept on disk."""

    connection: Connection
    rebuilt: str = ""
    memory: str = ""


def opened(path: Path) -> Opened:
    """Open the catalogue, making folder and tables where they are missing."""
    try:
        path.parent.mkdir(exist_ok=True)  # not its parents: a repository that is not there is not made
        with _locked(path, fcntl.LOCK_SH):  # nobody replaces the file while it is being opened
            connection, why = _attempt(path)
            if connection is not None:
                return Opened(connection)
        with _locked(path, fcntl.LOCK_EX):
            connection, why = _attempt(path)
            if connection is None:
                connection = _made(path)
            return Opened(connection, rebuilt=why)
    except (OSError, sqlite3.OperationalError) as error:
        return kept(path, error)


def kept(path: Path, error: Exception) -> Opened:
    """A copy in memory of a catalogue that cannot be written."""
    return Opened(_in_memory(path), memory=_not_written(path, error))


def replace(path: Path, why: str) -> Opened:
    """Make the catalogue anew; other processes keep what they have open."""
    try:
        with _locked(path, fcntl.LOCK_EX):
            return Opened(_made(path), rebuilt=why)
    except (OSError, sqlite3.OperationalError) as error:
        return Opened(_in_memory(None), rebuilt=why, memory=_not_written(path, error))


def _not_written(path: Path, error: Exception) -> str:
    why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return f"{path} cannot be written ({why})"


@contextlib.contextmanager
def _locked(path: Path, how: int) -> Iterator[None]:
    with path.with_suffix(".lock").open("ab") as file:
        with contextlib.suppress(OSError):  # a file system without locks: SQLite's own must do
            fcntl.flock(file, how)
        yield


def _connect(name: str | Path, *, uri: bool = False) -> Connection:
    connection = sqlite3.connect(name, timeout=BUSY, isolation_level=None, uri=uri, factory=Connection)
    connection.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")  # a path may hold any bytes
    return connection


def _attempt(path: Path) -> tuple[Connection | None, str]:
    """The catalogue as it is, or why it cannot be used ("" where there is none yet)."""
    if not path.exists():
        return None, ""
    connection = _connect(path)
    try:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    except sqlite3.DatabaseError as error:
        connection.close()
        if not is_broken(error):
            raise
        return None, f"it could not be read ({error})"
    if version == VERSION:
        if not os.access(path, os.W_OK) or not os.access(path.parent, os.W_OK):
            connection.close()
            raise PermissionError("read-only")
        connection.execute("PRAGMA synchronous = NORMAL")  # derived: consistent is enough
        return connection, ""
    connection.close()
    return None, f"it was made by another version ({version}, this one makes {VERSION})" if tables else ""


def _made(path: Path) -> Connection:
    """A new, empty catalogue. In place where SQLite can read the old one: that is safe for whoever has it open."""
    connection = _connect(path)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        _create(connection)
    except sqlite3.DatabaseError as error:
        connection.close()
        if isinstance(error, sqlite3.OperationalError) and not is_broken(error):
            raise
        for suffix in ("-wal", "-shm", ""):  # the log first: it must never meet another file
            path.with_name(path.name + suffix).unlink(missing_ok=True)
        connection = _connect(path)
        connection.execute("PRAGMA journal_mode = WAL")
        _create(connection)
    connection.execute("PRAGMA synchronous = NORMAL")
    return connection


def _in_memory(path: Path | None) -> Connection:
    """A copy of the catalogue in memory, or an empty one."""
    connection = _connect(":memory:")
    if path is not None and path.is_file():
        with contextlib.suppress(sqlite3.DatabaseError), contextlib.closing(_frozen(path)) as disk:
            if disk.execute("PRAGMA user_version").fetchone()[0] == VERSION:
                disk.backup(connection)
                return connection
    _create(connection)
    return connection


def _frozen(path: Path) -> Connection:
    """A file that nobody can write to, its log included."""
    from urllib.parse import quote

    return _connect(f"file:{quote(os.fsencode(path))}?mode=ro&immutable=1", uri=True)


def _create(connection: Connection) -> None:
    from scoutkit.search import tables

    tables.create(connection)
