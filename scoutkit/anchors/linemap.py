"""Which line of a text became which line of another: a patience diff, then edited lines by likeness.

Patience diff after Bram Cohen: common ends, then the lines that stand once in both texts, in their longest increasing
order, then the same between those. Where no line stands once, a longest common subsequence (Hyyrö's bit-parallel one,
in rapidfuzz). Lines are compared with blanks made even, so that a reindented line is the same line.
"""

from __future__ import annotations

import bisect
import functools
import itertools
from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from scoutkit.anchors.document import Document, tokens, weight

LIKE = 0.5  # the least likeness of a line and what it became
_FAR = 0.3  # of letters: words are not compared
_CELLS = 60_000  # pairs of lines compared in one gap: beyond this, only the lines asked for
_COMMON = 4_000_000  # pairs in a common subsequence


class Gap(NamedTuple):
    """Lines that are not matched: `old` up to `old_end`, in whose place are `new` up to `new_end`."""

    old: int
    old_end: int
    new: int
    new_end: int


class LineMap:
    """From the lines of one document to those of another, numbered from 0."""

    def __init__(self, old: Document, new: Document) -> None:
        self.old, self.new = old, new
        self._aligned: dict[Gap, dict[int, tuple[int, float]]] = {}
        self.head = _same(old.lines, new.lines)
        rest = min(len(old), len(new)) - self.head
        self.tail = _same(old.lines[::-1], new.lines[::-1], rest) if rest else 0

    def shifted(self, start: int, end: int) -> int | None:
        """How far a range moved, if all before it or all behind it is the same in both texts: nothing is diffed."""
        if end < self.head:
            return 0
        if start >= len(self.old) - self.tail:
            return len(self.new) - len(self.old)
        return None

    @functools.cached_property
    def _patient(self) -> tuple[list[int], list[Gap]]:
        """What lines that stand once say of all, and the parts of which they say nothing."""
        found = [-1] * len(self.old)
        found[: self.head] = range(self.head)
        if self.tail:
            found[len(self.old) - self.tail :] = range(len(self.new) - self.tail, len(self.new))
        between = Gap(self.head, len(self.old) - self.tail, self.head, len(self.new) - self.tail)
        return found, _patience(self.old.keys, self.new.keys, between, found)

    @functools.cached_property
    def to(self) -> list[int]:
        """For every old line the new line that is the same one, or -1."""
        found, left = self._patient
        for part in left:
            _common(self.old.keys, self.new.keys, part, found)
        return found

    @functools.cached_property
    def taken(self) -> dict[int, int]:
        """The new lines that an old line became unchanged, with that line."""
        return {at: line for line, at in enumerate(self.to) if at >= 0}

    def gap(self, line: int) -> Gap:
        """The gap an unmatched old line is in."""
        return self._gaps[bisect.bisect_right(self._gaps, (line, len(self.old) + 1)) - 1]

    @functools.cached_property
    def _gaps(self) -> list[Gap]:
        """Every stretch of unmatched old lines, in order."""
        gaps, begin, free = [], 0, 0
        for line, at in enumerate(self.to):
            if at >= 0:
                if line > begin:
                    gaps.append(Gap(begin, line, free, at))
                begin, free = line + 1, at + 1
        if begin < len(self.to):
            gaps.append(Gap(begin, len(self.to), free, len(self.new)))
        return gaps

    def place(self, line: int) -> tuple[int, float]:
        """The new line that an old one became, and how alike they are; -1 and 0 for none."""
        at = self._patient[0][line]  # mostly that is enough, and saves loading what the rest is found with
        if at >= 0 or (at := self.to[line]) >= 0:
            return at, 1.0
        gap = self.gap(line)
        if gap not in self._aligned:
            self._aligned[gap] = self._align(gap)
        return self._aligned[gap].get(line, (-1, 0.0))

    def _align(self, gap: Gap) -> dict[int, tuple[int, float]]:
        """Edited lines in order (Needleman and Wunsch), so that the likeness of all is greatest."""
        old = self.old.keys[gap.old : gap.old_end]
        new = self.new.keys[gap.new : gap.new_end]
        if not old or not new or len(old) * len(new) > _CELLS:
            return {}
        gains = [[_gain(a, b) for b in new] for a in old]
        best = [[0.0] * (len(new) + 1) for _ in range(len(old) + 1)]
        for i in range(len(old) - 1, -1, -1):
            row, below, gain = best[i], best[i + 1], gains[i]
            for j in range(len(new) - 1, -1, -1):
                taken = below[j + 1] + gain[j] if gain[j] > 0 else 0.0
                row[j] = max(taken, below[j], row[j + 1])
        found: dict[int, tuple[int, float]] = {}
        i = j = 0
        while i < len(old) and j < len(new):
            if gains[i][j] > 0 and best[i][j] == best[i + 1][j + 1] + gains[i][j]:
                found[gap.old + i] = (gap.new + j, likeness(old[i], new[j]))
                i, j = i + 1, j + 1
            elif best[i][j] == best[i + 1][j]:
                i += 1
            else:
                j += 1
        return found


