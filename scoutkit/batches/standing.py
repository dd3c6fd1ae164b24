"""How a task of a batch stands, and whether it is to be sent, by what is durable alone."""

from __future__ import annotations

from scoutkit.batches.ledger import Ledger
from scoutkit.model.batches import Stand, Task
from scoutkit.model.missions import Result

TRIES = 2  # runs of a task that may fail by themselves, over all resumptions
CUT = {Result.INTERRUPTED, Result.KILLED}  # from outside: that says nothing of the mission


def stand(ledger: Ledger, task: Task) -> Stand:
    """Nothing is known here of what goes on."""
    known = ledger.of(task.key)
    if known.memory:
        return Stand.REMEMBERED
    if not known.attempts:
        return Stand.WAITING
    ended = known.attempts[-1].ended
    if ended == Result.DONE:
        return Stand.DONE
    return Stand.INTERRUPTED if not ended or ended in CUT else Stand.FAILED


def due(ledger: Ledger, task: Task, *, force: bool = False) -> bool:
    """Is a task to be sent (again)? A run that failed by itself is tried once more; `force`: as often as one likes."""
    how = stand(ledger, task)
    if how.answered:
        return False
    failed = [one for one in ledger.of(task.key).attempts if one.ended and one.ended not in {*CUT, "error"}]
    return force or how is not Stand.FAILED or len(failed) < TRIES


def left(ledger: Ledger, *, force: bool = False) -> list[Task]:
    """What a resumption would send: tasks that are due, and whose needs have their notes or can still get them."""
    tasks = ledger.plan.tasks
    todo = {task.key for task in tasks if due(ledger, task, force=force)}
    answered = {task.key for task in tasks if stand(ledger, task).answered}
    while True:
        dead = {
            task.key
            for task in tasks
            if task.key in todo
            and any(need.number in task.depends_on and need.key not in todo | answered for need in tasks)
        }
        if not dead:
            return [task for task in tasks if task.key in todo]
        todo -= dead
