"""The catalogue's tables, and how its file is opened, made and replaced. Only this module and `sync` write to it.

Everything in it is derived from the notes and the journal: a file of another version, or one that SQLite cannot read,
is made anew, and where none can be written one in memory stands in. sqlite-utils makes the tables and is imported
only then.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

VERSION = 1  # in user_version; another one means: make it anew
BUSY = 30.0  # seconds to wait for another process's transaction

TABLES: dict[str, dict[str, type]] = {
    "notes": {
        "key": int,
        "id": str,
        "title": str,
        "type": str,
        "status": str,
        "description": str,
        "question": str,
        "at": str,
        "by": str,
        "commit": str,
        "path": str,
        "worktree": str,
        "body": str,
    },
    "citations": {
        "note": int,
        "position": int,
        "path": str,
        "start": int,
        "end": int,
        "verdict": str,
        "symbol": str,
        "was": str,
    },
    "tags": {"tag": str, "note": int},
    "runs": {
        "id": str,
        "kind": str,
        "text": str,
        "agent": str,
        "state": str,
        "result": str,
        "reason": str,
        "started": str,
        "seconds": float,
        "cost_usd": float,
        "input_tokens": int,
        "output_tokens": int,
        "model": str,
        "version": str,
        "base": str,
        "isolation": str,
        "exit": int,
        "note_id": str,
        "note": int,
    },
    "problems": {"path": str, "line": int, "problem": str, "hint": str, "worktree": str, "origin": str},
    # Bookkeeping, hidden from readers. Rows are small: filters and syncs go through thousands of them, which takes
    # three times as long where bodies lie between.
    "files": {
        "key": int,
        "worktree": str,
        "type": str,
        "status": str,
        "at": str,
        "path": str,
        "mtime": int,
        "size": int,
        "settled": int,
        "hash": str,
        "claimed": str,
        "claim_line": int,
        "asked": str,
    },
    "hidden_words": {"key": int, "hidden": str},
    "state": {"name": str, "value": str},
}
_KEYS: dict[str, str | tuple[str, str]] = {
    "notes": "key",
    "citations": ("note", "position"),
    "tags": ("tag", "note"),
    "runs": "id",
    "files": "key",
    "hidden_words": "key",
    "state": "name",
}
_LINKS = {"citations": "note", "tags": "note", "runs": "note"}  # to notes.key
_INDEXES = (
    ("notes", "id", "worktree"),
    ("notes", "path"),
    ("citations", "path", "note"),
    ("tags", "note"),
    ("files", "worktree", "path", "mtime", "size", "settled", "key"),  # all that a sync without changes reads
    ("files", "worktree", "claimed", "path"),
    ("files", "asked"),
)

# External content, so that a body is stored once; the view is the only source of what goes into the index and of what
# is taken out of it again, in the same transaction: no term can stay behind.
TEXTS = "title, description, question, body, hidden"
_VIEW = f"CREATE VIEW note_texts AS SELECT notes.key, {TEXTS} FROM notes JOIN hidden_words USING (key)"
_FTS = f"""CREATE VIRTUAL TABLE notes_fts USING fts5(
    {TEXTS}, content='note_texts', content_rowid='key', tokenize='porter unicode61 remove_diacritics 2')"""


@dataclass(frozen=True)
class Opened:
    """A catalogue that can be used. `rebuilt` says why it was made anew, `memory` why it is not kept on disk."""

    connection: sqlite3.Connection
    rebuilt: str = ""
    memory: str = ""


def opened(path: Path) -> Opened:
    """Open the catalogue, making folder and tables where they are missing."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
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


def _connect(name: str | Path, *, uri: bool = False) -> sqlite3.Connection:
    connection = sqlite3.connect(name, timeout=BUSY, isolation_level=None, uri=uri)
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


def _create(connection: sqlite3.Connection) -> None:
    """Drop whatever is there and make the tables, in one transaction."""
    from sqlite_utils import Database

    with writing(connection):
        _drop(connection)
        database = Database(connection, recursive_triggers=False, execute_plugins=False)
        for name, columns in TABLES.items():
            link = _LINKS.get(name)
            links = [(link, "notes", "key")] if link else []
            database.table(name).create(columns, pk=_KEYS.get(name), foreign_keys=links)
        for name, *parts in _INDEXES:
            database.table(name).create_index(parts)
        connection.execute(_VIEW)
        connection.execute(_FTS)
        state = {"catalogue": secrets.token_hex(8), "generation": "0", "last key": "0"}
        database.table("state").insert_all({"name": name, "value": value} for name, value in state.items())
        connection.execute(f"PRAGMA user_version = {VERSION}")


def _drop(connection: sqlite3.Connection) -> None:
    """Everything in the file, virtual tables first: their shadow tables go with them."""
    rows = connection.execute(
        "SELECT type, name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite|_%' ESCAPE '|'"
        " ORDER BY sql NOT LIKE 'CREATE VIRTUAL%'"
    ).fetchall()
    for kind, name in rows:
        quoted = name.replace('"', '""')
        connection.execute(f'DROP {kind} IF EXISTS "{quoted}"')


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
