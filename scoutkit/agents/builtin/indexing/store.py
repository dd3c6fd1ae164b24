"""What is kept of indexed files, shared by all worktrees and repositories, as rows of the cache.

A file is known by its git blob id and by how it was read, so a commit finds what any other commit or repository has
left. Postings lie in segments, each written whole or not at all; a snapshot says which segments make up one tree. All
of it can be deleted.
"""

from __future__ import annotations

import contextlib
import sqlite3
import time
import zlib
from array import array
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from scoutkit.agents.builtin.indexing.cache import SCHEMA, Cache

if TYPE_CHECKING:
    from scoutkit.agents.builtin.indexing.segment import Segment

CAPACITY = 700_000_000  # bytes; beyond it the segments that were not used for longest go
SNAPSHOTS = 24  # the newest are kept
_MONTH = 30 * 86_400

Known = tuple[int, int]
"""Where a file is: segment and number in it. Segment 0: it was not read, and the number says why."""

BINARY, HUGE, POINTER, NOTE = 0, 1, 2, 3


@dataclass(frozen=True, slots=True)
class Piece:
    """A segment as asking needs it: each file's first chunk, the number of chunks."""

    id: int
    firsts: array[int]
    chunks: int


@dataclass(frozen=True, slots=True)
class PathSet:
    """Paths of a tree (see pathset.py): their name, what is kept of them, and their terms where that is needed."""

    key: str
    data: bytes
    terms: Callable[[], Iterable[tuple[str, bytes]]]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A tree: which files make it up (see tree.py), and its paths (see pathset.py) with the number of their set."""

    id: int
    said: bytes
    paths: int
    told: bytes


class Store(Cache):
    """What is kept, as rows. A context manager, as the cache is."""

    def __init__(self, folder: Path | None = None) -> None:
        super().__init__(version, folder)

    def known(self, wanted: Sequence[tuple[str, str]]) -> dict[tuple[str, str], Known]:
        """Where files are, by blob id and form; those that were never read are left out."""
        run = self.connection.execute
        run("CREATE TEMP TABLE IF NOT EXISTS wanted (oid BLOB, form TEXT)")
        run("BEGIN")
        run("DELETE FROM wanted")
        self.connection.executemany("INSERT INTO wanted VALUES (?, ?)", ((bytes.fromhex(o), f) for o, f in wanted))
        rows = run("SELECT oid, form, segment, number FROM wanted JOIN blobs USING (oid, form)").fetchall()
        run("COMMIT")
        return {(oid.hex(), form): (number, at) for oid, form, number, at in rows}

    def add(self, made: Segment, files: Sequence[tuple[str, str]], unread: Iterable[tuple[str, str, int]]) -> None:
        """Keep a segment, whose files are `files` in order, and what was not read and why."""
        with self.writing() as write:
            number = 0
            if files:
                row = (made.firsts.tobytes(), made.chunks, _now())
                number = (
                    write.execute("INSERT INTO segments (firsts, chunks, used) VALUES (?, ?, ?)", row).lastrowid or 0
                )
                write.executemany(
                    "INSERT INTO files VALUES (?, ?, ?)", ((number, *one) for one in enumerate(made.files))
                )
                write.executemany("INSERT INTO postings VALUES (?, ?, ?)", ((number, *one) for one in made.postings()))
            rows: list[tuple[bytes, str, int, int]] = [
                *((bytes.fromhex(oid), form, number, at) for at, (oid, form) in enumerate(files)),
                *((bytes.fromhex(oid), form, 0, why) for oid, form, why in unread),
            ]
            write.executemany("INSERT OR REPLACE INTO blobs VALUES (?, ?, ?, ?)", rows)

    def snapshot(self, key: str) -> Snapshot | None:
        """A tree that is known."""
        query = (
            "SELECT snapshots.id, snapshots.data, path_sets.id, path_sets.data FROM snapshots"
            " JOIN path_sets ON path_sets.id = snapshots.paths WHERE snapshots.key = ?"
        )
        row = self.connection.execute(query, (key,)).fetchone()
        return Snapshot(row[0], zlib.decompress(row[1]), row[2], zlib.decompress(row[3])) if row else None

    def paths(self, key: str) -> bytes | None:
        """What is kept of a set of paths."""
        row = self.connection.execute("SELECT data FROM path_sets WHERE key = ?", (key,)).fetchone()
        return zlib.decompress(row[0]) if row else None

    def touch(self, key: str, pieces: Sequence[int]) -> None:
        """A snapshot and its segments count as used now. Not worth waiting for, and said once an hour."""
        query = "SELECT 1 FROM snapshots WHERE key = ? AND used < ?"
        if self.connection.execute(query, (key, _now() - 3600)).fetchone():
            with contextlib.suppress(sqlite3.OperationalError), self.writing() as write:
                write.execute("UPDATE snapshots SET used = ? WHERE key = ?", (_now(), key))
                write.executemany("UPDATE segments SET used = ? WHERE id = ?", ((_now(), number) for number in pieces))

    def keep(self, key: str, data: bytes, paths: PathSet, subjects: Iterable[tuple[str, bytes]]) -> None:
        """Keep a tree, its paths where they are not known, and its commits' subjects. The oldest trees go, and sets of
        paths that no tree has."""
        with self.writing() as write:
            old = [row[0] for row in write.execute("SELECT id FROM snapshots WHERE key = ?", (key,))]
            old += [
                row[0]
                for row in write.execute("SELECT id FROM snapshots ORDER BY used DESC LIMIT -1 OFFSET ?", (SNAPSHOTS,))
            ]
            for number in old:
                write.execute("DELETE FROM snapshots WHERE id = ?", (number,))
                write.execute("DELETE FROM subjects WHERE snapshot = ?", (number,))
            row = write.execute("SELECT id FROM path_sets WHERE key = ?", (paths.key,)).fetchone()
            if row is None:
                said = (paths.key, zlib.compress(paths.data, 1))
                row = (write.execute("INSERT INTO path_sets (key, data) VALUES (?, ?)", said).lastrowid,)
                terms = ((row[0], *one) for one in paths.terms())
                write.executemany("INSERT INTO path_terms VALUES (?, ?, ?)", terms)
            query = "INSERT INTO snapshots (key, used, paths, data) VALUES (?, ?, ?, ?)"
            number = write.execute(query, (key, _now(), row[0], zlib.compress(data, 1))).lastrowid
            write.executemany("INSERT INTO subjects VALUES (?, ?, ?)", ((number, *one) for one in subjects))
            write.execute("DELETE FROM path_sets WHERE id NOT IN (SELECT paths FROM snapshots)")
            if write.execute("SELECT changes()").fetchone()[0]:
                write.execute("DELETE FROM path_terms WHERE paths NOT IN (SELECT id FROM path_sets)")

    def pieces(self, ids: Sequence[int]) -> list[Piece] | None:
        """Segments by id; None when one is gone."""
        pieces = []
        for number in ids:
            row = self.connection.execute("SELECT firsts, chunks FROM segments WHERE id = ?", (number,)).fetchone()
            if row is None:
                return None
            firsts = array("H")
            firsts.frombytes(row[0])
            pieces.append(Piece(number, firsts, row[1]))
        return pieces

    def trim(self, capacity: int = CAPACITY, keep: Collection[int] = ()) -> None:
        """Let go of the segments that were not used for longest when the cache has grown too large, and of caches of
        other versions that nobody used for a month. Those of the last hour stay, since somebody may be asking them,
        until it is twice as large as it may be; the segments `keep` stay in any case."""
        for path in self.folder.glob("*.db"):
            if path != self._path and path.stat().st_mtime < _now() - _MONTH:
                for suffix in ("", "-wal", "-shm"):
                    path.with_name(path.name + suffix).unlink(missing_ok=True)
        if self._size() <= capacity:
            return
        order = self.connection.execute("SELECT id, used FROM segments ORDER BY used, id").fetchall()
        recent = _now() - 3600
        for number, used in order:
            if number in keep or (used >= recent and self._size() <= 2 * capacity):
                continue
            with self.writing() as write:
                for table in ("postings", "files", "blobs"):
                    write.execute(f"DELETE FROM {table} WHERE segment = ?", (number,))  # noqa: S608
                write.execute("DELETE FROM segments WHERE id = ?", (number,))
            if self._size() <= capacity * 0.7:
                break
        self.connection.executescript("PRAGMA incremental_vacuum")  # `execute` would give back a single page
        self.connection.execute("PRAGMA wal_checkpoint(PASSIVE)")


def version() -> str:
    """Names everything that decides what is kept of a file and a tree."""
    import hashlib
    from importlib.metadata import version as installed

    from scoutkit import languages, symbols
    from scoutkit.agents.builtin.indexing import chunks, paths, segment, terms, votes

    made_by = [installed(name) for name in ("semble-grammars", "tree-sitter", "pystemmer")]
    known = (sorted(languages.DEFINITIONS.items()), sorted(languages.EMBEDDED.items()))
    rules = (symbols.VERSION, terms.VERSION, chunks.VERSION, segment.VERSION, paths.VERSION, votes.VERSION)
    said = repr((rules, made_by, known, SCHEMA))
    return hashlib.sha256(said.encode()).hexdigest()[:12]


def _now() -> int:
    return int(time.time())
