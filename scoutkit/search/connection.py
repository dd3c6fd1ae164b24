"""A connection to the catalogue: what SQLite says of a damaged file in one kind of error, and how many notes match."""

from __future__ import annotations

import sqlite3
from typing import Any

_COUNTED = 20_000  # expressions; past that all are forgotten


class Connection(sqlite3.Connection):
    """SQLite's, which also remembers counts, as long as nobody changes anything."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._stamp: tuple[int, int] | None = None
        self._counts: dict[tuple[str, int], int] = {}

    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
        """As SQLite does; a message that quotes bytes of the file that are no text says that it is damaged."""
        try:
            return super().execute(sql, parameters)
        except UnicodeDecodeError as error:
            damage = sqlite3.DatabaseError(f"malformed: {error}")
            damage.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
            raise damage from error

    def matching(self, expression: str, most: int) -> int:
        """How many notes match an expression, of every worktree; of more than `most` no more than that.

        A server's questions have the same words again and again, and of a frequent one counting costs most.
        """
        stamp = (self.execute("PRAGMA data_version").fetchone()[0], self.total_changes)  # others' changes, and ours
        if stamp != self._stamp or len(self._counts) > _COUNTED:
            self._stamp = stamp
            self._counts.clear()
        known = self._counts.get((expression, most))
        if known is None:
            sql = "SELECT count(*) FROM (SELECT 1 FROM notes_fts WHERE notes_fts MATCH ? LIMIT ?)"
            known = self._counts[expression, most] = int(self.execute(sql, [expression, most]).fetchone()[0])
        return known
