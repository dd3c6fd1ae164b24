"""References in a note's text that are given other lines, each as it was spelled. Nothing else in the text changes.

What is rewritten is read again before it is kept: a reference that would not be read as its new place stays as it was.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from scoutkit.knowledge import apart, citations, permalinks, respelling
from scoutkit.knowledge.apart import Given
from scoutkit.knowledge.citations import Reference
from scoutkit.knowledge.respelling import Move, ending
from scoutkit.knowledge.written import Edit
from scoutkit.model import pinned
from scoutkit.model.notes import Citation, Region

_VERSION = re.compile(r"://[^\s<>()]*?/(?:blob|blame|raw|tree|src|tag)/(?:tag/)?[vV]?[0-9]+(?:\.[0-9]+)+[^/\s]*/")
_LOOKS = 20  # times the whole text is read for one reference
_BLANK = re.compile(r"\n[ \t\r]*\n")


@dataclass(frozen=True, slots=True)
class Mended:
    """A text with its references rewritten. `missed`: those to moved lines that could not be, and stay as they were."""

    text: str
    missed: tuple[Reference, ...] = ()


def mend(text: str, places: Mapping[Citation, Region], known: Sequence[Citation], roots: Sequence[str] = ()) -> Mended:
    """The text with every reference to a citation of `places` pointing to where that is now.

    `known`: all of the note's citations, which say what a reference means. Links to a commit are true for ever and
    stay. Links to a version (`blob/v2.1/`) stay and are `missed`: whether that is a branch, the text does not say.
    """
    reading = _Reading(text, places, known, roots)
    if not reading.moves and not reading.unclear:
        return Mended(text)
    units = [*reading.units()]
    edits = _joined(unit.ways[0] if unit.ways else () for unit in units)
    left = {at for unit in units if not unit.ways for at in unit.moving}
    if edits is None or not reading.holds(edits):
        edits, left = _one_by_one(reading, units)
    missed = sorted(left | reading.unclear)
    return Mended(_edited(text, edits), tuple(reading.found[at] for at in missed))


def meaning(reference: Reference, known: Sequence[Citation]) -> Citation | None:
    """The citation of the note that a reference is, or None: the same lines, and a path that means that file."""
    found = _meant(reference, known)
    return found[0] if len({one.path for one in found}) == 1 else None


def _meant(reference: Reference, known: Sequence[Citation]) -> list[Citation]:
    """All that a reference may be, by the strictest reading that is any."""
    same = [one for one in known if _same_lines(reference, one)]
    if reference.symbol:
        same = [one for one in same if one.symbol == reference.symbol] or same
    for fits in (_exactly, ending, _folded, *(() if pinned.read(reference.path) else (_without_source,))):
        if found := [one for one in same if any(fits(way, one.path) for way in (reference.path, *reference.also))]:
            return found
    return []


def _same_lines(reference: Reference, one: Citation) -> bool:
    if reference.symbol:
        return f".{one.symbol}".endswith(f".{reference.symbol}")
    return (reference.start, reference.end) == (one.start, one.end)


def _exactly(reading: str, path: str) -> bool:
    return reading == path or pinned.same(reading, path)


def _without_source(reading: str, path: str) -> bool:
    """A path of another repository, written without its name."""
    place = pinned.read(path)
    return place is not None and ending(reading, place.path)


def _folded(reading: str, path: str) -> bool:
    return reading.casefold() == path.casefold()


@dataclass(frozen=True, slots=True)
class _Unit:
    """What is rewritten together or not at all: a citation with all its ranges, or an address with all its links.

    `moving`: numbers of its references that move. `ways`: edits that may do, the first that reads well is taken.
    """

    moving: frozenset[int]
    ways: tuple[Sequence[Edit], ...]


class _Reading:
    """A text's references, what each means and where that is now. `moves` and `unclear` are numbers of references."""

    def __init__(
        self, text: str, places: Mapping[Citation, Region], known: Sequence[Citation], roots: Sequence[str]
    ) -> None:
        self._text, self._roots = text, roots
        self.found = citations.read(text, roots=roots)
        self._given = {_key(text[slice(*one.label)]): one for one in reversed([*apart.given(text, roots=roots)])}
        self._now_known = [_at(one, places.get(one)) for one in known]
        self._was: dict[int, str] = {}
        self.moves: dict[int, Region] = {}
        self.unclear: set[int] = set()
        pinned = permalinks.pinned(text, self.found)
        earlier = [way for one in places for way in _earlier(one)]
        for at, one in enumerate(self.found):
            meant = _meant(one, known)
            if len({each.path for each in meant}) == 1:
                self._was[at] = meant[0].path
            moved = [places[each] for each in meant if each in places]
            concerned = moved if meant else _meant(one, earlier)
            address = self._address(one)
            if not concerned or one.offset in pinned or permalinks.names_commit(address):
                continue
            alike = {region if not one.symbol else region.path for region in moved}
            if len(moved) == len(meant) and len(alike) == 1 and at in self._was and not _VERSION.search(address):
                self.moves[at] = moved[0]
            else:
                self.unclear.add(at)

    def _apart(self, one: Reference) -> Given | None:
        """What a reference is or uses, where that is an address given apart."""
        if one.passage < 0:
            inside = (given for given in self._given.values() if 0 <= given.address[0] - one.offset < len(one.written))
            return next(inside, None)
        if one.symbol or not one.written.startswith("[") or not one.written.endswith("]"):
            return None
        return self._given.get(_key(respelling.key(one.written)))

    def _address(self, one: Reference) -> str:
        """The address of a link, with what is around it; else the citation as it is written."""
        if given := self._apart(one):
            return self._text[slice(*given.address)]
        return self._text[one.site.begin : one.site.end] if one.site else one.written

    def units(self) -> Iterator[_Unit]:
        """What is to be rewritten, in order."""
        uses: dict[Given, list[list[int]]] = {}
        for group in self._groups():
            if given := self._apart(self.found[group[0]]):
                uses.setdefault(given, []).append(group)
            elif moving := frozenset(group) & self.moves.keys():
                yield _Unit(moving, tuple(respelling.ways(self._text, self._moved(group), self._roots)))
        for given, groups in uses.items():
            if moving := frozenset(at for group in groups for at in group) & self.moves.keys():
                edits = respelling.given(self._text, given, self._moved(groups[0]), self._roots)
                for group in groups if edits is not None else ():
                    if self.found[group[0]].passage >= 0:
                        edits = [*(edits or ()), *respelling.used(self._text, self._moved(group), self._roots)]
                yield _Unit(moving, () if edits is None else (edits,))

    def _groups(self) -> Iterator[list[int]]:
        """The ranges of each citation."""
        group: list[int] = []
        for at, one in enumerate(self.found):
            if group and not one.part:
                yield group
                group = []
            group.append(at)
        if group:
            yield group

    def _moved(self, group: Sequence[int]) -> list[Move]:
        common = next((self._was[at] for at in group if at in self._was), self.found[group[0]].path)
        return [Move(self.found[at], self._was.get(at, common), self.moves.get(at)) for at in group]

    def holds(self, edits: Sequence[Edit], left: Collection[int] = ()) -> bool:
        """Is the text read as it is meant, with these edits?"""
        return self._holds(edits, left, (0, len(self._text)))

    def holds_nearby(self, edits: Sequence[Edit], unit: _Unit) -> bool:
        """Likewise, of one unit alone and looking no further than the lines around, up to blank ones."""
        if not edits:
            return True
        first, last = min(edit[0] for edit in edits), max(edit[1] for edit in edits)
        begin = max((found.end() for found in _BLANK.finditer(self._text, 0, first)), default=0)
        after = _BLANK.search(self._text, last)
        span = (begin, after.start() + 1 if after else len(self._text))
        return self._holds(edits, self.moves.keys() - unit.moving, span)

    def _holds(self, edits: Sequence[Edit], left: Collection[int], span: tuple[int, int]) -> bool:
        begin, end = span
        inside = [at for at, one in enumerate(self.found) if begin <= one.offset < end]
        text = _edited(self._text[begin:end], [(first - begin, last - begin, new) for first, last, new in edits])
        again = citations.read(text, roots=self._roots)
        return len(again) == len(inside) and all(
            _alike(one, self.found[at]) and self._is_meant(one, at, moves=at not in left)
            for one, at in zip(again, inside, strict=True)
        )

    def _is_meant(self, one: Reference, at: int, *, moves: bool) -> bool:
        before, now = self.found[at], self.moves.get(at) if moves else None
        lines = (now.start, now.end) if now and not one.symbol else (before.start, before.end)
        if (one.start, one.end, one.symbol) != (*lines, before.symbol):
            return False
        if now is None and one.path == before.path:
            return True
        path = now.path if now else self._was.get(at)
        meant = {each.path for each in _meant(one, self._now_known)}
        return meant == {path} if now or meant else one.path == path


