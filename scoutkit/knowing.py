"""What is known about a place: the notes whose cited lines are there now, wherever they were when it was written."""

from __future__ import annotations

import difflib
import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from scoutkit import git
from scoutkit.bearing import Asked, Place, hit
from scoutkit.desk import Desk
from scoutkit.model import pinned
from scoutkit.model.notes import Note, Verdict

if TYPE_CHECKING:
    from scoutkit.anchors.check import Followed
    from scoutkit.anchors.region import Regions
    from scoutkit.history import Difference
    from scoutkit.model.pinned import Pinned
    from scoutkit.model.places import Repository
    from scoutkit.search.citing import Cited

MOST = 200  # notes whose lines are followed for one answer
_MOST_LOST = 1_000  # citations of files that are gone, whose lines are looked for in what was asked about
_CHANGED = 6  # lines of a difference
_WIDEST = 160  # characters of one
_ALIKE = 0.5  # of the telling lines of a citation that a file must hold for it to be followed there
_RENAMED = 0.3  # of the telling lines of a file that another must hold to be taken for what became of it
_WORD = re.compile(r"\w+")
_TELLING = 4  # letters and digits of a line that tells
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


def about(desk: Desk, path: str, start: int = 0, end: int = 0, *, limit: int | None = None) -> Answer:
    """What is known about a file, lines of it, or a folder, as the working tree has it (HEAD in a bare repository).

    `path` is relative to the repository's root. Nearest first, then what holds, then the newest.
    """
    rows = desk.catalogue.citing([path])
    paths, symbols = desk.catalogue.cited_places()
    lost = _lost(desk, paths, path)
    naming = [] if start or not re.search(r"[/.]", path) else desk.catalogue.naming(path)
    if not (rows or lost or naming or symbols):
        return Answer(())
    from scoutkit.anchors.region import Regions

    with Regions(desk.repository, _target(desk), notes=desk.settings.notes, elsewhere=_here) as regions:
        text = regions.lines(path)
        moved, unseen = _moved_in(desk, rows, lost, symbols, [_Text(path, text)], regions)
        chosen, unfollowed = _chosen([*rows, *moved], start)
        folder = desk.repository.toplevel is not None and (desk.repository.toplevel / path).is_dir()
        asked = Asked(path, start, end or start, there=bool(text) or folder or regions.there(path))
        found, drifted, written = [], 0, {row.note for row in rows}
        for note, followed in _followed(desk, chosen, regions):
            places = sorted(asked.places(followed), key=lambda place: -place.near)
            if places:
                found.append(_known(note, places))
            drifted += not places and start > 0 and note.path in written
        for note_id, name in naming:
            if name not in chosen:
                found.append(_known(replace(desk.notebook.note(name), id=note_id, path=name), (), path))
        ranked = _ranked(found)
        shown = [_told(one, regions) for one in ranked[:limit]]
    return Answer(tuple(shown), drifted, unfollowed + unseen, len(ranked) - len(shown))


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
    lost = _lost(desk, paths, *files)
    if not (rows or lost or symbols):
        return Answer(())
    from scoutkit.anchors.region import Regions
    from scoutkit.objects import Objects

    notes = desk.settings.notes
    with Objects(desk.where) as objects:
        new = Regions(desk.repository, difference.new, staged=difference.staged, notes=notes, objects=objects)
        old = Regions(desk.repository, difference.old, notes=notes, objects=objects) if difference.old else None
        texts = [_Text(file, one.lines(file)) for file in files for one in (old, new) if one]
        moved, unseen = _moved_in(desk, rows, lost, symbols, texts, new)
        chosen, unfollowed = _chosen([*rows, *moved], 0)
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


def _lost(desk: Desk, cited: Sequence[str], *asked: str) -> list[str]:
    """Cited files that are not in the working tree: what they held may be where somebody asks now."""
    top = desk.repository.toplevel
    if top is None:
        return []
    names = {_name(path) for path in asked}
    stems = {name.partition(".")[0] for name in names}
    lost = [path for path in cited if not os.path.lexists(f"{top}/{path}") and not pinned.read(path)]

    def unlike(path: str) -> int:
        name = _name(path)
        near = any(stem and (stem in name or name.partition(".")[0] in stem) for stem in stems)
        return 0 if name in names else 1 if near else 2

    return sorted((path for path in lost if path not in asked), key=unlike)


