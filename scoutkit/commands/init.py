"""init: what scoutkit would put into this repository and takes from it; does what it is told to, and takes it back."""

from __future__ import annotations

import importlib.util
import shlex
import shutil
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from scoutkit import config
from scoutkit.commands import say
from scoutkit.commands.session import json_option, open_desk
from scoutkit.errors import NotFound

if TYPE_CHECKING:
    from scoutkit.desk import Desk
    from scoutkit.stories.installing import Change

_PARTS = {
    "claude": "Claude Code: a skill, a hook before edits, the MCP server.",
    "agents_md": "A block in AGENTS.md, and in CLAUDE.md where that does not import it.",
    "codex": "Codex: the MCP server.",
    "gemini": "Gemini CLI: the MCP server.",
    "pre_commit": "A check before each commit: for the pre-commit program, else as a git hook.",
    "github": "A workflow that checks the notes on pull requests.",
    "gitignore": "Lines in .gitignore, where git ignores the notes.",
}

_SERVED = frozenset({".mcp.json", ".codex/config.toml", ".gemini/settings.json"})  # files that start `scoutkit mcp`


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _parts(command: Callable[..., int]) -> Callable[..., int]:
    for name, what in reversed(_PARTS.items()):
        command = click.option(_flag(name), name, is_flag=True, help=what)(command)
    return command


@click.command()
@_parts
@click.option("--yes", is_flag=True, help="Make the notes folder, without anything else.")
@click.option("--trust", is_flag=True, help="Let the repository's set-up commands run, as they are now.")
@click.option("--undo", is_flag=True, help="Take back what init wrote: all of it, or that of the flags given.")
@click.option("--dry-run", is_flag=True, help="Show what would be written, as a diff, and write nothing.")
@json_option
@click.pass_context
def init(
    ctx: click.Context, /, *, yes: bool, trust: bool, undo: bool, dry_run: bool, as_json: bool, **parts: bool
) -> int:
    """Put scoutkit into this repository's files: what the flags name, and the notes folder.

    Without a flag it says what each would do, and writes nothing. No other command needs it. Nothing is committed. Run
    again, it brings what it wrote up to date; what somebody edited since is left alone.
    """
    from scoutkit.stories import installing
    from scoutkit.stories import trust as trusting

    desk = open_desk(ctx)
    flags = [name for name in installing.FLAGS if parts[name]]
    told = bool(flags or yes)
    if undo:
        changes = installing.undo(desk, flags, dry_run=dry_run)
        if not flags and trusting.standing(desk) in ("trusted", "changed") and not dry_run:
            trusting.revoke(desk)
            say.tell("the repository's set-up commands are not trusted any more")
    else:
        if trust and not dry_run:
            trusting.grant(desk)
        changes = installing.fit(desk, flags, dry_run=dry_run or not told)
    if as_json:
        _as_json(desk, changes, dry_run=dry_run or not (told or undo))
    elif undo or flags or (yes and not dry_run):
        _show(changes, dry_run=dry_run)
    else:
        _survey(desk, changes)
    if not undo:
        _advise(desk, changes, flags)
    return NotFound.exit_code if any(change.action == "left" for change in changes) else 0


def _show(changes: Sequence[Change], *, dry_run: bool) -> None:
    """What was done, or would be, one file a line; the diff where nothing was."""
    for change in changes:
        action = f"would be {change.action}" if dry_run and change.action not in ("there", "left") else change.action
        say.answer(f"{change.path}: {action}{change.why and f', {change.why}'}")
    if not changes:
        say.answer("nothing of scoutkit's is here")
    if dry_run:
        for change in changes:
            if change.diff:
                say.answer(change.diff.rstrip("\n"))


