"""From a list of missions to a batch's plan: every mission made concrete, or every line named that cannot be."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from scoutkit import git
from scoutkit.agents import registry
from scoutkit.batches.listing import BadLines, Listed
from scoutkit.desk import Desk
from scoutkit.dispatch import proof, sources
from scoutkit.errors import RepositoryError, ScoutError, UsageError
from scoutkit.model.agents import Agent, Narrator
from scoutkit.model.batches import Plan, Task, Wanted
from scoutkit.model.missions import Kind, Mission, Terms
from scoutkit.stories import asking, research, scope, story
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
    desk: Desk, listed: Listed, chosen: Chosen, *, source: str, tell: Narrator, here: bool = False
) -> tuple[Plan, list[str]]:
    """Make every mission concrete; and lines that tell of duplicates, which are sent once.

    Raises BadLines, with everything that is wrong in the list; where all lines fail alike, that error itself.
    """
    wanted = listed.missions
    planner = _Planner(desk, chosen, tell)
    tasks: list[Task] = []
    first: dict[tuple[object, ...], int] = {}
    same: dict[int, int] = {}  # a duplicate's number: that of the mission it repeats
    told = []
    for number, one in enumerate(wanted, 1):
        repeated, names = set(), set[str]()
        several = tuple(dict.fromkeys(one.agents or chosen.agents))
        for asked in several:
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
                    mission=replace(mission, recall=mission.recall and len(several) == 1),
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
    planner.check(source, listed)
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
        self._known: dict[tuple[object, ...], Mission | list[ScoutError]] = {}
        self._looked: dict[Hashable, ScoutError | None] = {}
        self._files: dict[str, frozenset[str]] = {}
        self._problems: list[tuple[int, ScoutError]] = []

    def mission(self, one: Wanted, asked: str) -> Mission | None:
        if len(one.text) > asking.LONGEST:
            self._problems.append((one.line, UsageError(f"{len(one.text):,} characters: at most {asking.LONGEST:,}")))
        limits: Mapping[str, Any] = one.limits
        key = (one.kind, asked, one.base, one.model, one.repos, one.template, tuple(sorted(limits.items())))
        if key not in self._known:
            try:
                self._known[key] = self._plan(one, asked)
            except ScoutError as error:
                self._known[key] = [error, *self._faults(one, asked, error)]
        known = self._known[key]
        if isinstance(known, list):
            self._problems += [(one.line, error) for error in known]
            return None
        paths, checks = self._scope(one, known)
        if known.kind is Kind.SCOUT:
            return replace(known, text=one.text, checks=checks, paths=paths)
        about = ", ".join(f"`{path}`" for path in paths)
        return replace(known, text=f"{one.text}\n\nIt is about {about}." if about else one.text)

    def _scope(self, one: Wanted, known: Mission) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Paths and checks as they are meant; paths of a research are those of its sources, which are not looked at."""
        checks, paths = one.checks, list[str]()
        try:
            checks = scope.checks(checks)
        except UsageError as error:
            self._problems.append((one.line, error))
        if known.kind is Kind.RESEARCH:
            return one.paths, checks
        if one.paths and known.base not in self._files:
            self._files[known.base] = scope.files(self._desk, known.base)
        for path in one.paths:
            try:
                paths += scope.paths(self._desk, [path], self._files[known.base])
            except UsageError as error:
                self._problems.append((one.line, error))
        return tuple(paths), checks

    def _plan(self, one: Wanted, asked: str) -> Mission:
        chosen = self._chosen
        agent = self._agent(asked)
        command = self._command(asked)
        limits: dict[str, Any] = dict(one.limits)
        terms = replace(
            chosen.terms, limits=replace(chosen.terms.limits, **limits), model=one.model or chosen.terms.model
        )
        kind, base = Kind(one.kind or Kind.ASK), one.base or chosen.base
        if kind is Kind.RESEARCH:
            return research.plan(
                self._desk,
                "",
                agent,
                repositories=one.repos,
                template=one.template,
                base=base,
                terms=terms,
                agent_cmd=command,
                tell=self._tell,
            )
        return story.plan(self._desk, kind, "", agent, base=base, terms=terms, agent_cmd=command)

    def _agent(self, asked: str) -> Agent:
        return registry.find(asked, self._desk.settings, agent_cmd=self._command(asked))

    def _command(self, asked: str) -> str:
        return self._chosen.agent_cmd if asked == "command" else ""

    def _faults(self, one: Wanted, asked: str, first: ScoutError) -> list[ScoutError]:
        """What else is wrong with a mission whose plan failed: that stopped at the first fault, a person wants all."""
        looks: list[tuple[Hashable, Callable[[], object]]] = [
            (("agent", asked), lambda: self._agent(asked)),
            (("base", one.base), lambda: git.resolve(self._desk.repository, one.base or self._chosen.base)),
            *((("source", text), partial(sources.pin, [text], tell=self._tell)) for text in one.repos),
        ]
        if one.paths and one.kind != Kind.RESEARCH:
            base = one.base or self._chosen.base
            looks += [(("path", base, path), partial(self._path, base, path)) for path in one.paths]
        if any(not check.strip() for check in one.checks):
            looks.append((("check", ""), lambda: scope.checks(one.checks)))
        if one.template:
            looks.append((("template", one.template), lambda: proof.check_template(one.template, Path())))
        found: dict[str, ScoutError] = {first.message: first}
        for key, look in looks:
            if key not in self._looked:
                self._looked[key] = None
                try:
                    look()
                except ScoutError as error:
                    self._looked[key] = error
            if fault := self._looked[key]:
                found.setdefault(fault.message, fault)
        return list(found.values())[1:]

    def _path(self, base: str, path: str) -> None:
        """Does it mean a file of that base? Nobody can say where there is no such base, which is told by itself."""
        try:
            commit = git.resolve(self._desk.repository, base)
        except RepositoryError:
            return
        if commit not in self._files:
            self._files[commit] = scope.files(self._desk, commit)
        scope.paths(self._desk, [path], self._files[commit])

    def check(self, source: str, listed: Listed) -> None:
        """Raise what is wrong, if anything is."""
        if not self._problems and not listed.problems:
            return
        errors = [error for _, error in self._problems]
        lines = {line for line, _ in self._problems}
        if not listed.problems and len(lines) == len(listed.missions) and len({one.message for one in errors}) == 1:
            raise errors[0]
        said = {(line, error.message + (f" ({error.hint})" if error.hint else "")) for line, error in self._problems}
        bad = BadLines(source, said | listed.problems)
        codes = {error.exit_code for error in errors} | ({UsageError.exit_code} if listed.problems else set())
        bad.exit_code = codes.pop() if len(codes) == 1 else UsageError.exit_code
        raise bad
