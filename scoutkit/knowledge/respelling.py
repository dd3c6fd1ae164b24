"""One citation of a text, spelled as it was but pointing elsewhere. Gives edits, and does not judge how they read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import unquote

from scoutkit.knowledge import citations, grammar, spelling, written
from scoutkit.knowledge.apart import Given
from scoutkit.knowledge.citations import Reference
from scoutkit.knowledge.written import Edit
from scoutkit.model.notes import Citation, Region

_ADDRESS = re.compile(r"\]\(\s*(?:<([^<>\n]*)>|([^\s<][^\s]*?))(?=[\s)])")
_KEY = re.compile(r"\]\[((?:\\.|[^\[\]\\])+)\]\Z", re.DOTALL)
_LINES = re.compile(
    r"[`*_]*(?:L(?=[0-9])([0-9]{1,9})(?:[-‐‑‒–—−]L?([0-9]{1,9}))?|([0-9]{1,9})[-‐‑‒–—−]([0-9]{1,9}))[`*_]*"
)


@dataclass(frozen=True, slots=True)
class Move:
    """One range of a citation: how it is read, the path that it means, and where that is now; None where it stays."""

    reference: Reference
    was: str
    now: Region | None

    @property
    def path(self) -> str:
        """The file it is to point to."""
        return self.now.path if self.now else self.was

    @property
    def lines(self) -> tuple[int, int]:
        """The lines it is to point to."""
        return (self.now.start, self.now.end) if self.now else (self.reference.start, self.reference.end)


def ending(reading: str, path: str) -> bool:
    """Does a path as it is written mean this file, or the end of its path?"""
    return f"/{path}".endswith(f"/{reading.lstrip('./')}")


def ways(text: str, moves: Sequence[Move], roots: Sequence[str]) -> Iterator[list[Edit]]:
    """Edits of a citation with all its ranges, the way that changes least first. A link's label changes too."""
    first = moves[0].reference
    site = first.site
    if site and site.begin < first.offset:
        yield from _some(_inline(text, moves, roots))
    elif "://" in first.written and not first.written.startswith("file:"):
        last = moves[-1].reference
        yield from _some(_address(text, (first.offset, last.offset + len(last.written)), moves, roots))
    else:
        yield from _some(_prose(text, moves, roots))
        yield from _some(_prose(text, moves, roots, whole=True))
        if site and site.end == site.until and "`" not in first.written:
            yield from _some(_prose(text, moves, roots, fence="`"))


def given(text: str, one: Given, moves: Sequence[Move], roots: Sequence[str]) -> list[Edit] | None:
    """Edits of an address given apart; None where it is not understood."""
    edits = _address(text, one.address, moves, roots)
    return (
        None if edits is None else edits + _says(text, one.label, moves, roots) + _says(text, one.title, moves, roots)
    )


def used(text: str, moves: Sequence[Move], roots: Sequence[str]) -> list[Edit]:
    """Edits of a link whose address is given apart, which stand in its label: `[src/app.py:12][1]`."""
    one = moves[0].reference
    begin, end = one.offset + 1, one.offset + len(one.written) - 1
    if named := _KEY.search(one.written):
        label, name = (begin, one.offset + named.start()), (one.offset + named.start(1), end)
        return _says(text, label, moves, roots) + _says(text, name, moves, roots)
    return _says(text, (begin, begin + len(key(one.written))), moves, roots)


def key(link: str) -> str:
    """What a link names its address by: `1` in `[label][1]`, else its label."""
    named = _KEY.search(link)
    return named[1] if named else link.removesuffix("[]")[1:-1]


def _some(edits: list[Edit] | None) -> list[list[Edit]]:
    return [] if edits is None else [edits]


def _inline(text: str, moves: Sequence[Move], roots: Sequence[str]) -> list[Edit] | None:
    first = moves[0].reference
    assert first.site is not None
    begin, until = first.offset, first.site.until - 1
    if text[begin - 1] == "<":
        end = text.find(">", begin, until)
    else:
        end = next((at for at in range(begin, until) if text[at].isspace()), until)
    edits = _address(text, (begin, end), moves, roots)
    if edits is None:
        return None
    label = (first.site.begin + 1, text.rfind("](", first.site.begin, begin))
    return edits + _says(text, label, moves, roots) + _says(text, (end, until), moves, roots)


def _address(text: str, span: tuple[int, int], moves: Sequence[Move], roots: Sequence[str]) -> list[Edit] | None:
    """A link's address. It has one path, so ranges that are in several files now have no place in it."""
    raw, base = text[slice(*span)], span[0]
    mention = grammar.of_target(raw, roots)
    said = [(move.reference.start, move.reference.end) for move in moves]
    if mention is None or [(one.start, one.end) for one in mention.ranges] != said:
        return None
    if len({move.path for move in moves}) > 1:
        return None
    edits: list[Edit] = []
    limit = 0
    for number, (one, move) in enumerate(zip(mention.ranges, moves, strict=True)):
        where = grammar.numbers(raw[one.begin : one.until], *said[number], first=not number)
        if not where:
            return None
        limit = limit or where[0][0]
        edits += written.lines(raw[one.begin : one.until], base + one.begin, where, *move.lines)
    if moves[0].path != moves[0].was:
        place = written.path(raw, 0, limit, _readings(moves[0])) or (
            None if "://" in raw else written.until_anchor(raw, limit)
        )
        if place is None:
            return None
        edits.append(written.renamed(text, (base + place[0], base + place[1]), moves[0].path, address=True))
    return edits


