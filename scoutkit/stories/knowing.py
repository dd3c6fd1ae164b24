"""What is known about a place: the notes whose cited lines are there now, wherever they were when it was written."""

from __future__ import annotations

import contextlib
import difflib
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from scoutkit import git
from scoutkit.desk import Desk
from scoutkit.model import pinned
from scoutkit.model.notes import Note, Verdict
from scoutkit.stories import arrivals
from scoutkit.stories.arrivals import Text
from scoutkit.stories.bearing import Asked, Place, hit

if TYPE_CHECKING:
    from scoutkit.anchors.check import Followed
    from scoutkit.anchors.region import Regions
    from scoutkit.difference import Difference
    from scoutkit.model.pinned import Pinned
    from scoutkit.model.places import Repository
    from scoutkit.search.citing import Cited

MOST = 200  # notes whose lines are followed for one answer
_CHANGED = 6  # lines of a difference
_WIDEST = 160  # characters of one
_STATUS = {"draft": 0.7, "deprecated": 0.3}


@dataclass(frozen=True, slots=True)
class Known:
    """A note, the places it cites there, nearest first, and what it says of the first. A note that only mentions the
    path has no place. `marks`: where in `says` the place is named."""

    note: Note
    places: tuple[Place, ...]
    score: float
    says: str
    marks: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """What is known, best first. `drifted`: so many notes were written about these lines, which are elsewhere or gone.

    `unfollowed`: so many notes were not looked at: there are more than would be followed.
    `more`: so many were left out by the limit.
    """

    known: tuple[Known, ...]
    drifted: int = 0
    unfollowed: int = 0
    more: int = 0


def about(
    desk: Desk, path: str, start: int = 0, end: int = 0, *, limit: int | None = None, most: int | None = None
) -> Answer:
    """What is known about a file, lines of it, or a folder, as the working tree has it (HEAD in a bare repository).

    `path` is relative to the repository's root. Nearest first, then what holds, then the newest. The lines of at most
    `most` notes are followed, or MOST.
    """
    rows = desk.catalogue.citing([path])
    paths, symbols = desk.catalogue.cited_places()
    lost = arrivals.lost(desk, paths, path)
    naming = [] if start or not re.search(r"[/.]", path) or outside(path) else desk.catalogue.naming(path)
    if not (rows or lost or naming or symbols):
        return Answer(())
    from scoutkit.anchors.region import Regions

    with Regions(desk.repository, _target(desk), notes=desk.settings.notes, elsewhere=_here) as regions:
        text = regions.lines(path)
        moved, unseen = arrivals.moved_in(desk, rows, lost, symbols, [Text(path, text)], regions)
        chosen, unfollowed = _chosen([*rows, *moved], start, MOST if most is None else most)
        folder = desk.repository.toplevel is not None and (desk.repository.toplevel / path).is_dir()
        asked = Asked(path, start, end or start, there=bool(text) or folder or regions.there(path))
        found, drifted, written = [], 0, {row.note for row in rows}
        for note, followed in _followed(desk, chosen, regions):
            places = sorted(asked.places(followed), key=lambda place: -place.near)
            if places:
                found.append(_known(note, places))
            drifted += not places and start > 0 and note.path in written
        named = [(note_id, name) for note_id, name in naming if name not in chosen and name not in written]
        room = len(named) if limit is None else max(0, limit - len(found))
        for note_id, name in named[:room]:
            found.append(_known(replace(desk.notebook.note(name), id=note_id, path=name), (), path))
        ranked = _ranked(found)
        shown = [_told(one, regions) for one in ranked[:limit]]
    left = len(ranked) - len(shown) + len(named[room:])
    return Answer(tuple(shown), drifted, unfollowed + unseen, left)


def outside(path: str) -> bool:
    """Does a path lead out of the repository? No note can cite what is there."""
    return path == ".." or path.startswith("../")


def nowhere(desk: Desk, path: str, end: int = 0) -> str:
    """Why no note can cite a place whose last line is `end`, to be said after that none does; "" where there is such a
    file, folder or pattern, or no working tree to look in."""
    top = desk.repository.toplevel
    if outside(path):
        return ", which is outside of this repository"
    missing = top is not None and not (top / path).exists() and not re.search(r"[*?\[]", path)
    if missing:
        return ", and there is no such file in the working tree"
    lines = length(desk, path) if end else None
    return "" if lines is None or lines >= end else f", and the file has {lines:,} line{'s' * (lines != 1)}"


def length(desk: Desk, path: str) -> int | None:
    """How many lines a file of the working tree has; None where there is no such file, or it is no text."""
    from scoutkit.anchors.document import Document

    top = desk.repository.toplevel
    if top is None or not (top / path).is_file():
        return None
    with contextlib.suppress(OSError):
        document = Document.read("", path, (top / path).read_bytes())
        return None if document is None else len(document)
    return None


