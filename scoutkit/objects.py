"""Commits, trees and blobs, all through one long-lived git process. Unchanged folders are never opened.

Nothing is fetched: in a partial clone an object that is not here is one that is missing. Of a folder that is missing
nothing is said: it is not empty.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, Self

from scoutkit import git
from scoutkit.errors import RepositoryError

FILE, LINK, SUBMODULE, FOLDER = "100644", "120000", "160000", "40000"
_FOLDER = FOLDER.encode()
FETCH = "fetch what is missing: git fetch --refetch --no-filter"
_OFFLINE = {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": ""}  # the second for git older than 2.45


class Item(NamedTuple):
    """What a path is in a tree: its mode, and the name of its object."""

    mode: str
    id: str


_Entry = tuple[bytes, bytes]  # the same as git stores it: most are only passed by


class Change(NamedTuple):
    """A path that is not the same in two trees; None on the side that lacks it."""

    path: str
    old: Item | None
    new: Item | None


class Objects:
    """A repository's objects. A context manager; trees that were read are kept."""

    def __init__(self, where: Path) -> None:
        self._where = where
        self._blobs = git.Blobs(where, _OFFLINE)
        self._trees: dict[str, dict[str, _Entry]] = {}
        self._commits: dict[str, tuple[str, str] | None] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._blobs.close()

    @functools.cached_property
    def partial(self) -> bool:
        """May objects be missing that a commit here speaks of, since git left them with a remote?"""
        return (
            git.git(self._where, "config", "--get-regexp", r"^(remote\..*\.promisor|extensions\.partialclone)$").code
            == 0
        )

    def commit(self, revision: str) -> tuple[str, str] | None:
        """A revision as the ids of its commit and its tree; None where there is no such commit."""
        if revision not in self._commits:
            name = (
                revision if revision.startswith(":/") else f"{revision}^{{commit}}"
            )  # `:/text` takes all that follows
            found = self._blobs.get(name) if revision else None
            tree = re.match(rb"tree ([0-9a-f]+)\n", found.content) if found and found.kind == "commit" else None
            self._commits[revision] = known = (found.id, tree[1].decode()) if found and tree else None
            if known:
                self._commits[known[0]] = known
        return self._commits[revision]

    def forget(self) -> None:
        """Look names up anew that may have come to mean another commit: all that are no full id."""
        self._commits = {name: found for name, found in self._commits.items() if found and found[0] == name}

    def blob(self, name: str) -> bytes | None:
        """A blob's bytes; None where it is not here."""
        return self._blobs.read(name)

    def item(self, tree: str, path: str) -> Item | None:
        """What a path is; for one inside a submodule, the submodule. None where there is nothing.

        RepositoryError here and below where a tree is not in this clone.
        """
        found = Item(FOLDER, tree)
        for name in path.split("/"):
            if found.mode == SUBMODULE:
                return found
            inside = self._entries(found.id).get(name) if found.mode == FOLDER else None
            if inside is None:
                return None
            found = _item(inside)
        return found

    def folder(self, tree: str, path: str) -> Mapping[str, Item]:
        """What is in a folder, by name; its path ends with a slash, or is "" for the tree itself."""
        item = self.item(tree, path.rstrip("/")) if path else Item(FOLDER, tree)
        entries = self._entries(item.id) if item and item.mode == FOLDER else {}
        return {name: _item(entry) for name, entry in entries.items()}

    def files(self, tree: str, prefix: str = "") -> Iterator[tuple[str, Item]]:
        """Everything below a tree that is no folder."""
        for name, entry in self._entries(tree).items():
            if entry[0] == _FOLDER:
                yield from self.files(entry[1].hex(), f"{prefix}{name}/")
            else:
                yield prefix + name, _item(entry)

    def changes(self, old: str, new: str, prefix: str = "") -> Iterator[Change]:
        """What differs between two trees. Folders with the same object are the same."""
        before, after = self._entries(old), self._entries(new)
        for name in before | after:
            old_entry, new_entry = before.get(name), after.get(name)
            if old_entry == new_entry:
                continue
            path = prefix + name
            was, now = old_entry and _item(old_entry), new_entry and _item(new_entry)
            was_folder, now_folder = was is not None and was.mode == FOLDER, now is not None and now.mode == FOLDER
            if was and now and was_folder and now_folder:
                yield from self.changes(was.id, now.id, f"{path}/")
                continue
            if was and was_folder:
                yield from (Change(inside, item, None) for inside, item in self.files(was.id, f"{path}/"))
                was = None
            if now and now_folder:
                yield from (Change(inside, None, item) for inside, item in self.files(now.id, f"{path}/"))
                now = None
            if was or now:
                yield Change(path, was, now)

    def _entries(self, tree: str) -> dict[str, _Entry]:
        """A tree as git stores it: `mode name NUL id`, the id in bytes. "" is the empty tree."""
        if tree not in self._trees:
            found = self._blobs.get(tree) if tree else None
            if tree and (found is None or found.kind != "tree"):
                raise RepositoryError(f"not in this clone: the folder {tree}", FETCH)
            raw = found.content if found else b""
            entry = re.compile(rb"([0-7]+) ([^\0]+)\0(.{%d})" % (len(tree) // 2), re.DOTALL)
            self._trees[tree] = {
                name.decode("utf-8", "surrogateescape"): (mode, name_of) for mode, name, name_of in entry.findall(raw)
            }
        return self._trees[tree]


def _item(entry: _Entry) -> Item:
    return Item(entry[0].decode(), entry[1].hex())
