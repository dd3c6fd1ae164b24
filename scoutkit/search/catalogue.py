"""The catalogue of one worktree's notes: answers every question about them from SQLite. Only click and sqlite3 are
imported for that; what writes is imported when there is something to write.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from scoutkit.errors import ScoutError
from scoutkit.model.found import Hit, Problem
from scoutkit.search import citing, ranking, store
from scoutkit.search import sync as syncing
from scoutkit.search.citing import Cited
from scoutkit.search.query import Query, clean, parse
from scoutkit.search.ranking import Filters
from scoutkit.search.snippet import snippet
from scoutkit.search.sync import Source, Sync
from scoutkit.words import plain

if TYPE_CHECKING:
    from collections import Counter

    from scoutkit.model.missions import Run
    from scoutkit.search.checks import Said
    from scoutkit.search.health import Week
    from scoutkit.search.overview import Overview

Hits = list[Hit]
Answer = TypeVar("Answer")
_ROW = "SELECT id, path, title, type, status, description, body FROM notes WHERE key = ?"


class Busy(ScoutError):
    """Another process kept the catalogue locked for longer than anyone waits."""


class Catalogue:
    """Opened at its first use. `worktree` tells its notes from another checkout's: "" for the main one's."""

    def __init__(self, path: Path, worktree: str = "") -> None:
        self.path = path
        self.worktree = worktree.encode("utf-8", "backslashreplace").decode()
        self._open: store.Opened | None = None
        self._rebuilt = ""
        self._source: Source | None = None

    @property
    def connection(self) -> sqlite3.Connection:
        """For reading."""
        if self._open is None:
            self._use(store.opened(self.path))
        assert self._open is not None
        return self._open.connection

    @property
    def on_disk(self) -> bool:
        """False where it could not be written and is kept in memory."""
        return bool(self.connection) and self._open is not None and not self._open.memory

    def close(self) -> None:
        """Let go of the file."""
        if self._open is not None:
            self._open.connection.close()
            self._open = None

    # In step with the files

    def sync(self, source: Source) -> Sync:
        """Bring the catalogue in step with the note files. Never fails for what is wrong with notes or catalogue."""
        self._source = source
        connection = self.connection
        try:
            done = syncing.sync(connection, self.worktree, source)
        except sqlite3.DatabaseError as error:
            self._mend(error)
            done = syncing.sync(self.connection, self.worktree, source)
        assert self._open is not None
        rebuilt, self._rebuilt = self._rebuilt, ""
        return done._replace(rebuilt=rebuilt, memory=self._open.memory)

    def knows_runs(self, stamp: str) -> bool:
        """Is the runs table what the journal said when it had this stamp?"""
        sql = "SELECT value FROM state WHERE name = 'runs'"
        return self._asking(lambda connection: (connection.execute(sql).fetchone() or ("",))[0] == stamp)

    def runs_from(self, runs: Iterable[Run], stamp: str = "") -> None:
        """Make the runs table what the journal says, and remember the stamp it had."""
        from scoutkit.search import runs as recording

        found = list(runs)
        with contextlib.suppress(Busy):  # the next command does it
            self._asking(lambda connection: recording.record(connection, found, stamp))

    def discard(self) -> None:
        """Throw everything away; the next `sync` makes it again."""
        self.close()
        self._use(store.replace(self.path, ""))

    def problems(self) -> tuple[Problem, ...]:
        """Everything that is wrong with notes, as the last `sync` saw it."""
        return self._asking(lambda connection: syncing.problems(connection, self.worktree))

    def damage(self) -> list[str]:
        """What SQLite finds wrong with the file and the index in it; nothing, as a rule."""
        try:
            found = [row[0] for row in self.connection.execute("PRAGMA quick_check") if row[0] != "ok"]
            self.connection.execute("INSERT INTO notes_fts (notes_fts, rank) VALUES ('integrity-check', 1)")
        except sqlite3.DatabaseError as error:
            return [str(error)]
        return found

    @property
    def generation(self) -> str:
        """Another one after every change of a note."""
        return self._asking(
            lambda connection: " ".join(
                row[0]
                for row in connection.execute(
                    "SELECT value FROM state WHERE name IN ('catalogue', 'generation') ORDER BY name"
                )
            )
        )

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

        def ask(connection: sqlite3.Connection) -> Hits:
            query = self._understood(connection, text)
            filters = wanted.and_asked(query)
            if not query.text:
                return [self._hit(connection, key, 0.0) for key in ranking.newest(connection, filters, limit)]
            found = ranking.best(connection, query, filters, limit)
            marks = query.marks if snippets else None
            return [self._hit(connection, key, score, marks) for key, score in found]

        return self._asking(ask)

    def understood(self, text: str) -> Query:
        """A text as a query of these notes: what is an operator in it, and what is looked for."""
        return self._asking(lambda connection: self._understood(connection, text))

    def lacks(self, query: Query) -> bool:
        """Is there a word in a query that no note has?"""
        return self._asking(lambda connection: any(not ranking.count(connection, word) for word in query.words))

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

        def ask(connection: sqlite3.Connection) -> Hits:
            marks = [word for word, _ in likeness.words(text).most_common(40)]
            found = likeness.like(connection, text, filters, limit)
            return [self._hit(connection, key, score, marks) for key, score in found]

        return self._asking(ask)

    def much_like(self, text: str, *, without: Collection[str] = ()) -> Hits:
        """Notes that say what a text says, most alike first: one of the two may be one too many. `without`: files of
        notes that do not count, the text's own to begin with."""
        from scoutkit.search import likeness

        def ask(connection: sqlite3.Connection) -> Hits:
            found = likeness.same(connection, text, Filters(self.worktree), without)
            return [self._hit(connection, key, score) for key, score in found]

        return self._asking(ask)

    def checked(self, holds: Mapping[str, bool], target: str, why: Mapping[str, str] | None = None) -> None:
        """Remember what a check said of notes, by their files: whether they hold against a commit, "" for the working
        tree, and why not. What cannot be written now is not remembered."""
        from scoutkit.search import checks

        with contextlib.suppress(Busy):
            self._asking(lambda connection: checks.record(connection, self.worktree, holds, target, why or {}))

    def standing(self, ids: Sequence[str]) -> dict[str, tuple[bool, str]]:
        """Of notes that were checked as they are now: whether they hold, and why not."""
        from scoutkit.search import checks

        return self._asking(lambda connection: checks.standing(connection, self.worktree, ids))

    def checks(self) -> dict[str, str]:
        """The notes that a check spoke of as they are now, by their files, and when it did (ISO 8601)."""
        from scoutkit.search import checks

        return self._asking(lambda connection: checks.when(connection, self.worktree))

    @property
    def head(self) -> str:
        """The commit at which all notes were checked last; "" where nobody did."""
        from scoutkit.search import checks

        return self._asking(lambda connection: checks.head(connection, self.worktree))

    def knows_head(self, commit: str) -> None:
        """All notes are checked at this commit."""
        from scoutkit.search import checks

        with contextlib.suppress(Busy):
            self._asking(lambda connection: checks.knows_head(connection, self.worktree, commit))

    def overview(self, limit: int) -> Overview:
        """What all notes say together; at most so many of each."""
        from scoutkit.search import overview

        return self._asking(lambda connection: overview.look(connection, self.worktree, limit))

    def within(self, folder: str, limit: int = 50) -> Sequence[tuple[str, int]]:
        """What is in a folder and cited: names, those of folders with a `/`, and how many citations lead to each."""
        from scoutkit.search import overview

        return self._asking(lambda connection: overview.within(connection, self.worktree, folder, limit))

    def weeks(self, limit: int) -> Sequence[Week]:
        """How citations fared in the last weeks, oldest first."""
        from scoutkit.search import health

        return self._asking(lambda connection: health.weeks(connection, self.worktree, limit))

    def fared(self, weeks: Sequence[Week]) -> None:
        """Remember how citations fared."""
        from scoutkit.search import health

        with contextlib.suppress(Busy):
            self._asking(lambda connection: health.record(connection, self.worktree, weeks))

    def said(self) -> Said:
        """What checks said of the notes as they are now."""
        from scoutkit.search import checks

        return self._asking(lambda connection: checks.said(connection, self.worktree))

    def facets(self, ids: Sequence[str]) -> dict[str, Counter[str]]:
        """What these notes can be narrowed by: operators, their values, and how many notes have each."""
        from scoutkit.search import facets

        return self._asking(lambda connection: facets.count(connection, self.worktree, ids))

    def _understood(self, connection: sqlite3.Connection, text: str) -> Query:
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
        return self._asking(
            lambda connection: [self._hit(connection, key, 0.0) for key in ranking.newest(connection, filters, limit)]
        )

    def citing(self, paths: Sequence[str]) -> Sequence[Cited]:
        """What notes cite of files, or of anything in folders, as it was written; the newest notes first."""
        return self._asking(lambda connection: citing.citing(connection, self.worktree, paths))

    def notes_citing(self, paths: Sequence[str]) -> set[str]:
        """The files of the notes that cite any of very many files."""
        return self._asking(lambda connection: citing.notes_citing(connection, self.worktree, paths))

    def defining(self, symbols: Sequence[str]) -> Sequence[Cited]:
        """What notes cite of functions, classes and sections with these names."""
        return self._asking(lambda connection: citing.defining(connection, self.worktree, symbols))

    def cited_places(self) -> tuple[Sequence[str], set[str]]:
        """Every path that a note cites, and every symbol that cited lines were in."""
        return self._asking(lambda connection: citing.cited(connection, self.worktree))

    def naming(self, path: str) -> Sequence[tuple[str, str]]:
        """Ids and files of the notes that have a path in their text."""
        return self._asking(lambda connection: citing.naming(connection, self.worktree, path))

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

        def ask(connection: sqlite3.Connection) -> Hits:
            keys = ranking.keys(connection, ids, filters)
            found = [key for one in dict.fromkeys(ids) if (key := keys.get(one)) is not None][:limit]
            return [self._hit(connection, key, 1 / rank) for rank, key in enumerate(found, 1)]

        return self._asking(ask)

    def resolve(self, reference: str) -> Hit:
        """The note that a person means by an id or the start of one, a path, file name, slug or title.

        NotFound, with what is near, when there is none; UsageError naming the candidates when there are several.
        """
        from scoutkit.search.naming import resolve

        return self._asking(
            lambda connection: self._hit(connection, resolve(connection, self.worktree, reference), 1.0)
        )

    def asked(self, question: str, kind: str) -> Sequence[str]:
        """Paths of the notes of a type that answer this question: equal but for case, space and punctuation."""
        return self._asking(
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
        return self._asking(
            lambda connection: {row[0]: (int(row[1]), int(row[2])) for row in connection.execute(sql, tuple(ids))}
        )

    def count(self) -> int:
        """How many notes there are."""
        sql = "SELECT count(*) FROM files WHERE worktree = ?"
        return self._asking(lambda connection: int(connection.execute(sql, (self.worktree,)).fetchone()[0]))

    def _hit(
        self,
        connection: sqlite3.Connection,
        key: int,
        score: float,
        words: Sequence[str] | None = (),
    ) -> Hit:
        note_id, path, title, kind, status, description, body = connection.execute(_ROW, (key,)).fetchone()
        text, marks = ("", ()) if words is None else snippet((description, body), words)
        return Hit(note_id, path, title, kind, status, score, text, marks)

    # When the file is not what was made here

    def _asking(self, ask: Callable[[sqlite3.Connection], Answer]) -> Answer:
        """Ask; a catalogue that turns out to be broken is made again from the files, once."""
        try:
            return ask(self.connection)
        except sqlite3.DatabaseError as error:
            self._mend(error)
            if self._source is not None:
                syncing.sync(self.connection, self.worktree, self._source)
            return ask(self.connection)

    def _mend(self, error: sqlite3.DatabaseError) -> None:
        """Make anew what is broken; go on in memory where the disk is full or not writable. Else raise it again."""
        if store.is_busy(error):
            raise Busy(f"{self.path} is locked by another process", "try again") from error
        broken = store.is_broken(error)
        if not broken and not store.is_unwritable(error):
            raise error
        self.close()
        self._use(store.replace(self.path, f"it was damaged ({error})") if broken else store.kept(self.path, error))

    def _use(self, opened: store.Opened) -> None:
        self._open = opened
        self._rebuilt = opened.rebuilt or self._rebuilt
