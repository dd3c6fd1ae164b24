"""References in a note's text that are given other lines, each as it was spelled. Nothing else in the text changes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from urllib.parse import quote

from scoutkit.knowledge import citations, grammar
from scoutkit.knowledge.citations import Reference
from scoutkit.model.notes import Citation, Region

_PERMANENT = re.compile(r"://.*/[0-9a-f]{7,64}/")  # an address that names a commit: true for ever


@dataclass(frozen=True, slots=True)
class Mended:
    """A text with its references rewritten. `missed`: those that are spelled in a way that is not rewritten."""

    text: str
    missed: tuple[Reference, ...] = ()


def mend(text: str, places: Mapping[Citation, Region], known: Sequence[Citation], roots: Sequence[str] = ()) -> Mended:
    """The text with every reference to a citation of `places` pointing to where that is now.

    `known`: all of the note's citations, which say what a reference means. Links to a commit stay as they are.
    """
    found = citations.read(text, roots=roots)
    meant = [meaning(reference, known) for reference in found]
    wanted = [places.get(one) if one else None for one in meant]
    edits: list[tuple[int, int, str]] = []
    missed: list[Reference] = []
    for _, members in groupby(range(len(found)), key=lambda at: found[at].site or at):
        group = [*members]
        moving = [at for at in group if wanted[at] and not _PERMANENT.search(found[at].written)]
        if not moving:
            continue
        rewritten = [*_edits(text, [(found[at], meant[at], wanted[at]) for at in group])]
        expected = {at: wanted[at] or meant[at] for at in group}
        if rewritten and _reads(text, rewritten, found, expected, roots):
            edits += rewritten
        else:
            missed += [found[at] for at in moving]
    return Mended(_edited(text, edits), tuple(missed))


def meaning(reference: Reference, known: Sequence[Citation]) -> Citation | None:
    """The citation of the note that a reference is, or None: the same lines, and a path that means that file."""
    same = [one for one in known if _same_lines(reference, one)]
    for fits in (_exactly, _ending, _folded):
        found = [one for one in same if any(fits(reading, one.path) for reading in _readings(reference))]
        if len({one.path for one in found}) == 1:
            return found[0]
    return None


def _readings(reference: Reference) -> tuple[str, ...]:
    return (reference.path, *reference.also)


def _same_lines(reference: Reference, one: Citation) -> bool:
    if reference.symbol:
        return f".{one.symbol}".endswith(f".{reference.symbol}")
    return (reference.start, reference.end) == (one.start, one.end)


def _exactly(reading: str, path: str) -> bool:
    return reading == path


def _ending(reading: str, path: str) -> bool:
    return f"/{path}".endswith(f"/{reading.lstrip('./')}")


def _folded(reading: str, path: str) -> bool:
    return reading.casefold() == path.casefold()


def _edits(text: str, group: list[tuple[Reference, Citation | None, Region | None]]) -> Iterator[tuple[int, int, str]]:
    """Edits of one citation with all its ranges; none where it is spelled in a way that is not understood."""
    spelled = ""  # the file that the ranges before this one are of
    edits: list[tuple[int, int, str]] = []
    for number, (reference, meant, now) in enumerate(group):
        path = now.path if now else meant.path if meant else ""
        old = meant.path if meant else ""
        spelled = spelled or old
        written, begin = reference.written, reference.offset
        if reference.symbol:
            rewritten = _with_path(written, reference, path) if path != old else written
        else:
            where = grammar.numbers(written, reference.start, reference.end, first=not number)
            start, end = (now.start, now.end) if now else (reference.start, reference.end)
            if not where:
                return
            rewritten = _with_lines(written, where, start, end)
            if number and path != spelled:
                rewritten = f" {Citation(path, start, end).at}"
            elif not number and path != old:
                rewritten = _with_path(rewritten, reference, path)
        if not rewritten:
            return
        spelled = path
        if rewritten != written:
            edits.append((begin, begin + len(written), rewritten))
        label = _label(text, reference, now) if now and not number else None
        edits += [label] if label else []
    yield from edits


def _with_lines(written: str, where: list[tuple[int, int]], start: int, end: int) -> str:
    first, last = where[0], where[-1]
    if len(where) > 1:
        between = written[first[1] : last[0]]
        tail = f"{between}{end}" if start < end or ":" in between else ""
        return f"{written[: first[0]]}{start}{tail}{written[last[1] :]}"
    to = ""
    if end > start:
        before = written[: first[0]]
        to = f":{end}" if before.endswith("#lines-") else f"-L{end}" if before.endswith("L") else f"-{end}"
    return f"{written[: first[0]]}{start}{to}{written[first[1] :]}"


def _with_path(written: str, reference: Reference, path: str) -> str:
    """The text with another path; "" where the old one is not found in it."""
    for reading in sorted(_readings(reference), key=len, reverse=True):
        for old, new in (
            (reading, path),
            (quote(reading), quote(path)),
            (reading.replace("/", "\\"), path.replace("/", "\\")),
        ):
            if (at := written.rfind(old)) >= 0:
                return f"{written[:at]}{new}{written[at + len(old) :]}"
    return ""


def _label(text: str, reference: Reference, now: Region) -> tuple[int, int, str] | None:
    """A link's label that says the lines too: `[app.py:12](src/app.py#L12)`."""
    site = reference.site
    if site is None or text[site.begin : site.begin + 1] != "[" or site.begin >= reference.offset:
        return None
    label = text[site.begin : reference.offset]
    lines = {f"{reference.start}-{reference.end}", Citation("", reference.start, reference.end).at[1:]}
    found = re.search(rf"([^\s`\[\]]*):({'|'.join(map(re.escape, lines))})(?=`?\])", label)
    if not found:
        return None
    new = Citation("", now.start, now.end).at[1:]
    kept = found[1] if _ending(found[1], now.path) else now.path
    return site.begin + found.start(), site.begin + found.end(), f"{kept}:{new}"


