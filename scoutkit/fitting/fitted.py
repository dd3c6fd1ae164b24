"""What became of one file: its bytes, and what was done to them."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import Protocol

from scoutkit.errors import Refused

_BOM = b"\xef\xbb\xbf"
_WIDE = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class Fitted:
    """A file afterwards; None where there is to be none.

    `action`: `added`, `updated`, `there` (nothing to do), `left` (not done, `why` says so), `removed`.
    """

    raw: bytes | None
    action: str
    why: str = ""
    rest: bytes = b""  # what to leave instead of no file, where the file is known to have been there, and empty


class Piece(Protocol):
    """Something that goes into one file. `raw` is None where there is no such file."""

    @property
    def name(self) -> str:
        """The file, as people are told of it."""
        ...

    def fit(self, raw: bytes | None) -> Fitted:
        """Put it in, or bring it up to date. Refused for a file that it cannot go into."""
        ...

    def unfit(self, raw: bytes) -> Fitted:
        """Take it out. `there` where it is not in it."""
        ...


def decoded(raw: bytes, name: str) -> tuple[str, str]:
    """The byte order mark and the text. Bytes that are no UTF-8 survive; Refused for UTF-16 and binary files."""
    if raw.startswith(_WIDE) or b"\0" in raw:
        raise Refused(f"{name} is not UTF-8 text", "save it as UTF-8, and run this again")
    bom = "\ufeff" if raw.startswith(_BOM) else ""
    return bom, raw.removeprefix(_BOM).decode("utf-8", "surrogateescape")


def encoded(bom: str, text: str) -> bytes:
    """The other way round."""
    return f"{bom}{text}".encode("utf-8", "surrogateescape")


def line_end(text: str) -> str:
    """How the first line ends."""
    first = re.search(r"\r?\n", text)
    return first[0] if first else "\n"


def fingerprint(lines: str) -> str:
    """Of text, whatever its line ends: git may change them."""
    return hashlib.sha256(lines.replace("\r\n", "\n").encode("utf-8", "surrogateescape")).hexdigest()[:12]
