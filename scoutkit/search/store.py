"""How the catalogue's file is opened, made and replaced.

Everything in it is derived from the notes and the journal: a file of another version, or one that SQLite cannot read,
is made anew, and where none can be written one in memory stands in. What makes tables is imported only then.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

VERSION = 5  # in user_version; another one means: make it anew
_AT_ONCE = 500  # keys in a statement
BUSY = 30.0  # seconds to wait for another process's transaction
TEXTS = "title, question, description, headings, cited, tags, body, hidden"
"""The columns of the full-text index, as a list for SQL."""


class Opened(NamedTuple):
    """A catalogue that can be used. `rebuilt` says why it was made anew, `memory` why it is not kept on disk."""

    connection: sqlite3.Connection
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


def is_broken(error: sqlite3.Error) -> bool:
    """Does this error mean that the file is not what was made here, so that making it anew helps?"""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    damaged = code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
    return damaged or str(error).startswith(("no such ", "vtable constructor failed"))


def is_busy(error: sqlite3.Error) -> bool:
    """Does this error mean that another process holds a lock?"""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def is_unwritable(error: sqlite3.Error) -> bool:
    """Does this error mean that nothing can be written there: a full disk, no rights, a fault of the device?"""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN)


def kept(path: Path, error: Exception) -> Opened:
    """A copy in memory of a catalogue that cannot be written."""
    return Opened(_in_memory(path), memory=f"{path} cannot be written ({error})")


def replace(path: Path, why: str) -> Opened:
    """Make the catalogue anew; other processes keep what they have open."""
    try:
        with _locked(path, fcntl.LOCK_EX):
            return Opened(_made(path), rebuilt=why)
    except (OSError, sqlite3.OperationalError) as error:
        return Opened(_in_memory(None), rebuilt=why, memory=f"{path} cannot be written ({error})")


@contextlib.contextmanager
def _locked(path: Path, how: int) -> Iterator[None]:
    with path.with_suffix(".lock").open("ab") as file:
        with contextlib.suppress(OSError):  # a file system without locks: SQLite's own must do
            fcntl.flock(file, how)
        yield


class _Connection(sqlite3.Connection):
    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
        try:
            return super().execute(sql, parameters)
        except UnicodeDecodeError as error:  # SQLite's message quotes bytes of the file that are no text
            damage = sqlite3.DatabaseError(f"malformed: {error}")
            damage.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
            raise damage from error


def _connect(name: str | Path, *, uri: bool = False) -> sqlite3.Connection:
    connection = sqlite3.connect(name, timeout=BUSY, isolation_level=None, uri=uri, factory=_Connection)
    connection.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")  # a path may hold any bytes
    return connection


def _attempt(path: Path) -> tuple[sqlite3.Connection | None, str]:
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


def _made(path: Path) -> sqlite3.Connection:
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


def _in_memory(path: Path | None) -> sqlite3.Connection:
    """A copy of the catalogue in memory, or an empty one."""
    connection = _connect(":memory:")
    if path is not None and path.is_file():
        with contextlib.suppress(sqlite3.DatabaseError), contextlib.closing(_frozen(path)) as disk:
            if disk.execute("PRAGMA user_version").fetchone()[0] == VERSION:
                disk.backup(connection)
                return connection
    _create(connection)
    return connection


def _frozen(path: Path) -> sqlite3.Connection:
    """A file that nobody can write to, its log included."""
    from urllib.parse import quote

    return _connect(f"file:{quote(os.fsencode(path))}?mode=ro&immutable=1", uri=True)


def generation(connection: sqlite3.Connection) -> str:
    """Another one after every change of a note."""
    rows = connection.execute("SELECT value FROM state WHERE name IN ('catalogue', 'generation') ORDER BY name")
    return " ".join(row[0] for row in rows)


def chosen(
    connection: sqlite3.Connection, sql: str, keys: Sequence[object], values: Sequence[object] = ()
) -> Iterator[Any]:
    """The rows of a statement that asks for keys `IN ({})` and then for `values`, in any order."""
    for start in range(0, len(keys), _AT_ONCE):
        some = keys[start : start + _AT_ONCE]
        yield from connection.execute(sql.format(", ".join("?" * len(some))), [*some, *values])


def bound(path: str) -> str | bytes:
    """A path as a parameter: text, or its bytes where they are not UTF-8. To be used as `CAST(? AS TEXT)`."""
    for errors in ("strict", "surrogateescape"):
        try:
            raw = path.encode("utf-8", errors)
            return path if errors == "strict" else raw
        except UnicodeEncodeError:
            continue
    return path.encode("utf-8", "replace")


@contextlib.contextmanager
def writing(connection: sqlite3.Connection) -> Iterator[None]:
    """One transaction, which waits its turn before it reads what it will change."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _create(connection: sqlite3.Connection) -> None:
    from scoutkit.search import tables

    tables.create(connection)
