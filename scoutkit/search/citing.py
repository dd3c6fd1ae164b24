"""What is known about a file, lines or a folder: the notes that cite it."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from scoutkit.search.ranking import Filters, mentioning, under
from scoutkit.search.snippet import Marks, passage
from scoutkit.words import composed


class Citing(NamedTuple):
    """A note that cites, how near (higher is nearer), and the place where it says so."""

    key: int
    score: float
    line: str
    marks: Marks


def citing(connection: sqlite3.Connection, worktree: str, path: str, start: int, end: int) -> list[Citing]:
    """Notes by how much of the asked lines they cite and how closely, then by how often, then newest first.

    A citation of a whole file counts for all its lines. For a file, notes that only mention its path come last.
    """
    spellings = dict.fromkeys((path, composed(path, "NFC"), composed(path, "NFD")))
    terms = [under("citations.path", one) for one in spellings]
    rows = connection.execute(
        "SELECT notes.key, notes.at, citations.path, start, end FROM citations JOIN notes ON notes.key = note"
        f" WHERE worktree = ? AND ({' OR '.join(term for term, _ in terms)}) ORDER BY notes.key, position",
        [worktree, *(value for _, values in terms for value in values)],
    ).fetchall()
    by_note: dict[int, tuple[float, str, str]] = {}
    for key, at, cited, first, last in rows:
        near = _nearness(first, last, start, end)
        if near:
            score, _, place = by_note.get(key, (0.0, at, ""))
            best = place if place and score >= near else _written(cited, first, last)
            by_note[key] = (max(score, near) + min(score, near) / 100, at, best)
    ranked = sorted(by_note.items(), key=lambda item: (item[1][0], item[1][1]), reverse=True)
    found = [Citing(key, score, *_line(connection, key, place)) for key, (score, _, place) in ranked]
    if not start and ("/" in path or "." in path):
        keys = mentioning(connection, path, Filters(worktree)) if any(map(str.isalnum, path)) else []
        found += [Citing(key, 0.0, *_line(connection, key, path)) for key in keys if key not in by_note]
    return found


def _nearness(first: int, last: int, start: int, end: int) -> float:
    """From 0 (no line in common) to 1 (the very lines)."""
    if not start:
        return 0.5
    if not first:
        return 0.1
    common = min(last, end) - max(first, start) + 1
    return max(common, 0) / (max(last, end) - min(first, start) + 1)


def _written(path: str, first: int, last: int) -> str:
    if not first:
        return path
    return f"{path}:{first}" if first == last else f"{path}:{first}-{last}"


def _line(connection: sqlite3.Connection, key: int, place: str) -> tuple[str, Marks]:
    """What the note says where it cites the place; the place itself where its text does not name it so."""
    body = connection.execute("SELECT body FROM notes WHERE key = ?", (key,)).fetchone()[0]
    return passage(body, place)
