"""Where what a sentence says really stands: every place of a file that holds some of it, and which fits best.

A place takes the size of what it fits. Where a name is defined: the whole definition (with its comment or without its
decorators, whichever has the cited length) if the cited range was about as long; the cited length from its beginning
if it was shorter. Where a quote or a mere use stands: the definition around it if that has just the cited length, else
the cited length from there, but no less than the quote.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scoutkit.knowledge.evidence import Evidence
from scoutkit.knowledge.source import Source

if TYPE_CHECKING:
    from scoutkit.symbols import Symbol

QUOTE, DEFINITION, AROUND, USE = 8.0, 4.0, 2.0, 1.0  # what each kind of evidence is worth
_SHORT_QUOTE = 5.0
_LONG = 12  # letters and digits of a quote that hardly stands anywhere by chance
_SAME_SIZE = 3.0  # a definition has just as many lines as were cited
_TELLING = 3  # lines from which that tells anything
_SAME_LINES = 4.0  # in another file, the very lines that were cited
_CLEARLY = 0.9  # by how much the best place is better than the next
_MOST = 60  # definitions of one name that are compared
_ABOUT = (0.5, 1.5)  # times the lines of a definition: a range of such a size meant all of it


@dataclass(frozen=True, slots=True)
class Claim:
    """What a citation is said to hold. `start` and `end` as it was written; 0 where it gave no lines."""

    names: tuple[str, ...]
    quotes: tuple[str, ...]
    start: int
    end: int

    @property
    def size(self) -> int:
        """Lines, 0 where none were given."""
        return max(self.end - self.start + 1, 1) if self.start else 0


@dataclass(frozen=True, slots=True)
class Fit:
    """A place that holds some of a claim; a higher `score` for more and better evidence."""

    path: str
    start: int
    end: int
    score: float
    evidence: Evidence
    held: int = 1  # names and quotes

    @property
    def at(self) -> str:
        """`path:start-end`."""
        return f"{self.path}:{self.start}" + (f"-{self.end}" if self.end > self.start else "")

    def overlaps(self, path: str, start: int, end: int) -> bool:
        """Do they share a line?"""
        return self.path == path and self.start <= end and start <= self.end


def best(fits: Iterable[Fit]) -> tuple[Fit | None, list[Fit]]:
    """The place that fits clearly best, or None; and those that are in question, best first."""
    ranked = sorted(fits, key=lambda fit: (-fit.score, fit.path, fit.start, fit.start - fit.end))
    apart: list[Fit] = []
    for fit in ranked:
        if not any(fit.overlaps(known.path, known.start, known.end) for known in apart):
            apart.append(fit)
        if len(apart) == 6:
            break
    if not apart:
        return None, []
    close = [fit for fit in apart if apart[0].score - fit.score < _CLEARLY]
    return (apart[0] if len(close) == 1 else None), close


def fits(source: Source, claim: Claim, *, elsewhere: bool = False) -> list[Fit]:
    """The places of a file that hold some of a claim. `elsewhere`: the claim was about another file."""
    return _Search(source, claim).fits(elsewhere=elsewhere) if source.text is not None and len(source) else []


class _Search:
    """One claim in one file."""

    def __init__(self, source: Source, claim: Claim) -> None:
        self._source, self._claim = source, claim
        self._quoted = {quote: source.lines.quoting(quote) for quote in claim.quotes}
        self._defined = {name: source.defining(name)[:_MOST] for name in claim.names}
        self._heads = {
            name: [(one.start, source.named_on(one)) for one in found] for name, found in self._defined.items()
        }
        self._used = {name: source.lines.naming(name) for name in claim.names}

    def fits(self, *, elsewhere: bool) -> list[Fit]:
        places: dict[tuple[int, int], float] = {}
        for start, end, bonus in self._places(elsewhere=elsewhere):
            places[start, end] = max(places.get((start, end), 0.0), bonus)
        found = []
        for (start, end), bonus in places.items():
            score, evidence, held = self._score(start, end)
            if evidence:
                score += USE if bonus == _SAME_LINES and self._is_chance(start, end, evidence) else bonus
                found.append(Fit(self._source.path, start, end, score, evidence, held))
        return found

    def _is_chance(self, start: int, end: int, evidence: Evidence) -> bool:
        """Among many lines some name or other stands, unless they begin where its definition does."""
        heads = (one for found in self._defined.values() for one in found)
        begins = any(one.lead <= start <= max(one.start, self._source.named_on(one)) for one in heads)
        return evidence.kind != "quote" and end - start >= _TELLING and not begins

    def _places(self, *, elsewhere: bool) -> Iterator[tuple[int, int, float]]:
        """Ranges in question, each with what its size or lines alone say for it."""
        if elsewhere and 0 < self._claim.start <= self._claim.end <= len(self._source):
            yield self._claim.start, self._claim.end, _SAME_LINES
        sure = False
        for found in self._quoted.values():
            for first, last in found:
                yield self._about(first, last)
                sure = True
        for defined in self._defined.values():
            for symbol in defined:
                yield self._whole(symbol)
                sure = True
        if not sure:
            yield from self._uses()

    def _whole(self, symbol: Symbol) -> tuple[int, int, float]:
        size, named = self._claim.size, self._source.named_on(symbol)
        for start in (symbol.start, symbol.lead, named):
            if size == symbol.end - start + 1:
                return start, symbol.end, _SAME_SIZE if size >= _TELLING else 0.0
        if size == 1:
            return named, named, 0.0
        lines = symbol.end - symbol.start + 1
        if size == 0 or size >= _ABOUT[0] * lines:
            if size > _ABOUT[1] * lines and self._gains(symbol, size):
                return symbol.start, min(symbol.start + size - 1, len(self._source)), 0.0
            return symbol.start, symbol.end, 0.0
        return symbol.start, symbol.start + size - 1, 0.0

    def _gains(self, symbol: Symbol, size: int) -> bool:
        """Does a range of the cited size from here hold more of what is said than the definition alone?"""
        end = min(symbol.start + size - 1, len(self._source))
        return self._score(symbol.start, end)[0] > self._score(symbol.start, symbol.end)[0]

    def _about(self, first: int, last: int) -> tuple[int, int, float]:
        """The place of a quote or a use: the definition around it if that has the cited size, else the cited size."""
        size = self._claim.size
        if size >= _TELLING:
            for start, symbol in self._source.by_size.get(size, ()):
                if symbol.lead <= first and last <= symbol.end and last - first + 1 < size:
                    return start, symbol.end, _SAME_SIZE
        return first, min(max(last, first + size - 1), len(self._source)), 0.0

    def _uses(self) -> Iterator[tuple[int, int, float]]:
        """Uses that stand within the cited size are one place."""
        until = 0
        for line in sorted({line for lines in self._used.values() for line in lines}):
            if line > until:
                start, end, bonus = self._about(line, line)
                yield start, end, bonus
                until = end

    def _score(self, start: int, end: int) -> tuple[float, Evidence | None, int]:
        """What lines hold: how much it is worth, the strongest of it, and how many names and quotes."""
        score, kind, what, held = 0.0, "", "", 0
        for quote, places in self._quoted.items():
            if any(start <= first and last <= end for first, last in places):
                held += 1
                score += QUOTE if sum(map(str.isalnum, quote)) >= _LONG else _SHORT_QUOTE
                kind, what = ("quote", quote) if kind != "quote" else (kind, what)
        for name in self._claim.names:
            defined = self._defined[name]
            if any(start <= named and first <= end for first, named in self._heads[name]):
                held += 1
                score += DEFINITION
                kind, what = ("definition", name) if kind not in ("quote", "definition") else (kind, what)
            elif any(start <= line <= end for line in self._used[name]):
                held += 1
                score += USE
                kind, what = (kind, what) if kind else ("name", name)
            elif any(one.start <= start and end <= one.end for one in defined):
                score += AROUND
        return score, Evidence(kind, what) if kind else None, held


def listed(places: Sequence[Fit], most: int = 3) -> str:
    """Places for a person: `a.py:1-5, b.py:3 and 2 more`."""
    rest = len(places) - most
    return ", ".join(place.at for place in places[:most]) + (f" and {rest} more" if rest > 0 else "")
