"""What became of notes, for people, scripts and workflows."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from scoutkit.commands import say
from scoutkit.model import pinned
from scoutkit.model.notes import Candidate, Citation, Region, Verdict

if TYPE_CHECKING:
    from scoutkit.anchors.check import Followed
    from scoutkit.anchors.touched import Touched
    from scoutkit.desk import Desk
    from scoutkit.stories.standing import Checkup

_SHOWN = 3  # candidates
_COLOURS = {Verdict.FRESH: 32, Verdict.MOVED: 32, Verdict.EDITED: 33, Verdict.AMBIGUOUS: 33}
_INDENT = " " * 10
_AGO = ((365 * 86400, "year"), (30 * 86400, "month"), (86400, "day"), (3600, "hour"), (60, "minute"))


def note_json(one: Checkup) -> dict[str, Any]:
    """A note and its citations as scripts see them."""
    rows = [citation_json(followed, one.touched.get(followed)) for followed in one.followed]
    row: dict[str, Any] = {"id": one.note.id, "path": one.note.path, "citations": rows}
    return {**row, "problem": one.problem} if one.problem else row


def citation_json(one: Followed, touched: Touched | None) -> dict[str, Any]:
    """A citation with the check's verdict. `score` is how often such an answer is right, `similarity` how much of the
    text is the same."""
    now, located = one.now, one.located
    commits = 0 if one.holds else touched.commits if touched else None
    last = touched.last if touched else None
    row = {
        **say.citation_json(one.citation),
        "verdict": one.verdict,
        "now": {"path": now.path, "start": now.start, "end": now.end} if now else None,
        "score": round(located.score, 3) if located else None,
        "similarity": round(located.similarity, 3) if located else None,
        "commits": commits,
        "last": {"commit": last.id, "author": last.author, "at": last.at} if last else None,
    }
    if located and one.verdict is Verdict.AMBIGUOUS:
        row["candidates"] = [_candidate(candidate) for candidate in located.candidates]
    return {**row, "why": one.why} if one.why else row


def _candidate(candidate: Candidate) -> dict[str, Any]:
    place = candidate.region
    return {"path": place.path, "start": place.start, "end": place.end, "score": candidate.score}


def table(found: Sequence[Checkup], *, everything: bool) -> None:
    """Each note that no longer holds with what happened to it, then a line that counts."""
    for one in found:
        lines = [*_lines(one, everything=everything)]
        if lines:
            state = "" if one.note.status == "stable" else f"  ({one.note.status})"
            _put(f"{one.note.id}  {one.note.title}{state}", "", head=one.note.id)
            _put(one.note.path, _INDENT)
            for colour, line in lines:
                _put(line, _INDENT, colour=colour)
    _put(summary(found), "", plain=True)


def _lines(one: Checkup, *, everything: bool) -> Iterator[tuple[int, str]]:
    if one.problem:
        yield 31, f"cannot be checked: {one.problem}"
    elif everything and not one.followed:
        yield 2, "no citations"
    for followed in one.followed:
        if everything or (followed.counts and not followed.holds):
            yield _COLOURS.get(followed.verdict, 31), sentence(followed, one.touched.get(followed))


def sentence(one: Followed, touched: Touched | None) -> str:
    """`edited: src/a.py:10-20 → 14-25, 82 % the same, 3 commits, last by Ada 5 days ago`."""
    parts = [f"{one.verdict}: {pinned.shortened(one.citation.at)}{_to(one)}"]
    if one.located and one.verdict is Verdict.EDITED:
        percent = int(100 * one.located.similarity)
        parts.append(f"{percent} % the same" if percent < 100 else "text added to it")
    if one.located and one.verdict is Verdict.AMBIGUOUS:
        places = [_at(candidate.region) for candidate in one.located.candidates]
        more = " …" if len(places) > _SHOWN else ""
        parts.append(f"may be {' or '.join(places[:_SHOWN])}{more}" if places else "in several places")
    if one.why:
        parts.append(one.why)
    if not one.holds and touched and not (one.why and touched.last is None):
        parts.append(_commits(touched))
    return ", ".join(parts)


def _to(one: Followed) -> str:
    now, was = one.now, one.citation
    if now is None or (now.path, now.start, now.end) == (was.path, was.start, was.end):
        return ""
    place = pinned.shortened(_at(now))
    return f" → {place.removeprefix(f'{was.path}:') if now.path == was.path else place}"


def _commits(touched: Touched) -> str:
    if touched.last is None:
        return "no commit touched it"
    return f"{say.count(touched.commits, 'commit')}, last by {touched.last.author} {_ago(touched.last.at)}"


def _ago(at: str) -> str:
    try:
        seconds = (datetime.now(UTC) - datetime.fromisoformat(at)).total_seconds()
    except ValueError:
        return at
    for size, unit in _AGO:
        if seconds >= size:
            return f"{say.count(int(seconds // size), unit)} ago"
    return "just now"


def summary(found: Sequence[Checkup]) -> str:
    """`3 notes hold, 1 does not, 2 have no citations: of 20 citations 17 fresh, 1 moved, 2 edited`.

    Citations that were wrong when their note was written are said to be so, and those whose repository is not here:
    they do not count. A note that has no others neither holds nor does not.
    """
    if not found:
        return "no note to check"
    held, lost = (sum(one.holds is stands for one in found) for stands in (True, False))
    counted = Counter(followed.verdict for one in found for followed in one.followed)
    wrong, unchecked = counted.pop(Verdict.WRONG, 0), counted.pop(Verdict.UNCHECKED, 0)
    parts = [f"{counted[verdict]:,} {verdict}" for verdict in Verdict if counted[verdict]]
    parts += [f"{wrong:,} wrong from the start"] if wrong else []
    parts += [f"{unchecked:,} not counted, since another repository is not here"] if unchecked else []
    said = ", ".join(parts)
    notes = f"{say.count(held, 'note')} hold{'s' * (held == 1)}"
    notes += f", {lost:,} do{'es' * (lost == 1)} not" if lost else ""
    notes += _uncited([one for one in found if one.holds is None])
    return f"{notes}: of {say.count(counted.total() + wrong + unchecked, 'citation')} {said}" if said else notes


def _uncited(found: Sequence[Checkup]) -> str:
    """Those of which no check can say whether they hold."""
    one, some = "has no citations", "have no citations"
    if any(each.followed for each in found):
        one, some = "has no citation that counts", "have no citations that count"
    return f", {len(found):,} {one if len(found) == 1 else some}" if found else ""


def _put(text: str, indent: str, *, colour: int = 2, head: str = "", plain: bool = False) -> None:
    """A line, on a terminal folded at its edge; `head` is what it begins with, in yellow."""
    width = max(shutil.get_terminal_size().columns, 20) if sys.stdout.isatty() else 10_000
    lines = textwrap.wrap(text, width, initial_indent=indent, subsequent_indent=_INDENT, break_on_hyphens=False)
    for number, line in enumerate(lines):
        if head and not number and line.startswith(head):
            say.answer(f"{say.paint(head, 33)}{say.paint(line[len(head) :], 1)}")
        else:
            say.answer(line if plain else say.paint(line, 1 if head else colour))


def tell_left_out(desk: Desk) -> None:
    """Say how many notes nothing is said of, since they are not on disk."""
    from scoutkit.stories import standing

    if number := standing.left_out(desk):
        notes = f"{say.count(number, 'note')} {'is' if number == 1 else 'are'}"
        say.tell(
            f"{notes} left out by the sparse checkout and not checked: git sparse-checkout add {desk.settings.notes}"
        )


def annotate(desk: Desk, found: Sequence[Checkup]) -> None:
    """Workflow commands of GitHub Actions: a warning where the lines are now, else where the note cites them."""
    for one in found:
        if one.problem:
            say.answer(_warning({"file": one.note.path, "title": "note cannot be checked"}, one.problem))
        for followed in one.followed:
            if followed.counts and not followed.holds:
                message = f"{sentence(followed, one.touched.get(followed))}\nin the note {one.note.path}"
                place = _place(desk, one, followed)
                say.answer(_warning({**place, "title": f"{followed.verdict}: {one.note.title}"}, message))
    say.tell(summary(found))


def _place(desk: Desk, one: Checkup, followed: Followed) -> dict[str, str]:
    now = followed.now
    if now and not pinned.read(now.path):
        return {"file": now.path, "line": str(now.start), "endLine": str(now.end)}
    raw = desk.notebook.bytes_of(one.note.path).decode("utf-8", "replace")
    body = raw.find("\n---", 3) + 1  # below the front matter
    ways = (followed.citation.at, pinned.shortened(followed.citation.at))
    at = next((found for way in ways if (found := raw.find(way, body)) >= 0), -1)
    return {"file": one.note.path, "line": str(raw.count("\n", 0, at) + 1 if at >= 0 else 1)}


def _warning(properties: dict[str, str], message: str) -> str:
    """`::warning file=src/a.py,line=10::message`, escaped as the runner reads it back."""
    fields = ",".join(f"{key}={_escaped(value, ':,')}" for key, value in properties.items())
    return f"::warning {fields}::{_escaped(message)}"


def _escaped(text: str, more: str = "") -> str:
    for sign in ("%", "\r", "\n", *more):
        text = text.replace(sign, f"%{ord(sign):02X}")
    return text


def _at(region: Region) -> str:
    return Citation(region.path, region.start, region.end).at
