"""The story: a question becomes a mission, goes out in a borrowed worktree, and comes back as a note.

ask = plan, borrow, send, harvest, verify, write, index, remove. A run that was cut short anywhere is finished from
where it stood by `recover`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from scoutkit import config, git
from scoutkit.desk import Desk
from scoutkit.errors import Interrupted, Refused, ScoutError, Unavailable, UsageError
from scoutkit.model.agents import Agent, Event, Narrator
from scoutkit.model.missions import Kind, Limits, Mission, Outcome, Result, Run, State
from scoutkit.model.notes import Note

if TYPE_CHECKING:
    from scoutkit.dispatch.runner import Interruption
    from scoutkit.dispatch.worktree import Checkout

LONGEST = 100_000  # characters of a question, which its note repeats
Watcher = Callable[[Event], None]


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back from a run; `report` in the outcome is the agent's own text."""

    note: Note
    run: Run
    outcome: Outcome


def plan(desk: Desk, kind: Kind, text: str, agent: Agent, *, base: str, limits: Limits, agent_cmd: str = "") -> Mission:
    """Make a question concrete. RepositoryError for an unknown base, Unavailable for an agent that cannot do it."""
    if len(text) > LONGEST:
        raise UsageError(
            f"a question of {len(text):,} characters: at most {LONGEST:,}", "put the text into a file and name that"
        )
    if kind not in agent.kinds:
        can = ", ".join(sorted(agent.kinds)) or "nothing"
        raise Unavailable(f"agent {agent.name} cannot {kind}: it can {can}", "choose another agent: scoutkit agents")
    return Mission(kind, text, git.resolve(desk.repository, base), agent.name, agent_cmd, limits)


def remembered(desk: Desk, mission: Mission) -> Note | None:
    """A stable note of the same kind, agent and question (but for case and punctuation) that holds at the base."""
    from scoutkit.anchors import check

    for path in desk.catalogue.asked(mission.text, mission.kind):
        note = desk.notebook.read(path).note
        name, _, version = note.by.partition("/")
        same = name == mission.agent and (not mission.agent_cmd or version == _fingerprint(mission.agent_cmd))
        if note.status == "stable" and same:
            with desk.snapshot(mission.base) as snapshot:
                if check.holds(note, snapshot):
                    return note
    return None


def similar(desk: Desk, mission: Mission) -> list[Note]:
    """Stable notes that were asked much the same: half of all the words of both questions are in both."""
    from scoutkit.words import plain

    asked = set(plain(mission.text).split())
    found = []
    for hit in desk.catalogue.search(mission.text, types=[mission.kind], statuses=["stable"], limit=5):
        note = desk.notebook.read(hit.path).note
        words = set(plain(note.question).split())
        if words and len(asked & words) * 2 >= len(asked | words):
            found.append(note)
    return found


def ask(
    desk: Desk, mission: Mission, agent: Agent, *, tell: Narrator, watch: Watcher, run_hooks: bool = False
) -> Answer:
    """Send the agent and keep what it found; the worktree is gone afterwards, whatever happened."""
    from scoutkit.dispatch import runner, worktree

    desk.notebook.check_ready()
    run_id = desk.notebook.new_id()
    run = Run(
        id=run_id,
        kind=mission.kind,
        text=desk.redactor()(mission.text),
        base=mission.base,
        agent=mission.agent,
        state=State.CREATED,
        isolation=mission.isolation,
        started=_now(),
        folder=str(worktree.folder_of(run_id)),
        limits=mission.limits,
    )
    with runner.Interruption.listen() as interruption:
        run = desk.journal.create(run)
        try:
            checkout = worktree.borrow(
                desk.repository, mission.base, run.id, files=agent.needs_checkout, run_hooks=run_hooks
            )
            for line in checkout.skipped:
                tell(line)
            outcome = _send(desk, mission, agent, run, checkout, watch=watch, interruption=interruption)
        except BaseException as error:
            run = desk.journal.get(run.id)
            if run.state is State.CREATED:  # nothing was found yet: there is only the worktree to take away
                reason = error.message if isinstance(error, ScoutError) else repr(error)
                _close(desk, desk.journal.note(run.id, result=interruption.result or Result.FAILED, reason=reason))
            if interruption.result:
                raise Interrupted(interruption.reason, "nothing was found yet; ask again") from error
            raise
        return finish(desk, desk.journal.get(run.id), outcome, roots=(str(checkout.worktree),))


def _send(
    desk: Desk,
    mission: Mission,
    agent: Agent,
    run: Run,
    checkout: Checkout,
    *,
    watch: Watcher,
    interruption: Interruption,
) -> Outcome:
    from scoutkit.dispatch import records, runner
    from scoutkit.reuse import prompts

    variables = {
        "question": mission.text,
        "repository": desk.places.root.name,
        "commit": mission.base,
    }
    prompt = prompts.render(mission.kind, variables, overrides=desk.places.root / config.PROMPTS)
    folder = desk.places.records(run.id)
    folder.mkdir(parents=True, mode=0o700, exist_ok=True)
    records.write_durably(folder / "prompt.md", records.printable(desk.redactor()(prompt)))
    outcome = runner.send(
        agent.invocation(mission, prompt, checkout.worktree, checkout.scratch),
        run=run,
        worktree=checkout.worktree,
        scratch=checkout.scratch,
        records=folder,
        journal=desk.journal,
        redactor=desk.redactor,
        on_event=watch,
        pass_env=desk.settings.pass_env,
        interruption=interruption,
    )
    if mission.agent_cmd and not outcome.version:
        outcome = replace(outcome, version=_fingerprint(mission.agent_cmd))
    return outcome


