"""One thread that does what it is handed, one thing after the other: a database connection belongs to one thread."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

Result = TypeVar("Result")


class Worker:
    """Begins at once. It never holds up the end of the process."""

    def __init__(self) -> None:
        self._tasks: queue.SimpleQueue[tuple[Future[Any], Callable[[], Any]]] = queue.SimpleQueue()
        threading.Thread(target=self._work, name="desk", daemon=True).start()

    def do(self, task: Callable[[], Result]) -> Future[Result]:
        """What comes of a task; one that is cancelled before its turn is not begun."""
        future: Future[Result] = Future()
        self._tasks.put((future, task))
        return future

    def _work(self) -> None:
        while True:
            future, task = self._tasks.get()
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(task())
            except BaseException as error:  # noqa: BLE001 - it is raised where the result is waited for
                future.set_exception(error)
