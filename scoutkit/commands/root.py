"""The root command and the table of all commands: a name, where it is, whether `scoutkit` alone shows it."""

from __future__ import annotations

from pathlib import Path

import click

from scoutkit import __version__

COMMANDS = {  # name: (where it is, how it is called, what it does): `--help` imports nothing else
    "ask": ("missions:ask", "QUESTION", "how does this work? Send an agent; its answer becomes a note"),
    "scout": ("scouting:scout", "TASK", "try a change to learn where it gets hard; the code is thrown away"),
    "search": ("find:search", "QUERY", "find notes by any text"),
    "show": ("find:show", "NOTE", "read a note: an id, a path or a title"),
    "about": ("about:about", "PATH[:LINES]", "what is known about a file, lines, or a change"),
    "check": ("keep:check", "[NOTE...]", "which notes still hold"),
    "pack": ("pack:pack", "TASK", "notes for the next prompt, within a budget of tokens"),
    "browse": ("browse:browse", "", "look through notes, citations and runs in a browser"),
    "prompt": ("prompt:prompt", "[TEMPLATE]", "a whole prompt for another agent, from a template and notes"),
    "list": ("find:list_notes", "", "all notes, newest first"),
    "related": ("find:related", "NOTE", "notes on the same subject"),
    "new": ("write:new", "[TITLE]", "write a note by hand"),
    "edit": ("write:edit", "NOTE", "open a note in $EDITOR"),
    "tag": ("write:tag", "NOTE [TAGS]", "add or remove tags"),
    "rm": ("write:remove", "NOTE...", "move notes to scoutkit's trash"),
    "confirm": ("keep:confirm", "NOTE...", "say that you have read a note and found it right"),
    "refresh": ("refresh:refresh", "[NOTE...]", "ask again for notes that no longer hold"),
    "research": (
        "researching:research",
        "QUESTION --repo SRC",
        "prove it on other people's repositories; code that shows it stays in the note",
    ),
    "import": ("importing:import_files", "FILE...", "make notes of Markdown files, citations checked"),
    "where": ("where:where", "QUESTION", "ranked places that may answer, path:start-end a line, at once"),
    "outline": ("outline:outline", "PATH", "what is defined in a file or a folder"),
    "locate": ("locate:locate", "[PATH:LINES]", "where lines of an old commit are now"),
    "batch": ("batch:batch", "FILE|-", "many missions at once; --resume goes on after a kill"),
    "runs": ("runs:runs", "", "what agents did, newest first"),
    "run": ("runs:run", "show|logs|stop|retry|undo ID", "look at one run, stop it, send it again, undo what it did"),
    "mcp": ("mcp:mcp", "", "serve the notes to an agent program (Model Context Protocol)"),
    "agents": ("agents:agents", "[show|test NAME]", "who can do the work here"),
    "init": ("init:init", "", "put scoutkit into agents' settings, AGENTS.md, hooks and CI; --undo takes it out"),
    "index": ("upkeep:index", "", "bring the indexes in step; list every problem in the notes"),
    "clean": ("upkeep:clean", "", "remove what dead runs left"),
    "doctor": ("upkeep:doctor", "", "check that all scoutkit needs is there"),
    "completion": ("upkeep:completion", "SHELL", "print a completion script for bash, zsh or fish"),
}
FIRST = ("ask", "scout", "search", "show", "about", "check", "pack", "browse")


class Table(click.Group):
    """Imports a command's module only when it is asked for, and lists the few commands that matter first."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every command, in the table's order."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """A command by its name, or None."""
        if cmd_name not in COMMANDS:
            return None
        import importlib

        module, attribute = COMMANDS[cmd_name][0].split(":")
        command: click.Command = getattr(importlib.import_module(f"scoutkit.commands.{module}"), attribute)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, with the nearest name for one that does not exist."""
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            import difflib

            near = difflib.get_close_matches(name, COMMANDS, 1)
            ctx.fail(f"no such command: {name}" + (f" (did you mean {near[0]}?)" if near else ""))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The first commands with a line each, the rest by name."""
        rows = [(f"{name} {COMMANDS[name][1]}", COMMANDS[name][2]) for name in FIRST]
        with formatter.section("Commands"):
            formatter.write_dl(rows)
        with formatter.section("More"):
            formatter.write_text(", ".join(name for name in COMMANDS if name not in FIRST))


@click.group(
    cls=Table,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="scoutkit COMMAND --help tells more. Exit codes: 0 done, 1 negative, 2 usage, 3 repository, 4 agent, "
    "5 not available, 6 refused, 130 interrupted.",
)
@click.version_option(__version__, "--version", prog_name="scoutkit", message="%(prog)s %(version)s")
@click.option("-C", "folder", type=click.Path(path_type=Path), help="Run as if started in this folder.")
@click.option("--here", is_flag=True, help="Keep notes in the current worktree instead of the main one.")
@click.pass_context
def cli(ctx: click.Context, folder: Path | None, *, here: bool) -> None:
    """Ask how code works; keep the answers as notes whose file:line citations are checked."""
    ctx.obj = {"folder": folder or Path(), "here": here}
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
