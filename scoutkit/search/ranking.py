"""Which notes answer a query, best first: FTS5 finds and weighs, filters apply inside the query."""

from __future__ import annotations

import heapq
import sqlite3
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from scoutkit.search import store
from scoutkit.search.query import Query, clean, quoted

# Weights of title, description, question, body and hidden words. A title says what a note is about, a question what
# it answers; in a body a word may come up in passing.
BM25 = "bm25(notes_fts, 10.0, 4.0, 6.0, 1.0, 2.0)"
_PATH = "CAST(? AS TEXT)"
_TELLING = 3  # so many rare words say enough about which note is meant
_ENOUGH = 5  # notes with all the words: then those with most of them are only noise
_TEXT = "title || ' ' || description || ' ' || question || ' ' || body"
Ranked = list[tuple[int, float]]  # (key, score), best first


class Filters(NamedTuple):
    """Which notes may be found. Of several types or statuses one must fit, of several tags and paths all."""

    worktree: str
    types: Sequence[str] = ()
    tags: Sequence[str] = ()
    paths: Sequence[str] = ()
    statuses: Sequence[str] = ()

    def where(self) -> tuple[str, list[object]]:
        """As SQL about `files`, and its parameters."""
        terms: list[str] = ["files.worktree = ?"]
        values: list[object] = [self.worktree]
        for column, wanted in (("type", self.types), ("status", self.statuses)):
            if wanted:
                terms.append(f"files.{column} IN ({', '.join('?' * len(wanted))})")
                values += map(clean, wanted)
        for tag in self.tags:
            terms.append("files.key IN (SELECT note FROM tags WHERE tag = ? COLLATE NOCASE)")
            values.append(clean(tag.lstrip("#")))
        for path in self.paths:
            own, own_values = under("files.path", path)
            cited, cited_values = under("path", path)
            terms.append(f"({own} OR files.key IN (SELECT note FROM citations WHERE {cited}))")
            values += [*own_values, *cited_values]
        return " AND ".join(terms), values

    def keys(self, connection: sqlite3.Connection) -> set[int] | None:
        """Of the notes that they let through; None when that is every note there is."""
        if not (self.types or self.tags or self.paths or self.statuses):
            others = "SELECT 1 FROM files WHERE worktree < ?1 OR worktree > ?1 LIMIT 1"
            if not connection.execute(others, (self.worktree,)).fetchone():
                return None
        where, values = self.where()
        return {key for (key,) in connection.execute(f"SELECT key FROM files WHERE {where}", values)}


def under(column: str, path: str) -> tuple[str, list[object]]:
    """SQL for: this file, or anything in this folder (`src/auth/`, `src/auth`), or what a pattern (`src/*.py`) fits."""
    path = path.removeprefix("./")
    if any(char in path for char in "*?["):
        return f"{column} GLOB CAST(? AS TEXT)", [store.bound(path)]
    file = path.rstrip("/")
    if file in ("", "."):
        return "1", []
    folder, after = f"{file}/", f"{file}0"  # 0 is the character after /
    sql = f"({column} = {_PATH} OR ({column} >= {_PATH} AND {column} < {_PATH}))"
    return sql, [store.bound(file), store.bound(folder), store.bound(after)]


def best(connection: sqlite3.Connection, query: Query, filters: Filters, limit: int) -> Ranked:
    """Notes with all words. Where those are few, then those with more than half of them; where there are none, those
    with any word, those with most first; else those with a word that begins so; else those that hold the very text.

    Scores fall in that order: the number of words found, plus a share below one for how well.
    """
    found: Ranked = []
    if query.needed:
        found = _all(connection, query, filters, limit)
        if len(found) < min(limit, _ENOUGH) and len(query.words) > 1:
            found += _any(connection, query, filters, limit, [key for key, _ in found])
        if not found and query.beginnings:
            found = _matching(connection, query.beginnings, filters, limit, 0)
    if not found and not (query.needed and query.text.isascii()):
        found = _holding(connection, query.text.strip(), filters, limit)
    return found


def _all(connection: sqlite3.Connection, query: Query, filters: Filters, limit: int) -> Ranked:
    return _matching(connection, query.all, filters, limit, len(query.words) + 1)


