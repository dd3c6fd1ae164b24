"""What is asked, made concrete: as much of a mission as memory has to know to answer it. No more is imported for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scoutkit import git
from scoutkit.desk import Desk
from scoutkit.errors import Unavailable, UsageError
from scoutkit.model.missions import Kind, Mission

if TYPE_CHECKING:
    from scoutkit.model.agents import Agent

LONGEST = 100_000  # characters of a question, which its note repeats


def mission(desk: Desk, kind: Kind, text: str, agent: Agent, *, base: str, agent_cmd: str = "") -> Mission:
    """A mission that says what and whom, and not yet how: `story.equipped` does.

    RepositoryError for an unknown base; Unavailable for an agent that cannot do it.
    """
    if len(text) > LONGEST:
        raise UsageError(
            f"a question of {len(text):,} characters: at most {LONGEST:,}", "put the text into a file and name that"
        )
    if kind not in agent.kinds:
        can = ", ".join(sorted(agent.kinds)) or "nothing"
        raise Unavailable(f"agent {agent.name} cannot {kind}: it can {can}", _who_can(kind))
    return Mission(kind, text, git.resolve(desk.repository, base), agent.name, agent_cmd)


def _who_can(kind: Kind) -> str:
    """What to say instead, as it would be typed."""
    return f"name one that can: scoutkit {kind} … --agent claude, or --agent-cmd CMD; scoutkit agents lists them"


def fingerprint(command: str) -> str:
    """Tells one-off commands apart, which all go by the name `command`."""
    import hashlib

    return hashlib.sha256(command.encode("utf-8", "replace")).hexdigest()[:8]