def _one_by_one(reading: _Reading, units: Sequence[_Unit]) -> tuple[list[Edit], set[int]]:
    """The edits of the units that read well alone, and the references of the others."""
    kept: list[Edit] = []
    left: set[int] = set()
    looks = _LOOKS
    for unit in units:
        others = reading.moves.keys() - unit.moving
        for way in unit.ways:
            joined = _joined([kept, way])
            if joined is None:
                continue
            well = reading.holds_nearby(way, unit)
            if not well and looks:
                looks -= 1
                well = reading.holds(way, others)
            if well:
                kept = joined
                break
        else:
            left |= unit.moving
    return (kept, left) if reading.holds(kept, left) else ([], set(reading.moves))


def _joined(several: Iterable[Sequence[Edit]]) -> list[Edit] | None:
    """All edits in order, each once; None where two are of the same characters."""
    edits = sorted({edit for each in several for edit in each})
    return None if any(one[1] > other[0] for one, other in pairwise(edits)) else edits


def _alike(one: Reference, other: Reference) -> bool:
    """Are both written in plain HTML, as a link, as an address apart, in a table, or neither is?"""
    return [*_kind(one)] == [*_kind(other)] or bool(one.part or other.part)


def _kind(one: Reference) -> Iterator[bool]:
    site = one.site
    yield site is None
    yield one.passage < 0
    yield bool(site and site.row)
    yield bool(site and site.begin < one.offset) or (one.written.startswith("[") and one.written.endswith("]"))


def _at(one: Citation, now: Region | None) -> Citation:
    return replace(one, path=now.path, start=now.start, end=now.end) if now else one


def _earlier(one: Citation) -> Iterator[Citation]:
    """Where a text may still say that a citation is: references that were not rewritten before."""
    for said in (one.was, one.base):
        path, _, lines = said.rpartition(":")
        start, _, end = lines.partition("-")
        if path and start.isdecimal() and (not end or end.isdecimal()):
            yield Citation(path, int(start), int(end or start))


def _key(label: str) -> str:
    """What links and addresses given apart are matched by."""
    return " ".join(label.split()).lower().upper()


def _edited(text: str, edits: Sequence[Edit]) -> str:
    for begin, end, new in sorted(edits, reverse=True):
        text = text[:begin] + new + text[end:]
    return text
