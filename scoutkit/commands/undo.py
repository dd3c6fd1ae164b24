"""Restoring what a run changed: run undo."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from scoutkit.commands import say
from scoutkit.commands.session import json_option, open_desk
from scoutkit.errors import ScoutError, UsageError

if TYPE_CHECKING:
    from scoutkit.stories.undoing import Plan, Step


@click.command("undo")
@click.argument("id_", metavar="ID")
@click.option("--dry-run", is_flag=True, help="Say what would be restored, and restore nothing.")
@click.option("--yes", is_flag=True, help="Restore without asking.")
@json_option
@click.pass_context
def undo(ctx: click.Context, id_: str, *, dry_run: bool, yes: bool, as_json: bool) -> int:
    """Restore what changed in your repository while a run went on.

    Only what still is as it was when the run ended: never over what you did since. What is replaced is kept in a
    backup. Exit code 1 where something could not be restored.
    """
    from scoutkit.stories import undoing

    desk = open_desk(ctx, sync=False)
    made = undoing.plan(desk, desk.journal.get(id_))
    if not as_json:
        _show(made)
    wanted = made.count(undoing.WILL)
    backup = ""
    if wanted and not dry_run:
        if not yes:
            _agree(wanted)
        made, folder = undoing.carry_out(desk, made)
        backup = str(folder)
    if as_json:
        say.as_json("undo", run=made.run.id, dry_run=dry_run, steps=[_json(one) for one in made.steps], backup=backup)
    elif backup:
        _tell(made, backup)
    return ScoutError.exit_code if made.count(undoing.CANNOT) else 0


def _agree(wanted: int) -> None:
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError("nobody is here to be asked; nothing was changed", "say --yes, or look first with --dry-run")
    click.confirm(f"Restore {say.count(wanted, 'thing')}?", abort=True, err=True)


def _show(made: Plan) -> None:
    from scoutkit.dispatch.untouched import shown
    from scoutkit.stories.undoing import CANNOT

    if not made.steps:
        say.tell(f"nothing changed while run {made.run.id} went on")
        return
    rows = [
        (
            one.difference.what,
            shown(one.difference.where),
            f"{one.state}: {one.why}" if one.state == CANNOT else one.state,
        )
        for one in made.steps
    ]
    say.table(("WHAT", "WHERE", "NOW"), rows, whole=True)
    if any(one.difference.where.startswith("refs/remotes/") for one in made.steps):
        say.tell("a remote's branches moved: what was pushed, if anything, the remote still has")


def _tell(made: Plan, backup: str) -> None:
    from scoutkit.dispatch.untouched import shown
    from scoutkit.stories.undoing import CANNOT, DONE

    for one in made.steps:
        if one.state == CANNOT:
            say.tell(f"not restored: {one.difference.what} {shown(one.difference.where)}: {one.why}")
    say.tell(f"restored: {made.count(DONE)} of {len(made.steps)}")
    say.tell(f"what that replaced: {backup}")


def _json(one: Step) -> dict[str, Any]:
    change = one.difference
    return {
        "what": change.what,
        "where": change.where,
        "was": change.was,
        "now": change.now,
        "state": one.state,
        "why": one.why or None,
    }
