"""Asking again for notes that no longer hold: refresh."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from scoutkit.commands import alike, say
from scoutkit.commands.missions import warn
from scoutkit.commands.progress import Progress
from scoutkit.commands.sending import Sending, mission_options
from scoutkit.commands.session import complete_notes, find_note, open_desk
from scoutkit.commands.verdicts import tell_left_out
from scoutkit.errors import AgentFailed, Interrupted, RepositoryError, ScoutError
from scoutkit.model.missions import Result
from scoutkit.model.notes import Note

if TYPE_CHECKING:
    from scoutkit.desk import Desk
    from scoutkit.stories.refresh import Cost, Skipped, Stale, Survey
    from scoutkit.stories.story import Answer

_SHOWN = 3  # citations of a note, in the table


@click.command()
@click.argument("notes", nargs=-1, metavar="[NOTE]...", shell_complete=complete_notes)
@click.option(
    "--dry-run", is_flag=True, help="Say which notes, which agents and what such runs cost before; send none."
)
@mission_options(force="Ask again for the notes named even where they still hold.")
@click.pass_context
def refresh(
    ctx: click.Context,
    notes: tuple[str, ...],
    *,
    dry_run: bool,
    how: Sending,
    as_json: bool,
) -> int:
    """Ask again for notes that no longer hold at HEAD; of all notes, or of those named.

    The agent is the one that made the note, where it is here, else the built-in one. It is given the old note and what
    changed under it. The new note takes the old one's place, which becomes `deprecated`. A run that fails leaves a
    draft, and the old note as it was; the exit code is then 4.
    """
    from scoutkit.stories import refresh as asking

    if how.force and not notes:
        raise click.UsageError("--force needs the notes to ask again for: scoutkit refresh --force NOTE")
    desk = open_desk(ctx)
    named = list({note.path: note for note in (find_note(desk, one) for one in notes)}.values())
    if not named:
        tell_left_out(desk)
    chosen = asking.Chosen(how.agent, how.agent_cmd, how.base, how.terms, how.force)
    found = asking.survey(desk, named, chosen)
    _narrate(found, how.base)
    if dry_run:
        _would(found, asking.costs(desk, found.stale), as_json=as_json)
        return 0
    work = _Work(desk, how, as_json)
    for number, stale in enumerate(found.stale, 1):
        if not work.one(stale, f"{number}/{len(found.stale)}"):
            break
    desk.follow()
    if as_json:
        skipped = [_skipped_json(one) for one in (*found.skipped, *work.overtaken)]
        say.as_json("refresh", refreshed=work.refreshed, skipped=skipped, failed=work.failed, alike=work.alike)
    if work.stopped:
        raise work.stopped
    if work.failed:
        ids = ", ".join(one["id"] for one in work.failed)
        raise AgentFailed(
            f"{say.count(len(work.failed), 'note')} of {len(found.stale)} could not be refreshed: {ids}",
            f"the old notes are as they were; what the agents found: {work.hint}",
        )
    return 0


class _Work:
    """The notes one after the other, and what became of each, as scripts see it."""

    def __init__(self, desk: Desk, how: Sending, as_json: bool) -> None:
        self.refreshed: list[dict[str, Any]] = []
        self.failed: list[dict[str, Any]] = []
        self.overtaken: list[Skipped] = []
        self.alike: list[dict[str, Any]] = []
        self.stopped: ScoutError | None = None
        self.hint = "scoutkit runs"
        self._desk, self._how, self._as_json = desk, how, as_json
        self._warned: set[str] = set()

    def one(self, stale: Stale, count: str) -> bool:
        """Ask again for one note. False where the others should not be asked."""
        from scoutkit.stories import refresh as asking

        old, name = stale.note, stale.agent.name
        if why := asking.overtaken(self._desk, stale):
            self._skip(old, why)
            return True
        say.tell(f"{count}  {old.id}  {old.title}")
        if name not in self._warned:
            self._warned.add(name)
            warn(self._desk, stale.mission, quiet=self._how.quiet)
        try:
            with Progress(name) as progress:
                answer = asking.again(
                    self._desk, stale, tell=progress.tell, watch=progress.watch, run_hooks=self._how.run_hooks
                )
        except Interrupted as error:
            self.stopped = error
            return False
        except RepositoryError:
            raise
        except ScoutError as error:
            say.tell(f"{old.id}: failed: {error.message} ({error.hint})")
            self.failed.append({"id": old.id, "why": error.message, "note": None, "run": None})
            return True
        return self._done(old, answer)

    def _skip(self, old: Note, why: str) -> None:
        """Something happened to a note meanwhile."""
        from scoutkit.stories.refresh import Skipped

        say.tell(f"{old.id}: skipped, {why}")
        self.overtaken.append(Skipped(old, why))

    def _done(self, old: Note, answer: Answer) -> bool:
        run, note = answer.run, answer.note
        run_json = {**say.run_json(run), "exit": run.exit}
        if answer.outcome.result is Result.DONE and note.status != "stable":
            self._skip(old, f"{answer.left or answer.outcome.unanswered}; what this run found is a draft: {note.path}")
            return True
        if answer.outcome.result is Result.DONE:
            self.refreshed.append({"old": old.id, "note": say.note_json(note), "run": run_json})
            if not self._as_json:
                say.answer(f"{old.id} -> {note.id}  {note.title}\n{' ' * 22}{note.path}")
            self.alike += alike.tell(self._desk, note, note.id)
            if answer.left:
                say.tell(answer.left)
            return True
        why = f"agent {run.agent}: {answer.outcome.reason or answer.outcome.result}"
        say.tell(f"{old.id}: failed: {why}; draft: {note.path}")
        self.hint = f"scoutkit show {note.id}"
        self.failed.append({"id": old.id, "why": why, "note": say.note_json(note), "run": run_json})
        if answer.outcome.result is Result.INTERRUPTED:
            self.stopped = Interrupted("interrupted", f"what it found so far: scoutkit show {note.id}")
            return False
        return True


def _narrate(found: Survey, base: str) -> None:
    for one in found.skipped:
        say.tell(f"{one.note.id}: skipped, {one.why}  ({one.note.path})")
    for stale in found.stale:
        if stale.instead:
            say.tell(f"{stale.note.id}: {stale.instead} made it and is no agent here: {stale.agent.name} looks again")
    if found.held:
        say.tell(f"{say.count(found.held, 'note')} {'holds' if found.held == 1 else 'hold'} at {base}")
    if not found.stale:
        say.tell("nothing to ask again")


def _would(found: Survey, costs: list[Cost], *, as_json: bool) -> None:
    if as_json:
        say.as_json(
            "refresh",
            would=[_would_json(one) for one in found.stale],
            skipped=[_skipped_json(one) for one in found.skipped],
            cost={"runs": len(found.stale), "agents": [_cost_json(one) for one in costs]},
        )
        return
    if not found.stale:
        return
    rows = [(one.note.id, one.agent.name, _lost(one), one.note.title) for one in found.stale]
    say.table(("NOTE", "AGENT", "NO LONGER HOLDS", "TITLE"), rows)
    say.answer(f"{say.count(len(found.stale), 'run')}:")
    for cost in costs:
        say.answer(f"  {cost.agent}: {say.count(cost.runs, 'run')}; {_before(cost)}")


def _lost(stale: Stale) -> str:
    lost = [f"{one.citation.at} {one.verdict}" for one in stale.followed if one.counts and not one.holds]
    more = f" and {len(lost) - _SHOWN} more" if len(lost) > _SHOWN else ""
    cites = any(one.counts for one in stale.followed)
    return ", ".join(lost[:_SHOWN]) + more or f"{'holds' if cites else 'no citations'}; --force"


def _before(cost: Cost) -> str:
    """What a run cost before, in words."""
    if not cost.known:
        return "what one costs is unknown: no such run has ended yet"
    usage = cost.usage
    tokens = sum(one or 0 for one in (usage.input_tokens, usage.output_tokens))
    said = [
        f"{cost.seconds:.1f} s" if cost.seconds is not None else "unknown time",
        f"{tokens:,} tokens" if tokens else "unknown tokens",
        f"${usage.cost_usd:.4f}" if usage.cost_usd is not None else "unknown money",
    ]
    return f"one took {', '.join(said)} (median of {say.count(cost.known, 'run')})"


def _would_json(one: Stale) -> dict[str, Any]:
    return {
        "id": one.note.id,
        "path": one.note.path,
        "title": one.note.title,
        "agent": one.agent.name,
        "instead_of": one.instead or None,
        "citations": [
            {**say.citation_json(each.citation), "verdict": each.verdict}
            for each in one.followed
            if each.counts and not each.holds
        ],
    }


def _cost_json(cost: Cost) -> dict[str, Any]:
    usage = cost.usage
    tokens = {"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens}
    return {
        "agent": cost.agent,
        "runs": cost.runs,
        "known": cost.known,
        "seconds": cost.seconds,
        "usage": tokens if any(value is not None for value in tokens.values()) else None,
        "cost": None if usage.cost_usd is None else {"usd": usage.cost_usd},
    }


def _skipped_json(one: Skipped) -> dict[str, Any]:
    return {"id": one.note.id, "path": one.note.path, "why": one.why}
