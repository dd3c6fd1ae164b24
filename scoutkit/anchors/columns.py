"""Where columns are in lines that were found: through the words and signs the old and new lines share."""

from __future__ import annotations

import re
from typing import NamedTuple

from scoutkit.anchors.guess import Lines
from scoutkit.anchors.relaid import in_common

_TOKEN = re.compile(r"\w+|[^\w\s]")


class Spot(NamedTuple):
    """Lines from 0 and columns from 1, all inclusive; columns 0 where whole lines are meant."""

    start: int
    end: int
    start_col: int = 0
    end_col: int = 0


def follow(old: Lines, new: Lines) -> Spot | None:
    """The same characters in the new lines; None where none of them is left."""
    whole = Spot(new.start, new.end)
    if not old.columns[0] or not old.columns[1]:
        return whole
    if _texts(old) == _texts(new):
        return Spot(new.start, new.end, *old.columns)
    if _whole(old):
        lines = new.document.lines
        indent = len(lines[new.start]) - len(lines[new.start].lstrip())
        return _within(new, indent + 1, max(len(lines[new.end].rstrip()), 1))
    before, after = _tokens(old), _tokens(new)
    begin, until = (0, old.columns[0] - 1), (old.end - old.start, old.columns[1] - 1)
    inside = [n for n, (row, at, to, _) in enumerate(before) if (row, to - 1) >= begin and (row, at) <= until]
    if not inside:
        return _within(new, *old.columns)
    to = in_common([token for *_, token in before], [token for *_, token in after])
    left = [to[n] for n in inside if n in to]
    words = [n for n in inside if before[n][3][0].isalnum() or before[n][3][0] == "_"]
    if not left or (words and not any(n in to for n in words)):
        replaced = _beside(to, inside, len(after))
        if replaced is None:
            return None
        first, last, offset, short = after[replaced[0]], after[replaced[1]], 0, 0
    else:
        first, last = after[left[0]], after[left[-1]]
        offset = max(begin[1] - before[inside[0]][1], 0) if before[inside[0]][0] == 0 and inside[0] in to else 0
        ends = before[inside[-1]][0] == until[0] and inside[-1] in to
        short = max(before[inside[-1]][2] - old.columns[1], 0) if ends else 0
    return Spot(new.start + first[0], new.start + last[0], first[1] + 1 + offset, last[2] - short)


def _within(new: Lines, start_col: int, end_col: int) -> Spot:
    """Columns, as far as the new lines have them: blanks alone may be beyond their ends."""
    last = min(end_col, max(len(new.document.lines[new.end]), 1))
    first = min(start_col, max(len(new.document.lines[new.start]), 1))
    return Spot(new.start, new.end, min(first, last) if new.start == new.end else first, last)


def _beside(to: dict[int, int], inside: list[int], number: int) -> tuple[int, int] | None:
    """The new tokens between what stood left and right of the old ones: they were replaced."""
    left = max((to[n] for n in to if n < inside[0]), default=-1)
    right = min((to[n] for n in to if n > inside[-1]), default=number)
    return (left + 1, right - 1) if left + 1 < right else None


def _whole(lines: Lines) -> bool:
    """Do the columns hold all that is in the lines?"""
    texts = lines.document.lines
    first, last = texts[lines.start], texts[lines.end]
    return not first[: lines.columns[0] - 1].strip() and not last[lines.columns[1] :].strip()


def _tokens(lines: Lines) -> list[tuple[int, int, int, str]]:
    """Row, begin, end and text of each token."""
    return [(row, m.start(), m.end(), m[0]) for row, text in enumerate(_texts(lines)) for m in _TOKEN.finditer(text)]


def _texts(lines: Lines) -> list[str]:
    return list(lines.document.lines[lines.start : lines.end + 1])
