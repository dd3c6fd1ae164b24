"""What became of a batch's missions: as a table, as data, and as the text of a notification. Sends nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scoutkit.commands import say
from scoutkit.model.batches import Task

if TYPE_CHECKING:
    from scoutkit.desk import Desk
    from scoutkit.stories.batch import Batch


def summary(work: Batch, first: str) -> str:
    """What a notification says: the counts, then what went wrong."""
    lines = [first]
    lines += [
        f"{task.number} {task.asked} {work.stand(task)}: {_question(task)}: {work.why(task)}".rstrip(": ")
        for task in work.plan.tasks
        if not work.stand(task).answered
    ]
    return "\n".join(lines) + "\n"


def table(work: Batch) -> None:
    """A line a mission, then the notes that compare."""
    rows = []
    for task in work.plan.tasks:
        run = work.run_of(task)
        took = "-" if run is None or run.seconds is None else f"{run.seconds:.1f} s"
        note = work.note_of(task) or "-"
        rows.append((str(task.number), work.stand(task).value, task.asked, took, note, _question(task)))
    say.table(("#", "STATE", "AGENT", "TIME", "NOTE", "QUESTION"), rows)
    for number, (note_id, path) in sorted(work.ledger.comparisons.items()):
        if path:
            say.answer(f"compared: {number}  {note_id}  {path}")


def _question(task: Task) -> str:
    text = " ".join(task.mission.text.split())
    return text if len(text) <= 120 else f"{text[:119]}…"


def data(desk: Desk, work: Batch) -> dict[str, Any]:
    """The batch, its missions and its comparisons."""
    plan, made = work.plan, sorted(work.ledger.comparisons.items())
    return {
        "batch": {"id": plan.id, "started": plan.started, "source": plan.source},
        "missions": [_mission(desk, work, task) for task in plan.tasks],
        "comparisons": [{"number": number, "note": _note(desk, *found)} for number, found in made if found[1]],
    }


def _mission(desk: Desk, work: Batch, task: Task) -> dict[str, Any]:
    run = work.run_of(task)
    return {
        "number": task.number,
        "id": task.id or None,
        "line": task.line,
        "kind": task.mission.kind,
        "text": task.mission.text,
        "agent": task.asked,
        "state": work.stand(task),
        "why": work.why(task) or None,
        "note": _note(desk, work.note_of(task), work.path_of(task)),
        "run": {**say.run_json(run), "exit": run.exit} if run else None,
    }


def _note(desk: Desk, note_id: str, path: str) -> dict[str, Any] | None:
    if not path:
        return None
    return say.note_json(replace(desk.notebook.read(path).note, id=note_id, path=path))
