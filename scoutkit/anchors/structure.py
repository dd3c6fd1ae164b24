"""What lines are in their language: the part of the syntax tree they make up, and its counterpart in another text.

Where there is no grammar, or the lines are no part of the tree, nothing is said.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scoutkit import grammars, languages
from scoutkit.anchors.document import Document, weight
from scoutkit.errors import Unavailable

if TYPE_CHECKING:
    from tree_sitter import Node

_MOST = 60_000  # nodes of a tree that are looked at
_NAMING = ("name", "left", "key")  # the fields of a node that say what it is called
_PROSE = frozenset({"markdown", "rst", "text"})


@dataclass(frozen=True, slots=True)
class Part:
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
    """The syntax tree of a document."""

    def __init__(self, document: Document) -> None:
        self._document = document

    @functools.cached_property
    def _root(self) -> Node | None:
        document = self._document
        language = languages.language_of(document.path, document.text)
        if language is None or language in _PROSE or grammars.unfit(document.text):
            return None
        try:
            return grammars.parse(language, "\n".join(document.lines))
        except (Unavailable, LookupError):
            return None

    def part(self, start: int, end: int, columns: tuple[int, int] = (0, 0)) -> Part | None:
        """The outermost part that begins and ends exactly with these lines (or columns, from 1)."""
        root = self._root
        if root is None:
            return None
        lines = self._document.lines
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
        return _part(node)

    @functools.cached_property
    def _parts(self) -> dict[str, list[Part]]:
        """Every named part of more than a word, by its kind."""
        found: dict[str, list[Part]] = {}
        if self._root:
            for node, holders, depth in _walk(self._root):
                part = Part(node.type, node.start_point.row, node.end_point.row, _name(node), holders, depth)
                found.setdefault(part.kind, []).append(part)
        return found

    def parts(self, kind: str) -> list[Part]:
        """Every part of a kind."""
        return self._parts.get(kind, [])

    def around(self, start: int, end: int) -> Part | None:
        """The innermost part with a name, of more than these lines or beginning with them, that they are in."""
        named = [
            one for kind in self._parts.values() for one in kind if one.name and one.start <= start <= end <= one.end
        ]
        holders = [one for one in named if one.end > end or one.start == start]
        return max(holders, key=lambda one: (one.start, -one.end), default=None)

    @functools.cached_property
    def roles(self) -> Counter[tuple[str, tuple[str, ...], str]]:
        """How many parts there are of a kind, in the same holders, with the same name."""
        return Counter(one.role for kind in self._parts.values() for one in kind)


def overlap(old: Document, old_part: Part, new: Document, new_part: Part) -> float:
    """How much of two parts' lines is the same, in any order, 0 to 1 (Dice, weighed by what a line says)."""
    return alike(old.keys[old_part.start : old_part.end + 1], new.keys[new_part.start : new_part.end + 1])


def alike(old: list[str], new: list[str]) -> float:
    """The same, of lists of lines."""
    before, after = Counter(old), Counter(new)
    both = sum(min(number, after[key]) * weight(key) for key, number in before.items() if key in after)
    size = sum(map(weight, old)) + sum(map(weight, new))
    return 2 * both / size if size else 0.0


def _begin(node: Node) -> tuple[int, int]:
    return (node.start_point.row, node.start_point.column)


def _until(node: Node) -> tuple[int, int]:
    return (node.end_point.row, node.end_point.column)


def _part(node: Node) -> Part:
    holders: list[str] = []
    depth, above = 0, node.parent
    while above:
        if name := _name(above):
            holders.append(name)
        depth, above = depth + 1, above.parent
    return Part(node.type, node.start_point.row, node.end_point.row, _name(node), tuple(holders[::-1]), depth)


def _name(node: Node) -> str:
    named = next((found for field in _NAMING if (found := node.child_by_field_name(field))), None)
    if named is None and (declared := node.child_by_field_name("declarator")):
        while (inner := declared.child_by_field_name("declarator") or declared.child_by_field_name("name")) is not None:
            declared = inner
        named = declared
    if named is None or named.text is None or len(named.text) > 200:
        return ""
    return named.text.decode("utf-8", "replace")


def _walk(root: Node) -> Iterator[tuple[Node, tuple[str, ...], int]]:
    """Named nodes with children, their named holders and their depth."""
    todo: list[tuple[Node, tuple[str, ...], int]] = [(child, (), 1) for child in reversed(root.named_children)]
    for _ in range(_MOST):
        if not todo:
            return
        node, holders, depth = todo.pop()
        yield node, holders, depth
        if node.named_child_count:
            name = _name(node)
            inside = (*holders, name) if name else holders
            todo.extend((child, inside, depth + 1) for child in reversed(node.named_children))
