"""The birth check: does the commit that the agent saw hold, at each cited place, what the sentence says of it?

`supported` says that the lines match, not that the claim is true. Nothing is read from the working tree.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from scoutkit.config import NOTES
from scoutkit.knowledge import correcting
from scoutkit.knowledge.citations import Reference
from scoutkit.knowledge.correcting import Claim
from scoutkit.knowledge.evidence import Evidence, dotted
from scoutkit.knowledge.files import Files
from scoutkit.knowledge.looking import Doubt, Places, Sources, look
from scoutkit.knowledge.source import Source
from scoutkit.model.notes import Citation, Verdict
from scoutkit.snapshot import Snapshot

_PLACE = re.compile(r":[0-9][0-9,:–-]*$")
_SHOWN = 3  # names listed to a person
_TERMS = 16  # names, and quotes, that say where else a citation may belong
_UNREAD = "its file is not in this clone and cannot be fetched"
_BLOCK = "\n"  # what only a quote from a code block has


@dataclass(frozen=True, slots=True)
class Checked:
    """A reference that is a citation, what was found, and why, in one line for a person."""

    citation: Citation
    reference: Reference
    why: str
    evidence: Evidence | None = None


def check(references: Sequence[Reference], snapshot: Snapshot, *, notes: str = NOTES) -> list[Checked]:
    """A verdict for each reference, in order: `supported`, `corrected`, `unsupported` or `wrong`.

    What only looked like a citation (`redis:6379` where there is no such file) is left out. A corrected one is where
    it fits clearly best, at the size that `correcting` says, and keeps the place it had in `was`. `notes`: a folder
    that no shortened path and no correction leads into.
    """
    return _Check(references, snapshot, notes).run()


class _Check:
    def __init__(self, references: Sequence[Reference], snapshot: Snapshot, notes: str) -> None:
        self._references, self._notes = references, notes
        self._files = Files(snapshot, notes)
        self._sources = Sources(snapshot)
        self._checked: dict[int, Checked] = {}
        self._several: dict[int, tuple[str, ...]] = {}

    def run(self) -> list[Checked]:
        placed: list[tuple[str, int]] = []
        for number, reference in enumerate(self._references):
            found = self._files.find((reference.path, *reference.also), sure=reference.sure)
            if found.path:
                placed.append((found.path, number))
            elif reference.sure or (not reference.symbol and (found.several or self._files.means_file(reference.path))):
                self._checked[number] = self._one_of(reference, found.several) or _wrong(reference, found.why)
                self._several[number] = found.several
        for path, number in sorted(placed):
            if one := self._look(self._references[number], path):
                self._checked[number] = one
        for before, after in pairwise(sorted(self._checked)):
            self._unswap(before, after)
        self._correct()
        return [self._checked[number] for number in sorted(self._checked)]

    def _look(self, reference: Reference, path: str) -> Checked | None:
        """What the lines of a file say; None where it turns out to be no citation."""
        source = self._sources[path]
        if source.missing:
            return _unread(reference, path)
        if source.text is None:
            return _wrong(reference, "a binary file: it has no lines", path) if reference.sure else None
        if reference.symbol:
            return _defined(reference, source)
        start, end = reference.start, reference.end
        if not 1 <= start <= end:
            return _wrong(
                reference, "lines are counted from 1" if not start else "the last line is before the first", path
            )
        if end > len(source):
            return _wrong(reference, f"the file has {_count(len(source), 'line')}", path)
        citation = Citation(path, start, end, Verdict.UNSUPPORTED, source.enclosing(start, end))
        evidence = source.evidence(start, end, reference.names, reference.quotes, self._is_file)
        if evidence is None:
            return Checked(citation, reference, _absence(reference, citation.symbol, self._is_file))
        return Checked(replace(citation, verdict=Verdict.SUPPORTED), reference, _held(evidence), evidence)

    def _one_of(self, reference: Reference, paths: Sequence[str]) -> Checked | None:
        """The one of several files whose cited lines hold what is said."""
        if reference.symbol or not paths or len(paths) > 100 or not (reference.names or reference.quotes):
            return None
        found = [one for path in paths if (one := self._look(reference, path)) and one.evidence]
        return found[0] if len(found) == 1 else None

    def _unswap(self, before: int, after: int) -> None:
        """Two citations of one sentence, each of which holds only what is said of the other, are exchanged."""
        one, other = self._checked[before], self._checked[after]
        first, second = one.reference, other.reference
        if first.passage != second.passage or not (first.own and second.own) or first.own == second.own:
            return
        if not (one.evidence and other.evidence and one.citation.start and other.citation.start):
            return
        if self._own(one, first) or self._own(other, second):
            return
        there, here = self._own(other, first), self._own(one, second)
        if there and here and one.citation.at != other.citation.at:
            self._checked[before] = _moved(one, other.citation, there)
            self._checked[after] = _moved(other, one.citation, here)

    def _own(self, at: Checked, of: Reference) -> Evidence | None:
        """Do the lines of one citation hold what is said of this reference in particular?"""
        place = at.citation
        source = self._sources[place.path]
        return source.evidence(place.start, place.end, of.own.names, of.own.quotes, self._is_file)

    def _correct(self) -> None:
        doubts = [
            self._doubt(number, one)
            for number, one in sorted(self._checked.items())
            if one.citation.verdict in (Verdict.UNSUPPORTED, Verdict.WRONG) and one.why != _UNREAD
        ]
        doubts = [
            one
            for one in doubts
            if (one.claim.names or one.claim.quotes) and (one.path or not self._files.is_beyond(one.reference.path))
        ]
        for number, places in look(doubts, self._sources, self._files, notes=self._notes).items():
            self._checked[number] = self._corrected(self._checked[number], places)

    def _doubt(self, number: int, one: Checked) -> Doubt:
        reference = one.reference
        names = tuple(name for name in reference.own.names if not self._is_file(name))
        quotes = reference.own.quotes
        if names or quotes:
            quotes += tuple(quote for quote in reference.quotes if _BLOCK in quote)
        else:
            names = tuple(name for name in reference.names if not self._is_file(name))
            quotes = reference.quotes
        if reference.symbol:
            names, quotes = (reference.symbol,), ()
        names, quotes = names[:_TERMS], quotes[:_TERMS]
        start, end = reference.start, reference.end
        claim = Claim(names, quotes, start, end) if 0 < start <= end else Claim(names, quotes, 0, 0)
        found = self._files.find((reference.path, *reference.also), sure=reference.sure)
        return Doubt(number, reference, claim, found.path, self._several.get(number, ()), self._beside(number))

    def _beside(self, number: int) -> tuple[tuple[str, int, int], ...]:
        """Places that the same passage cites right before and after."""
        near = [self._checked.get(other) for other in range(max(number - 8, 0), number + 9) if other != number]
        passage = self._references[number].passage
        return tuple(
            (one.citation.path, one.citation.start, one.citation.end)
            for one in near
            if one and one.reference.passage == passage and one.citation.verdict is not Verdict.WRONG
        )

    def _corrected(self, one: Checked, places: Places) -> Checked:
        place = places.place
        if place is None:
            return replace(one, why=f"{one.why}; could be {correcting.listed(places.candidates)}")
        source = self._sources[place.path]
        symbol = source.enclosing(place.start, place.end)
        return _moved(one, Citation(place.path, place.start, place.end, symbol=symbol), place.evidence)

    def _is_file(self, name: str) -> bool:
        """Does a name say where, not what? `app.py`, `src/app.py`, `Makefile:12`."""
        path = _PLACE.sub("", name)
        return (path != name or "." in path or "/" in path) and self._files.has_named(path)


def _defined(reference: Reference, source: Source) -> Checked | None:
    """A citation by symbol, as the lines that define it."""
    from scoutkit import symbols

    wanted = reference.symbol
    found = [one for one in source.symbols if f".{one.qualified}".endswith(f".{wanted}")]
    found = [one for one in found if one.qualified == wanted] or found
    if len(found) == 1:
        place = Citation(source.path, found[0].start, found[0].end, Verdict.SUPPORTED, found[0].qualified)
        return Checked(place, reference, f"the lines define `{wanted}`", Evidence("definition", wanted))
    if not reference.sure and not found:
        return None
    if found:
        lines = ", ".join(str(one.start) for one in found[:_SHOWN])
        return _wrong(reference, f"`{wanted}` is defined {len(found)} times, on lines {lines}", source.path)
    if not symbols.has_table(symbols.language_of(source.path, source.text or "")):
        return _wrong(reference, "definitions are not known in files of this kind: cite lines", source.path)
    return _wrong(reference, f"the file defines no `{wanted}`", source.path)


def _moved(one: Checked, to: Citation, evidence: Evidence) -> Checked:
    """A citation corrected to a place."""
    written = one.reference
    was = (
        f"{written.path}::{written.symbol}" if written.symbol else Citation(written.path, written.start, written.end).at
    )
    citation = Citation(to.path, to.start, to.end, Verdict.CORRECTED, to.symbol, was)
    return Checked(citation, written, f"{one.why}; {_held(evidence)} here", evidence)


def _held(evidence: Evidence) -> str:
    if evidence.kind == "inside":
        return f"the lines are most of `{evidence.text}`"
    verb = "define" if evidence.kind == "definition" else "hold"
    return f"the lines {verb} " + ("the quoted text" if evidence.kind == "quote" else f"`{evidence.text}`")


def _wrong(reference: Reference, why: str, path: str = "") -> Checked:
    """`path`: of the file that is meant, where there is one; of a source it says which."""
    citation = Citation(path or reference.path, reference.start, reference.end, Verdict.WRONG, reference.symbol)
    return Checked(citation, reference, why)


def _unread(reference: Reference, path: str) -> Checked:
    """Right or wrong, nobody can say here: it is not called wrong, nor looked for elsewhere."""
    if not 1 <= reference.start <= reference.end:
        return _wrong(reference, _UNREAD, path)
    return Checked(Citation(path, reference.start, reference.end, Verdict.UNSUPPORTED), reference, _UNREAD)


def _absence(reference: Reference, symbol: str, is_file: Callable[[str], bool]) -> str:
    """Why the lines are not supported."""
    names = [f"`{name}`" for name in reference.names if not is_file(name)]
    if not names:
        quoted = bool(reference.quotes)
        return "the lines do not hold the quoted text" if quoted else "the sentence names nothing to look for"
    listed = ", ".join(names[:_SHOWN]) + (" …" if len(names) > _SHOWN else "")
    named = any(f".{symbol}".endswith(f".{dotted(name)}") for name in reference.names)
    inside = f"; they are inside `{symbol}`" if named else ""
    return f"the lines do not hold {listed}{inside}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
