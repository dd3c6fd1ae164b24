"""The repository whose catalogue is browsed. Every page is made in a thread with a desk of its own: nothing is shared.

The catalogue is brought in step with the note files before a page is made; a process that nobody waits for checks
which notes still hold.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from scoutkit import git, process
from scoutkit.desk import Desk
from scoutkit.errors import ScoutError
from scoutkit.search.sync import Seen

Made = TypeVar("Made")
OFTEN = 10.0  # seconds between two looks at whether something changed that notes hang on
SELDOM = 60.0  # and after so many somebody may have edited a file that notes cite


class Library:
    """Where pages come from: `cwd` is a folder in which git answers for the repository."""

    def __init__(self, cwd: Path, *, here: bool = False) -> None:
        self.cwd = cwd.absolute()
        self.here = here
        self._looked = -SELDOM
        self._checked = -SELDOM
        self._stamp = ("", "")
        self._seen: Seen = {}

    async def make(self, page: Callable[[Desk], Made]) -> Made:
        """A page, made off the event loop. Raises what the page raises."""
        return await asyncio.to_thread(self._make, page)

    async def sync(self) -> None:
        """Bring the catalogue in step, for pages that Datasette makes itself."""
        await self.make(lambda _: None)

    def _make(self, page: Callable[[Desk], Made]) -> Made:
        desk = Desk.open(self.cwd, here=self.here)
        try:
            desk.catalogue.seen = self._seen
            desk.fulltext.patience = 0  # a page says what the index knows; the next one knows more
            desk.sync()
            made = page(desk)
            desk.follow()
            self._watch(desk)
            return made
        finally:
            desk.catalogue.close()
            desk.journal.close()

    def _watch(self, desk: Desk) -> None:
        """Have notes checked where something changed."""
        now = time.monotonic()
        if now - self._looked < OFTEN or not sys.executable:
            return
        self._looked = now
        with contextlib.suppress(ScoutError, OSError):
            stamp = (desk.catalogue.generation, git.resolve(desk.repository, "HEAD"))
            if stamp != self._stamp or now - self._checked > SELDOM:
                self._stamp, self._checked = stamp, now
                here = ["--here"] if self.here else []
                process.detach([sys.executable, "-m", "scoutkit.browse.watching", self.cwd, *here])


def of(catalogue: Path) -> Library | None:
    """The library that a catalogue belongs to, by where it lies; None for a copy that lies elsewhere."""
    common = catalogue.resolve().parent.parent
    if catalogue.name != "scoutkit.db" or catalogue.parent.name != "scoutkit" or not (common / "objects").is_dir():
        return None
    return Library(common.parent if common.name == ".git" else common)