def _matching(connection: sqlite3.Connection, expression: str, filters: Filters, limit: int, words: int) -> Ranked:
    where, values = filters.where()
    rows = connection.execute(
        f"SELECT files.key, {BM25} AS fit FROM notes_fts JOIN files ON files.key = notes_fts.rowid"
        f" WHERE notes_fts MATCH ? AND {where} ORDER BY fit, files.at DESC, files.key LIMIT ?",
        [expression, *values, limit],
    )
    return [(key, words + _share(fit)) for key, fit in rows]


def _any(connection: sqlite3.Connection, query: Query, filters: Filters, limit: int, taken: Sequence[int]) -> Ranked:
    """Counts first: a note with n of the words has one of all but the n - 1 most frequent, so only notes with a rare
    word are weighed; by all words where the rare ones are few."""
    having = {word: _having(connection, word) for word in query.words}
    counted: Counter[int] = Counter()
    for keys in having.values():
        counted.update(keys)
    if (wanted := filters.keys(connection)) is not None:
        counted = Counter({key: words for key, words in counted.items() if key in wanted})
    for key in taken:
        del counted[key]
    least = len(query.words) // 2 + 1 if taken else 1
    most = heapq.nlargest(limit, counted.values())
    if not most or most[0] < least:
        return []
    least = max(least, most[-1])
    rare = sorted(having, key=lambda word: len(having[word]))[: len(having) - least + 1]
    expression = " OR ".join(rare) if len(rare) > _TELLING else f"({' OR '.join(rare)}) AND ({query.any})"
    rows = connection.execute(f"SELECT rowid, {BM25} FROM notes_fts WHERE notes_fts MATCH ?", [expression])
    best = sorted((-counted[key], fit, -key) for key, fit in rows if counted[key] >= least)[: limit - len(taken)]
    return [(-key, _share(fit) - words) for words, fit, key in best]


def _having(connection: sqlite3.Connection, word: str) -> list[int]:
    """Keys of the notes with a word. One string for all costs less than a row each."""
    sql = "SELECT group_concat(rowid) FROM notes_fts WHERE notes_fts MATCH ?"
    found = connection.execute(sql, [word]).fetchone()[0]
    return list(map(int, found.split(","))) if found else []


def _holding(connection: sqlite3.Connection, text: str, filters: Filters, limit: int) -> Ranked:
    """The last resort, for signs that are no words: look through every text."""
    where, values = filters.where()
    rows = connection.execute(
        f"SELECT files.key FROM notes JOIN files USING (key) WHERE instr({_TEXT}, ?) > 0"
        f" AND {where} ORDER BY files.at DESC, files.key LIMIT ?",
        [text[:200], *values, limit],
    )
    return [(key, 0.0) for (key,) in rows]


def _share(fit: float) -> float:
    """bm25, which is negative and better when lower, as a number from 0 to 1."""
    return -fit / (1 - fit)


def newest(connection: sqlite3.Connection, filters: Filters, limit: int | None) -> list[int]:
    """Keys of all notes that the filters let through."""
    where, values = filters.where()
    sql = f"SELECT key FROM files WHERE {where} ORDER BY at DESC, path LIMIT ?"
    return [key for (key,) in connection.execute(sql, [*values, -1 if limit is None else limit])]


def keys(connection: sqlite3.Connection, ids: Sequence[str], filters: Filters) -> dict[str, int]:
    """Keys by id, of those that the filters let through."""
    where, values = filters.where()
    found: dict[str, int] = {}
    for start in range(0, len(ids), 500):
        some = ids[start : start + 500]
        sql = f"SELECT id, key FROM notes JOIN files USING (key) WHERE id IN ({', '.join('?' * len(some))}) AND {where}"
        found.update(connection.execute(sql, [*map(clean, some), *values]).fetchall())
    return found


def mentioning(connection: sqlite3.Connection, phrase: str, filters: Filters) -> list[int]:
    """Keys of notes that have this phrase in their text."""
    return [key for key, _ in _matching(connection, quoted(clean(phrase)), filters, -1, 0)]
