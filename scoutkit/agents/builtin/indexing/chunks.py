"""A file as chunks: the pieces that are ranked and shown. A function or method with its comment, a class without its
methods, a section of a document, or a block of what lies between them. Changing them means changing `VERSION`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import takewhile

from scoutkit.symbols import Symbol, symbols

VERSION = 3
BLOCK = 60  # lines of a block at most
_LARGE = 120  # lines: a function beyond this that has functions inside is shown as those
_UNITS = frozenset({"function", "method", "constructor", "macro", "test", "property"})
_DATA = frozenset({"key", "rule", "element"})  # of data, style sheets and pages
_SMALL = _DATA | {"constant"}  # are no chunks where they take few lines
_SAYS = re.compile(r"[^\W\d]{2}")  # not just brackets
_DOCSTRING = re.compile(r"\s*[A-Za-z]{0,2}[\"']")
_PLAIN = 262_144  # characters of a huge file that are looked at


@dataclass(frozen=True, slots=True)
class Chunk:
    """Lines of a file and the texts its terms come from. `kind` is a symbol's, or `block`; `header` for a class whose
    methods are chunks of their own."""

    start: int
    end: int
    kind: str
    name: str = ""
    qualified: str = ""
    header: bool = False
    signature: str = ""
    doc: str = ""
    body: str = ""
    names: tuple[str, ...] = field(default=())  # what is defined in it beside `name`


def chunks(path: str, text: str, *, parse: bool = True, docs: bool = True) -> list[Chunk]:
    """The chunks of a file in order. `parse` False: blocks only. `docs` False: as if nothing were documented."""
    lines = text[: None if parse else _PLAIN].replace("\r\n", "\n").split("\n")
    found = symbols(path, text) if parse else []
    if found and found[0].kind == "section":
        return [*_blocks(lines, 1, found[0].start - 1), *_sections(found, lines)]
    if not found and len(text) > _PLAIN:
        lines = text[:_PLAIN].split("\n")
    return sorted(_cut(found, lines, docs=docs), key=lambda chunk: (chunk.start, chunk.end))


def _sections(found: list[Symbol], lines: list[str]) -> Iterator[Chunk]:
    for at, section in enumerate(found):
        end = min(section.end, found[at + 1].start - 1) if at + 1 < len(found) else section.end
        body = "\n".join(lines[section.start : end])
        yield Chunk(section.start, end, "section", section.name, section.name, signature=section.parent, body=body)


def _cut(found: list[Symbol], lines: list[str], *, docs: bool) -> Iterator[Chunk]:
    """Symbols and what is between them. A symbol in a unit belongs to it."""
    taken = bytearray(len(lines) + 2)
    units = list(_units(found))
    for number, unit in enumerate(units):
        last = min(unit.end, len(lines))
        taken[unit.lead : last + 1] = b"\1" * (last + 1 - unit.lead)
        holds = list(takewhile(lambda other: other.end <= unit.end, units[number + 1 :]))  # noqa: B023
        own = bytearray(b"\1") * (last + 1)
        for other in holds:
            own[other.lead : other.end + 1] = bytes(other.end + 1 - other.lead)
        if not docs:
            own[unit.lead : unit.start] = bytes(unit.start - unit.lead)
            if unit.doc and _DOCSTRING.match(lines[unit.body_start - 1]):
                count = unit.doc.count("\n") + 1
                own[unit.body_start : unit.body_start + count] = bytes(count)
        end = min((other.lead for other in holds), default=last + 1) - 1
        while end > unit.start and not lines[end - 1].strip():
            end -= 1
        yield Chunk(
            start=unit.lead if docs else unit.start,
            end=max(end, unit.start),
            kind=unit.kind,
            name=unit.name,
            qualified=unit.qualified,
            header=bool(holds),
            signature=f"{unit.parent} {unit.signature}",
            doc=unit.doc if docs else "",
            body="\n".join(lines[line - 1] for line in range(unit.lead, last + 1) if own[line : line + 1] == b"\1"),
            names=tuple(one.name for one in found if one.kind == "constant" and one.parent == unit.qualified),
        )
    constants = {one.start: one.name for one in found if one.kind == "constant" and not one.parent}
    for first, last in _gaps(taken, len(lines)):
        for block in _blocks(lines, first, last):
            names = tuple(name for line, name in constants.items() if block.start <= line <= block.end)
            yield Chunk(block.start, block.end, "block", body=block.body, names=names)


def _units(found: list[Symbol]) -> Iterator[Symbol]:
    """The symbols that get a chunk: no small constants, nothing inside a function unless that is large. Of nested keys
    the outermost that is no longer than a block."""
    until = 0
    for at, symbol in enumerate(found):
        small = symbol.kind in _SMALL and symbol.end - symbol.lead < 4
        if symbol.start <= until or small or (symbol.kind in _DATA and symbol.end - symbol.lead >= BLOCK):
            continue
        yield symbol
        if symbol.kind in _DATA:
            until = symbol.end
        elif symbol.kind in _UNITS or symbol.kind == "constant":
            large = symbol.end - symbol.start >= _LARGE or symbol.kind == "test"
            holds = any(other.kind in _UNITS and other.end <= symbol.end for other in found[at + 1 : at + 40])
            if not (large and holds):
                until = symbol.end


def _gaps(taken: bytearray, last: int) -> Iterator[tuple[int, int]]:
    first = 0
    for line in range(1, last + 2):
        if line <= last and not taken[line]:
            first = first or line
        elif first:
            yield first, line - 1
            first = 0


def _blocks(lines: list[str], first: int, last: int) -> Iterator[Chunk]:
    """Lines as blocks that begin and end with text; a long run is cut at a blank line where there is one."""
    while first <= last:
        if not lines[first - 1].strip():
            first += 1
            continue
        end = min(first + BLOCK - 1, last)
        if end < last:
            end = next((line for line in range(end, first + BLOCK // 2, -1) if not lines[line - 1].strip()), end)
        stop = end
        while not lines[stop - 1].strip():
            stop -= 1
        body = "\n".join(lines[first - 1 : stop])
        if _SAYS.search(body):
            yield Chunk(first, stop, "block", body=body)
        first = end + 1
