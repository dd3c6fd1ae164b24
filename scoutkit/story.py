"""The story: a question becomes a mission, goes out in a borrowed worktree, and comes back as a note.

ask = plan, borrow, send, harvest, verify, write, index, remove. A run that was cut short anywhere is finished from
where it stood by `recover`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from scoutkit import config, git, process
from scoutkit.desk import Desk
from scoutkit.errors import ScoutError, Unavailable
from scoutkit.model import Agent, Event, Kind, Limits, Mission, Narrator, Note, Outcome, Result, Run, State

Watcher = Callable[[Event], None]


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back. `run` is None when a note already answered; `report` is the agent's own text."""

    note: Note
    report: str
    run: Run | None
    outcome: Outcome | None = None


def plan(desk: Desk, kind: Kind, text: str, agent: Agent, *, base: str, limits: Limits, agent_cmd: str = "") -> Mission:
    """Make a question concrete. RepositoryError for an unknown base, Unavailable for an agent that cannot do it."""
    if kind not in agent.kinds:
        can = ", ".join(sorted(agent.kinds)) or "nothing"
        raise Unavailable(f"{agent.name} cannot {kind}: it can {can}", "choose another agent: scoutkit agents")
    available = agent.availability()
    if not available.ok:
        raise Unavailable(f"agent {agent.name} is not available", available.hint)
    return Mission(kind, text, git.resolve(desk.repository, base), agent.name, agent_cmd, limits)


def remembered(desk: Desk, mission: Mission) -> Note | None:
    """A stable note of the same kind, agent and question (but for case and punctuation) that holds at the base."""
    from scoutkit.anchors import check

    for path in desk.catalogue.asked(mission.text, mission.kind):
        note = desk.notebook.read(path).note
        if note.status == "stable" and note.by.split("/")[0] == mission.agent:
            with desk.snapshot(mission.base) as snapshot:
                if check.holds(note, snapshot):
                    return note
    return None


def ask(
    desk: Desk, mission: Mission, agent: Agent, *, tell: Narrator, watch: Watcher, run_hooks: bool = False
) -> Answer:
    """Send the agent and keep what it found; the worktree is gone afterwards, whatever happened."""
    from scoutkit.dispatch import runner, worktree

    run = Run(
        id=desk.notebook.new_id(),
        kind=mission.kind,
        text=desk.redactor()(mission.text),
        base=mission.base,
        agent=mission.agent,
        state=State.CREATED,
        isolation=mission.isolation,
        started=now(),
        folder="",
        owner=process.identify(),
        limits=mission.limits,
    )
    run = replace(run, folder=str(worktree.folder_of(run.id)))
    with runner.Interruption.listen() as interruption:
        desk.journal.create(run)
        try:
            checkout = worktree.borrow(
                desk.repository, mission.base, run.id, files=agent.needs_checkout, run_hooks=run_hooks
            )
            for line in checkout.skipped:
                tell(line)
            prompt = _prompt(desk, mission, checkout.worktree.name)
            invocation = agent.invocation(mission, prompt, checkout.worktree, checkout.scratch)
        except BaseException as error:
            reason = error.message if isinstance(error, ScoutError) else type(error).__name__
            _close(desk, desk.journal.note(run.id, result=Result.FAILED, reason=reason))
            raise
        outcome = runner.send(
            invocation,
            run=run,
            worktree=checkout.worktree,
            scratch=checkout.scratch,
            records=desk.places.records(run.id),
            journal=desk.journal,
            redactor=desk.redactor,
            on_event=watch,
            pass_env=desk.settings.pass_env,
            interruption=interruption,
        )
        return finish(desk, desk.journal.get(run.id), outcome, roots=(str(checkout.worktree),))


def _prompt(desk: Desk, mission: Mission, repository: str) -> str:
    from scoutkit.reuse import prompts

    variables = {"question": mission.text, "repository": repository, "commit": mission.base}
    return prompts.render(mission.kind, variables, overrides=desk.places.root / config.PROMPTS)


