"""A note's bytes as text, and what plain lines of it say: fences, conflict markers, a title where none is given."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

_BLANK_LINES = re.compile(r"(?:[ \t]*+\r?+\n)*+")
_SURROGATE = re.compile("[\ud800-\udfff]")
_UNKEPT = re.compile("[\0\ud800-\udfff]")
_FENCE = re.compile(r"[\s>]*+(?:(?:[-*+]|[0-9]{1,9}[.)])\s++)*+(`{3,}+(?=[^`]*+\Z)|~{3,}+)")
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]")
_WORD = re.compile(r"\w")
_TITLE_LENGTH = 80
_TITLE_WITHIN = 100_000  # characters in which a heading is looked for


def _from_windows(byte: int) -> str:
    try:
        return bytes([byte]).decode("cp1252")
    except UnicodeDecodeError:
        return chr(byte)


def decode(raw: bytes) -> tuple[str, int]:
    """The text for reading, and the line of the first byte that is not UTF-8 (0: none).

    Such bytes are read as Windows-1252, one by one, so that the rest of a mixed file is right too.
    """
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return _SURROGATE.sub("\ufffd", raw.decode("utf-16", "replace")), 1
    try:
        return raw.decode("utf-8"), 0
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        table = {0xDC00 + byte: _from_windows(byte) for byte in range(0x80, 0x100)}
        return raw.decode("utf-8", "surrogateescape").translate(table), line


def line_at(text: str, offset: int) -> int:
    """The line an offset is on, 1-based."""
    return text.count("\n", 0, offset) + 1


def storable(text: str) -> str:
    """What a note cannot hold (NUL, half a surrogate pair) becomes U+FFFD."""
    return _UNKEPT.sub("\ufffd", text)


def one_line(text: str) -> str:
    return " ".join(text.split())


def trimmed(text: str) -> str:
    """A body as notes hold it: no blank lines at either end, and nothing that cannot be stored."""
    begin = _BLANK_LINES.match(text)
    return storable(text[begin.end() if begin else 0 :].rstrip(" \t\r\n"))


def cleaned_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Tags on one line each, without the `#` some tools write, each once."""
    return tuple(dict.fromkeys(tag for text in tags if (tag := one_line(text).lstrip("# "))))


class Fences:
    """Follows fenced code blocks line by line. Lenient about indentation, quotes and list markers before a fence."""

    def __init__(self) -> None:
        self._open = ""

    def inside(self, line: str) -> bool:
        """Is this line, the next one, in a fenced block or one of its two fences?"""
        if self._open:
            bare = line.strip(" \t\r>")
            if bare.startswith(self._open) and not bare.strip(self._open[0]):
                self._open = ""
            return True
        if found := _FENCE.match(line):
            self._open = found[1]
        return bool(found)


def unfenced(text: str) -> Iterator[tuple[int, str]]:
    """(number, line) of the lines outside fenced blocks."""
    fences = Fences()
    return ((number, line) for number, line in enumerate(text.split("\n"), 1) if not fences.inside(line))


def conflict(text: str) -> int:
    """The line where a merge conflict begins; 0 if there is none. An example inside a fenced block is none."""
    if "<<<<<<< " not in text:
        return 0
    fences, begun, middle = Fences(), 0, False
    for number, line in enumerate(text.split("\n"), 1):
        if not begun:
            begun = number if not fences.inside(line) and line.startswith("<<<<<<< ") else 0
        elif line.startswith("<<<<<<< "):
            begun, middle = number, False
        elif line.rstrip() == "=======":
            middle = True
        elif middle and line.startswith(">>>>>>> "):
            return begun
    return 0


def _heading(rest: str) -> str:
    """A heading's words, without the closing `#`s that Markdown allows."""
    words = rest.strip()
    opened = words.rstrip("#")
    return one_line(opened if opened[-1:].isspace() or not opened else words)


def title_of(text: str, path: str) -> str:
    """A title for text that has none: its first heading, else its first words, else the file's name."""
    words = ""
    for _, line in unfenced(text[:_TITLE_WITHIN]):
        if (found := _HEADING.match(line)) and (heading := _heading(line[found.end() :])):
            return heading
        if not words and _WORD.search(line):
            words = one_line(line.strip(" \t\r>*-_#"))
    if len(words) > _TITLE_LENGTH:
        cut = words[:_TITLE_LENGTH]
        words = f"{cut.rsplit(' ', 1)[0] or cut}…"
    return words or one_line(storable(PurePosixPath(path).stem)) or "Untitled"
