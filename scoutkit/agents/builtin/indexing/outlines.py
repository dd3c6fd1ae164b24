"""What is defined in a file or a folder of a commit: by the grammars alone, nothing is ranked."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from scoutkit import git, symbols
from scoutkit.agents.builtin.indexing.segment import Place, unpack_places
from scoutkit.agents.builtin.indexing.store import Store
from scoutkit.errors import UsageError

if TYPE_CHECKING:
    from scoutkit.agents.builtin.indexing.tree import Say

_LINK = "120000 "
_HOPS = 8  # links after one another
_LONGEST = 4096  # bytes of a link
_FILE = "100"  # modes of what is neither a link nor a submodule begin so


@dataclass(frozen=True, slots=True)
class File:
    """A file with all its definitions. `language`: "" where it is not known; `known`: is there a grammar for it?"""

    path: str
    language: str
    known: bool
    lines: int
    symbols: tuple[symbols.Symbol, ...]


@dataclass(frozen=True, slots=True)
class Listed:
    """A file of a folder with what it defines at its own level."""

    path: str
    language: str
    top: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Folder:
    """The files right in a folder, and its folders with the number of files below each. The root is `.`."""

    path: str
    files: tuple[Listed, ...]
    folders: tuple[tuple[str, int], ...]


def outline(where: Path, commit: str, choices: tuple[str, ...], say: Say, *, hops: int = 0) -> File | Folder:
    """Of the first of some paths that the commit has; a link is followed. UsageError where it has none, or that is no
    text."""
    with git.Blobs(where) as blobs:
        for path in choices:
            found = blobs.get(f"{commit}:{'' if path == '.' else path}")
            if found and found.kind == "tree":
                return _folder(where, commit, path, say)
            if found and found.kind == "blob":
                target = _target(where, commit, path, found.content)
                if not target:
                    return _file(path, found.content)
                if hops == _HOPS:
                    raise UsageError(f"a link to a link, and so on: {path}", "name the file itself")
                return outline(where, commit, (target,), say, hops=hops + 1)
    raise UsageError(f"no such file or folder: {choices[0]}", "paths are from the repository's root, in the commit")


def _target(where: Path, commit: str, path: str, raw: bytes) -> str:
    """What a link leads to, from the repository's root; "" where it is none. UsageError where that is outside."""
    if b"\n" in raw or len(raw) > _LONGEST:
        return ""
    if not git.output(where, "ls-tree", "-z", "--full-tree", commit, "--", path).startswith(_LINK):
        return ""
    target = os.path.normpath(f"{os.path.dirname(path)}/{os.fsdecode(raw)}".lstrip("/"))  # noqa: PTH120 - of the tree
    if raw.startswith(b"/") or target.split("/")[0] == ".." or target == path:
        raise UsageError(f"a link out of the repository: {path}", f"it leads to {os.fsdecode(raw)}")
    return target


def _file(path: str, raw: bytes) -> File:
    if b"\0" in raw[:8192]:
        raise UsageError(f"no text: {path}", "name a file of source code or of text")
    text = raw.decode("utf-8", "replace").replace("\r\n", "\n")
    language = symbols.language_of(path, text) or ""
    lines = text.count("\n") + bool(text and not text.endswith("\n"))
    return File(path, language, symbols.has_table(language), lines, tuple(symbols.symbols(path, text)))


def _folder(where: Path, commit: str, path: str, say: Say) -> Folder:
    prefix = "" if path == "." else f"{path}/"
    here: list[git.Entry] = []
    below: Counter[str] = Counter()
    for entry in git.tree(where, commit):
        if entry.path.startswith(prefix) and entry.mode.startswith(_FILE):
            name, slash, _ = entry.path[len(prefix) :].partition("/")
            if slash:
                below[f"{prefix}{name}/"] += 1
            else:
                here.append(entry)
    found = _places(where, here, say)
    files = tuple(Listed(one.path, symbols.language_of(one.path) or "", found.get(one.path, ())) for one in here)
    return Folder(path, files, tuple(sorted(below.items())))


def _places(where: Path, entries: list[git.Entry], say: Say) -> dict[str, tuple[Place, ...]]:
    """What files define at their own level, by path. The cache is asked first, and told what was read."""
    from scoutkit.agents.builtin.indexing import reading

    wanted = [reading.Wanted(one.blob, _form(one.path), one.path) for one in entries]
    with Store() as store:

        def read() -> dict[str, tuple[Place, ...]]:
            names = [(one.blob, one.form) for one in wanted]
            known = store.known(names)
            if missing := [one for one in wanted if (one.blob, one.form) not in known]:
                reading.read(store, where, missing, say, docs=True, workers=2)
                known = store.known(names)
            query = "SELECT places FROM files WHERE segment = ? AND number = ?"
            found: dict[str, tuple[Place, ...]] = {}
            for one in wanted:
                at = known.get((one.blob, one.form), (0, 0))
                row = store.connection.execute(query, at).fetchone() if at[0] else None
                places = unpack_places(row[0]) if row else []
                found[one.path] = tuple(place for place in places if place.name and place.qualified == place.name)
            return found

        return store.trying(read)


def _form(path: str) -> str:
    """As tree.py has it, but for a file that it would read as plain text."""
    language = symbols.language_of(path) or "?"
    form = language if language == "?" or symbols.has_table(language) else "-"
    return f"{form}/h" if form == "c" and path.endswith(".h") else form
