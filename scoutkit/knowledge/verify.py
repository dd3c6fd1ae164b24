"""The birth check: does the commit that the agent saw hold, at each cited place, what the sentence says of it?

`supported` says that the lines match, not that the claim is true. Nothing is read from the working tree.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING

from scoutkit.config import NOTES
from scoutkit.errors import Unavailable
from scoutkit.git import Snapshot
from scoutkit.knowledge.citations import Reference
from scoutkit.knowledge.evidence import Evidence, Lines, dotted
from scoutkit.knowledge.files import Files
from scoutkit.model.notes import Citation, Verdict

if TYPE_CHECKING:
    from scoutkit.symbols import Symbol

_PLACE = re.compile(r":[0-9][0-9,:–-]*$")
_SHOWN = 3  # names listed to a person


@dataclass(frozen=True, slots=True)
class Checked:
    """A reference that is a citation, what was found, and why, in one line for a person."""

    citation: Citation
    reference: Reference
    why: str
    evidence: Evidence | None = None


def check(references: Sequence[Reference], snapshot: Snapshot, *, notes: str = NOTES) -> list[Checked]:
    """A verdict for each reference, in order: `supported`, `unsupported` or `wrong`. What only looked like a citation
    (`redis:6379` where there is no such file) is left out. `notes`: a folder that no shortened path leads into.
    """
    files = Files(snapshot, notes)
    checked: dict[int, Checked] = {}
    placed: list[tuple[str, int]] = []
    for number, reference in enumerate(references):
        found = files.find((reference.path, *reference.also), sure=reference.sure)
        if found.path:
            placed.append((found.path, number))
        elif reference.sure or (not reference.symbol and (found.several or files.means_file(reference.path))):
            checked[number] = _wrong(reference, found.why)
    for path, group in groupby(sorted(placed), key=lambda pair: pair[0]):  # one file at a time: each is parsed once
        file = _File(path, snapshot, files)
        for _, number in group:
            if one := file.check(references[number]):
                checked[number] = one
    return [checked[number] for number in sorted(checked)]


class _File:
    """One file of the commit and the references to it."""

    def __init__(self, path: str, snapshot: Snapshot, files: Files) -> None:
        self._path, self._files = path, files
        self._text = snapshot.text(path)
        self._lines = Lines(path, snapshot.lines(path) or ())

    def check(self, reference: Reference) -> Checked | None:
        """None where it turns out to be no citation."""
        from scoutkit import symbols

        if self._text is None:
            return _wrong(reference, "a binary file: it has no lines") if reference.sure else None
        if reference.symbol:
            return self._defined(reference, self._text)
        start, end = reference.start, reference.end
        if not 1 <= start <= end:
            return _wrong(reference, "lines are counted from 1" if not start else "the last line is before the first")
        if end > len(self._lines):
            return _wrong(reference, f"the file has {_count(len(self._lines), 'line')}")
        first, last = self._lines.trimmed(start, end)
        symbol = symbols.enclosing(self._path, self._text, first, last) if self._symbols else ""
        evidence = self._lines.evidence(
            start, end, names=reference.names, quotes=reference.quotes, is_file=self._is_file
        ) or self._head(start, reference.names)
        citation = Citation(self._path, start, end, Verdict.UNSUPPORTED, symbol)
        if evidence is None:
            return Checked(citation, reference, _absence(reference, symbol, self._is_file))
        held = "the quoted text" if evidence.kind == "quote" else f"`{evidence.text}`"
        return Checked(replace(citation, verdict=Verdict.SUPPORTED), reference, f"the lines hold {held}", evidence)

    def _head(self, start: int, names: Sequence[str]) -> Evidence | None:
        """Lines that begin with a definition's decorators or return type speak of it, though its name is below them."""
        heads = [
            f".{one.qualified}" for one in self._symbols if one.start <= start < max(one.body_start, one.start + 1)
        ]
        name = next((name for name in names for head in heads if head.endswith(f".{dotted(name)}")), None)
        return Evidence("name", name) if name else None

    @functools.cached_property
    def _symbols(self) -> list[Symbol]:
        from scoutkit import symbols

        try:
            return symbols.symbols(self._path, self._text or "")
        except Unavailable:  # no grammar can be loaded here, which doctor says: a note without symbols is still a note
            return []

    def _defined(self, reference: Reference, text: str) -> Checked | None:
        from scoutkit import symbols

        wanted = reference.symbol
        found = [one for one in self._symbols if f".{one.qualified}".endswith(f".{wanted}")]
        found = [one for one in found if one.qualified == wanted] or found
        if len(found) == 1:
            place = Citation(self._path, found[0].start, found[0].end, Verdict.SUPPORTED, found[0].qualified)
            return Checked(place, reference, f"the lines define `{wanted}`", Evidence("definition", wanted))
        if not reference.sure and not found:
            return None
        if found:
            lines = ", ".join(str(one.start) for one in found[:_SHOWN])
            return _wrong(reference, f"`{wanted}` is defined {len(found)} times, on lines {lines}")
        if not symbols.has_table(symbols.language_of(self._path, text)):
            return _wrong(reference, "definitions are not known in files of this kind: cite lines")
        return _wrong(reference, f"the file defines no `{wanted}`")

    def _is_file(self, name: str) -> bool:
        """Does a name say where, not what? `app.py`, `src/app.py`, `Makefile:12`."""
        path = _PLACE.sub("", name)
        return (path != name or "." in path or "/" in path) and self._files.has_named(path)


def _wrong(reference: Reference, why: str) -> Checked:
    citation = Citation(reference.path, reference.start, reference.end, Verdict.WRONG, reference.symbol)
    return Checked(citation, reference, why)


def _absence(reference: Reference, symbol: str, is_file: Callable[[str], bool]) -> str:
    """Why the lines are not supported."""
    names = [f"`{name}`" for name in reference.names if not is_file(name)]
    if not names:
        quoted = bool(reference.quotes)
        return "the lines do not hold the quoted text" if quoted else "the sentence names nothing to look for"
    listed = ", ".join(names[:_SHOWN]) + (" …" if len(names) > _SHOWN else "")
    named = any(f".{symbol}".endswith(f".{dotted(name)}") for name in reference.names)
    inside = f"; they are inside `{symbol}`" if named else ""
    return f"the lines do not hold {listed}{inside}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
