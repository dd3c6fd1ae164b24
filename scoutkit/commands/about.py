"""What is known about a place, or about the lines that a change touches: about."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click

from scoutkit.commands import known, say
from scoutkit.commands.session import LIMIT, json_option, open_desk
from scoutkit.errors import NotFound, UsageError

if TYPE_CHECKING:
    from scoutkit.desk import Desk
    from scoutkit.stories.knowing import Answer

_FEW = 10  # notes on a change, unless a person says otherwise


@click.command()
@click.argument("place", required=False, metavar="[PATH[:LINES]]")
@click.option("--staged", is_flag=True, help="About the lines that the next commit changes.")
@click.option("--diff", "revision", metavar="REV", help="About the lines changed since REV, or in REV..REV.")
@click.option("--hook", is_flag=True, help="As a hook of Claude Code: its JSON on stdin, an answer for it on stdout.")
@click.option("--limit", type=LIMIT, help="At most so many notes; 10 on a change.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "line"]),
    default="table",
    show_default=True,
    help="For reading, or PATH:LINE: MESSAGE for editors.",
)
@json_option
@click.pass_context
def about(
    ctx: click.Context,
    place: str | None,
    *,
    staged: bool,
    revision: str | None,
    hook: bool,
    limit: int | None,
    form: str,
    as_json: bool,
) -> int:
    """What is known about a file, a folder or lines: the notes whose cited lines are there now.

    LINES is 50 or 10-20, of the file as it is. Cited lines are followed from each note's commit, so that one whose
    lines moved is found where they are. Exit code 1 when nothing is known; with --staged, --diff and --hook it is 0
    then, and nothing is printed.
    """
    if sum((place is not None, staged, revision is not None, hook)) != 1:
        raise UsageError("name one thing: a PATH, --staged, --diff REV or --hook", "scoutkit about src/app.py:50")
    if as_json and form != "table":
        raise UsageError("--json is a format of its own", f"leave out --format {form}")
    if hook:
        from scoutkit.commands import hooked

        return hooked.answer(ctx)
    desk = open_desk(ctx)
    if place is not None:
        return _about(desk, place, limit, form, as_json=as_json)
    from scoutkit import difference
    from scoutkit.stories import knowing

    differing = difference.between(desk.repository, revision or "", staged=staged)
    found = knowing.touched(desk, differing, limit=limit or _FEW)
    if found.known and form == "table" and not as_json:
        say.answer(f"{say.count(len(found.known) + found.more, 'note')} on the lines that change:")
    _show(found, form, as_json=as_json)
    return 0


def _about(desk: Desk, place: str, limit: int | None, form: str, *, as_json: bool) -> int:
    from scoutkit.stories import knowing

    path, start, end = _place(desk, place)
    found = knowing.about(desk, path, start, end, limit=limit)
    if not found.known and not as_json:
        why = knowing.nowhere(desk, path, end)
        say.tell(f"no note cites {place}{why}")
        if why and re.search(r"[^/.]\.\.\.?[^/.]", place):
            say.tell(f"of a change: scoutkit about --diff {place}")
    elif end and not as_json and (lines := knowing.length(desk, path)) is not None and lines < end:
        say.tell(f"{path} has {say.count(lines, 'line')}")
    _show(found, form, as_json=as_json)
    return 0 if found.known else NotFound.exit_code


def _show(found: Answer, form: str, *, as_json: bool) -> None:
    if as_json:
        known.as_json(found)
        return
    (known.lines if form == "line" else known.table)(found)
    known.tell(found)


def _place(desk: Desk, place: str) -> tuple[str, int, int]:
    """A path as typed (from where the person stands, or from the root) and its lines; 0, 0 for a whole file."""
    match = re.fullmatch(r"(.*?)(?::(\d+)(?:[-–](\d+))?)?", place, re.DOTALL)
    assert match
    start, end = int(match[2] or 0), int(match[3] or match[2] or 0)
    if (match[2] and not start) or end < start:
        raise UsageError(f"no such lines: {place}", "lines are counted from 1: path:50 or path:10-20")
    return desk.relative(match[1]), start, end
