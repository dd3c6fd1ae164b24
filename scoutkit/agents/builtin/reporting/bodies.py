"""Definitions as they are written: whole, with their body rather than their declaration, and in what they stand."""

from __future__ import annotations

from dataclasses import replace

from scoutkit.agents.builtin.reporting import naming
from scoutkit.agents.builtin.reporting.code import Code
from scoutkit.agents.builtin.reporting.naming import Node
from scoutkit.symbols import language_of

CALLABLE = frozenset({"function", "method", "constructor", "macro"})
_OVERLOADED = frozenset({"python", "tsx", "typescript"})  # the last of equal definitions has the body there
_SHORT = 20  # lines of a declaration at most


def whole(code: Code, one: Node) -> Node:
    """A function to its last line: the index has of a large one what comes before the first in it."""
    found = code.symbol(one.path, one.name, one.start, one.end) if one.kind in CALLABLE else None
    return replace(one, end=max(one.end, found.end)) if found else one


def written(code: Code, one: Node) -> Node:
    """The definition with a body for one that is only declared, as overloads are; else the same."""
    if one.kind not in CALLABLE or one.end - one.start > _SHORT or language_of(one.path) not in _OVERLOADED:
        return one
    last = code.lines(one.path)[one.end - 1].rstrip(" ;") if one.end <= len(code.lines(one.path)) else "}"
    if last.endswith("}") or (language_of(one.path) == "python" and not last.endswith("...")):
        return one
    same = (other for other in naming.definitions(code.index, one.last) if other == one)  # none of a test's
    return max(same, key=lambda other: other.start, default=one)


def local(code: Code, one: Node) -> bool:
    """Does it stand in a function, or is it only a part of a value?"""
    held = [other for other in code.symbols(one.path) if one.name.startswith(f"{other.qualified}.")]
    inside = any(other.kind not in naming.TYPES for other in held)
    return bool(one.owner) and (inside or one.kind not in CALLABLE | naming.TYPES)