def _reads(
    text: str,
    edits: list[tuple[int, int, str]],
    found: Sequence[Reference],
    expected: Mapping[int, Citation | Region | None],
    roots: Sequence[str],
) -> bool:
    """Is what is about to be written read as it is meant? Looked at within its paragraph, else within the text."""
    near = _around(text, min(edit[0] for edit in edits), max(edit[1] for edit in edits))
    return any(_reads_within(span, text, edits, found, expected, roots) for span in (near, (0, len(text))))


def _reads_within(
    span: tuple[int, int],
    text: str,
    edits: list[tuple[int, int, str]],
    found: Sequence[Reference],
    expected: Mapping[int, Citation | Region | None],
    roots: Sequence[str],
) -> bool:
    begin, end = span
    inside = [at for at, one in enumerate(found) if begin <= one.offset < end]
    moved = [(first - begin, last - begin, new) for first, last, new in edits]
    again = citations.read(_edited(text[begin:end], moved), roots=roots)
    if len(again) != len(inside):
        return False
    for one, at in zip(again, inside, strict=True):
        place = expected.get(at)
        if place and not one.symbol and (one.start, one.end) != (place.start, place.end):
            return False
        if place and not any(_exactly(way, place.path) or _ending(way, place.path) for way in _readings(one)):
            return False
    return True


def _around(text: str, first: int, last: int) -> tuple[int, int]:
    """The lines around, up to blank ones."""
    blank = re.compile(r"\n[ \t\r]*\n")
    begin = max((found.end() for found in blank.finditer(text, 0, first)), default=0)
    after = blank.search(text, last)
    return begin, after.start() + 1 if after else len(text)


def _edited(text: str, edits: Sequence[tuple[int, int, str]]) -> str:
    for begin, end, new in sorted(edits, reverse=True):
        text = text[:begin] + new + text[end:]
    return text