@functools.lru_cache(maxsize=65_536)
def likeness(old: str, new: str) -> float:
    """How alike two lines are, 0 to 1: what they have in common, in order, of their letters, and of their words."""
    if old == new:
        return 1.0
    ratio, similarity = _measures()
    letters = ratio(old, new) / 100
    if letters < _FAR:
        return letters
    return 0.6 * letters + 0.4 * similarity(tokens(old), tokens(new))


@functools.cache
def _measures() -> tuple[Callable[[str, str], float], Callable[[list[str], list[str]], float]]:
    """Of letters, 0 to 100, and of words, 0 to 1. Loaded when two lines are first compared."""
    from rapidfuzz import fuzz
    from rapidfuzz.distance import Indel

    return fuzz.ratio, Indel.normalized_similarity


def unchanged(old: Sequence[str], new: Sequence[str]) -> list[int]:
    """For every old line the new one that is the same, or -1."""
    found = [-1] * len(old)
    for part in _patience(old, new, Gap(0, len(old), 0, len(new)), found):
        _common(old, new, part, found)
    return found


def _gain(old: str, new: str) -> float:
    alike = likeness(old, new)
    if alike < LIKE:
        return 0.0
    return (alike - LIKE + 0.01) * (1 + min(weight(old), weight(new)))


def _same(old: Sequence[str], new: Sequence[str], most: int | None = None) -> int:
    """How many lines at the beginning are the same."""
    number = 0
    for a, b in zip(old, new, strict=False):
        if a != b or number == most:
            break
        number += 1
    return number


def _patience(old: Sequence[str], new: Sequence[str], whole: Gap, found: list[int]) -> list[Gap]:
    """Match what can be matched by common ends and lines that stand once; the parts that are left."""
    todo, left = [whole], []
    while todo:
        a, a_end, b, b_end = todo.pop()
        while a < a_end and b < b_end and old[a] == new[b]:
            found[a] = b
            a, b = a + 1, b + 1
        while a < a_end and b < b_end and old[a_end - 1] == new[b_end - 1]:
            a_end, b_end = a_end - 1, b_end - 1
            found[a_end] = b_end
        if a == a_end or b == b_end or set(old[a:a_end]).isdisjoint(new[b:b_end]):
            continue
        part = Gap(a, a_end, b, b_end)
        pairs = _once_in_both(old, new, part)
        if not pairs:
            left.append(part)
            continue
        for x, y in pairs:
            found[x] = y
        for (x, y), (x_next, y_next) in zip([(a - 1, b - 1), *pairs], [*pairs, (a_end, b_end)], strict=True):
            if x_next - x > 1 and y_next - y > 1:
                todo.append(Gap(x + 1, x_next, y + 1, y_next))
    return left


def _once_in_both(old: Sequence[str], new: Sequence[str], part: Gap) -> list[tuple[int, int]]:
    """Lines that stand once in both parts: the longest run of pairs in the order of both."""
    a, a_end, b, b_end = part
    in_old, in_new = Counter(old[a:a_end]), Counter(new[b:b_end])
    at = {new[y]: y for y in range(b, b_end) if in_new[new[y]] == 1}
    pairs = [(x, at[old[x]]) for x in range(a, a_end) if in_old[old[x]] == 1 and old[x] in at]
    if all(before[1] < after[1] for before, after in itertools.pairwise(pairs)):
        return pairs
    tails: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for number, (_, y) in enumerate(pairs):
        place = bisect.bisect_left(tails, y)
        before.append(ends[place - 1] if place else -1)
        if place == len(tails):
            tails.append(y)
            ends.append(number)
        else:
            tails[place], ends[place] = y, number
    chain: list[tuple[int, int]] = []
    number = ends[-1] if ends else -1
    while number >= 0:
        chain.append(pairs[number])
        number = before[number]
    return chain[::-1]


def _common(old: Sequence[str], new: Sequence[str], part: Gap, found: list[int]) -> None:
    """Match by a longest common subsequence."""
    from rapidfuzz.distance import LCSseq

    a, a_end, b, b_end = part
    if (a_end - a) * (b_end - b) > _COMMON:
        return
    for step in LCSseq.opcodes(old[a:a_end], new[b:b_end]):
        if step.tag == "equal":
            for offset in range(step.src_end - step.src_start):
                found[a + step.src_start + offset] = b + step.dest_start + offset
