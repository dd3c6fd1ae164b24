"""Which notes answer a query, best first: FTS5 finds and weighs, filters apply inside the query."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from typing import NamedTuple

from scoutkit.search import checks, store
from scoutkit.search.connection import Connection
from scoutkit.search.query import Query, clean, quoted
from scoutkit.search.weighing import Candidate, weigh

# Weights of title, question, description, headings, what is cited, tags, body and hidden words. A title says what a
# note is about, a question what it answers; in a body a word may come up in passing.
BM25 = "bm25(notes_fts, 3.0, 2.5, 1.5, 1.5, 1.0, 1.5, 1.0, 0.5)"
_SHORT = "{title question description headings cited tags}"
_NAMED = "{title question}"
_PATH = "CAST(? AS TEXT)"
_FEW = 3  # of so few words all are wanted; a longer text is a question, and its answer has other words too
_ENOUGH = 5  # notes with all of few words: then those with most of them are only noise
_HALF = 0.5  # of few words, where a note has all: more than that others must have
_LEAST = 1 / 3  # of what the best has
_WEIGHED = 32  # candidates whose texts are looked at
_ROWS = 2_000  # that bm25 weighs: frequent words tell least and cost most
_LOOKED = 40_000  # characters of a body that are looked at
_CHECKED = (
    "FROM checks WHERE checks.worktree = files.worktree AND checks.path = files.path AND checks.hash = files.hash"
)
_HOLDS = f"SELECT max(holds) {_CHECKED}"
_STANDING = f"SELECT {checks.STANDING} {_CHECKED}"
_BY = "(lower(files.by) = ? OR files.by LIKE ? ESCAPE '|' OR files.by LIKE ? ESCAPE '|' OR files.by LIKE ? ESCAPE '|')"
_CANDIDATES = (
    "SELECT key, title || ' . ' || question || ' . ' || description || ' . '"
    f" || substr(body, 1, {_LOOKED}) || ' . ' || cited || ' ' || tags || ' . ' || hidden,"
    f" files.at, files.status, ({_HOLDS})"
    " FROM notes JOIN hidden_words USING (key) JOIN files USING (key) WHERE key IN ({})"
)
Ranked = list[tuple[int, float]]  # (key, score), best first


class Filters(NamedTuple):
    """Which notes may be found. Of several types or statuses one must fit, of several tags and paths all."""

    worktree: str
    types: Sequence[str] = ()
    tags: Sequence[str] = ()
    paths: Sequence[str] = ()
    statuses: Sequence[str] = ()
    agents: Sequence[str] = ()
    standings: Sequence[str] = ()
    since: str = ""
    without: str = ""

    def and_asked(self, query: Query) -> Filters:
        """These, and those that operators of a query ask for."""
        asked = query.asked
        return self._replace(
            types=[*self.types, *asked.types],
            tags=[*self.tags, *asked.tags],
            paths=[*self.paths, *asked.paths],
            statuses=[*self.statuses, *asked.statuses],
            agents=asked.agents,
            standings=asked.standings,
            since=asked.since,
            without=query.without,
        )

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
            # no index helps a pattern: then the few notes that match are gone through, not all citations
            them = f"EXISTS (SELECT 1 FROM citations WHERE note = files.key AND {cited})"
            if "GLOB" not in cited:
                them = f"files.key IN (SELECT note FROM citations WHERE {cited})"
            terms.append(f"({own} OR {them})")
            values += [*own_values, *cited_values]
        if self.agents:
            terms.append(f"({' OR '.join([_BY] * len(self.agents))})")
            values += [value for agent in self.agents for value in by(agent)]
        if self.standings:
            terms.append(f"coalesce(({_STANDING}), 'unchecked') IN ({', '.join('?' * len(self.standings))})")
            values += self.standings
        if self.since:
            terms.append("substr(files.at, 1, 10) >= ?")
            values.append(self.since)
        if self.without:
            terms.append("files.key NOT IN (SELECT rowid FROM notes_fts WHERE notes_fts MATCH ?)")
            values.append(self.without)
        return " AND ".join(terms), values

    def let_all_through(self, connection: Connection) -> bool:
        """Is every note there is one that they let through?"""
        if any(self[1:]):
            return False
        others = "SELECT 1 FROM files WHERE worktree < ?1 OR worktree > ?1 LIMIT 1"
        return connection.execute(others, (self.worktree,)).fetchone() is None


def under(column: str, path: str) -> tuple[str, list[object]]:
    """SQL for: this file, or anything in this folder (`src/auth/`, `src/auth`), or what a pattern (`src/*.py`) fits, or
    what is in a folder that it fits.

    What looks like a pattern may be a name too: `app/[slug]/page.tsx`.
    """
    path = path.removeprefix("./")
    file = path.rstrip("/")
    if file in ("", "."):
        return "1", []
    folder, after = f"{file}/", f"{file}0"  # 0 is the character after /
    sql = f"({column} = {_PATH} OR ({column} >= {_PATH} AND {column} < {_PATH}))"
    values: list[object] = [store.bound(file), store.bound(folder), store.bound(after)]
    if not (special := re.search(r"[*?[]", path)):
        return sql, values
    glob = f"({column} GLOB {_PATH} OR {column} GLOB {_PATH})"
    values += [store.bound(file), store.bound(f"{file}/*")]
    if begin := path[: special.start()].rpartition("/")[0]:  # so far an index helps
        glob = f"({glob} AND {column} >= {_PATH} AND {column} < {_PATH})"
        values += [store.bound(f"{begin}/"), store.bound(f"{begin}0")]
    return f"({sql} OR {glob})", values


def by(agent: str) -> list[object]:
    """The parameters of `_BY`: a name as `claude`, `claude/2.1`, `human:me` or `me`."""
    name = clean(agent).lower()
    like = re.sub(r"([|%_])", r"|\1", name)
    return [name, f"{like}/%", f"{like}:%", f"%:{like}"]


def has(connection: Connection, worktree: str, name: str, value: str) -> bool:
    """Has any note this tag, this agent or this path?"""
    if name == "agent":
        sql, values = f"SELECT 1 FROM files WHERE {_BY} LIMIT 1", by(value)
    elif name == "path":
        cited, values = under("citations.path", value)
        sql = f"SELECT 1 FROM citations CROSS JOIN files ON files.key = note WHERE {cited} AND worktree = ? LIMIT 1"
        own, own_values = under("files.path", value)
        values = [*values, worktree, *own_values, worktree]
        sql = f"SELECT 1 FROM ({sql}) UNION ALL SELECT 1 FROM files WHERE {own} AND worktree = ? LIMIT 1"
    else:
        where, values = Filters(worktree, tags=[value]).where()
        sql = f"SELECT 1 FROM files WHERE {where} LIMIT 1"
    return connection.execute(sql, values).fetchone() is not None


def best(connection: Connection, query: Query, filters: Filters, limit: int) -> Ranked:
    """Notes with the words of a query. Of few words: those with all first, and no others where they are enough.

    Where no note has any word, those with a word that begins so; else those that hold the very text. Scores fall in
    that order and are below one, but for notes with all of few words, which have one more.
    """
    found: Ranked = []
    if query.needed:
        found = _weighed(connection, query, filters, limit)
        if not found and query.beginnings:
            found = _matching(connection, query.beginnings, filters, limit)
    if not found and not (query.needed and query.text.isascii()):
        found = _holding(connection, query.text, filters, limit)
    return found


def _weighed(connection: Connection, query: Query, filters: Filters, limit: int) -> Ranked:
    few = len(query.needed) <= _FEW
    most = max(limit, _WEIGHED)
    having = {word: count(connection, word) for word in query.words} if len(query.words) > 1 else {}
    having_all: dict[int, float] = {}
    if few or sum(having.values()) <= _ROWS:
        phrase = len(query.needed) == 1 and having  # of several words: no note but a few has it
        rows = 0 if phrase else min(having.values()) if having else count(connection, query.all)
        having_all = dict(_bounded(connection, query.all, rows, filters, most if few else _ENOUGH))
    found = dict(having_all)
    if having and not (few and len(having_all) >= min(limit, _ENOUGH)):
        telling, rows = _telling(connection, query, having)
        found.update(_bounded(connection, telling, rows, filters, most))
    weighed = weigh(_candidates(connection, found, having_all), query.terms)
    if few:
        weighed.sort(key=lambda one: one.key not in having_all)
    most_words = max((one.coverage for one in weighed), default=0.0)
    if few and having_all:
        enough = [one for one in weighed if one.coverage > _HALF]
    else:
        enough = [one for one in weighed if one.coverage >= most_words * _LEAST]
    return [(one.key, _share(one.weight) + (few and one.key in having_all)) for one in enough[:limit]]


def _bounded(
    connection: Connection, expression: str, rows: int, filters: Filters, limit: int
) -> list[tuple[int, float]]:
    """Notes that match. Of very many those that do so in a title, a heading or the like, if these are enough; and of
    very many still the newest."""
    if rows <= _ROWS or count(connection, expression) <= _ROWS:
        return fits(connection, expression, filters, limit)
    short, named = f"{_SHORT} : ({expression})", f"{_NAMED} : ({expression})"
    found: dict[int, float] = {}
    for some in (named, short, expression) if count(connection, short) > _ROWS else (short, expression):
        if len(found) < limit:
            found.update(fits(connection, some, filters, limit, max(_ROWS, limit)))
    return sorted(found.items(), key=lambda one: (-one[1], one[0]))[:limit]


def _telling(connection: Connection, query: Query, having: Mapping[str, int]) -> tuple[str, int]:
    """The expression for notes with any word that tells much, and about how many these are; words that stand side by
    side count once more."""
    if sum(having.values()) <= _ROWS:
        return " OR ".join([*query.words, *query.pairs]), 0
    if min(having.values()) > _ROWS:
        return min(having, key=lambda word: count(connection, word, 2 * _ROWS)), _ROWS + 1
    telling: list[str] = []
    rows = 0
    for word, number in sorted(having.items(), key=lambda one: one[1]):
        if telling and rows + number > _ROWS:
            break
        if number:
            telling.append(word)
            rows += number
    return " OR ".join(telling), rows


def count(connection: Connection, word: str, most: int = 0) -> int:
    """How many notes match an expression, of every worktree; of very many no more than that they are."""
    return connection.matching(word, most or _ROWS + 1)


def fits(
    connection: Connection, expression: str, filters: Filters, limit: int, most: int = -1
) -> list[tuple[int, float]]:
    """Keys with bm25 as a positive number, best first; of the `most` newest notes that match, where there are more."""
    match = "notes_fts WHERE notes_fts MATCH ?"
    values: list[object] = [expression]
    if not filters.let_all_through(connection):  # a row of `files` for each costs as much as weighing it
        where, more = filters.where()
        match = f"notes_fts JOIN files ON files.key = notes_fts.rowid WHERE notes_fts MATCH ? AND {where}"
        values += more
    matching = f"SELECT notes_fts.rowid AS key, -{BM25} AS fit FROM {match}"
    if most >= 0:
        matching = f"SELECT * FROM ({matching} ORDER BY notes_fts.rowid DESC LIMIT {most})"
    return connection.execute(f"{matching} ORDER BY fit DESC, key LIMIT ?", [*values, limit]).fetchall()


def _candidates(connection: Connection, fitting: Mapping[int, float], having_all: Container[int]) -> list[Candidate]:
    return [
        Candidate(key, fitting[key], text, at, status, None if holds is None else bool(holds), key in having_all)
        for key, text, at, status, holds in store.chosen(connection, _CANDIDATES, list(fitting))
    ]


def _matching(connection: Connection, expression: str, filters: Filters, limit: int) -> Ranked:
    return [(key, _share(fit)) for key, fit in fits(connection, expression, filters, limit)]


def _holding(connection: Connection, text: str, filters: Filters, limit: int) -> Ranked:
    """The last resort, for signs that are no words: look through texts."""
    from scoutkit.search import signs

    return [(key, 0.0) for key in signs.holding(connection, text, *filters.where(), limit)]


def _share(weight: float) -> float:
    """A weight as a number from 0 to 1."""
    return weight / (1 + weight)


def newest(connection: Connection, filters: Filters, limit: int | None) -> list[int]:
    """Keys of all notes that the filters let through."""
    where, values = filters.where()
    sql = f"SELECT key FROM files WHERE {where} ORDER BY at DESC, path LIMIT ?"
    return [key for (key,) in connection.execute(sql, [*values, -1 if limit is None else limit])]


def keys(connection: Connection, ids: Sequence[str], filters: Filters) -> dict[str, int]:
    """Keys by id, of those that the filters let through."""
    where, values = filters.where()
    # looked up one by one, which SQLite would not choose by itself
    sql = f"SELECT id, key FROM notes CROSS JOIN files USING (key) WHERE id IN ({{}}) AND {where}"
    return dict(store.chosen(connection, sql, list(map(clean, ids)), values))


def mentioning(connection: Connection, phrase: str, filters: Filters) -> list[int]:
    """Keys of notes that have this phrase in their text."""
    return [key for key, _ in _matching(connection, quoted(clean(phrase)), filters, -1)]
