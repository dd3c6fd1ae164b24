"""What agents did: runs, run show, run logs, run stop. `run retry` and `run undo` are in modules of their own."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from scoutkit.commands import say
from scoutkit.commands.retry import retry
from scoutkit.commands.session import LIMIT, json_option, open_desk
from scoutkit.commands.undo import undo
from scoutkit.errors import NotFound
from scoutkit.model.agents import Event, EventKind
from scoutkit.model.missions import Run, State

if TYPE_CHECKING:
    from scoutkit.desk import Desk

LOOK = 0.2  # seconds between looks at a run that is followed
WIDE = 100  # columns of a terminal that has room for all of the table
NARROW = 80  # and of one that has room for what runs cost, too


@click.command()
@click.option("--limit", type=LIMIT, default=20, show_default=True, help="At most so many.")
@json_option
@click.pass_context
def runs(ctx: click.Context, *, limit: int, as_json: bool) -> None:
    """List runs, newest first: what each took and cost, and how many of its note's citations are supported."""
    desk = open_desk(ctx, sync=False)
    found = desk.journal.runs(limit=limit)
    if as_json:
        say.as_json("runs", runs=[say.run_json(run) for run in found])
    elif found:
        _table(found, desk.catalogue.cited([run.note_id for run in found if run.note_id]))
    else:
        say.tell("no runs yet: scoutkit ask QUESTION")


def _table(found: list[Run], cited: Mapping[str, tuple[int, int]]) -> None:
    """One line a run. A narrow terminal is not told the isolation, nor the day of today's runs; a very
    narrow one not what they cost and yielded either."""
    import shutil

    columns = shutil.get_terminal_size().columns
    wide = columns >= WIDE or not sys.stdout.isatty()
    header = ("ID", "STARTED", "AGENT", *(["ISOLATION"] * wide), "RESULT", "TIME", "COST", "CITED", "NOTE", "QUESTION")
    lines = [header, *(_row(run, cited, wide=wide) for run in found)]
    if columns < NARROW and not wide:
        lines = [(*line[:-4], *line[-2:]) for line in lines]
    say.table(lines[0], lines[1:])


@click.group()
def run() -> None:
    """Look at one run, stop it, send it again, or undo what it changed."""


run.add_command(retry)
run.add_command(undo)


@run.command("show")
@click.argument("id_", metavar="ID")
@json_option
@click.pass_context
def show(ctx: click.Context, id_: str, *, as_json: bool) -> None:
    """What one run was and how it went. ID is the run's, or that of the note it made; the start of one is enough."""
    from scoutkit.dispatch import copies, findings
    from scoutkit.stories import reminding

    desk = open_desk(ctx, sync=False)
    found = desk.journal.get(id_)
    told = reminding.told(desk, found)
    if as_json:
        facts = findings.facts(desk.places.records(found.id))
        say.as_json(
            "run",
            run={
                **say.run_json(found),
                "exit": found.exit,
                "base": found.base,
                "reason": found.reason,
                "recalled": list(told),
            },
            **({} if facts is None else {"facts": facts}),
        )
        return
    known = copies.changed(desk.places.records(found.id))
    changed = say.count(len(known[0]), "thing") if known and known[0] else ""
    facts = {
        "run": found.id,
        found.kind: found.text,
        "agent": " ".join(part for part in (found.agent, found.version, found.model) if part),
        "base": found.base,
        "state": f"{found.state}, {found.result}" if found.result else found.state,
        "reason": found.reason,
        "exit": "" if found.exit is None else str(found.exit),
        "started": found.started,
        "time": _time(found),
        "isolation": found.isolation,
        "held by": found.bounded,
        "tokens": _tokens(found),
        "cost": "" if found.usage.cost_usd is None else f"${found.usage.cost_usd:.4f}",
        "note": f"{found.note_path or '(not written yet)'}  {found.note_id}" if found.note_id else "",
        "told of": ", ".join(told),
        "changed": f"{changed} in your repository meanwhile: scoutkit run undo {found.id} --dry-run" if changed else "",
    }
    for name, value in facts.items():
        if value:
            say.answer(f"{name + ':':<11}{' '.join(value.split())}")


