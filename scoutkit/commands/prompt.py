"""Whole prompts for other people's agents, from templates: prompt."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scoutkit.commands import say
from scoutkit.commands.session import LIMIT, complete_notes, find_note, json_option, open_desk
from scoutkit.errors import NotFound, UsageError
from scoutkit.model.packs import BUDGET

if TYPE_CHECKING:
    from scoutkit.desk import Desk
    from scoutkit.model.packs import Pack
    from scoutkit.reuse.templates import Template

_MOST = 20_000_000  # bytes of a file that a variable is read from


def _complete(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Shell completion: templates that ship or are the user's."""
    from scoutkit.reuse import templates

    return [one for one in templates.names() if one.startswith(incomplete) and one not in templates.MISSIONS]


@click.command()
@click.argument("template", required=False, shell_complete=_complete)
@click.option("--var", "variables", multiple=True, metavar="NAME=VALUE", help="Fill in NAME; @FILE: what it holds.")
@click.option(
    "--note", "notes", multiple=True, metavar="NOTE", shell_complete=complete_notes, help="With this note; repeatable."
)
@click.option("--pack", "task", metavar="TASK", help="With the notes that bear on TASK.")
@click.option("--diff", "revision", metavar="REV", help="Fill in `diff` with what changed since REV, or in REV..REV.")
@click.option("--budget", type=LIMIT, default=BUDGET, show_default=True, help="At most so many tokens of notes.")
@click.option("--copy", is_flag=True, help="To the clipboard instead of stdout.")
@json_option
@click.pass_context
def prompt(
    ctx: click.Context,
    template: str | None,
    *,
    variables: tuple[str, ...],
    notes: tuple[str, ...],
    task: str | None,
    revision: str | None,
    budget: int,
    copy: bool,
    as_json: bool,
) -> int:
    """Make a whole prompt from TEMPLATE; without it, list the templates and what each takes.

    A value that begins with @ names a file, @- is stdin; @@ stands for an @. Notes go in as data, followed to where
    their lines are now. Templates of your own: .claude/scoutkit/prompts/NAME.md in the repository, or prompts/NAME.md
    beside your settings.
    """
    from scoutkit import config

    desk = open_desk(ctx)
    overrides = desk.places.root / config.PROMPTS
    if template is None:
        if variables or notes or task is not None or revision is not None or copy:
            raise UsageError("which template?", "scoutkit prompt lists them")
        return _listed(overrides, as_json=as_json)
    from scoutkit import git
    from scoutkit.reuse import prompts

    given = _given(variables)
    if revision is not None:
        if "diff" in given:
            raise UsageError("--diff fills in the variable that --var diff gives", "leave out one of them")
        given["diff"] = _diff(desk, revision)
    packed = _packed(desk, notes, task, budget)
    filled = {
        "repository": desk.repository.name,
        "commit": git.resolve(desk.repository, "HEAD"),
        "notes": packed.text.strip("\n") if packed else "",
    }
    text = prompts.fill(template, given, filled, overrides=overrides)
    _hand_over(template, text, given, packed, copy=copy, as_json=as_json)
    if template == "async":
        _tell_unreachable(desk)
    return 0


def _given(variables: tuple[str, ...]) -> dict[str, str]:
    """`NAME=VALUE` as a person writes it. UsageError for what is none, is there twice, or names no file to read."""
    given: dict[str, str] = {}
    for one in variables:
        name, equals, value = one.partition("=")
        if not equals or not name.isidentifier():
            raise UsageError(f"no variable: {one}", "--var goal='what is to be true', or --var goal=@FILE")
        if name in given:
            raise UsageError(f"--var {name} is there twice", "leave out one of them")
        if value == "@-" and (other := next((each for each in given if f"{each}=@-" in variables), "")):
            raise UsageError(
                f"stdin can be read once: --var {other}=@- and --var {name}=@-", "put one of them in a file"
            )
        given[name] = value[1:] if value.startswith("@@") else _read(name, value[1:]) if value[:1] == "@" else value
    return given


