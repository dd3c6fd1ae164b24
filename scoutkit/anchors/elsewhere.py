"""Which other files lines may have gone to: files that were renamed, and files that now hold their text."""

from __future__ import annotations

import bisect
from collections.abc import Iterator, Sequence

from scoutkit.anchors.document import Document, overlap, weight
from scoutkit.anchors.targets import Target
from scoutkit.objects import LINK, Objects

_FILES = 4_000  # files that are read
_BYTES = 64_000_000
RENAMED = 0.3  # of a file's lines that a renamed one keeps, at least
_CLOSE = 0.15  # the same, of one with the same name in another folder
_HOLDING = 20  # files that hold a line
_NEEDLE = 8  # letters and digits of a line that is looked for in other files


class Elsewhere:
    """The files of a target that differ from an old tree."""

    def __init__(self, objects: Objects, target: Target, tree: str, notes: str) -> None:
        self._objects, self._target, self._tree = objects, target, tree
        self._skip = notes.rstrip("/") + "/" if notes else ""
        self._renamed: dict[str, list[tuple[str, float]]] = {}
        self._new: list[tuple[str, str]] | None = None
        self._holding: dict[bytes, list[str]] = {}
        self._hay: tuple[bytes, list[int], list[str]] | None = None

    def renamed(self, path: str, name: str, old: Document) -> list[tuple[str, float]]:
        """Files that may be this one under another path, with how much of it they hold, best first."""
        if path not in self._renamed:
            self._renamed[path] = self._like(path, name, old)
        return self._renamed[path]

    def _like(self, path: str, name: str, old: Document) -> list[tuple[str, float]]:
        new = self._appeared(path)
        same = [one for one, content in new if content == name]
        if same:
            return [(one, 1.0) for one in _by_nearness(path, same)]
        base, ending = path.rpartition("/")[2], _ending(path)
        paths = [one for one, _ in new]
        ordered = [one for one in paths if one.rpartition("/")[2] == base]
        ordered += [one for one in paths if one.rpartition("/")[2] != base and _ending(one) == ending]
        rated = []
        for one in ordered[:_FILES]:
            document = self._target.document(one)
            if document is None or not document.said or not old.said:
                continue
            shared = 2 * len(old.said & document.said) / (len(old.said) + len(document.said))
            if shared >= _CLOSE / 2:
                rated.append((shared + 0.1 * (one.rpartition("/")[2] == base), one, document))
        rated.sort(key=lambda found: -found[0])
        best = []
        for _, one, document in rated[:6]:
            share, same_name = overlap(old.keys, document.keys), one.rpartition("/")[2] == base
            if share >= (_CLOSE if same_name else RENAMED):
                best.append((share + 0.1 * same_name, one))
        return [(one, share) for share, one in sorted(best, reverse=True)[:3]]

    def holding(self, path: str, keys: Sequence[str], lines: Sequence[str]) -> list[str]:
        """Other files that hold the line that says most, nearest first."""
        if not keys:  # of an empty file
            return []
        best = max(range(len(keys)), key=lambda at: weight(keys[at]) * 1000 + len(keys[at]))
        if weight(keys[best]) < _NEEDLE:
            return []
        needle = lines[best].strip().encode("utf-8", "replace")
        if needle not in self._holding:
            self._holding[needle] = list(self._scan(path, needle))
        return _by_nearness(path, [one for one in self._holding[needle] if one != path])

    def _scan(self, path: str, needle: bytes) -> Iterator[str]:
        hay, starts, paths = self._haystack(path)
        number = 0
        at = hay.find(needle)
        while at >= 0 and number < _HOLDING:
            here = bisect.bisect_right(starts, at) - 1
            yield paths[here]
            number += 1
            at = hay.find(needle, starts[here + 1]) if here + 1 < len(starts) else -1

    def _appeared(self, path: str) -> list[tuple[str, str]]:
        """Files that the old tree does not have, and their content's name."""
        if self._new is None:
            self._new = [
                (one, content)
                for one, content in self._allowed(path)
                if (item := self._objects.item(self._tree, one)) is None or item.mode == LINK
            ]
            self._new = [(one, content or self._target.id(one)) for one, content in self._new]
        return self._new

    def _allowed(self, path: str) -> Iterator[tuple[str, str]]:
        for one, content in self._target.differing(self._tree):
            if not self._skip or not one.startswith(self._skip) or path.startswith(self._skip):
                yield one, content

    def _haystack(self, path: str) -> tuple[bytes, list[int], list[str]]:
        """The contents of all that differs, one after the other, and where each begins."""
        if self._hay is None:
            new = {one for one, _ in self._appeared(path)}
            allowed = [one for one, _ in self._allowed(path)]
            pieces, starts, paths, size = [], [], [], 0
            for one in sorted(allowed, key=lambda one: one not in new)[:_FILES]:
                raw = self._target.raw(one)
                if raw is None or b"\0" in raw[:8192] or size + len(raw) > _BYTES:
                    continue
                starts.append(size)
                paths.append(one)
                pieces += [raw, b"\0"]
                size += len(raw) + 1
            self._hay = (b"".join(pieces), starts, paths)
        return self._hay


def _ending(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[2]


def _by_nearness(path: str, others: Sequence[str]) -> list[str]:
    """Paths, those first that have most in common with one: its name, then its folders."""
    parts = path.split("/")

    def common(other: str) -> tuple[bool, int]:
        return (other.rpartition("/")[2] != parts[-1], -len(set(parts) & set(other.split("/"))))

    return sorted(others, key=common)