@dataclass(frozen=True, slots=True)
class _Text:
    """What a file holds that was asked about."""

    path: str
    lines: Sequence[str]

    def defines(self, symbols: set[str]) -> set[str]:
        """Which of some functions, classes and sections it has."""
        from scoutkit.symbols import symbols as definitions

        text = "\n".join(self.lines)
        words = set(_WORD.findall(text)) if symbols else set()
        if words.isdisjoint(name for symbol in symbols for name in _WORD.findall(symbol)[-1:]):
            return set()  # spares parsing it
        return symbols & {one.qualified for one in definitions(self.path, text)}


def _moved_in(
    desk: Desk, known: Sequence[Cited], lost: Sequence[str], symbols: set[str], texts: Sequence[_Text], regions: Regions
) -> tuple[list[Cited], int]:
    """Citations of other files whose lines one of these files seems to hold now: it was renamed, or they were moved
    into it. Also how many notes cite files that are gone and were not looked at."""
    from scoutkit.anchors import check

    texts = [text for text in texts if text.lines]
    if not texts:
        return [], 0
    rows = list(desk.catalogue.citing(lost)) if lost else []
    order = {path: number for number, path in enumerate(lost)}
    rows.sort(key=lambda row: order.get(row.path, 0))
    rows, rest = rows[:_MOST_LOST], {row.note for row in rows[_MOST_LOST:]}
    rows += desk.catalogue.defining(sorted(set().union(*(text.defines(symbols) for text in texts))))
    held = {line.strip() for text in texts for line in text.lines if _tells(line)}
    names = {_name(text.path) for text in texts}
    taken = {(row.note, row.number) for row in known}
    notes: dict[str, Note] = {}
    alike: dict[tuple[str, str], bool] = {}
    found = []
    for row in rows:
        if (row.note, row.number) in taken:
            continue
        taken.add((row.note, row.number))
        if row.note not in notes:
            notes[row.note] = desk.notebook.note(row.note)
        note = notes[row.note]
        if row.number >= len(note.citations):
            continue
        was = check.base(note.citations[row.number])
        lines = regions.lines_at(note.commit if check.is_commit(note.commit) else "", was.path)
        file = (note.commit, was.path)
        if file not in alike:  # renamed, it seems: whatever became of these lines
            same = _name(was.path) in names and (not lines or was.path in lost)
            alike[file] = same or _share(lines, held) >= _RENAMED
        if alike[file] or _share(lines[max(was.start - 1, 0) : was.end], held) >= _ALIKE:
            found.append(row)
    return found, len(rest - {row.note for row in rows})


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _share(lines: Sequence[str], held: set[str]) -> float:
    """How much of what lines say a file holds, 0 to 1."""
    telling = [line.strip() for line in lines if _tells(line)]
    return sum(line in held for line in telling) / len(telling) if telling else 0.0


def _tells(line: str) -> bool:
    return sum(map(str.isalnum, line)) >= _TELLING


def _chosen(rows: Iterable[Cited], start: int) -> tuple[dict[str, list[Cited]], int]:
    """Which citations of which notes to follow, and how many notes there is no room for: those that were written about
    lines far from the asked ones, and the oldest."""
    by_note: dict[str, list[Cited]] = defaultdict(list)
    for row in rows:
        by_note[row.note].append(row)
    order = list(by_note)
    if start and len(order) > MOST:
        order.sort(key=lambda name: min(abs(row.start - start) for row in by_note[name]))
    chosen = {name: sorted(set(by_note[name]), key=lambda row: row.number) for name in order[:MOST]}
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
    old = regions.lines_at(note.commit, one.base.path)[one.base.start - 1 : one.base.end]
    new = regions.lines(now.path)[now.start - 1 : now.end]
    if not old:
        return ()
    lines = [line[:_WIDEST] for line in difflib.unified_diff(old, new, lineterm="", n=0) if _is_change(line)][2:]
    more = (f"… {len(lines) - _CHANGED} more lines",) if len(lines) > _CHANGED + 1 else ()
    return (*(lines[:_CHANGED] if more else lines), *more)


def _is_change(line: str) -> bool:
    return line.startswith(("-", "+"))
