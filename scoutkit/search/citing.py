"""Which notes cite a place, as they were written: rows of the catalogue, nothing followed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple

from scoutkit.search import store
from scoutkit.search.connection import Connection
from scoutkit.search.ranking import Filters, mentioning, under
from scoutkit.words import composed

_SOME = 200  # paths in one query
_SHARED = 1 / 3  # of the places of the note that has fewer, from which two are on the same subject


class Cited(NamedTuple):
    """A citation of a note: the note's id and file, which of its citations it is (from 0), and what it cites."""

    id: str
    note: str
    number: int
    path: str
    start: int
    end: int
    symbol: str


def citing(connection: Connection, worktree: str, paths: Sequence[str]) -> list[Cited]:
    """Citations of files, or of anything in folders; those of the newest notes first, each note's in order."""
    spellings = list(dict.fromkeys(form for path in paths for form in (path, *_forms(path))))
    found: dict[tuple[str, int], Cited] = {}
    for first in range(0, len(spellings), _SOME):
        terms = [under("citations.path", one) for one in spellings[first : first + _SOME]]
        values = [value for _, own in terms for value in own]
        rows = _rows(connection, worktree, " OR ".join(term for term, _ in terms), values)
        found |= {(row.note, row.number): row for row in rows}
    return list(found.values())


def notes_citing(connection: Connection, worktree: str, paths: Sequence[str]) -> set[str]:
    """Which notes' files cite any of very many files, by names as notes have them. Names in UTF-8 alone count."""
    listed = json.dumps([path for path in paths if isinstance(store.bound(path), str)])
    sql = "SELECT path FROM files WHERE worktree = ? AND key IN (SELECT note FROM citations WHERE path IN (SELECT value"
    return {row[0] for row in connection.execute(f"{sql} FROM json_each(?)))", [worktree, listed])}


def defining(connection: Connection, worktree: str, symbols: Sequence[str]) -> list[Cited]:
    """Citations of lines that were in a function, class or section of one of these names."""
    names = list(dict.fromkeys(symbols))
    found: list[Cited] = []
    for first in range(0, len(names), _SOME):
        some = names[first : first + _SOME]
        found += _rows(connection, worktree, f"citations.symbol IN ({', '.join('?' * len(some))})", list(some))
    return found


def sharing(connection: Connection, worktree: str, note_id: str) -> list[str]:
    """Ids of the notes that cite the places of a note, those that share most of the one's or the other's first.

    A place is shared where it is the same definition, or more than half of the lines of both together are in both.
    """
    both = "min(mine.end, other.end) - max(mine.start, other.start) + 1"
    either = "max(mine.end, other.end) - min(mine.start, other.start) + 1"
    number = "(SELECT count(*) FROM citations WHERE note = {}.note)"
    sql = (
        "SELECT notes.id, 1.0 * count(DISTINCT mine.position)"
        f" / min({number.format('mine')}, {number.format('other')}) AS share FROM citations AS mine"
        " JOIN citations AS other ON other.path = mine.path AND other.note != mine.note"
        " JOIN notes ON notes.key = other.note JOIN files ON files.key = other.note"
        " WHERE mine.note = (SELECT notes.key FROM notes JOIN files ON files.key = notes.key"
        " WHERE notes.id = ?1 AND files.worktree = ?2 LIMIT 1) AND files.worktree = ?2"
        " AND (mine.symbol != '' AND mine.symbol = other.symbol"
        f" OR mine.start > 0 AND other.start > 0 AND 2 * ({both}) > {either})"
        " GROUP BY other.note HAVING share >= ?3 ORDER BY share DESC, files.at DESC"
    )
    return [row[0] for row in connection.execute(sql, [note_id, worktree, _SHARED])]


def cited(connection: Connection, worktree: str) -> tuple[list[str], set[str]]:
    """Every path that a note cites, and every symbol that cited lines were in."""
    others = "SELECT key FROM files WHERE worktree != ?"  # few or none, so that citations alone are gone through
    sql = f"SELECT DISTINCT {{0}} FROM citations WHERE {{0}} != '' AND note NOT IN ({others})"
    paths, symbols = (
        [row[0] for row in connection.execute(sql.format(column), [worktree])] for column in ("path", "symbol")
    )
    return paths, set(symbols)


def naming(connection: Connection, worktree: str, path: str) -> list[tuple[str, str]]:
    """Ids and files of the notes that have a path in their text, best first."""
    keys = mentioning(connection, path, Filters(worktree)) if any(map(str.isalnum, path)) else []
    return [connection.execute("SELECT id, path FROM notes WHERE key = ?", (key,)).fetchone() for key in keys]


def _forms(path: str) -> tuple[str, str]:
    return composed(path, "NFC"), composed(path, "NFD")


def _rows(connection: Connection, worktree: str, where: str, values: Sequence[object]) -> list[Cited]:
    rows = connection.execute(
        "SELECT notes.id, files.path, position - 1, citations.path, start, end, symbol FROM citations"
        " CROSS JOIN files ON files.key = note CROSS JOIN notes USING (key)"
        f" WHERE files.worktree = ? AND ({where}) ORDER BY files.at DESC, files.key, position",
        [worktree, *values],
    )
    return [Cited(*row) for row in rows]
