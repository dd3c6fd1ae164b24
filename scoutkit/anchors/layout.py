"""Lines that were only laid out anew: the words and signs that a formatter keeps, and where they are.

What formatters change is left out or made even: blanks and line breaks, the backslashes before them, trailing commas,
semicolons between statements, kinds of quotes, the case of numbers and string prefixes, parentheses that group nothing,
the order of imported names. With a grammar this follows the syntax tree; without one, the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tree_sitter import Node

_STRINGS = re.compile(r"string|char|template|heredoc|regex|comment|raw_text")
_STATEMENTS = re.compile(r"^(import_(from_)?statement|import_declaration|use_declaration|future_import_statement)$")
_GROUPS = re.compile(r"binary|unary|boolean|comparison|operator|call|member|attribute|subscript|await|field|index|new_")
_COUNTING = re.compile(r"for|array|empty")  # what semicolons are part of
_PREFIX = re.compile(r"^[A-Za-z]{0,3}(?=[\"'])")
_PIECE = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|\w+|[^\w\s]")
_CLOSING = frozenset(")]}>")
_DEEPEST = 400


class Piece(NamedTuple):
    """A word or sign that counts, and the rows it is on."""

    text: str
    row: int
    end: int


def of_text(lines: Sequence[str], start: int, end: int) -> list[Piece]:
    """The pieces of lines `start` to `end` (from 0, inclusive), by the text alone."""
    found = [Piece(_even(m[0]), row, row) for row in range(start, end + 1) for m in _PIECE.finditer(lines[row])]
    return list(_told(found))


def of_tree(root: Node, start: int, end: int) -> list[Piece]:
    """The pieces of lines `start` to `end` by their syntax tree."""
    return list(_told(list(_leaves(root, start, end))))


def _told(pieces: list[Piece]) -> Iterator[Piece]:
    """Without commas before a closing bracket and without semicolons and backslashes at the end of a line."""
    for number, piece in enumerate(pieces):
        following = pieces[number + 1] if number + 1 < len(pieces) else None
        if piece.text == "," and following and following.text in _CLOSING:
            continue
        ends = following is None or following.row > piece.end
        if piece.text == "\\" and ends:
            continue
        if piece.text == ";" and (ends or (following and following.text in _CLOSING)):
            continue
        if piece.text:
            yield piece


def _leaves(root: Node, start: int, end: int) -> Iterator[Piece]:
    todo = [(root, 0)]
    while todo:
        node, depth = todo.pop()
        if node.end_point.row < start or node.start_point.row > end:
            continue
        if not node.child_count or _STRINGS.search(node.type) or depth > _DEEPEST:
            if not ((node.type in ("(", ")") and _idle(node)) or (node.type in (";", ",") and _between(node))):
                yield from _clipped(node, start, end)
        elif _STATEMENTS.match(node.type):
            yield from _sorted(node, start, end)
        else:
            todo.extend((child, depth + 1) for child in reversed(node.children))


def _clipped(node: Node, start: int, end: int) -> Iterator[Piece]:
    """A leaf, row by row where it has several: a comment's or a string's lines stay apart."""
    text = (node.text or b"").decode("utf-8", "replace")
    first = node.start_point.row
    bare = node.type == "property_identifier" and node.parent is not None and node.parent.type == "pair"  # {a: 1}
    for offset, line in enumerate(text.split("\n")):
        if start <= first + offset <= end and (even := _even(" ".join(line.split()))):
            even = f'"{even}"' if bare else even
            yield Piece(even, first + offset, first + offset)


def _between(node: Node) -> bool:
    """Does a semicolon only end a statement, or a comma a type's member?"""
    around = node.parent.type if node.parent else ""
    return around in ("interface_body", "object_type") or (node.type == ";" and not _COUNTING.search(around))


def _idle(node: Node) -> bool:
    """Does a parenthesis group nothing that would be grouped otherwise without it?"""
    around = node.parent
    above = around.parent if around else None
    if around is None or above is None:
        return False
    if around.type.startswith("parenthesized"):
        return not _GROUPS.search(above.type)
    if around.type in ("argument_list", "formal_parameters", "parameters"):
        few = around.named_child_count
        return (above.type == "class_definition" and not few) or (
            above.type == "arrow_function"
            and few == 1
            and around.named_children[0].type in ("identifier", "required_parameter")
        )
    return around.type in ("with_clause", "with_statement", "tuple", "tuple_pattern") and bool(
        around.type.startswith("with") or re.match(r"return|assignment|for_|expression_st|yield", above.type)
    )


def _sorted(node: Node, start: int, end: int) -> Iterator[Piece]:
    """An import's pieces: what names there are counts, not their order."""
    found: list[Piece] = []
    todo = [node]
    while todo:
        one = todo.pop()
        if one.child_count and not _STRINGS.search(one.type):
            todo.extend(one.children)
        elif one.type not in "(),{};":
            found += _clipped(one, start, end)
    rows = sorted((piece.row, piece.end) for piece in found)
    texts = sorted(piece.text for piece in found)
    yield from (Piece(text, *place) for text, place in zip(texts, rows, strict=True))


def _even(text: str) -> str:
    """A leaf with one kind of quotes and without what case says nothing in."""
    if text[:1].isdigit():
        return text.lower()
    if prefix := _PREFIX.match(text):
        text = prefix[0].lower() + text[prefix.end() :]
    return text.replace("\\'", "'").replace('\\"', '"').replace("'", '"')
