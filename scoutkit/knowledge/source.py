"""One file of a commit as the birth check reads it: its lines, its definitions, and what they hold of a sentence."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from scoutkit.errors import Unavailable
from scoutkit.knowledge.evidence import Evidence, Lines, dotted
from scoutkit.snapshot import Snapshot

if TYPE_CHECKING:
    from scoutkit.symbols import Symbol

_MOST_OF = 0.5  # of a definition, that lines without its name cover and still speak of it
_RECEIVERS = frozenset({"self", "this", "cls"})


class Source:
    """A file's text, and what can be asked of its lines. `text` is None for a binary file, and for one that is
    `missing`: not among the objects of a partial clone, and not to be fetched."""

    def __init__(self, path: str, snapshot: Snapshot) -> None:
        self.path = path
        self.text = snapshot.text(path)
        self.missing = self.text is None and snapshot.blob(path) is None
        self.lines = Lines(path, snapshot.lines(path) or ())

    def __len__(self) -> int:
        return len(self.lines)

    @functools.cached_property
    def symbols(self) -> list[Symbol]:
        """Its definitions, in order."""
        from scoutkit import symbols

        try:
            return symbols.symbols(self.path, self.text or "")
        except Unavailable:  # no grammar can be loaded here, which doctor says: a note without symbols is still a note
            return []

    @functools.cached_property
    def by_size(self) -> dict[int, list[tuple[int, Symbol]]]:
        """Definitions, each with the line it begins on, by how many lines they then have: with and without comment."""
        found: dict[int, list[tuple[int, Symbol]]] = {}
        for one in self.symbols:
            for start in dict.fromkeys((one.start, one.lead)):
                found.setdefault(one.end - start + 1, []).append((start, one))
        return found

    @functools.cached_property
    def _by_last(self) -> dict[str, list[Symbol]]:
        found: dict[str, list[Symbol]] = {}
        for one in self.symbols:
            found.setdefault(dotted(one.name).rpartition(".")[2], []).append(one)
        return found

    def defining(self, name: str) -> list[Symbol]:
        """The definitions that a name means: those it names in full, else those whose name ends so."""
        wanted = dotted(name)
        alike = self._by_last.get(wanted.rpartition(".")[2], [])
        found = [one for one in alike if f".{one.qualified}".endswith(f".{wanted}")]
        if not found and self._is_stem(wanted.rpartition(".")[0]):  # `signing.sign`, of signing.py
            found = [one for one in alike if one.qualified == wanted.rpartition(".")[2]]
        if not found and (wanted.rpartition(".")[0] in _RECEIVERS or len(wanted.rpartition(".")[0]) in (1, 2)):
            found = alike  # `c.sign`, of a variable
        return [one for one in found if one.qualified == wanted] or found

    def _is_stem(self, owner: str) -> bool:
        stem = self.path.rpartition("/")[2].partition(".")[0]
        return bool(owner) and owner.rpartition(".")[2] in (stem, self.path.rpartition("/")[0].rpartition("/")[2])

    def named_on(self, symbol: Symbol) -> int:
        """The line that a definition's name is on: below its decorators and return type."""
        for line in range(symbol.start, min(symbol.end, symbol.start + 40) + 1):
            if self.lines.holds(symbol.name, line, line, quoted=False):
                return line
        return symbol.start

    def enclosing(self, start: int, end: int) -> str:
        """The innermost definition that holds the lines, its comment included; blank lines at the ends are let go."""
        first, last = self.lines.trimmed(start, end)
        holders = [one for one in self.symbols if one.lead <= first and last <= one.end]
        return min(holders, key=lambda one: one.end - one.lead).qualified if holders else ""

    def evidence(
        self, start: int, end: int, names: Sequence[str], quotes: Sequence[str], is_file: Callable[[str], bool]
    ) -> Evidence | None:
        """The strongest evidence in lines `start` to `end`, or None. A name that `is_file` is none: it says where."""
        quote = next((quote for quote in quotes if self.lines.holds(quote, start, end, quoted=True)), None)
        if quote is not None:
            return Evidence("quote", quote)
        names = [name for name in names if not is_file(name)]
        held = [name for name in names if self.lines.holds(name, start, end, quoted=False)]
        if held:
            defined = next((name for name in held if self.defines(name, start, end)), None)
            return Evidence("name", held[0]) if defined is None else Evidence("definition", defined)
        return self._head(start, names) or self._inside(start, end, names)

    def defines(self, name: str, start: int, end: int) -> bool:
        """Is the beginning of a definition of this name among the lines?"""
        return any(one.start <= end and start <= max(one.body_start, one.start) for one in self.defining(name))

    def _head(self, start: int, names: Sequence[str]) -> Evidence | None:
        """Lines that begin with a definition's decorators or return type speak of it, though its name is below them."""
        for name in names:
            if any(one.start <= start < max(one.body_start, one.start + 1) for one in self.defining(name)):
                return Evidence("definition", name)
        return None

    def _inside(self, start: int, end: int, names: Sequence[str]) -> Evidence | None:
        """So do lines that are the better part of one definition, but for its head."""
        first, last = self.lines.trimmed(start, end)
        for name in names:
            for one in self.defining(name):
                covered = (last - first + 1) / (one.end - one.start + 1)
                if first < last <= one.end and one.start <= first and covered >= _MOST_OF:
                    return Evidence("inside", name)
        return None
