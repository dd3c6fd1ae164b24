"""Lines of files, and what became of them. Apart from notes: who only follows lines does not wait for those."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Verdict(StrEnum):
    """What checking a citation said: the first four at capture, the rest later."""

    SUPPORTED = "supported"
    CORRECTED = "corrected"
    UNSUPPORTED = "unsupported"
    WRONG = "wrong"
    FRESH = "fresh"
    MOVED = "moved"
    EDITED = "edited"
    AMBIGUOUS = "ambiguous"
    GONE = "gone"
    UNCHECKED = "unchecked"  # in another repository, which is not here: it does not count


class Region(NamedTuple):
    """Lines of one file. `start` and `end` are 0 for a whole file, the columns (1-based, inclusive) for whole lines."""

    path: str
    start: int
    end: int
    start_col: int = 0
    end_col: int = 0


class Candidate(NamedTuple):
    """A place where cited lines may be now. `score`: how often such a place is the right one, 0 to 1."""

    region: Region
    score: float


class Located(NamedTuple):
    """Where cited lines are now: `fresh`, `moved` or `edited` with a region; `ambiguous` or `gone` without.

    `score` is how often such an answer is right, 0 to 1; `similarity` how much of the text is the same, 0 to 1.
    `candidates`: every place that was in question, best first.
    """

    verdict: Verdict
    region: Region | None
    score: float
    similarity: float = 0.0
    candidates: tuple[Candidate, ...] = ()
