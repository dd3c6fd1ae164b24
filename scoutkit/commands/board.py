"""How a batch goes, while it goes: a live table on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from scoutkit.commands.display import Display
from scoutkit.model.batches import Stand, Task

if TYPE_CHECKING:
    from rich.console import RenderableType

    from scoutkit.desk import Desk
    from scoutkit.stories.batch import Batch

_ROWS = 12  # running missions that are shown
_LOOK = 0.5  # seconds between looks at what an agent does
_COLOURS = {Stand.DONE: "green", Stand.REMEMBERED: "green", Stand.FAILED: "red", Stand.BLOCKED: "red"}


class Board(Display):
    """Hears of every step of a batch's tasks. A context manager; `tell` prints a line of its own meanwhile."""

    def __init__(self, desk: Desk, tasks: Sequence[Task]) -> None:
        super().__init__()
        self.batch: Batch | None = None
        self._desk, self._tasks = desk, tasks
        self._began: dict[int, float] = {}
        self._doing: dict[int, str] = {}
        self._looked = 0.0
        self._rows: list[tuple[str, ...]] = []
        self._counts: Counter[Stand] = Counter()

    def changed(self, task: Task, stand: Stand) -> None:
        """A task goes on."""
        now = time.monotonic()
        took = f"  {now - self._began.pop(task.key):.1f} s" if task.key in self._began else ""
        if stand is Stand.RUNNING:
            self._began[task.key] = now
            if self.live:
                return
        path = self.batch.path_of(task) if self.batch and stand is not Stand.RUNNING else ""
        self.tell(
            f"{task.number}/{self._tasks[-1].number}  {stand}  {task.asked}{took}  {path or _question(task)}"
            + (f"  ({why})" if stand is Stand.FAILED and self.batch and (why := self.batch.why(task)) else "")
        )

    def tick(self) -> None:
        """Take down what the table shows; it is drawn by another thread."""
        if not self.live or self.batch is None:
            return
        now = time.monotonic()
        if now - self._looked < _LOOK:
            return
        self._looked = now
        self._counts = Counter(self.batch.stand(task) for task in self._tasks)
        rows = []
        for key in list(self._began)[:_ROWS]:
            task = self._tasks[key]
            row = self.batch.run_of(task)
            if row:
                self._doing[key] = _doing(self._desk.places.records(row.id)) or self._doing.get(key, "starting")
            rows.append((str(task.number), task.asked, f"{now - self._began[key]:.0f} s", _question(task), key))
        self._rows = [(*row[:4], self._doing.get(row[4], "starting")) for row in rows]

    def shown(self) -> RenderableType:
        from rich.table import Table
        from rich.text import Text

        table = Table(box=None, pad_edge=False, show_header=False, expand=True)
        for name, ratio in (("number", None), ("agent", None), ("time", None), ("question", 2), ("doing", 3)):
            table.add_column(name, ratio=ratio, no_wrap=True, overflow="ellipsis")
        for row in self._rows:
            table.add_row(*(Text(" ".join(cell.split())) for cell in row))
        ended = ", ".join(f"{count} {stand}" for stand, count in sorted(self._counts.items()))
        table.caption = Text(ended or "starting", style="dim")
        table.caption_justify = "left"
        return table


def _question(task: Task) -> str:
    text = " ".join(task.mission.text.split())
    return text if len(text) <= 100 else f"{text[:99]}…"


def _doing(records: Path) -> str:
    """The last line that tells what a run's agent does."""
    from scoutkit.dispatch.recorded import latest

    event = latest(records)
    return " ".join(event.text.split())[:200] if event else ""
