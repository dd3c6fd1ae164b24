"""Where lines of one text are in another: every place that may be meant, with what speaks for it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from scoutkit.anchors.document import Document, overlap, weight
from scoutkit.anchors.guess import Guess, Lines
from scoutkit.anchors.linemap import LineMap, likeness
from scoutkit.anchors.relaid import in_common, relaid

if TYPE_CHECKING:
    from scoutkit.anchors.structure import Part

_CONTEXT = 5  # lines above and below that must have come along
_LONG = 400  # lines of a definition whose words are compared
_POOR = 0.5  # of lines that survived: below it, the definition around is asked
_MUCH = 20  # letters and digits of lines that are looked for in other files though they were edited
_PLAIN = 0.7  # of lines that survived: from here on, the tree is not asked where both ends are sure
_WORD = re.compile(r"\w+")
_CLEAR = 0.35  # by how much a part must beat the next to be the counterpart


class Within:
    """One text, another, and how the lines of the first became those of the second."""

    def __init__(self, old: Document, new: Document) -> None:
        self.old, self.new = old, new
        self.map = LineMap(old, new)

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
            once = guess.context >= 0.3 or self.new.keys.count(lines.keys[0]) == 1
            yield guess if once else guess._replace(agreed=self._same_holder(lines, first, last))
            if once or guess.agreed:
                return
        if anew := relaid(self.map, lines, placed):
            yield anew
            return
        if lines.weight:
            yield from self._copies(lines)
        edited = self._edited(lines, placed)
        if edited and self._plain(lines, edited, placed):
            yield edited
            return
        part = self.old.structure.part(lines.start, lines.end, lines.columns)
        counterpart = self._counterpart(lines, part) if part else None
        if counterpart and (edited is None or counterpart.survived >= edited.survived - 0.15):
            agreed = edited is not None and (edited.start, edited.end) == (counterpart.start, counterpart.end)
            yield counterpart._replace(agreed=agreed)
            return
        if not rough and (edited is None or edited.how == "gap" or edited.survived < _POOR):
            inside = self._inside(lines)
            if inside and (edited is None or inside.survived > edited.survived):
                yield inside
                return
        if edited:
            yield edited

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
        old, new = self.old.structure.around(lines.start, lines.end), self.new.structure.around(start, end)
        return (
            old is None
            or new is None
            or old.name == new.name
            or not any(one.role == old.role for one in self.new.structure.parts(old.kind))
        )

    def _inside(self, lines: Lines) -> Guess | None:
        """Through the words of the definition that the lines are in: where their own words are in its counterpart."""
        holder = self.old.structure.around(lines.start, lines.end)
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
        to = in_common([word for word, *_ in before], [word for word, *_ in after])
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
        after, most = self.new.structure, sum(came.values()) > size / 2
        kin = after.parts(part.kind, range(min(came), max(came) + 1)) if most else []
        kin = [one for one in kin or after.parts(part.kind) if not self._is_anothers(part, one)]
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

    def _is_anothers(self, part: Part, one: Part) -> bool:
        """Is all that a new part says, unchanged, what other old lines said?"""
        said = [line for line in range(one.start, one.end + 1) if weight(self.new.keys[line])]
        return bool(said) and all(
            (line := self.map.taken.get(at)) is not None and not part.start <= line <= part.end for at in said
        )

    def _rate(
        self, part: Part, one: Part, placed: dict[int, tuple[int, float]], came: dict[int, float], size: int
    ) -> tuple[float, float]:
        """How well a part may be the counterpart; how much of the old one is in it."""
        inside = sum(gain for at, gain in came.items() if one.start <= at <= one.end)
        there = sum(weight(self.new.keys[line]) for line in range(one.start, one.end + 1)) if inside else 0
        flow = 2 * inside / (size + there) if inside else 0.0
        near = flow
        if part.end - part.start < _LONG:
            near = max(flow, overlap(self.old.keys[part.start : part.end + 1], self.new.keys[one.start : one.end + 1]))
        first, last = placed[part.start], placed[part.end]
        rate = 2.0 * near
        rate += 0.8 * first[1] if first[0] == one.start else 0.0
        rate += 0.4 * last[1] if last[0] == one.end else 0.0
        if part.role == one.role and self.old.structure.alone(part) and self.new.structure.alone(one):
            rate += 0.6
        if part.name:
            rate += 0.7 if part.name == one.name else 0.0
            rate += 0.3 if part.name == one.name and part.holders == one.holders else 0.0
        elif part.holders == one.holders:
            rate += 0.2
        rate -= 0.05 * min(abs(part.depth - one.depth), 4)
        return rate, min(max(inside / size if size else 0.0, near), 1.0)


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
