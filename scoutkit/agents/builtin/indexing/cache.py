"""The file that the cache is in: opened, mended, locked, written in transactions. Only this module opens it.

SQLite in WAL mode: a process killed at any point leaves what was committed.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

from scoutkit import config, sqlite
from scoutkit.agents.builtin.indexing.edition import edition
from scoutkit.errors import ScoutError

if TYPE_CHECKING:
    import tempfile

SCHEMA = """
CREATE TABLE IF NOT EXISTS blobs (oid BLOB, form TEXT, segment INTEGER, number INTEGER, PRIMARY KEY (oid, form))
    WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS blobs_segment ON blobs (segment);
CREATE TABLE IF NOT EXISTS segments (id INTEGER PRIMARY KEY AUTOINCREMENT, firsts BLOB, chunks INTEGER, used INTEGER);
CREATE TABLE IF NOT EXISTS files (segment INTEGER, number INTEGER, places BLOB, PRIMARY KEY (segment, number))
    WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS postings (segment INTEGER, term TEXT, data BLOB, PRIMARY KEY (segment, term)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS snapshots (id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT UNIQUE, used INTEGER,
    paths INTEGER, data BLOB);
CREATE TABLE IF NOT EXISTS path_sets (id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT UNIQUE, data BLOB);
CREATE TABLE IF NOT EXISTS path_terms (paths INTEGER, term TEXT, data BLOB, PRIMARY KEY (paths, term)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS subjects (snapshot INTEGER, term TEXT, data BLOB, PRIMARY KEY (snapshot, term))
    WITHOUT ROWID;
"""

_Result = TypeVar("_Result")


class Cache:
    """The cache, opened. A context manager. Where the cache folder cannot be used it lies in a temporary one."""

    def __init__(self, version: Callable[[], str], folder: Path | None = None) -> None:
        self._version = version
        self._temporary: tempfile.TemporaryDirectory[str] | None = None
        self.folder = folder or config.user_cache() / "symbols"
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.folder.chmod(0o700)
            self.connection = self._open()
        except (OSError, sqlite3.OperationalError):
            self._leave()

    def _leave(self) -> None:
        """Go on in a temporary folder."""
        import tempfile

        self._temporary = tempfile.TemporaryDirectory(prefix="scoutkit-symbols-")
        self.folder = Path(self._temporary.name)
        self.connection = self._open()

    def trying(self, do: Callable[[], _Result]) -> _Result:
        """What `do` gives, which reads and writes the cache: again where that fails and can be mended."""
        for _ in range(2):
            try:
                return do()
            except sqlite3.DatabaseError as error:
                self.mend(error)
        return do()

    def mend(self, error: sqlite3.DatabaseError) -> None:
        """After an error: makes the cache anew where it is damaged; where it cannot be written, as on a full disk, goes
        on in a temporary one. ScoutError where it is that already."""
        self.connection.close()
        if sqlite.damaged(error):
            with self._held("open"):
                self._discard()
            self.connection = self._open()
        elif self.shared:
            self._leave()
        else:
            raise ScoutError(
                f"the index of this repository cannot be kept: {error}", f"make room in {self.folder.parent}"
            ) from error

    @property
    def shared(self) -> bool:
        """False where it is a temporary one."""
        return self._temporary is None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.close()
        if self._temporary:
            self._temporary.cleanup()

    def _open(self) -> sqlite3.Connection:
        self._path = self.folder / f"{edition(self.folder, self._version)}.db"
        with self._held("open"):  # switching to WAL does not wait for others
            try:
                return self._connect()
            except sqlite3.DatabaseError as error:
                if isinstance(error, sqlite3.OperationalError):
                    raise
                self._discard()
                return self._connect()

    def _discard(self) -> None:
        """It can all be made again."""
        for suffix in ("", "-wal", "-shm"):
            self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, timeout=60, isolation_level=None)
        try:
            connection.execute("PRAGMA auto_vacuum = INCREMENTAL")  # before the first table, else it is too late
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.executescript(SCHEMA)
            connection.execute("SELECT count(*) FROM snapshots").fetchone()
        except BaseException:
            connection.close()
            raise
        return connection

    @contextlib.contextmanager
    def _held(self, name: str) -> Iterator[None]:
        with (self.folder / f"{name}.lock").open("wb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    @contextlib.contextmanager
    def builder(self, repository: str, waiting: Callable[[], None]) -> Iterator[None]:
        """Hold the right to index a repository. `waiting` is called when somebody else has it; if he dies, the kernel
        gives it on."""
        import hashlib

        name = hashlib.sha256(os.fsencode(repository)).hexdigest()[:16]
        with (self.folder / f"{name}.lock").open("wb") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                waiting()
                fcntl.flock(file, fcntl.LOCK_EX)
            yield

    @contextlib.contextmanager
    def frozen(self) -> Iterator[None]:
        """See the cache as it is now, whatever others write or let go meanwhile."""
        self.connection.execute("BEGIN")
        try:
            self.connection.execute("SELECT count(*) FROM snapshots").fetchone()
            yield
        finally:
            self.connection.execute("COMMIT")

    @contextlib.contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction."""
        self.connection.execute("BEGIN IMMEDIATE")
        try:
            yield self.connection
        except BaseException:
            self.connection.execute("ROLLBACK")
            raise
        self.connection.execute("COMMIT")

    def _size(self) -> int:
        """Bytes in use; pages that were let go are used again."""
        value: Callable[[str], Any] = lambda name: self.connection.execute(f"PRAGMA {name}").fetchone()[0]  # noqa: E731
        return int((value("page_count") - value("freelist_count")) * value("page_size"))
