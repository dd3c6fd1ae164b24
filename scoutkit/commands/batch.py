"""Many missions at once: batch."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from scoutkit.commands import alike, outcomes, say
from scoutkit.commands.board import Board
from scoutkit.commands.missions import warn
from scoutkit.commands.sending import Sending, mission_options
from scoutkit.commands.session import open_desk
from scoutkit.errors import AgentFailed, Interrupted, NotFound, ScoutError, UsageError
from scoutkit.model.batches import Stand, Task

if TYPE_CHECKING:
    from scoutkit.batches.ledger import Ledger
    from scoutkit.desk import Desk
    from scoutkit.stories.batch import Batch

_AGAIN = ("resume", "as_json", "jobs", "force", "list_")  # what may be said beside --resume
_NEWEST = "-"


@click.command()
@click.argument("file", required=False, metavar="FILE|-")
@click.option("--jobs", type=click.IntRange(1, 64), metavar="N", help="So many at a time.  [default: 3]")
@click.option("--agents", default="", metavar="A,B", help="Ask each of these, and compare what they found.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["lines", "jsonl", "yaml"]),
    default=None,
    help="How FILE is written.  [default: by its ending, else by how it begins]",
)
@click.option(
    "--resume",
    is_flag=False,
    flag_value=_NEWEST,
    default=None,
    metavar="[ID]",
    help="Go on with a batch: of what was not finished, and once more with what failed.",
)
@click.option("--list", "list_", is_flag=True, help="List the batches of this repository.")
@mission_options(force="Send even where a note already answers; with --resume, whatever failed, however often.")
@click.pass_context
def batch(
    ctx: click.Context,
    file: str | None,
    *,
    jobs: int | None,
    agents: str,
    form: str | None,
    resume: str | None,
    list_: bool,
    how: Sending,
    as_json: bool,
) -> int:
    """Send many missions: one question a line, JSON lines or YAML; several at a time, each a run as any other.

    What was begun is on disk: after a kill, --resume does what was not finished, and nothing twice.
    """
    from scoutkit.batches import ledger as kept
    from scoutkit.desk import Desk
    from scoutkit.stories import batch as sending

    if (file is not None) + (resume is not None) + list_ != 1:
        raise click.UsageError("give one of FILE (- for standard input), --resume and --list")
    desk = open_desk(ctx)
    batches = sending.folder_of(desk)
    if list_:
        return _list(kept.ledgers(batches), as_json=as_json)
    if resume is not None:
        _only(ctx)
        book = _newest(kept.ledgers(batches)) if resume == _NEWEST else kept.find(batches, resume)
        if book.plan.here:  # its notes are kept in the worktree that it was begun in
            desk = Desk.open(Path(book.plan.folder), here=True)
    else:
        assert file is not None
        book = _new(ctx, desk, file, form or "", agents, jobs or 3, how)
    with book.held() as mine:
        if not mine:
            raise ScoutError(f"batch {book.plan.id} is going on already", "wait for it, or interrupt it there")
        return _see_to(
            desk, book, jobs or book.plan.jobs, force=how.force and resume is not None, quiet=how.quiet, as_json=as_json
        )


def _only(ctx: click.Context) -> None:
    """Missions go on as they were: what else is said of them is a mistake."""
    for param in ctx.command.params:
        name = param.name or ""
        if name not in _AGAIN and ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"--resume goes on with the missions as they were: leave out {param.opts[0]}")


def _newest(found: list[Ledger]) -> Ledger:
    from scoutkit.batches import standing

    for book in found:
        book.refresh()
        if standing.left(book):
            return book
    raise NotFound("no batch has anything left to do", "list them: scoutkit batch --list")


def _new(ctx: click.Context, desk: Desk, file: str, form: str, agents: str, jobs: int, how: Sending) -> Ledger:
    """A batch that is on disk. BadLines where a line cannot be sent, after all of them are told."""
    from scoutkit.agents import registry
    from scoutkit.batches import listing
    from scoutkit.batches.ledger import Ledger
    from scoutkit.stories import batch as sending
    from scoutkit.stories import enlisting

    several = tuple(dict.fromkeys(one.strip() for one in agents.split(",") if one.strip()))
    if several and (how.agent or how.agent_cmd.strip()):
        raise click.UsageError("--agents excludes --agent and --agent-cmd")
    source, raw = _content(file)
    try:
        listed = listing.read(raw, source, form)
        asked = how.agent or "command" * bool(how.agent_cmd.strip())
        if not several:
            name, hints = registry.choose(asked, desk.settings, interactive=False)
            several = (name,)
            if not all(one.agents for one in listed.missions):
                for hint in hints:
                    say.tell(hint)
        chosen = enlisting.Chosen(several, how.agent_cmd, how.base, how.terms, how.force, how.run_hooks, jobs)
        plan, told = enlisting.plan(
            desk, listed, chosen, source=source, tell=say.tell, here=ctx.find_root().obj["here"]
        )
    except listing.BadLines as error:
        for line in error.problems:
            say.tell(line)
        raise
    for line in told:
        say.tell(line)
    desk.notebook.check_ready()
    return Ledger.create(sending.folder_of(desk), plan)


def _content(file: str) -> tuple[str, bytes]:
    """What the missions are called in messages, and what stands there."""
    if file == "-":
        return "standard input", sys.stdin.buffer.read()
    try:
        return file, Path(file).read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror}", "name a file of missions, or - for stdin") from error


def _see_to(desk: Desk, book: Ledger, jobs: int, *, force: bool, quiet: bool, as_json: bool) -> int:
    """Send what is to be sent, then say what became of all. An exit code; raised where not all is well."""
    from scoutkit import notifying
    from scoutkit.batches import standing
    from scoutkit.stories import batch as sending

    plan, began = book.plan, time.monotonic()
    with Board(desk, plan.tasks) as board:
        work = sending.Batch(desk, book, tell=board.tell, changed=board.changed, force=force)
        board.batch = work
        left = standing.left(book, force=force)
        board.tell(f"batch {plan.id}: {say.count(len(left), 'mission')} to send, {jobs} at a time")
        warned: set[str] = set()
        for task in plan.tasks:
            if work.stand(task) is Stand.WAITING and task.asked not in warned:
                warned.add(task.asked)
                warn(desk, task.mission, quiet=quiet)
        work.run(jobs, board.tick)
    desk.sync()
    desk.follow()
    near = _alike(desk, work, left)
    stands = {task.key: work.stand(task) for task in plan.tasks}
    if as_json:
        say.as_json("batch", **outcomes.data(desk, work), alike=near)
    else:
        outcomes.table(work)
    counts = Counter(stands.values())
    said = ", ".join(f"{counts[one]} {one}" for one in Stand if counts[one])
    summary = f"batch {plan.id}: {said}  {time.monotonic() - began:.1f} s"
    say.tell(summary)
    if trouble := notifying.notify(desk.settings.notify, f"scoutkit: {said}", outcomes.summary(work, summary)):
        say.tell(trouble)
    answered = sum(one.answered for one in stands.values())
    if work.interrupted:
        raise Interrupted(
            f"{work.interrupted}: {answered} of {say.count(len(stands), 'mission')} answered",
            f"go on with it: scoutkit batch --resume {plan.id}",
        )
    if answered < len(stands):
        again = "sends once more what failed" if standing.left(book) else "--force tries again"
        raise AgentFailed(
            f"{len(stands) - answered} of {say.count(len(stands), 'mission')} not answered",
            f"scoutkit batch --resume {plan.id} {again}; the other notes are kept",
        )
    return 0


def _alike(desk: Desk, work: Batch, sent: Sequence[Task]) -> list[dict[str, Any]]:
    """The notes that those written here are much like; several answers to one question are meant to be."""
    rows = []
    for task in sent:
        if work.stand(task) is not Stand.DONE or not (path := work.path_of(task)):
            continue
        note = replace(desk.notebook.read(path).note, id=work.note_of(task), path=path)
        others = {work.path_of(one) for one in work.plan.tasks if one.number == task.number}
        rows += alike.tell(desk, note, str(task.number), without=others)
    return rows


def _list(found: list[Ledger], *, as_json: bool) -> int:
    from scoutkit.batches import standing

    rows = []
    for book in found:
        book.refresh()
        with book.held() as idle:
            counts = Counter(standing.stand(book, task) for task in book.plan.tasks)
            left = len(standing.left(book))
        answered = counts[Stand.DONE] + counts[Stand.REMEMBERED]
        state = "running" if not idle else "unfinished" if left else "failed" if counts[Stand.FAILED] else "done"
        rows.append((book.plan, state, answered, counts[Stand.FAILED], len(book.plan.tasks)))
    if as_json:
        say.as_json(
            "batch",
            batches=[
                {
                    "id": plan.id,
                    "started": plan.started,
                    "source": plan.source,
                    "state": state,
                    "missions": missions,
                    "answered": answered,
                    "failed": failed,
                }
                for plan, state, answered, failed, missions in rows
            ],
        )
    elif rows:
        say.table(
            ("ID", "STARTED", "STATE", "ANSWERED", "FAILED", "OF", "SOURCE"),
            [
                (plan.id, plan.started[:16].replace("T", " "), state, str(answered), str(failed), str(of), plan.source)
                for plan, state, answered, failed, of in rows
            ],
        )
    else:
        say.tell("no batches yet: scoutkit batch FILE")
    return 0
