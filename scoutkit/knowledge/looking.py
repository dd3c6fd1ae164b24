"""Looks for what doubtful citations meant: in their own file, in files of the same name, then in the whole tree.

A place is taken only where it fits clearly best. One git process looks through the tree for all of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from scoutkit.knowledge import correcting
from scoutkit.knowledge.citations import Reference
from scoutkit.knowledge.correcting import DEFINITION, Claim, Fit
from scoutkit.knowledge.evidence import line_of, word_of
from scoutkit.knowledge.files import Files
from scoutkit.knowledge.source import Source
from scoutkit.knowledge.spelling import extension
from scoutkit.snapshot import Line, Snapshot

_MOST_WORDS = 400  # that are looked for at once
_FIRST, _THEN = 3_000_000, 12_000_000  # bytes of lines read for them: with the commonest words, and without
_COMMON = 100  # lines with a word that make it common, where there is too much to read
_WORDS = 6  # of one citation
_MOST_FILES = 16  # read for one citation: where more define what it names, nothing is clear
_ALL_FILES = 400  # read for one report
_ENOUGH = 0.5  # of the names said, that a place holds which neither defines one nor holds a quote
_SURELY = 5.0  # a quote, or a definition of the cited size: enough to lead from one file that exists to another
_PROSE = frozenset({"md", "markdown", "mdx", "rst", "txt", "adoc", "asciidoc", "html", "po", "log"})
_KEYWORDED = (  # a definition as most languages write it
    r"\b(?:def|class|func|function|fn|struct|type|interface|enum|trait|module|namespace|public|private|protected|internal"
    r"|macro_rules!|define|record|object)\b.*\b{0}\b"
)
_BARE = (  # as others do, which calls and assignments look like too
    r"\b(?:const|let|var|val|static|void)\b.*\b{0}\b"
    r"|^\s*(?:export\s+|async\s+|readonly\s+)*[\w.$\"']*\b{0}[\"']?\s*(?:[(=:]|$)|^[\w*&<>:, ]+\b{0}\s*\("
)


class Places(NamedTuple):
    """Where a citation may have meant: the one place, or None and those in question."""

    place: Fit | None
    candidates: list[Fit]


@dataclass(frozen=True, slots=True)
class Doubt:
    """A citation that its lines do not bear out. `path` is its file, "" where there is none; `several`: files it may
    mean; `taken`: places that the same passage cites beside it."""

    number: int
    reference: Reference
    claim: Claim
    path: str
    several: tuple[str, ...] = ()
    taken: tuple[tuple[str, int, int], ...] = ()


@dataclass(slots=True)
class Sources:
    """The files of a commit that were read."""

    snapshot: Snapshot
    _known: dict[str, Source] = field(default_factory=dict)

    def __getitem__(self, path: str) -> Source:
        if path not in self._known:
            self._known[path] = Source(path, self.snapshot)
        return self._known[path]

    def __len__(self) -> int:
        return len(self._known)


def look(doubts: Sequence[Doubt], sources: Sources, files: Files, *, notes: str) -> dict[int, Places]:
    """Where each was meant to point, by number; those of which nothing was found are left out."""
    found: dict[int, Places] = {}
    left: list[Doubt] = []
    for doubt in doubts:
        near = _in_file(doubt, sources)
        if near.candidates:
            found[doubt.number] = near
        if not near.candidates or (near.place and near.place.score < DEFINITION and doubt.claim.size > 1):
            left.append(doubt)
    if left:
        tree = _Tree(left, sources, files, notes)
        for doubt in left:
            far = tree.places(doubt)
            if far.candidates and (doubt.number not in found or far.place):
                found[doubt.number] = far
    return found


def _in_file(doubt: Doubt, sources: Sources) -> Places:
    if not doubt.path:
        return Places(None, [])
    source = sources[doubt.path]
    place, candidates = correcting.best(correcting.fits(source, doubt.claim))
    return Places(place if place and _is_free(place, doubt, source) else None, candidates)


def _is_free(place: Fit, doubt: Doubt, source: Source) -> bool:
    """May a citation be moved here? Not where it stands in what it names already, nor where its sentence cites too."""
    start, end = doubt.claim.start, doubt.claim.end
    if place.evidence.kind == "name" and place.held < _ENOUGH * len(doubt.claim.names):
        return False
    if doubt.path == place.path and start and place.evidence.kind != "quote":
        around = [one for name in doubt.claim.names for one in source.defining(name)]
        if any(
            one.lead <= start and end <= one.end and place.overlaps(place.path, one.lead, one.end) for one in around
        ):
            return False
    return not any(place.overlaps(*taken) for taken in doubt.taken)


class _Tree:
    """What one `git grep` says of the words that doubtful citations name and quote."""

    def __init__(self, doubts: Sequence[Doubt], sources: Sources, files: Files, notes: str) -> None:
        self._sources, self._files = sources, files
        wanted = dict.fromkeys(word for doubt in doubts for word in _words(doubt.claim))
        self._hits = _hits(list(wanted)[:_MOST_WORDS], sources.snapshot, notes.rstrip("/"))

    def places(self, doubt: Doubt) -> Places:
        """The best place in files of the same name, else in any."""
        chosen, whole = self._files_for(doubt)
        fits = {path: self._fits(path, doubt) for path in chosen}
        alike = {*doubt.several, *self._files.namesakes(doubt.reference.path)}
        near = correcting.best(fit for path in chosen if path in alike for fit in fits[path])
        far = correcting.best(fit for path in chosen for fit in fits[path]) if whole else (None, [])
        for place, candidates in (near, far):
            if place and place.score >= (_SURELY if doubt.path else DEFINITION):
                return Places(place if self._free(place, doubt) else None, candidates)
        if doubt.path:  # there is such a file: names alone do not lead to another
            return Places(None, [fit for fit in far[1] if fit.score >= DEFINITION])
        place, candidates = near if near[1] else far
        return Places(place if place and self._free(place, doubt) else None, candidates)

    def _free(self, place: Fit, doubt: Doubt) -> bool:
        return _is_free(place, doubt, self._sources[place.path])

    def _fits(self, path: str, doubt: Doubt) -> list[Fit]:
        if path == doubt.path or len(self._sources) > _ALL_FILES:
            return []
        return correcting.fits(self._sources[path], doubt.claim, elsewhere=not doubt.path)

    def _files_for(self, doubt: Doubt) -> tuple[list[str], bool]:
        """Files worth reading, and whether they are all of those that define or quote what is meant."""
        alike = {*doubt.several, *self._files.namesakes(doubt.reference.path)}
        claim = doubt.claim
        prose = extension(doubt.reference.path) in _PROSE  # what is said of code is in documents too, this one perhaps
        hits = [hit for word in _words(claim) for hit in self._hits.get(word, ())]
        hits = [hit for hit in hits if prose or extension(hit.path) not in _PROSE]
        known = {hit.path for hit in hits}
        telling = {hit.path: None for hit in self._telling(claim) if hit.path in known}
        near = {hit.path: None for hit in hits if hit.path in alike}
        some = {hit.path: None for hit in hits if claim.start <= hit.number <= claim.end and claim.size <= 3}
        if not telling and not near and len(known) <= _MOST_FILES:
            some |= dict.fromkeys(hit.path for hit in hits)
        chosen = list({**dict.fromkeys(list(near)[:_MOST_FILES]), **telling, **some})
        return chosen[: 2 * _MOST_FILES], len(telling) <= _MOST_FILES and len(chosen) <= 2 * _MOST_FILES

    def _telling(self, claim: Claim) -> list[Line]:
        """Lines that hold the longest line of a quote; where there are none, those that look like a definition."""
        quoting = []
        for quote in claim.quotes:
            line, word = line_of(quote)
            quoting += [hit for hit in self._hits.get(word, ()) if line in " ".join(hit.text.split())]
        if quoting:
            return quoting
        defining = []
        for word in dict.fromkeys(filter(None, map(word_of, claim.names))):
            for written in (_KEYWORDED, _BARE):
                pattern = re.compile(written.replace("{0}", re.escape(word)))
                if found := [hit for hit in self._hits.get(word, ()) if pattern.search(hit.text[:500])]:
                    defining += found
                    break
        return defining


def _words(claim: Claim) -> list[str]:
    found = [line_of(quote)[1] for quote in claim.quotes] + [word_of(name) for name in claim.names]
    return list(dict.fromkeys(word for word in found if word))[:_WORDS]


def _hits(words: list[str], snapshot: Snapshot, notes: str) -> Mapping[str, list[Line]]:
    """The lines that hold each word. Where they are too many to read, those of the rarer words."""
    lines, whole = snapshot.grep(words, outside=notes, most=_FIRST)
    if not whole:
        some = _by_word(words, lines)
        common = max(map(len, some.values())) / 4
        words = [word for word in words if len(some[word]) <= max(common, _COMMON)]
        lines, whole = snapshot.grep(words, outside=notes, most=_THEN)
    return _by_word(words, lines) if whole else {}


def _by_word(words: Iterable[str], lines: Iterable[Line]) -> Mapping[str, list[Line]]:
    known = {word: [] for word in words}  # type: dict[str, list[Line]]
    if not known:
        return known
    either = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, sorted(known, key=len, reverse=True)))})(?!\w)")
    for line in lines:
        for word in set(either.findall(line.text[:2000])):
            known[word].append(line)
    return known
