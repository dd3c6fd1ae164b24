"""Finding and reading notes: search, list, related, show."""

from __future__ import annotations

import itertools
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scoutkit.commands import say
from scoutkit.commands.session import LIMIT, find_note, json_option, note_argument, open_desk
from scoutkit.errors import NotFound, UsageError
from scoutkit.model import NOTE_TYPES, STATUSES

if TYPE_CHECKING:
    from scoutkit.desk import Desk
    from scoutkit.model.found import Hit
    from scoutkit.model.notes import Citation, Note


def filters(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that narrow a list of notes."""
    for option in (
        click.option("--limit", type=LIMIT, help="At most so many."),
        click.option("--status", "statuses", multiple=True, type=click.Choice(STATUSES), help="Only in this state."),
        click.option("--path", "paths", multiple=True, metavar="PATH", help="Only those citing this file or folder."),
        click.option("--tag", "tags", multiple=True, help="Only with this tag."),
        click.option("--type", "types", multiple=True, type=click.Choice(NOTE_TYPES), help="Only of this type."),
    ):
        command = option(command)
    return command


class _Search(click.Command):
    """A `-word` is of the query where it stands: no option of search looks like one."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As click does, with what is of the query behind all options."""
        from scoutkit.search.operators import is_text

        valued = {name for one in self.params if isinstance(one, click.Option) and not one.is_flag for name in one.opts}
        options: list[str] = []
        query: list[str] = []
        waiting = iter(args)
        for word in waiting:
            if word == "--":
                query += waiting
            elif word.startswith("-") and word != "-" and not is_text(word):
                options += [word, *itertools.islice(waiting, word in valued)]
            else:
                query.append(word)
        return super().parse_args(ctx, [*options, *(["--", *query] if query else [])])


@click.command(cls=_Search)
@click.argument("query", nargs=-1)
@click.option("--like", metavar="FILE", help="Find notes on the subject of a text instead; - reads standard input.")
@filters
@json_option
@click.pass_context
def search(
    ctx: click.Context, /, query: tuple[str, ...], *, like: str | None, limit: int | None, as_json: bool, **narrow: Any
) -> int:
    """Find notes by any text: words, identifiers, quoted phrases.

    In the text: tag:auth, path:src/auth, type:scout, agent:claude, since:7d (or a date), is:fresh (or stale, uncited,
    unchecked, draft, stable, deprecated); words to leave out come last: cookie signing -flask. What is none of these
    is text. Exit code 1 when nothing is found.
    """
    from scoutkit.search.finding import Found, find
    from scoutkit.search.operators import why_untaken

    if not query and like is None:
        raise UsageError("missing argument 'QUERY...'", "scoutkit search cookie signing, or --like FILE")
    if query and like is not None:
        raise UsageError("a text to search for and --like are two questions", "leave out one of them")
    desk = open_desk(ctx)
    if like is not None:
        found = Found(desk.catalogue.like(_given(like), limit=limit or 20, **narrow))
        text = "a text like this"
    else:
        text = " ".join(query)
        found = find(desk.catalogue, desk.fulltext, text, limit=limit or 20, **narrow)
    if as_json:
        say.as_json("search", hits=[say.hit_json(hit) for hit in found.hits], meant=found.meant)
    else:
        say.hits(list(found.hits))
        if not found.hits:
            say.tell(f"nothing found for: {text}{_narrowed(narrow)}")
        for why in why_untaken(found.untaken):
            say.tell(why)
        if found.meant:
            say.tell(f"did you mean: {found.meant}")
        if like is None and "is:" in text:
            _tell_checks(desk, text)
    desk.follow()
    return 0 if found.hits else NotFound.exit_code


def _narrowed(narrow: dict[str, tuple[str, ...]]) -> str:
    """The options that narrowed a search, as they were typed."""
    options = {"statuses": "--status", "paths": "--path", "tags": "--tag", "types": "--type"}
    typed = [f"{options[name]} {value}" for name, values in narrow.items() for value in values]
    return f", with {' '.join(typed)}" if typed else ""


def _given(name: str) -> str:
    """A file's text, or standard input's."""
    if name == "-":
        return sys.stdin.buffer.read().decode("utf-8", "replace")
    try:
        return Path(name).read_bytes().decode("utf-8", "replace")
    except OSError as error:
        raise UsageError(f"cannot read {name}: {error.strerror}", "give a file, or - for standard input") from error


def _tell_checks(desk: Desk, text: str) -> None:
    """What `is:fresh` and its like go by: checks that were made, which may be older than what is checked out."""
    if not desk.catalogue.understood(text).asked.standings:
        return
    said = desk.ledger.said()
    left = f"; {say.count(said.unchecked, 'note')} not checked since written" if said.unchecked else ""
    if not said.checked:
        say.tell(f"no note was checked yet{left}: scoutkit check")
        return
    against = " and ".join(target[:10] or "the working tree" for target in said.targets)
    say.tell(f"as the last check said, {said.oldest[:16].replace('T', ' ')} UTC or later, of {against}{left}")


@click.command("list")
@filters
@json_option
@click.pass_context
def list_notes(ctx: click.Context, /, *, limit: int | None, as_json: bool, **narrow: Any) -> int:
    """List notes, newest first."""
    desk = open_desk(ctx)
    found = desk.catalogue.list(limit=limit, **narrow)
    _show_hits("list", found, as_json=as_json)
    if not found and not as_json:
        say.tell("no such notes" if any(narrow.values()) else "no notes yet: scoutkit ask QUESTION")
    desk.follow()
    return 0


@click.command()
@note_argument
@click.option("--limit", type=LIMIT, default=10, show_default=True, help="At most so many.")
@json_option
@click.pass_context
def related(ctx: click.Context, note: str, *, limit: int, as_json: bool) -> int:
    """Notes on the same subject as NOTE (an id, the start of one, a path or a title)."""
    from scoutkit.search import finding

    desk = open_desk(ctx)
    found = list(finding.related(desk.catalogue, desk.fulltext, find_note(desk, note).id, limit=limit))
    code = _show_hits("related", found, as_json=as_json)
    if not found and not as_json:
        say.tell(f"no note is related to {note}")
    return code


@click.command()
@note_argument
@click.option("--code", is_flag=True, help="Add the cited lines as they were at the note's commit.")
@json_option
@click.pass_context
def show(ctx: click.Context, note: str, *, code: bool, as_json: bool) -> None:
    """Show a note: an id, the start of one, a path, a file name or a title.

    Rendered on a terminal, where what would steer it is shown as ⟨U+202E⟩ and you are told if it no longer holds; the
    file as it is when piped.
    """
    desk = open_desk(ctx)
    found = find_note(desk, note)
    excerpts = _excerpts(desk, found) if code else []
    if as_json:
        extra = {"code": [{"at": citation.at, "lines": lines} for citation, lines in excerpts]} if code else {}
        say.as_json("show", note=say.note_json(found, body=True), **extra)
        return
    fences = "\n\n".join(f"`{citation.at}`\n\n{_fence(citation.path, lines)}" for citation, lines in excerpts)
    if say.colourful():
        _render(found, fences)
    else:
        raw = desk.notebook.bytes_of(found.path).decode("utf-8", "surrogateescape")
        text = raw.rstrip("\n") + (f"\n\n{fences}" if fences else "")
        say.answer(say.visible(text) if sys.stdout.isatty() else text)
    if sys.stdout.isatty():
        _tell_standing(desk, found)


def _show_hits(command: str, found: list[Hit], *, as_json: bool) -> int:
    if as_json:
        say.as_json(command, hits=[say.hit_json(hit) for hit in found])
    else:
        say.hits(found)
    return 0 if found else NotFound.exit_code


def _tell_standing(desk: Desk, note: Note) -> None:
    """What a note says of its citations is of the day it was written: a person is told where that is no longer so."""
    from scoutkit.stories import standing

    (one,) = standing.survey(desk, [note], standing.target(desk, None))
    if one.holds is False:
        say.tell(f"no longer holds: {one.why} (scoutkit check {note.id})")


def _excerpts(desk: Desk, note: Note) -> list[tuple[Citation, list[str]]]:
    """The cited lines at the note's commit; citations that point nowhere have none."""
    if not note.commit:
        return []
    with desk.snapshot(note.commit) as snapshot:
        found = [(citation, snapshot.lines(citation.path) or []) for citation in note.citations if citation.start]
    return [(citation, cut) for citation, lines in found if (cut := lines[citation.start - 1 : citation.end])]


def _fence(path: str, lines: list[str]) -> str:
    """Lines as a fenced block that nothing in them can close."""
    longest = max((len(run) for line in lines for run in re.findall(r"`{3,}", line)), default=2)
    ticks = "`" * (longest + 1)
    return "\n".join([f"{ticks}{path.rsplit('.', 1)[-1] if '.' in path else ''}", *lines, ticks])


def _render(note: Note, fences: str) -> None:
    from rich.console import Console
    from rich.markdown import Markdown
    from rich.text import Text

    from scoutkit.commands import charts

    console = Console(width=min(Console().width, 110))
    facts = [
        note.id,
        note.type,
        note.status,
        note.at[:10],
        note.by,
        note.commit[:10],
        *(f"#{tag}" for tag in note.tags),
    ]
    console.print(Text(say.visible("  ".join(fact for fact in facts if fact)), style="dim"))
    if note.question:
        console.print(Text(say.visible(f"asked: {note.question}"), style="italic"))
    console.print()
    body = charts.readable(note.body)
    console.print(Markdown(say.visible(f"{body}\n\n{fences}" if fences else body)))
    console.print()
    console.print(Text(note.path, style="dim"))
