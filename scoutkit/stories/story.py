"""The story: a question becomes a mission, goes out in a borrowed worktree, and comes back as a note.

ask = plan, borrow, send, harvest, verify, write, index, remove. A run that was cut short anywhere is finished from
where it stood by `leftovers.recover`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from scoutkit import config
from scoutkit.desk import Desk
from scoutkit.errors import Interrupted, ScoutError
from scoutkit.model.agents import Agent, Event, Narrator
from scoutkit.model.missions import Kind, Mission, Outcome, Result, Run, State, Terms
from scoutkit.model.notes import Note
from scoutkit.stories import asking, harvesting, hinting, lending, noting, reminding, scope, trust, vanished

if TYPE_CHECKING:
    from scoutkit.dispatch.runner import Interruption
    from scoutkit.dispatch.worktree import Checkout

OWN = "builtin"  # the agent that only reads git's objects: it needs no isolation
Watcher = Callable[[Event], None]


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back from a run; `report` in the outcome is the agent's own text.

    `left`: why the note that this one is to replace was not marked so, if it was not. Where that had been superseded
    or deprecated meanwhile, this one is a draft. `untouched`: lines for a person, if the user's repository is not as
    it was before.
    """

    note: Note
    run: Run
    outcome: Outcome
    left: str = ""
    untouched: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Earlier:
    """The note that a mission's answer is to take the place of, and what changed under it, for the agent to read."""

    note: Note
    changes: str


def plan(desk: Desk, kind: Kind, text: str, agent: Agent, *, base: str, terms: Terms, agent_cmd: str = "") -> Mission:
    """Make a question concrete: `asking.mission`, then `equipped`."""
    return equipped(desk, asking.mission(desk, kind, text, agent, base=base, agent_cmd=agent_cmd), agent, terms)


def equipped(desk: Desk, mission: Mission, agent: Agent, terms: Terms) -> Mission:
    """A mission that can be sent.

    Unavailable for an isolation that cannot be had; Refused where the kind of mission needs one and none can.
    """
    from scoutkit.dispatch import sandbox

    own = agent.name == OWN
    return replace(
        mission,
        limits=terms.limits,
        isolation="none" if own else sandbox.choose(terms.isolation, mission.kind, terms.network),
        network=terms.network,
        model=terms.model,
        recall=mission.recall and terms.recall,
        hints=mission.hints and terms.hints and desk.settings.hints,
        trusted=trust.hooks(desk),
        setup=trust.setup(desk) if mission.kind is Kind.SCOUT and agent.needs_checkout else (),
    )


def ask(
    desk: Desk,
    mission: Mission,
    agent: Agent,
    *,
    tell: Narrator,
    watch: Watcher,
    run_hooks: bool = False,
    earlier: Earlier | None = None,
    run_id: str = "",
) -> Answer:
    """Send the agent and keep what it found; the worktree is gone afterwards, whatever happened.

    With an `earlier` note the agent is given that too; once the new note is on disk, the earlier one is deprecated.
    `run_id` is for who wrote it down before: of several that send one run, the first does; the others get `Taken`.
    """
    from scoutkit.dispatch import runner, sent, worktree

    desk.notebook.check_ready()
    run_id = run_id or desk.notebook.new_id()
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
        supersedes=earlier.note.id if earlier else "",
    )
    with runner.Interruption.listen() as interruption:
        run = desk.journal.create(run)
        try:
            records = desk.places.records(run.id)
            sent.remember(records, mission, agent, run_hooks=run_hooks, redact=desk.redactor())
            checkout = lending.borrow(desk, mission, agent, run, run_hooks=run_hooks, tell=tell)
            for line in (*checkout.skipped, *lending.include(desk, mission, agent, checkout)):
                tell(line)
            notes = reminding.notes(desk, mission, records, without=run.supersedes, tell=tell)
            told = {"notes": notes, "hints": "" if earlier else hinting.hints(desk, mission, tell=tell)}
            outcome = _send(desk, mission, agent, run, checkout, earlier, told, watch=watch, interruption=interruption)
            for line in lending.altered(mission, checkout):
                tell(line)
        except BaseException as error:
            run = desk.journal.get(run.id)
            if run.state is State.CREATED:  # nothing was found yet: there is only the worktree to take away
                reason = error.message if isinstance(error, ScoutError) else repr(error)
                close(desk, desk.journal.note(run.id, result=interruption.result or Result.FAILED, reason=reason))
            if interruption.result:
                raise Interrupted(interruption.reason, "nothing was found yet; ask again") from error
            raise
        answer = finish(desk, desk.journal.get(run.id), outcome, roots=(str(checkout.worktree),))
        for line in answer.untouched:
            tell(line)
        return answer


