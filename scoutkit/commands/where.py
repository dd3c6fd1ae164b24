"""Where something is: the built-in scout's ranking, bare."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from scoutkit.commands import say
from scoutkit.commands.session import Limit, json_option, open_desk
from scoutkit.errors import NotFound

if TYPE_CHECKING:
    from scoutkit.agents.builtin.ranking.bare import Places

_PATIENCE, _OFTEN = 1.0, 3.0  # seconds before the first line of progress, and between two


@click.command()
@click.argument("question", nargs=-1, required=True, metavar="QUESTION|-")
@click.option("--base", default="HEAD", metavar="REV", show_default=True, help="The commit to look in.")
@click.option("--limit", type=Limit(min=1), default=20, show_default=True, help="At most so many places, and files.")
@json_option
@click.pass_context
def where(ctx: click.Context, question: tuple[str, ...], *, base: str, limit: int, as_json: bool) -> int:
    """Where is it? Places that may answer QUESTION, best first, a line each: path:start-end.

    By words and names alone: no agent is sent, no note is written. QUESTION is in any words, a name, or a traceback; -
    reads it from stdin. The first question about a commit indexes what changed since the last; the next take a moment.
    Exit code 1 when nothing fits.
    """
    from scoutkit import git
    from scoutkit.agents.builtin.ranking.bare import NOWHERE, places

    text = _stdin() if question == ("-",) else " ".join(question)
    desk = open_desk(ctx, sync=False)
    commit = git.resolve(desk.repository, base)
    found = (  # nothing is asked: nothing is indexed for it
        places(desk.where, commit, text, indexing(), project=desk.repository.name, limit=limit)
        if text.strip()
        else NOWHERE
    )
    if as_json:
        say.as_json("where", **_json(found))
    else:
        for one in found.ranges:
            say.answer(f"{shown(one.path)}:{one.place.start}-{one.place.end}")
    _tell(found, text)
    return 0 if found.ranges or found.files else NotFound.exit_code


def indexing() -> Callable[[str], None]:
    """Narrates what takes long, now and then."""
    last = time.monotonic() + _PATIENCE - _OFTEN

    def tell(text: str) -> None:
        nonlocal last
        if time.monotonic() - last > _OFTEN:
            last = time.monotonic()
            say.tell(text)

    return tell


def _stdin() -> str:
    return sys.stdin.buffer.read().decode("utf-8", "replace")


def shown(path: str) -> str:
    """A path on one line, whatever is in it."""
    return path if path.isprintable() else "".join(one if one.isprintable() else ascii(one)[1:-1] for one in path)


def _json(found: Places) -> dict[str, object]:
    return {
        "ranges": [
            {
                "path": one.path,
                "start": one.place.start,
                "end": one.place.end,
                "symbol": one.place.qualified or one.place.name or None,
                "score": round(one.score, 3),
            }
            for one in found.ranges
        ],
        "files": [{"path": path, "score": round(score, 3)} for path, score in found.files],
        "confidence": found.confidence,
        "absent": list(found.absent),
        "unasked": list(found.unasked),
    }


def _tell(found: Places, text: str) -> None:
    """On stderr: what a person should know of the answer, in a line or two."""
    if not text.strip():
        say.tell("the question is empty")
    elif not found.files:
        say.tell("nothing in this code fits")
    else:
        say.tell(f"confidence: {found.confidence}")
    if found.absent:
        say.tell(f"nowhere in this code: {_listed(found.absent)}")
    if found.unasked:
        say.tell(f"not looked for, since no words: {_listed(found.unasked)}")
    if found.cut:
        say.tell("only the beginning of the question was looked at: it is very long")


def _listed(words: tuple[str, ...], most: int = 12) -> str:
    more = f" and {len(words) - most} more" if len(words) > most else ""
    return ", ".join(shown(word[:60]) for word in words[:most]) + more
