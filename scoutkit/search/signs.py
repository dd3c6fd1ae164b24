"""Texts that no word leads to: signs (`->`, `☃`), and scripts written without blanks.

What signs and letters beyond ASCII a note has stands beside it, so that few texts have to be looked through.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence

_RUN = re.compile(r"(?:[^\w\s]|_)+")
_BLANKED = "".join(" " if chr(at).isalnum() else chr(at) for at in range(128))
_MOST = 4_000  # characters that are kept of a note: with more, its text is looked through
_LONGEST = 200  # characters of what is looked for
_TEXT = "title || ' ' || description || ' ' || question || ' ' || body"


def of(text: str) -> str | None:
    """The signs of a text, in runs as they stand, and its letters beyond ASCII, each once. None where they are many."""
    found = "".join(f" {one}" for one in _parts(text))
    return found if len(found) <= _MOST else None


def _parts(text: str) -> list[str]:
    found = set(text.translate(_BLANKED).split())  # which is twice as fast as looking for runs
    if not text.isascii():
        found = {run for one in found for run in ([one] if one.isascii() else _RUN.findall(one))}
        found.update(one for one in set(text) if one > "\x7f" and one.isalnum())
    return sorted(found)


def holding(connection: sqlite3.Connection, text: str, where: str, values: Sequence[object], limit: int) -> list[int]:
    """Keys of the notes that hold a text, newest first; `where` and `values` say of `files` which may be found."""
    text = text.strip()[:_LONGEST]
    parts = _parts(text)
    has = " AND ".join(["instr(found, ?) > 0"] * len(parts)) or "1"
    holds = f"(SELECT instr({_TEXT}, ?) > 0 FROM notes WHERE notes.key = signs.key)"
    if parts == [text]:  # one run of signs: where they are kept, the text need not be looked through
        said, given = f"CASE WHEN found IS NULL THEN {holds} ELSE {has} END", [text, *parts]
    else:
        said, given = f"CASE WHEN found IS NULL OR ({has}) THEN {holds} END", [*parts, text]
    rows = connection.execute(
        f"SELECT files.key FROM signs CROSS JOIN files USING (key) WHERE {said} AND {where}"
        " ORDER BY files.at DESC, files.key LIMIT ?",
        [*given, *values, limit],
    )
    return [key for (key,) in rows]
