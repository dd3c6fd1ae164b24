"""A file's text as lines that can be compared. Reads nothing: whoever has the bytes makes one."""

from __future__ import annotations

import contextlib
import functools
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scoutkit.anchors.structure import Structure

_TOKEN = re.compile(r"\w+|[^\w\s]")
_WORD = re.compile(r"\w")


class Document:
    """Lines without their ends, numbered from 0 here; `id` is the same for the same text."""

    def __init__(self, id: str, path: str, text: str) -> None:  # noqa: A002 - an object's name
        self.id, self.path, self.text = id, path, text
        lines = text.replace("\r\n", "\n").replace("\r", "\n" if "\n" not in text else "\r").split("\n")
        self.lines: Sequence[str] = lines[:-1] if lines and not lines[-1] else lines

    @classmethod
    def read(cls, id: str, path: str, raw: bytes) -> Document | None:  # noqa: A002
        """The document of a file's bytes; None for a binary one (a NUL in its first 8 kB)."""
        return None if b"\0" in raw[:8192] else cls(id, path, raw.decode("utf-8", "replace"))

    @functools.cached_property
    def structure(self) -> Structure:
        """What its lines are in their language."""
        from scoutkit.anchors.structure import Structure

        return Structure(self.path, self.text, self.lines)

    def __len__(self) -> int:
        return len(self.lines)

    @functools.cached_property
    def keys(self) -> list[str]:
        """Lines with blanks made even: what makes two lines the same."""
        return list(map(_even, self.lines))

    @functools.cached_property
    def said(self) -> frozenset[str]:
        """The different lines that say something."""
        return frozenset(key for key in set(self.keys) if len(key) > 3)

    def runs(self, keys: Sequence[str]) -> list[int]:
        """The lines at which these keys stand one after the other, blank ones at the ends of the run included."""
        wanted = list(keys)
        telling = max(range(len(wanted)), key=lambda at: len(wanted[at]))
        starts = (number - telling for number in self.places(wanted[telling]))
        return [at for at in starts if at >= 0 and self.keys[at : at + len(wanted)] == wanted]

    def places(self, key: str) -> Iterator[int]:
        """Where a key stands."""
        at = -1
        with contextlib.suppress(ValueError):
            while True:
                at = self.keys.index(key, at + 1)
                yield at


@functools.lru_cache(maxsize=65_536)
def _even(line: str) -> str:
    """A line with blanks made even. The versions of a file share most lines: each is kept once."""
    return " ".join(line.split())


def tokens(line: str) -> list[str]:
    """Words and signs of a line."""
    return _TOKEN.findall(line)


@functools.lru_cache(maxsize=65_536)
def weight(key: str) -> int:
    """How much a line says: its letters and digits, at most 40. A brace or a blank line says nothing."""
    return min(len(_WORD.findall(key)), 40)


def overlap(old: Sequence[str], new: Sequence[str]) -> float:
    """How much of two lists of lines is the same, in any order, 0 to 1 (Dice, weighed by what a line says)."""
    before, after = Counter(old), Counter(new)
    both = sum(min(number, after[key]) * weight(key) for key, number in before.items() if key in after)
    size = sum(map(weight, old)) + sum(map(weight, new))
    return 2 * both / size if size else 0.0
