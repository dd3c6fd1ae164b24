"""What changed under a note: where its cited lines are now, and that as text for whoever is to look again."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scoutkit import git
from scoutkit.desk import Desk
from scoutkit.errors import ScoutError
from scoutkit.model.notes import Anchor, Citation, Located, Note, Region, Verdict

if TYPE_CHECKING:
    from scoutkit.anchors.region import Regions

HOLDS = (Verdict.FRESH, Verdict.MOVED)
LONGEST = 24_000  # characters of the text
_MOST_LINES = 60  # of one region, or of one diff
_WIDEST = 300  # characters of a line
_COMMITS = 5
_LISTED = 40  # citations that hold, by name


@dataclass(frozen=True, slots=True)
class Followed:
    """A citation and where its lines are now; `why` where that cannot be told."""

    citation: Citation
    region: Region  # at the note's commit
    located: Located | None
    why: str = ""

    @property
    def holds(self) -> bool:
        """Are the lines still there, as they were?"""
        return self.located is not None and self.located.verdict in HOLDS

    @property
    def verdict(self) -> str:
        """In a word."""
        return self.located.verdict.value if self.located else "unknown"


def follow(note: Note, regions: Regions) -> list[Followed]:
    """Every citation of a note that was ever right, in order. One that cannot be followed does not hold."""
    anchors = {(one.path, one.start, one.end): one for one in note.anchors}
    found = []
    for citation in note.citations:
        if citation.verdict is not Verdict.WRONG and citation.start:
            region = _base(citation)
            found.append(_follow(citation, region, note.commit, anchors.get(region_key(region)), regions))
    return found


def region_key(region: Region | Anchor) -> tuple[str, int, int]:
    """What an anchor is known by."""
    return region.path, region.start, region.end


def _base(citation: Citation) -> Region:
    from scoutkit.notefile import reference

    place = reference.read(citation.base) if citation.base else None
    return Region(*(place or (citation.path, citation.start, citation.end)))


def _follow(citation: Citation, region: Region, commit: str, anchor: Anchor | None, regions: Regions) -> Followed:
    try:
        return Followed(citation, region, regions.locate(region, commit, anchor))
    except ScoutError as error:
        return Followed(citation, region, None, error.message)


def told(desk: Desk, note: Note, followed: Sequence[Followed], head: str) -> str:
    """For each citation that no longer holds: its lines as they were, where they are now, the difference, and the
    commits that touched the file since. Those that hold are listed. At most `LONGEST` characters."""
    lost = [one for one in followed if not one.holds]
    parts = [f"{len(lost)} of {len(followed)} citations no longer hold.", *_kept(followed)]
    with desk.snapshot(note.commit or head) as before, desk.snapshot(head) as after:
        room = LONGEST - sum(map(len, parts))
        for number, one in enumerate(lost):
            part = "\n".join(_part(desk, note, one, before, after))
            if len(part) > room:
                parts.append(
                    f"[no room for {len(lost) - number} more: {', '.join(i.citation.at for i in lost[number:])}]"
                )
                break
            room -= len(part)
            parts.append(part)
    return "\n\n".join(parts)[: LONGEST + 2_000]


def _kept(followed: Sequence[Followed]) -> list[str]:
    places = []
    for one in followed:
        if one.holds and one.located and one.located.region:
            now = _at(one.located.region)
            places.append(now if one.located.verdict is Verdict.FRESH else f"{now} (was {one.citation.at})")
    more = f" and {len(places) - _LISTED} more" if len(places) > _LISTED else ""
    return [f"Still as they were: {', '.join(places[:_LISTED])}{more}."] if places else []


def _part(desk: Desk, note: Note, one: Followed, before: git.Snapshot, after: git.Snapshot) -> Iterator[str]:
    symbol = f" ({one.citation.symbol})" if one.citation.symbol else ""
    yield f"== {one.citation.at}{symbol}: {_said(one)}"
    commits = _commits(desk, one, note.commit, after.commit)
    if commits:
        yield "Newest commits that touched the file since:"
        yield from (f"  {commit}" for commit in commits)
    old = _lines(before, one.region)
    now = one.located.region if one.located else None
    new = _lines(after, now) if now else None
    if not old:
        first = [anchor.first for anchor in note.anchors if region_key(anchor) == region_key(one.region)]
        yield f"The old lines cannot be read any more; the first was: {first[0] if first else 'unknown'}"
    if old and new:
        was, here = f"{_at(one.region)} then", f"{_at(now)} now" if now else ""
        yield from _bounded(list(difflib.unified_diff(old, new, was, here, lineterm="")))
    elif old:
        yield "The lines as they were:"
        yield from _bounded(old)
    elif new:
        yield "The lines now:"
        yield from _bounded(new)


def _said(one: Followed) -> str:
    if one.located is None:
        return f"cannot be followed: {one.why}"
    if one.located.region:
        return f"edited, now {_at(one.located.region)}; {one.located.similarity:.0%} of the text is the same"
    if one.located.verdict is Verdict.AMBIGUOUS:
        places = ", ".join(_at(candidate.region) for candidate in one.located.candidates[:5])
        return f"ambiguous, may be any of {places}"
    return "gone"


def _commits(desk: Desk, one: Followed, old: str, new: str) -> list[str]:
    """Ids, dates and subjects of what touched the file since; none where the old commit is not here."""
    now = one.located.region if one.located else None
    paths = dict.fromkeys((one.region.path, *([now.path] if now else [])))
    done = git.git(
        desk.where,
        *("log", f"-{_COMMITS}", "--no-merges", "--format=%h %as %s", "--end-of-options", f"{old}..{new}", "--"),
        *(f":(top,literal){path}" for path in paths),
    )
    return [line[:_WIDEST] for line in done.text.splitlines()] if done.code == 0 and old else []


def _lines(snapshot: git.Snapshot, region: Region) -> list[str] | None:
    try:
        lines = snapshot.lines(region.path)
    except ScoutError:  # the commit is not here any more
        return None
    return lines[region.start - 1 : region.end] if lines else None


def _bounded(lines: Sequence[str]) -> Iterator[str]:
    yield from (f"  {line[:_WIDEST]}" for line in lines[:_MOST_LINES])
    if len(lines) > _MOST_LINES:
        yield f"  [{len(lines) - _MOST_LINES} more lines]"


def _at(region: Region) -> str:
    return Citation(region.path, region.start, region.end).at
