"""The closing comment of a note: its anchors, one a line, hidden by renderers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from scoutkit.model import Anchor, Problem
from scoutkit.notefile import reference
from scoutkit.notefile.text import Fences, line_at

MARK = "<!-- scoutkit:anchors"
_COMMENT = re.compile(rf"^{MARK}[ \t]*\r?\n((?:(?!-->).)*?)^-->[ \t]*\r?$", re.MULTILINE | re.DOTALL)
_TOKEN = re.compile(r'[ \t]*+((?:"(?:[^"\\]|\\.)*+"|[^\s"]++)++)[ \t\r]*+')
_BARE = re.compile(r"[^\s\"<>\\]+")
_FIELDS = ("blob", "text", "lines", "before", "after", "symbol", "first")


@dataclass(frozen=True, slots=True)
class Comment:
    """Where the comment stands in a text (offsets), and what is between its first and last line."""

    start: int
    end: int
    inner: str
    inner_start: int


def find(text: str, begin: int) -> Comment | None:
    """The note's own comment: the last one, at the end of the file or followed by text somebody added.

    One inside a fenced block is an example, unless it ends the file: then the block was never closed.
    """
    at = text.rfind(MARK, begin)
    while at >= 0:
        found = _COMMENT.match(text, at)
        if found and (not text[found.end() :].strip() or not _fenced(text, begin, at)):
            return Comment(found.start(), found.end(), found[1], found.start(1))
        at = text.rfind(MARK, begin, at)
    return None


def _fenced(text: str, begin: int, at: int) -> bool:
    fences, inside = Fences(), False
    for line in text[begin : text.find("\n", at)].split("\n"):
        inside = fences.inside(line)
    return inside


def read(comment: Comment, text: str, path: str) -> Iterator[Anchor | Problem]:
    """Its anchors in order; a line that is none is a problem. Unknown keys are passed over."""
    line = line_at(text, comment.inner_start)
    for number, row in enumerate(comment.inner.split("\n"), line):
        if row.strip():
            yield _anchor(row) or Problem(
                path, number, f"not an anchor: {row.strip()[:60]}", "restore the line from git, or delete it"
            )


def _anchor(row: str) -> Anchor | None:
    tokens, at = [], 0
    while at < len(row):
        found = _TOKEN.match(row, at)
        if not found:
            return None
        tokens.append(found[1])
        at = found.end()
    where = reference.read(tokens[0])
    values = dict.fromkeys(_FIELDS, "")
    for token in tokens[1:]:
        key, equals, value = token.partition("=")
        plain = reference.unquoted(value) if value.startswith('"') else value
        if not equals or plain is None:
            return None
        if key in values:
            values[key] = plain
    return where and Anchor(*where, **values)


def write(anchors: Sequence[Anchor]) -> str:
    rows = "".join(f"{_row(anchor)}\n" for anchor in anchors)
    return f"{MARK}\n{rows}-->\n"


def _row(anchor: Anchor) -> str:
    bare = _BARE.fullmatch(anchor.path) and "--" not in anchor.path and not reference.UNPRINTABLE.search(anchor.path)
    where = reference.write(anchor.path, anchor.start, anchor.end)
    if not bare:
        where = reference.quoted(anchor.path, comment=True) + reference.lines(anchor.start, anchor.end)
    pairs = [f"{key}={_value(value, key)}" for key in _FIELDS if (value := getattr(anchor, key))]
    return " ".join([where, *pairs])


def _value(value: str, key: str) -> str:
    bare = key != "first" and _BARE.fullmatch(value) and "--" not in value and not reference.UNPRINTABLE.search(value)
    return value if bare else reference.quoted(value, comment=True)