def _prose(
    text: str, moves: Sequence[Move], roots: Sequence[str], *, whole: bool = False, fence: str = ""
) -> list[Edit] | None:
    """A citation in plain text or code. `whole`: the path in full; `fence`: a new path between these marks."""
    edits: list[Edit] = []
    spelled = ""
    for number, move in enumerate(moves):
        one, path = move.reference, move.path
        where = [] if one.symbol else grammar.numbers(one.written, one.start, one.end, first=not number)
        if not where and not one.symbol:
            return None
        if not number:
            if path != move.was or whole:
                limit = one.offset + (one.written.find("::") if one.symbol else where[0][0])
                renamed = _first_path(text, move, limit, roots, fence)
                if renamed is None:
                    return None
                edits += renamed
            if not one.symbol:
                edits += written.lines(one.written, one.offset, where, *move.lines)
        elif path != spelled:
            begin = one.offset - (text[one.offset - 1] in "Ll")
            space = "" if text[begin - 1].isspace() else " "
            named = f"{space}{fence}{path}{fence}{Citation('', *move.lines).at}"
            edits.append((begin, one.offset + len(one.written), named))
        else:
            edits += written.lines(one.written, one.offset, where, *move.lines)
        spelled = path
    return edits


def _first_path(text: str, move: Move, limit: int, roots: Sequence[str], fence: str) -> list[Edit] | None:
    """Edits of the path that ends before `limit`, and where a link is about it, of its label or its address."""
    one, site = move.reference, move.reference.site
    low = max(one.offset - spelling.LONGEST, 0)
    place = written.path(text, low, limit, _readings(move)) or written.token(text, one.offset, limit)
    if place is None or place[1] <= one.offset:
        return None
    begin, end = place
    if fence:
        begin = one.offset if text[one.offset : begin].isascii() else begin
        return [(begin, end, f"{fence}{text[begin : place[0]]}{move.path}{fence}")]
    if site and text[site.until : site.end].endswith("]"):  # in the label of a link whose address stands apart
        return None
    inside = text.rfind("](", site.begin, begin) if site and text[site.begin] == "[" else -1
    edits = [written.renamed(text, place, move.path, address=inside >= 0)]
    if site and inside >= 0:
        edits += _named(text, (site.begin + 1, inside), move)
    elif site and (link := _ADDRESS.search(text, site.until, site.end)):
        raw = link[1] if link[2] is None else link[2]
        if ending(move.was, spelling.normal(unquote(raw), roots)) or spelling.normal(unquote(raw), roots) == move.was:
            edits.append(written.renamed(text, link.span(1 if link[2] is None else 2), move.path, address=True))
    return edits


def _says(text: str, span: tuple[int, int], moves: Sequence[Move], roots: Sequence[str]) -> list[Edit]:
    """Edits of a label or title that says the place too: `a.py:12`, `sign (lines 12-14)`, `L12`, `src/a.py`."""
    label, base = text[slice(*span)], span[0]
    edits: list[Edit] = []
    found = citations.read(label, roots=roots) if label.strip() else []
    for move in moves:
        if move.now is None:
            continue
        said = [one for one in found if _is(one, move)]
        for one in said:
            where = [] if one.symbol else grammar.numbers(one.written, one.start, one.end, first=not one.part)
            if where:
                edits += written.lines(one.written, base + one.offset, where, *move.lines)
            limit = one.offset + (where[0][0] if where else max(one.written.find("::"), 0))
            place = None if one.part else written.path(label, 0, limit, (one.path, *one.also))
            if place and not _still(label[slice(*place)], move):
                edits.append(written.renamed(text, (base + place[0], base + place[1]), move.path))
        if said:
            continue
        lines = (move.reference.start, move.reference.end)
        if where := grammar.numbers(label, *lines, first=True) or _bare(label, lines):
            edits += written.lines(label, base, where, *move.lines)
        edits += _named(text, span, move)
    return sorted(set(edits))


def _is(one: Reference, move: Move) -> bool:
    """Is a citation in a label the one that its link is?"""
    lines = bool(one.symbol) or (one.start, one.end) == (move.reference.start, move.reference.end)
    return lines and any(reading == move.was or ending(reading, move.was) for reading in (one.path, *one.also))


def _bare(label: str, lines: tuple[int, int]) -> list[tuple[int, int]]:
    """The lines of a label that is nothing but `L12` or `12-14`. A number alone may count something else."""
    found = _LINES.fullmatch(label)
    places = [found.span(number) for number, group in enumerate(found.groups(), 1) if group] if found else []
    said = [int(label[slice(*place)]) for place in places]
    return places if places and (said[0], said[-1]) == lines else []


def _named(text: str, span: tuple[int, int], move: Move) -> list[Edit]:
    """Edits of a label that is nothing but the file's name."""
    label = text[slice(*span)]
    name = label.strip("`*_ ")
    if not name or not ending(name, move.was) or _still(name, move):
        return []
    at = span[0] + label.index(name)
    return [(at, at + len(name), move.path)]


def _still(name: str, move: Move) -> bool:
    """Does a name do for the new place too? One that was the whole path does not stay when that is another."""
    return move.path == move.was or (name != move.was and ending(name, move.path))


def _readings(move: Move) -> tuple[str, ...]:
    """The readings of a path as it is written that mean the file, best first."""
    every = (move.reference.path, *move.reference.also)
    exact = [one for one in every if one == move.was]
    return tuple(dict.fromkeys([*exact, *(one for one in every if ending(one, move.was)), *every]))
