"""The journal: one durable row a run, which says how far it came and who is seeing to it. The only writer of it.

Plain SQLite in WAL mode, every step synced to disk before the next begins. What stands here is the truth about runs;
the catalogue copies it.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from scoutkit import process
from scoutkit.dispatch import row
from scoutkit.errors import NotFound, ScoutError, Unavailable
from scoutkit.model.missions import Owner, Run, State

BUSY = 30.0  # seconds to wait for another command's write

_MIGRATIONS = (
    """
    CREATE TABLE runs (
      number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, text NOT NULL, base TEXT NOT NULL,
      agent TEXT NOT NULL, state TEXT NOT NULL, isolation TEXT NOT NULL, started TEXT NOT NULL, folder NOT NULL,
      owner TEXT, child TEXT, result TEXT, exit INTEGER, reason NOT NULL, seconds REAL, usage TEXT NOT NULL,
      model NOT NULL, version NOT NULL, note_id TEXT NOT NULL, note_path NOT NULL, limits TEXT NOT NULL,
      created_at TEXT, running_at TEXT, exited_at TEXT, harvested_at TEXT, written_at TEXT, removed_at TEXT
    );
    CREATE INDEX runs_unfinished ON runs (number) WHERE state != 'removed';
    """,
    "ALTER TABLE runs ADD COLUMN supersedes NOT NULL DEFAULT ''",
    "ALTER TABLE runs ADD COLUMN bounded NOT NULL DEFAULT ''",
)
_ORDER = list(State)
_FORGET = "move the file away: notes are not in it, but the runs it knows are then forgotten"


class Taken(ScoutError):
    """There is a run with this id already."""


class Journal:
    """One repository's journal. Opened on first use; reading one that does not exist finds nothing and makes nothing.

    Raises ScoutError, saying which file and what to do, where the file cannot be read or written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._db: sqlite3.Connection | None = None
        self._opened_by = 0
        self._inherited: list[sqlite3.Connection | None] = []
        self._lock = threading.RLock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file; the next use opens it again."""
        with self._lock:
            if self._db and self._opened_by == os.getpid():
                self._db.close()
                self._db = None

    def create(self, run: Run) -> Run:
        """Enter a new run, in state `created`, owned by this process. Taken when there is one with its id."""
        owner = process.identify()
        if owner is None:
            raise Unavailable("this process cannot be told from others: /proc cannot be read", "mount /proc")
        run = dataclasses.replace(run, state=State.CREATED, owner=owner)
        values = {**row.pack({name: getattr(run, name) for name in row.FIELDS}), "created_at": _now()}
        names, marks = ", ".join(values), ", ".join("?" * len(values))
        with self._writing() as db:
            if db.execute("SELECT 1 FROM runs WHERE id = ?", (run.id,)).fetchone():
                raise Taken(f"there is already a run {run.id}", "give the new one another id")
            db.execute(f"INSERT INTO runs ({names}) VALUES ({marks})", tuple(values.values()))  # noqa: S608 - our names
        return run

    def advance(self, run_id: str, state: State, **fields: Any) -> Run:
        """Take a run forward to `state`, with what is known by now, in one durable step. Never backward or in place:
        ScoutError then, since somebody else has taken it there."""
        with self._writing() as db:
            run = self._one(db, run_id)
            if _ORDER.index(state) <= _ORDER.index(run.state):
                raise ScoutError(
                    f"run {run_id} is {run.state} already, not to be {state}", f"scoutkit run show {run_id}"
                )
            return self._update(db, run, {**row.settable(fields), "state": state}, {f"{state}_at": _now()})

    def note(self, run_id: str, **fields: Any) -> Run:
        """Record what is known without a step forward."""
        with self._writing() as db:
            return self._update(db, self._one(db, run_id), row.settable(fields))

    def claim(self, run: Run, owner: Owner) -> bool:
        """Take over a run whose owner died: of several commands that try, one gets it.

        Never a run whose owner lives or is on another host, and never the run that this process is itself part of.
        """
        if process.alive(run.owner) or run.id == os.environ.get(process.RUN_MARK):
            return False
        with self._writing() as db:
            now = self._one(db, run.id)
            if now.owner != run.owner or now.state is State.REMOVED:
                return False
            self._update(db, now, {"owner": owner})
            return True

    def get(self, id_or_prefix: str) -> Run:
        """The run with this id, else the only one whose id begins so, else the one that made the note with this id or
        the beginning of one. NotFound when there is none or several."""
        with self._reading() as db:
            possible = db and id_or_prefix and id_or_prefix.isascii()  # SQLite takes no half of a surrogate pair
            found = self._select(db, "WHERE id = ?", id_or_prefix) if db and possible else []
            if db and possible and not found:
                found = self._select(db, "WHERE substr(id, 1, ?) = ? LIMIT 6", len(id_or_prefix), id_or_prefix)
            if db and possible and not found:
                found = self._select(db, "WHERE substr(note_id, 1, ?) = ? LIMIT 6", len(id_or_prefix), id_or_prefix)
        if not found:
            raise NotFound(f"no run {id_or_prefix!r}", "list them: scoutkit runs")
        if len(found) > 1:
            some = ", ".join(sorted(run.id for run in found[:5])) + (", …" if len(found) > 5 else "")
            raise NotFound(f"{id_or_prefix!r} may be any of several runs: {some}", "write more of the id")
        return found[0]

    def runs(self, *, limit: int | None = None, newest_first: bool = True) -> list[Run]:
        """All runs, or the first `limit` of them, by when they were entered."""
        order = "DESC" if newest_first else "ASC"
        with self._reading() as db:
            return self._select(db, f"ORDER BY number {order} LIMIT ?", -1 if limit is None else limit) if db else []

    def unfinished(self) -> list[Run]:
        """Runs whose worktree is not known to be gone, oldest first. Cheap: every command asks."""
        with self._reading() as db:
            return self._select(db, "WHERE state != 'removed' ORDER BY number") if db else []

    # How

    def _select(self, db: sqlite3.Connection, rest: str, *values: Any) -> list[Run]:
        found = db.execute(f"SELECT {', '.join(row.FIELDS)} FROM runs {rest}", values).fetchall()  # noqa: S608 - our own
        try:
            return [row.unpack(values) for values in found]
        except (ValueError, KeyError, TypeError) as error:
            raise ScoutError(
                f"the journal {self.path} holds a row that is none of scoutkit's: {error}", _FORGET
            ) from error

    def _one(self, db: sqlite3.Connection, run_id: str) -> Run:
        found = self._select(db, "WHERE id = ?", run_id)
        if not found:
            raise NotFound(f"no run {run_id!r}", "list them: scoutkit runs")
        return found[0]

    def _update(
        self, db: sqlite3.Connection, run: Run, fields: dict[str, Any], times: dict[str, str] | None = None
    ) -> Run:
        values = {**row.pack(fields), **(times or {})}
        if values:
            names = ", ".join(f"{name} = ?" for name in values)
            db.execute(f"UPDATE runs SET {names} WHERE id = ?", (*values.values(), run.id))  # noqa: S608 - our names
        return dataclasses.replace(run, **fields)

    @contextlib.contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection | None]:
        with self._lock, self._clearly():
            there = self._db is not None or self.path.exists()
            yield self._open() if there else None

    @contextlib.contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._lock, self._clearly():
            if not self.path.exists():
                self.close()
                self.path.parent.mkdir(exist_ok=True, mode=0o700)  # not its parents: no repository is made
                os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))  # SQLite gives its other files this mode
            db = self._open()
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
                db.execute("COMMIT")
            except BaseException:
                if db.in_transaction:
                    db.execute("ROLLBACK")
                raise

    def _open(self) -> sqlite3.Connection:
        if self._db and self._opened_by == os.getpid():
            return self._db
        self._inherited.append(self._db)  # of the process this one was forked from: closing it would break its locks
        mode = "rw"
        if not os.access(self.path.parent, os.W_OK) and not Path(f"{self.path}-wal").exists():
            mode = "ro&immutable=1"  # a read-only disk: nobody can be writing, and SQLite need not make a file to read
        where = f"{self.path.absolute().as_uri()}?mode={mode}"
        db = sqlite3.connect(where, uri=True, timeout=BUSY, isolation_level=None, check_same_thread=False)
        try:
            self._prepare(db)
        except BaseException:
            db.close()
            raise
        self._db, self._opened_by = db, os.getpid()
        return db

    def _prepare(self, db: sqlite3.Connection) -> None:
        version = db.execute("PRAGMA user_version").fetchone()[0]
        if version > len(_MIGRATIONS):
            raise ScoutError(
                f"{self.path} was written by a newer scoutkit (journal version {version}, known {len(_MIGRATIONS)})",
                "update scoutkit",
            )
        db.execute("PRAGMA synchronous = FULL")
        if version < len(_MIGRATIONS):
            _use_wal(db)
            db.execute("BEGIN IMMEDIATE")
            version = db.execute("PRAGMA user_version").fetchone()[0]  # another command may have been faster
            for number, script in enumerate(_MIGRATIONS[version:], version + 1):
                for statement in filter(str.strip, script.split(";")):
                    db.execute(statement)
                db.execute(f"PRAGMA user_version = {number}")
            db.execute("COMMIT")

    @contextlib.contextmanager
    def _clearly(self) -> Iterator[None]:
        """Turn what SQLite and the file system say into one line and a hint."""
        try:
            yield
        except sqlite3.Error as error:
            self.close()
            name = getattr(error, "sqlite_errorname", "")
            if name.startswith("SQLITE_BUSY"):
                hint = "another command has been writing for long: find it with ps, or try again"
            elif name.startswith(("SQLITE_FULL", "SQLITE_IOERR")):
                hint = "make room on the disk and check that it works"
            elif name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_AUTH")):
                hint = "check the permissions of the file and its folder"
            else:
                hint = _FORGET
            raise ScoutError(f"the journal {self.path} cannot be used: {error}", hint) from error
        except UnicodeDecodeError as error:  # SQLite's message quotes bytes of the file that are no text
            self.close()
            raise ScoutError(f"the journal {self.path} cannot be used: it is damaged", _FORGET) from error
        except OSError as error:
            raise ScoutError(
                f"the journal {self.path} cannot be used: {error.strerror}", "check the permissions of its folder"
            ) from error


def abandoned(runs: Iterable[Run]) -> list[Run]:
    """Those whose owner died, but for the run that this process is itself part of."""
    mine = os.environ.get(process.RUN_MARK)
    return [run for run in runs if run.id != mine and not process.alive(run.owner)]


def _use_wal(db: sqlite3.Connection) -> None:
    """Switching fails at once, without the busy timeout, while another command does the same."""
    deadline = time.monotonic() + BUSY
    while True:
        try:
            db.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if not error.sqlite_errorname.startswith("SQLITE_BUSY") or time.monotonic() > deadline:
                raise
            time.sleep(0.01)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
