"""Which note a person means: by id, path, file name, slug, title or the start of an id."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from typing import NamedTuple

from scoutkit.errors import NotFound, UsageError
from scoutkit.search import store
from scoutkit.search.query import clean
from scoutkit.words import composed

_DATE = re.compile(r"^\d{4}-\d\d-\d\d-")
_SHOWN = 5  # candidates named in a message
_OF_ID = 4  # characters of its id that end a note's name
_SHORTEST = 2  # characters of an id that may stand for it


class Row(NamedTuple):
    """What a note may be called by. `claimed` is the id its file has, which another's may have too; `same` is the
    path but for case and composition."""

    key: int
    id: str
    claimed: str
    path: str
    title: str
    same: str


def resolve(connection: sqlite3.Connection, worktree: str, reference: str) -> int:
    """The key of the note. An exact name of any sort wins over the start of an id.

    NotFound when there is none; UsageError, naming the candidates, when there are several.
    """
    exact = connection.execute(
        "SELECT key FROM files WHERE worktree = :worktree AND path = CAST(:path AS TEXT)"
        " UNION SELECT key FROM files WHERE worktree = :worktree AND claimed = :id"
        " UNION SELECT key FROM notes WHERE worktree = :worktree AND id = :id",
        {"worktree": worktree, "path": store.bound(reference), "id": clean(reference)},
    ).fetchall()
    if len(exact) == 1:
        return int(exact[0][0])
    wanted = _same(reference.strip())
    found_rows = connection.execute(
        "SELECT key, id, claimed, files.path, title FROM files JOIN notes USING (key)"
        " WHERE files.worktree = ? ORDER BY files.path",
        (worktree,),
    )
    rows = [Row(key, id_, claimed, path, title, _same(path)) for key, id_, claimed, path, title in found_rows]
    path = wanted.removeprefix("./")
    ways: tuple[Callable[[Row], bool], ...] = (
        lambda row: row.path == reference,
        lambda row: wanted in (row.id.lower(), row.claimed.lower()),
        lambda row: row.same == path,
        lambda row: row.same.endswith((f"/{path}", f"/{path}.md")),
        lambda row: _slug(row.same) == wanted,
        lambda row: _slug(row.same).removesuffix(f"-{row.claimed[:_OF_ID].casefold()}") == wanted,
        lambda row: " ".join(_same(row.title).split()) == " ".join(wanted.split()),
        lambda row: len(wanted) >= _SHORTEST and row.id.lower().startswith(wanted),
    )
    for fits in ways if wanted else ():
        if found := [row for row in rows if fits(row)]:
            return _only(found, reference)
    raise _missing(reference, wanted, rows)


def _same(name: str) -> str:
    """File systems and people differ in case and in how accents are composed."""
    return composed(name, "NFC").casefold()


def _slug(path: str) -> str:
    """A note's file name without date and ending."""
    return _DATE.sub("", path.rsplit("/", 1)[-1].removesuffix(".md"))


def _only(found: list[Row], reference: str) -> int:
    if len(found) == 1:
        return found[0].key
    shown = ", ".join(row.path for row in found[:_SHOWN]) + (", …" if len(found) > _SHOWN else "")
    raise UsageError(f"{reference} may be any of {len(found)} notes: {shown}", "give the path of the one you mean")


def _missing(reference: str, wanted: str, rows: list[Row]) -> NotFound:
    import difflib

    names: dict[str, str] = {}
    for row in rows:
        for name in (row.id, _slug(row.same), row.title):
            names.setdefault(_same(name), row.id)
    near = difflib.get_close_matches(wanted[:200], names, n=3, cutoff=0.75)
    meant = ", ".join(dict.fromkeys(names[name] for name in near))
    hint = f"did you mean {meant}? " if meant else ""
    return NotFound(f"no such note: {reference}", f"{hint}scoutkit list shows all, scoutkit search finds by text")
