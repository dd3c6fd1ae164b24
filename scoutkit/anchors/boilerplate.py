"""Text that many files of a commit hold, such as a licence header: that a file has it says nothing of where it went."""

from __future__ import annotations

import functools
import itertools
from collections import Counter
from collections.abc import Iterator, Sequence

from scoutkit.anchors.document import Document, overlap, weight
from scoutkit.anchors.guess import Lines
from scoutkit.anchors.targets import CommitFiles
from scoutkit.objects import FOLDER, Objects

_NEAR = 20  # files that are read
_FOLDERS = 50  # folders that are looked into for them
_MANY = 2  # files beside the one itself that hold a text
_MOST = 0.8  # of the lines' letters and digits: a file with so much of them holds an edited copy


class Boilerplate:
    """What the files near one of a commit's files have in common with it."""

    def __init__(self, objects: Objects, old: CommitFiles) -> None:
        self._objects, self._old = objects, old
        self._near = functools.cache(lambda path: list(itertools.islice(self._documents(path), _NEAR)))
        self._common = functools.cache(self._shared)

    def holds(self, path: str, lines: Lines) -> bool:
        """Do several other files hold lines of a file, or an edited copy of them?"""
        size = lines.weight
        if not size:
            return False
        holding = (one for one in self._near(path) if _held(lines.keys, one) >= _MOST * size)
        return len(list(itertools.islice(holding, _MANY))) == _MANY

    def share(self, path: str, old: Document, new: Document) -> float:
        """How alike two files are beside what other files hold too; 1.0 where neither says anything else."""
        common = self._common(path)
        before, after = ([key for key in one.keys if key not in common] for one in (old, new))
        return overlap(before, after) if any(map(weight, (*before, *after))) else 1.0

    def _shared(self, path: str) -> frozenset[str]:
        counted = Counter(key for one in self._near(path) for key in one.said)
        return frozenset(key for key, number in counted.items() if number >= _MANY)

    def _documents(self, path: str) -> Iterator[Document]:
        ending = path.rpartition("/")[2].rpartition(".")[2]
        for one in self._paths(path):
            if (
                one != path
                and one.rpartition("/")[2].rpartition(".")[2] == ending
                and (text := self._old.document(one))
            ):
                yield text

    def _paths(self, path: str) -> Iterator[str]:
        """Files of the same folder and of those in it, then of the folder above, and so on."""
        left = _FOLDERS
        seen: set[str] = set()
        parts = path.split("/")[:-1]
        for depth in range(len(parts), -1, -1):
            above = "".join(f"{part}/" for part in parts[:depth])
            folders = [above]
            for folder in folders:
                if folder in seen or not left:
                    continue
                seen.add(folder)
                left -= 1
                for name, item in self._objects.folder(self._old.tree, folder).items():
                    if item.mode != FOLDER:
                        yield folder + name
                    elif folder == above:
                        folders.append(f"{folder}{name}/")


def _held(keys: Sequence[str], document: Document) -> int:
    """The letters and digits of those lines that a file holds."""
    return sum(weight(key) for key in keys if key in document.said)
