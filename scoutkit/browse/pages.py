"""Every page of our own: its address, the function that makes it, its template. The only table of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from scoutkit.desk import Desk


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked for: the named parts of the address, and the first value of each argument of the query."""

    parts: Mapping[str, str]
    arguments: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Made:
    """What a page shows: a template of `templates/datasette/` and what it is told. JSON where there is no template.

    `styled`: scripts of ours write styles into it, as plots do.
    """

    template: str
    told: Mapping[str, Any]
    status: int = 200
    styled: bool = False


def note_address(note_id: str) -> str:
    """Where a note is. An id may be any text."""
    return f"/note/{quote(note_id, safe='', errors='replace')}"


def file_address(path: str) -> str:
    """Where a file is."""
    return f"/file/{quote(os.fsencode(path))}"


Maker = Callable[[Desk, Asked], Made]

PAGES: dict[str, str] = {  # address: the function that makes it, imported when it is first asked for
    r"/": "front:page",
    r"/note/(?P<id>[^/]+)": "note:page",
    r"/note/(?P<id>[^/]+)/related": "note:related",
    r"/note/(?P<id>[^/]+)/prompt\.json": "note:prompt",
    r"/note/(?P<id>[^/]+)/citation/(?P<number>\d{1,6})": "sides:page",
    r"/file/(?P<path>.+)": "file:page",
    r"/find": "find:page",
    r"/find/live": "find:live",
    r"/runs": "runs:page",
    r"/run/(?P<id>[^/]+)": "runs:one",
}


def maker(where: str) -> Maker:
    """The function that makes a page, from its place in the table."""
    import importlib

    module, name = where.split(":")
    made: Maker = getattr(importlib.import_module(f"scoutkit.browse.{module}"), name)
    return made
