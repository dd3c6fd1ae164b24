"""What the best file's lead over the second is worth, as measured; the only place that knows the bands."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Band:
    """Leads from `least` (times the second file's score) up to the next band.

    `first` and `five`: of 100 measured questions with such a lead, how often the best file was right, and how often a
    right one was among the first five. `leaders`: files a report begins with; `per_file`: ranges of each.
    """

    least: float
    lead: str
    word: str
    first: int
    five: int
    leaders: int
    per_file: int


# Measured on 530 public questions: benchmarks/questions/run.py, on the sets named in docs/accuracy.md.
BANDS = (
    Band(1.5, "a clear lead", "high", 89, 97, leaders=1, per_file=4),
    Band(1.25, "a lead", "medium", 79, 93, leaders=2, per_file=4),
    Band(1.1, "a small lead", "medium", 62, 92, leaders=3, per_file=2),
    Band(0.0, "hardly any lead", "low", 50, 87, leaders=5, per_file=2),
)


def band(margin: float) -> Band:
    """The band of a lead."""
    return next(one for one in BANDS if margin >= one.least)


def word(margin: float, *, files: int, said: int, absent: int) -> str:
    """`high`, `medium` or `low`. Low too where nothing was found, or half of the question's words are nowhere."""
    return "low" if not files or 2 * absent >= max(1, said) else band(margin).word
