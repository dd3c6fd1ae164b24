"""What looking through notes finds: hits, and problems."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Hit:
    """A note that search found. `score` is higher for better; `marks` are the matches' (start, end) in `snippet`;
    `length` is how many characters the note's text has, 0 where that was not looked at, `citations` how many it has."""

    id: str
    path: str
    title: str
    type: str
    status: str
    score: float
    snippet: str = ""
    marks: tuple[tuple[int, int], ...] = ()
    length: int = 0
    citations: int | None = None


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with a note file that does not stop the others."""

    path: str
    line: int
    problem: str
    hint: str
