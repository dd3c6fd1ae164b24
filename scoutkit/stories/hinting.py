"""Likely places for a mission's prompt, by words and names alone, as the built-in scout ranks them. Never awaited."""

from __future__ import annotations

import time

from scoutkit.desk import Desk
from scoutkit.errors import ScoutError
from scoutkit.model.agents import Narrator
from scoutkit.model.missions import Kind, Mission

PATIENCE = 1.0  # seconds that a mission's start may take longer for it
READ = 400_000  # bytes that are read for it at most: half a second's work
MOST = 8  # places
OWN = "builtin"  # it ranks by itself


def hints(desk: Desk, mission: Mission, *, tell: Narrator) -> str:
    """The places as a fenced block, best first; "" where there are none, none are wanted, or the commit is not indexed
    and too large to do it now, which is told. That they cannot be had stops no mission."""
    if not mission.hints or mission.agent == OWN or mission.kind is Kind.RESEARCH or PATIENCE <= 0:
        return ""
    from scoutkit.agents.builtin.indexing import tree
    from scoutkit.agents.builtin.ranking import bare
    from scoutkit.reuse.fences import fenced

    until = time.monotonic() + PATIENCE

    def hurry(_: str) -> None:
        if time.monotonic() > until:
            raise tree.Cold("this commit is not indexed yet, and it would take too long")

    try:
        found = bare.places(
            desk.where, mission.base, mission.text, hurry, project=desk.repository.name, limit=MOST, most=READ
        )
    except tree.Cold as error:
        tell(f"no hints for the agent: {error.message} (scoutkit where indexes it)")
        return ""
    except ScoutError as error:
        tell(f"no hints for the agent: {error.message}")
        return ""
    lines = [
        f"{one.path}:{one.place.start}-{one.place.end}  {one.place.qualified or one.place.name}".rstrip()
        for one in found.ranges
    ]
    return fenced("\n".join(line for line in lines if line.isprintable()), "text") if lines else ""
