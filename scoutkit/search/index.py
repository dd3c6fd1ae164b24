"""The folder of the Whoosh index, and how it is kept in step with the catalogue.

Whoosh unpickles what it opens: an index that anyone else may have written to is refused. One process at a time
updates it; what is damaged is made anew.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scoutkit.errors import Refused, ScoutError, Unavailable
from scoutkit.search import cards, stamp
from scoutkit.search.catalogue import Catalogue
from scoutkit.search.vocabulary import Vocabulary, words_of
from scoutkit.words import composed

_LOCK = "lock"
_BULK = 1_000  # new cards
_BATCH = 250  # cards a commit: a commit costs as much as thirty cards


class Index:
    """An index of the catalogue's cards, in a folder of its own."""

    def __init__(self, folder: Path, catalogue: Catalogue) -> None:
        self.folder = folder
        self.catalogue = catalogue

    def in_step(self) -> bool:
        """Does it have what the catalogue has?"""
        return stamp.in_step(self.catalogue, self.folder)

    def busy(self) -> bool:
        """Is a process updating it?"""
        try:
            with self._locked(0):
                return False
        except BlockingIOError:
            return True
        except OSError:
            return False

    def doubt(self) -> None:
        """Have the next update look at everything again."""
        with contextlib.suppress(OSError):
            (self.folder / stamp.NAME).unlink(missing_ok=True)

    def update(self, *, rebuild: bool = False, wait: float = 60.0, most: int | None = None) -> None:
        """Bring it in step. Does nothing when more than `most` cards are missing.

        Refused for an index that is not ours, Unavailable when it cannot be written or, after `wait` seconds, another
        process is still at it.
        """
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with self._locked(wait):
                if rebuild:
                    self._clear()
                try:
                    self._catch_up(most)
                except ScoutError:
                    raise
                except Exception:  # noqa: BLE001 - Whoosh fails in any way on a damaged index, and it can be made again
                    self._clear()
                    self._catch_up(most)
        except OSError as error:
            reason = error.strerror or str(error)
            raise Unavailable(f"the full-text index cannot be updated: {reason}", f"check {self.folder}") from error

    def _catch_up(self, most: int | None) -> None:
        """In batches, each a commit: what is killed in between goes on from there."""
        from whoosh.writing import LockError

        generation = self.catalogue.generation
        wanted = cards.marks(self.catalogue.connection)
        with self.opened() as index:
            with index.reader() as reader:
                vocabulary = self._vocabulary(reader)
                had = {fields["ref"]: fields["mark"] for _, fields in reader.iter_docs()}
            gone = [ref for ref in had if ref not in wanted]
            missing = [key for ref, (mark, key) in wanted.items() if had.get(ref) != mark]
            bulk = len(missing) > _BULK
            if most is not None and len(missing) > most:
                return
            try:
                while gone or missing:
                    batch = list(cards.cards(self.catalogue.connection, missing[:_BATCH]))
                    vocabulary = vocabulary.and_those(
                        word for card in batch for word in words_of(texts(card.text)["words"])
                    )
                    vocabulary.save(self.folder)  # before the words are in the index: it may have more, not less
                    with index.writer(timeout=30.0, limitmb=64) as writer:
                        for ref in gone:
                            writer.delete_by_term("ref", ref)
                        for card in batch:
                            writer.update_document(ref=card.ref.text, note=card.id, mark=card.mark, **texts(card.text))
                    gone, missing = [], missing[_BATCH:]
            except LockError as error:
                raise Unavailable("the full-text index is locked by another process", "try again") from error
            fresh = self.folder / f"{stamp.NAME}.{os.getpid()}"
            fresh.write_text(stamp.text(self.catalogue, generation))
            fresh.replace(self.folder / stamp.NAME)
            if bulk:  # in one piece it answers twice as fast; what is asked meanwhile does not wait for that
                index.writer(timeout=30.0, limitmb=64).commit(optimize=True)

    def _vocabulary(self, reader: Any) -> Vocabulary:
        """The words that the index has; from Whoosh itself where they are not laid out."""
        try:
            return Vocabulary.read(self.folder)
        except FileNotFoundError:
            vocabulary = Vocabulary.of(word.decode() for word in reader.lexicon("words"))
            vocabulary.save(self.folder)
            return vocabulary

    @contextlib.contextmanager
    def opened(self) -> Iterator[Any]:
        """Whoosh's index. Unavailable when there is none, Refused when it is not ours."""
        self._check_ours()
        from whoosh.index import create_in, exists_in, open_dir

        folder = str(self.folder)
        index = open_dir(folder) if exists_in(folder) else create_in(folder, _schema())
        try:
            yield index
        finally:
            index.close()

    def _check_ours(self) -> None:
        if not self.folder.exists():
            raise Unavailable("there is no full-text index yet", "make it: scoutkit index")
        for path in (self.folder, *self.folder.iterdir()):
            about = path.lstat()
            if stat.S_ISLNK(about.st_mode) or about.st_uid != os.geteuid() or about.st_mode & 0o022:
                raise Refused(f"the full-text index is not yours alone: {path}", f"delete {self.folder}")
        if self.folder.lstat().st_mode & 0o077:
            self.folder.chmod(0o700)

    def _clear(self) -> None:
        """Delete what is in the folder, but for the lock that is held."""
        self._check_ours()
        for path in self.folder.iterdir():
            if path.is_dir():
                shutil.rmtree(path)
            elif path.name != _LOCK:
                path.unlink()

    @contextlib.contextmanager
    def _locked(self, wait: float) -> Iterator[None]:
        """One process at a time. BlockingIOError when another has it for longer than `wait` seconds."""
        deadline = time.monotonic() + wait
        descriptor = os.open(self.folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            while True:
                try:
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    if time.monotonic() >= deadline:
                        raise
                    time.sleep(0.05)
            yield
        finally:
            os.close(descriptor)


def _schema() -> Any:
    from whoosh.analysis import LowercaseFilter, RegexTokenizer, StemFilter, StopFilter
    from whoosh.fields import ID, STORED, TEXT, Schema

    words = RegexTokenizer(r"\w+") | LowercaseFilter()
    return Schema(
        ref=ID(unique=True, stored=True),
        note=STORED,
        mark=STORED,
        words=TEXT(analyzer=words, phrase=False),  # for spelling: as they are written
        stems=TEXT(analyzer=words | StopFilter() | StemFilter(), phrase=False),  # for likeness
    )


def texts(text: str) -> dict[str, str]:
    """A text for both fields. The tokenizer keeps `get_user` together: its parts stand beside it."""
    same = composed(text)
    both = f"{same} {same.replace('_', ' ')}" if "_" in same else same
    return {"words": both, "stems": both}
