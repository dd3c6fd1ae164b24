"""What all that reads or writes the catalogue says to SQLite in the same way."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any

from scoutkit import sqlite

VERSION = 5  # in user_version; another one means: make it anew
_AT_ONCE = 500  # keys in a statement
TEXTS = "title, question, description, headings, cited, tags, body, hidden"
"""The columns of the full-text index, as a list for SQL."""


def is_broken(error: sqlite3.Error) -> bool:
    """Does this error mean that the file is not what was made here, so that making it anew helps?"""
    return sqlite.damaged(error) or str(error).startswith(("no such ", "vtable constructor failed"))


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
