"""Where what a note cites is now, and whether it still holds. A check never changes what a note stores."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from scoutkit.errors import ScoutError
from scoutkit.model import pinned, reference
from scoutkit.model.notes import Anchor, Citation, Located, Note, Region, Verdict

if TYPE_CHECKING:
    from scoutkit.anchors.region import Regions

HOLDING = (Verdict.FRESH, Verdict.MOVED)
_NUMBER = re.compile(r":[0-9]+(?:-[0-9]+)?\Z")  # one so long that it was taken for a part of the path
_COMMIT = re.compile(r"[0-9a-f]{7,64}")


@dataclass(frozen=True, slots=True)
class Followed:
    """A citation and what became of its lines. `base` is where they stood at the note's commit.

    `verdict` is `fresh`, `moved`, `edited`, `ambiguous`, `gone`, or `wrong` for one that was so at birth, which is not
    followed. One that cannot be followed is `gone`, and `why` says what is missing; but `unchecked` where its lines are
    in another repository that is not here.
    """

    citation: Citation
    base: Region
    verdict: Verdict
    located: Located | None = None
    why: str = ""

    @property
    def now(self) -> Region | None:
        """Where the lines are; None for `ambiguous`, `gone` and `wrong`."""
        return self.located.region if self.located else None

    @property
    def counts(self) -> bool:
        """Does it say anything about the note? One that was wrong at birth does not, nor one that was not looked at."""
        return self.verdict not in (Verdict.WRONG, Verdict.UNCHECKED)

    @property
    def holds(self) -> bool:
        """Is the same text still there, wherever it is now?"""
        return self.verdict in HOLDING


def follow(note: Note, regions: Regions) -> list[Followed]:
    """What became of every citation of a note, in order."""
    anchors = {(anchor.path, anchor.start, anchor.end): anchor for anchor in note.anchors}
    commit = note.commit if is_commit(note.commit) else ""
    return [
        _beside(citation, note, anchors, regions)
        if pinned.read(base(citation).path)
        else _follow(citation, commit, anchors, regions)
        for citation in note.citations
    ]


def holds(note: Note, regions: Regions) -> bool:
    """Do all of a note's citations hold at a target? A note that cites nothing does."""
    return hold(follow(note, regions))


def hold(followed: Iterable[Followed]) -> bool:
    """Do all that count hold?"""
    return all(one.holds for one in followed if one.counts)


def is_commit(written: str) -> bool:
    """Is it a commit id? What else a person may write there is not handed to git."""
    return bool(_COMMIT.fullmatch(written))


def base(citation: Citation) -> Region:
    """Where a citation stood at its note's commit: `check --fix` may have moved it since."""
    place = reference.read(citation.base) if citation.base else None
    return Region(*(place or (citation.path, citation.start, citation.end)))


def _follow(citation: Citation, commit: str, anchors: dict[tuple[str, int, int], Anchor], regions: Regions) -> Followed:
    was = base(citation)
    if citation.verdict is Verdict.WRONG:
        return Followed(citation, was, Verdict.WRONG)
    anchor = anchors.get((was.path, was.start, was.end))
    if not 1 <= was.start <= was.end:
        return Followed(citation, was, Verdict.GONE, why=_no_lines(was))
    if not commit and anchor is None:
        return Followed(citation, was, Verdict.GONE, why="the note has neither a commit nor an anchor to compare with")
    try:
        located = regions.locate(was, commit, anchor)
    except ScoutError as error:
        return Followed(citation, was, Verdict.GONE, why=error.message)
    return Followed(citation, was, _verdict(citation, located), located)


def _beside(citation: Citation, note: Note, anchors: dict[tuple[str, int, int], Anchor], regions: Regions) -> Followed:
    """One in another repository, followed to where that is now: `now` says at which commit of it."""
    was = base(citation)
    if citation.verdict is Verdict.WRONG:
        return Followed(citation, was, Verdict.WRONG)
    place, source = pinned.read(was.path), pinned.of(was.path, note.sources)
    assert place
    if source is None:
        return Followed(citation, was, Verdict.UNCHECKED, why=f"the note does not say where {place.name} is from")
    there = regions.beside(source)
    if there is None:
        return Followed(citation, was, Verdict.UNCHECKED, why=f"its source is not here: {source.origin}")
    anchor = anchors.get((was.path, was.start, was.end))
    bare = replace(citation, path=place.path, base="")
    stripped = {(place.path, was.start, was.end): replace(anchor, path=place.path)} if anchor else {}
    found = _follow(bare, source.commit, stripped, there.regions)

    def at(region: Region) -> Region:
        same = (region.path, region.start, region.end) == (place.path, was.start, was.end)
        commit = source.commit if same and found.verdict is Verdict.FRESH else there.commit
        return region._replace(path=f"{source.name}@{commit}:{region.path}")

    located = found.located and found.located._replace(
        region=found.located.region and at(found.located.region),
        candidates=tuple(one._replace(region=at(one.region)) for one in found.located.candidates),
    )
    return replace(found, citation=citation, base=was, located=located)


def _no_lines(was: Region) -> str:
    """Why a reference stands for no lines of any file."""
    if was.start:
        return "its end is before its start"
    return "no file has such a line" if _NUMBER.search(was.path) else "it names no lines"


def _verdict(citation: Citation, located: Located) -> Verdict:
    """The engine speaks of the place at the note's commit, a check of the place that the note names now."""
    now = located.region
    if now is None or located.verdict not in HOLDING:
        return located.verdict
    same = (now.path, now.start, now.end) == (citation.path, citation.start, citation.end)
    return Verdict.FRESH if same else Verdict.MOVED
