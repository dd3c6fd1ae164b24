"""A title as part of a file name: short, lower case, ASCII where that is readable, other scripts as they are.

The start of the note's id ends the name. Two clones cannot know of each other: notes of the same title and day would
be one file in both, and git could not merge them.
"""

from __future__ import annotations

import unicodedata

_LENGTH = 60  # characters
_ID = 4
_BYTES = 180  # so that date, id, counter and ending fit into the 255 bytes of a file name
_ASCII = {"ß": "ss", "æ": "ae", "ø": "o", "œ": "oe", "đ": "d", "ð": "d", "ł": "l", "þ": "th", "ı": "i"}


def stem(title: str, note_id: str) -> str:
    """`cafe-cookies-signed-7k3m`; `note-7k3m` where nothing of the title is left."""
    return f"{slug(title) or 'note'}-{slug(note_id)[:_ID].strip('-') or '0'}"


def slug(title: str) -> str:
    """`Café & Cookies: signed?` → `cafe-cookies-signed`, `会话 cookie` → `会话-cookie`; empty when nothing is left."""
    whole = "-".join("".join(map(_kept, unicodedata.normalize("NFC", title))).split())
    short = whole[:_LENGTH]
    while len(short.encode()) > _BYTES:
        short = short[:-1]
    if len(short) < len(whole) and whole[len(short)] != "-" and "-" in short[_LENGTH // 2 :]:
        short = short[: short.rindex("-")]  # end with a whole word
    return unicodedata.normalize("NFC", short).strip("-")


def _kept(char: str) -> str:
    """A character as a file name has it; nothing for an apostrophe, a space for what separates words."""
    if char in "'’`":
        return ""
    low = char.lower()
    folded = _ASCII.get(low) or "".join(c for c in unicodedata.normalize("NFKD", low) if not unicodedata.combining(c))
    if folded.isascii() and folded.isalnum():
        return folded
    return low if unicodedata.category(char)[0] in "LNM" else " "
