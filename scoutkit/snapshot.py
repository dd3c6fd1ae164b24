"""The files of one commit, as text and lines, and words in them; read from git's objects alone."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Self

from scoutkit import git


class Line(NamedTuple):
    """A line of a file of a commit; `number` is 1-based."""

    path: str
    number: int
    text: str


def grep(
    where: Path, commit: str, words: Sequence[str], *, outside: str = "", most: int = 8_000_000
) -> tuple[list[Line], bool]:
    """The lines of a commit's text files that hold any of some words, whole and as they are written, and whether these
    are all: git is stopped after so many bytes. Not in the folder `outside`."""
    if not words:
        return [], True
    # one expression: git tries several one after the other on every line, which is slow
    either = "|".join(re.sub(r"([^\w\s-])", r"\\\1", word, flags=re.ASCII) for word in words)
    args = ["grep", "-n", "-z", "-I", "-E", "-w", "--no-color", "--full-name", "-e", f"({either})", commit]
    folder = [f":(exclude,literal,top){outside}"] if outside else []
    found, whole = git.read(where, *args, "--", *(folder and [":(top)"]), *folder, most=most)
    lines = []
    for line in os.fsdecode(found).replace("\r\n", "\n").split("\n"):
        path, zero, rest = line.partition("\0")
        number, zero, text = rest.partition("\0")
        if zero and number.isdigit():
            lines.append(Line(path.removeprefix(f"{commit}:"), int(number), text))
    return lines, whole


class Snapshot:
    """The files of one commit, read from git's objects: never the user's working tree. A context manager.

    Reads lazily and keeps the texts it has read, so ask it for the files you need, not for all of a large repository.
    """

    def __init__(self, where: Path, commit: str) -> None:
        self.commit = commit
        self._where = where
        self._blobs = git.Blobs(where)
        self._texts: dict[str, str | None] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._blobs.close()

    @functools.cached_property
    def entries(self) -> dict[str, git.Entry]:
        """Every file of the commit by path, links and submodules included."""
        return {entry.path: entry for entry in git.tree(self._where, self.commit)}

    def blob(self, path: str) -> bytes | None:
        """A regular file's bytes; None for a link, a submodule, a folder or nothing."""
        entry = self.entries.get(path)
        return self._blobs.read(entry.blob) if entry and entry.mode.startswith("100") else None

    def link(self, path: str) -> str | None:
        """Where a symbolic link points, as it is written in it; None for anything else."""
        entry = self.entries.get(path)
        raw = self._blobs.read(entry.blob) if entry and entry.mode == "120000" else None
        return None if raw is None else os.fsdecode(raw)

    def text(self, path: str) -> str | None:
        """A file as text, undecodable bytes replaced; None where `blob` is, and for binary files (a NUL in 8 kB)."""
        if path not in self._texts:
            raw = self.blob(path)
            binary = raw is None or b"\0" in raw[:8192]
            self._texts[path] = None if binary or raw is None else raw.decode("utf-8", "replace")
        return self._texts[path]

    def grep(self, words: Sequence[str], *, outside: str = "", most: int = 8_000_000) -> tuple[list[Line], bool]:
        """As the function of this name."""
        return grep(self._where, self.commit, words, outside=outside, most=most)

    def lines(self, path: str) -> list[str] | None:
        """A file's lines without their ends, as an editor counts them: ended by LF or CRLF, not by form feeds."""
        text = self.text(path)
        if text is None:
            return None
        lines = text.replace("\r\n", "\n").split("\n")
        return lines[:-1] if lines and not lines[-1] else lines
