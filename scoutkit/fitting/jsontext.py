"""JSON as text: where its objects, lists and values stand, so that one can be put in without touching the others.

Comments are read over: Gemini's settings may have them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

_DEEPEST = 100
_TOKEN = re.compile(r'\s+|//[^\n]*|/\*.*?\*/|"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"/]+', re.DOTALL)


@dataclass(slots=True)
class Value:
    """From `start` to `end`, exclusive. An object's keys and their values; a list's values under their positions."""

    start: int
    end: int = 0
    members: list[tuple[str | int, int, Value]] = field(default_factory=list)  # key, where it starts, value

    def get(self, key: str | int) -> Value | None:
        """The last one of that name, as JSON has it."""
        return next((value for name, _, value in reversed(self.members) if name == key), None)


@dataclass(frozen=True, slots=True)
class Document:
    """A text, what it means, and where."""

    text: str
    data: Any
    root: Value
    tokens: list[tuple[int, int]]  # comments too, blanks not

    @classmethod
    def read(cls, text: str, *, comments: bool) -> Document:
        """ValueError for what is no JSON, or is nested deeper than any settings are."""
        tokens, plain, at = [], [], 0
        while at < len(text):
            token = _TOKEN.match(text, at)
            if not token:
                raise ValueError(f"line {text.count(chr(10), 0, at) + 1}")
            comment = comments and token[0].startswith(("//", "/*"))
            plain.append(re.sub(r"[^\n]", " ", token[0]) if comment else token[0])
            if not token[0].isspace():
                tokens.append(token.span())
            at = token.end()
        try:
            data = json.loads("".join(plain))
        except RecursionError as error:
            raise ValueError("nested too deeply") from error
        significant = iter([(a, b) for a, b in tokens if not text.startswith(("//", "/*"), a)])
        return cls(text, data, _value(text, significant, next(significant), 0), tokens)

    def before(self, at: int) -> tuple[int, int]:
        """The token, or comment, that ends last before `at`."""
        return max(span for span in self.tokens if span[1] <= at)

    def after(self, at: int) -> tuple[int, int]:
        """The first token, or comment, from `at` on."""
        return min(span for span in self.tokens if span[0] >= at)


def _value(text: str, tokens: Iterator[tuple[int, int]], first: tuple[int, int], depth: int) -> Value:
    if depth > _DEEPEST:
        raise ValueError("nested too deeply")
    value = Value(*first)
    if text[first[0]] not in "{[":
        return value
    while True:
        token = next(tokens)
        if text[token[0]] in "}]":
            value.end = token[1]
            return value
        if text[token[0]] == ",":
            continue
        key: str | int = len(value.members)
        start = token[0]
        if text[first[0]] == "{":
            key = str(json.loads(text[slice(*token)]))
            next(tokens)  # the colon
            token = next(tokens)
        value.members.append((key, start, _value(text, tokens, token, depth + 1)))
