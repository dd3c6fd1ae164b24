"""Notes by hand: new, edit, tag, rm."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

import click

from scoutkit.commands import say
from scoutkit.commands.alike import tell as tell_alike
from scoutkit.commands.session import TAG, find_note, json_option, note_argument, open_desk
from scoutkit.errors import UsageError
from scoutkit.model import NOTE_TYPES
from scoutkit.stories.intake import Keeper, Kept, Seen, Source


@click.command()
@click.argument("title", nargs=-1)
@click.option("--type", "type_", type=click.Choice(NOTE_TYPES), default="note", show_default=True, help="Kind of note.")
@click.option("--tag", "tags", multiple=True, type=TAG, help="A tag; may be repeated.")
@json_option
@click.pass_context
def new(ctx: click.Context, title: tuple[str, ...], *, type_: str, tags: tuple[str, ...], as_json: bool) -> None:
    """Write a note by hand, in $EDITOR or from standard input; its citations are checked against HEAD."""
    desk = open_desk(ctx)
    heading = " ".join(title)
    if sys.stdin.isatty():
        text = _compose(_template(heading))
        if not text:
            raise UsageError("the note is as it was given: nothing was written", "write something, and save it")
    else:
        text = decoded(sys.stdin.buffer.read(), "standard input")
        text = text if not heading or text.lstrip().startswith("# ") else f"# {heading}\n\n{text}"
    if not text.strip():
        raise UsageError("the note is empty: nothing was written", "write some text, or pipe it in")
    with Keeper(desk) as keeper:
        kept = keeper.keep(Source(text, heading), kind=type_, tags=tags)
    desk.sync()
    alike = tell_alike(desk, kept.note)
    if as_json:
        say.as_json("new", notes=[say.note_json(kept.note, body=True)], alike=alike)
    else:
        show_kept(kept)


@click.command()
@note_argument
@click.pass_context
def edit(ctx: click.Context, note: str) -> None:
    """Open a note in $EDITOR."""
    desk = open_desk(ctx)
    found = find_note(desk, note)
    before = desk.notebook.bytes_of(found.path)
    _run_editor(desk.places.root / found.path)
    desk.sync()
    if desk.notebook.bytes_of(found.path) == before:
        say.tell("unchanged")
        return
    for problem in desk.notebook.read(found.path).problems:
        say.tell(f"{problem.path}:{problem.line}: {problem.problem} ({problem.hint})")
    say.tell(f"saved: {found.path}")


@click.command()
@note_argument
@click.argument("tags", nargs=-1, type=TAG)
@click.option("--remove", "removed", multiple=True, metavar="TAG", help="A tag to take away; may be repeated.")
@json_option
@click.pass_context
def tag(ctx: click.Context, note: str, tags: tuple[str, ...], *, removed: tuple[str, ...], as_json: bool) -> None:
    """Add tags to a note, or show them."""
    desk = open_desk(ctx)
    found = find_note(desk, note)
    for lacking in (one for one in removed if one not in found.tags):
        say.tell(f"{found.id} has no tag {lacking}")
    if tags or removed:
        kept = [one for one in dict.fromkeys((*found.tags, *tags)) if one not in removed]
        desk.notebook.amend(found.path, {"tags": kept})
        desk.sync()
        found = find_note(desk, note)
    if as_json:
        say.as_json("tag", note=say.note_json(found))
    elif found.tags:
        say.answer(" ".join(found.tags))


@click.command("rm")
@click.argument("notes", nargs=-1, required=True)
@click.pass_context
def remove(ctx: click.Context, notes: tuple[str, ...]) -> None:
    """Remove notes: the files go to scoutkit's trash, from where they can be taken back."""
    desk = open_desk(ctx)
    found = [find_note(desk, note) for note in notes]
    for one in {note.path: note for note in found}.values():
        trashed = desk.notebook.remove(one.path)
        say.tell(f"removed: {one.path}  (now {trashed})")
    desk.sync()


def show_kept(kept: Kept, *, header: bool = True) -> None:
    """A note's path, id and title, then each citation: its line in the text, verdict, place and why."""
    note = kept.note
    if header:
        say.answer(f"{note.path}  {note.id}  {note.title}")
    rows = [(str(one.line), one.citation.verdict or "", _place(one), one.why) for one in kept.seen]
    if rows:
        say.table(("LINE", "VERDICT", "PLACE", "WHY"), rows, whole=True)


def _place(one: Seen) -> str:
    citation = one.citation
    at = citation.at if citation.start or not citation.symbol else f"{citation.path}::{citation.symbol}"
    return f"{at} (was {citation.was})" if citation.was else at


def decoded(raw: bytes, name: str) -> str:
    """A file's text. UsageError, naming it, for what is no text in UTF-8."""
    if b"\0" in raw:
        raise UsageError(f"not text: {name}", "give Markdown in UTF-8")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"not UTF-8: {name} (byte {error.start})", "convert it: iconv -t utf-8") from error


def _template(title: str) -> str:
    """What a new note looks like before anything is written in it."""
    from jinja2 import Template

    from scoutkit import config

    text = (config.resources("templates") / "note.md").read_text("utf-8")
    return str(Template(text, keep_trailing_newline=True).render(title=title))


def _compose(template: str) -> str:
    """What a person makes of a template in their editor; nothing when they leave it as it is."""
    import tempfile

    with tempfile.TemporaryDirectory(prefix="scoutkit-") as folder:
        path = Path(folder) / "note.md"
        path.write_text(template, "utf-8")
        _run_editor(path)
        text = decoded(path.read_bytes(), "the note")
    return "" if text == template else text


def _run_editor(path: Path) -> None:
    from scoutkit import process

    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ("vi" if sys.stdin.isatty() else "")
    if not editor:
        raise UsageError("no editor is set, and this is no terminal", "set EDITOR, or edit the file itself")
    try:
        code = process.interact([*shlex.split(editor), path])
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot start the editor: {editor}", "set EDITOR to a program that exists") from error
    if code:
        raise UsageError(f"the editor ended with status {code}: {editor}", "the file is as the editor left it")
