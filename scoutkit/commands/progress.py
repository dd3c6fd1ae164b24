"""What an agent is doing, while it does it: a live line on a terminal, plain lines elsewhere."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

from scoutkit.commands import say
from scoutkit.commands.display import Display
from scoutkit.model.agents import Event, EventKind

if TYPE_CHECKING:
    from rich.console import RenderableType

# A count for the eye; the birth check does the reading. Cheap on any line: the agent and Ctrl-C wait meanwhile.
_CITATION = re.compile(r"(?<=[\w/-])\.\w{1,16}(?::\d|#L\d)")


class Progress(Display):
    """Shows events as they come. A context manager; `tell` prints a line of its own meanwhile."""

    def __init__(self, agent: str) -> None:
        super().__init__()
        self._agent = agent
        self._doing = "starting"
        self._citations = 0
        self._began = time.monotonic()
        self._said = 0.0

    def watch(self, event: Event) -> None:
        """One event of the agent."""
        if event.kind in {EventKind.TEXT, EventKind.REPORT}:
            count = len(_CITATION.findall(event.text))
            self._citations = count if event.kind is EventKind.REPORT else self._citations + count
            last = next((line for line in reversed(event.text.splitlines()) if line.strip()), self._doing)
            self._doing = "done" if event.kind is EventKind.REPORT else last
        elif event.kind in {EventKind.STATUS, EventKind.TOOL_CALL, EventKind.RETRY} and event.text:
            self._doing = " ".join(event.text.split())
            if event.data.get("stays"):
                self.tell(f"{self._agent}: {self._doing}")
            elif not self.live and time.monotonic() - self._said >= 2:  # a log wants to know it lives, not every step
                self._said = time.monotonic()
                say.tell(f"{self._agent}: {self._doing}")

    def shown(self) -> RenderableType:
        from rich.spinner import Spinner
        from rich.text import Text

        seconds = time.monotonic() - self._began
        cited = f", {self._citations} citation{'s' * (self._citations != 1)}" if self._citations else ""
        text = Text(f"{self._agent} {seconds:.0f} s{cited}: {self._doing}")
        text.truncate(self.console.width - 3, overflow="ellipsis")  # the spinner takes two columns
        if not hasattr(self, "_spinner"):
            self._spinner = Spinner("dots")
        self._spinner.text = text
        return self._spinner
