"""What is shown on stderr while something goes on: live on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Self

from scoutkit.commands import say

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.live import Live


class Display:
    """A context manager; `tell` prints a line of its own meanwhile. `shown` is asked several times a second."""

    console: Console

    def __init__(self) -> None:
        self.live = say.colourful(sys.stderr)
        self._display: Live | None = None

    def shown(self) -> RenderableType:
        """How it goes now. Asked only where it is live."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        if self.live:
            from rich.console import Console
            from rich.live import Live

            self.console = Console(stderr=True)
            self._display = Live(console=self.console, get_renderable=self.shown, refresh_per_second=8, transient=True)
            self._display.start()  # asks at once
        return self

    def __exit__(self, *_: object) -> None:
        if self._display:
            self._display.stop()

    def tell(self, line: str) -> None:
        """A line that stays."""
        if self.live:
            self.console.print(line, markup=False, highlight=False)
        else:
            say.tell(line)
