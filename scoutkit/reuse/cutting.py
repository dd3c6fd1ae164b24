"""A note's text cut to fit: whole blocks, and of the last paragraph whole sentences. Knows Markdown's borders only.

What is one piece stays one: a code block, a link, inline code, a verdict beside a citation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import NamedTuple

from scoutkit.words import runs, split_identifier

GAP = "[…]"
LONGEST = 200_000  # characters of a note that are looked at
_FENCE = re.compile(r"[ \t>]*(`{3,}|~{3,})([^\n]*)")
_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")
_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]")
_DEFINITION = re.compile(r" {0,3}\[([^\]\n]+)\]:")
_COMMENT = re.compile(r"[ \t]*<!--")
_ROW = re.compile(r"[ \t]*\|")
_CODE = re.compile(r"(?: {4}|\t)")
# Never cut: inline code, links and images, words in bold brackets, addresses in angle brackets.
_WHOLE = re.compile(
    r"(?<!`)(`+)(?!`)(?:[^`]|(?!\1(?!`))`+)*?(?<!`)\1(?!`)|!?\[[^\]\n]{0,2000}\]\([^)\n]{0,2000}\)"
    r"|\*\*\[[^\n]{0,2000}?\]\*\*|<[^>\n]{0,2000}>"
)
_STOP = re.compile(
    r"(?<![.!?])(?<!\be\.g)(?<!\bi\.e)(?<!\bcf)(?<!\bvs)[.!?]+[\"'”’)\]*_]*\s+(?![a-z\s,;)–—-])|[。！？]+[”’」』）]*"
)
_SHORTEST = 3  # letters of a word that tells what a block is about
_ROOT = 6  # letters of it that are compared

Count = Callable[[str], int]


class Block(NamedTuple):
    """A part of a text that may be kept without the one after it, with the line ends behind it.

    `kind` is heading, text, item, row, code, comment or definition; `label` a definition's.
    """

    kind: str
    text: str
    label: str = ""


def bounded(text: str) -> str:
    """As much of a very long text as is looked at, up to a blank line where there is one."""
    if len(text) <= LONGEST:
        return text
    return text[: text.rfind("\n\n", LONGEST // 2, LONGEST) + 1 or LONGEST]


def blocks(text: str) -> list[Block]:
    """A text in its parts: joined, they are the text again."""
    found: list[Block] = []
    lines = text.splitlines(keepends=True)
    at = 0
    while at < len(lines):
        kind, end = _block(lines, at)
        while end < len(lines) and not lines[end].strip():
            end += 1
        label = _DEFINITION.match(lines[at])
        found.append(Block(kind, "".join(lines[at:end]), label[1] if label and kind == "definition" else ""))
        at = end
    return found


def _block(lines: Sequence[str], at: int) -> tuple[str, int]:
    """What begins at a line, and the line behind it."""
    line = lines[at]
    if fence := _FENCE.match(line):
        return "code", _fence_end(lines, at + 1, fence[1])
    if _COMMENT.match(line):
        return "comment", next((n + 1 for n in range(at, len(lines)) if "-->" in lines[n]), len(lines))
    if _HEADING.match(line):
        return "heading", at + 1
    if _DEFINITION.match(line):
        return "definition", at + 1
    if _CODE.match(line) and not _ITEM.match(line):
        return "code", next((n for n in range(at + 1, len(lines)) if not _CODE.match(lines[n])), len(lines))
    if _ROW.match(line):
        header = at + 1 < len(lines) and not lines[at + 1].strip(" \t\r\n|:-") and _ROW.match(lines[at + 1])
        return "row", at + 2 if header else at + 1
    end = at + 1
    while end < len(lines) and lines[end].strip() and not _begins(lines[end]):
        end += 1
    return "item" if _ITEM.match(line) else "text", end


def _begins(line: str) -> bool:
    return any(one.match(line) for one in (_FENCE, _HEADING, _ITEM, _ROW, _COMMENT))


def _fence_end(lines: Sequence[str], at: int, ticks: str) -> int:
    closing = re.compile(rf"[ \t>]*{re.escape(ticks[0])}{{{len(ticks)},}}[ \t]*$")
    return next((n + 1 for n in range(at, len(lines)) if closing.match(lines[n].rstrip("\r\n"))), len(lines))


def sentences(text: str) -> Iterator[str]:
    """The sentences of a paragraph, each with the blank behind it."""
    whole = [(found.start(), found.end()) for found in _WHOLE.finditer(text)]
    begin = at = 0
    for stop in _STOP.finditer(text):
        while at < len(whole) and whole[at][1] <= stop.start():
            at += 1
        if at == len(whole) or whole[at][0] > stop.start():
            yield text[begin : stop.end()]
            begin = stop.end()
    if begin < len(text):
        yield text[begin:]


def telling(task: str) -> frozenset[str]:
    """Beginnings of the words of a task, by which blocks that bear on it are known."""
    return frozenset(_roots(task))


def _roots(text: str) -> Iterator[str]:
    for run in runs(text):
        for part in (run.lower(), *split_identifier(run)):
            if len(part) >= _SHORTEST or not part.isascii():
                yield part[:_ROOT]


def cut(text: str, room: int, count: Count, about: frozenset[str]) -> tuple[str, bool]:
    """As much of a text as has room, and whether that is less than all of it. "" where not one sentence has.

    What a reader needs first comes first: the beginning, then the blocks with most words of `about`, then the rest in
    order. What is kept stays in order; `GAP` stands where something is missing.
    """
    if count(text) <= room:
        return text, False
    parts = blocks(text)
    kept: dict[int, str] = {}
    left = room - 2 * _GAP_COST
    for number in _order(parts, about):
        if number in kept:
            continue
        group = [*_above(parts, number, kept), number, *_definitions(parts, number, kept)]
        cost = sum(count(parts[one].text) for one in group)
        cost += 0 if group[0] - 1 in kept else _GAP_COST
        if cost <= left:
            kept |= {one: parts[one].text for one in group}
            left -= cost
        elif parts[number].kind in ("text", "item"):
            said = _some(parts[number].text, left - cost + count(parts[number].text), count)
            if said:
                kept |= {one: parts[one].text for one in group}
                kept[number] = said
            break
    return _joined(parts, kept), True


_GAP_COST = 3  # tokens of a mark that something is missing, at most


def _order(parts: Sequence[Block], about: frozenset[str]) -> list[int]:
    beside = ("heading", "definition", "comment")
    wanted = [
        number for number, part in enumerate(parts) if part.kind not in beside and part.text.strip() != GAP
    ]  # a text that is cut again has gaps already
    lead = next((number for number in wanted if parts[number].kind == "text"), -1)
    bearing = {number: len(about & set(_roots(parts[number].text))) if about else 0 for number in wanted}
    return sorted(wanted, key=lambda number: (number > lead, -bearing[number] if number > lead else 0, number))


def _above(parts: Sequence[Block], number: int, kept: Collection[int]) -> list[int]:
    """What a block is not understood without, where it is not kept yet: the heading that it stands under, a row's first
    one, and of code the item or the paragraph right before it, which says what it is."""
    found = next((one for one in range(number - 1, -1, -1) if parts[one].kind == "heading"), None)
    above = [] if found is None or found in kept else [found]
    if parts[number].kind == "code":
        first = number
        while first and parts[first - 1].kind == "code":
            first -= 1
        if first and parts[first - 1].kind in ("text", "item"):
            above += [one for one in range(first - 1, number) if one not in kept]
    if parts[number].kind == "row":
        first = number
        while first and parts[first - 1].kind == "row":
            first -= 1
        above += [first] if first != number and first not in kept else []
    return above


def _definitions(parts: Sequence[Block], number: int, kept: Collection[int]) -> list[int]:
    """The addresses given apart that a block uses."""
    text = parts[number].text
    return [one for one, part in enumerate(parts) if part.label and one not in kept and f"[{part.label}]" in text]


def _some(text: str, room: int, count: Count) -> str:
    said = ""
    for sentence in sentences(text):
        if count(said + sentence) + _GAP_COST > room:
            break
        said += sentence
    return said.rstrip()


def _joined(parts: Sequence[Block], kept: dict[int, str]) -> str:
    pieces: list[str] = []
    missing = False
    for number, part in enumerate(parts):
        if number not in kept:
            missing = missing or part.kind not in ("definition", "comment")
            continue
        if missing and pieces:
            pieces.append(f"{GAP}\n\n")
        missing = False
        whole = kept[number] == part.text
        pieces.append(part.text if whole else f"{kept[number]} {GAP}\n\n")
        missing = not whole and False
    if missing and pieces:
        pieces.append(GAP)
    text = "".join(pieces).rstrip()
    return text if kept else ""
