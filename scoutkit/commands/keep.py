"""Keeping notes true: check, confirm."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import click

from scoutkit.commands import say, verdicts
from scoutkit.commands.session import complete_notes, find_note, json_option, open_desk
from scoutkit.errors import NotFound, UsageError

if TYPE_CHECKING:
    from scoutkit.desk import Desk
    from scoutkit.stories.confirming import Confirmed
    from scoutkit.stories.standing import Checkup


@click.command()
@click.argument("notes", nargs=-1, metavar="[NOTE]...", shell_complete=complete_notes)
@click.option("--at", "revision", metavar="REV", help="Against a commit instead of the working tree.")
@click.option(
    "--since", type=click.FloatRange(min=0), metavar="DAYS", help="Only notes made or confirmed in the last DAYS days."
)
@click.option(
    "--staged", is_flag=True, help="Only notes that cite a staged file, or are staged; against what is staged."
)
@click.option("--fix", is_flag=True, help="Rewrite lines that moved, in the notes' text and front matter.")
@click.option("--all", "everything", is_flag=True, help="List citations that hold, too.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "github"]),
    default="table",
    show_default=True,
    help="A table, or annotations for a GitHub workflow.",
)
@json_option
@click.pass_context
def check(
    ctx: click.Context,
    notes: tuple[str, ...],
    *,
    revision: str | None,
    since: float | None,
    staged: bool,
    fix: bool,
    everything: bool,
    form: str,
    as_json: bool,
) -> int:
    """Which notes still hold: are the lines they cite still there, as they were?

    Lines that only moved hold. Lists those that do not: edited, ambiguous or gone. Exit code 1 when a note no longer
    holds; one without citations does neither. Writes nothing without --fix. Deprecated notes are left out unless they
    are named.
    """
    from scoutkit.stories import standing

    if fix and revision is not None:
        raise UsageError("--fix writes where lines are in the working tree, not at a revision", "leave out --at")
    if since is not None and math.isnan(since):
        raise UsageError("--since is not a number of days: nan", "--since 7")
    if as_json and form != "table":
        raise UsageError("--json is a format of its own", f"leave out --format {form}")
    desk = open_desk(ctx)
    named = [find_note(desk, one) for one in notes]
    to = standing.target(desk, revision)
    if to and revision is None:
        say.tell("a bare repository has no working tree: checked against HEAD")
    if not named:
        verdicts.tell_left_out(desk)
    chosen = standing.choose(desk, named=named, since=since, staged=staged)
    found = standing.survey(desk, chosen, to, staged=staged and not fix)
    failed = False
    if fix:
        found, failed = _fixed(desk, found)
    if revision is None and not (staged and not fix):  # `is:fresh` speaks of what is checked out
        desk.ledger.checked({one.note.path: one.holds for one in found}, to, {one.note.path: one.why for one in found})
    if as_json:
        rows = [verdicts.note_json(one) for one in found]
        said = {"held": True, "not": False, "uncited": None}
        sums = {name: sum(one.holds is stands for one in found) for name, stands in said.items()}
        say.as_json("check", notes=rows, **sums)
    elif form == "github":
        verdicts.annotate(desk, found)
    else:
        verdicts.table(found, everything=everything)
    return NotFound.exit_code if failed or any(one.holds is False for one in found) else 0


def _fixed(desk: Desk, found: list[Checkup]) -> tuple[list[Checkup], bool]:
    """Moved lines rewritten, note by note. One that cannot be is said, and stops no other; was there any?"""
    from scoutkit.errors import ScoutError
    from scoutkit.stories import standing

    after = []
    failed = False
    for one in found:
        try:
            fixed, missed = standing.fix(desk, one)
        except ScoutError as error:
            say.complain(error)
            failed, fixed, missed = True, one, ()
        if fixed is not one:
            number = sum(was.citation != now.citation for was, now in zip(one.followed, fixed.followed, strict=True))
            say.tell(f"{one.note.path}: {say.count(number, 'citation')} moved")
        for line in missed:
            say.tell(f"not rewritten in the text, do it by hand: {line}")
        after.append(fixed)
    desk.sync()
    return after, failed


@click.command()
@click.argument("notes", nargs=-1, required=True, metavar="NOTE...", shell_complete=complete_notes)
@json_option
@click.pass_context
def confirm(ctx: click.Context, notes: tuple[str, ...], *, as_json: bool) -> int:
    """Say that you have read a note and found it right: it speaks of HEAD from now on.

    Your name and the time go into `verified` in the note's front matter. Its citations move to where their lines are at
    HEAD, and are compared with HEAD by later checks. Exit code 1, and nothing written, for a note that cites lines that
    cannot be found any more, or files with changes that are not committed.
    """
    from scoutkit.errors import ScoutError
    from scoutkit.stories import confirming

    desk = open_desk(ctx)
    named = {note.path: note for note in (find_note(desk, one) for one in notes)}.values()
    done: list[Confirmed] = []
    failed = False
    for note in named:
        try:
            done.append(confirming.confirm(desk, note))
        except ScoutError as error:
            if len(named) == 1:
                raise
            say.complain(error)
            failed = True
    desk.sync()
    for one in done:
        _warn(one)
    if as_json:
        say.as_json("confirm", notes=[_confirmed_json(one) for one in done])
    else:
        for one in done:
            by, at = one.note.verified[-1]
            number = say.count(len(one.note.citations), "citation")
            say.answer(f"confirmed: {one.note.path}, {number} at {one.note.commit[:12]}, by {by} {at}")
    return NotFound.exit_code if failed else 0


def _warn(one: Confirmed) -> None:
    """What a person who confirms should know that they confirmed."""
    for followed in one.edited:
        say.tell(f"the text had changed: {verdicts.sentence(followed, None)}")
    for citation in one.dropped:
        say.tell(f"no longer in the text, dropped: {citation.at}")
    for citation in one.added:
        say.tell(f"new in the text: {citation.at} ({citation.verdict})")
    for line in one.missed:
        say.tell(f"not rewritten in the text, do it by hand: {line}")


def _confirmed_json(one: Confirmed) -> dict[str, Any]:
    by, at = one.note.verified[-1]
    return {
        **say.note_json(one.note),
        "verified": {"by": by, "at": at},
        "edited": [followed.citation.at for followed in one.edited],
        "dropped": [citation.at for citation in one.dropped],
        "added": [citation.at for citation in one.added],
    }
