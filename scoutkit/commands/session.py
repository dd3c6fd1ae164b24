"""What nearly every command does first: open the desk, finish what was cut short, bring the catalogue in step."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scoutkit.commands.say import count, tell

if TYPE_CHECKING:
    from scoutkit.desk import Desk
    from scoutkit.model.notes import Note


def open_desk(ctx: click.Context, *, sync: bool = True, meanwhile: Callable[[], object] = bool) -> Desk:
    """The desk of the repository the command is run in. `meanwhile` is called once that is found, before the notes are
    looked at."""
    from scoutkit.desk import Desk
    from scoutkit.dispatch import pulse

    options = ctx.find_root().obj
    desk = Desk.open(current_folder() / options["folder"], here=options["here"])
    meanwhile()
    if pulse.unfinished(desk.places.journal):
        from scoutkit.stories import leftovers

        leftovers.recover(desk, tell)
    if sync:
        ctx.find_root().call_on_close(desk.follow)  # once the answer is printed
        step = desk.sync()
        if step.rebuilt:
            tell(f"the catalogue is made anew from the notes: {step.rebuilt}")
        if step.memory or step.behind:
            tell(f"the catalogue is {'not kept' if step.memory else 'behind'}: {step.memory or step.behind}")
        if step.problems_changed:
            found = count(len(step.problems), "problem")
            tell(f"{found} in the notes: scoutkit index" if step.problems else "no problems in the notes any more")
    return desk


def current_folder() -> Path:
    """Where we are; RepositoryError where that folder was deleted."""
    from scoutkit.errors import RepositoryError

    try:
        return Path.cwd()
    except FileNotFoundError as error:
        raise RepositoryError("the folder you are in is gone", "go to one that exists: cd") from error


def find_note(desk: Desk, reference: str) -> Note:
    """The note a person means by an id, the start of one, a path, a file name or a title. NotFound otherwise."""
    from dataclasses import replace

    row = desk.catalogue.resolve(reference)
    return replace(desk.notebook.read(row.path).note, id=row.id, path=row.path)


def complete_notes(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[Any]:
    """Shell completion: ids (with titles) that begin so."""
    from click.shell_completion import CompletionItem

    from scoutkit.desk import Desk
    from scoutkit.errors import ScoutError

    try:
        options = ctx.find_root().obj or {"folder": Path(), "here": False}
        desk = Desk.open(current_folder() / options["folder"], here=options["here"])
        return [
            CompletionItem(hit.id, help=hit.title) for hit in desk.catalogue.list() if hit.id.startswith(incomplete)
        ]
    except ScoutError:
        return []  # no repository here: nothing to complete


def complete_agents(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Shell completion: names of agents."""
    from scoutkit import config
    from scoutkit.agents import registry
    from scoutkit.errors import ScoutError

    try:
        return [name for name in registry.names(config.load(None)) if name.startswith(incomplete)]
    except ScoutError:
        return []


class Limit(click.IntRange):
    """How many at most. As many as SQLite and Whoosh can count to are all."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """At least 1."""
        return int(min(super().convert(value, param, ctx), 1_000_000_000))


class Tag(click.ParamType[str]):
    """A tag that is given to a note: one word, without commas, which other programs take for several."""

    name = "tag"

    def convert(self, value: Any, param: object, ctx: object) -> str:  # noqa: ARG002
        """As it was given; UsageError for what is no tag."""
        from scoutkit.errors import UsageError

        tag = str(value)
        if not tag.strip() or any(char.isspace() or char == "," for char in tag):
            raise UsageError(f"not a tag: {tag!r}", "a tag is one word: my-tag; several are given one by one")
        return tag


LIMIT = Limit(min=1)
TAG = Tag()
json_option = click.option("--json", "as_json", is_flag=True, help="Answer with one JSON document.")
note_argument = click.argument("note", shell_complete=complete_notes)
