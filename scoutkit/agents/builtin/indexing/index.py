"""A commit's index: answers for one term, one file, one name at a time."""

from __future__ import annotations

import contextlib
import sqlite3
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from scoutkit import sqlite
from scoutkit.agents.builtin.indexing import pathset, terms, tree
from scoutkit.agents.builtin.indexing.segment import Place, unpack, unpack_places
from scoutkit.agents.builtin.indexing.store import Piece, Snapshot, Store
from scoutkit.errors import ScoutError

_Answer = TypeVar("_Answer")


@dataclass(frozen=True, slots=True)
class Posting:
    """Where a term is in one segment: numbers within the segment, and values of one byte."""

    piece: int
    files: array[int]
    file_values: bytes
    chunks: array[int]
    chunk_values: bytes


class Index:
    """The files of one tree. Files and chunks are numbered through: a piece's base plus the number within it."""

    def __init__(self, store: Store, snapshot: Snapshot, pieces: list[Piece]) -> None:
        self._store = store
        self._snapshot = snapshot
        self.pieces = pieces
        head, self._where = tree.unpack(snapshot.said)
        self.roles, self.paths = pathset.unpack(snapshot.told)
        self.unread: dict[str, list[Any]] = head["unread"]  # by reason: how many, then some of their paths
        self.languages: dict[str, int] = head["languages"]  # without a grammar: how many files
        self.file_bases = [0]
        self.chunk_bases = [0]
        for piece in pieces:
            self.file_bases.append(self.file_bases[-1] + len(piece.firsts))
            self.chunk_bases.append(self.chunk_bases[-1] + piece.chunks)
        self.paths_of: dict[int, list[int]] = {}  # by file: more than one where files are equal
        for number in range(len(self.paths)):
            piece_at, file = self._where[2 * number], self._where[2 * number + 1]
            if piece_at != tree.NOWHERE:
                self.paths_of.setdefault(self.file_bases[piece_at] + file, []).append(number)
        self._alive = [bytearray(piece.chunks) for piece in pieces]
        self.chunk_count = 0
        for file in self.paths_of:
            piece_at, first, end = self.span(file)
            self._alive[piece_at][first:end] = b"\1" * (end - first)
            self.chunk_count += end - first

    def file_at(self, number: int) -> int | None:
        """The file at a path, by the path's number; None where it was not read."""
        piece, file = self._where[2 * number], self._where[2 * number + 1]
        return None if piece == tree.NOWHERE else self.file_bases[piece] + file

    def span(self, file: int) -> tuple[int, int, int]:
        """A file's piece, its first chunk in that and the chunk after its last."""
        at = bisect_right(self.file_bases, file) - 1
        firsts = self.pieces[at].firsts
        number = file - self.file_bases[at]
        end = firsts[number + 1] if number + 1 < len(firsts) else self.pieces[at].chunks
        return at, firsts[number], end

    def file_of(self, chunk: int) -> int:
        """The file a chunk is in."""
        at = bisect_right(self.chunk_bases, chunk) - 1
        return self.file_bases[at] + bisect_right(self.pieces[at].firsts, chunk - self.chunk_bases[at]) - 1

    def first_chunk(self, file: int) -> int:
        """A file's first chunk, numbered through."""
        at, first, _ = self.span(file)
        return self.chunk_bases[at] + first

    def places(self, file: int) -> list[Place]:
        """A file's chunks in order."""
        at = bisect_right(self.file_bases, file) - 1
        query = "SELECT places FROM files WHERE segment = ? AND number = ?"
        row = self._store.connection.execute(query, (self.pieces[at].id, file - self.file_bases[at])).fetchone()
        return unpack_places(row[0]) if row else []

    def postings(self, term: str) -> list[Posting]:
        """Where a term is. Includes chunks of other trees that share a segment with this one: see `alive`."""
        found = []
        for at, piece in enumerate(self.pieces):
            query = "SELECT data FROM postings WHERE segment = ? AND term = ?"
            if row := self._store.connection.execute(query, (piece.id, term)).fetchone():
                found.append(Posting(at, *unpack(row[0])))
        return found

    def spelled(self, begin: str) -> list[str]:
        """The terms that begin so, of chunks of other trees too."""
        query = "SELECT term FROM postings WHERE segment = ? AND term >= ? AND term < ?"
        rows = (self._store.connection.execute(query, (one.id, begin, f"{begin}{{")) for one in self.pieces)
        return list({term for row in rows for (term,) in row})

    def alive(self, posting: Posting) -> int:
        """How many of a posting's chunks are in this tree."""
        return sum(map(self._alive[posting.piece].__getitem__, posting.chunks))

    def is_alive(self, piece: int, chunk: int) -> bool:
        """Is a chunk, numbered within its piece, in this tree?"""
        return bool(self._alive[piece][chunk])

    def path_postings(self, term: str) -> tuple[array[int], bytes]:
        """The paths that hold a term, and in hundredths how much it says of each."""
        query = "SELECT data FROM path_terms WHERE paths = ? AND term = ?"
        row = self._store.connection.execute(query, (self._snapshot.paths, term)).fetchone()
        numbers = array("I")
        if row is None:
            return numbers, b""
        count = len(row[0]) // 5
        numbers.frombytes(row[0][: 4 * count])
        return numbers, row[0][4 * count :]

    def subjects(self, term: str) -> bytes:
        """The commits whose subject has a term: see votes.py."""
        query = "SELECT data FROM subjects WHERE snapshot = ? AND term = ?"
        row = self._store.connection.execute(query, (self._snapshot.id, term)).fetchone()
        return row[0] if row else b""

    def defined(self, name: str) -> list[int]:
        """The chunks that define a name spelled exactly so."""
        return [
            self.chunk_bases[posting.piece] + chunk
            for posting in self.postings(terms.exact(name))
            for chunk in posting.chunks
            if self._alive[posting.piece][chunk]
        ]


def open_index(
    store: Store,
    where: Path,
    commit: str,
    say: tree.Say,
    *,
    docs: bool = True,
    workers: int = 2,
    most: int | None = None,
) -> contextlib.AbstractContextManager[Index]:
    """The index of a commit, as long as it is held open; reads what the cache does not know first, which may take a
    while. `docs`: see chunks.py; `most`: tree.Cold where more bytes than these are not known."""

    def ready() -> str:
        return tree.prepare(store, where, commit, say, docs=docs, workers=workers, most=most)

    return _held(store, ready)


@contextlib.contextmanager
def _held(store: Store, ready: Callable[[], str]) -> Iterator[Index]:
    """Others may let go of what was just made ready: then it is made once more."""
    for _ in range(3):
        key = store.trying(ready)
        with store.frozen():
            if found := _load(store, key):
                yield found
                return
    raise ScoutError("the cache of indexed files is too full to hold this tree", f"delete {store.folder}")


def answered(ask: Callable[[], _Answer]) -> _Answer:
    """What `ask` gives, which opens a store and its index; where that turns out to be damaged it is made anew."""
    try:
        return ask()
    except sqlite3.DatabaseError as error:
        if not sqlite.damaged(error):
            raise
        with Store() as store:
            store.mend(error)
    return ask()


def _load(store: Store, key: str) -> Index | None:
    found = store.snapshot(key)
    pieces = store.pieces(tree.unpack(found.said)[0]["segments"]) if found else None
    return Index(store, found, pieces) if found and pieces is not None else None
