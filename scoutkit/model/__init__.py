"""The nouns: what the rooms hand each other. Frozen, without behaviour beyond reading their own fields.

Paths are POSIX and relative to the repository, lines are 1-based and inclusive, times are ISO 8601 in UTC
(`2026-11-29T12:00:00+00:00`), durations are seconds, money is US dollars.

A dataclass takes half a millisecond to make and there are twenty: a group of nouns is made when one of it is asked for,
so that a search does not wait for the nouns of missions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scoutkit.model.agents import END_OF_REPORT as END_OF_REPORT
    from scoutkit.model.agents import Agent as Agent
    from scoutkit.model.agents import Availability as Availability
    from scoutkit.model.agents import Event as Event
    from scoutkit.model.agents import EventKind as EventKind
    from scoutkit.model.agents import Invocation as Invocation
    from scoutkit.model.agents import Reader as Reader
    from scoutkit.model.hits import Hit as Hit
    from scoutkit.model.missions import Kind as Kind
    from scoutkit.model.missions import Limits as Limits
    from scoutkit.model.missions import Mission as Mission
    from scoutkit.model.missions import Outcome as Outcome
    from scoutkit.model.missions import Owner as Owner
    from scoutkit.model.missions import Result as Result
    from scoutkit.model.missions import Run as Run
    from scoutkit.model.missions import State as State
    from scoutkit.model.missions import Usage as Usage
    from scoutkit.model.notes import Anchor as Anchor
    from scoutkit.model.notes import Citation as Citation
    from scoutkit.model.notes import Note as Note
    from scoutkit.model.notes import Problem as Problem
    from scoutkit.model.notes import Region as Region
    from scoutkit.model.notes import Verdict as Verdict
    from scoutkit.model.places import Repository as Repository

NOTE_TYPES = ("ask", "scout", "research", "decision", "note")
STATUSES = ("draft", "stable", "deprecated")

Narrator = Callable[[str], None]
"""Takes one line for a person (stderr)."""

_GROUPS = {
    "places": ("Repository",),
    "notes": ("Verdict", "Region", "Citation", "Anchor", "Note", "Problem"),
    "hits": ("Hit",),
    "missions": ("Kind", "State", "Result", "Limits", "Mission", "Usage", "Outcome", "Owner", "Run"),
    "agents": ("EventKind", "Event", "Reader", "Invocation", "Availability", "Agent", "END_OF_REPORT"),
}
_WHERE = {name: group for group, names in _GROUPS.items() for name in names}


def __getattr__(name: str) -> Any:
    """Makes the group of a noun that is asked for the first time."""
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    group = importlib.import_module(f"{__name__}.{_WHERE[name]}")
    for one in _GROUPS[_WHERE[name]]:
        globals()[one] = getattr(group, one)
    return globals()[name]
