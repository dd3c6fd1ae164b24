"""What a run is lent: a worktree or a scratch repository with sources, and the ignored files that it needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scoutkit.desk import Desk
from scoutkit.model.agents import Agent, Narrator
from scoutkit.model.missions import Kind, Mission, Run

if TYPE_CHECKING:
    from scoutkit.dispatch.worktree import Checkout


def borrow(desk: Desk, mission: Mission, agent: Agent, run: Run, *, run_hooks: bool, tell: Narrator) -> Checkout:
    """A worktree of the base; for research a scratch repository with the sources beside it."""
    from scoutkit.dispatch import proof, sources, worktree

    if mission.kind is Kind.RESEARCH:
        sources.remember(desk.places.records(run.id), mission.sources, mission.template)
        for one in mission.sources:
            sources.ready(one, tell)
        guarded = mission.isolation != "none"
        return proof.lend(desk.repository, run.id, mission.sources, mission.template, guarded=guarded)
    return worktree.borrow(desk.repository, mission.base, run.id, files=agent.needs_checkout, run_hooks=run_hooks)


def include(desk: Desk, mission: Mission, agent: Agent, checkout: Checkout) -> list[str]:
    """Give an agent that changes things the ignored files that it needs; lines for a person.

    One that only reads gets none: its answer is about a commit, which does not have them.
    """
    if mission.kind is not Kind.SCOUT or not agent.needs_checkout:
        return []
    from scoutkit.dispatch import included

    found = included.copy(desk.repository, checkout.worktree, checkout.shadow)
    included.remember(desk.places.records(checkout.run_id), found)
    return found.said


def altered(mission: Mission, checkout: Checkout) -> list[str]:
    """What an agent without isolation did to sources that it was to read; lines for a person."""
    if not mission.sources or mission.isolation != "none":
        return []
    from scoutkit.dispatch import proof

    return proof.altered(checkout, mission.sources)