def _fingerprint(command: str) -> str:
    """Tells one-off commands apart, which all go by the name `command`."""
    import hashlib

    return hashlib.sha256(command.encode("utf-8", "replace")).hexdigest()[:8]


def finish(desk: Desk, run: Run, outcome: Outcome, *, roots: tuple[str, ...] = ()) -> Answer:
    """From a report to a note on disk, and the worktree away: harvest, verify, write, index, remove.

    `roots` are where the worktree stood: absolute paths in the report begin with one. May be called again for a run
    it was killed in: the note's id is chosen before it is written, and one that is on disk already is kept.
    """
    again = run.state is State.HARVESTED
    if not again:
        run = desk.journal.advance(run.id, State.HARVESTED, note_id=desk.notebook.new_id())
    note = desk.notebook.write(_note(desk, run, outcome, roots), again=again)
    run = desk.journal.advance(run.id, State.WRITTEN, note_path=note.path)
    run = _close(desk, run)
    desk.sync()
    return Answer(note, run, outcome)


def _note(desk: Desk, run: Run, outcome: Outcome, roots: tuple[str, ...]) -> Note:
    from scoutkit.anchors import anchor
    from scoutkit.knowledge import capture, citations, verify

    report = capture.bounded(outcome.report, run.id)
    references = citations.read(report, roots=roots)
    if len(references) > capture.MOST:
        report = capture.bounded(report, run.id, longest=references[capture.MOST].offset)
        references = citations.read(report, roots=roots)
    with desk.snapshot(run.base) as snapshot:
        checked = verify.check(references, snapshot, notes=desk.settings.notes)
        return capture.note(
            report=report,
            checked=checked,
            anchors=[made for one in checked if (made := anchor.make(one.citation, snapshot))],
            mission=Mission(run.kind, run.text, run.base, run.agent),
            outcome=outcome,
            id=run.note_id,
            at=run.started,
            status="stable" if outcome.result is Result.DONE else "draft",
        )


def keep(
    desk: Desk, text: str, revision: str, *, kind: str, tags: tuple[str, ...], title: str, write: bool = True
) -> Note:
    """A note of Markdown that a person has, its citations checked against a commit; the text stays as it is.

    A file that is a note already keeps its own title, description, question, type and tags. Without `write` the note
    is only made, with an empty path.
    """
    from scoutkit import notefile
    from scoutkit.anchors import anchor
    from scoutkit.knowledge import capture, citations, headline, verify

    given = notefile.parse(text.encode("utf-8", "surrogateescape"), title).note
    commit = git.resolve(desk.repository, revision)
    body = desk.redactor()(given.body)
    found, description = headline.read(body, question="")
    with desk.snapshot(commit) as snapshot:
        checked = verify.check(citations.read(body, roots=(str(desk.where),)), snapshot, notes=desk.settings.notes)
        note = replace(
            given,
            id=desk.notebook.new_id(),
            title=(given.title if given.description else "") or found or title,
            description=given.description or description,
            type=kind or (given.type if given.description else "note"),
            tags=tuple(dict.fromkeys((*given.tags, *tags))),
            status="stable",
            body=body,
            commit=commit,
            by=f"human:{git.user(desk.where)}",
            at=_now(),
            citations=capture.cited(checked),
            anchors=tuple(
                {(a.path, a.start, a.end): a for c in checked if (a := anchor.make(c.citation, snapshot))}.values()
            ),
            path="",
        )
    return desk.notebook.write(note) if write else note


def _close(desk: Desk, run: Run) -> Run:
    """Take the worktree away and say so in the journal."""
    from scoutkit.dispatch import worktree

    worktree.remove(worktree.folder_of(run.id), common_dir=desk.repository.common_dir)
    return desk.journal.advance(run.id, State.REMOVED)


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
    from scoutkit.dispatch import records, recovery

    if left := recovery.reap(run):
        pids = ", ".join(str(one.pid) for one in left)
        raise ScoutError(f"processes {pids} would not end", "end them by hand")
    if run.state is State.WRITTEN:
        _close(desk, run)
        return f"run {run.id} was cut short after its note was written: {run.note_path}"
    outcome = records.salvage(desk.places.records(run.id), run, desk.redactor)
    if run.state is State.CREATED and not outcome.report.strip():
        _close(desk, desk.journal.note(run.id, result=Result.KILLED, reason="killed before the agent began"))
        return f"run {run.id} was cut short before its agent began; its worktree is removed"
    if run.result is None:
        outcome = replace(outcome, result=Result.KILLED, reason="scoutkit was killed while the agent worked")
        run = desk.journal.note(run.id, result=outcome.result, reason=outcome.reason)
    trees = [str(path.parent) for path in Path(run.folder).glob("*/.git") if path.is_file()]
    answer = finish(desk, run, outcome, roots=tuple(trees))
    return f"run {run.id} was cut short; what it found is in {answer.note.path}"


def tidy(desk: Desk, *, dry: bool = False) -> list[Path]:
    """Remove folders of this repository's runs that no live run owns, and the trash; which ones. `dry`: only say.

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
    if refused:
        raise refused
    return found


def _now() -> str:
    """The time, UTC, in whole seconds: `2026-11-29T12:00:00+00:00`."""
    return datetime.now(UTC).isoformat(timespec="seconds")
