"""Evidence as a file of a run's records: `evidence.json`, written before anything of the run is removed."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

from scoutkit.model.evidence import Checked, Committed, Dependency, Evidence, GivenUp, Ran, Touched
from scoutkit.model.notes import Region

NAME = "evidence.json"


def write(records: Path, evidence: Evidence) -> None:
    """So that after any crash it is there whole, or not at all. Raises OSError."""
    fresh = records / f"{NAME}.new"
    handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump(asdict(evidence), file, ensure_ascii=False, indent=1)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(records / NAME)


def read(records: Path) -> Evidence | None:
    """What was written; None where nothing was, or it cannot be understood."""
    try:
        found = json.loads((records / NAME).read_bytes())
        return Evidence(
            touched=tuple(_made(Touched, one) for one in found["touched"]),
            ran=tuple(_made(Ran, one) for one in found["ran"]),
            given_up=tuple(_made(GivenUp, one) for one in found["given_up"]),
            dependencies=tuple(Dependency(**one) for one in found["dependencies"]),
            checks=tuple(
                Checked(one["command"], *(one[when] and _made(Ran, one[when]) for when in ("before", "after")))
                for one in found["checks"]
            ),
            commits=tuple(_made(Committed, one) for one in found["commits"]),
            progress=found["progress"],
            left_out=tuple(found["left_out"]),
            outside=tuple(found["outside"]),
            patch=found["patch"],
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _made(kind: type[Any], table: dict[str, Any]) -> Any:
    """A dataclass from its fields: lists are tuples, and regions are regions."""
    values: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in table.items()}
    if "regions" in values:
        values["regions"] = tuple(
            Region(**one) if isinstance(one, dict) else Region(*one)  # the first was written until 0.1
            for one in values["regions"]
        )
    return kind(**values)
