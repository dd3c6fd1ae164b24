"""How lines become fingerprints. A stored format: what is said here must stay true of every note ever written.

Lines are normalised, so that reformatting alone changes nothing: line ends and trailing blanks go; leading blanks are
expanded to tab stops of 8 and the range's common indentation goes; every remaining run of blanks (space, tab, form
feed, vertical tab) becomes one space. Blank lines stay, as empty ones.

- A *text* fingerprint is the first 16 hexadecimal digits of SHA-256 over the normalised lines, joined by LF, in UTF-8.
- A *line* fingerprint is the first 3 characters of base64 (RFC 4648, `+` and `/`) of SHA-256 over the line without any
  blanks at its ends and with runs of blanks as one space: 18 bits, independent of indentation. A blank line is `...`.
- *Lines* are line fingerprints side by side. Of more than 64 lines: those of the first 32, `*`, those of the last 32.
- *Context* is the line fingerprints of the 3 nearest lines before or after that are not blank, in the file's order;
  fewer at the file's border.

Characters that UTF-8 cannot hold are hashed as `?`. A change of any of this needs another name in the notes.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Sequence

EDGE = 32  # line fingerprints kept at each end of a long range
CONTEXT = 3  # lines
WIDTH = 3  # characters of a line fingerprint
BLANK = "." * WIDTH

_BLANKS = re.compile(r"[ \t\f\v]+")


def normalised(lines: Sequence[str]) -> list[str]:
    """Lines (without their ends) as they are compared."""
    bare = [line.rstrip(" \t\f\v\r\n") for line in lines]
    widths = [_indent(line) for line in bare]
    common = min((width for width, line in zip(widths, bare, strict=True) if line), default=0)
    return [
        _BLANKS.sub(" ", " " * (width > common) + line.lstrip(" \t\f\v")) if line else ""
        for width, line in zip(widths, bare, strict=True)
    ]


def of_text(lines: Sequence[str]) -> str:
    """The fingerprint of a range: 16 hexadecimal digits."""
    return hashlib.sha256("\n".join(normalised(lines)).encode("utf-8", "replace")).hexdigest()[:16]


def of_line(line: str) -> str:
    """The fingerprint of one line: 3 characters."""
    even = _BLANKS.sub(" ", line.strip(" \t\f\v\r\n"))
    if not even:
        return BLANK
    return base64.b64encode(hashlib.sha256(even.encode("utf-8", "replace")).digest()[:3])[:WIDTH].decode("ascii")


def of_lines(lines: Sequence[str]) -> str:
    """The fingerprints of a range's lines side by side, the middle of a long range left out."""
    if len(lines) <= 2 * EDGE:
        return "".join(map(of_line, lines))
    return f"{of_lines(lines[:EDGE])}*{of_lines(lines[-EDGE:])}"


def separate(fingerprints: str) -> list[str]:
    """Line fingerprints that stand side by side, one by one."""
    return [fingerprints[at : at + WIDTH] for at in range(0, len(fingerprints), WIDTH)]


def before(lines: Sequence[str], start: int) -> str:
    """The context above line `start` (1-based) of a file."""
    return "".join(reversed(_nearest(lines[at] for at in range(start - 2, -1, -1))))


def after(lines: Sequence[str], end: int) -> str:
    """The context below line `end` (1-based) of a file."""
    return "".join(_nearest(lines[at] for at in range(end, len(lines))))


def _nearest(lines: Iterable[str]) -> list[str]:
    found: list[str] = []
    for line in lines:
        if (fingerprint := of_line(line)) != BLANK:
            found.append(fingerprint)
            if len(found) == CONTEXT:
                break
    return found


def _indent(line: str) -> int:
    """The width of a line's leading blanks."""
    return len(line[: len(line) - len(line.lstrip(" \t\f\v"))].expandtabs(8))
