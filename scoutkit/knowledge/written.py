"""Paths and line numbers as they are written at one place of a text, and others in that spelling. Knows no citation."""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import quote

from scoutkit.knowledge import grammar

Edit = tuple[int, int, str]
"""From, to (characters of the whole text) and what stands there instead."""

_TOKEN = re.compile(r"[^\s`*<>\[\]()\"']+\Z")
_ESCAPE = re.compile(r"\\[_*\[\](){}#+!~<>|-]")
_UNSAFE = re.compile(r"[\s%?#()<>\[\]\"'\\`]+")
_UNSAFE_IN_ANGLES = re.compile(r"[%?#<>\\\n]+")


def lines(written: str, base: int, where: list[tuple[int, int]], start: int, end: int) -> list[Edit]:
    """The numbers changed, and what stands between them kept."""
    first, last = where[0], where[-1]
    if int(written[slice(*first)]) == start and int(written[slice(*last)]) == end:
        return []
    new = str(start)
    between = written[first[1] : last[0]]
    if len(where) > 1 and (start < end or ":" in between):
        new += f"{between}{end}"
    elif start < end:
        before = written[: first[0]]
        new += f":{end}" if before.endswith("#lines-") else f"-L{end}" if before.endswith("L") else f"-{end}"
    return [(base + first[0], base + last[1], new)]


def path(text: str, low: int, high: int, readings: Sequence[str]) -> tuple[int, int] | None:
    """Where one of these paths stands last, however its characters are written: escaped, as `%20`, backslashes."""
    for reading in readings:
        if found := [*re.finditer("".join(map(_character, reading)), text[low:high])]:
            return low + found[-1].start(), low + found[-1].end()
    return None


def _character(one: str) -> str:
    coded = "".join(f"%{byte:02x}" for byte in one.encode("utf-8", "surrogateescape"))
    plain = re.escape(one)
    if one == "/":
        return r"(?:/|\\+|%2[Ff])"
    escaped = "" if one.isalnum() else r"\\?"
    return f"(?:{escaped}{plain}|(?i:{coded}))"


def until_anchor(raw: str, limit: int) -> tuple[int, int] | None:
    """A path that is not written as it is read (`src/./a.py`): all before the lines."""
    end = max(raw.rfind(mark, 0, limit) for mark in ":#")
    return (0, end) if end > 0 else None


def token(text: str, low: int, limit: int) -> tuple[int, int] | None:
    """The word that ends before the lines, whatever path it is read as."""
    anchors = [*grammar.ANCHOR.finditer(text, low, limit + 1)]
    end = anchors[-1].start() if anchors else limit
    end = low + len(text[low:end].rstrip(" ,:(`*_"))
    found = _TOKEN.search(text[low:end])
    return (low + found.start(), end) if found else None


def renamed(text: str, place: tuple[int, int], new: str, *, address: bool = False) -> Edit:
    """A path in the spelling of the one that stands there."""
    old = text[slice(*place)]
    if address:
        if text[place[0] - 1 : place[0]] == "<" or " " in old:
            return (*place, _UNSAFE_IN_ANGLES.sub(_coded, new))
        return (*place, quote(new, errors="surrogateescape") if "%" in old else _UNSAFE.sub(_coded, new))
    if _ESCAPE.search(old):
        return (*place, re.sub(r"([_*\[\]~<>])", r"\\\1", new))
    return (*place, new.replace("/", "\\") if "\\" in old else new)


def _coded(found: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in found.group().encode("utf-8", "surrogateescape"))
