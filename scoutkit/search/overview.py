"""What all notes say together: the most cited files, what is known by folder, what is open, which no longer hold."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from typing import NamedTuple

from scoutkit.search.checks import STANDING
from scoutkit.search.ranking import Filters, under

_HEADING = re.compile(
    r"^#{1,4}[ \t]+open questions?\b[^\n]*\n(.*?)(?=^#{1,4}[ \t]|\Z)", re.MULTILINE | re.DOTALL | re.IGNORECASE
)
_ITEM = re.compile(r"^(?:[-*+]|\d+[.)])[ \t]+(\S.*(?:\n[ \t]+\S.*)*)", re.MULTILINE)
_LONGEST = 300  # characters of a question
_EACH = 3  # questions of one note


class Row(NamedTuple):
    """Something about a note: a question it leaves open, or why it does not hold."""

    id: str
    title: str
    at: str
    says: str


class Place(NamedTuple):
    """A file or folder, how many notes cite it, how many of these no longer hold, and how many are not checked."""

    path: str
    notes: int
    stale: int
    unchecked: int


class Overview(NamedTuple):
    """`notes` in all, `holding`, `stale` and `uncited` of those that were checked; the rest best or newest first."""

    notes: int
    holding: int
    stale: int
    uncited: int
    broken: list[Row]
    files: list[Place]
    folders: list[Place]
    questions: list[Row]


def look(connection: sqlite3.Connection, worktree: str, limit: int) -> Overview:
    """At most `limit` of each."""
    sums = ", ".join(f"coalesce(sum(standing = '{name}'), 0)" for name in ("fresh", "stale", "uncited"))
    sql = f"SELECT count(*), {sums} FROM ({_NOTES})"
    notes, holding, stale, uncited = connection.execute(sql, (worktree,)).fetchone()
    broken = connection.execute(
        f"SELECT id, title, at, why FROM ({_NOTES}) JOIN notes USING (key) WHERE standing = 'stale'"
        " ORDER BY at DESC LIMIT ?",
        (worktree, limit),
    )
    return Overview(
        notes,
        holding,
        stale,
        uncited,
        [Row(*row) for row in broken],
        _places(connection, worktree, "citations.path", limit, f"citations.path IN ({_OFTEN})", limit * 5),
        _places(connection, worktree, FOLDER, limit),
        _questions(connection, worktree, limit),
    )


_NOTES = (
    "SELECT files.key, files.at AS made, checks.why,"
    f" CASE WHEN checks.path IS NULL THEN 'unchecked' ELSE {STANDING} END AS standing FROM files LEFT JOIN checks"
    " ON checks.worktree = files.worktree AND checks.path = files.path AND checks.hash = files.hash"
    " WHERE files.worktree = ? AND files.status != 'deprecated'"
)
FOLDER = "CASE WHEN instr(citations.path, '/') THEN substr(citations.path, 1, instr(citations.path, '/')) ELSE './' END"


_OFTEN = "SELECT path FROM citations GROUP BY path ORDER BY count(DISTINCT note) DESC LIMIT ?"
"""Files that may be the most cited, from an index alone: what each counts for is looked up for these only."""


def _places(
    connection: sqlite3.Connection, worktree: str, what: str, limit: int, which: str = "1", *values: object
) -> list[Place]:
    """Other repositories' files are left out: they are no places of this one."""
    sql = (
        "SELECT place, count(*), sum(standing = 'stale'), sum(standing = 'unchecked')"
        f" FROM (SELECT DISTINCT {what} AS place, note FROM citations"
        f" WHERE {which} AND citations.path NOT LIKE '%@%:%' AND verdict IS NOT 'wrong') JOIN ({_NOTES}) ON key = note"
        " GROUP BY place ORDER BY 2 DESC, 1 LIMIT ?"
    )
    return [Place(*row) for row in connection.execute(sql, (*values, worktree, limit))]


def within(connection: sqlite3.Connection, worktree: str, folder: str, limit: int) -> list[tuple[str, int]]:
    """Files and folders that are directly in a folder, and how many citations lead there; the most cited first."""
    where, values = under("path", folder)
    others = "SELECT key FROM files WHERE worktree != ?"
    sql = f"SELECT path, count(*) FROM citations WHERE path NOT LIKE '%@%:%' AND note NOT IN ({others}) AND {where}"
    counts: Counter[str] = Counter()
    for path, citations in connection.execute(f"{sql} GROUP BY path", (worktree, *values)):
        name, slash, _ = path[len(folder) + 1 if folder else 0 :].partition("/")
        counts[name + slash] += citations
    return counts.most_common(limit)


def _questions(connection: sqlite3.Connection, worktree: str, limit: int) -> list[Row]:
    """What the newest notes leave open: the items below a heading that says so."""
    where, values = Filters(worktree, statuses=("stable", "draft")).where()
    rows = connection.execute(
        "SELECT notes.id, notes.title, notes.at, notes.body FROM notes_fts JOIN files ON files.key = notes_fts.rowid"
        f" JOIN notes ON notes.key = files.key WHERE notes_fts MATCH ? AND {where} ORDER BY files.at DESC LIMIT ?",
        ['headings: "open questions"', *values, limit * 4],
    )
    found: list[Row] = []
    for note_id, title, at, body in rows:
        section = _HEADING.search(body[:200_000])
        items = _ITEM.findall(section[1]) if section else []
        found += [Row(note_id, title, at, " ".join(item.split())[:_LONGEST]) for item in items[:_EACH]]
        if len(found) >= limit:
            break
    return found[:limit]
