"""How many tokens paragraphs have, remembered by what they say: no text is kept, and the file may be deleted."""

from __future__ import annotations

import contextlib
import hashlib
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from scoutkit import sqlite

MOST = 300_000  # paragraphs; past that all are forgotten
_AT_ONCE = 900  # values in one statement, which takes at least 999
_WAIT = 0.2  # seconds for another process's transaction: it is only a memory
_TABLE = "CREATE TABLE IF NOT EXISTS counted (digest BLOB PRIMARY KEY, tokens INTEGER NOT NULL) WITHOUT ROWID"


class Counted:
    """The file. Where it cannot be read or written nothing is remembered."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._new: dict[bytes, int] = {}
        self._rows: sqlite3.Connection | None = None
        with contextlib.suppress(sqlite3.Error):
            self._rows = sqlite3.connect(path, timeout=_WAIT, isolation_level=None, check_same_thread=False)

    def of(self, paragraphs: Sequence[str]) -> Iterator[tuple[str, int]]:
        """Those that are remembered, each with its tokens."""
        if self._rows is None:
            return
        digests = {_digest(one): one for one in paragraphs}
        for begin in range(0, len(digests), _AT_ONCE):
            some = [*digests][begin : begin + _AT_ONCE]
            asked = f"SELECT digest, tokens FROM counted WHERE digest IN ({', '.join('?' * len(some))})"  # noqa: S608
            try:
                for digest, tokens in self._rows.execute(asked, some):
                    if isinstance(tokens, int):
                        yield digests[digest], tokens
            except sqlite3.Error:  # not made yet, damaged, or locked for long
                return

    def put(self, counts: Iterable[tuple[str, int]]) -> None:
        """Remember them, once `keep` is called."""
        self._new.update((_digest(one), tokens) for one, tokens in counts)

    def keep(self) -> None:
        """Write down what is new. What is damaged is taken away, so that the next process can."""
        rows, new = self._rows, [*self._new.items()]
        self._new.clear()
        if rows is None or not new:
            return
        try:
            rows.execute("PRAGMA synchronous = OFF")
            with rows:
                rows.execute("BEGIN IMMEDIATE")
                rows.execute(_TABLE)
                if rows.execute("SELECT count(*) FROM counted").fetchone()[0] > MOST:
                    rows.execute("DELETE FROM counted")
                rows.executemany("INSERT OR REPLACE INTO counted VALUES (?, ?)", new)
        except sqlite3.Error as error:
            if sqlite.damaged(error):
                rows.close()
                self._rows = None
                self._path.unlink(missing_ok=True)


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
