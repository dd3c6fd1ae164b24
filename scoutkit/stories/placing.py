"""The files of one worktree that are changed for good: read once, written whole, only while they are as they were read.

A link is written through, unless it leads out of the repository. What was made is kept in `init.json` in scoutkit's
folder of the git directory.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
from dataclasses import dataclass, field
from pathlib import Path

from scoutkit import git
from scoutkit.desk import Desk
from scoutkit.errors import Refused, RepositoryError
from scoutkit.fitting.parts import CHECK, GIT_HOOK
from scoutkit.knowledge import durable


@dataclass(slots=True)
class File:
    """A file as it was read and as it is to be. `path` is where it really is."""

    shown: str
    path: Path
    before: bytes | None
    now: bytes | None
    mode: int | None


@dataclass(slots=True)
class Record:
    """What was made, by absolute path."""

    path: Path  # of the record itself
    folders: list[str] = field(default_factory=list)
    files: dict[str, bool] = field(default_factory=dict)  # written into; True: and made

    @classmethod
    def of(cls, desk: Desk) -> Record:
        """Of this repository, all its worktrees; empty where there is none that can be read."""
        path = desk.places.state / "init.json"
        try:
            kept = json.loads(path.read_bytes())
            return cls(path, list(kept["folders"]), dict(kept["files"]))
        except (OSError, ValueError, KeyError, TypeError):
            return cls(path)

    def write(self) -> None:
        """Keep it, or delete it once it says nothing."""
        if not self.folders and not self.files:
            self.path.unlink(missing_ok=True)
            return
        text = json.dumps({"folders": self.folders, "files": self.files}, indent=1, ensure_ascii=True)
        with durable.prepared(self.path.parent, f"{text}\n".encode()) as fresh:
            durable.replace(fresh, self.path)


class Tree:
    """The files that are looked at, each once however many names it has."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.files: dict[Path, File] = {}

    @property
    def root(self) -> Path:
        """Of the worktree we are in."""
        if self.desk.repository.toplevel is None:
            raise RepositoryError("a bare repository has no files to write into", "go to a worktree of it")
        return self.desk.repository.toplevel

    def reaches(self, place: str) -> Path | None:
        """Where a file of the worktree (or GIT_HOOK) really is; None where it leads out of the repository."""
        if place != GIT_HOOK:
            real = Path(os.path.realpath(self.root / place))
            return real if self._inside(real) else None
        hooks = Path(os.path.realpath(self._hooks()))
        inside = hooks.is_relative_to(os.path.realpath(self.desk.repository.common_dir))
        return hooks / "pre-commit" if inside else None

    def file(self, place: str, mode: int | None = None) -> File:
        """A file, which has this mode if it is made. Refused for one that leads out of the repository, is no file, or
        cannot be read."""
        real = self.reaches(place)
        if real is None and place == GIT_HOOK:
            raise Refused(f"git takes its hooks from {self._hooks()} (core.hooksPath)", f"add this there: {CHECK}")
        if real is None:
            raise Refused(f"{place} is a link out of the repository", "put a file of its own there")
        if same := next((file for file in self.files.values() if _one(file.path, real)), None):
            return same
        raw, found = _read(real, place)
        return self.files.setdefault(real, File(place, real, raw, raw, mode if raw is None else found))

    def changed(self) -> list[File]:
        """Those that are to be written or deleted. Refused, before any is, for one that cannot be."""
        files = [file for file in self.files.values() if file.now != file.before]
        for file in files:
            _may_write(file)
            durable.sweep(file.path.parent)  # of one that was killed: whoever asks holds the lock
        return files

    def mentions_us(self, place: str) -> bool:
        """Is there a word of scoutkit in a file, or may there be?"""
        try:
            return b"scoutkit" in (self.root / place).read_bytes()
        except FileNotFoundError:
            return False
        except OSError:
            return True

    def _hooks(self) -> Path:
        """Where git looks for hooks: scoutkit's own git is told that there are none, so it cannot be asked."""
        said = git.git(self.root, "config", "--show-scope", "--type=path", "--get-all", "core.hooksPath").text
        chosen = [line.split("\t", 1)[1] for line in said.splitlines() if not line.startswith("command\t")]
        return self.root / chosen[-1] if chosen and chosen[-1] else self.desk.repository.common_dir / "hooks"

    def _inside(self, real: Path) -> bool:
        git_dirs = (self.desk.repository.git_dir, self.desk.repository.common_dir)
        inside = real.is_relative_to(os.path.realpath(self.root))
        return inside and not any(real.is_relative_to(os.path.realpath(folder)) for folder in git_dirs)


def _read(real: Path, place: str) -> tuple[bytes | None, int | None]:
    try:
        found = real.lstat()
        if not stat.S_ISREG(found.st_mode):
            raise Refused(f"{place} is no file", "see what it is, and move it away")
        return real.read_bytes(), stat.S_IMODE(found.st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return None, None
    except OSError as error:
        raise Refused(f"cannot read {place}: {error.strerror}", "check its permissions") from error


def _may_write(file: File) -> None:
    if file.before is not None and not (file.mode or 0) & stat.S_IWUSR:
        raise Refused(f"{file.shown} is read-only", f"chmod u+w {file.path}")
    may_make_in(file.path.parent, file.shown)


def may_make_in(folder: Path, shown: str) -> None:
    """Refused where something cannot be made in a folder, which may itself have to be made."""
    folder = next(one for one in (folder, *folder.parents) if one.exists())
    if not folder.is_dir() or not os.access(folder, os.W_OK | os.X_OK):
        what = "read-only" if folder.is_dir() else "no folder"
        raise Refused(f"cannot write {shown}: {folder} is {what}", "mend that, and run this again")


def missing(folder: Path) -> list[Path]:
    """The folder and those around it that are not there, outermost last."""
    return [one for one in (folder, *folder.parents) if not one.exists()]


def replace(file: File) -> None:
    """Write or delete one file, while it is as it was read."""
    try:
        current = file.path.read_bytes() if file.path.exists() else None
        if current != file.before:
            raise Refused(f"{file.shown} changed meanwhile", "run this again")
        if file.now is None:
            file.path.unlink()
            return
        file.path.parent.mkdir(parents=True, exist_ok=True)
        if file.path.exists() and file.path.stat().st_nlink > 1:
            file.path.write_bytes(file.now)  # its other names are to see it, too
            return
        new = file.before is None
        mode = file.mode & ~_umask() if new and file.mode is not None else file.mode
        with durable.prepared(file.path.parent, file.now, mode) as fresh:
            if not new:
                durable.replace(fresh, file.path)
            elif not durable.claim(fresh, file.path):
                raise Refused(f"{file.shown} appeared meanwhile", "run this again")
    except OSError as error:
        raise Refused(
            f"cannot write {file.shown}: {error.strerror}", "check its permissions, and run this again"
        ) from error


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def removed(folder: Path) -> bool:
    """Is it gone, or was it empty, and is gone now?"""
    try:
        folder.rmdir()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def _one(one: Path, other: Path) -> bool:
    """Are these the same file, by path or as hard links?"""
    with contextlib.suppress(OSError):
        return one == other or one.samefile(other)
    return one == other
