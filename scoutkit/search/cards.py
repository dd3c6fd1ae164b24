"""A note's card: what it is about in a few lines, without its body. What the Whoosh index holds of it."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from scoutkit.words import hidden

_HEADING = re.compile(r"^#{1,6}[ \t]+(.+)$", re.MULTILINE)
_FENCED = re.compile(r"^(```|~~~).*?(?:^\1|\Z)", re.MULTILINE | re.DOTALL)
_AT_ONCE = 500


class Ref(NamedTuple):
    """Which note, for as long as its file is there."""

    worktree: str
    path: str

    @property
    def text(self) -> str:
        """Unique among all notes. Whoosh keeps text alone, and a path may hold any bytes."""
        return f"{self.worktree}\0{self.path}".encode("utf-8", "backslashreplace").decode()


class Card(NamedTuple):
    """`mark` changes with the file or the id; `text` holds the words that are hidden in it too."""

    ref: Ref
    id: str
    mark: str
    title: str
    text: str


def headings(body: str) -> list[str]:
    """The headings of a note's text; what looks like one in a fence is none."""
    return _HEADING.findall(_FENCED.sub("", body))


def marks(connection: sqlite3.Connection) -> dict[str, tuple[str, int]]:
    """(mark, key) of every note of every worktree, by the text of its ref."""
    rows = connection.execute(
        "SELECT files.worktree, files.path, hash, id, key FROM files JOIN notes USING (key) ORDER BY key"
    )
    return {Ref(worktree, path).text: (f"{hash_} {note_id}", key) for worktree, path, hash_, note_id, key in rows}


def cards(connection: sqlite3.Connection, keys: Sequence[int]) -> Iterator[Card]:
    """The cards of these rows."""
    for start in range(0, len(keys), _AT_ONCE):
        some = keys[start : start + _AT_ONCE]
        rows = connection.execute(
            "SELECT key, files.worktree, files.path, hash, id, title, description, question, body"
            f" FROM files JOIN notes USING (key) WHERE key IN ({', '.join('?' * len(some))})",
            some,
        ).fetchall()
        for key, worktree, path, hash_, note_id, title, description, question, body in rows:
            tags = [tag for (tag,) in connection.execute("SELECT tag FROM tags WHERE note = ?", (key,))]
            cited = connection.execute("SELECT DISTINCT path, symbol FROM citations WHERE note = ?", (key,)).fetchall()
            within = (part for pair in cited for part in pair)
            parts = [title, title, description, question, *tags, *headings(body), *within]
            text = "\n".join(parts)
            yield Card(Ref(worktree, path), note_id, f"{hash_} {note_id}", title, f"{text}\n{' '.join(hidden(text))}")