def _send(
    desk: Desk,
    mission: Mission,
    agent: Agent,
    run: Run,
    checkout: Checkout,
    earlier: Earlier | None,
    told: dict[str, str],
    *,
    watch: Watcher,
    interruption: Interruption,
) -> Outcome:
    from scoutkit.dispatch import included, records, runner, untouched
    from scoutkit.reuse import prompts

    variables = {
        "question": mission.text,
        "repository": desk.repository.name,
        "commit": mission.base,
        "sources": [{"name": one.name, "commit": one.commit, "origin": one.origin} for one in mission.sources],
        "filled": bool(mission.template),
        "progress": str(harvesting.progress(checkout.scratch)),
        "paths": mission.paths,
        **told,
    }
    overrides = desk.places.root / config.PROMPTS
    if earlier:
        variables |= prompts.about(earlier.note, earlier.changes)
    prompt = prompts.render(
        "refresh" if earlier else mission.kind, {**variables, "kind": mission.kind}, overrides=overrides
    )
    folder = desk.places.records(run.id)
    folder.mkdir(parents=True, mode=0o700, exist_ok=True)
    records.write_durably(folder / "prompt.md", records.printable(desk.redactor()(prompt)))
    scope.remember(folder, mission)
    trusted = mission.trusted and mission.kind is not Kind.RESEARCH  # which is not in the repository that is trusted
    invocation = agent.invocation(replace(mission, trusted=trusted), prompt, checkout.worktree, checkout.scratch)
    handed = included.remembered(folder).files
    if mission.agent != OWN:
        untouched.before(desk.repository, desk.places, folder, mission.isolation)
    outcome = runner.send(
        invocation,
        run=run,
        worktree=checkout.worktree,
        scratch=checkout.scratch,
        records=folder,
        journal=desk.journal,
        redactor=desk.redacting(invocation.env, [copy for _, copy in invocation.login], handed),
        on_event=watch,
        pass_env=desk.settings.pass_env,
        interruption=interruption,
        shadow=checkout.shadow,
        beside=checkout.beside,
        isolation=mission.isolation,
        network=mission.network,
        writable=mission.kind is not Kind.ASK,
        commands=mission.setup,
        checks=mission.checks,
        ready=lambda: harvesting.begin(desk, run),
    )
    if mission.agent_cmd and not outcome.version:
        outcome = replace(outcome, version=asking.fingerprint(mission.agent_cmd))
    return outcome


def finish(desk: Desk, run: Run, outcome: Outcome, *, roots: tuple[str, ...] = ()) -> Answer:
    """From a report to a note on disk, and the worktree away: harvest, verify, write, index, remove.

    `roots` are where the worktree stood: absolute paths in the report begin with one. May be called again for a run
    it was killed in: the note's id is chosen before it is written, and one that is on disk already is kept.
    """
    from scoutkit.dispatch import untouched

    again = run.state is State.HARVESTED
    evidence = harvesting.harvest(desk, run, outcome)
    changed = untouched.after(desk.repository, desk.places, desk.places.records(run.id), run.isolation)
    if not again:
        run = desk.journal.advance(run.id, State.HARVESTED, note_id=desk.notebook.new_id())
    with desk.notebook.superseding() if run.supersedes else contextlib.nullcontext():
        left = noting.overtaken(desk, run)
        named = vanished.named(desk, run, outcome)
        told = replace(named, report=vanished.namer(desk, run)(harvesting.text(desk, run, named, evidence)))
        made = noting.make(desk, run, told, roots=roots, draft=left or outcome.unanswered)
        if section := untouched.section(changed, run.isolation, run.id):
            made = replace(made, body=f"{made.body}\n{section}")
        note = desk.notebook.write(made, again=again)
        if run.supersedes and note.status == "stable" and not left:
            left = noting.supersede(desk, run.supersedes, note)
    run = desk.journal.advance(run.id, State.WRITTEN, note_path=note.path)
    run = close(desk, run)
    desk.sync()
    return Answer(note, run, outcome, left, tuple(untouched.said(changed, run.isolation, run.id)))


def close(desk: Desk, run: Run) -> Run:
    """Take the worktree away and say so in the journal."""
    from scoutkit.dispatch import worktree

    worktree.remove(worktree.folder_of(run.id), common_dir=desk.repository.common_dir)
    return desk.journal.advance(run.id, State.REMOVED)


def _now() -> str:
    """The time, UTC, in whole seconds: `2026-11-29T12:00:00+00:00`."""
    return datetime.now(UTC).isoformat(timespec="seconds")
