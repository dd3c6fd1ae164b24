"""The words of the full-text index as one sorted text beside it: asking Whoosh for each takes a hundred times as long.

It may have words that no note has any more, which Whoosh knows, and lacks none.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

FILE = "vocabulary"


class Vocabulary:
    """Words, by how they begin and how they end."""

    def __init__(self, text: str) -> None:
        self._text = text  # one line a word, with a line end before the first

    @classmethod
    def read(cls, folder: Path) -> Vocabulary:
        """Of an index's folder. OSError where it has none yet."""
        return cls((folder / FILE).read_text("utf-8"))

    @classmethod
    def of(cls, words: Iterable[str]) -> Vocabulary:
        """Of these words, in any order."""
        return cls("".join(f"\n{word}" for word in sorted(set(words))) + "\n")

    def and_those(self, words: Iterable[str]) -> Vocabulary:
        """These and some more."""
        return Vocabulary.of([*self._text.split("\n")[1:-1], *words])

    def save(self, folder: Path) -> None:
        """Whole or not at all."""
        fresh = folder / f"{FILE}.{os.getpid()}"
        fresh.write_text(self._text, "utf-8")
        fresh.replace(folder / FILE)

    def beginning(self, letters: str) -> list[str]:
        """The words that begin so."""
        start = self._text.find(f"\n{letters}") + 1
        if not start:
            return []
        last = self._text.rindex(f"\n{letters}") + 1
        return self._text[start : self._text.index("\n", last)].split("\n")

    def ending(self, letters: str, before: int) -> Iterator[str]:
        """The words that end so, with so many characters before that at most."""
        end = f"{letters}\n"
        at = self._text.find(end)
        while at >= 0:
            start = self._text.rfind("\n", max(at - before - 1, 0), at) + 1
            if start:
                yield self._text[start : at + len(letters)]
            at = self._text.find(end, at + 1)


def words_of(text: str) -> set[str]:
    """The words of a text as the index has them."""
    return {word.lower() for word in re.findall(r"\w+", text)}
