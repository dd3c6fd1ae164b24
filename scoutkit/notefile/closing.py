"""The closing comment of a note: its anchors, one a line, hidden by renderers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from scoutkit.model import reference
from scoutkit.model.found import Problem
from scoutkit.model.notes import Anchor
from scoutkit.notefile.text import Fences, line_at

MARK = "<!-- scoutkit:anchors"
_TOKEN = re.compile(r'[ \t]*+((?:"(?:[^"\\]|\\.)*+"|[^\s"]++)++)[ \t\r]*+')
_BARE = re.compile(r"[^\s\"<>\\]+")
_USUAL = re.compile(
    r'([^\s"<>\\]+):([0-9]{1,9})(?:-([0-9]{1,9}))?((?: (?:blob|text|lines|before|after|symbol)=[^\s"<>\\]+)+)'
    r'(?: first="([^"\\]*)")?'
)
"""A row as `write` makes nearly all of them."""
MOST = 20_000  # lines that are read: bounds the time a hostile note takes
_FIELDS = ("blob", "text", "lines", "before", "after", "symbol", "first")


@dataclass(frozen=True, slots=True)
class Comment:
    """Where the comment stands in a text (offsets), and where its first line of content does."""

    start: int
    inner: int
    inner_end: int
    end: int


def find(text: str, begin: int) -> Comment | None:
    """The note's own comment: the last one, at the end of the file or followed by text somebody added.

    One inside a fenced block is an example, unless it ends the file: then the block was never closed.
    """
    last = text.rfind(MARK, begin)
    if last < 0:
        return None
    end = len(text.rstrip())
    if text[end - 4 : end] == "\n-->" and text.find("-->", last) == end - 3 and _alone(text, last):
        return Comment(last, text.index("\n", last) + 1, end - 3, len(text))
    fences, found, start, inner, at = Fences(), None, -1, -1, begin
    while at < len(text):
        following = text.find("\n", at) + 1 or len(text)
        line = text[at:following].rstrip()
        if line == MARK and (start >= 0 or not fences.inside(line)):
            start, inner = at, following
        elif start < 0:
            fences.inside(line)
        elif "-->" in line:
            found = Comment(start, inner, at, following) if line == "-->" else found
            start = -1
        at = following
    return found


def _alone(text: str, at: int) -> bool:
    """Is the mark at `at` a line of its own?"""
    return text[at - 1 : at] in ("\n", "") and not text[at + len(MARK) : text.index("\n", at)].strip()


def read(comment: Comment, text: str, path: str) -> tuple[list[Anchor], list[Problem]]:
    """Its anchors in order. Lines that are none make one problem, at the first; unknown keys are passed over."""
    rows = text[comment.inner : comment.inner_end].split("\n")
    anchors: list[Anchor] = []
    bad: list[int] = []
    for number, row in enumerate(rows[:MOST]):
        if anchor := _anchor(row):
            anchors.append(anchor)
        elif row.strip():
            bad.append(number)
    if len(rows) > MOST:
        bad.append(MOST)
    if not bad:
        return anchors, []
    line = line_at(text, comment.inner) + bad[0]
    what = f"not an anchor: {rows[bad[0]].strip()[:60]}" + (f" (and {len(bad) - 1} more)" if len(bad) > 1 else "")
    return anchors, [Problem(path, line, what, "restore the closing comment from git, or delete the line")]


def _anchor(row: str) -> Anchor | None:
    if usual := _USUAL.fullmatch(row):
        path, start, end, pairs, first = usual.groups()
        known = dict.fromkeys(_FIELDS, "") | dict(pair.split("=", 1) for pair in pairs.split())
        return Anchor(path, int(start), int(end or start), **{**known, "first": first or ""})
    tokens: list[str] = []
    at = 0
    while at < len(row):
        if not (found := _TOKEN.match(row, at)):
            return None
        tokens.append(found[1])
        at = found.end()
    where = reference.read(tokens[0]) if tokens else None
    values = dict.fromkeys(_FIELDS, "")
    for token in tokens[1:]:
        key, equals, value = token.partition("=")
        plain = reference.unquoted(value) if value.startswith('"') else value
        if not equals or plain is None:
            return None
        if key in values:
            values[key] = plain
    if where is None:
        return None
    path, start, end = where
    return Anchor(path, start, end, **values)


def write(anchors: Sequence[Anchor]) -> str:
    """The whole comment; without anchors it only says that nothing above is one."""
    rows = "".join(f"{_row(anchor)}\n" for anchor in anchors)
    return f"{MARK}\n{rows}-->\n"


def _row(anchor: Anchor) -> str:
    place = f"{_value(anchor.path)}{reference.lines(anchor.start, anchor.end)}"
    pairs = [f"{key}={_value(value, key)}" for key in _FIELDS if (value := getattr(anchor, key))]
    return " ".join([place, *pairs])


def _value(value: str, key: str = "") -> str:
    bare = _BARE.fullmatch(value) and "--" not in value and not reference.unprintable().search(value)
    return value if bare and key != "first" else reference.quoted(value, comment=True)
