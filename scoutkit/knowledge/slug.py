"""A title as part of a file name: short, lower case, ASCII where that is readable, other scripts as they are."""

from __future__ import annotations

import unicodedata

_LENGTH = 60  # characters
_BYTES = 180  # so that date, counter and ending fit into the 255 bytes of a file name
_ASCII = str.maketrans({"ß": "ss", "æ": "ae", "ø": "o", "œ": "oe", "đ": "d", "ð": "d", "ł": "l", "þ": "th", "ı": "i"})


def slug(title: str) -> str:
    """`Café & Cookies: signed?` → `cafe-cookies-signed`, `会话 cookie` → `会话-cookie`; empty when nothing is left."""
    words = "".join(map(_kept, unicodedata.normalize("NFC", title.lower()).translate(_ASCII))).split()
    short = "-".join(words)[:_LENGTH]
    while len(short.encode()) > _BYTES:
        short = short[:-1]
    if len(short) < len("-".join(words)) and "-" in short[_LENGTH // 2 :]:
        short = short[: short.rindex("-")]  # end with a whole word
    return unicodedata.normalize("NFC", short.strip("-"))


def _kept(char: str) -> str:
    """A character as a file name has it; nothing for an apostrophe, a space for what separates words."""
    if char in "'’`":
        return ""
    folded = "".join(one for one in unicodedata.normalize("NFKD", char) if not unicodedata.combining(one))
    if folded.isascii() and folded.isalnum():
        return folded.lower()
    return char if unicodedata.category(char)[0] in "LNM" else " "
