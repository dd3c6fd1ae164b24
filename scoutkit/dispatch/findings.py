"""What an agent found as data, where it says so beside its report: the built-in one does. Read from a run's events."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scoutkit.dispatch import recorded
from scoutkit.model.agents import EventKind


def facts(folder: Path) -> Mapping[str, Any] | None:
    """Of the last report; None where its agent gave none."""
    found: Any = None
    for event in recorded.events(folder):
        if event.kind is EventKind.REPORT:
            found = event.data.get("facts")
    return found if isinstance(found, Mapping) else None
