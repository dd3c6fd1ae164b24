"""The catalogue of one worktree's notes: answers every question about them from SQLite. Only click and sqlite3 are
imported for that; what writes is imported when there is something to write.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from scoutkit.model.found import Hit, Problem
from scoutkit.model.notes import confidence
from scoutkit.search import citing, ranking, store
from scoutkit.search import sync as syncing
from scoutkit.search.citing import Cited
from scoutkit.search.connection import Connection
from scoutkit.search.database import Busy, Database
from scoutkit.search.operators import untaken
from scoutkit.search.query import LONGEST, Query, clean, parse
from scoutkit.search.ranking import Filters
from scoutkit.search.snippet import snippet
from scoutkit.search.sync import Seen, Source, Sync
from scoutkit.words import plain

if TYPE_CHECKING:
    from scoutkit.model.missions import Run

Hits = list[Hit]
_BEGINNING = 4_000  # characters of a note in which it says how sure it is
# How many citations a note has; null where it has none because its front matter cannot be read.
_CITATIONS = (
    "(SELECT CASE WHEN count(*) = 0 AND EXISTS (SELECT 1 FROM problems WHERE problems.path = {0}.path"
    " AND problems.worktree = {0}.worktree AND origin = 'note') THEN NULL ELSE count(*) END"
    " FROM citations WHERE note = {0}.key)"
)
_SHOWN = (
    f"SELECT key, id, path, title, type, status, description, body, {_CITATIONS.format('notes')} FROM notes"
    " WHERE key IN ({})"
)


class Catalogue(Database):
    """Opened at its first use. `worktree` tells its notes from another checkout's: "" for the main one's."""

    def __init__(self, path: Path, worktree: str = "") -> None:
        super().__init__(path)
        self.worktree = worktree.encode("utf-8", "backslashreplace").decode()
        self.seen: Seen | None = None  # a dictionary that outlives it spares some of the next `sync`
        self._source: Source | None = None

    # In step with the files

    def sync(self, source: Source) -> Sync:
        """Bring the catalogue in step with the note files. Never fails for what is wrong with notes or catalogue."""
        self._source = None  # a broken file is made anew, and filled here
        try:
            done = self.asking(lambda connection: syncing.sync(connection, self.worktree, source, self.seen))
        finally:
            self._source = source
        return done._replace(rebuilt=self.why_rebuilt(), memory=self.why_in_memory)

    def made_anew(self) -> None:
        """Fill it again from the note files."""
        if self._source is not None:
            syncing.sync(self.connection, self.worktree, self._source)

    def knows_runs(self, stamp: str) -> bool:
        """Is the runs table what the journal said when it had this stamp?"""
        sql = "SELECT value FROM state WHERE name = 'runs'"
        return self.asking(lambda connection: (connection.execute(sql).fetchone() or ("",))[0] == stamp)

    def runs_from(self, runs: Iterable[Run], stamp: str = "") -> None:
        """Make the runs table what the journal says, and remember the stamp it had."""
        from scoutkit.search import runs as recording

        found = list(runs)
        with contextlib.suppress(Busy):  # the next command does it
            self.asking(lambda connection: recording.record(connection, found, stamp))

    def discard(self) -> None:
        """Throw everything away; the next `sync` makes it again."""
        self.replace("")

    def problems(self) -> tuple[Problem, ...]:
        """Everything that is wrong with notes, as the last `sync` saw it."""
        return self.asking(lambda connection: syncing.problems(connection, self.worktree))

    @property
    def generation(self) -> str:
        """Another one after every change of a note."""
        return self.asking(store.generation)

    # Finding

    def search(
        self,
        text: str,
        *,
        types: Sequence[str] = (),
        tags: Sequence[str] = (),
        paths: Sequence[str] = (),
        statuses: Sequence[str] = (),
        limit: int = 20,
        snippets: bool = True,
    ) -> Hits:
        """Notes with the words of a text, best first; operators in it narrow what is searched. Without any word: the
        newest. Without `snippets` nothing says why they were found."""
        wanted = Filters(self.worktree, types, tags, paths, statuses)

        def ask(connection: Connection) -> Hits:
            query = self._understood(connection, text)
            filters = wanted.and_asked(query)
            if not query.text:
                return _hits(connection, [(key, 0.0) for key in ranking.newest(connection, filters, limit)])
            found = ranking.best(connection, query, filters, limit)
            return _hits(connection, found, query.marks if snippets else None)

        return self.asking(ask)

    def understood(self, text: str) -> Query:
        """A text as a query of these notes: what is an operator in it, and what is looked for."""
        return self.asking(lambda connection: self._understood(connection, text))

    def untaken(self, text: str) -> Sequence[str]:
        """What looks like an operator in a text and is looked for as text, since no note has its value."""
        return self.asking(
            lambda connection: untaken(
                clean(text[:LONGEST]), lambda name, value: ranking.has(connection, self.worktree, name, value)
            )
        )

    def lacking(self, query: Query) -> int:
        """How many words of a query no note has."""
        return self.asking(lambda connection: sum(not ranking.count(connection, word, 1) for word in query.words))

    def like(
        self,
        text: str,
        *,
        types: Sequence[str] = (),
        tags: Sequence[str] = (),
        paths: Sequence[str] = (),
        statuses: Sequence[str] = (),
        limit: int = 20,
    ) -> Hits:
        """Notes on the subject of a text, best first."""
        filters = Filters(self.worktree, types, tags, paths, statuses)
        from scoutkit.search import likeness

        def ask(connection: Connection) -> Hits:
            marks = [word for word, _ in likeness.words(text).most_common(40)]
            return _hits(connection, likeness.like(connection, text, filters, limit), marks)

        return self.asking(ask)

    def much_like(self, text: str, *, without: Collection[str] = ()) -> Hits:
        """Notes that say what a text says, most alike first: one of the two may be one too many. `without`: files of
        notes that do not count, the text's own to begin with."""
        from scoutkit.search import likeness

        filters = Filters(self.worktree)
        return self.asking(lambda connection: _hits(connection, likeness.same(connection, text, filters, without)))

    def _understood(self, connection: Connection, text: str) -> Query:
        return parse(text, lambda name, value: ranking.has(connection, self.worktree, name, value))

    def list(
        self,
        *,
        types: Sequence[str] = (),
        tags: Sequence[str] = (),
        paths: Sequence[str] = (),
        statuses: Sequence[str] = (),
        limit: int | None = None,
    ) -> Hits:
        """Every note, newest first."""
        filters = Filters(self.worktree, types, tags, paths, statuses)
        return self.asking(
            lambda connection: _hits(connection, [(key, 0.0) for key in ranking.newest(connection, filters, limit)])
        )

    def citing(self, paths: Sequence[str]) -> Sequence[Cited]:
        """What notes cite of files, or of anything in folders, as it was written; the newest notes first."""
        return self.asking(lambda connection: citing.citing(connection, self.worktree, paths))

    def notes_citing(self, paths: Sequence[str]) -> set[str]:
        """The files of the notes that cite any of very many files."""
        return self.asking(lambda connection: citing.notes_citing(connection, self.worktree, paths))

    def defining(self, symbols: Sequence[str]) -> Sequence[Cited]:
        """What notes cite of functions, classes and sections with these names."""
        return self.asking(lambda connection: citing.defining(connection, self.worktree, symbols))

    def cited_places(self) -> tuple[Sequence[str], set[str]]:
        """Every path that a note cites, and every symbol that cited lines were in."""
        return self.asking(lambda connection: citing.cited(connection, self.worktree))

    def sharing(self, note_id: str) -> Sequence[str]:
        """Ids of the notes that cite the places of a note, those that share most first."""
        return self.asking(lambda connection: citing.sharing(connection, self.worktree, clean(note_id)))

    def naming(self, path: str) -> Sequence[tuple[str, str]]:
        """Ids and files of the notes that have a path in their text."""
        return self.asking(lambda connection: citing.naming(connection, self.worktree, path))

    def by_ids(
        self,
        ids: Sequence[str],
        *,
        types: Sequence[str] = (),
        tags: Sequence[str] = (),
        paths: Sequence[str] = (),
        statuses: Sequence[str] = (),
        limit: int | None = None,
        query: Query | None = None,
    ) -> Hits:
        """The notes with these ids, in this order; those that are not there or not wanted are left out, also by what
        operators of a query ask for."""
        filters = Filters(self.worktree, types, tags, paths, statuses)
        filters = filters.and_asked(query) if query else filters

        def ask(connection: Connection) -> Hits:
            keys = ranking.keys(connection, ids, filters)
            found = [key for one in dict.fromkeys(ids) if (key := keys.get(one)) is not None][:limit]
            return _hits(connection, [(key, 1 / rank) for rank, key in enumerate(found, 1)])

        return self.asking(ask)

    def resolve(self, reference: str) -> Hit:
        """The note that a person means by an id or the start of one, a path, file name, slug or title.

        NotFound, with what is near, when there is none; UsageError naming the candidates when there are several.
        """
        from scoutkit.search.naming import resolve

        return self.asking(
            lambda connection: _hits(connection, [(resolve(connection, self.worktree, reference), 1.0)])[0]
        )

    def asked(self, question: str, kind: str) -> Sequence[str]:
        """Paths of the notes of a type that answer this question: equal but for case, space and punctuation."""
        return self.asking(
            lambda connection: [
                row[0]
                for row in connection.execute(
                    "SELECT path FROM files WHERE asked = ? AND asked != '' AND worktree = ? AND type = ?"
                    " ORDER BY at DESC, key",
                    (plain(clean(question)), self.worktree, clean(kind)),
                )
            ]
        )

    def cited(self, ids: Sequence[str]) -> dict[str, tuple[int, int]]:
        """Of notes that are known: how many of their citations are supported, and how many there are."""
        marks = ", ".join("?" * len(ids))
        sql = (
            "SELECT notes.id, coalesce(sum(citations.verdict = 'supported'), 0), count(citations.note) FROM notes"
            f" LEFT JOIN citations ON citations.note = notes.key WHERE notes.id IN ({marks}) GROUP BY notes.key"
        )
        return self.asking(
            lambda connection: {row[0]: (int(row[1]), int(row[2])) for row in connection.execute(sql, tuple(ids))}
        )

    def confidence(self, ids: Sequence[str]) -> dict[str, str]:
        """Of notes that are known: how sure their text says that it is, where it says so near its beginning."""
        marks = ", ".join("?" * len(ids))
        sql = f"SELECT id, substr(body, 1, {_BEGINNING}) FROM notes WHERE id IN ({marks})"
        return self.asking(
            lambda connection: {
                id_: sure for id_, body in connection.execute(sql, tuple(ids)) if (sure := confidence(body))
            }
        )

    def uncited(self) -> int:
        """How many notes have no citations."""
        sql = f"SELECT count(*) FROM files WHERE worktree = ? AND {_CITATIONS.format('files')} = 0"
        return self.asking(lambda connection: int(connection.execute(sql, (self.worktree,)).fetchone()[0]))

    def count(self) -> int:
        """How many notes there are."""
        sql = "SELECT count(*) FROM files WHERE worktree = ?"
        return self.asking(lambda connection: int(connection.execute(sql, (self.worktree,)).fetchone()[0]))


def _hits(connection: Connection, ranked: ranking.Ranked, words: Sequence[str] | None = ()) -> Hits:
    """Notes to be shown; one that another process took out meanwhile is not."""
    rows = {key: row for key, *row in store.chosen(connection, _SHOWN, [key for key, _ in ranked])}
    found = []
    for key, score in ranked:
        if key not in rows:
            continue
        note_id, path, title, kind, status, description, body, cited = rows[key]
        text, marks = ("", ()) if words is None else snippet((description, body), words)
        found.append(Hit(note_id, path, title, kind, status, score, text, marks, len(body), cited))
    return found
