"""How code and questions become index terms, the same way for both.

A word gives its parts, stemmed, and itself when it has several: `getUserName` → get, user, name, getusername. Runs of
Han, Kana and Hangul give pairs of characters. Changing what this yields means changing `VERSION`.
"""

from __future__ import annotations

import functools
import re
from typing import Any
from unicodedata import normalize

from scoutkit import words

VERSION = 3
_LONGEST = 60  # characters: longer runs are hashes and encoded data
_WORD = re.compile(r"\w+")


def raw(text: str) -> list[str]:
    """The words of a text as written."""
    if text.isascii():
        return _WORD.findall(text)
    return list(words.runs(normalize("NFC", text)))


@functools.lru_cache(maxsize=50_000)
def expand(word: str) -> tuple[str, ...]:
    """The terms of one word; none for what says nothing (single letters, long numbers, encoded data)."""
    if words.is_cjk(word):
        return tuple(words.pairs(word))
    if len(word) > _LONGEST:
        return ()
    parts = [part for part in words.split_identifier(word) if len(part) > 1 or not part.isascii()]
    whole = word.strip("_").lower()
    if whole.isdecimal() and len(whole) > 6:
        return ()
    stems = [stem(part) for part in parts]
    if len(whole) > 1 and whole not in stems and parts != [whole]:
        stems.append(whole)
    return tuple(stems)


def whole(name: str) -> str:
    """The one term that every use of an identifier has."""
    found = expand(name)
    return found[-1] if found else ""


def exact(name: str) -> str:
    """The term under which the definitions of a name are found, spelled exactly so."""
    return "=" + name


def stem(part: str) -> str:
    """A part of a word without its ending."""
    return str(_stemmer().stemWord(part)) if part.isascii() else part


@functools.cache
def _stemmer() -> Any:
    import Stemmer

    return Stemmer.Stemmer("english")
