"""The notes of a repository: the only module that writes, changes and removes note files.

Writing is atomic and never replaces a file that changed meanwhile; removing is moving to a trash folder.
"""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import os
import re
import stat
import time
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from scoutkit.config import Places
from scoutkit.errors import NotFound, Refused, ScoutError
from scoutkit.knowledge import durable
from scoutkit.knowledge.folder import LARGEST, Folder

if TYPE_CHECKING:  # imported where it is used: listing the notes, which every command does, needs none of it
    from scoutkit.model.found import Problem
    from scoutkit.model.notes import Note
    from scoutkit.notefile import Parsed

DRAFTS = "drafts"
_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # without i, l, o, u: nothing to confuse, no words
_NUMBER = re.compile(r"[0-9]+(e[0-9]+)?")
_HEAD = 65_536  # bytes in which a note's id is looked for


class Notebook:
    """The notes of one repository. Paths given and returned are POSIX and relative to `places.root`."""

    def __init__(self, places: Places) -> None:
        self.places = places
        self._folder = Folder(places)

    def files(self) -> tuple[list[tuple[str, int, int]], list[Problem]]:
        """(path, modification time in nanoseconds, size) of every note file, and what cannot be read.

        A problem's path is a file's or a folder's: it does not mean that what is there is gone. Opens no file.
        """
        listing = self._folder.listing()
        return listing.files, listing.problems

    def bytes_of(self, path: str) -> bytes:
        """A note file's content. Raises `folder.Unreadable`, a ScoutError and an OSError; Refused outside the notes."""
        return self._folder.read(path)

    def read(self, path: str) -> Parsed:
        """A note as far as it can be read. Never raises: a file that cannot be read is a problem, `readable` False."""
        from scoutkit import notefile

        try:
            return notefile.parse(self.bytes_of(path), path)
        except ScoutError as error:
            from scoutkit.model.found import Problem
            from scoutkit.model.notes import Note

            note = Note(id="", title=PurePosixPath(path).stem, path=path)
            return notefile.Parsed(note, (Problem(path, 1, error.message, error.hint),), readable=False)

    def note(self, path: str) -> Note:
        """The note that `read` gives, without what is wrong with it. Quick where scoutkit wrote it."""
        from scoutkit.notefile import plainly

        try:
            return plainly.read(self.bytes_of(path), path) or self.read(path).note
        except ScoutError:
            return self.read(path).note

    def new_id(self) -> str:
        """Eight random characters that no reader takes for a number."""
        while True:
            made = "".join(_ALPHABET[byte % 32] for byte in os.urandom(8))
            if not _NUMBER.fullmatch(made):
                return made

    def check_ready(self) -> None:
        """ScoutError where a new note could surely not be kept: to be asked before an agent works for one."""
        with self._changing(self._folder.path):
            self._folder.check_ready()

    def write(self, note: Note, *, again: bool = False, more: str = "") -> Note:
        """Keep a new note as `<date>-<slug>-<start of its id>.md`, a draft in `drafts/`; the note as it reads back.

        A note without an id gets one. `again` says that it may have been written before, by a run that was interrupted:
        where a note with its id is on disk, that one is returned and nothing is written. No file is ever replaced.
        `more` are lines of front matter besides a note's own. ScoutError when it cannot be kept, Refused for `more`
        that cannot be kept beside it.
        """
        from scoutkit import notefile
        from scoutkit.knowledge.slug import stem
        from scoutkit.notefile import foreign

        with self._changing(self._folder.path):
            if again and note.id and (found := self._with_id(note.id)):
                return found
            note = notefile.settled(dataclasses.replace(note, id=note.id or self.new_id()))
            raw = foreign.added(notefile.render(note), more) if more else notefile.render(note)
            if len(raw) > LARGEST:  # it would be there, and never be read
                raise ScoutError(f"a note of {len(raw):,} bytes: at most {LARGEST:,}", "make several notes of it")
            folder = str(PurePosixPath(self._folder.path, DRAFTS if note.status == "draft" else ""))
            path = self._create(folder, f"{_day(note.at)}-{stem(note.title, note.id)}", raw)
            if self.bytes_of(path) != raw:
                raise ScoutError(f"{path} does not read back as it was written", "check the disk")
            return dataclasses.replace(note, path=path)

    def _with_id(self, note_id: str) -> Note | None:
        """The note that has this id already."""
        wanted = note_id.encode("utf-8", "replace")
        for path, _, _ in self.files()[0]:
            with contextlib.suppress(ScoutError):  # what cannot be read is no note to hand out again
                if wanted in self._folder.read(path, _HEAD) and (note := self.read(path).note).id == note_id:
                    return note
        return None

    def _create(self, folder: str, stem: str, raw: bytes) -> str:
        """Put a new file into a folder under the first free name; its path."""
        real = self._folder.make(folder)
        for one in (self._folder.path, f"{self._folder.path}/{DRAFTS}"):
            with contextlib.suppress(Refused):  # a link that leads out
                durable.sweep(self._folder.real(one))
        with durable.prepared(real, raw) as fresh:
            for number in range(1, 10_000):
                name = f"{stem}.md" if number == 1 else f"{stem}-{number}.md"
                if durable.claim(fresh, real / name):
                    return str(PurePosixPath(folder, name))
        raise ScoutError(f"too many notes are called {folder}/{stem}", "give the note another title")

    def replace(self, path: str, expected: bytes, new: bytes) -> None:
        """Change a note file from `expected` to `new`; its mode stays, and a link keeps leading to it.

        Refused when the file no longer holds `expected`, or while a merge conflict is in it.
        """
        with self._changing(path):
            self._swap(path, expected, new)

    def amend(self, path: str, changes: Mapping[str, object]) -> Parsed:
        """Set, add or remove (None) keys of a note's front matter; the note as it is then.

        Values as `notefile.front_matter` gives them. Everything else in the file stays byte for byte. Refused where
        the front matter is broken, a merge conflict is in the file, or it changed meanwhile.
        """
        from scoutkit import notefile

        with self._changing(path):
            before = self.bytes_of(path)
            after = notefile.amend(before, changes, path)
            if after != before:
                self._swap(path, before, after)
            return notefile.parse(after, path)

    @contextlib.contextmanager
    def superseding(self) -> Iterator[None]:
        """One scoutkit at a time looks whether a note still stands, and puts another in its place."""
        with durable.locked(self.places.state / "superseding.lock"):
            yield

    def _swap(self, path: str, expected: bytes, new: bytes) -> None:
        from scoutkit import notefile

        if line := notefile.conflict(expected.decode("utf-8", "replace")):
            raise Refused(f"{path}:{line}: merge conflict markers, nothing was changed", "resolve the conflict")
        real = self._folder.real(path)
        durable.sweep(real.parent)
        with durable.prepared(real.parent, new, stat.S_IMODE(real.stat().st_mode)) as fresh:
            if self.bytes_of(path) != expected:
                raise Refused(f"{path} changed meanwhile, nothing was changed", "look at it, then try again")
            durable.replace(fresh, real)

    def remove(self, path: str) -> Path:
        """Move a note file to the trash in scoutkit's state folder; where it is now. Of a link the link is moved."""
        with self._changing(path, "remove"):
            source = self._folder.entry(path)
            moment = time.strftime("%Y%m%dT%H%M%S", time.gmtime())
            trashed = self.places.state / "trash" / f"{moment}-{os.urandom(3).hex()}" / path
            try:
                if stat.S_ISDIR(source.lstat().st_mode):
                    raise NotFound(f"a folder, not a note: {path}", "name the notes in it: scoutkit list")
                durable.move(source, trashed)
            except FileNotFoundError as error:
                raise NotFound(f"no such note file: {path}", "list the notes: scoutkit list") from error
            return trashed

    @contextlib.contextmanager
    def _changing(self, path: str, what: str = "write") -> Iterator[None]:
        """One scoutkit at a time changes the notes; what the system refuses is one clear error."""
        try:
            with durable.locked(self.places.state / "notebook.lock"):
                yield
        except ScoutError:
            raise
        except OSError as error:
            ours = str(error.filename).startswith(f"{self.places.state}/")  # it is not the note that is in the way
            hint = f"check the permissions of {error.filename}" if ours else "check its permissions"
            hint = "make room on the disk" if error.errno in (errno.ENOSPC, errno.EDQUOT) else hint
            raise ScoutError(f"cannot {what} {path}: {error.strerror or error}", hint) from error


def _day(at: str) -> str:
    """The date of a moment in UTC; today where it cannot be read."""
    import datetime as dt

    try:
        moment = dt.datetime.fromisoformat(at)
        return (moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)).astimezone(dt.UTC).date().isoformat()
    except (ValueError, OverflowError):
        return dt.datetime.now(dt.UTC).date().isoformat()
