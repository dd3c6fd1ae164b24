"""A citation's page: the cited lines as the agent saw them, beside what stands there now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from scoutkit.browse import differing, note
from scoutkit.browse.differing import Line, Side
from scoutkit.browse.file import in_git
from scoutkit.browse.markdown import coloured_lines, visible
from scoutkit.browse.pages import Asked, Made, file_address
from scoutkit.desk import Desk
from scoutkit.errors import NotFound, ScoutError
from scoutkit.model import pinned
from scoutkit.model.notes import Citation, Region
from scoutkit.stories import standing

if TYPE_CHECKING:
    from scoutkit.anchors.check import Followed
    from scoutkit.anchors.region import Regions

AROUND = 6  # lines above and below
MOST = 400  # cited lines that are shown
_WIDEST = 500  # characters of a line


def page(desk: Desk, asked: Asked) -> Made:
    """Then and now. NotFound where the note has no such citation."""
    from scoutkit.anchors import check, touched
    from scoutkit.anchors.region import Regions
    from scoutkit.dispatch import sources

    found = note.read(desk, asked.parts["id"])
    number, last = int(asked.parts["number"]), len(found.citations) - 1
    if number > last:
        raise NotFound(f"the note has no citation {number}", "open the note")
    to = standing.target(desk, None)
    with Regions(desk.repository, to, notes=desk.settings.notes, elsewhere=sources.here) as regions:
        one = check.follow(replace(found, citations=(found.citations[number],)), regions)[0]
        then, now = differing.marked(_then(regions, found.commit, one), _now(desk, regions, one))
    commits = touched.count(desk.where, found.commit, to or "HEAD", [one], uncommitted=not to) if _ours(one) else {}
    told = {
        "note": found,
        "title": visible(found.title),
        "number": number,
        "at": visible(one.citation.at),
        "verdict": one.verdict.value,
        "said": note.SAID[one.verdict.value],
        "why": one.why,
        "symbol": visible(one.citation.symbol),
        "touched": commits.get(one),
        "sides": (("As the agent saw it", then), ("As it is now", now)),
        "file": one.base.path if _ours(one) else "",
        "places": [visible(_at(each.region)) for each in one.located.candidates] if one.located and not one.now else [],
        "permalink": note.permalink(desk, found.commit, one.base),
        "previous": number - 1 if number else None,
        "next": number + 1 if number < last else None,
    }
    return Made("scoutkit_sides.html", told)


def _ours(one: Followed) -> bool:
    """Is it in this repository, at a place that can be followed?"""
    return one.counts and one.base.start > 0 and not pinned.read(one.base.path)


def _then(regions: Regions, commit: str, one: Followed) -> Side:
    """What stood there; cited lines that are otherwise now are marked."""
    if pinned.read(one.base.path):
        return Side(_at(one.base), why="in another repository")
    try:
        lines = regions.lines_at(commit, one.base.path) if commit else ()
    except ScoutError as error:
        return Side(_at(one.base), why=error.message)
    return _side(one.base, lines, "the commit has no such file" if commit else "the note names no commit")


def _now(desk: Desk, regions: Regions, one: Followed) -> Side:
    """What stands there now."""
    if one.now is None:
        return Side("", why=note.SAID[one.verdict.value])
    if pinned.read(one.now.path):
        return Side(_at(one.now), why="in another repository")
    if not in_git(desk, one.now.path):
        return Side(_at(one.now), why="in a file that git ignores")
    try:
        side = _side(one.now, regions.lines(one.now.path), "no such file")
        return replace(side, to=f"{file_address(one.now.path)}#line-{one.now.start}")
    except ScoutError as error:
        return Side(_at(one.now), why=error.message)


def _side(region: Region, lines: Sequence[str], missing: str) -> Side:
    if not lines:
        return Side(_at(region), why=missing)
    first = max(1, region.start - AROUND)
    cited = range(region.start, (region.end or len(lines)) + 1)
    end = min(len(lines), cited.stop - 1, region.start + MOST) + AROUND
    texts = [visible(line[:_WIDEST].rstrip("\r\n")) for line in lines[first - 1 : end]]
    code = coloured_lines("\n".join(texts), path=region.path)
    shown = [Line(first + number, html, first + number in cited) for number, html in enumerate(code)]
    return Side(_at(region), tuple(shown), more=max(0, cited.stop - 1 - end))


def _at(region: Region) -> str:
    return Citation(region.path, region.start, region.end).at