@run.command("logs")
@click.argument("id_", metavar="ID")
@click.option("--raw", is_flag=True, help="The agent's output as it came, then its errors.")
@click.option("--events", is_flag=True, help="What scoutkit understood of it, as JSON lines.")
@click.option("-f", "--follow", is_flag=True, help="Go on until the run ends, one line for each thing that it does.")
@click.pass_context
def logs(ctx: click.Context, id_: str, *, raw: bool, events: bool, follow: bool) -> None:
    """What the agent did and said, then its errors; ID as for `run show`. Secrets are blotted out."""
    from scoutkit.dispatch import recorded

    desk = open_desk(ctx, sync=False)
    found = desk.journal.get(id_)
    folder = desk.places.records(found.id)
    if follow and (raw or events):
        raise click.UsageError("--follow tells what happens in its own way: leave out --raw and --events")
    if follow:
        _follow(desk, found)
        return
    names = ("events.jsonl",) if events else ("transcript.txt", "stderr.txt") if raw else ("stderr.txt",)
    texts = [path.read_bytes() for name in names if (path := folder / name).exists()]
    told = [] if raw or events else [line for event in recorded.events(folder) if (line := _told(event)) is not None]
    if not any(texts) and not told:
        raise NotFound(f"run {found.id} left no logs", f"scoutkit run show {found.id}")
    for line in told:
        say.answer(line)
    sys.stdout.flush()
    for text in texts:
        sys.stdout.buffer.write(text if text.endswith(b"\n") or not text else text + b"\n")
    sys.stdout.buffer.flush()


def _follow(desk: Desk, run: Run) -> None:
    """Line by line until its command is done with it, or is gone."""
    from scoutkit import process
    from scoutkit.dispatch import recorded

    def going_on() -> bool:
        now = desk.journal.get(run.id)
        return now.state in {State.CREATED, State.RUNNING} and process.alive(now.owner)

    for event in recorded.follow(desk.places.records(run.id), going_on):
        if event is None:
            sys.stdout.flush()
            time.sleep(LOOK)
        elif (line := _told(event)) is not None:
            say.answer(" ".join(line.split()))
    while (now := desk.journal.get(run.id)).state is not State.REMOVED and process.alive(now.owner):
        time.sleep(LOOK)
    if now.state is State.REMOVED:
        said = f"{now.result}" + (f": {now.reason}" if now.reason else "")
        say.tell(f"run {now.id} ended, {said}" + (f"  scoutkit show {now.note_id}" if now.note_id else ""))
    else:
        say.tell(f"run {now.id}: its command was killed; the next scoutkit command finishes it")


def _told(event: Event) -> str | None:
    """One event for a person; None for what only programs want to know."""
    if event.kind in {EventKind.TEXT, EventKind.REPORT}:
        return event.text
    if event.kind in {EventKind.STATUS, EventKind.TOOL_CALL, EventKind.RETRY, EventKind.ERROR}:
        return f"({event.kind.replace('_', ' ')}: {event.text})"
    if event.kind is EventKind.TOOL_RESULT and event.data.get("ok") is False:
        from scoutkit.harvest.telling import telling

        return f"(it failed: {next(iter(telling(event.text)), 'without a word')})"
    return None


@run.command("stop")
@click.argument("id_", metavar="ID")
@click.pass_context
def stop(ctx: click.Context, id_: str) -> None:
    """Stop a run that is going on; what it found so far becomes a draft note."""
    from scoutkit.dispatch import recovery

    desk = open_desk(ctx, sync=False)
    found = desk.journal.get(id_)
    if found.state is State.REMOVED:
        say.tell(f"run {found.id} has ended: {found.result}")
        return
    ended = recovery.stop(found, desk.journal, desk.places.records(found.id))
    say.tell(f"stopped: {ended.id}" + (f"  what it found so far: scoutkit show {ended.note_id}" * bool(ended.note_id)))


def _row(run: Run, cited: Mapping[str, tuple[int, int]], *, wide: bool) -> tuple[str, ...]:
    started = datetime.fromisoformat(run.started).astimezone()
    today = started.date() == datetime.now().astimezone().date()
    narrow = "%H:%M" if today else "%m-%d"
    question = " ".join(run.text.split())
    question = question if len(question) <= 120 else f"{question[:119]}…"
    supported, of = cited.get(run.note_id, (0, 0))
    cost = run.usage.cost_usd
    return (
        run.id,
        started.strftime("%Y-%m-%d %H:%M" if wide else narrow),
        run.agent if wide or len(run.agent) <= 8 else f"{run.agent[:7]}…",
        *([run.isolation] * wide),
        run.result or run.state,
        _time(run),
        "-" if cost is None else f"${cost:.2f}" if cost >= 0.005 or not cost else f"${cost:.4f}",
        f"{supported}/{of}" if run.note_id in cited else "-",
        run.note_id or "-",
        question,
    )


def _time(run: Run) -> str:
    seconds = run.seconds
    if seconds is None:
        if run.state is State.REMOVED:
            return "-"
        seconds = (datetime.now(UTC) - datetime.fromisoformat(run.started)).total_seconds()
    return f"{seconds:.1f} s" if seconds < 60 else f"{seconds / 60:.1f} min"


def _tokens(run: Run) -> str:
    usage = say.usage_json(run)
    return f"{usage['input_tokens'] or 0} in, {usage['output_tokens'] or 0} out" if usage else ""
