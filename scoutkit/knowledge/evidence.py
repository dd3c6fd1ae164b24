"""Whether lines of a file hold what a sentence says of them: quotes first, then names. Reads text, decides nothing."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

_SEPARATORS = re.compile(r"::|->|[.#:\\]")
_ELISION = re.compile(r"\.\.\.|…")
_ELIDED_LINE = re.compile(r"\W*(?:\.\.\.|…)\W*")
_NUMBERED = re.compile(r"\s*\d+(?:\t|\s*[:|│→]| {2,})")
_WORD = re.compile(r"\w+")
_ENOUGH = 3  # letters and digits that a quote has at least
_TRIES = 2_000  # places of a quote's first line that are looked at
_MOST = 100  # places of one text in one file: more say nothing about where


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for a citation, strongest first: a `quote`, a `definition` or a `name` that the lines hold, or a
    definition that they are most of the `inside` of."""

    kind: str
    text: str


class Lines:
    """A file's text with white space made even, and where its lines begin in it."""

    def __init__(self, path: str, lines: Sequence[str]) -> None:
        even = [" ".join(line.split()) for line in lines]
        parts = [f"{line} " if line else "" for line in even]
        self._path = path
        self._starts = list(accumulate(map(len, parts), initial=0))
        self._text = "".join(parts)

    def __len__(self) -> int:
        return len(self._starts) - 1

    def trimmed(self, start: int, end: int) -> tuple[int, int]:
        """A range without blank lines at its ends; as it is where it is all blank."""
        first, last = start, end
        while first <= end and self._starts[first] == self._starts[first - 1]:
            first += 1
        while last >= first and self._starts[last] == self._starts[last - 1]:
            last -= 1
        return (first, last) if first <= last else (start, end)

    def evidence(
        self, start: int, end: int, *, names: Sequence[str], quotes: Sequence[str], is_file: Callable[[str], bool]
    ) -> Evidence | None:
        """The strongest evidence in lines `start` to `end`, or None. A name that `is_file` is none: it says where."""
        low, high = self._starts[start - 1], self._starts[end]
        for quote in quotes:
            if self._holds_quote(quote, low, high):
                return Evidence("quote", quote)
        for name in names:
            if not is_file(name) and self._holds_name(name, low, high):
                return Evidence("name", name)
        return None

    def holds(self, term: str, start: int, end: int, *, quoted: bool) -> bool:
        """Do lines `start` to `end` hold a name, or a quote?"""
        low, high = self._starts[start - 1], self._starts[end]
        return self._holds_quote(term, low, high) if quoted else self._holds_name(term, low, high)

    def naming(self, name: str) -> list[int]:
        """The lines that hold a name; [] where they are too many to say anything."""
        found: list[int] = []
        low = 0
        while (at := self._name_at(name, low, len(self._text))) >= 0:
            line = self._line(at)
            found.append(line)
            low = self._starts[line]
            if len(found) > _MOST:
                return []
        return found

    def quoting(self, quote: str) -> list[tuple[int, int]]:
        """The lines, first and last, of every place that holds a quote; [] where they are too many."""
        pieces = _pieces(quote)
        if not pieces or not _is_enough("".join(pieces)):
            return []
        if len(pieces) == 1:
            parts = [part.strip() for part in _ELISION.split(pieces[0])]
            pieces = [part for part in parts if part] if all(map(_is_enough, filter(None, parts))) else pieces
        room = 2 * sum(map(len, pieces)) + 400
        found: list[tuple[int, int]] = []
        at = self._word(pieces[0], 0, len(self._text))
        for _ in range(_TRIES):
            if at < 0:
                break
            end = self._through(pieces, at, min(at + room, len(self._text)))
            if end >= 0:
                found.append((self._line(at), self._line(end - 1)))
            if len(found) > _MOST:
                return []
            at = self._word(pieces[0], at + 1, len(self._text))
        return list(dict.fromkeys(found))

    def _line(self, at: int) -> int:
        return bisect_right(self._starts, at)

    def _holds_name(self, name: str, low: int, high: int) -> bool:
        return self._name_at(name, low, high) >= 0

    def _name_at(self, name: str, low: int, high: int) -> int:
        """Where a name stands first, or -1. Of `Class.method` the last part will do in a file that holds the other."""
        if (at := self._word(name, low, high)) >= 0:
            return at
        if name.startswith("-"):  # `--base-ref` may be registered as "base-ref"
            bare = name.lstrip("-")
            ats = [self._word(f"{mark}{bare}{mark}", low, high) for mark in "\"'`"] if bare else []
            return min((at for at in ats if at >= 0), default=-1)
        parts = _parts(name)
        if not parts or (len(parts) == 1 and parts[0] == name):
            return -1
        known = len(parts) == 1 or parts[-2] in self._stems() or self._word(parts[-2], 0, len(self._text)) >= 0
        return self._word(parts[-1], low, high) if known else -1

    def _stems(self) -> set[str]:
        """What a module or package in this path may be called."""
        return {part.partition(".")[0] for part in self._path.split("/")}

    def _holds_quote(self, quote: str, low: int, high: int) -> bool:
        pieces = _pieces(quote)
        if not _is_enough("".join(pieces)):
            return False
        if self._in_order(pieces, low, high) or self._in_order([" ".join(pieces)], low, high):
            return True
        if len(pieces) == 1:
            parts = [part.strip() for part in _ELISION.split(pieces[0])]
            return len(parts) > 1 and all(map(_is_enough, filter(None, parts))) and self._in_order(parts, low, high)
        cited = self._text[low:high].strip()  # a quote that shows more than the cited lines
        return _is_enough(cited) and f" {cited} " in f" {' '.join(pieces)} "

    def _in_order(self, pieces: Sequence[str], low: int, high: int) -> bool:
        return self._through(pieces, low, high) >= 0

    def _through(self, pieces: Sequence[str], low: int, high: int) -> int:
        """Where the last of some texts that stand one after the other ends, or -1."""
        for piece in pieces:
            found = self._word(piece, low, high)
            if found < 0:
                return -1
            low = found + len(piece)
        return low

    def _word(self, word: str, low: int, high: int) -> int:
        """Where a text stands and does not continue a longer word, or -1."""
        text, hyphen = self._text, "-" in word
        at = text.find(word, low, high) if word else -1
        while at >= 0:
            before, after = text[at - 1 : at] if at else "", text[at + len(word) : at + len(word) + 1]
            if not (_joins(before, word[0], hyphen=hyphen) or _joins(after, word[-1], hyphen=hyphen)):
                return at
            at = text.find(word, at + 1, high)
        return -1


