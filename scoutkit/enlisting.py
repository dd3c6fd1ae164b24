"""From a list of missions to a batch's plan: every mission made concrete, or every line named that cannot be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from scoutkit import research, story
from scoutkit.agents import registry
from scoutkit.batches.listing import BadLines
from scoutkit.desk import Desk
from scoutkit.errors import ScoutError, UsageError
from scoutkit.model.agents import Narrator
from scoutkit.model.batches import Plan, Task, Wanted
from scoutkit.model.missions import Kind, Mission, Terms
from scoutkit.words import plain


@dataclass(frozen=True, slots=True)
class Chosen:
    """What the person chose for every mission that does not say otherwise."""

    agents: tuple[str, ...]
    agent_cmd: str = ""
    base: str = "HEAD"
    terms: Terms = field(default_factory=Terms)
    force: bool = False
    run_hooks: bool = False
    jobs: int = 3


def plan(
    desk: Desk, wanted: Sequence[Wanted], chosen: Chosen, *, source: str, tell: Narrator, here: bool = False
) -> tuple[Plan, list[str]]:
    """Make every mission concrete; and lines that tell of duplicates, which are sent once.

    Raises BadLines, with every line that cannot be sent; where all fail alike, that error itself.
    """
    planner = _Planner(desk, chosen, tell)
    tasks: list[Task] = []
    first: dict[tuple[object, ...], int] = {}
    same: dict[int, int] = {}  # a duplicate's number: that of the mission it repeats
    told = []
    for number, one in enumerate(wanted, 1):
        repeated, names = set(), set[str]()
        for asked in dict.fromkeys(one.agents or chosen.agents):
            mission = planner.mission(one, asked)
            if mission is None:
                continue
            key = (
                plain(one.text),
                mission.kind,
                asked,
                mission.base,
                mission.model,
                mission.sources,
                one.paths,
                one.checks,
            )
            if key in first:
                repeated.add(first[key])
                continue
            first[key] = number
            tasks.append(
                Task(
                    key=len(tasks),
                    number=number,
                    line=one.line,
                    mission=mission,
                    asked=asked,
                    id=one.id,
                    tags=one.tags,
                    priority=one.priority,
                    depends_on=one.depends_on,
                    own=mission.agent not in names,
                )
            )
            names.add(mission.agent)
        if repeated:
            again = min(repeated)
            told.append(f"{source}:{one.line}: the same as line {wanted[again - 1].line}: sent once")
            if not names:
                same[number] = again
    planner.check(source, len(wanted))
    tasks = [
        replace(task, depends_on=tuple({same.get(need, need) for need in task.depends_on} - {task.number}))
        for task in tasks
    ]
    made = Plan(
        id=desk.notebook.new_id(),
        source=source,
        started=datetime.now(UTC).isoformat(timespec="milliseconds"),
        jobs=chosen.jobs,
        folder=str(desk.where),
        tasks=tuple(tasks),
        here=here,
        force=chosen.force,
        run_hooks=chosen.run_hooks,
    )
    return made, told


class _Planner:
    """Plans missions; what is alike in many is looked up once. Keeps what cannot be planned."""

    def __init__(self, desk: Desk, chosen: Chosen, tell: Narrator) -> None:
        self._desk, self._chosen, self._tell = desk, chosen, tell
        self._known: dict[tuple[object, ...], Mission | ScoutError] = {}
        self._problems: list[tuple[int, ScoutError]] = []

    def mission(self, one: Wanted, asked: str) -> Mission | None:
        if len(one.text) > story.LONGEST:
            self._problems.append((one.line, UsageError(f"{len(one.text):,} characters: at most {story.LONGEST:,}")))
            return None
        limits: Mapping[str, Any] = one.limits
        key = (one.kind, asked, one.base, one.model, one.repos, one.template, tuple(sorted(limits.items())))
        if key not in self._known:
            try:
                self._known[key] = self._plan(one, asked)
            except ScoutError as error:
                self._known[key] = error
        known = self._known[key]
        if isinstance(known, ScoutError):
            self._problems.append((one.line, known))
            return None
        if known.kind is Kind.SCOUT:
            return replace(known, text=one.text, checks=one.checks, paths=one.paths)
        about = ", ".join(f"`{path}`" for path in one.paths)
        return replace(known, text=f"{one.text}\n\nIt is about {about}." if about else one.text)

    def _plan(self, one: Wanted, asked: str) -> Mission:
        chosen = self._chosen
        command = chosen.agent_cmd if asked == "command" else ""
        agent = registry.find(asked, self._desk.settings, agent_cmd=command)
        limits: dict[str, Any] = dict(one.limits)
        terms = replace(
            chosen.terms, limits=replace(chosen.terms.limits, **limits), model=one.model or chosen.terms.model
        )
        kind = Kind(one.kind or Kind.ASK)
        if kind is Kind.RESEARCH:
            return research.plan(
                self._desk,
                "",
                agent,
                repositories=one.repos,
                template=one.template,
                base=one.base or chosen.base,
                terms=terms,
                agent_cmd=command,
                tell=self._tell,
            )
        return story.plan(self._desk, kind, "", agent, base=one.base or chosen.base, terms=terms, agent_cmd=command)

    def check(self, source: str, count: int) -> None:
        """Raise what is wrong, if anything is."""
        if not self._problems:
            return
        errors = [error for _, error in self._problems]
        if len({line for line, _ in self._problems}) == count and len({error.message for error in errors}) == 1:
            raise errors[0]
        bad = BadLines(
            source,
            [(line, error.message + (f" ({error.hint})" if error.hint else "")) for line, error in self._problems],
        )
        codes = {error.exit_code for error in errors}
        bad.exit_code = codes.pop() if len(codes) == 1 else UsageError.exit_code
        raise bad