def touched(desk: Desk, difference: Difference, *, limit: int | None = None) -> Answer:
    """What is known about the lines that a difference changes or removes, and about those that it adds.

    A citation is followed to both sides: it bears on the difference where its lines are among the old or the new ones.
    Those that it touches most come first.
    """
    hunks = [hunk for hunk in difference.hunks if not hunk.path.startswith(f"{desk.settings.notes}/")]
    files = list(dict.fromkeys(path for hunk in hunks for path in (hunk.old_path, hunk.path) if path))
    if not files:
        return Answer(())
    rows = desk.catalogue.citing(files)
    paths, symbols = desk.catalogue.cited_places()
    lost = arrivals.lost(desk, paths, *files)
    if not (rows or lost or symbols):
        return Answer(())
    from scoutkit.anchors.region import Regions
    from scoutkit.objects import Objects

    notes = desk.settings.notes
    with Objects(desk.where) as objects:
        new = Regions(desk.repository, difference.new, staged=difference.staged, notes=notes, objects=objects)
        old = Regions(desk.repository, difference.old, notes=notes, objects=objects) if difference.old else None
        texts = [Text(file, one.lines(file)) for file in files for one in (old, new) if one]
        moved, unseen = arrivals.moved_in(desk, rows, lost, symbols, texts, new)
        chosen, unfollowed = _chosen([*rows, *moved], 0, MOST)
        found = []
        before = {note.path: followed for note, followed in _followed(desk, chosen, old)} if old else {}
        for note, followed in _followed(desk, chosen, new):
            was: Sequence[Followed | None] = before.get(note.path) or [None] * len(followed)
            pairs = zip(was, followed, strict=True)
            places = [place for then, now in pairs if (place := hit(then, now, hunks))]
            if places and note.status != "deprecated":  # another took its place
                found.append(_known(note, sorted(places, key=lambda place: -place.near)))
        ranked = _ranked(found)
        shown = [_told(one, new) for one in ranked[:limit]]
    return Answer(tuple(shown), 0, unfollowed + unseen, len(ranked) - len(shown))


def _here(source: Pinned) -> Repository | None:
    from scoutkit.dispatch import sources

    return sources.here(source)


def _target(desk: Desk) -> str:
    return "" if desk.repository.toplevel else git.resolve(desk.repository, "HEAD")


def _chosen(rows: Iterable[Cited], start: int, most: int) -> tuple[dict[str, list[Cited]], int]:
    """Which citations of which notes to follow, and how many notes there is no room for: those that were written about
    lines far from the asked ones, and the oldest."""
    by_note: dict[str, list[Cited]] = defaultdict(list)
    for row in rows:
        by_note[row.note].append(row)
    order = list(by_note)
    if start and len(order) > most:
        order.sort(key=lambda name: min(abs(row.start - start) for row in by_note[name]))
    chosen = {name: sorted(set(by_note[name]), key=lambda row: row.number) for name in order[:most]}
    return chosen, len(order) - len(chosen)


def _followed(
    desk: Desk, chosen: Mapping[str, Sequence[Cited]], regions: Regions
) -> Iterator[tuple[Note, list[Followed]]]:
    """Notes, and what became of some of their citations."""
    from scoutkit.anchors import check

    for name, rows in chosen.items():
        note = replace(desk.notebook.note(name), id=rows[0].id, path=name)
        some = tuple(note.citations[row.number] for row in rows if row.number < len(note.citations))
        yield note, check.follow(replace(note, citations=some), regions)


def _known(note: Note, places: Sequence[Place], named: str = "") -> Known:
    near = sorted((place.near for place in places), reverse=True)
    score = (near[0] + sum(near[1:]) / 100) * _STATUS.get(note.status, 1.0) if near else 0.0
    return Known(note, tuple(places), score, named)


def _ranked(found: Iterable[Known]) -> list[Known]:
    newest = sorted(found, key=lambda one: one.note.at, reverse=True)
    return sorted(newest, key=lambda one: one.score, reverse=True)


def _told(one: Known, regions: Regions) -> Known:
    """With what the note says of its first place, and what changed in edited lines."""
    from scoutkit.search.snippet import passage

    named = one.places[0].followed.citation.at if one.places else one.says
    says, marks = passage(one.note.body, named)
    places = tuple(replace(place, changed=_changed(one.note, place.followed, regions)) for place in one.places)
    return replace(one, says=says, marks=marks, places=places)


def _changed(note: Note, one: Followed, regions: Regions) -> tuple[str, ...]:
    """How edited lines differ from what was cited, in a few lines; nothing where the old ones are not here."""
    now = one.now
    if one.verdict is not Verdict.EDITED or now is None or pinned.read(one.base.path):
        return ()
    old = arrivals.then(regions, note, one.base.path)[one.base.start - 1 : one.base.end]
    new = regions.lines(now.path)[now.start - 1 : now.end]
    if not old:
        return ()
    lines = [line[:_WIDEST] for line in difflib.unified_diff(old, new, lineterm="", n=0) if _is_change(line)][2:]
    more = (f"… {len(lines) - _CHANGED} more lines",) if len(lines) > _CHANGED + 1 else ()
    return (*(lines[:_CHANGED] if more else lines), *more)


def _is_change(line: str) -> bool:
    return line.startswith(("-", "+"))
