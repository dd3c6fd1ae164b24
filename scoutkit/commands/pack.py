"""Notes for the next prompt: pack."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from scoutkit.commands import say
from scoutkit.commands.session import LIMIT, complete_notes, find_note, json_option, open_desk
from scoutkit.errors import NotFound, UsageError
from scoutkit.model.packs import BUDGET, FORMATS

if TYPE_CHECKING:
    from scoutkit.model.packs import Pack


@click.command()
@click.argument("task", nargs=-1, metavar="TASK|-")
@click.option("--budget", type=LIMIT, default=BUDGET, show_default=True, help="At most so many tokens.")
@click.option("--copy", is_flag=True, help="To the clipboard instead of stdout.")
@click.option(
    "--note", "notes", multiple=True, metavar="NOTE", shell_complete=complete_notes, help="This note first; repeatable."
)
@click.option("--code", is_flag=True, help="Add the cited lines as they are now.")
@click.option("--format", "form", type=click.Choice(FORMATS), default="md", show_default=True, help="How it looks.")
@click.option("--at", "revision", metavar="REV", help="Follow citations to a commit instead of the working tree.")
@click.option("--limit", type=LIMIT, default=20, show_default=True, help="Look at so many notes.")
@click.option("--explain", is_flag=True, help="Say of each note how it came in, what it takes and what was cut.")
@json_option
@click.pass_context
def pack(
    ctx: click.Context,
    task: tuple[str, ...],
    *,
    budget: int,
    copy: bool,
    notes: tuple[str, ...],
    code: bool,
    form: str,
    revision: str | None,
    limit: int,
    explain: bool,
    as_json: bool,
) -> int:
    """Notes that bear on TASK, ready for a prompt and no longer than a budget of tokens.

    Best first, with what became of every citation since. TASK may come from stdin: scoutkit pack -. Exit code 1 when
    no note bears on it.
    """
    from scoutkit import git
    from scoutkit.model.packs import Wish
    from scoutkit.reuse import tokens
    from scoutkit.stories import packing

    text = sys.stdin.read() if task == ("-",) else " ".join(task)
    if not text.strip() and not notes:
        raise UsageError("nothing to pack for: the task is empty", "say what is to be done, or name a note: --note ID")
    desk = open_desk(ctx, meanwhile=tokens.prepare)
    ctx.find_root().call_on_close(tokens.lay_out)  # once the answer is printed
    ids = tuple(find_note(desk, one).id for one in notes)
    to = "" if revision is None else git.resolve(desk.repository, revision)
    found = packing.pack(desk, Wish(text, budget, ids, code, form, to, limit=limit))
    if copy and found.text:
        from scoutkit.reuse import clipboard

        say.tell(f"copied with {clipboard.copy(found.text)}")
    if as_json:
        say.as_json("pack", **_json(found))
    elif found.text and not copy:
        say.answer(found.text.rstrip("\n"))
    if not as_json:
        _tell(found, explain=explain)
    return 0 if found.notes else NotFound.exit_code


def _json(found: Pack) -> dict[str, object]:
    return {
        "text": found.text,
        "budget": found.budget,
        "used": found.used,
        "tokenizer": found.tokenizer,
        "notes": [
            {
                "id": one.id,
                "path": one.path,
                "title": one.title,
                "verdicts": dict(one.verdicts),
                "cut": one.cut,
                "tokens": one.tokens,
                "score": round(one.score, 4),
                "why": one.why,
            }
            for one in found.notes
        ],
        "dropped": [{"id": one.id, "path": one.path, "title": one.title, "why": one.why} for one in found.dropped],
    }


def _tell(found: Pack, *, explain: bool) -> None:
    """On stderr: what is in the pack, and what is not and why."""
    from scoutkit.reuse.forms import counted

    if not found.notes and not found.dropped:
        say.tell("no note bears on this")
        return
    say.tell(f"{say.count(len(found.notes), 'note')}, {found.used:,} of {found.budget:,} tokens ({found.tokenizer})")
    for one in found.notes if explain else ():
        verdicts = counted(one.verdicts) or "no citations"
        cut = ", cut" if one.cut else ""
        say.tell(f"  {one.id}  {one.tokens:,} tokens{cut}, {one.why}; {verdicts}: {one.title}")
    for left in found.dropped:
        say.tell(f"  left out: {left.id}, {left.why}: {left.title}")
