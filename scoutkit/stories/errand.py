"""One run of a batch, in a process of its own: `python -m scoutkit.stories.errand FOLDER TASK RUN`, in the repository.

Signals and the adoption of orphans belong to a process, so every run has one. It outlives a batch that is killed, and
needs nothing of it: what it found is in the journal, why it could not begin in the batch's ledger.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from scoutkit import process
from scoutkit.agents import registry
from scoutkit.batches.ledger import ERRORS, Ledger
from scoutkit.desk import Desk
from scoutkit.dispatch.journal import Taken
from scoutkit.errors import NotFound, ScoutError
from scoutkit.model.batches import Task
from scoutkit.stories import story


def start(ledger: Ledger, task: Task, run_id: str, where: Path) -> subprocess.Popen[bytes]:
    """Begin the run of a task, whose id is in the ledger already, in a session of its own. `where`: the repository."""
    argv = [sys.executable, "-m", "scoutkit.stories.errand", str(ledger.folder), str(task.key), run_id]
    with (ledger.folder / ERRORS).open("ab") as errors:
        popen = process.spawn(argv, cwd=where, stdin=subprocess.DEVNULL, stderr=errors, session=True)
    assert popen.stdout
    popen.stdout.close()
    return popen


def main(arguments: Sequence[str]) -> int:
    """Send the agent; an exit code. Nothing is printed but a fault of ours."""
    folder, key, run_id = arguments
    ledger = Ledger(Path(folder))
    plan = ledger.plan
    task = plan.tasks[int(key)]
    desk = None
    try:
        desk = Desk.open(Path.cwd(), here=plan.here)
        agent = registry.find(task.asked, desk.settings, agent_cmd=task.mission.agent_cmd)
        story.ask(
            desk,
            task.mission,
            agent,
            tell=lambda line: ledger.note(tell=line, sync=False),
            watch=lambda _: None,
            run_hooks=plan.run_hooks,
            run_id=run_id,
        )
    except Taken:  # by the errand of a batch that was killed: it goes on
        return 0
    except ScoutError as error:
        if desk is None or not _began(desk, run_id):
            why = f"{error.message} ({error.hint})" if error.hint else error.message
            ledger.note(task=task.key, run=run_id, ended="error", why=why)
        return error.exit_code
    return 0


def _began(desk: Desk, run_id: str) -> bool:
    try:
        return bool(desk.journal.get(run_id))
    except NotFound:
        return False


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
