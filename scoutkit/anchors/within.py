"""Where lines of one text are in another: every place that may be meant, with what speaks for it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from scoutkit.anchors import structure
from scoutkit.anchors.document import Document, weight
from scoutkit.anchors.linemap import LineMap, likeness
from scoutkit.anchors.structure import Part

_CONTEXT = 5  # lines above and below that must have come along
_LONG = 400  # lines of a definition whose words are compared
_POOR = 0.5
_MUCH = 20  # letters and digits of lines that are looked for in other files though they were edited
_PLAIN = 0.7
_WORD = re.compile(r"\w+")
_CLEAR = 0.35  # by how much a part must beat the next to be the counterpart


@dataclass(frozen=True, slots=True)
class Guess:
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


@dataclass(frozen=True, slots=True)
class Lines:
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


class Within:
    """One text, another, and how the lines of the first became those of the second."""

    def __init__(self, old: Document, new: Document) -> None:
        self.old, self.new = old, new
        self.map = LineMap(old, new)
        self._before, self._after = old.structure, new.structure

    def follow(self, lines: Lines, *, rough: bool = False) -> Iterator[Guess]:
        """Every place that lines may be at now, the likeliest first. `rough`: without those that only the words of the
        definition around would give, for a step that can still be halved."""
        shift = self.map.shifted(lines.start, lines.end)
        if shift is not None:
            yield Guess(lines.start + shift, lines.end + shift, "diff", 1.0, 1.0, kept=True)
            return
        placed = [self.map.place(line) for line in range(lines.start, lines.end + 1)]
        first, last = placed[0][0], placed[-1][0]
        exact = all(alike == 1.0 for _, alike in placed)
        if exact and last - first == lines.end - lines.start:
            guess = Guess(first, last, "diff", 1.0, self.context(lines, first, last), kept=True)
            once = guess.context >= 0.3 or len(self.new.places.get(lines.keys[0], ())) == 1
            yield guess if once else replace(guess, agreed=self._same_holder(lines, first, last))
            if once or guess.agreed:
                return
        if relaid := self._relaid(lines, placed):
            yield relaid
            return
        if lines.weight:
            yield from self._copies(lines)
        edited = self._edited(lines, placed)
        if edited and self._plain(lines, edited, placed):
            yield edited
            return
        part = self._before.part(lines.start, lines.end, lines.columns)
        counterpart = self._counterpart(lines, part) if part else None
        if counterpart and (edited is None or counterpart.survived >= edited.survived - 0.15):
            agreed = edited is not None and (edited.start, edited.end) == (counterpart.start, counterpart.end)
            yield replace(counterpart, agreed=agreed)
            return
        if not rough and (edited is None or edited.how == "gap" or edited.survived < _POOR):
            inside = self._inside(lines)
            if inside and (edited is None or inside.survived > edited.survived):
                yield inside
                return
        if edited:
            yield edited

    def _relaid(self, lines: Lines, placed: list[tuple[int, float]]) -> Guess | None:
        """The same words and signs in a row, on other lines: what a formatter makes of text."""
        new = [self.map.to[line] for line in range(lines.start, lines.end + 1)]
        gaps = [self.map.gap(lines.start + number) for number, at in enumerate(new) if at < 0]
        if not gaps or (all(alike == 0.0 for _, alike in placed) and gaps[0].new == gaps[0].new_end):
            return None
        low, high = min(gaps[0].old, lines.start), max(gaps[-1].old_end - 1, lines.end)
        begin = gaps[0].new if gaps[0].old <= lines.start else new[0]
        until = gaps[-1].new_end - 1 if gaps[-1].old_end > lines.end else new[-1]
        if not 0 <= begin <= until or max(high - low, until - begin) > _LONG:
            return None
        if _all_words(lines.keys) - _all_words(self.new.keys[begin : until + 1]):
            return None  # which needs no syntax tree to see
        found = self._laid_out(lines, (low, high), (begin, until))
        if found is None and high + 1 < len(self.old) and not weight(self.old.keys[high + 1]):
            wide = self._past_signs(high, until)  # the brace below may be another's
            found = self._laid_out(lines, (low, wide[0]), (begin, wide[1]))
        return found

    def _past_signs(self, high: int, until: int) -> tuple[int, int]:
        """The last old and the last new line of a window that also takes the lines below that say nothing."""
        below = high + 1
        while below < len(self.old) and (not weight(self.old.keys[below]) or self.map.to[below] < 0):
            below += 1
            if below - high > _CONTEXT:
                return high, until
        return below - 1, self.map.to[below] - 1 if below < len(self.old) else len(self.new) - 1

    def _laid_out(self, lines: Lines, old: tuple[int, int], new: tuple[int, int]) -> Guess | None:
        """The same pieces of lines, in the old and the new lines of a window."""
        until = new[1]
        before, after = self._before.pieces(*old), self._after.pieces(*new)
        inside = [number for number, piece in enumerate(before) if lines.start <= piece.row <= lines.end]
        if not inside:
            return None
        first, last = inside[0], inside[-1]
        words, now = [piece.text for piece in before], [piece.text for piece in after]
        if words == now:
            start, end = first, last
        else:
            to = _in_common(words, now)
            start, end = to.get(first, -1), to.get(last, -1)
            wanted = words[first : last + 1]
            if start < 0 or now[start : end + 1] != wanted or sum(map(weight, wanted)) < 8:
                return None
            known = set(to.values())
            rows = range(after[start].row, after[end].end + 1)
            if any(number not in known for number, piece in enumerate(after) if piece.row in rows):
                return None  # something new stands beside it
        row = after[end].end
        while row < until and self.new.keys[row + 1] and not any(piece.row <= row + 1 <= piece.end for piece in after):
            row += 1  # a bracket that is no piece closes what ends here
        return Guess(after[start].row, row, "layout", 1.0, 1.0, kept=True)

    def _plain(self, lines: Lines, edited: Guess, placed: list[tuple[int, float]]) -> bool:
        """Is a place so clear from the lines alone that the syntax tree would add nothing?"""
        if edited.edges < 2 or edited.survived < _PLAIN:
            return False
        first, last = placed[0], placed[-1]
        keys = lines.keys
        sure = [alike == 1.0 and weight(key) >= 4 for key, (_, alike) in ((keys[0], first), (keys[-1], last))]
        return all(sure) or (edited.end - edited.start == lines.end - lines.start and len(keys) <= 2)

    def cut(self, lines: Lines) -> bool:
        """Were the lines taken out, with at most a few around them, and nothing put in their place?"""
        if any(self.map.to[line] >= 0 for line in range(lines.start, lines.end + 1)):
            return False
        gap = self.map.gap(lines.start)
        return gap.new == gap.new_end and gap.old_end - gap.old <= lines.end - lines.start + 1 + _CONTEXT

    def elsewhere(self, lines: Lines) -> Iterator[Guess]:
        """Where lines are in a text that never was theirs: the same text, or much of it."""
        size = lines.end - lines.start
        starts = self.new.runs(lines.keys)
        for start in starts[:20]:
            context = self.context(lines, start, start + size)
            yield Guess(start, start + size, "copy", 1.0, context, kept=True, others=len(starts) - 1)
        if not starts and lines.weight >= _MUCH:
            yield from self.follow(lines)

    def _same_holder(self, lines: Lines, start: int, end: int) -> bool:
        """Are old and new lines in a part with the same name, as far as is known?"""
        old, new = self._before.around(lines.start, lines.end), self._after.around(start, end)
        return (
            old is None
            or new is None
            or old.name == new.name
            or not any(one.role == old.role for one in self._after.parts(old.kind))
        )

    def _inside(self, lines: Lines) -> Guess | None:
        """Through the words of the definition that the lines are in: where their own words are in its counterpart."""
        holder = self._before.around(lines.start, lines.end)
        if holder is None or holder.end - holder.start > _LONG:
            return None
        around = Lines(self.old, holder.start, holder.end)
        found = self._counterpart(around, holder)
        if found is None or found.end - found.start > _LONG:
            return None
        before = _words(self.old, holder.start, holder.end)
        after = _words(self.new, found.start, found.end)
        first, last = (lines.start, max(lines.columns[0] - 1, 0)), (lines.end, lines.columns[1] or 10**9)
        inside = [n for n, (word, row, at) in enumerate(before) if first <= (row, at) < last]
        to = _in_common([word for word, *_ in before], [word for word, *_ in after])
        rows = [after[to[n]][1] for n in inside if n in to]
        if not rows or len(rows) < len(inside) / 2:
            return None
        return Guess(rows[0], rows[-1], "words", found.survived * len(rows) / len(inside), found.context, edges=1)

    def context(self, lines: Lines, start: int, end: int) -> float:
        """How many of the nearest lines around that say something are around the new place too."""
        above = _nearest(self.old, range(lines.start - 1, -1, -1))
        below = _nearest(self.old, range(lines.end + 1, len(self.old)))
        if not above and not below:
            return 1.0
        reach = _CONTEXT * 3
        now_above = set(self.new.keys[max(start - reach, 0) : start])
        now_below = set(self.new.keys[end + 1 : end + 1 + reach])
        found = sum(key in now_above for key in above) + sum(key in now_below for key in below)
        return found / (len(above) + len(below))

    def _copies(self, lines: Lines) -> Iterator[Guess]:
        """The same text elsewhere, where it is not another old line's."""
        size = lines.end - lines.start
        starts = [at for at in self.new.runs(lines.keys) if not any(at + n in self.map.taken for n in range(size + 1))]
        for start in starts[:20]:
            context = self.context(lines, start, start + size)
            yield Guess(start, start + size, "copy", 1.0, context, kept=True, others=len(starts) - 1)

    def _edited(self, lines: Lines, placed: list[tuple[int, float]]) -> Guess | None:
        """By the lines that are still there, or became others."""
        total = lines.weight
        known = [number for number, (at, _) in enumerate(placed) if at >= 0]
        keys = lines.keys
        survived = sum(weight(keys[number]) * placed[number][1] for number in known) / total if total else 0.0
        if not known or (total and survived < 0.15):
            return self._replaced(lines)
        start = placed[known[0]][0] if known[0] == 0 else self._head(lines, known[0], placed[known[0]][0])
        last = len(placed) - 1
        end = placed[known[-1]][0] if known[-1] == last else self._tail(lines, known[-1], placed[known[-1]][0])
        edges = (known[0] == 0) + (known[-1] == last)
        return Guess(start, end, "diff", survived, self.context(lines, start, end), edges=edges)

    def _head(self, lines: Lines, known: int, at: int) -> int:
        """Where the region begins, if its first line is not there any more: with what stands in its place."""
        above = lines.start - 1
        while above >= 0 and self.map.place(above)[0] < 0:
            above -= 1
        free = self.map.place(above)[0] + 1 if above >= 0 else 0
        stretch = at - free
        outside = lines.start - 1 - above
        return at - min(stretch, known) if outside else at - max(stretch, 0)

    def _tail(self, lines: Lines, known: int, at: int) -> int:
        """The same for the end."""
        below = lines.end + 1
        while below < len(self.old) and self.map.place(below)[0] < 0:
            below += 1
        free = self.map.place(below)[0] - 1 if below < len(self.old) else len(self.new) - 1
        stretch = free - at
        lost = lines.end - lines.start - known
        outside = below - lines.end - 1
        return at + min(stretch, lost) if outside else at + max(stretch, 0)

    def _replaced(self, lines: Lines) -> Guess | None:
        """Lines of which nothing is left may have become what stands in their place."""
        if self.map.to[lines.start] >= 0:
            return None
        gap = self.map.gap(lines.start)
        if gap.new == gap.new_end or gap.old_end <= lines.end:
            return None
        size = lines.end - lines.start + 1
        whole = (gap.old, gap.old_end) == (lines.start, lines.end + 1)
        spans = [(gap.new, gap.new_end - 1)] if whole else []
        spans += [(at, min(at + size, gap.new_end) - 1) for at in range(gap.new, gap.new_end)][:200]
        text = "\n".join(lines.keys)
        rated = [(likeness(text, "\n".join(self.new.keys[a : b + 1])), -a, -b) for a, b in spans]
        alike, start, end = max(rated)
        return Guess(-start, -end, "gap", alike * 0.6, self.context(lines, -start, -end), edges=0)

    def _counterpart(self, lines: Lines, part: Part) -> Guess | None:
        """The part of the new text that this part has become."""
        placed = {line: self.map.place(line) for line in range(part.start, part.end + 1)}
        came = {at: weight(self.old.keys[line]) * alike for line, (at, alike) in placed.items() if at >= 0}
        size = sum(weight(self.old.keys[line]) for line in placed)
        kin = self._after.parts(part.kind, range(min(came), max(came) + 1)) if sum(came.values()) > size / 2 else []
        kin = kin or self._after.parts(part.kind)
        if not kin:
            return None
        rated = sorted(((self._rate(part, one, placed, came, size), one) for one in kin), key=lambda pair: -pair[0][0])
        (best, survived), found = rated[0]
        runner_up = next(
            (rate for (rate, _), one in rated[1:] if (one.start, one.end) != (found.start, found.end)), 0.0
        )
        if best < 1.0 or best - runner_up < _CLEAR:
            return None
        return Guess(found.start, found.end, "part", survived, self.context(lines, found.start, found.end))

    def _rate(
        self, part: Part, one: Part, placed: dict[int, tuple[int, float]], came: dict[int, float], size: int
    ) -> tuple[float, float]:
        """How well a part may be the counterpart; how much of the old one is in it."""
        inside = sum(gain for at, gain in came.items() if one.start <= at <= one.end)
        there = sum(weight(self.new.keys[line]) for line in range(one.start, one.end + 1)) if inside else 0
        flow = 2 * inside / (size + there) if inside else 0.0
        near = max(flow, structure.overlap(self.old, part, self.new, one) if part.end - part.start < 400 else 0.0)
        first, last = placed[part.start], placed[part.end]
        rate = 2.0 * near
        rate += 0.8 * first[1] if first[0] == one.start else 0.0
        rate += 0.4 * last[1] if last[0] == one.end else 0.0
        if part.role == one.role and self._before.alone(part) and self._after.alone(one):
            rate += 0.6
        if part.name:
            rate += 0.7 if part.name == one.name else 0.0
            rate += 0.3 if part.name == one.name and part.holders == one.holders else 0.0
        elif part.holders == one.holders:
            rate += 0.2
        rate -= 0.05 * min(abs(part.depth - one.depth), 4)
        return rate, min(max(inside / size if size else 0.0, near), 1.0)


def _all_words(keys: Sequence[str]) -> Counter[str]:
    return Counter(_WORD.findall(" ".join(keys).lower()))


def _in_common(old: Sequence[str], new: Sequence[str]) -> dict[int, int]:
    """A longest common subsequence, by the places in both."""
    from rapidfuzz.distance import LCSseq

    to: dict[int, int] = {}
    for step in LCSseq.opcodes(old, new):
        if step.tag == "equal":
            to |= {step.src_start + n: step.dest_start + n for n in range(step.src_end - step.src_start)}
    return to


def _words(document: Document, start: int, end: int) -> list[tuple[str, int, int]]:
    """The words of lines, with their row and column from 0."""
    rows = range(start, end + 1)
    return [(found[0], row, found.start()) for row in rows for found in _WORD.finditer(document.lines[row])]


def _nearest(document: Document, numbers: range) -> list[str]:
    """The nearest lines that say something."""
    found: list[str] = []
    for number in numbers:
        if weight(key := document.keys[number]):
            found.append(key)
            if len(found) == _CONTEXT:
                break
    return found
