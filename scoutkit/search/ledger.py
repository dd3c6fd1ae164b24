"""What checks said of one worktree's notes, and what all notes come to: counted, not searched."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from scoutkit.search import checks, facets, health, overview
from scoutkit.search.database import Busy

if TYPE_CHECKING:
    from collections import Counter

    from scoutkit.search.catalogue import Catalogue
    from scoutkit.search.checks import Said
    from scoutkit.search.health import Week
    from scoutkit.search.overview import Overview

Told = ParamSpec("Told")
Answer = TypeVar("Answer")


class Ledger:
    """The other side of a catalogue."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue

    def checked(self, holds: Mapping[str, bool | None], target: str, why: Mapping[str, str] | None = None) -> None:
        """Remember what a check said of notes, by their files: whether they hold against a commit, "" for the working
        tree, and why not; None for one without a citation that counts. What cannot be written now is not remembered."""
        with contextlib.suppress(Busy):
            self._ask(checks.record, holds, target, why or {})

    def standing(self, ids: Sequence[str]) -> dict[str, tuple[str, str]]:
        """Of notes that were checked as they are now: whether they hold (`fresh`, `stale`, `uncited`), and why not."""
        return self._ask(checks.standing, ids)

    def checks(self) -> dict[str, str]:
        """The notes that a check spoke of as they are now, by their files, and when it did (ISO 8601)."""
        return self._ask(checks.when)

    @property
    def head(self) -> str:
        """The commit at which all notes were checked last; "" where nobody did."""
        return self._ask(checks.head)

    def knows_head(self, commit: str) -> None:
        """All notes are checked at this commit."""
        with contextlib.suppress(Busy):
            self._ask(checks.knows_head, commit)

    def overview(self, limit: int) -> Overview:
        """What all notes say together; at most so many of each."""
        return self._ask(overview.look, limit)

    def within(self, folder: str, limit: int = 50) -> Sequence[tuple[str, int]]:
        """What is in a folder and cited: names, those of folders with a `/`, and how many citations lead to each."""
        return self._ask(overview.within, folder, limit)

    def weeks(self, limit: int) -> Sequence[Week]:
        """How citations fared in the last weeks, oldest first."""
        return self._ask(health.weeks, limit)

    def fared(self, weeks: Sequence[Week]) -> None:
        """Remember how citations fared."""
        with contextlib.suppress(Busy):
            self._ask(health.record, weeks)

    def said(self) -> Said:
        """What checks said of the notes as they are now."""
        return self._ask(checks.said)

    def facets(self, ids: Sequence[str]) -> dict[str, Counter[str]]:
        """What these notes can be narrowed by: operators, their values, and how many notes have each."""
        return self._ask(facets.count, ids)

    def _ask(
        self, ask: Callable[Concatenate[sqlite3.Connection, str, Told], Answer], *told: Told.args, **named: Told.kwargs
    ) -> Answer:
        """Ask of this worktree's notes."""
        return self.catalogue.asking(lambda connection: ask(connection, self.catalogue.worktree, *told, **named))
