"""A commit's source files as a report reads them: each parsed once, and so many characters at most in all."""

from __future__ import annotations

from collections.abc import Sequence

from scoutkit import calls, grammars, symbols
from scoutkit.agents.builtin.indexing.index import Index
from scoutkit.agents.builtin.reporting import imports
from scoutkit.calls import Call
from scoutkit.snapshot import Snapshot
from scoutkit.symbols import Symbol

PARSED = 3_500_000  # characters: some half a second
_UNITS = frozenset({"function", "method", "constructor", "test", "macro"})


class Code:
    """Lines, definitions and calls of files by path. What is past the limit has no definitions and no calls."""

    def __init__(self, index: Index, snapshot: Snapshot, most: int = PARSED) -> None:
        self.index, self.snapshot = index, snapshot
        self._left = most
        self._symbols: dict[str, Sequence[Symbol]] = {}
        self._calls: dict[str, Sequence[Call] | None] = {}
        self._lines: dict[str, Sequence[str]] = {}
        self._imported: dict[str, dict[str, str]] = {}
        self._passed: set[str] = set()  # files that there was no room for

    def text(self, path: str) -> str:
        """A file's text; "" where it has none."""
        return self.snapshot.text(path) or ""

    def lines(self, path: str) -> Sequence[str]:
        """A file's lines."""
        if path not in self._lines:
            self._lines[path] = self.snapshot.lines(path) or []
        return self._lines[path]

    def symbols(self, path: str) -> Sequence[Symbol]:
        """A file's definitions."""
        if path not in self._symbols:
            self._symbols[path] = symbols.symbols(path, self.text(path)) if self._may(path) else ()
        return self._symbols[path]

    def calls(self, path: str) -> Sequence[Call] | None:
        """A file's calls in order; None where they are not known."""
        if path not in self._calls:
            text = self.text(path)
            known = calls.has_calls(symbols.language_of(path, text)) and not grammars.unfit(text)
            self._calls[path] = calls.calls(path, self.text(path)) if known and self._may(path) else None
        return self._calls[path]

    def imported(self, path: str, name: str) -> str:
        """The module that a name in a file is imported as or from; "" where that is not said."""
        return self.imports(path).get(name, "")

    def imports(self, path: str) -> dict[str, str]:
        """The names in a file that are imported, each with its module, as `imports.imported` says it."""
        if path not in self._imported:
            self._imported[path] = imports.imported(path, self.text(path))
        return self._imported[path]

    def known(self, path: str) -> bool:
        """Was there room for a file's definitions? Else nobody can say what a line of it is in."""
        self.symbols(path)
        return path not in self._passed

    def holder(self, path: str, line: int) -> Symbol | None:
        """The innermost definition that a line is in, its comment included."""
        holding = [one for one in self.symbols(path) if one.lead <= line <= one.end and one.kind != "constant"]
        return min(holding, key=lambda one: one.end - one.lead) if holding else None

    def unit(self, path: str, line: int) -> Symbol | None:
        """The innermost function, method or test that a line is in, its comment included. What is in a test is told as
        that test: a callback's own name says nothing."""
        holding = [one for one in self.symbols(path) if one.lead <= line <= one.end and one.kind in _UNITS]
        return min(holding, key=lambda one: (one.kind != "test", one.end - one.lead)) if holding else None

    def symbol(self, path: str, qualified: str, start: int, end: int) -> Symbol | None:
        """The definition of a name that begins in a range."""
        found = (one for one in self.symbols(path) if one.qualified == qualified and start <= one.start <= end)
        return next(found, None)

    def _may(self, path: str) -> bool:
        size = len(self.text(path))
        if size > self._left:
            self._passed.add(path)
            return False
        self._left -= size
        return True
