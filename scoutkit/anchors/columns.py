"""Where columns are in lines that were found: through the words and signs the old and new lines share."""

from __future__ import annotations

import re

from scoutkit.anchors.within import Lines

_TOKEN = re.compile(r"\w+|[^\w\s]")
GONE = (-1, -1)


def follow(old: Lines, new: Lines) -> tuple[int, int]:
    """The columns (from 1, inclusive) of the same characters in the new lines; 0, 0 where none were asked for, and
    `GONE` where none of them is left."""
    if not old.columns[0] or not old.columns[1]:
        return 0, 0
    if _whole(old):
        lines = new.document.lines
        return len(lines[new.start]) - len(lines[new.start].lstrip()) + 1, max(len(lines[new.end].rstrip()), 1)
    from rapidfuzz.distance import LCSseq

    before, after = _tokens(old), _tokens(new)
    first = (0, old.columns[0] - 1)
    last = (old.end - old.start, old.columns[1] - 1)
    inside = [
        n for n, (row, begin, until, _) in enumerate(before) if (row, until - 1) >= first and (row, begin) <= last
    ]
    if not inside:
        return old.columns
    to: dict[int, int] = {}
    for step in LCSseq.opcodes([token for *_, token in before], [token for *_, token in after]):
        if step.tag == "equal":
            to |= {step.src_start + n: step.dest_start + n for n in range(step.src_end - step.src_start)}
    left = [to[n] for n in inside if n in to]
    words = [n for n in inside if before[n][3][0].isalnum() or before[n][3][0] == "_"]
    if not left or (words and not any(n in to for n in words)):
        at = _beside(to, inside, len(after))
        return (after[at[0]][1] + 1, after[at[1]][2]) if at else GONE
    begin = after[left[0]][1] + 1 + (max(first[1] - before[inside[0]][1], 0) if before[inside[0]][0] == 0 else 0)
    return begin, after[left[-1]][2]


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
    texts = lines.document.lines[lines.start : lines.end + 1]
    return [(row, m.start(), m.end(), m[0]) for row, text in enumerate(texts) for m in _TOKEN.finditer(text)]
