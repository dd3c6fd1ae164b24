"""Lines that are looked for, a place they may be at, and what became of the search."""

from __future__ import annotations

from typing import NamedTuple

from scoutkit.anchors.document import Document, weight


class Guess(NamedTuple):
    """A place, from 0, inclusive. `survived`: how much of the old lines' content is in it, 0 to 1. `context`: how many
    of the lines around came along, 0 to 1. `kept`: the same lines, blanks aside. `how` it was found."""

    start: int
    end: int
    how: str
    survived: float
    context: float
    kept: bool = False
    path: str = ""
    others: int = 0  # places as good
    agreed: bool = True  # the diff and the syntax tree say the same
    share: float = 0.0  # of a renamed file: how much of the old one it holds
    behind: float = 0.0  # by how much the best such file is better
    edges: int = 2  # of the first and last line, how many are known


class Found(NamedTuple):
    """The best place, if there is a clear one, how sure it is, and every place that was in question, best first."""

    guess: Guess | None
    score: float
    rated: tuple[tuple[float, Guess], ...] = ()

    @property
    def ambiguous(self) -> bool:
        """Are there places, and none of them clearly the best?"""
        return self.guess is None and bool(self.rated)


class Lines(NamedTuple):
    """Lines of a document, from 0, inclusive; columns from 1, 0 for whole lines."""

    document: Document
    start: int
    end: int
    columns: tuple[int, int] = (0, 0)

    @property
    def keys(self) -> list[str]:
        return self.document.keys[self.start : self.end + 1]

    @property
    def weight(self) -> int:
        return sum(map(weight, self.keys))
