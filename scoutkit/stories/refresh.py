"""Asking again: which notes no longer hold, who would look again, what that cost before, and doing it."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from scoutkit import git
from scoutkit.agents import registry
from scoutkit.anchors import check
from scoutkit.anchors.check import Followed
from scoutkit.desk import Desk
from scoutkit.errors import Refused, ScoutError, Unavailable, UsageError
from scoutkit.model.agents import Agent, Narrator
from scoutkit.model.missions import Kind, Mission, Result, Run, Terms, Usage
from scoutkit.model.notes import Note
from scoutkit.stories import changes, story
from scoutkit.stories.asking import fingerprint
from scoutkit.stories.story import Answer, Earlier, Watcher


@dataclass(frozen=True, slots=True)
class Stale:
    """A note that no longer holds, and the mission that asks again. `instead`: whose place the agent takes."""

    note: Note
    followed: tuple[Followed, ...]
    mission: Mission
    agent: Agent
    instead: str = ""


@dataclass(frozen=True, slots=True)
class Skipped:
    """A note that is not asked again, and why."""

    note: Note
    why: str


_UNCITED = "no citations by which to tell whether it holds; --force asks again"


@dataclass(frozen=True, slots=True)
class Survey:
    """What there is to do. `held` counts notes that hold and were not named."""

    stale: tuple[Stale, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    held: int = 0


@dataclass(frozen=True, slots=True)
class Chosen:
    """What the person chose for all notes. An `agent` of "" is the one that made the note."""

    agent: str = ""
    agent_cmd: str = ""
    base: str = "HEAD"
    terms: Terms = field(default_factory=Terms)
    force: bool = False


@dataclass(frozen=True, slots=True)
class Cost:
    """What runs of one agent cost before: medians over `known` runs; None where no run says."""

    agent: str
    runs: int
    known: int
    seconds: float | None
    usage: Usage = field(default_factory=Usage)


def survey(desk: Desk, named: Sequence[Note], chosen: Chosen) -> Survey:
    """Which of the named notes, or of all, no longer hold at the base and can be asked again.

    Of named notes all others are skipped with a reason; of all notes those that do not hold. UsageError and
    Unavailable where the agent that was asked for cannot be used at all.
    """
    from scoutkit.anchors.region import Regions
    from scoutkit.dispatch import sources

    base = git.resolve(desk.repository, chosen.base)
    given = registry.find(chosen.agent, desk.settings, agent_cmd=chosen.agent_cmd) if _is_given(chosen) else None
    stale: list[Stale] = []
    skipped: list[Skipped] = []
    held = 0
    with Regions(desk.repository, base, notes=desk.settings.notes, elsewhere=sources.here) as regions:
        for note in named or _all(desk):
            if note.status == "deprecated":
                if named:
                    by = f", superseded by {note.superseded_by}" if note.superseded_by else ""
                    skipped.append(Skipped(note, f"deprecated{by}"))
                continue
            followed = tuple(check.follow(note, regions))
            if check.hold(followed) and not (named and chosen.force):
                cites = any(one.counts for one in followed)
                held += not named and cites
                skipped += [Skipped(note, "still holds" if cites else _UNCITED)] if named else []
            elif why := _unfit(desk, note):
                skipped.append(Skipped(note, why))
            else:
                try:
                    agent, instead = (given, "") if given else _maker(desk, note)
                    mission = _mission(desk, note, agent, chosen)
                except (Unavailable, UsageError) as error:
                    skipped.append(Skipped(note, error.message))
                else:
                    stale.append(Stale(note, followed, mission, agent, instead))
    return Survey(tuple(stale), tuple(skipped), held)


def again(desk: Desk, stale: Stale, *, tell: Narrator, watch: Watcher, run_hooks: bool = False) -> Answer:
    """Ask again for one note; it is deprecated once the new one is on disk, and only if the run succeeded."""
    text = changes.told(desk, stale.note, stale.followed, stale.mission.base)
    earlier = Earlier(stale.note, text)
    return story.ask(desk, stale.mission, stale.agent, tell=tell, watch=watch, run_hooks=run_hooks, earlier=earlier)


def overtaken(desk: Desk, stale: Stale) -> str:
    """Why a note need not be asked again after all, where something happened to it meanwhile; else nothing."""
    now = desk.notebook.read(stale.note.path).note
    if now.status != stale.note.status:
        return f"{now.status} meanwhile" + (f", superseded by {now.superseded_by}" if now.superseded_by else "")
    return "" if now.body == stale.note.body else "changed or removed meanwhile"


def costs(desk: Desk, stale: Sequence[Stale]) -> list[Cost]:
    """What the agents' runs cost before, one entry an agent. Only runs of the same kind that came to an end count."""
    past = [run for run in desk.journal.runs() if run.result is Result.DONE]
    wanted: dict[tuple[str, str, Kind], int] = {}
    for one in stale:
        key = (one.mission.agent, one.mission.agent_cmd, one.mission.kind)
        wanted[key] = wanted.get(key, 0) + 1
    return [
        _cost(name, runs, [run for run in past if _alike(run, name, command, kind)])
        for (name, command, kind), runs in wanted.items()
    ]


