"""What some notes have in common, counted: what a search can be narrowed by."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Sequence

from scoutkit.search.checks import STANDING

_SOME = 500  # ids in one query


def count(connection: sqlite3.Connection, worktree: str, ids: Sequence[str]) -> dict[str, Counter[str]]:
    """Of notes by id: how many are of each `type`, `tag`, `agent`, standing (`is`) and first folder of a cited `path`.

    The names are those of the operators that narrow a search to them.
    """
    # CROSS: a few ids are looked up; what SQLite chooses otherwise goes through every note of the worktree.
    found: dict[str, Counter[str]] = {name: Counter() for name in _SQL}
    for start in range(0, len(ids), _SOME):
        some = ids[start : start + _SOME]
        chosen = (
            "WITH chosen AS (SELECT files.key, files.type, files.by, files.hash, files.path, files.worktree FROM notes"
            f" CROSS JOIN files USING (key) WHERE notes.id IN ({', '.join('?' * len(some))}) AND files.worktree = ?) "
        )
        for name, sql in _SQL.items():
            for value, notes in connection.execute(chosen + sql, [*some, worktree]):
                if value:
                    found[name][value] += notes
    return found


_SQL = {
    "is": (
        f"SELECT CASE WHEN checks.path IS NULL THEN 'unchecked' ELSE {STANDING} END, count(*) FROM chosen"
        " LEFT JOIN checks ON checks.worktree = chosen.worktree AND checks.path = chosen.path"
        " AND checks.hash = chosen.hash GROUP BY 1"
    ),
    "type": "SELECT type, count(*) FROM chosen GROUP BY 1",
    "agent": (
        "SELECT CASE WHEN instr(by, '/') THEN substr(by, 1, instr(by, '/') - 1) ELSE by END, count(*) FROM chosen"
        " GROUP BY 1"
    ),
    "tag": "SELECT tag, count(*) FROM tags JOIN chosen ON chosen.key = tags.note GROUP BY 1",
    "path": (
        "SELECT substr(citations.path, 1, instr(citations.path, '/')), count(DISTINCT note) FROM citations"
        " JOIN chosen ON chosen.key = citations.note GROUP BY 1"
    ),
}
