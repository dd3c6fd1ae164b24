"""The catalogue's tables: what they hold and how they are made. sqlite-utils makes them."""

from __future__ import annotations

import secrets
import sqlite3

from sqlite_utils import Database

from scoutkit.model import tables
from scoutkit.search.store import TEXTS, VERSION, writing

TABLES = {
    name: {column: one.type for column, one in table.columns.items()}
    for name, table in tables.TABLES.items()
    if not table.view
}
"""Columns and their types. What is hidden from readers is bookkeeping. Its rows are small: filters and syncs go through
thousands of them, which takes three times as long where bodies lie between."""
_KEYS: dict[str, str | tuple[str, str]] = {
    "notes": "key",
    "citations": ("note", "position"),
    "tags": ("tag", "note"),
    "runs": "id",
    "files": "key",
    "hidden_words": "key",
    "signs": "key",
    "checks": ("worktree", "path"),
    "health": ("worktree", "week"),
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
_VIEW = f"CREATE VIEW note_texts AS SELECT notes.key, {TEXTS} FROM notes JOIN hidden_words USING (key)"
_FTS = f"""CREATE VIRTUAL TABLE notes_fts USING fts5(
    {TEXTS}, content='note_texts', content_rowid='key', tokenize='porter unicode61 remove_diacritics 2')"""


def create(connection: sqlite3.Connection) -> None:
    """Drop whatever is there and make the tables, in one transaction."""
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
