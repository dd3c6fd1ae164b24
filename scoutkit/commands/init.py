"""init: what scoutkit would use in this repository, its notes folder, and trust in what the repository brings."""

from __future__ import annotations

import click

from scoutkit import config
from scoutkit.commands import say
from scoutkit.commands.session import json_option, open_desk


@click.command()
@click.option("--trust", is_flag=True, help="Let the repository's set-up commands run, as they are now.")
@click.option("--dry-run", is_flag=True, help="Say what would be written, and write nothing.")
@json_option
@click.pass_context
def init(ctx: click.Context, *, trust: bool, dry_run: bool, as_json: bool) -> None:
    """Make the notes folder, and show what scoutkit takes from this repository.

    No other command needs it. Nothing is committed, and .gitignore stays as it is.
    """
    from scoutkit import trust as trusting

    desk = open_desk(ctx)
    notes = desk.places.notes
    there = notes.is_dir()
    if trust and not dry_run:
        trusting.grant(desk)
    if not there and not dry_run:
        notes.mkdir(parents=True, exist_ok=True)
    standing, hooks = trusting.standing(desk), trusting.hooks(desk)
    included = ((desk.repository.main or desk.where) / ".worktreeinclude").is_file()
    setup = desk.settings.setup
    if as_json:
        found = {"setup": list(setup), "trust": standing, "hooks": hooks, "included": included}
        say.as_json("init", notes=str(notes), made=not there and not dry_run, dry_run=dry_run, **found)
        return
    made = "there already" if there else "would be made" if dry_run else "made"
    say.answer(f"notes: {notes} ({made})")
    say.answer(f"ignored files for agents that change things: {'.worktreeinclude' if included else 'none'}")
    say.answer(f"set-up commands: {_SETUP[standing]}")
    for command in setup:
        say.answer(f"  {command}")
    say.answer(f"hooks and servers for agent programs: {'run' if hooks else 'not run'}")
    if standing in ("untrusted", "changed"):
        say.tell("read them, then: scoutkit init --trust")
    if ignored := desk.notes_ignored():
        say.tell(f"git ignores {desk.settings.notes} ({ignored}): notes kept there are not committed")
    if not setup:
        say.tell(f"set-up commands go into {config.user_config() / 'config.toml'}:")
        say.tell(f'  [repositories."{desk.where}"]')
        say.tell('  setup = ["…"]')


_SETUP = {
    "none": "none",
    "yours": "yours",
    "trusted": f"from {config.SETTINGS}, trusted as they are",
    "changed": f"from {config.SETTINGS}, NOT RUN: they changed since they were trusted",
    "untrusted": f"from {config.SETTINGS}, NOT RUN: nobody here trusted them yet",
}
