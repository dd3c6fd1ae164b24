"""Research: a question that is answered by trying it on other people's repositories, each pinned to one commit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from scoutkit.desk import Desk
from scoutkit.errors import UsageError
from scoutkit.model.agents import Agent, Narrator
from scoutkit.model.missions import Kind, Mission, Terms
from scoutkit.stories import story


def plan(
    desk: Desk,
    question: str,
    agent: Agent,
    *,
    repositories: Sequence[str],
    template: str = "",
    base: str,
    terms: Terms,
    agent_cmd: str = "",
    start: Path = Path(),
    tell: Narrator,
) -> Mission:
    """Make it concrete: what can be refused is refused before anything is fetched, then each source is pinned.

    As `story.plan`, paths taken from `start`. RepositoryError for a source that cannot be had, Refused for a template
    with links that lead out.
    """
    from scoutkit.dispatch import proof, sources

    if not repositories:
        raise UsageError("research needs a repository to look at", "--repo PATH or --repo URL, either with @REV")
    for text in repositories:
        sources.read(text, start)
    mission = story.plan(desk, Kind.RESEARCH, question, agent, base=base, terms=terms, agent_cmd=agent_cmd)
    filled = proof.check_template(template, start) if template else ""
    return replace(mission, sources=sources.pin(repositories, start=start, tell=tell), template=filled)
