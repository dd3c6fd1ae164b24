"""Operators in a query: `tag:`, `path:`, `type:`, `agent:`, `since:`, `is:` and a `-word` at its end.

What is none of them stays text. An operator is one by its value too: `type:scout` is, `type:checking` is not, nor is
`std::sort` or `http://…`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from scoutkit.model import NOTE_TYPES, STATUSES

STANDINGS = ("fresh", "stale", "uncited", "unchecked")
_ASKED = re.compile(r'(?<!\S)(tag|path|type|agent|since|is):(?:"([^"]+)"|([^\s":][^\s"]*))(?!\S)')
_TOKEN = re.compile(r'-"[^"]+"(?!\S)|\S+')
_OUT = re.compile(r'-(?:"([^"]+)"|([a-z][a-z0-9_]{2,}|[^\W\x00-\x7f]+))')
_DASHED = re.compile(r"(?<!\S)-+(?=\S)")
_OPTION = re.compile(r"(?<!\S)(?:--\w|-[A-Za-z0-9](?!\S)|-[A-Z]|-\w+=|\$(?!\S))")  # of a pasted command line
_OPEN = ("tag", "agent", "path")  # any value may be one
_AGO = re.compile(r"(\d{1,5})([dwmy])")
_DATE = re.compile(r"\d{4}(?:-\d\d){0,2}")
_TAKES = {
    "type": ", ".join(NOTE_TYPES),
    "is": ", ".join((*STANDINGS, *STATUSES)),
    "since": "a date (2026-11) or a time ago (7d, 2w, 3m, 1y)",
}
_DAYS = {"d": 1, "w": 7, "m": 30, "y": 365}


class Asked(NamedTuple):
    """What operators ask for. `since` is a date; `without` are words and phrases that no note may have."""

    types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()
    standings: tuple[str, ...] = ()
    since: str = ""
    without: tuple[str, ...] = ()


def taken(text: str, known: Callable[[str, str], bool] | None = None) -> tuple[str, Asked]:
    """A text without its operators, and what they ask for.

    `known` says of ("tag", "auth") whether any note has it: a value that none has makes no operator. Words are left out
    at the end alone, after something to look for, and not where the text has options of a command line in it.
    """
    found: dict[str, list[str]] = {}

    def ask(match: re.Match[str]) -> str:
        name, value = match[1], match[2] or match[3]
        place = _place(name, value)
        if place is None or (known and name in _OPEN and not known(name, value)):
            return match[0]
        found.setdefault(place[0], []).append(place[1])
        return " "

    rest = _ASKED.sub(ask, text)
    rest, without = _without(rest, alone=not found)
    since = max(found.pop("since", [""]))
    asked = {name: tuple(dict.fromkeys(values)) for name, values in found.items()}
    return rest, Asked(since=since, without=tuple(without), **asked)


def untaken(text: str, known: Callable[[str, str], bool]) -> list[str]:
    """What looks like an operator in a text and is text, since no note has its value or it takes no such value."""
    return [
        match[0]
        for match in _ASKED.finditer(text)
        if _place(match[1], match[2] or match[3]) is None
        or (match[1] in _OPEN and not known(match[1], match[2] or match[3]))
    ]


def why_untaken(found: Sequence[str]) -> Iterator[str]:
    """Why each of these was looked for as text, in words."""
    nobody = [one for one in found if one.partition(":")[0] in _OPEN]
    if nobody:
        yield f"no note has {', '.join(nobody)}: looked for as text"
    for one in found:
        name = one.partition(":")[0]
        if name in _TAKES:
            yield f"looked for as text: {one} ({name}: takes {_TAKES[name]})"


def is_text(word: str) -> bool:
    """Is a word of a command line that begins with a dash of the query: a word to leave out, or a whole text?"""
    return word.startswith("-") and bool(_OUT.fullmatch(word) or re.search(r"\S\s+\S", word))


def as_words(text: str) -> str:
    """A text that is no query, such as a task, so that nothing in it is an operator."""
    same = _ASKED.sub(lambda match: f"{match[1]} {match[2] or match[3]}", text)
    return _DASHED.sub(" ", same)


def _without(text: str, *, alone: bool) -> tuple[str, list[str]]:
    """A text without the words to leave out at its end, and these. `alone`: nothing else says what to look for."""
    found: list[str] = []
    if " -" not in f" {text}" or _OPTION.search(text):
        return text, found
    end = len(text)
    for token in reversed(list(_TOKEN.finditer(text))):
        match = _OUT.fullmatch(token[0])
        if not match:
            break
        found.insert(0, match[1] or match[2])
        end = token.start()
    if alone and not re.search(r"[^\W_]", text[:end]):
        return text, []
    return text[:end], found


def _place(name: str, value: str) -> tuple[str, str] | None:
    """Where a value goes and how it is written there; None for one that the operator does not take."""
    if name == "type":
        return ("types", value) if value in NOTE_TYPES else None
    if name == "is":
        if value in STANDINGS:
            return "standings", value
        return ("statuses", value) if value in STATUSES else None
    if name == "since":
        date = day(value)
        return ("since", date) if date else None
    return f"{name}s", value.lstrip("#") if name == "tag" else value


def day(value: str) -> str:
    """A date, or so long ago (`7d`, `2w`, `3m`, `1y`), as a date; nothing for what is neither."""
    from datetime import UTC, date, datetime, timedelta

    if match := _AGO.fullmatch(value):
        days = min(int(match[1]) * _DAYS[match[2]], 700_000)
        return (datetime.now(UTC).date() - timedelta(days=days)).isoformat()
    if not _DATE.fullmatch(value):
        return ""
    try:
        return date.fromisoformat(value + "-01" * (2 - value.count("-"))).isoformat()
    except ValueError:
        return ""
