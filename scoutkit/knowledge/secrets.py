"""Takes secrets out of text before it touches the disk: known token shapes, private keys, this environment's values.

What has no shape (a bare password in a sentence) is found only when the environment holds it.
"""

from __future__ import annotations

import bisect
import copy
import re
from collections.abc import Iterator, Mapping, Sequence

from scoutkit.knowledge import shapes as known
from scoutkit.knowledge.named import values_of
from scoutkit.knowledge.shapes import Shape

_MARK = "[redacted:"
_KEY = f"{_MARK}private-key]"
_ANY_MARK = re.compile(r"\[redacted:[a-z-]+\]")
_BORDER = re.compile(r"-----(BEGIN|END) (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_FIELD = re.compile(r"\W*(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset): ")
_ESCAPED_END = re.compile(r"\\{1,4}[nrt]")  # a line's end, as source code and JSON write it
_KEY_START = re.compile(r"(?:\\{1,4}[nrt]|[A-Za-z0-9+/=]{16,}|[\s\"',+])*")
_WORD = re.compile(r"[A-Za-z0-9+/=]+")
_DECORATION = frozenset(" \t\r\"'`,\\:|→>#*-+/=()")  # quotes, line numbers' and comments' signs, diff marks


class Redactor:
    """Redacts one stream, line by line: `redact(line)`. Keeps the number of lines and everything that is no secret.

    It remembers a private key's beginning until its end, so each stream needs its own. A text of several lines may be
    given at once. `environment` is where values of variables with a secret's name are taken from.
    """

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        self._values = values_of(environment or {})
        self._in_key = False

    def another(self) -> Redactor:
        """One for another stream, that knows the same: looking through an environment costs more than most texts."""
        fresh = copy.copy(self)
        fresh._in_key = False
        return fresh

    def __call__(self, text: str) -> str:
        """The text with `[redacted:kind]` in place of every secret. Never raises."""
        shapes = [shape for shape in known.SHAPES if shape.hinted(text)] if known.hinted(text) else []
        values = [value for value in self._values if value in text]
        if not (shapes or values or self._in_key or "PRIVATE KEY" in text):
            return text
        return "\n".join([self._line(line, values, shapes) for line in text.split("\n")])

    def _line(self, line: str, values: Sequence[str], shapes: Sequence[Shape]) -> str:
        if self._in_key or "PRIVATE KEY" in line:
            line = self._key_line(line, values, shapes)
        return _settled(line, values, shapes)

    def _key_line(self, line: str, values: Sequence[str], shapes: Sequence[Shape]) -> str:
        """A line that may hold a private key or a piece of one. The lines that begin and end a key stay."""
        done, at, begun = "", 0, self._in_key
        for border in [*_BORDER.finditer(line), None]:
            inside = line[at : border.start() if border else len(line)]
            goes_on = False
            if begun and at:
                goes_on = _DECORATION.issuperset(_flat(inside))
                if cut := _whole_key(inside, border[0], values, shapes) if border else _started_key(inside):
                    inside, goes_on = _KEY + inside[cut:], _DECORATION.issuperset(_flat(inside[cut:]))
            elif begun:
                inside, goes_on = _body(inside)
            done += inside + (border[0] if border else "")
            at, begun = (border.end(), border[1] == "BEGIN") if border else (at, goes_on)
        self._in_key = begun
        return done


def _flat(text: str) -> str:
    """With line ends that are written out as spaces, so that none sticks to the word after it. Positions stay."""
    return _ESCAPED_END.sub(lambda match: " " * len(match[0]), text)


def _body(line: str) -> tuple[str, bool]:
    """A line that follows the beginning of a private key, redacted, and whether the key goes on after it."""
    flat = _flat(line)
    if not flat.strip() or _FIELD.match(flat) or _KEY in flat:
        return line, True
    words = [match for match in _WORD.finditer(flat) if any(map(str.isalnum, match[0]))]
    if len(words) == 2 and words[0][0].isdigit():
        del words[0]  # a line number
    if len(words) != 1 or not _DECORATION.issuperset(_WORD.sub("", flat)):
        return line, False
    start = words[0].start() + (words[0][0][0] == "+")  # an added line of a diff
    word = line[start : words[0].end()]
    if len(word) < 16 and (word.isalpha() or word.isdigit()):
        return line, False
    return f"{line[:start]}{_KEY}{line[start + len(word) :]}", True


def _whole_key(text: str, end: str, values: Sequence[str], shapes: Sequence[Shape]) -> int:
    """The length of what stands between BEGIN and END on one line, if that is a key and no prose; else 0.

    Asked also of the text without other secrets, so that it is not a key only once those are gone. They are looked for
    between dashes, as they stand in the line: some shapes ask what is beside them.
    """
    rest = _settled(f"-{text}{end}", values, shapes).removesuffix(end)
    return len(text) if _is_key(text) or _is_key(rest) else 0


def _is_key(text: str) -> bool:
    words = [match[0] for match in _WORD.finditer(_flat(text))]
    long = sum(len(word) for word in words if len(word) >= 16 and not word.isalpha())
    return long > 0.75 * sum(map(len, words))


def _started_key(text: str) -> int:
    """How far a key goes that begins on a line and does not end there, its line ends written out or blanks."""
    run = _KEY_START.match(text)
    words = [match for match in _WORD.finditer(_flat(run[0])) if any(map(str.isalnum, match[0]))] if run else []
    return words[-1].end() if words else 0


def _settled(line: str, values: Sequence[str], shapes: Sequence[Shape]) -> str:
    """The line without secrets that have a shape or a known value."""
    for _ in range(8):  # taking one secret out may bare the edge of another
        fresh = _redacted(line, values, shapes)
        if fresh == line:
            break
        line = fresh
    return line


def _redacted(line: str, values: Sequence[str], shapes: Sequence[Shape]) -> str:
    """One pass over the line as it is. Secrets that overlap become one mark."""
    merged: list[tuple[int, int, str]] = []
    for start, end, kind in sorted(_found(line, values, shapes)):
        if merged and start < merged[-1][1]:
            first, last, name = merged[-1]
            merged[-1] = (first, max(last, end), name)
        else:
            merged.append((start, end, kind))
    parts, at = [], 0
    for start, end, kind in merged:
        parts += [line[at:start], f"{_MARK}{kind}]"]
        at = end
    return "".join(parts) + line[at:] if merged else line


def _found(line: str, values: Sequence[str], shapes: Sequence[Shape]) -> Iterator[tuple[int, int, str]]:
    marks = [match.span() for match in _ANY_MARK.finditer(line)] if _MARK in line else []
    starts = [start for start, _ in marks]
    for value in values:
        at = line.find(value)
        while at >= 0:
            before = bisect.bisect_left(starts, at + len(value))
            if not before or marks[before - 1][1] <= at:  # a mark stays whole, even where its own text is a value
                yield at, at + len(value), "env"
            at = line.find(value, at + len(value))
    borders = [match.start() for match in _BORDER.finditer(line)] if "PRIVATE KEY" in line else []
    for shape in shapes:
        if shape.hinted(line):
            group = "s" if "s" in shape.pattern.groupindex else 0
            for match in shape.pattern.finditer(line):
                start, end = match.span(group)
                after = bisect.bisect_left(borders, start)
                if after < len(borders):  # a token's dashes may run on into those of a key's first or last line
                    end = min(end, borders[after])
                if start < end and shape.plausible(match[group]):
                    yield start, end, shape.kind
