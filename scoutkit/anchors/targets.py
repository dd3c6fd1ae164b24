"""Where lines are looked for: a commit's files, or those of the working tree."""

from __future__ import annotations

import functools
import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, Protocol

from scoutkit import git
from scoutkit.anchors.document import Document
from scoutkit.model.places import Repository
from scoutkit.objects import LINK, SUBMODULE, Item, Objects

_LINKS = 8  # symbolic links followed in a row
_LARGEST = 20_000_000  # bytes of a file that is read


class Key(NamedTuple):
    """Lines of a commit's file, and the content of the file of that name in which they were looked for."""

    commit: str
    path: str
    start: int
    end: int
    blob: str


class Target(Protocol):
    """Files that can be asked for by path. `id` is the name git has, or would have, for a file's content."""

    def path(self, path: str) -> str:
        """Where a path leads when symbolic links are followed; "" where there is no file."""

    def id(self, path: str) -> str:
        """The content of a file by name; "" where there is none."""

    def document(self, path: str) -> Document | None:
        """A text file; None for anything else."""

    def raw(self, path: str) -> bytes | None:
        """A file's bytes."""

    def lacking(self, path: str) -> bool:
        """Is there a file whose content is not in this clone?"""

    def differing(self, tree: str) -> Iterator[tuple[str, str]]:
        """Files that an older tree lacks or has with another content: path, and the content's name or ""."""


class CommitFiles:
    """The files of a commit."""

    def __init__(self, objects: Objects, tree: str) -> None:
        self._objects, self.tree = objects, tree
        self._items: dict[str, Item | None] = {}
        self._documents: dict[str, Document | None] = {}
        self._differing: dict[str, list[tuple[str, str]]] = {}

    def path(self, path: str) -> str:
        for _ in range(_LINKS):
            item = self._item(path)
            if item is None or item.mode == SUBMODULE or not item.mode.startswith(("100", LINK)):
                return ""
            if item.mode != LINK:
                return path
            target = os.fsdecode(self._objects.blob(item.id) or b"")
            path = os.path.normpath(os.path.join(os.path.dirname(path), target))  # noqa: PTH118, PTH120 - a path in a tree
        return ""

    def id(self, path: str) -> str:
        item = self._item(path)
        return item.id if item and item.mode.startswith("100") else ""

    def _item(self, path: str) -> Item | None:
        if path not in self._items:
            self._items[path] = self._objects.item(self.tree, path)
        return self._items[path]

    def raw(self, path: str) -> bytes | None:
        name = self.id(path)
        return self._objects.blob(name) if name else None

    def lacking(self, path: str) -> bool:
        return bool(self.id(path)) and self.raw(path) is None

    def document(self, path: str) -> Document | None:
        name = self.id(path)
        if name not in self._documents:
            raw = self._objects.blob(name) if name else None
            self._documents[name] = None if raw is None else Document.read(name, path, raw)
        return self._documents[name]

    def differing(self, tree: str) -> Iterator[tuple[str, str]]:
        if tree not in self._differing:
            self._differing[tree] = [
                (change.path, change.new.id)
                for change in self._objects.changes(tree, self.tree)
                if change.new and change.new.mode.startswith("100")
            ]
        yield from self._differing[tree]


class IndexFiles(CommitFiles):
    """The files of the index, which the next commit will have; by path."""

    def __init__(self, objects: Objects, entries: Mapping[str, Item]) -> None:
        super().__init__(objects, "")
        self._entries = entries

    def _item(self, path: str) -> Item | None:
        return self._entries.get(path)

    def differing(self, tree: str) -> Iterator[tuple[str, str]]:
        for path, item in self._entries.items():
            if item.mode.startswith("100"):
                was = self._objects.item(tree, path)
                if was is None or was.id != item.id:
                    yield path, item.id


class WorkingTree:
    """The files on disk, whether git knows them or not; ignored ones only where they are asked for by name.

    What a sparse checkout leaves out is there, as the index has it: git takes it for unchanged.
    """

    def __init__(self, repository: Repository, objects: Objects) -> None:
        assert repository.toplevel
        self._root, self._format, self._objects = repository.toplevel, repository.object_format, objects
        self._sparse = repository.git_dir / "info/sparse-checkout"
        self._raw: dict[str, bytes | None] = {}
        self._documents: dict[str, Document | None] = {}
        self._links: dict[Path, bool] = {}

    def path(self, path: str) -> str:
        file = self._root / path
        try:
            if not stat.S_ISLNK(file.lstat().st_mode) and not self._through_link(path):
                return path if file.is_file() else ""
            resolved = file.resolve().relative_to(self._root.resolve())
        except (OSError, ValueError, RuntimeError):  # nothing there, outside the repository, or a circle
            return path if path in self._left_out else ""
        return resolved.as_posix() if file.is_file() else ""

    def _through_link(self, path: str) -> bool:
        above = Path(path).parent
        if not above.name:
            return False
        if above not in self._links:
            self._links[above] = (self._root / above).is_symlink() or self._through_link(str(above))
        return self._links[above]

    def id(self, path: str) -> str:
        raw = self.raw(path)
        if raw is None:
            return self._left_out.get(path, "")
        import hashlib

        return hashlib.new(self._format, b"blob %d\0" % len(raw) + raw, usedforsecurity=False).hexdigest()

    def raw(self, path: str) -> bytes | None:
        if path not in self._raw:
            file = self._root / path
            try:
                readable = stat.S_ISREG(file.stat().st_mode) and file.stat().st_size <= _LARGEST
                self._raw[path] = file.read_bytes() if readable else None
            except (OSError, ValueError):  # the second: a NUL in the path
                self._raw[path] = self._objects.blob(self._left_out[path]) if path in self._left_out else None
        return self._raw[path]

    def lacking(self, path: str) -> bool:
        return path in self._left_out and self.raw(path) is None

    @functools.cached_property
    def _left_out(self) -> dict[str, str]:
        """Files that a sparse checkout does not put on disk, and their blobs."""
        if not self._sparse.is_file():
            return {}
        listed = git.output(self._root, "ls-files", "-z", "-t", "-s", "--", ":(top)")  # `S 100644 blob 0<tab>path`
        entries = (line.split("\t", 1) for line in listed.split("\0") if line.startswith("S 100"))
        return {path: meta.split(" ")[2] for meta, path in entries if not os.path.lexists(self._root / path)}

    def document(self, path: str) -> Document | None:
        if path not in self._documents:
            raw = self.raw(path)
            self._documents[path] = None if raw is None else Document.read(self.id(path), path, raw)
        return self._documents[path]

    @functools.cached_property
    def _files(self) -> list[str]:
        """Tracked and untracked files, without ignored ones."""
        listed = git.output(self._root, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
        return sorted(set(listed.split("\0")) - {""})

    def differing(self, tree: str) -> Iterator[tuple[str, str]]:
        for path in self._files:
            item = self._objects.item(tree, path)
            if item is None:
                yield path, ""
            elif item.mode.startswith("100") and (now := self.id(path)) and now != item.id:
                yield path, now
