"""The repository whose catalogue is browsed. Every page is made in a thread with a desk of its own: nothing is shared.

The catalogue is brought in step with the note files before a page is made.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from scoutkit.desk import Desk

Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class Library:
    """Where pages come from: `cwd` is a folder in which git answers for the repository."""

    cwd: Path
    here: bool = False

    async def make(self, page: Callable[[Desk], Made]) -> Made:
        """A page, made off the event loop. Raises what the page raises."""
        return await asyncio.to_thread(self._make, page)

    async def sync(self) -> None:
        """Bring the catalogue in step, for pages that Datasette makes itself."""
        await self.make(lambda _: None)

    def _make(self, page: Callable[[Desk], Made]) -> Made:
        desk = Desk.open(self.cwd, here=self.here)
        try:
            desk.sync()
            return page(desk)
        finally:
            desk.catalogue.close()
            desk.journal.close()


def of(catalogue: Path) -> Library | None:
    """The library that a catalogue belongs to, by where it lies; None for a copy that lies elsewhere."""
    common = catalogue.resolve().parent.parent
    if catalogue.name != "scoutkit.db" or catalogue.parent.name != "scoutkit" or not (common / "objects").is_dir():
        return None
    return Library(common.parent if common.name == ".git" else common)
