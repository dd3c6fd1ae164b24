"""The catalogue's file in use: opened at the first question, made anew where it is broken, kept in memory where it
cannot be written.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from scoutkit import sqlite
from scoutkit.errors import ScoutError
from scoutkit.search import opening, store
from scoutkit.search.connection import Connection

Answer = TypeVar("Answer")


class Busy(ScoutError):
    """Another process kept the catalogue locked for longer than anyone waits."""


class Database:
    """What is derived, in one SQLite file; whoever derives it says how it is `made_anew`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._open: opening.Opened | None = None
        self._rebuilt = ""

    @property
    def connection(self) -> Connection:
        """For reading."""
        if self._open is None:
            self._use(opening.opened(self.path))
        assert self._open is not None
        return self._open.connection

    @property
    def on_disk(self) -> bool:
        """False where it could not be written and is kept in memory."""
        return bool(self.connection) and self._open is not None and not self._open.memory

    def close(self) -> None:
        """Let go of the file."""
        if self._open is not None:
            self._open.connection.close()
            self._open = None

    @property
    def why_in_memory(self) -> str:
        """Why it is not kept on disk; "" where it is."""
        return self._open.memory if self._open else ""

    def why_rebuilt(self) -> str:
        """Why it was made anew since this was asked last; "" where it was not."""
        why, self._rebuilt = self._rebuilt, ""
        return why

    def made_anew(self) -> None:
        """Called with an empty file, after the one that was there could not be used."""

    def replace(self, why: str) -> None:
        """Put an empty one in its place."""
        self.close()
        self._use(opening.replace(self.path, why))

    def damage(self) -> list[str]:
        """What SQLite finds wrong with the file and the index in it; nothing, as a rule."""
        try:
            found = [row[0] for row in self.connection.execute("PRAGMA quick_check") if row[0] != "ok"]
            self.connection.execute("INSERT INTO notes_fts (notes_fts, rank) VALUES ('integrity-check', 1)")
        except sqlite3.DatabaseError as error:
            return [str(error)]
        return found

    def asking(self, ask: Callable[[Connection], Answer]) -> Answer:
        """Ask; a file that turns out to be broken is made again, once. Busy where another process has it locked."""
        try:
            return ask(self.connection)
        except sqlite3.DatabaseError as error:
            self._mend(error)
            self.made_anew()
            return ask(self.connection)

    def _mend(self, error: sqlite3.DatabaseError) -> None:
        """Make anew what is broken; go on in memory where the disk is full or not writable. Else raise it again."""
        if sqlite.busy(error):
            raise Busy(f"{self.path} is locked by another process", "try again") from error
        broken = store.is_broken(error)
        if not broken and not sqlite.unwritable(error):
            raise error
        if broken:
            self.replace(f"it was damaged ({error})")
        else:
            self.close()
            self._use(opening.kept(self.path, error))

    def _use(self, opened: opening.Opened) -> None:
        self._open = opened
        self._rebuilt = opened.rebuilt or self._rebuilt