def _cost(agent: str, number: int, past: Sequence[Run]) -> Cost:
    def median(values: Iterable[float | None]) -> float | None:
        known = [value for value in values if value is not None]
        return statistics.median(known) if known else None

    def whole(values: Iterable[int | None]) -> int | None:
        found = median(values)
        return None if found is None else round(found)

    usage = Usage(
        whole(run.usage.input_tokens for run in past),
        whole(run.usage.output_tokens for run in past),
        median(run.usage.cost_usd for run in past),
    )
    return Cost(agent, number, len(past), median(run.seconds for run in past), usage)


def _alike(run: Run, agent: str, command: str, kind: Kind) -> bool:
    same = run.agent == agent and run.kind is kind
    return same and (not command or run.version == fingerprint(command))


def _is_given(chosen: Chosen) -> bool:
    return bool(chosen.agent or chosen.agent_cmd.strip())


def _all(desk: Desk) -> list[Note]:
    return [replace(desk.notebook.read(hit.path).note, id=hit.id, path=hit.path) for hit in desk.catalogue.list()]


def _unfit(desk: Desk, note: Note) -> str:
    """Why a note that does not hold cannot be asked again; else nothing."""
    from scoutkit import notefile

    if note.status == "draft":
        return "a draft: no finished answer; ask the question itself"
    if note.status != "stable":
        return f"its status is {note.status}"
    if not note.question:
        return f"a {note.type} without a question: scoutkit edit {note.id}"
    if note.type == Kind.RESEARCH:
        return "research is sent again with its sources: scoutkit research"
    if note.type not in list(Kind):
        return f"a {note.type} is not an agent's answer: scoutkit edit {note.id}"
    try:
        desk.catalogue.resolve(note.id)
        notefile.amend(desk.notebook.bytes_of(note.path), {"status": "deprecated", "superseded_by": note.id}, note.path)
    except (UsageError, Refused) as error:  # two notes with this id; front matter that is broken
        return error.message
    return ""


def _maker(desk: Desk, note: Note) -> tuple[Agent, str]:
    """The agent that made a note, where it can be used, else the built-in one; and in whose place."""
    maker = note.by.partition("/")[0].partition(" ")[0]
    if maker in registry.names(desk.settings):
        try:
            return registry.find(maker, desk.settings), ""
        except ScoutError:
            pass  # not installed, or one that needs an argument: said through `instead`
    return registry.find(registry.DEFAULT, desk.settings), note.by or "nobody"


def _mission(desk: Desk, note: Note, agent: Agent, chosen: Chosen) -> Mission:
    return story.plan(
        desk,
        Kind(note.type),
        note.question,
        agent,
        base=chosen.base,
        terms=chosen.terms,
        agent_cmd=chosen.agent_cmd,
    )
