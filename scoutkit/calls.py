"""Calls in source text, by the last part of the name that they go by; what they mean is for others to tell.

No text makes these functions raise; text that is too large, minified or in a language without a table has no calls.
"""

from __future__ import annotations

from dataclasses import dataclass

from scoutkit import grammars, languages
from scoutkit.languages import language_of
from scoutkit.symbols import scripts


@dataclass(frozen=True, slots=True)
class Call:
    """A call, by the last part of the name it is called by."""

    name: str
    line: int


def has_calls(language: str | None) -> bool:
    """Are a language's calls known?"""
    return language in languages.CALLS or languages.EMBEDDED.get(language or "") in languages.CALLS


def calls(path: str, text: str, start: int = 1, end: int = 10**9) -> list[Call]:
    """What lines `start` to `end` call, in order. Never raises on any text."""
    language = language_of(path, text)
    if grammars.unfit(text):
        return []
    if language in languages.EMBEDDED:
        language, text = languages.EMBEDDED[language], scripts(text)
    if language not in languages.CALLS:
        return []
    root = grammars.parse(language, text)
    if root is None:
        return []
    source = text.encode("utf-8", "replace")
    cursor = grammars.cursor(language, "calls")
    cursor.set_point_range((max(start - 1, 0), 0), (end, 0))
    found = sorted(cursor.captures(root).get("call", []), key=lambda node: node.start_byte)
    return [
        Call(source[node.start_byte : node.end_byte].decode("utf-8", "replace"), row)
        for node in found
        if start <= (row := node.start_point.row + 1) <= end
    ]
