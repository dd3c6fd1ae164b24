"""What of a run's changes to the user's repository can be restored, and doing it: never by itself.

Only what still is as the run left it is restored; everything that this overwrites or takes away is in a backup first.
"""

from __future__ import annotations

import contextlib
import secrets
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from scoutkit import process
from scoutkit.desk import Desk
from scoutkit.dispatch import copies
from scoutkit.errors import NotFound, Refused, ScoutError
from scoutkit.model.fingerprints import Difference
from scoutkit.model.missions import Run, State
from scoutkit.stories.remains import Remains
from scoutkit.stories.restoring import Restoring

WILL, IS, CANNOT, DONE = "will be restored", "is as it was", "cannot be restored", "restored"
_ORDER = ("config", "hook", "git file", "worktree", "HEAD", "ref", "stash", "reflog", "index", "file", "objects")


@dataclass(frozen=True, slots=True)
class Step:
    """One difference, what is to be done about it (`WILL`, `IS`, `CANNOT`, in the end `DONE`), and why not."""

    difference: Difference
    state: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """What `carry_out` would do, in order."""

    run: Run
    steps: tuple[Step, ...]

    def count(self, state: str) -> int:
        """Steps in that state."""
        return sum(step.state == state for step in self.steps)


def plan(desk: Desk, run: Run) -> Plan:
    """What of a run's differences can be restored now. Looks only.

    NotFound where nobody looked before the run; Refused while it goes on.
    """
    if run.state is not State.REMOVED and process.alive(run.owner):
        raise Refused(f"run {run.id} is going on", f"stop it first: scoutkit run stop {run.id}")
    known = copies.changed(desk.places.records(run.id))
    if known is None:
        raise NotFound(
            f"nobody looked at the repository before and after run {run.id}",
            "it did not begin, its agent cannot change anything, or its records are gone",
        )
    found = sorted(known[0], key=lambda one: _ORDER.index(one.what) if one.what in _ORDER else len(_ORDER))
    with Remains(desk, run.id, known[1]) as remains:
        return Plan(run, tuple(_step(remains, one) for one in found))


def carry_out(desk: Desk, made: Plan) -> tuple[Plan, Path]:
    """Restore, each step looked at again just before. What was done, and the backup of what that replaced.

    A step that fails is told, and does not stop the others. What could not be put in its place is in the backup too.
    """
    folder = desk.places.records(made.run.id)
    known = copies.changed(folder)
    assert known, "plan() found it"
    backup = folder / f"undo-{datetime.now(UTC).strftime('%Y%m%dT%H%M%S')}-{secrets.token_hex(2)}"
    backup.mkdir(mode=0o700)
    with (
        Remains(desk, made.run.id, known[1]) as remains,
        contextlib.closing(Restoring(remains, made.run.id, backup)) as restoring,
    ):
        return Plan(made.run, tuple(_carry_out(remains, restoring, one.difference) for one in made.steps)), backup


def _step(remains: Remains, one: Difference) -> Step:
    """Where it stands."""
    if one.what in ("objects", "not looked at"):
        return Step(one, CANNOT, one.why_not)
    was, left = remains.state(one)
    if was:
        return Step(one, IS)
    if one.why_not:
        return Step(one, CANNOT, one.why_not)
    if not left:
        return Step(one, CANNOT, "it is no longer as the run left it")
    if why := remains.missing(one):
        return Step(one, CANNOT, why)
    return Step(one, WILL)


def _carry_out(remains: Remains, restoring: Restoring, one: Difference) -> Step:
    """Restore it if it still is as the run left it."""
    step = _step(remains, one)
    if step.state == WILL:
        try:
            restoring.restore(one)
            return replace(step, state=DONE)
        except (ScoutError, OSError) as error:
            why = error.message if isinstance(error, ScoutError) else error.strerror or str(error)
            step = replace(step, state=CANNOT, why=why)
    if step.state == CANNOT and remains.has(one):
        step = replace(step, why=f"{step.why}; what it was: {restoring.aside(one)}")
    return step
