"""How citations fared, week by week: rows that whoever browses has made. Derived, like all of the catalogue."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from scoutkit.search import store

VERDICTS = ("fresh", "moved", "edited", "ambiguous", "gone")


class Week(NamedTuple):
    """What became of citations by the end of a week (its Sunday, ISO 8601), of how many; `sample` says of which."""

    week: str
    commit: str
    citations: int
    counts: Mapping[str, int]
    sample: str


def record(connection: sqlite3.Connection, worktree: str, weeks: Iterable[Week]) -> None:
    """Remember weeks, each in place of what was known of it."""
    columns = ("worktree", "week", "commit", "citations", *VERDICTS, "sample")
    sql = (
        f"INSERT OR REPLACE INTO health ({', '.join(f'[{name}]' for name in columns)})"
        f" VALUES ({', '.join('?' * len(columns))})"
    )
    rows = [
        (worktree, one.week, one.commit, one.citations, *(one.counts.get(name, 0) for name in VERDICTS), one.sample)
        for one in weeks
    ]
    with store.writing(connection):
        connection.executemany(sql, rows)


def weeks(connection: sqlite3.Connection, worktree: str, limit: int) -> Sequence[Week]:
    """The last weeks that are known, oldest first."""
    sql = (
        f"SELECT week, [commit], citations, sample, {', '.join(VERDICTS)} FROM health WHERE worktree = ?"
        " ORDER BY week DESC LIMIT ?"
    )
    rows = connection.execute(sql, (worktree, limit)).fetchall()
    return [
        Week(week, commit, citations, dict(zip(VERDICTS, counts, strict=True)), sample)
        for week, commit, citations, sample, *counts in reversed(rows)
    ]