def _survey(desk: Desk, changes: Sequence[Change]) -> None:
    """What there is, and what each flag would do."""
    from scoutkit.stories import installing
    from scoutkit.stories import trust as trusting

    notes = next(change for change in changes if change.part == "notes")
    say.answer(f"notes: {desk.places.notes} ({'there already' if notes.action == 'there' else 'would be made'})")
    included = ((desk.repository.main or desk.where) / ".worktreeinclude").is_file()
    say.answer(f"ignored files for agents that change things: {'.worktreeinclude' if included else 'none'}")
    say.answer(f"set-up commands: {_SETUP[trusting.standing(desk)]}")
    for command in desk.settings.setup:
        say.answer(f"  {command}")
    run = "run" if trusting.hooks(desk) else "not run"
    say.answer(f"the repository's own hooks and servers for agents that are sent: {run}")
    if desk.repository.toplevel:
        say.answer("what each flag would write:")
        rows = [(_flag(change.part), change.path, _would(change)) for change in installing.plan(desk)]
        say.table(("flag", "file", ""), rows)
        say.tell("nothing was written: give flags, with --dry-run for the diff alone, or --yes for the notes folder")


def _would(change: Change) -> str:
    action = {"made": "", "added": "", "updated": "is of another version", "left": "", "there": "is there"}[
        change.action
    ]
    return ", ".join(part for part in (action, change.why) if part)


def _advise(desk: Desk, changes: Sequence[Change], flags: Sequence[str]) -> None:
    """What the user has to know, or to do themselves."""
    from scoutkit.stories import installing
    from scoutkit.stories import trust as trusting

    files = [change for change in changes if change.part != "notes"]
    written = [change.path for change in files if change.action in ("made", "added", "updated")]
    if trusting.standing(desk) in ("untrusted", "changed"):
        say.tell("read the set-up commands, then: scoutkit init --trust")
    if ignored := desk.notes_ignored():
        say.tell(f"git ignores {desk.settings.notes} ({ignored}): notes kept there are not committed")
        if "gitignore" not in flags:
            say.tell("lines that mend it: scoutkit init --gitignore --dry-run")
    if not flags and not desk.settings.setup:
        say.tell(f"set-up commands go into {config.user_config() / 'config.toml'}:")
        say.tell(f'  [repositories."{desk.where}"]')
        say.tell('  setup = ["…"]')
    if hidden := installing.ignored(desk, written):
        say.tell(f"git ignores {', '.join(hidden)}: not committed, so others do not get that")
    for path, advice in _ADVICE.items():
        if path in written:
            say.tell(advice)
    if flags and not shutil.which("scoutkit"):
        say.tell("scoutkit is not on your PATH: the programs that were told of it will not find it")
    if not _SERVED.isdisjoint(written) and not importlib.util.find_spec("mcp_types"):
        say.tell(f'the MCP server needs more: {shlex.quote(sys.executable)} -m pip install "scoutkit[mcp]"')


def _as_json(desk: Desk, changes: Sequence[Change], *, dry_run: bool) -> None:
    from scoutkit.stories import trust as trusting

    notes = next((change for change in changes if change.part == "notes"), None)
    rows: list[dict[str, Any]] = [
        {
            "part": change.part,
            "path": change.path,
            "action": change.action,
            "why": change.why or None,
            "diff": change.diff,
        }
        for change in changes
    ]
    say.as_json(
        "init",
        notes=str(desk.places.notes),
        made=notes is not None and notes.action == "made" and not dry_run,
        dry_run=dry_run,
        changes=rows,
        setup=list(desk.settings.setup),
        trust=trusting.standing(desk),
        hooks=trusting.hooks(desk),
        included=((desk.repository.main or desk.where) / ".worktreeinclude").is_file(),
    )


_ADVICE = {
    ".mcp.json": "Claude Code asks once whether this project's server and hook may run",
    ".codex/config.toml": "Codex reads .codex/config.toml in folders that it trusts: it asks when it is started there",
    ".gemini/settings.json": "Gemini CLI reads .gemini/settings.json in folders that it trusts",
    ".github/workflows/scoutkit.yml": "set the repository variable SCOUTKIT on GitHub to what pip is to install",
}
_SETUP = {
    "none": "none",
    "yours": "yours",
    "trusted": f"from {config.SETTINGS}, trusted as they are",
    "changed": f"from {config.SETTINGS}, NOT RUN: they changed since they were trusted",
    "untrusted": f"from {config.SETTINGS}, NOT RUN: nobody here trusted them yet",
}
