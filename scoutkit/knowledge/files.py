"""Which file of a commit a written path means."""

from __future__ import annotations

import functools
import posixpath
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from scoutkit.config import NOTES
from scoutkit.knowledge import spelling
from scoutkit.snapshot import Snapshot

_LINKS = 8  # symbolic links followed in a row
_SHOWN = 3  # files named where several would do


@dataclass(frozen=True, slots=True)
class Found:
    """A file, or "" and why there is none: `several`, if because more than one file fits."""

    path: str
    why: str = ""
    several: tuple[str, ...] = ()


class Files:
    """The files of a snapshot, by how they may be written. `notes` is a folder that no shortened path leads into."""

    def __init__(self, snapshot: Snapshot, notes: str = NOTES) -> None:
        self._snapshot = snapshot
        self._entries = snapshot.entries
        self._notes = notes.rstrip("/") + "/"

    def find(self, readings: Sequence[str], *, sure: bool = True) -> Found:
        """The file that a path means: exactly, or as the only one that ends so, or but for case.

        `readings` are the ways to read it. Not `sure`: of a plain lower-case word only the exact file counts.
        """
        for path in sorted(readings, key=len, reverse=True):
            if path in self._entries:
                return self._file(path)
        several: list[str] = []
        for path in readings:
            shortened = path.lstrip("./") if path.startswith("../") else path
            if shortened in self._entries:
                return self._file(shortened)
            if sure or "/" in path or path != path.lower() or spelling.extension(path):
                ending = [one for one in self._ending_in(shortened) if not one.startswith(self._notes)]
                if len(ending) == 1:
                    return self._file(ending[0])
                several = several or ending
        alike = self._folded.get(_folded(readings[0]), []) if sure else []
        if len(alike) == 1 and not several:
            return self._file(alike[0])
        if several or alike:
            several = several or alike
            return Found("", f"several files end so: {_listed(several)}", several=tuple(several))
        return Found("", self._missing(readings[0]))

    def has(self, path: str) -> bool:
        """Is there exactly this path?"""
        return path in self._entries

    def has_named(self, name: str) -> bool:
        """Is there a file that this is the path of, or the end of the path?"""
        return name in self._entries or next(self._ending_in(name), None) is not None

    def namesakes(self, path: str) -> list[str]:
        """The files of the same name in any folder, but for the notes."""
        return [one for one in self._named.get(path.rpartition("/")[2], []) if not one.startswith(self._notes)]

    def is_beyond(self, path: str) -> bool:
        """Is a path that is nowhere in this commit one of another tree: outside the repository, or of a submodule?"""
        return path.startswith("/") or path[1:3] == ":/" or self._missing(path).startswith("in the submodule")

    def means_file(self, path: str) -> bool:
        """Would a path that is nowhere have meant a file here? By its extension, or the folder it begins with."""
        first, slash, _ = path.partition("/")
        if spelling.is_host(first):
            return False
        return first in self._folders if slash else spelling.extension(path) in self._extensions

    def _file(self, path: str) -> Found:
        at = path
        for _ in range(_LINKS):
            target = self._snapshot.link(at)
            if target is None:
                break
            at = posixpath.normpath(posixpath.join(posixpath.dirname(at), target))
        entry = self._entries.get(at)
        if entry is None or entry.mode == "120000":
            return Found("", f"{path} is a symbolic link to {at}, which is no file of this commit")
        if entry.mode == "160000":
            return Found("", f"{path} is a submodule, not a file")
        return Found(at)

    def _missing(self, path: str) -> str:
        parts = path.split("/")
        for end in range(1, len(parts)):
            entry = self._entries.get("/".join(parts[:end]))
            if entry and entry.mode == "160000":
                return f"in the submodule {entry.path}, whose files are not part of this commit"
        if path.startswith("/") or path[1:3] == ":/":
            return "outside the repository"
        return "a folder, not a file" if path in self._all_folders else "no such file"

    def _ending_in(self, path: str) -> Iterator[str]:
        ending = f"/{path}"
        return (one for one in self._named.get(path.rpartition("/")[2], []) if one.endswith(ending))

    @functools.cached_property
    def _named(self) -> dict[str, list[str]]:
        named: dict[str, list[str]] = {}
        for path, entry in self._entries.items():
            if entry.mode != "160000":
                named.setdefault(path.rpartition("/")[2], []).append(path)
        return named

    @functools.cached_property
    def _folded(self) -> dict[str, list[str]]:
        folded: dict[str, list[str]] = {}
        for path in self._entries:
            folded.setdefault(_folded(path), []).append(path)
        return folded

    @functools.cached_property
    def _folders(self) -> set[str]:
        return {path.partition("/")[0] for path in self._entries if "/" in path}

    @functools.cached_property
    def _all_folders(self) -> set[str]:
        return {path[:at] for path in self._entries for at, character in enumerate(path) if character == "/"}

    @functools.cached_property
    def _extensions(self) -> set[str]:
        return {spelling.extension(path) for path in self._entries} - {""}


def _folded(path: str) -> str:
    """Paths alike but for case, or for how accents are encoded, are the same on some file systems."""
    return unicodedata.normalize("NFC", path).casefold()


def _listed(paths: Sequence[str]) -> str:
    rest = len(paths) - _SHOWN
    return ", ".join(paths[:_SHOWN]) + (f" and {rest} more" if rest > 0 else "")