def finish(desk: Desk, run: Run, outcome: Outcome, *, roots: tuple[str, ...] = ()) -> Answer:
    """From a report to a note on disk, and the worktree away: harvest, verify, write, index, remove.

    May be called again for a run it was killed in: the note's id is chosen before it is written, and one that is on
    disk already is kept.
    """
    report = desk.places.records(run.id) / "report.md"
    if run.state is not State.HARVESTED:
        _durably(report, outcome.report)
        run = desk.journal.advance(run.id, State.HARVESTED, note_id=run.note_id or desk.notebook.new_id())
    note = desk.notebook.write(_note(desk, run, outcome, roots))
    run = desk.journal.advance(run.id, State.WRITTEN, note_path=note.path)
    run = _close(desk, run)
    desk.sync()
    return Answer(note, outcome.report, run, outcome)


def _note(desk: Desk, run: Run, outcome: Outcome, roots: tuple[str, ...]) -> Note:
    from scoutkit.anchors import anchor
    from scoutkit.knowledge import capture, citations, verify

    with desk.snapshot(run.base) as snapshot:
        checked = verify.check(citations.read(outcome.report, roots=roots), snapshot)
        anchors = [made for one in checked if (made := anchor.make(one.citation, snapshot))]
        mission = Mission(run.kind, run.text, run.base, run.agent)
        status = "stable" if outcome.result is Result.DONE else "draft"
        return capture.note(
            report=outcome.report,
            checked=checked,
            anchors=anchors,
            mission=mission,
            outcome=outcome,
            id=run.note_id,
            at=run.started,
            status=status,
        )


def _close(desk: Desk, run: Run) -> Run:
    """Take the worktree away and say so in the journal."""
    from scoutkit.dispatch import worktree

    worktree.remove(worktree.folder_of(run.id), common_dir=desk.repository.common_dir)
    return desk.journal.advance(run.id, State.REMOVED)


def recover(desk: Desk, tell: Narrator) -> None:
    """Finish every run whose owner died: what it found so far becomes a draft note, then its worktree goes."""
    for run in desk.journal.unfinished():
        if process.alive(run.owner):
            continue
        me = process.identify()
        if me is None or not desk.journal.claim(run, me):
            continue
        try:
            tell(_recover(desk, desk.journal.get(run.id)))
        except ScoutError as error:
            tell(f"run {run.id} was cut short and could not be finished yet: {error.message} ({error.hint})")


def _recover(desk: Desk, run: Run) -> str:
    from scoutkit.dispatch import runner

    runner.reap(run)
    records = desk.places.records(run.id)
    outcome = runner.salvage(records, run)
    if run.state is State.WRITTEN:
        _close(desk, run)
        return f"run {run.id} was cut short after its note was written: {run.note_path}"
    if run.state is State.CREATED and not outcome.report:
        _close(desk, desk.journal.note(run.id, result=Result.KILLED))
        return f"run {run.id} was cut short before its agent began; its worktree is removed"
    if run.result is None:
        run = desk.journal.note(run.id, result=Result.KILLED)
        outcome = replace(outcome, result=Result.KILLED, reason="scoutkit was killed while the agent worked")
    folder = f"{run.folder}/"
    answer = finish(desk, run, outcome, roots=tuple(sorted({folder + desk.places.root.name})))
    return f"run {run.id} was cut short; what it found is in {answer.note.path}"


def _durably(path: os.PathLike[str], text: str) -> None:
    """Write a file so that it is whole on disk before the next step, or not there."""
    fresh = f"{os.fspath(path)}.new"
    with open(fresh, "w", encoding="utf-8", errors="surrogateescape") as file:  # noqa: PTH123 - path may be any PathLike
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(fresh, path)  # noqa: PTH105


def now() -> str:
    """The time, UTC, in whole seconds: `2026-11-29T12:00:00+00:00`."""
    return datetime.now(UTC).isoformat(timespec="seconds")
