"""Two sides of code, and where they differ: whole lines by a sign, words within a line by `<del>` and `<ins>`."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher


@dataclass(frozen=True, slots=True)
class Line:
    """One line of code: its number, its HTML, whether it is cited; `sign` where it differs from the other side."""

    number: int
    code: str
    cited: bool
    sign: str = ""


@dataclass(frozen=True, slots=True)
class Side:
    """Lines of a file, or why there are none. `more`: cited lines that are left out; `to`: the page of the file."""

    at: str
    lines: tuple[Line, ...] = ()
    why: str = ""
    more: int = 0
    to: str = ""


_TAG = re.compile(r"<[^>]*>")
_PIECE = re.compile(r"<[^>]*>|&[^;]*;|.", re.DOTALL)
_WORD = re.compile(r"\w+|\s+|.", re.DOTALL)
_ALIKE = 0.4  # lines that have less in common are no two forms of one line

Spans = Sequence[tuple[int, int]]


def marked(then: Side, now: Side) -> tuple[Side, Side]:
    """Both sides, their cited lines marked where they differ in more than blanks; as they are where one has none."""
    old, new = _cited(then), _cited(now)
    if not old or not new:
        return then, now
    signs: tuple[dict[int, Line], dict[int, Line]] = ({}, {})
    before, after = ([" ".join(_text(line).split()) for line in lines] for lines in (old, new))
    for what, start, end, new_start, new_end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if what == "equal":
            continue
        pairs = end - start == new_end - new_start
        for number in range(start, end):
            other = new[new_start + number - start] if pairs else None
            signs[0][old[number].number] = _line(old[number], other, "−", "del")
        for number in range(new_start, new_end):
            other = old[start + number - new_start] if pairs else None
            signs[1][new[number].number] = _line(new[number], other, "+", "ins")
    return _with(then, signs[0]), _with(now, signs[1])


def _cited(side: Side) -> list[Line]:
    return [line for line in side.lines if line.cited]


def _with(side: Side, lines: dict[int, Line]) -> Side:
    return replace(side, lines=tuple(lines.get(line.number, line) for line in side.lines))


def _line(line: Line, other: Line | None, sign: str, tag: str) -> Line:
    if other is None:
        return replace(line, sign=sign)
    mine, theirs = _WORD.findall(_text(line)), _WORD.findall(_text(other))
    matcher = SequenceMatcher(None, mine, theirs, autojunk=False)
    if matcher.ratio() < _ALIKE:
        return replace(line, sign=sign)
    ends = [0]
    for word in mine:
        ends.append(ends[-1] + len(word))
    spans = [(ends[start], ends[end]) for what, start, end, _, _ in matcher.get_opcodes() if what != "equal"]
    return replace(line, sign=sign, code="".join(_wrapped(line.code, [one for one in spans if one[0] < one[1]], tag)))


def _text(line: Line) -> str:
    """A line of code without its colours."""
    return html.unescape(_TAG.sub("", line.code))


def _wrapped(code: str, spans: Spans, tag: str) -> Iterator[str]:
    """HTML with some characters of its text in `tag`, which begins and ends between the tags that are there."""
    at, inside = 0, False
    for piece in _PIECE.findall(code):
        is_tag = piece.startswith("<")
        wanted = not is_tag and any(start <= at < end for start, end in spans)
        if wanted != inside:
            yield f"<{tag}>" if wanted else f"</{tag}>"
            inside = wanted
        yield piece
        at += not is_tag
    if inside:
        yield f"</{tag}>"
