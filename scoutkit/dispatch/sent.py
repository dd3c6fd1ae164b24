"""A mission as it was sent, in its run's records, so that it can be sent again. What is secret in it is blotted out."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from scoutkit.dispatch.records import write_durably
from scoutkit.model.agents import Agent
from scoutkit.model.missions import Kind, Limits, Mission
from scoutkit.model.pinned import Pinned

NAME = "mission.json"


@dataclass(frozen=True, slots=True)
class Sent:
    """A mission and who it was for. `agent` is as it is named on the command line; `blotted`: something is missing."""

    mission: Mission
    agent: str
    run_hooks: bool
    blotted: bool


def remember(records: Path, mission: Mission, agent: Agent, *, run_hooks: bool, redact: Callable[[str], str]) -> None:
    """On disk before this returns."""
    records.mkdir(parents=True, mode=0o700, exist_ok=True)
    given = asdict(mission)
    clean = _blot(given, redact)
    value = {"mission": clean, "agent": _named(agent), "run_hooks": run_hooks, "blotted": clean != given}
    write_durably(records / NAME, json.dumps(value))


def remembered(records: Path) -> Sent | None:
    """None where nothing was kept, or what is there is none of ours."""
    try:
        found = json.loads((records / NAME).read_bytes())
        given: dict[str, Any] = found["mission"]
        values: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in given.items()
        }
        values |= {
            "kind": Kind(given["kind"]),
            "limits": Limits(**given["limits"]),
            "sources": tuple(Pinned(**one) for one in given["sources"]),
        }
        return Sent(Mission(**values), str(found["agent"]), bool(found["run_hooks"]), bool(found["blotted"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _named(agent: Agent) -> str:
    """With its argument; a file's path is made absolute, since it is read from another folder next time."""
    argument = str(getattr(agent, "argument", ""))
    if not argument:
        return agent.name
    path = Path(argument)
    return f"{agent.name}:{path.absolute() if path.suffix and path.is_file() else argument}"


def _blot(value: Any, redact: Callable[[str], str]) -> Any:
    match value:
        case str():
            return redact(str(value))
        case dict():
            return {name: _blot(one, redact) for name, one in value.items()}
        case list() | tuple():
            return type(value)(_blot(one, redact) for one in value)
    return value
