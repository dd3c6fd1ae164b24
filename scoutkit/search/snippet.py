"""The one line of a note that shows why it was found, with the places of the matching words."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping, Sequence

from scoutkit.words import is_cjk

WIDTH = 160  # characters
_MOST = 24  # matches that are looked at, of all words together, but three of each
_AROUND = 240  # characters on both sides of a match that are made readable
_ENDINGS = re.compile(r"(?:(?:ic)?at(?:e|ed|ing|ion|or|er)|ment|ing|edly|er|or|ion|ed|ly)$")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_LINE_MARKUP = re.compile(r"^[ \t]*(?:`{3,}.*|~{3,}.*|#{1,6}[ \t]+|[-*+][ \t]+|>[ \t]?|\|?[ \t:|-]+\|?$)", re.MULTILINE)
_MARKS = frozenset("`~#-*+>|:")  # what line markup begins with
_LINK = re.compile(r"!?\[([^\]\n]*)\]\([^)\n]*\)")
_EMPHASIS = re.compile(r"`+|\*\*|(?<!\w)\*(?=\S)|(?<=\S)\*(?!\w)")
_BLANK = re.compile(r"[\s\x00-\x1f\x7f-\x9f]+")  # control characters too: this goes to a terminal

_BORDER = re.compile(r"\A|\n[ \t]*(?:(?=\n|\|)|(?=[-*+][ \t]|\d{1,9}[.)][ \t]))")
_PARAGRAPH = 2_000  # characters before and behind a place in which its paragraph ends

Marks = tuple[tuple[int, int], ...]
Spot = tuple[int, int, str]  # start, end, the root of the word that is there


def snippet(texts: Sequence[str], words: Sequence[str]) -> tuple[str, Marks]:
    """The passage of `texts` with the most of `words` (lower case), as one line, and where they are in it.

    The first text is preferred; without any match its beginning is shown.
    """
    if not words:
        beginnings = (readable(_around(text, 0, False)) for text in texts)
        return _cut(next((line for line in beginnings if line), ""), 0, ())
    roots = {root(word): word for word in words if word}
    best: tuple[float, str, Marks] | None = None
    for rank, text in enumerate(texts):
        spots = _spots(text, roots)
        if not spots:
            continue
        line = readable(_around(text, _densest(spots), rank == 0))
        marks = _spots(line, roots)
        start = _densest(marks)
        line, kept = _cut(line, start, [(a, b) for a, b, _ in marks])
        score = len({word for a, b, word in marks if start <= a and b <= start + WIDTH}) - rank / 10 - (not line)
        if best is None or score > best[0]:
            best = score, line, kept
        if len({word for _, _, word in marks}) == len({root(word) for word in words}) and kept:
            break  # all of them: the next text cannot have more
    return (best[1], best[2]) if best else snippet(texts, ())


def readable(text: str) -> str:
    """Markdown as one line of plain text."""
    if "<!--" in text:  # looking whether there is anything to do costs less than doing it, for twenty hits
        text = _COMMENT.sub(" ", text)
    lines = text.split("\n")
    text = "\n".join(_LINE_MARKUP.sub(" ", one) if one.lstrip(" \t")[:1] in _MARKS else one for one in lines)
    if "](" in text:
        text = _LINK.sub(r"\1", text)
    text = _EMPHASIS.sub("", text) if "*" in text else text.replace("`", "")
    line = " ".join(text.split())
    return line if line.isprintable() else _BLANK.sub(" ", text).strip()


@functools.lru_cache(maxsize=2_000)
def root(word: str) -> str:
    """A word without its ending, at least three letters: enough to find `signing` by `signed`."""
    if len(word) > 3 and word.endswith("s") and not word.endswith("ss"):
        word = word[:-1]
    match = _ENDINGS.search(word, 3)
    stem = word[: match.start()] if match else word
    stem = stem[:3] + stem[3:].rstrip("eiy")
    return stem[:-1] if len(stem) > 3 and stem[-1] == stem[-2] else stem


def lowered(text: str, words: Iterable[str]) -> str:
    """A text in lower case, every character where it was, to look for these words in: letters that none of them can
    have may be other signs."""
    if not text.isascii() and all(map(str.isascii, words)):  # lower case beyond Latin 1 takes three times as long
        return text.encode("latin-1", "replace").lower().decode("latin-1")
    lower = text.lower()
    if len(lower) != len(text):  # a few letters have longer lower cases: places would shift
        lower = "".join(low if len(low := char.lower()) == 1 else char for char in text)
    return lower


def _spots(text: str, roots: Mapping[str, str]) -> list[Spot]:
    """Where words of the query are, in order and apart. A word may be a part of an identifier. `roots`: of each its
    word."""
    lower = lowered(text, roots)
    found: list[Spot] = []
    most = max(_MOST // max(len(roots), 1), 3)
    for start_of, word in roots.items():
        length, whole, seen = len(start_of), is_cjk(start_of), 0
        at = lower.find(start_of)
        while at >= 0:
            seen += 1
            if whole or at == 0 or not text[at - 1].isalnum() or _begins(text, at):
                end = at + length if whole else _end(text, at + length, text[at : at + length].isupper())
                if lower[at:end] == word or root(lower[at:end]) == start_of:
                    found.append((at, end, start_of))
            at = lower.find(start_of, at + length) if seen < most else -1
    found.sort(key=_in_order)
    apart: list[Spot] = []
    behind = 0
    for spot in found:
        if spot[0] >= behind:
            apart.append(spot)
            behind = spot[1]
    return apart


def _in_order(spot: Spot) -> tuple[int, int]:
    return spot[0], -spot[1]


def _end(text: str, end: int, upper: bool) -> int:
    """Where the word ends whose beginning ends here, and is all in upper case or not."""
    if upper:  # HTTP in HTTPServer ends before the S
        while text[end : end + 1].isupper() and not text[end + 1 : end + 2].islower():
            end += 1
    else:
        while text[end : end + 1].islower():
            end += 1
    return end


def _begins(text: str, at: int) -> bool:
    """Does a word, or a part of an identifier, begin here?"""
    if at == 0 or not text[at - 1].isalnum() or not text[at].isalpha():
        return True
    before, char, after = text[at - 1], text[at], text[at + 1 : at + 2]
    return not before.isalpha() or is_cjk(before) or (char.isupper() and (before.islower() or after.islower()))


def _densest(spots: Sequence[Spot]) -> int:
    """Where the window with the most different words begins."""
    best, begin = 0, spots[0][0] if spots else 0
    for index, (start, _, _) in enumerate(spots):
        words = set()
        for other in spots[index : index + 24]:
            if other[1] > start + WIDTH:
                break
            words.add(other[2])
        if len(words) > best:
            best, begin = len(words), start
    return begin


def _around(text: str, at: int, whole: bool) -> str:
    """The text near a place, from and to the ends of lines where they are near."""
    if whole and len(text) <= 4 * _AROUND:
        return text
    start, end = max(0, at - _AROUND), at + WIDTH + _AROUND
    line = text.find("\n", start, at) if start else -1
    stop = text.rfind("\n", at + WIDTH, end) if end < len(text) else -1
    return text[line + 1 if line >= 0 else start : stop if stop >= 0 else end]


def _cut(line: str, at: int, marks: Sequence[tuple[int, int]]) -> tuple[str, Marks]:
    """At most `WIDTH` characters of a line with what begins at `at` in them, between words where it can be."""
    start = 0 if len(line) <= WIDTH else max(0, min(at - WIDTH // 4, len(line) - WIDTH))
    if start:
        blank = line.find(" ", start, at)
        start = blank + 1 if blank >= 0 else start
    end = min(len(line), start + WIDTH)
    if end < len(line):
        blank = line.rfind(" ", start + WIDTH // 2, end)
        end = blank if blank >= 0 else end
    before, after = "… " if start else "", " …" if end < len(line) else ""
    shift = len(before) - start
    return before + line[start:end] + after, tuple((a + shift, b + shift) for a, b in marks if start <= a and b <= end)


def passage(text: str, place: str) -> tuple[str, Marks]:
    """The paragraph, list item or row of a text that names a place, that place marked; the place alone where none
    does."""
    at = text.find(place)
    if at >= 0:
        begin = max((found.end() for found in _BORDER.finditer(text, max(0, at - _PARAGRAPH), at)), default=at)
        end = _BORDER.search(text, at, at + _PARAGRAPH)
        line = readable(_around(text[begin : end.start() if end else at + _PARAGRAPH], at - begin, False))
        if (start := line.find(place)) >= 0:
            return _cut(line, start, [(start, start + len(place))])
    return place, ((0, len(place)),)
