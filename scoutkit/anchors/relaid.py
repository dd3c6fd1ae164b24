"""Lines that a formatter laid out anew, between two texts: the same pieces in a row, on other lines."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from scoutkit.anchors.document import weight
from scoutkit.anchors.guess import Guess, Lines
from scoutkit.anchors.linemap import LineMap

_LONG = 400  # lines of a window
_BELOW = 5  # lines that say nothing, below it
_WORD = re.compile(r"\w+")
_SORTED = re.compile(r"\b(?:import|use|from|require)\b")


def relaid(line_map: LineMap, lines: Lines, placed: list[tuple[int, float]]) -> Guess | None:
    """The same words and signs in a row, on other lines: what a formatter makes of text."""
    new = [line_map.to[line] for line in range(lines.start, lines.end + 1)]
    gaps = [line_map.gap(lines.start + number) for number, at in enumerate(new) if at < 0]
    if not gaps or (all(alike == 0.0 for _, alike in placed) and gaps[0].new == gaps[0].new_end):
        return None
    low, high = min(gaps[0].old, lines.start), max(gaps[-1].old_end - 1, lines.end)
    begin = gaps[0].new if gaps[0].old <= lines.start else new[0]
    until = gaps[-1].new_end - 1 if gaps[-1].old_end > lines.end else new[-1]
    if not 0 <= begin <= until or max(high - low, until - begin) > _LONG:
        return None
    if not _may_be(lines.keys, line_map.new.keys[begin : until + 1]):
        return None
    found = _laid_out(line_map, lines, (low, high), (begin, until))
    if found is None and not all(weight(key) for key in line_map.old.keys[high : high + 2]):
        wide = _past_signs(line_map, high, until)  # the brace below may be another's
        found = _laid_out(line_map, lines, (low, wide[0]), (begin, wide[1]))
    return found


def _may_be(old: Sequence[str], new: Sequence[str]) -> bool:
    """Do the words of lines stand in a row in others, or all of them where imports may be sorted? Needs no tree."""
    was, now = (" ".join(_WORD.findall(" ".join(keys).lower())) for keys in (old, new))
    if _SORTED.search(was):
        return not words(old) - words(new)
    return f" {was} " in f" {now} "


def _past_signs(line_map: LineMap, high: int, until: int) -> tuple[int, int]:
    """The last old and the last new line of a window that also takes the lines below that say nothing."""
    below = high + 1
    while below < len(line_map.old) and (not weight(line_map.old.keys[below]) or line_map.to[below] < 0):
        below += 1
        if below - high > _BELOW:
            return high, until
    return below - 1, line_map.to[below] - 1 if below < len(line_map.old) else len(line_map.new) - 1


def _laid_out(line_map: LineMap, lines: Lines, old: tuple[int, int], new: tuple[int, int]) -> Guess | None:
    """The same pieces of lines, in the old and the new lines of a window."""
    until = new[1]
    before, after = line_map.old.structure.pieces(*old), line_map.new.structure.pieces(*new)
    inside = [number for number, piece in enumerate(before) if lines.start <= piece.row <= lines.end]
    if not inside:
        return None
    first, last = inside[0], inside[-1]
    was, now = [piece.text for piece in before], [piece.text for piece in after]
    if was == now:
        start, end = first, last
    else:
        to = in_common(was, now)
        start, end = to.get(first, -1), to.get(last, -1)
        wanted = was[first : last + 1]
        if start < 0 or now[start : end + 1] != wanted or sum(map(weight, wanted)) < 8:
            return None
        known = set(to.values())
        rows = range(after[start].row, after[end].end + 1)
        if any(number not in known for number, piece in enumerate(after) if piece.row in rows):
            return None  # something new stands beside it
    row = after[end].end
    while row < until and line_map.new.keys[row + 1] and not any(piece.row <= row + 1 <= piece.end for piece in after):
        row += 1  # a bracket that is no piece closes what ends here
    return Guess(after[start].row, row, "layout", 1.0, 1.0, kept=True)


def words(keys: Sequence[str]) -> Counter[str]:
    """The words of lines that were made even, without their case and their order."""
    return Counter(_WORD.findall(" ".join(keys).lower()))


def in_common(old: Sequence[str], new: Sequence[str]) -> dict[int, int]:
    """A longest common subsequence, by the places in both."""
    from rapidfuzz.distance import LCSseq

    to: dict[int, int] = {}
    for step in LCSseq.opcodes(old, new):
        if step.tag == "equal":
            to |= {step.src_start + n: step.dest_start + n for n in range(step.src_end - step.src_start)}
    return to
