"""A batch: missions from a list, sent several at a time, each by a process of its own; what was finished stays so.

A task is bound to its run's id in the ledger before that run begins, and the journal lets an id begin once. So a batch
that was killed is taken up where it stood: runs that outlived it are waited for, those that were cut short are
finished by recovery, and the rest is sent.
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from scoutkit import ending, process
from scoutkit.batches.ledger import ERRORS, Ledger
from scoutkit.batches.standing import CUT, due, stand
from scoutkit.desk import Desk
from scoutkit.dispatch import records
from scoutkit.dispatch.interruption import Interruption
from scoutkit.errors import NotFound, ScoutError
from scoutkit.model.agents import Narrator
from scoutkit.model.batches import Attempt, Stand, Task
from scoutkit.model.missions import Result, Run, State
from scoutkit.stories import errand, leftovers, opinions, recall

PAUSE = 0.05  # seconds between looks
ADOPTED = 0.5  # seconds between looks at runs that an earlier batch began

Changed = Callable[[Task, Stand], None]


def folder_of(desk: Desk) -> Path:
    """Where the batches of this repository are."""
    return desk.places.state / "batches"


class Batch:
    """Sees to one batch until nothing is left to do, or it is interrupted. `changed` hears of every step of a task."""

    def __init__(self, desk: Desk, ledger: Ledger, *, tell: Narrator, changed: Changed, force: bool = False) -> None:
        self.ledger, self.plan = ledger, ledger.plan
        ledger.refresh()
        self.interrupted = ""
        self._desk, self._tell, self._changed = desk, tell, changed
        self._todo = {task.key: task for task in self.plan.tasks if due(ledger, task, force=force)}
        self._going: dict[int, subprocess.Popen[bytes] | None] = {}  # None: begun by an earlier batch
        self._taken_up: set[int] = set()  # going ones that an earlier process of this batch began
        self._blocked: set[int] = set()
        self._asked: dict[int, int] = {}  # going ones that were asked to stop: how often
        self._told = ledger.heard
        self._adopted = 0.0
        self._by_number: dict[int, list[Task]] = {}
        for task in self.plan.tasks:
            self._by_number.setdefault(task.number, []).append(task)

    def stand(self, task: Task) -> Stand:
        """How a task stands right now."""
        if task.key in self._going:
            return Stand.RUNNING
        if task.key in self._blocked:
            return Stand.BLOCKED
        return Stand.WAITING if task.key in self._todo else stand(self.ledger, task)

    def run_of(self, task: Task) -> Run | None:
        """The last run of a task, once it has begun."""
        attempts = self.ledger.of(task.key).attempts
        return self._row(attempts[-1].run) if attempts else None

    def run(self, jobs: int, tick: Callable[[], None] = lambda: None) -> None:
        """Send what is to be sent, at most `jobs` at a time. `tick` is called several times a second.

        Interrupted, it has the runs that are going on keep what they found, and waits for them.
        """
        with Interruption.listen() as stop:
            for task in self._todo.copy().values():
                self._take_up(task)
            while True:
                self._look()
                if stop.result:
                    self.interrupted = stop.reason
                    self._stop(urgent=stop.urgent)
                else:
                    self._send(jobs, stop)
                tick()
                if not self._going:
                    break
                time.sleep(PAUSE)
        for number in self._by_number:
            self._compare(number)

    # Starting

    def _take_up(self, task: Task) -> None:
        """A run that a killed batch began: it is still at work, or to be settled."""
        attempt = self._last(task)
        if attempt and not attempt.ended and self._row(attempt.run):
            del self._todo[task.key]
            self._going[task.key] = None
            self._taken_up.add(task.key)
            self._changed(task, Stand.RUNNING)

    def _send(self, jobs: int, stop: Interruption) -> None:
        """Fill what is free, the most urgent first."""
        while len(self._going) < jobs and not stop.result and (task := self._next()):
            del self._todo[task.key]
            if known := self._remembered(task):
                self.ledger.note(task=task.key, memory=known[0], path=known[1])
                self._changed(task, Stand.REMEMBERED)
                self._compare(task.number)
                continue
            attempt = self._last(task)
            if attempt is None or attempt.ended:
                attempt = Attempt(self._desk.notebook.new_id())
                self.ledger.note(task=task.key, run=attempt.run)
            self._going[task.key] = errand.start(self.ledger, task, attempt.run, self._desk.where)
            self._changed(task, Stand.RUNNING)

    def _next(self) -> Task | None:
        """The task to send now; those that cannot be sent any more are set aside."""
        ready, moved = None, True
        while moved:
            ready, moved = None, False
            for task in list(self._todo.values()):
                needs = [need for number in task.depends_on for need in self._by_number.get(number, ())]
                needs = [need for need in needs if not self.stand(need).answered]
                if any(need.key not in self._going and need.key not in self._todo for need in needs):
                    del self._todo[task.key]
                    self._blocked.add(task.key)
                    self._changed(task, Stand.BLOCKED)
                    moved = True
                elif not needs and (ready is None or task.priority > ready.priority):
                    ready = task
        return ready

    def _remembered(self, task: Task) -> tuple[str, str] | None:
        """Id and path of a note that answers a task already."""
        if self.plan.force or not task.own:
            return None
        try:
            note = recall.remembered(self._desk, task.mission)
        except ScoutError as error:
            self._tell(f"{self._name(task)}: the notes could not be asked: {error.message}")
            return None
        return (note.id, note.path) if note else None

    # Looking

    def _look(self) -> None:
        self.ledger.refresh()
        for line in dict.fromkeys(self.ledger.told[self._told :]):
            if line not in self.ledger.told[: self._told]:
                self._tell(line)
        if self._told != len(self.ledger.told):
            self._told = len(self.ledger.told)
            self.ledger.note(heard=self._told, sync=False)
        now = time.monotonic()
        adopted = now - self._adopted >= ADOPTED
        if adopted:
            self._adopted = now
        for key, popen in list(self._going.items()):
            task = self.plan.tasks[key]
            if popen is None:
                if adopted:
                    self._follow(task, None)
            elif process.exited(popen):
                self._follow(task, popen.wait())

    def _follow(self, task: Task, code: int | None) -> None:
        """What became of a run whose process ended, with `code`, or which another batch began."""
        self.ledger.refresh()
        attempt = self._last(task)
        assert attempt
        if attempt.ended:
            self._over(task)
            return
        run = self._row(attempt.run)
        if run is None:
            if self._asked.get(task.key):
                self._end(task, attempt, Result.INTERRUPTED, "interrupted before it began")
            else:
                where = self.ledger.folder / ERRORS
                self._end(task, attempt, "error", f"its process ended with {code} before it began: see {where}")
            return
        if run.state is not State.REMOVED and process.alive(run.owner):
            if self._going[task.key] is not None:  # ours came second: it is asked to stop in another way
                self._going[task.key] = None
                self._asked.pop(task.key, None)
            return
        if run.state is not State.REMOVED:
            leftovers.recover(self._desk, self._tell)
            run = self._desk.journal.get(run.id)
        if run.state is State.REMOVED:
            self._settle(task, attempt, run)
        elif not process.alive(run.owner) or run.owner == process.identify():
            self._over(task)  # it could not be finished yet, and that was told: a later command does it

    def _settle(self, task: Task, attempt: Attempt, run: Run) -> None:
        """A run that is over: what belongs to its note, then the ledger's word. May be done twice."""
        result = run.result or Result.FAILED
        if result is Result.STOPPED and attempt.stopping:
            result = Result.INTERRUPTED
        if run.note_path:
            self._touch(task, run, done=result is Result.DONE)
        self._end(task, attempt, result, run.reason, note=run.note_id if run.note_path else "", path=run.note_path)

    def _touch(self, task: Task, run: Run, *, done: bool) -> None:
        """The mission's tags for its note; a draft of an earlier try is superseded by what now answers."""
        drafts = [one for one in self.ledger.of(task.key).attempts if one.path and one.run != run.id]
        changes: list[tuple[str, Mapping[str, object]]] = []
        if task.tags:
            changes.append((run.note_path, {"tags": list(task.tags)}))
        if done and drafts:
            changes.append((run.note_path, {"supersedes": [one.note for one in drafts]}))
            changes += [(one.path, {"status": "deprecated", "superseded_by": run.note_id}) for one in drafts]
        for path, change in changes:
            try:
                self._desk.notebook.amend(path, change)
            except ScoutError as error:  # somebody moved or changed it: it is theirs
                self._tell(f"{path}: could not be given {', '.join(change)}: {error.message}")

    def _end(self, task: Task, attempt: Attempt, ended: str, why: str, **more: Any) -> None:
        self.ledger.note(task=task.key, run=attempt.run, ended=str(ended), why=why, **more)
        self._over(task)

    def _over(self, task: Task) -> None:
        del self._going[task.key]
        self._changed(task, self.stand(task))
        attempt = self._last(task)
        if task.key in self._taken_up and task.key not in self._asked and attempt and attempt.ended in CUT:
            self._todo[task.key] = task  # it was cut short with the batch that began it, not by this one
        self._taken_up.discard(task.key)
        self._compare(task.number)

    def _stop(self, *, urgent: bool) -> None:
        """Ask what is going on to stop; a second time when it is urgent."""
        for key, popen in self._going.items():
            times = self._asked.get(key, 0)
            if times > int(urgent):
                continue
            self._asked[key] = times + 1
            if popen is not None:
                ending.interrupt(popen, urgent=times > 0)
            elif not times and (attempt := self._last(self.plan.tasks[key])):
                self.ledger.note(task=key, run=attempt.run, stopping=True)
                records.ask_to_stop(self._desk.places.records(attempt.run))

    def _compare(self, number: int) -> None:
        """The note that compares what several agents found, once none of them is to be sent again."""
        tasks = self._by_number[number]
        made = self.ledger.comparisons.get(number, ("", ""))
        if len(tasks) < 2 or made[1]:
            return
        if any(task.key in self._going or due(self.ledger, task) for task in tasks):
            return
        answered = [task for task in tasks if stand(self.ledger, task).answered]
        if len(answered) < 2:
            return
        note_id = made[0] or self._desk.notebook.new_id()
        if not made[0]:
            self.ledger.note(number=number, comparison=note_id)
        try:
            note = opinions.compared(self._desk, [(task, self.path_of(task)) for task in answered], note_id)
        except ScoutError as error:
            self._tell(f"{self._name(tasks[0])}: nothing is compared: {error.message}")
            return
        written = self._desk.notebook.write(note, again=bool(made[0]))
        self.ledger.note(number=number, comparison=note_id, path=written.path)
        self._tell(f"compared: {written.id}  {written.path}")

    # What is known

    def path_of(self, task: Task) -> str:
        """The path of a task's note, a draft too; empty where there is none."""
        known = self.ledger.of(task.key)
        return known.path or (known.attempts[-1].path if known.attempts else "")

    def note_of(self, task: Task) -> str:
        """The id of a task's note, a draft too; empty where there is none."""
        known = self.ledger.of(task.key)
        return known.memory or (known.attempts[-1].note if known.attempts else "")

    def why(self, task: Task) -> str:
        """Why a task has no answer, as far as that is known."""
        if self.stand(task) is Stand.BLOCKED:
            return "what it depends on has no answer"
        attempt = self._last(task)
        return attempt.why if attempt and not self.stand(task).answered else ""

    def _last(self, task: Task) -> Attempt | None:
        attempts = self.ledger.of(task.key).attempts
        return attempts[-1] if attempts else None

    def _row(self, run_id: str) -> Run | None:
        try:
            return self._desk.journal.get(run_id)
        except NotFound:
            return None

    def _name(self, task: Task) -> str:
        return f"{self.plan.source}:{task.line}"
