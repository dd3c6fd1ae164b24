"""Other commands' runs: asking one to stop, and ending what one left when its command was killed."""

from __future__ import annotations

import time
from pathlib import Path

from scoutkit import ending, process
from scoutkit.dispatch import records as kept
from scoutkit.dispatch import worktree
from scoutkit.dispatch.container import ENGINES, remove
from scoutkit.dispatch.journal import Journal
from scoutkit.dispatch.logins import Logins
from scoutkit.dispatch.room import Room
from scoutkit.errors import ScoutError
from scoutkit.model.missions import Owner, Run, State

LOOK = 0.05  # seconds between looks


def stop(run: Run, journal: Journal, records: Path, *, patience: float = 60.0) -> Run:
    """Ask the command that runs it to stop it, and wait until its note is written and its worktree gone.

    Returns the run as it then is: `removed`, or not yet where its command died, which is for the caller to recover.
    Raises ScoutError when its command lives and is not done within `patience` seconds.
    """
    if run.state in {State.CREATED, State.RUNNING}:
        try:
            kept.ask_to_stop(records)
        except OSError as error:
            raise ScoutError(
                f"cannot ask run {run.id} to stop: {error.strerror}: {records}", "check permissions"
            ) from error
    deadline = time.monotonic() + patience
    while run.state is not State.REMOVED and process.alive(run.owner):
        if time.monotonic() >= deadline:
            pid, host = (run.owner.pid, run.owner.host.split("/")[0]) if run.owner else (0, "")
            raise ScoutError(
                f"run {run.id} has not stopped yet: process {pid} on {host} has it", "try again, or end it"
            )
        time.sleep(LOOK)
        run = journal.get(run.id)
    return run


def reap(run: Run, *, grace: float = 2.0) -> list[Owner]:
    """End every process of a run whose command died: the agent's, and git's that were still making its worktree.

    Its container too, and a login that the agent renewed goes back to the user. Returns those that could not be ended:
    as long as there are any, nothing of the run may be removed.
    """
    folder = worktree.marked(run)
    if folder and run.isolation in ENGINES:
        remove(run.isolation, Room(folder, folder, folder, {}, run_id=run.id))
    left = ending.end(lambda: process.family(run.id, [run.child], folder=folder), grace=grace)
    if folder and not left:
        Logins.of(folder).put_back()
    return left
