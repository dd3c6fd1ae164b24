"""What is defined in a file or a folder: outline."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scoutkit.commands import say
from scoutkit.commands.session import json_option, open_desk
from scoutkit.commands.where import indexing, shown
from scoutkit.errors import NotFound, UsageError

if TYPE_CHECKING:
    from scoutkit.agents.builtin.indexing.outlines import File, Folder
    from scoutkit.desk import Desk

_TOP = 12  # names of a file in a folder


@click.command()
@click.argument("path")
@click.option("--base", default="HEAD", metavar="REV", show_default=True, help="The commit to look in.")
@json_option
@click.pass_context
def outline(ctx: click.Context, path: str, *, base: str, as_json: bool) -> int:
    """What is defined in PATH: of a file all definitions with their lines, of a folder its files and what each defines.

    Markdown and reStructuredText give their headings. Exit code 1 where nothing is defined, or no grammar knows the
    language; that is said on stderr.
    """
    from scoutkit import git
    from scoutkit.agents.builtin.indexing import outlines

    desk = open_desk(ctx, sync=False)
    commit = git.resolve(desk.repository, base)
    found = outlines.outline(desk.where, commit, _choices(desk, path), indexing())
    if isinstance(found, outlines.File):
        if as_json:
            say.as_json("outline", **_file_json(found))
        else:
            _print_file(found)
        return 0 if found.symbols else NotFound.exit_code
    if as_json:
        say.as_json("outline", **_folder_json(found))
    else:
        _print_folder(found)
    return 0


def _choices(desk: Desk, typed: str) -> tuple[str, ...]:
    """What a path may mean: from where the person stands, from the root. UsageError for one outside."""
    top = desk.repository.toplevel
    if Path(typed).is_absolute() and top:
        real = Path(os.path.realpath(Path(typed).parent), Path(typed).name)
        if not real.is_relative_to(os.path.realpath(top)):
            raise UsageError(f"not in this repository: {typed}", f"give a path inside {top}")
        return (real.relative_to(os.path.realpath(top)).as_posix(),)
    choices = dict.fromkeys(os.path.normpath(one) for one in (desk.repository.prefix + typed, typed) if one)
    inside = tuple(one for one in choices if one.split("/")[0] not in ("..", ""))
    if not inside or "\0" in typed:
        raise UsageError(f"not in this repository: {typed!r}", "give a path from the repository's root")
    return inside


def _file_json(found: File) -> dict[str, Any]:
    rows = [
        {
            "name": one.name,
            "symbol": one.qualified,
            "kind": one.kind,
            "start": one.start,
            "end": one.end,
            "signature": one.signature,
            "parent": one.parent or None,
        }
        for one in found.symbols
    ]
    return {
        "path": found.path,
        "kind": "file",
        "language": found.language or None,
        "known": found.known,
        "lines": found.lines,
        "symbols": rows,
    }


def _folder_json(found: Folder) -> dict[str, Any]:
    files = [
        {
            "path": one.path,
            "language": one.language or None,
            "symbols": [
                {"name": place.name, "kind": place.kind, "start": place.start, "end": place.end} for place in one.top
            ],
        }
        for one in found.files
    ]
    folders = [{"path": path, "files": count} for path, count in found.folders]
    return {"path": found.path, "kind": "folder", "files": files, "folders": folders}


def _print_file(found: File) -> None:
    if not found.symbols:
        known = "nothing is defined in it" if found.known else "no grammar knows its language, so it has no outline"
        said = f" ({found.language})" if found.language else ""
        say.tell(f"{shown(found.path)}{said}: {known}; {say.count(found.lines, 'line')}")
        return
    width = max(len(f"{one.start}-{one.end}") for one in found.symbols)
    open_until: list[int] = []
    for one in found.symbols:
        while open_until and open_until[-1] < one.start:
            open_until.pop()
        lines = f"{one.start}-{one.end}".ljust(width)
        signature = one.signature if one.name in one.signature else f"{one.kind} {one.name}"
        say.answer(f"{lines}  {'  ' * len(open_until)}{shown(signature)}")
        open_until.append(one.end)


def _print_folder(found: Folder) -> None:
    for path, count in found.folders:
        say.answer(f"{shown(path)}  {say.count(count, 'file')}")
    for one in found.files:
        names = [shown(place.name) for place in one.top]
        more = f", … {len(names) - _TOP} more" if len(names) > _TOP else ""
        said = f"  {', '.join(names[:_TOP])}{more}" if names else ""
        say.answer(f"{shown(one.path)}{said}")