def _read(name: str, file: str) -> str:
    try:
        raw = sys.stdin.buffer.read(_MOST + 1) if file == "-" else _bytes(Path(file))
        text = raw.decode("utf-8-sig")
    except OSError as error:
        raise UsageError(f"--var {name}: cannot read {file}: {error.strerror}", "name a text file") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"--var {name}: {file} is not UTF-8", "name a text file") from error
    except ValueError as error:  # a NUL in the name
        raise UsageError(f"--var {name}: no such file: {file}", "name a text file") from error
    if len(raw) > _MOST or "\0" in text:
        why = "is larger than 20 MB" if len(raw) > _MOST else "is binary"
        raise UsageError(f"--var {name}: {file} {why}", "name a text file")
    return text.replace("\r\n", "\n")


def _bytes(file: Path) -> bytes:
    with file.open("rb") as stream:
        return stream.read(_MOST + 1)


def _diff(desk: Desk, revision: str) -> str:
    from scoutkit import difference

    text, untracked = difference.patch(desk.repository, revision, beside=desk.settings.notes)
    if not text.strip():
        raise NotFound(f"nothing differs: {revision}", "name an older revision, or a range: main...HEAD")
    if untracked:
        say.tell(
            f"not in the diff, since git does not track {'it' if untracked == 1 else 'them'}: "
            f"{say.count(untracked, 'new file')} (git add -N FILE)"
        )
    return text


def _packed(desk: Desk, notes: tuple[str, ...], task: str | None, budget: int) -> Pack | None:
    """The notes that were asked for; None where none were."""
    if not notes and task is None:
        return None
    from scoutkit.model.packs import Wish
    from scoutkit.stories import packing

    ids = tuple(find_note(desk, one).id for one in notes)
    found = packing.pack(desk, Wish(task or "", budget, ids))
    for left in found.dropped:
        say.tell(f"left out: {left.id}, {left.why}: {left.title}")
    if not found.notes:
        say.tell("no note bears on this: the prompt goes without")
    return found


def _hand_over(
    template: str, text: str, given: dict[str, str], packed: Pack | None, *, copy: bool, as_json: bool
) -> None:
    from scoutkit.reuse import tokens

    tokenizer = tokens.tokenizer()
    used = tokenizer.count(text)
    if copy:
        from scoutkit.reuse import clipboard

        way = clipboard.copy(text)
        say.tell(f"copied with {way}")
    if as_json:
        ids = [one.id for one in packed.notes] if packed else []
        left = [{"id": one.id, "why": one.why} for one in packed.dropped] if packed else []
        fields: dict[str, Any] = {"template": template, "text": text, "variables": given, "notes": ids, "dropped": left}
        say.as_json("prompt", **fields, tokens=used, tokenizer=tokenizer.name)
        return
    if not copy:
        say.answer(text.rstrip("\n"))
    say.tell(f"{used:,} tokens ({tokenizer.name})")


def _listed(overrides: Path, *, as_json: bool) -> int:
    from scoutkit.errors import ScoutError
    from scoutkit.reuse import templates

    found: list[Template] = []
    for name in templates.names(overrides):
        if name not in templates.MISSIONS:
            try:
                found.append(templates.described(name, overrides))
            except ScoutError as error:  # one that is broken hides no other
                say.complain(error)
    if as_json:
        say.as_json("prompt", templates=[_row(one) for one in found])
        return 0
    for one in found:
        where = "" if one.origin == "shipped" else f"  ({one.path})"
        say.answer(f"{say.paint(one.name, 1)}  {one.says}{where}")
        width = max((len(each.name) for each in one.variables), default=0) + 1
        for each in one.variables:
            mark = "" if each.needed else "?"
            say.answer(f"    {(each.name + mark).ljust(width)}  {each.says}".rstrip())
    say.tell("a name with ? may be left out; those of missions (ask, scout, research, refresh) are sent by scoutkit")
    return 0


def _row(one: Template) -> dict[str, Any]:
    variables = [{"name": each.name, "needed": each.needed, "says": each.says} for each in one.variables]
    return {"name": one.name, "origin": one.origin, "path": str(one.path), "says": one.says, "variables": variables}


def _tell_unreachable(desk: Desk) -> None:
    """An agent elsewhere gets what a remote has."""
    from scoutkit import git

    if not git.git(desk.where, "remote").text.strip():
        return
    if not git.git(desk.where, "branch", "-r", "--contains", "HEAD").text.strip():
        say.tell("HEAD is on no branch of a remote: push it before you send this")
    if desk.repository.toplevel and git.git(desk.where, "status", "--porcelain", "--untracked-files=no").text.strip():
        say.tell("there are changes that are not committed: the agent will not see them")
