"""The Datasette plugin: our pages, their static files, and the guard around all. Works on Datasette 0.65 and 1.0 alpha.

`templates/datasette/plugins/scoutkit.py` hands it to plain `datasette --plugins-dir`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote_to_bytes
from weakref import WeakKeyDictionary

from datasette import hookimpl
from datasette.utils.asgi import Response
from markupsafe import Markup

from scoutkit import config
from scoutkit.browse import guard, library, pages, queries, theirs
from scoutkit.errors import NotFound, ScoutError, UsageError

_TYPES = {".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml"}


@dataclass(frozen=True, slots=True)
class _Shown:
    """What one Datasette shows, and what its guard is told."""

    library: library.Library | None
    guarding: Mapping[str, Any]


_SHOWN: WeakKeyDictionary[Any, _Shown] = WeakKeyDictionary()


def attach(datasette: Any, own: library.Library, **guarding: Any) -> None:
    """Say which repository a Datasette shows, and what its guard is told; without, both follow from the catalogue."""
    _SHOWN[datasette] = _Shown(own, guarding)


def library_of(datasette: Any) -> library.Library | None:
    """The repository that a Datasette shows; None where none of its databases is a catalogue in its place."""
    return _shown(datasette).library


def _shown(datasette: Any) -> _Shown:
    if datasette not in _SHOWN:
        paths = [Path(one.path) for one in datasette.databases.values() if one.path]
        _SHOWN[datasette] = _Shown(next((found for path in paths if (found := library.of(path))), None), {})
    return _SHOWN[datasette]


@hookimpl
def register_routes(datasette: Any) -> list[tuple[str, Any]]:
    """Addresses that are ours."""
    ours = [(f"^{address}$", _view(where)) for address, where in pages.PAGES.items()]
    return [*ours, (r"^/-/scoutkit/static/(?P<name>[\w.-]+)$", _static)] if library_of(datasette) else []


@hookimpl
def asgi_wrapper(datasette: Any) -> Any:
    """The guard around everything, and the catalogue in step before Datasette's own pages."""
    own = library_of(datasette)

    def wrap(app: guard.App) -> guard.App:
        async def in_step(scope: guard.Scope, receive: guard.Receive, send: guard.Send) -> None:
            if own and scope["type"] == "http" and not _made_here(scope["path"]):
                await own.sync()
            await app(scope, receive, send)

        return guard.Guard(in_step, **_shown(datasette).guarding)

    return wrap


@hookimpl
def prepare_jinja2_environment(env: Any, datasette: Any) -> None:
    """How templates write the addresses of notes and files; what Datasette's own lack."""
    env.filters |= {"note_address": pages.note_address, "file_address": pages.file_address}
    env.add_extension(theirs.Mended)
    env.globals["scoutkit_pages"] = library_of(datasette) is not None


@hookimpl
def extra_css_urls(datasette: Any) -> list[str]:
    """Datasette's own pages look like ours."""
    return (
        [datasette.urls.path(f"/-/scoutkit/static/{name}") for name in theirs.STYLES] if library_of(datasette) else []
    )


@hookimpl
def render_cell(value: Any, column: str, table: str | None, database: str) -> Any:
    """Ids and paths in the tables lead to our pages; a note's text is not shown whole."""
    if database == queries.DATABASE and column == "body" and isinstance(value, str):
        return theirs.shortened(value)
    page = _LEADS.get((table, column))
    if database != queries.DATABASE or page is None or not isinstance(value, str) or not value:
        return None
    return Markup('<a href="/{}/{}">{}</a>').format(page, quote(value), value)


_LEADS: dict[tuple[str | None, str], str] = {
    ("notes", "id"): "note",
    ("runs", "id"): "run",
    ("runs", "note_id"): "note",
    ("citations", "path"): "file",
    (None, "folder"): "file",
    (None, "path"): "file",
    (None, "run"): "run",
    (None, "note_id"): "note",
}
"""Which columns lead where; a table of None stands for the answers of queries."""


@hookimpl
def canned_queries(database: str) -> dict[str, dict[str, str]]:
    """Questions that are asked of the tables, for Datasette 0.65."""
    return queries.QUERIES if database == queries.DATABASE else {}


@hookimpl
def startup(datasette: Any) -> Any:
    """The same for Datasette 1.0, which keeps queries in a table of its own."""

    async def add() -> None:
        if hasattr(datasette, "add_query") and queries.DATABASE in datasette.databases:
            for name, query in queries.QUERIES.items():
                await datasette.add_query(queries.DATABASE, name, **query, is_trusted=True)

    return add


def _made_here(path: str) -> bool:
    """Is it a page that brings the catalogue in step itself, or none at all?"""
    return path.startswith(("/-/static", "/-/scoutkit/static")) or any(
        re.fullmatch(address, path) for address in pages.PAGES
    )


def _view(where: str) -> Any:
    async def view(request: Any, datasette: Any) -> Response:
        own = library_of(datasette)
        assert own
        try:
            asked = _asked(request)
            made = await own.make(lambda desk: pages.maker(where)(desk, asked))
        except ScoutError as error:
            status = 404 if isinstance(error, NotFound) else 400 if isinstance(error, UsageError) else 500
            made = pages.Made("scoutkit_error.html", {"message": error.message, "hint": error.hint}, status)
        if not made.template:
            return Response.json(dict(made.told), status=made.status)
        text = await datasette.render_template(made.template, {"scoutkit": made.told}, request=request)
        policy = guard.STYLED if made.styled else guard.OURS
        return Response.html(text, status=made.status, headers={"content-security-policy": policy})

    return view


def _asked(request: Any) -> pages.Asked:
    parts = {name: os.fsdecode(unquote_to_bytes(part)) for name, part in request.url_vars.items()}
    if any("\0" in part for part in parts.values()):
        raise NotFound("no such page", "no name has a NUL in it")
    return pages.Asked(parts, {name: request.args[name] for name in request.args})


async def _static(request: Any) -> Response:
    path = config.resources("templates") / "datasette/static" / request.url_vars["name"]
    if path.suffix not in _TYPES or not path.is_file():
        return Response.text("no such file", status=404)
    return Response(path.read_bytes(), headers={"cache-control": "max-age=3600"}, content_type=_TYPES[path.suffix])
