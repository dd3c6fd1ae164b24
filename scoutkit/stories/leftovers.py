"""What dead runs left: findings that become notes, folders that nobody owns."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from scoutkit.desk import Desk
from scoutkit.errors import Refused, ScoutError
from scoutkit.model.agents import Narrator
from scoutkit.model.missions import Result, Run, State
from scoutkit.stories.story import close, finish


def recover(desk: Desk, tell: Narrator) -> None:
    """Finish every run whose owner died: what it found so far becomes a draft note, then its worktree goes.

    A run that cannot be finished is told and left as it is, for the next command.
    """
    from scoutkit.census import identify
    from scoutkit.dispatch import journal

    for run in journal.abandoned(desk.journal.unfinished()):
        me = identify()
        if me is None or not desk.journal.claim(run, me):
            continue
        try:
            tell(_recover(desk, desk.journal.get(run.id)))
        except (ScoutError, OSError) as error:
            said = f"{error.message} ({error.hint})" if isinstance(error, ScoutError) else str(error)
            tell(f"run {run.id} was cut short and could not be finished yet: {said}")


def _recover(desk: Desk, run: Run) -> str:
    from scoutkit.dispatch import recorded, recovery, untouched

    if left := recovery.reap(run):
        pids = ", ".join(str(one.pid) for one in left)
        raise ScoutError(f"processes {pids} would not end", "end them by hand")
    if run.state is State.WRITTEN:
        close(desk, run)
        return f"run {run.id} was cut short after its note was written: {run.note_path}"
    outcome = recorded.salvage(desk.places.records(run.id), run, desk.redactor_of(run.id))
    if run.state is State.CREATED and not outcome.report.strip():
        # the agent lives a moment before the journal says so, and what sets its worktree up may change things too
        changed = untouched.after(desk.repository, desk.places, desk.places.records(run.id), run.isolation)
        close(desk, desk.journal.note(run.id, result=Result.KILLED, reason="killed before the agent began"))
        told = f"run {run.id} was cut short before its agent began; its worktree is removed"
        return "\n".join((told, *untouched.said(changed, run.isolation, run.id)))
    if run.result is None:
        outcome = replace(outcome, result=Result.KILLED, reason="scoutkit was killed while the agent worked")
        run = desk.journal.note(run.id, result=outcome.result, reason=outcome.reason)
    trees = [str(path.parent) for path in Path(run.folder).glob("*/.git") if path.is_file()]
    answer = finish(desk, run, outcome, roots=tuple(trees))
    told = f"run {run.id} was cut short; what it found is in {answer.note.path}" + (answer.left and f"; {answer.left}")
    return "\n".join((told, *answer.untouched))


def tidy(desk: Desk, *, dry: bool = False) -> list[Path]:
    """Remove folders of this repository's runs that no live run owns, kept code whose days are over, and the trash.

    Returns which; `dry`: only says.

    Refused for one that is not surely ours, after the others are gone.
    """
    from scoutkit.dispatch import worktree

    busy = {run.folder for run in desk.journal.unfinished()}
    found = [path for path in worktree.leftovers(desk.repository.common_dir) if str(path) not in busy]
    refused: Refused | None = None
    if not dry:
        for path in found:
            if path.parent == worktree.folder_of("any").parent:
                try:
                    worktree.remove(path, common_dir=desk.repository.common_dir)
                except Refused as error:
                    refused = refused or error
        worktree.sweep()
    found += _code(desk, dry=dry)
    if refused:
        raise refused
    return found


def _code(desk: Desk, *, dry: bool) -> list[Path]:
    """Take away scouts' code whose days are over; the patches."""
    from scoutkit.dispatch import kept_code

    over = kept_code.expired(desk.places.state / "runs")
    for patch in [] if dry else over:
        kept_code.drop(patch)
    return over
