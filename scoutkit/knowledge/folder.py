"""What is in the notes folder, and which of it may be read: nothing that a link leads out of the repository to."""

from __future__ import annotations

import errno
import os
import stat
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path

from scoutkit.config import Places
from scoutkit.errors import Refused, ScoutError
from scoutkit.model.found import Problem

LARGEST = 64 * 2**20  # bytes; what is larger is no note, and is not read


class Unreadable(ScoutError, OSError):
    """A note file that is not there, or is there and cannot be read: `strerror` says why."""

    def __init__(self, path: str, reason: str) -> None:
        missing = reason == os.strerror(errno.ENOENT)
        hint = "list the notes: scoutkit list" if missing else "check the file and its permissions"
        super().__init__(f"cannot read {path}: {reason}", hint)
        self.strerror = reason


@dataclass
class Listing:
    """(path, modification time in nanoseconds, size) of every note file, and what could not be looked into.

    What was known of a file, or of anything in a folder, that is among the problems still stands.
    """

    files: list[tuple[str, int, int]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


class Folder:
    """The notes folder of one repository. Paths are POSIX and relative to the notes' root, as on disk."""

    def __init__(self, places: Places) -> None:
        self.root = Path(os.path.realpath(places.root))
        self.path = Path(os.path.relpath(places.notes, places.root)).as_posix()
        self._prefix = "" if self.path == "." else f"{self.path}/"
        self._git = Path(os.path.realpath(places.repository.common_dir))

    def listing(self) -> Listing:
        """Every Markdown file, drafts and sub-folders too, each folder's entries in order. Opens no file.

        Hidden files and folders are passed over. A symbolic link is followed only to a place inside the repository,
        and not to one that is listed anyway.
        """
        listing = Listing()
        top = self.root / self.path
        if problem := self._outside(self.path, top):
            listing.problems.append(problem)
        else:
            self._walk(self._prefix, str(top), listing, set())
        return listing

    def _walk(self, prefix: str, folder: str, listing: Listing, linked: set[Path]) -> None:
        """`linked` holds the folders that links have led to, so that none is walked twice."""
        try:
            within = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except FileNotFoundError:
            return
        except OSError as error:
            listing.problems.append(_problem(prefix.rstrip("/"), f"unreadable: {error.strerror}"))
            return
        try:  # names are looked up in the open folder: a fifth quicker than by their whole path
            with os.scandir(within) as entries:
                ordered = sorted(entries, key=attrgetter("name"))
            for entry in ordered:
                name = entry.name
                if name[0] == ".":
                    continue
                try:
                    if name.endswith(".md") and entry.is_file(follow_symlinks=False):  # nearly all
                        _add(listing, prefix + name, entry.stat(follow_symlinks=False))
                    elif entry.is_symlink():
                        self._follow(prefix + name, listing, linked)
                    elif entry.is_dir(follow_symlinks=False):
                        self._walk(f"{prefix}{name}/", f"{folder}/{name}", listing, linked)
                    elif name[-3:].lower() == ".md":
                        _add(listing, prefix + name, entry.stat(follow_symlinks=False))
                except FileNotFoundError:
                    continue  # gone since
                except OSError as error:
                    listing.problems.append(_problem(prefix + name, f"unreadable: {error.strerror}"))
        except OSError as error:
            listing.problems.append(_problem(prefix.rstrip("/"), f"unreadable: {error.strerror}"))
        finally:
            os.close(within)

    def _follow(self, path: str, listing: Listing, linked: set[Path]) -> None:
        target = Path(os.path.realpath(self.root / path))
        if not target.is_dir() and not _markdown(path):
            return
        if problem := self._outside(path, target):
            listing.problems.append(problem)
        elif not target.exists():
            listing.problems.append(_problem(path, "unreadable: a symbolic link to nothing"))
        elif target.is_dir():
            if not self._listed(target) and not any(target.is_relative_to(other) for other in linked):
                linked.add(target)
                self._walk(f"{path}/", str(target), listing, linked)
        elif not (_markdown(target.name) and self._listed(target)):
            _add(listing, path, target.stat())

    def _listed(self, target: Path) -> bool:
        """Is it in the notes folder, where it is met without the link, or is the notes folder in it?"""
        top = Path(os.path.realpath(self.root / self.path))
        if target.is_relative_to(top):
            return not any(part.startswith(".") for part in target.relative_to(top).parts)
        return top.is_relative_to(target)

    def _outside(self, path: str, place: Path) -> Problem | None:
        """The problem with a place out of the repository, or among git's own files."""
        target = Path(os.path.realpath(place))
        in_git = target.is_relative_to(self._git) and not self.root.is_relative_to(self._git)
        if target.is_relative_to(self.root) and not in_git:
            return None
        hint = "replace the link by what it leads to, or delete it"
        return Problem(path, 1, "a symbolic link that leads out of the repository: never read", hint)

    def real(self, path: str) -> Path:
        """Where a path leads, links followed. Refused when it is not in the notes folder, or leads out."""
        return self._checked(path, self.root / path)

    def entry(self, path: str) -> Path:
        """The place of a file, or of a link itself. Refused when it is not in the notes folder."""
        place = self.root / path
        return self._checked(path, place.parent) / place.name

    def make(self, path: str) -> Path:
        """The real path of the notes folder or one in it, made if need be. Refused when it leads out."""
        real = self._checked(f"{path}/.", self.root / path)
        real.mkdir(parents=True, exist_ok=True)
        return real

    def check_ready(self) -> None:
        """OSError where a note could surely not be written, Refused where the folder leads out. Makes nothing."""
        place = self._checked(f"{self.path}/.", self.root / self.path)
        while True:
            try:
                mode = place.stat().st_mode
                break
            except FileNotFoundError:  # it will be made
                place = place.parent
        if not stat.S_ISDIR(mode):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(place))
        if not os.access(place, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(place))

    def _checked(self, path: str, place: Path) -> Path:
        self._check_inside(path)
        if problem := self._outside(path, place):
            raise Refused(f"{path} is {problem.problem}", problem.hint)
        return Path(os.path.realpath(place))

    def _check_inside(self, path: str) -> None:
        plain = os.path.normpath(path)
        if not f"{plain}/".startswith(self._prefix) or plain.startswith(("../", "/")):
            raise Refused(f"not in the notes folder: {path}", f"notes are in {self.path}")

    def read(self, path: str, most: int = -1) -> bytes:
        """A file's content, or its first `most` bytes. Raises Unreadable; Refused for a path outside the notes folder.

        Never waits for a pipe.
        """
        self._check_inside(path)
        try:
            descriptor = os.open(f"{self.root}/{path}", os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            with os.fdopen(descriptor, "rb") as file:
                if not self._opened_inside(descriptor) and (problem := self._outside(path, self.root / path)):
                    raise Unreadable(path, problem.problem)
                about = os.fstat(descriptor)
                if not stat.S_ISREG(about.st_mode):
                    raise Unreadable(path, "not a regular file")
                if about.st_size > LARGEST:
                    raise Unreadable(path, f"larger than {LARGEST // 2**20} MB")
                return file.read(most)
        except Unreadable:
            raise
        except OSError as error:
            raise Unreadable(path, error.strerror or str(error)) from error

    def _opened_inside(self, descriptor: int) -> bool:
        """Is the open file surely in the notes folder itself? Linux says so without resolving the path again."""
        try:
            return str(Path(f"/proc/self/fd/{descriptor}").readlink()).startswith(f"{self.root}/{self._prefix}")
        except OSError:
            return False


def _markdown(name: str) -> bool:
    return name[-3:].lower() == ".md"


def _add(listing: Listing, path: str, about: os.stat_result) -> None:
    if stat.S_ISREG(about.st_mode):
        listing.files.append((path, about.st_mtime_ns, about.st_size))
    else:
        listing.problems.append(_problem(path, "unreadable: not a regular file"))


def _problem(path: str, problem: str) -> Problem:
    return Problem(path, 1, problem, "check it and its permissions")
