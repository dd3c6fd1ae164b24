"""What is known about a place: about."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click

from scoutkit.commands import say
from scoutkit.commands.session import LIMIT, json_option, open_desk
from scoutkit.errors import NotFound, UsageError

if TYPE_CHECKING:
    from scoutkit.desk import Desk


@click.command()
@click.argument("place", metavar="PATH[:LINES]")
@click.option("--limit", type=LIMIT, help="At most so many.")
@json_option
@click.pass_context
def about(ctx: click.Context, place: str, *, limit: int | None, as_json: bool) -> int:
    """What is known about a file, a folder or lines: notes that cite them.

    LINES is 50 or 10-20. Exit code 1 when nothing is known.
    """
    desk = open_desk(ctx)
    path, start, end = _place(desk, place)
    found = desk.catalogue.about(path, start, end, limit=limit)
    if as_json:
        say.as_json("about", hits=[say.hit_json(hit) for hit in found])
    else:
        say.hits(found)
    if not found and not as_json:
        there = (desk.repository.toplevel or desk.places.root).joinpath(path).exists()
        say.tell(f"no note cites {place}" + ("" if there else ", and there is no such file in the working tree"))
    return 0 if found else NotFound.exit_code


def _place(desk: Desk, place: str) -> tuple[str, int, int]:
    """A path as typed (from where the person stands, or from the root) and its lines; 0, 0 for a whole file."""
    match = re.fullmatch(r"(.*?)(?::(\d+)(?:[-–](\d+))?)?", place, re.DOTALL)
    assert match
    start, end = int(match[2] or 0), int(match[3] or match[2] or 0)
    if (match[2] and not start) or end < start:
        raise UsageError(f"no such lines: {place}", "lines are counted from 1: path:50 or path:10-20")
    return desk.relative(match[1]), start, end
