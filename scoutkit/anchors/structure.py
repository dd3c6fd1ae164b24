"""What lines are in their language: the part of the syntax tree they make up, and its counterpart in another text.

Where there is no grammar, or the lines are no part of the tree, nothing is said.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from scoutkit import grammars, languages
from scoutkit.anchors import layout, singular
from scoutkit.anchors.layout import Piece
from scoutkit.errors import Unavailable

if TYPE_CHECKING:
    from tree_sitter import Node

_MOST = 400  # parts of one kind that are all looked at
_NAMING = ("name", "left", "key")  # the fields of a node that say what it is called
_PROSE = frozenset({"markdown", "rst", "text"})


class Part(NamedTuple):
    """A part of a tree: rows from 0, inclusive. `names`: what it and its holders are called, outermost first."""

    kind: str
    start: int
    end: int
    name: str
    holders: tuple[str, ...]
    depth: int

    @property
    def role(self) -> tuple[str, tuple[str, ...], str]:
        """What it is, where, and what it is called."""
        return (self.kind, self.holders, self.name)


class Structure:
    """The syntax tree of a document: of its path, which tells the language, its text and its lines."""

    def __init__(self, path: str, text: str, lines: Sequence[str]) -> None:
        self._path, self._text, self._lines = path, text, lines
        self._chains: dict[int, tuple[tuple[str, ...], int]] = {}  # by the id of a node
        self._nodes: dict[str, list[Node]] = {}
        self._kinds: dict[str, list[Part]] = {}
        self._roles: dict[str, Counter[tuple[str, tuple[str, ...], str]]] = {}

    @functools.cached_property
    def _language(self) -> str:
        language = languages.language_of(self._path, self._text)
        fit = language is not None and language not in _PROSE and not grammars.unfit(self._text)
        return language or "" if fit else ""

    @functools.cached_property
    def _root(self) -> Node | None:
        try:
            return grammars.parse(self._language, "\n".join(self._lines)) if self._language else None
        except Unavailable:
            return None

    def part(self, start: int, end: int, columns: tuple[int, int] = (0, 0)) -> Part | None:
        """The outermost part that begins and ends exactly with these lines (or columns, from 1)."""
        lines = self._lines
        if not self._language or (not columns[0] and not singular.may_be(lines[start : end + 1], self._language)):
            return None
        root = self._root
        if root is None:
            return None
        while start < end and not lines[start].strip():
            start += 1
        while end > start and not lines[end].strip():
            end -= 1
        begin = columns[0] - 1 if columns[0] else len(lines[start]) - len(lines[start].lstrip())
        until = columns[1] or len(lines[end].rstrip())
        first = (start, len(lines[start][:begin].encode("utf-8", "replace")))
        last = (end, len(lines[end][:until].encode("utf-8", "replace")))
        node = root.named_descendant_for_point_range(first, last)
        if node is None or _begin(node) != first or _until(node) != last:
            return None
        while node.parent and node.parent.parent and (_begin(node.parent), _until(node.parent)) == (first, last):
            node = node.parent
        return self._part(node)

    def parts(self, kind: str, rows: range | None = None) -> list[Part]:
        """Every part of a kind, in order, or those that touch some rows; of very many, none."""
        if kind not in self._nodes:
            self._nodes[kind] = grammars.nodes(self._language, self._root, kind) if self._root else []
        if rows is not None:
            touching = (node for node in self._nodes[kind] if node.start_point.row < rows.stop)
            return [self._part(node) for node in touching if node.end_point.row >= rows.start]
        if kind not in self._kinds:
            self._kinds[kind] = (
                [self._part(node) for node in self._nodes[kind]] if len(self._nodes[kind]) <= _MOST else []
            )
        return self._kinds[kind]

    def pieces(self, start: int, end: int) -> list[Piece]:
        """The words and signs of lines that a formatter keeps."""
        return layout.of_tree(self._root, start, end) if self._root else layout.of_text(self._lines, start, end)

    def around(self, start: int, end: int) -> Part | None:
        """The innermost part with a name, of more than these lines or beginning with them, that they are in."""
        root, lines = self._root, self._lines
        if root is None:
            return None
        indent = len(lines[start]) - len(lines[start].lstrip())
        last = (end, len(lines[end].rstrip().encode("utf-8", "replace")))
        node = root.named_descendant_for_point_range(
            (start, len(lines[start][:indent].encode("utf-8", "replace"))), last
        )
        while node and not (_name(node) and (node.end_point.row > end or node.start_point.row == start)):
            node = node.parent
        return self._part(node) if node else None

    def _part(self, node: Node) -> Part:
        names, depth = self._above(node)
        own = names[-1] if names and _name(node) else ""
        return Part(node.type, node.start_point.row, node.end_point.row, own, names[:-1] if own else names, depth)

    def _above(self, node: Node) -> tuple[tuple[str, ...], int]:
        """The names of a node and of what holds it, outermost first, and its depth."""
        chain = []
        at: Node | None = node
        while at is not None and at.id not in self._chains:
            chain.append(at)
            at = at.parent
        names, depth = self._chains[at.id] if at else ((), -1)
        for one in reversed(chain):
            name = _name(one)
            names, depth = (*names, name) if name else names, depth + 1
            self._chains[one.id] = (names, depth)
        return names, depth

    def alone(self, part: Part) -> bool:
        """Is it the only one in its role?"""
        if part.kind not in self._roles:
            self._roles[part.kind] = Counter(one.role for one in self.parts(part.kind))
        return self._roles[part.kind][part.role] == 1


def _begin(node: Node) -> tuple[int, int]:
    return (node.start_point.row, node.start_point.column)


def _until(node: Node) -> tuple[int, int]:
    return (node.end_point.row, node.end_point.column)


def _name(node: Node) -> str:
    named = next((found for field in _NAMING if (found := node.child_by_field_name(field))), None)
    if named is None and (declared := node.child_by_field_name("declarator")):
        while (inner := declared.child_by_field_name("declarator") or declared.child_by_field_name("name")) is not None:
            declared = inner
        named = declared
    if named is None or named.text is None or len(named.text) > 200:
        return ""
    return named.text.decode("utf-8", "replace")
