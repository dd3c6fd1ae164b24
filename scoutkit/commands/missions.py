"""Sending agents: ask."""

from __future__ import annotations

import functools
import re
import sys
import time
from collections.abc import Callable
from typing import Any

import click

from scoutkit.commands import say
from scoutkit.commands.progress import Progress
from scoutkit.commands.session import complete_agents, json_option, open_desk
from scoutkit.desk import Desk
from scoutkit.errors import AgentFailed, Interrupted
from scoutkit.model.missions import Kind, Limits, Result
from scoutkit.model.notes import Note, Verdict

Command = Callable[..., Any]


class Duration(click.ParamType[float]):
    """Seconds, or `90s`, `10m`, `1h`."""

    name = "time"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """In seconds."""
        match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([smh]?)", str(value).strip().lower())
        if not match or float(match[1]) <= 0:
            self.fail(f"{value!r} is not a time: write 90s, 10m or 1h", param, ctx)
        return float(match[1]) * {"": 1, "s": 1, "m": 60, "h": 3600}[match[2]]


def mission_options(force: str) -> Callable[[Command], Command]:
    """What every command that sends agents takes. `force`: what that does."""
    options = (
        click.option("--agent", default="", shell_complete=complete_agents, help="Who does the work: scoutkit agents."),
        click.option(
            "--agent-cmd", default="", metavar="CMD", help="A command as agent: prompt on stdin, report on stdout."
        ),
        click.option("--base", default="HEAD", metavar="REV", show_default=True, help="The commit the agent sees."),
        click.option(
            "--timeout", type=Duration(), default="15m", show_default=True, help="Stop the agent after this time."
        ),
        click.option("--force", is_flag=True, help=force),
        click.option(
            "--isolate",
            type=click.Choice(["auto", "none"]),
            default="auto",
            show_default=True,
            help="How to contain the agent.",
        ),
        click.option("--run-hooks", is_flag=True, help="Run the repository's git hooks in the worktree."),
        json_option,
    )
    return lambda command: functools.reduce(lambda inner, option: option(inner), reversed(options), command)


@click.command()
@click.argument("question", nargs=-1, required=True)
@mission_options(force="Send even where a note already answers the same question.")
@click.pass_context
def ask(
    ctx: click.Context,
    question: tuple[str, ...],
    *,
    agent: str,
    agent_cmd: str,
    base: str,
    timeout: float,
    force: bool,
    isolate: str,
    run_hooks: bool,
    as_json: bool,
) -> int:
    """How does this work? Send an agent to find out; its answer is kept as a note.

    The agent works in a disposable worktree of the base commit, so it never sees or touches your uncommitted files.
    """
    from scoutkit import recall, story
    from scoutkit.agents import registry

    text = " ".join(question).strip()
    if not text:
        raise click.UsageError("the question is empty")
    desk = open_desk(ctx)
    asked = agent or "command" * bool(agent_cmd.strip())
    name, hints = registry.choose(asked, desk.settings, interactive=_interactive(), ask=_pick)
    for hint in hints:
        say.tell(hint)
    chosen = registry.find(name, desk.settings, agent_cmd=agent_cmd)
    mission = story.plan(desk, Kind.ASK, text, chosen, base=base, limits=Limits(timeout=timeout), agent_cmd=agent_cmd)
    known = None if force else recall.remembered(desk, mission)
    if known:
        return _from_memory(known, as_json=as_json)
    for note in [] if force else recall.similar(desk, mission):
        say.tell(f"similar: {note.title}  (scoutkit show {note.id})")
    warn(desk, alone=chosen.name == "builtin" or isolate == "none", agent=chosen.name)
    began = time.monotonic()
    with Progress(chosen.name) as progress:
        answer = story.ask(desk, mission, chosen, tell=progress.tell, watch=progress.watch, run_hooks=run_hooks)
    outcome, run = answer.outcome, answer.run
    if as_json:
        say.as_json(
            "ask",
            note=say.note_json(answer.note),
            run={**say.run_json(run), "exit": run.exit},
            report=outcome.report,
        )
    else:
        _print(answer.note)
    desk.follow()
    say.tell(f"{_summary(answer.note)}  {time.monotonic() - began:.1f} s")
    say.tell(f"note: {answer.note.id}  {answer.note.path}")
    so_far = f"what it found so far: scoutkit show {answer.note.id}" if outcome.report.strip() else ""
    if outcome.result is Result.INTERRUPTED:
        raise Interrupted("interrupted", so_far or "it had found nothing yet: ask again")
    if outcome.result is not Result.DONE:
        hint = outcome.hint or so_far or f"how it went: scoutkit run show {run.id}"
        raise AgentFailed(f"agent {run.agent}: {outcome.reason or outcome.result}", hint)
    return 0


def _interactive() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


def _pick(names: list[str]) -> str:
    say.tell("Which agent should answer? Your choice is remembered.")
    for number, name in enumerate(names, 1):
        say.tell(f"  {number}  {name}")
    picked: int = click.prompt("agent", type=click.IntRange(1, len(names)), default=1, err=True)
    return names[picked - 1]


def _from_memory(note: Note, *, as_json: bool) -> int:
    if as_json:
        say.as_json("ask", note=say.note_json(note), run=None, report=note.body, from_memory=True)
    else:
        _print(note)
        say.tell(f"from memory: {note.path} ({note.at[:10]}) answers this and still holds; --force asks again")
    return 0


def warn(desk: Desk, *, agent: str, alone: bool) -> None:
    """Say what a person would want to know before the agent starts. `alone`: no word on isolation is needed."""
    if not alone:
        say.tell(f"agent {agent} runs without isolation, with your rights (--isolate none leaves this line out)")
    if ignored := desk.notes_ignored():
        say.tell(f"git ignores {desk.settings.notes} ({ignored}): notes kept there are not committed")
    if desk.repository.main is None:
        say.tell(f"this repository has no main worktree: notes are kept in {desk.places.notes}")


def _summary(note: Note) -> str:
    counts = {verdict: sum(one.verdict is verdict for one in note.citations) for verdict in Verdict}
    said = ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count)
    return f"citations: {said}" if said else "no citations"


def _print(note: Note) -> None:
    if not say.colourful():
        say.answer(note.body.rstrip("\n"))
        return
    from rich.console import Console
    from rich.markdown import Markdown

    Console(width=min(Console().width, 110)).print(Markdown(note.body))
