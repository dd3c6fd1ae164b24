"""Following lines: where what stood there at an old commit is now."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from scoutkit.commands import say
from scoutkit.commands.session import json_option, open_desk
from scoutkit.errors import NotFound, RepositoryError, UsageError

if TYPE_CHECKING:
    import io

    from scoutkit.anchors.stream import Stream
    from scoutkit.desk import Desk
    from scoutkit.model.regions import Located, Region

_PLACE = re.compile(
    r"(?P<path>.+?)(?::(?P<l1>\d+)(?:[-–](?P<l2>\d+))?"
    r"|:(?P<c1>\d+:\d+)[-–](?P<c2>\d+:\d+)"
    r"|#L(?P<h1>\d+)(?:-L?(?P<h2>\d+))?"
    r"|#L(?P<g1>\d+C\d+)-L?(?P<g2>\d+C\d+))",
    re.DOTALL,
)


@click.command()
@click.argument("place", metavar="[PATH:LINES]", required=False)
@click.option("--from", "old", metavar="REV", help="The commit in which the lines stand there.")
@click.option("--to", "new", metavar="REV", help="The commit to look in.  [default: the working tree]")
@click.option("--stdin", is_flag=True, help="Read questions as JSON lines, answer each with a JSON line.")
@json_option
@click.pass_context
def locate(
    ctx: click.Context, place: str | None, *, old: str | None, new: str | None, stdin: bool, as_json: bool
) -> int:
    """Where lines of an old commit are now.

    LINES is 12, 12-40, or with columns 12:5-14:20; PATH#L12-L40 is understood too. Prints the place, a verdict (fresh,
    moved, edited, ambiguous, gone) and a score: how often such an answer is right, from 0 to 1. Exit code 1 when the
    lines are gone, or several places are as good.

    With --stdin, a question is {"path", "start", "end", "from", "to"} on a line of its own, with "start_col" and
    "end_col" where columns matter; paths are from the repository's root. Answers come in order, each at once. Exit
    code 2 when one of them is an error.
    """
    if stdin:
        if place is not None or old is not None or new is not None or as_json:
            raise UsageError("--stdin takes the place and the commits from its lines", "give --stdin alone")
        return _stream(open_desk(ctx, sync=False))
    if place is None or old is None:
        missing = "a place" if place is None else "--from"
        raise UsageError(f"locate needs {missing}", "scoutkit locate src/app.py:12-40 --from v1.0, or --stdin")
    region = _region(place)
    return _once(open_desk(ctx, sync=False), region, old, new, as_json=as_json)


def _once(desk: Desk, typed: Region, old: str, new: str | None, *, as_json: bool) -> int:
    from scoutkit.anchors.stream import Stream, answer_json

    with Stream(desk.repository, notes=desk.settings.notes) as stream:
        base, to = _commit(desk, stream, old), "" if new is None else _commit(desk, stream, new)
        region = typed._replace(path=_path(desk, stream, base, typed.path))
        try:
            located = stream.locate(region, base, to)
        except NotFound as error:  # no answer, but a question that cannot be asked
            raise UsageError(f"{error.message}, at {old}", error.hint) from error
    if as_json:
        extra = {"similarity": located.similarity, "from": base, "to": to or None}
        say.as_json("locate", **answer_json(located), **extra)
    else:
        _show(located)
    return 0 if located.region else NotFound.exit_code


def _show(located: Located) -> None:
    from scoutkit.anchors.stream import shown

    if located.region:
        say.answer(f"{shown(located.region)}  {located.verdict}  {located.score:.2f}")
        return
    say.answer(f"{located.verdict}  {located.score:.2f}")
    for one in located.candidates:
        say.answer(f"  {shown(one.region)}  {one.score:.2f}")


def _commit(desk: Desk, stream: Stream, revision: str) -> str:
    """A revision's full id; where there is none, what git says of it."""
    try:
        return stream.commit(revision)
    except RepositoryError:
        from scoutkit import git

        return git.resolve(desk.repository, revision)


def _path(desk: Desk, stream: Stream, commit: str, typed: str) -> str:
    """A path as typed, from where the person stands or from the root: whichever the commit has."""
    from scoutkit.anchors.stream import plain

    found = stream.objects.commit(commit)
    assert found
    top = desk.repository.toplevel
    if top and os.path.normpath(desk.repository.prefix + typed).startswith("../"):  # out, and maybe in again
        typed = str(top / desk.repository.prefix / typed)
    if Path(typed).is_absolute() and top:
        real = Path(os.path.realpath(Path(typed).parent), Path(typed).name)  # the file itself may be a link in git
        if not real.is_relative_to(os.path.realpath(top)):
            raise UsageError(f"not in this repository: {typed}", f"give a path inside {top}")
        return plain(real.relative_to(os.path.realpath(top)).as_posix())
    choices = [os.path.normpath(desk.repository.prefix + typed), os.path.normpath(typed.replace("\\", "/"))]
    there = [path for path in choices if stream.objects.item(found[1], path)]
    return plain((there or choices)[0])


def _region(place: str) -> Region:
    """A place as typed."""
    from scoutkit.model.regions import Region

    match = _PLACE.fullmatch(place)
    if match is None:
        raise UsageError(f"no lines: {place}", "PATH:12, PATH:12-40, or with columns PATH:12:5-14:20")
    start = match["l1"] or match["h1"] or match["c1"] or match["g1"]
    end = match["l2"] or match["h2"] or match["c2"] or match["g2"] or start
    first, last = ([int(number) for number in re.split("[:C]", one)] for one in (start, end))
    if min(*first, *last) < 1 or first > last:
        raise UsageError(f"no such lines: {place}", "lines and columns are counted from 1: PATH:12-40")
    return Region(match["path"], first[0], last[0], *(first[1:] + last[1:]))


def _stream(desk: Desk) -> int:
    """Answer stdin's lines as they come."""
    import json

    from scoutkit.anchors.stream import ERROR, Stream

    code = 0
    with Stream(desk.repository, notes=desk.settings.notes) as stream:
        for line in _lines(stream):
            answer: dict[str, Any] = stream.answer(line)
            if answer["verdict"] == ERROR:
                code = UsageError.exit_code
            try:
                sys.stdout.write(f"{json.dumps(answer, allow_nan=False)}\n")
                sys.stdout.flush()
            except BrokenPipeError:  # the reader has enough, and nobody is left to answer
                say.close(sys.stdout)
                return code
    return code


def _lines(stream: Stream) -> Iterator[bytes]:
    """Lines as they come in. Those that came in at once are answered from one look at the working tree."""
    from scoutkit.anchors.stream import LONGEST

    rest, source = b"", cast("io.BufferedReader", sys.stdin.buffer)
    for chunk in iter(lambda: source.read1(1 << 16), b""):
        stream.again()
        *lines, tail = chunk.split(b"\n")
        for line in lines:
            yield rest + line
            rest = b""
        rest += tail[: max(LONGEST + 1 - len(rest), 0)]  # of a line that is too long no more is kept than shows it
    if rest:
        yield rest
