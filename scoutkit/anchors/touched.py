"""How many commits touched cited lines since a note's commit, and who last: one `git log` for all of a note's files.

Each range is followed through the diffs of the commits, along the branches that were merged. Where a branch began
before the note's commit, its lines are taken to stand where they stood then: a count there may be off by a few.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from scoutkit import history
from scoutkit.anchors.check import Followed

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_HEAD = re.compile(r"\0([0-9a-f]{40,64})\0([^\0]*)\0([^\0\n]*)\0([^\0\n]*)\0")
_PATHS = 200  # files that one git is asked about: beyond this its own matching of paths costs more than a process


@dataclass(frozen=True, slots=True)
class Commit:
    """Who changed something, and when (ISO 8601, with the author's own zone)."""

    id: str
    author: str
    at: str


@dataclass(frozen=True, slots=True)
class Touched:
    """How many commits touched lines; `last` is the newest of them."""

    commits: int = 0
    last: Commit | None = None


@dataclass(frozen=True, slots=True)
class _Hunk:
    """Lines `start` and the `size - 1` after it became `new` lines; of size 0: after line `start` came `new` lines."""

    start: int
    size: int
    new: int


@dataclass(frozen=True, slots=True)
class _Change:
    """What one commit did to one file. `after` is "" where the file is gone."""

    before: str
    after: str
    hunks: tuple[_Hunk, ...]


Place = tuple[str, int, int]


def count(
    where: Path, old: str, new: str, followed: Iterable[Followed], *, uncommitted: bool
) -> dict[Followed, Touched]:
    """For citations of one commit that do not hold at another, what touched their lines between.

    Those that git cannot tell of are left out: `old` is not here, or `new` does not come after it. `uncommitted`: what
    is not committed may have changed the lines too, so that no commit need have.
    """
    asked = sorted({one for one in followed if not one.holds and one.counts and one.base.start}, key=_path)
    found: dict[Followed, Touched] = {}
    while asked and old:
        paths = sorted({one.base.path for one in asked})[:_PATHS]
        now, asked = (
            [one for one in asked if one.base.path in paths],
            [one for one in asked if one.base.path > paths[-1]],
        )
        text = history.patches(where, old, new, sorted({*paths, *(one.now.path for one in now if one.now)}))
        if text is None or not (text or uncommitted):
            return {}
        found |= _counted(text, now)
    return found


def _path(one: Followed) -> str:
    return one.base.path


def _counted(text: str, followed: list[Followed]) -> dict[Followed, Touched]:
    begin: list[Place] = [(one.base.path, one.base.start, one.base.end) for one in followed]
    touched = [Touched()] * len(followed)
    states: dict[str, list[Place]] = {}
    heads = [*_HEAD.finditer(text)]
    for number, head in enumerate(heads):
        commit, parents = Commit(head[1], head[3], head[4]), head[2].split()
        body = text[head.end() : heads[number + 1].start() if number + 1 < len(heads) else len(text)]
        places = states.get(parents[0], begin) if parents else begin
        changes = {change.before: change for change in _changes(body)}
        after = []
        for at, place in enumerate(places):
            change = changes.get(place[0])
            moved, touches = _through(place, change) if change else (place, False)
            if touches and len(parents) < 2:  # what a merge brings was counted where it was made
                touched[at] = Touched(touched[at].commits + 1, commit)
            after.append(moved)
        states[commit.id] = after
    return dict(zip(followed, touched, strict=True))


def _through(place: Place, change: _Change) -> tuple[Place, bool]:
    """Where a range is after a change, and whether the change touched it."""
    _, start, end = place
    if not change.after:
        return ("", 0, 0), True
    shift = grown = 0
    touches = False
    for hunk in change.hunks:
        last = hunk.start + hunk.size - 1 if hunk.size else hunk.start
        if (hunk.size and last < start) or (not hunk.size and hunk.start < start):
            shift += hunk.new - hunk.size
        elif hunk.start <= end and (hunk.size or hunk.start < end):
            touches = True
            grown += hunk.new - hunk.size
    first = max(start + shift, 1)
    return (change.after, first, max(end + shift + grown, first)), touches


def _changes(body: str) -> Iterator[_Change]:
    """The files of one commit's patch. Lines of content are counted, not looked at: they may look like anything."""
    lines = iter(body.split("\n"))
    names: dict[str, str] = {}
    hunks: list[_Hunk] = []
    for line in lines:
        if line.startswith("diff --git "):
            yield from _change(names, hunks)
            names, hunks = {}, []
        elif hunk := _HUNK.match(line):
            start, size, new = int(hunk[1]), int(hunk[2] or 1), int(hunk[4] or 1)
            hunks.append(_Hunk(start, size, new))
            for _ in range(size + new):
                if next(lines, "").startswith("\\"):  # "no newline at end of file"
                    next(lines, "")
        elif line.startswith(("--- ", "+++ ", "rename from ", "rename to ")):
            kind, _, name = line.removeprefix("rename ").partition(" ")
            names[{"---": "from", "+++": "to"}.get(kind, kind)] = _name(name, prefixed=kind in ("---", "+++"))
    yield from _change(names, hunks)


def _change(names: Mapping[str, str], hunks: list[_Hunk]) -> Iterator[_Change]:
    if names.get("from"):
        yield _Change(names["from"], names.get("to", ""), tuple(hunks))


def _name(written: str, *, prefixed: bool) -> str:
    """A path as git writes it: quoted where it holds odd characters, with a tab behind it where it holds blanks."""
    name = written.rstrip("\t")
    if name == "/dev/null":
        return ""
    if name.startswith('"'):
        raw = codecs.escape_decode(name[1:-1].encode("utf-8", "surrogateescape"))[0]
        name = raw.decode("utf-8", "surrogateescape")
    return name[2:] if prefixed else name
