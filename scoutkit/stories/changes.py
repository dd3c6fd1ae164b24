"""What changed under a note: where its cited lines are now, and that as text for whoever is to look again."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence

from scoutkit import git
from scoutkit.anchors import check
from scoutkit.anchors.check import Followed
from scoutkit.desk import Desk
from scoutkit.errors import ScoutError
from scoutkit.model.notes import Citation, Note, Region, Verdict
from scoutkit.snapshot import Snapshot

LONGEST = 24_000  # characters of the text
_MOST_LINES = 60  # of one region, or of one diff
_WIDEST = 300  # characters of a line
_COMMITS = 5
_LISTED = 40  # citations that hold, by name


def told(desk: Desk, note: Note, followed: Sequence[Followed], head: str) -> str:
    """For each citation that no longer holds: its lines as they were, where they are now, the difference, and the
    commits that touched the file since. Those that hold are listed. At most `LONGEST` characters."""
    counted = [one for one in followed if one.counts]
    lost = [one for one in counted if not one.holds]
    parts = [f"{len(lost)} of {len(counted)} citations no longer hold.", *_kept(counted)]
    commit = note.commit if check.is_commit(note.commit) else ""
    with desk.snapshot(commit or head) as before, desk.snapshot(head) as after:
        known: set[tuple[str, ...]] = set()
        room = LONGEST - sum(map(len, parts))
        for number, one in enumerate(lost):
            part = "\n".join(_part(desk, note, one, before if commit else None, after, known))
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
        if one.holds and one.now:
            now, was = _at(one.now), _at(one.base)
            places.append(now if now == was else f"{now} (was {was})")
    more = f" and {len(places) - _LISTED} more" if len(places) > _LISTED else ""
    return [f"Still as they were: {', '.join(places[:_LISTED])}{more}."] if places else []


def _part(
    desk: Desk,
    note: Note,
    one: Followed,
    before: Snapshot | None,
    after: Snapshot,
    known: set[tuple[str, ...]],
) -> Iterator[str]:
    """What there is to say of one citation. `known`: files whose commits were said."""
    symbol = f" ({one.citation.symbol})" if one.citation.symbol else ""
    yield f"== {one.citation.at}{symbol}: {_said(one)}"
    paths = tuple(dict.fromkeys((one.base.path, *([one.now.path] if one.now else []))))
    if before and paths in known:
        yield "Newest commits that touched the file since: as above"
    elif before and (commits := _commits(desk, paths, before.commit, after.commit)):
        known.add(paths)
        yield "Newest commits that touched the file since:"
        yield from (f"  {commit}" for commit in commits)
    old = _lines(before, one.base) if before else None
    now = one.now
    new = _lines(after, now) if now else None
    if not old:
        place = (one.base.path, one.base.start, one.base.end)
        first = [anchor.first for anchor in note.anchors if (anchor.path, anchor.start, anchor.end) == place]
        yield f"The old lines cannot be read any more; the first was: {first[0] if first else 'unknown'}"
    if old and new:
        was, here = f"{_at(one.base)} then", f"{_at(now)} now" if now else ""
        yield from _bounded(list(difflib.unified_diff(old, new, was, here, lineterm="")))
    elif old:
        yield "The lines as they were:"
        yield from _bounded(old)
    elif new:
        yield "The lines now:"
        yield from _bounded(new)


def _said(one: Followed) -> str:
    if one.located is None:
        return f"gone: {one.why}"
    if one.located.region:
        return f"edited, now {_at(one.located.region)}; {one.located.similarity:.0%} of the text is the same"
    if one.located.verdict is Verdict.AMBIGUOUS:
        places = ", ".join(_at(candidate.region) for candidate in one.located.candidates[:5])
        return f"ambiguous, may be any of {places}"
    return "gone"


def _commits(desk: Desk, paths: Sequence[str], old: str, new: str) -> list[str]:
    """Ids, dates and subjects of what touched the files since; none where the old commit is not here."""
    done = git.git(
        desk.where,
        *("log", f"-{_COMMITS}", "--no-merges", "--format=%h %as %s", "--end-of-options", f"{old}..{new}", "--"),
        *(f":(top,literal){path}" for path in paths),
    )
    return [line[:_WIDEST] for line in done.text.splitlines()] if done.code == 0 else []


def _lines(snapshot: Snapshot, region: Region) -> list[str] | None:
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