def dotted(name: str) -> str:
    """A name as symbols are named: `app::run` → app.run, `@x.y` → x.y."""
    return ".".join(_parts(name)) or name


def word_of(name: str) -> str:
    """What to look for in a tree where a name is meant: its last part; "" where that is too short."""
    found = _WORD.findall(name if name.startswith("-") else (_parts(name) or [""])[-1])
    return found[-1] if found and len(found[-1]) >= _ENOUGH else ""


def line_of(quote: str) -> tuple[str, str]:
    """The longest line of a quote, white space made even, and its longest word; "" where that is too short."""
    line = max(_pieces(quote), key=len, default="")
    word = max(_WORD.findall(line), key=len, default="")
    return (line, word) if len(word) >= _ENOUGH else ("", "")


def _pieces(quote: str) -> list[str]:
    """The lines of a quote with white space made even, without line numbers and without those left out (`…`)."""
    said = [line for line in quote.splitlines() if line.strip()]
    if len(said) > 1 and all(_NUMBERED.match(line) for line in said):
        said = [_NUMBERED.sub("", line, count=1) for line in said]
    said = [line for line in said if not _ELIDED_LINE.fullmatch(line)]
    return [even for line in said if (even := " ".join(line.split()))]


def _parts(name: str) -> list[str]:
    return [part for part in _SEPARATORS.split(name.strip("@&*$%~/")) if part]


def _joins(outside: str, edge: str, *, hyphen: bool) -> bool:
    """Is the character beside a word part of it? A hyphen is, beside a name that has some."""
    return (hyphen and outside == "-") or (_in_word(outside) and _in_word(edge))


def _in_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _is_enough(text: str) -> bool:
    return sum(character.isalnum() for character in text) >= _ENOUGH
