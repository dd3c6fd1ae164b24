"""Whether lines of a file hold what a sentence says of them: quotes first, then names. Reads text, decides nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

_SEPARATORS = re.compile(r"::|->|[.#:\\]")
_ELISION = re.compile(r"\.\.\.|…")
_ELIDED_LINE = re.compile(r"\W*(?:\.\.\.|…)\W*")
_NUMBERED = re.compile(r"\s*\d+(?:\t|\s*[:|│→]| {2,})")
_ENOUGH = 3  # letters and digits that a quote has at least


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for a citation: a `quote` or a `name` that the lines hold."""

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

    def _holds_name(self, name: str, low: int, high: int) -> bool:
        if self._word(name, low, high) >= 0:
            return True
        if name.startswith("-"):  # `--base-ref` may be registered as "base-ref"
            bare = name.lstrip("-")
            return any(self._word(f"{mark}{bare}{mark}", low, high) >= 0 for mark in "\"'`") if bare else False
        parts = _parts(name)
        if not parts or (len(parts) == 1 and parts[0] == name):
            return False
        if self._word(parts[-1], low, high) < 0:
            return False
        return len(parts) == 1 or self._word(parts[-2], 0, len(self._text)) >= 0 or parts[-2] in self._stems()

    def _stems(self) -> set[str]:
        """What a module or package in this path may be called."""
        return {part.partition(".")[0] for part in self._path.split("/")}

    def _holds_quote(self, quote: str, low: int, high: int) -> bool:
        said = [line for line in quote.splitlines() if line.strip()]
        if len(said) > 1 and all(_NUMBERED.match(line) for line in said):
            said = [_NUMBERED.sub("", line, count=1) for line in said]
        said = [line for line in said if not _ELIDED_LINE.fullmatch(line)]
        pieces = [even for line in said if (even := " ".join(line.split()))]
        if not _is_enough("".join(pieces)):
            return False
        if self._in_order(pieces, low, high) or self._in_order([" ".join(pieces)], low, high):
            return True
        if len(said) == 1:
            parts = [part.strip() for part in _ELISION.split(pieces[0])]
            return len(parts) > 1 and all(map(_is_enough, filter(None, parts))) and self._in_order(parts, low, high)
        cited = self._text[low:high].strip()  # a quote that shows more than the cited lines
        return _is_enough(cited) and f" {cited} " in f" {' '.join(pieces)} "

    def _in_order(self, pieces: Sequence[str], low: int, high: int) -> bool:
        for piece in pieces:
            found = self._word(piece, low, high)
            if found < 0:
                return False
            low = found + len(piece)
        return True

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


def _parts(name: str) -> list[str]:
    return [part for part in _SEPARATORS.split(name.strip("@&*$%~/")) if part]


def _joins(outside: str, edge: str, *, hyphen: bool) -> bool:
    """Is the character beside a word part of it? A hyphen is, beside a name that has some."""
    return (hyphen and outside == "-") or (_in_word(outside) and _in_word(edge))


def _in_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _is_enough(text: str) -> bool:
    return sum(character.isalnum() for character in text) >= _ENOUGH
