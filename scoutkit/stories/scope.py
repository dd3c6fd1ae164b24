"""What a scout is asked besides its task: checks, the part of the repository it is about, how long its code is kept."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from scoutkit.desk import Desk
from scoutkit.errors import UsageError
from scoutkit.model.missions import Kind, Mission, Run

_TERMS = "scout.json"


def checks(given: Sequence[str]) -> tuple[str, ...]:
    """Commands, each once. UsageError for a blank one: a variable that is not set is no wish for fewer checks."""
    if any(not one.strip() for one in given):
        raise UsageError("a check is empty", 'name a command: --check "pytest -q", or leave it out')
    return tuple(dict.fromkeys(one.strip() for one in given))


def paths(desk: Desk, given: Sequence[str], files: Collection[str]) -> tuple[str, ...]:
    """Globs from the repository's root, each once. `files`: those of the base.

    As a person typed them: from where they stand if there is such a file, else from the root. UsageError for one that
    means no file.
    """
    from scoutkit.harvest import part

    found = []
    for one in given:
        if not one.strip():
            raise UsageError("a path is empty", "name a part of the repository: --path 'src/**', or leave it out")
        readings = _readings(desk, one)
        meant = next((glob for glob in readings if any(part.within(path, glob) for path in files)), "")
        if not meant:
            near = part.nearest(readings[-1], files)
            hint = f"did you mean {near}?" if near else "for what is not there yet, name the folder that it goes into"
            raise UsageError(f"no file of the base matches the path {one}", hint)
        found.append(meant)
    return tuple(dict.fromkeys(found))


def files(desk: Desk, base: str) -> frozenset[str]:
    """All files of a commit."""
    with desk.snapshot(base) as snapshot:
        return frozenset(snapshot.entries)


def _readings(desk: Desk, glob: str) -> list[str]:
    from scoutkit.harvest import part

    root, prefix = desk.repository.toplevel or desk.places.root, desk.repository.prefix
    if glob.strip().startswith("/"):
        inside = os.path.relpath(os.path.normpath(glob.strip()), root)
        return [part.cleaned(glob if inside.startswith("..") else inside)]
    here = os.path.normpath(f"{prefix}/{glob.strip()}".lstrip("/"))
    return [*([here] if not here.startswith("..") else []), part.cleaned(glob)]


def remember(records: Path, mission: Mission) -> None:
    """For the harvest, whoever does it."""
    from scoutkit.dispatch.records import write_durably

    terms = {"checks": mission.checks, "paths": mission.paths, "keep_days": mission.keep_days}
    write_durably(records / _TERMS, json.dumps(terms))


def remembered(records: Path) -> dict[str, Any]:
    """What was remembered; nothing where that cannot be read."""
    try:
        found = json.loads((records / _TERMS).read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def told(desk: Desk, run: Run, mission: Mission) -> Mission:
    """A run's mission with what a scout was asked besides its task, as its note may say it: nothing secret is in it."""
    if run.kind is not Kind.SCOUT:
        return mission
    terms, blot = remembered(desk.places.records(run.id)), desk.redactor_of(run.id)
    parts, commands = (tuple(blot()(one) for one in terms.get(name) or ()) for name in ("paths", "checks"))
    return replace(mission, paths=parts, checks=commands)
