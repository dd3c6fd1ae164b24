"""Sending agents: ask."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

import click

from scoutkit.commands import say
from scoutkit.commands.alike import tell as tell_alike
from scoutkit.commands.sending import Sending, mission_options
from scoutkit.commands.session import open_desk
from scoutkit.desk import Desk
from scoutkit.errors import AgentFailed, Interrupted
from scoutkit.model.missions import Kind, Mission, Result
from scoutkit.model.notes import Note, Verdict

if TYPE_CHECKING:
    from scoutkit.model.agents import Agent


@click.command()
@click.argument("question", nargs=-1, required=True, metavar="QUESTION|-")
@mission_options(force="Send even where a note already answers the same question.")
@click.pass_context
def ask(ctx: click.Context, question: tuple[str, ...], *, how: Sending, as_json: bool) -> int:
    """How does this work? Send an agent to find out; its answer is kept as a note.

    The agent works in a disposable worktree of the base commit, so it never sees or touches your uncommitted files.
    QUESTION may be a traceback; - reads it from stdin.
    """
    from scoutkit.stories import asking

    text = worded(question)
    desk = open_desk(ctx)
    chosen = choose(desk, how)
    mission = asking.mission(desk, Kind.ASK, text, chosen, base=how.base, agent_cmd=how.agent_cmd)
    return deliver(desk, mission, chosen, how=how, as_json=as_json)


def worded(words: tuple[str, ...], noun: str = "question") -> str:
    """A question or a task from the command line's words, from stdin for `-`; a usage error for none."""
    text = (sys.stdin.buffer.read().decode("utf-8", "replace") if words == ("-",) else " ".join(words)).strip()
    if not text:
        raise click.UsageError(f"the {noun} is empty")
    return text


def choose(desk: Desk, how: Sending) -> Agent:
    """Who does the work: who was asked for, else who the settings or the person say. Whether it is here is not looked
    at: memory may answer in its place."""
    from scoutkit.agents import registry

    asked = how.agent or "command" * bool(how.agent_cmd.strip())
    name, hints = registry.choose(asked, desk.settings, interactive=_interactive(), ask=_pick)
    for hint in hints:
        say.tell(hint)
    return registry.load(name, desk.settings, agent_cmd=how.agent_cmd)


def deliver(desk: Desk, mission: Mission, chosen: Agent, *, how: Sending, as_json: bool) -> int:
    """The answer to a mission, which needs not be equipped: from a note that has it, else by sending the agent.

    AgentFailed and Interrupted when the note is a draft.
    """
    from scoutkit.stories import recall

    known = None if how.force else recall.remembered(desk, mission)
    if known:
        return _from_memory(known, mission, as_json=as_json)
    from scoutkit.agents import registry
    from scoutkit.commands.progress import Progress
    from scoutkit.dispatch import findings
    from scoutkit.stories import story

    registry.needed(chosen)
    mission = story.equipped(desk, mission, chosen, how.terms)
    for note in [] if how.force else recall.similar(desk, mission):
        say.tell(f"similar: {note.title}  (scoutkit show {note.id})")
    warn(desk, mission, quiet=how.quiet)
    began = time.monotonic()
    with Progress(chosen.name) as progress:
        answer = story.ask(desk, mission, chosen, tell=progress.tell, watch=progress.watch, run_hooks=how.run_hooks)
    outcome, run = answer.outcome, answer.run
    alike = tell_alike(desk, answer.note) if answer.note.status == "stable" else []
    if as_json:
        say.as_json(
            mission.kind,
            note=say.note_json(answer.note),
            run={**say.run_json(run), "exit": run.exit},
            report=outcome.report,
            **({} if (facts := findings.facts(desk.places.records(run.id))) is None else {"facts": facts}),
            **({"alike": alike} if alike else {}),
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
        if run.isolation != "none" and run.agent not in registry.REGISTRY:
            if not outcome.hint:
                hint += "; isolated, it had an empty home folder: --isolate none gives it yours"
            elif run.exit in (126, 127):  # of a shell that did not find or may not run a program
                hint += "; isolated, it sees its worktree and the folders on PATH: --isolate none shows it all"
        raise AgentFailed(f"agent {run.agent}: {outcome.reason or outcome.result}", hint)
    if outcome.unanswered:
        say.tell(f"no answer: {outcome.unanswered}; the note is a draft")
        return 1
    return 0


def _interactive() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


def _pick(names: list[str]) -> str:
    say.tell("Which agent should answer? Your choice is remembered.")
    for number, name in enumerate(names, 1):
        say.tell(f"  {number}  {name}")
    picked: int = click.prompt("agent", type=click.IntRange(1, len(names)), default=1, err=True)
    return names[picked - 1]


def _from_memory(note: Note, mission: Mission, *, as_json: bool) -> int:
    if as_json:
        say.as_json(mission.kind, note=say.note_json(note), run=None, report=note.body, from_memory=True)
    else:
        _print(note)
        say.tell(f"from memory: {note.path} ({note.at[:10]}) answers this and still holds; --force asks again")
    return 0


def warn(desk: Desk, mission: Mission, *, quiet: bool) -> None:
    """Say what a person would want to know before the agent starts. `quiet`: no isolation is what they asked for."""
    if mission.isolation == "none" and mission.agent != "builtin" and not quiet:
        say.tell(
            f"agent {mission.agent} runs WITHOUT ISOLATION, with your rights: install bubblewrap, or say --isolate none"
        )
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

    from scoutkit.commands import charts

    Console(width=min(Console().width, 110)).print(Markdown(say.visible(charts.readable(note.body))))
