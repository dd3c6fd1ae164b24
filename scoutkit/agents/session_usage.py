"""What a session has used so far, by the files in which Gemini and Copilot keep it, while they grow.

Their streams tell it at the end alone, and not at all of a run that was stopped. Nothing else depends on these files:
their form is the programs' own, and what is not understood in them is left out.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from scoutkit.agents.prices import Tokens, cost
from scoutkit.agents.stream import number
from scoutkit.model.missions import Usage

_LONGEST = 50_000_000  # bytes read at once

Answer = tuple[str, str, Tokens]  # its id, its model, what it used: an id that comes again takes the place of the first


class SessionUsage:
    """One session, resumed or not. `answer` makes an answer of the model from a line; it may raise as `feed` may."""

    def __init__(
        self,
        folder: Path,
        pattern: str,
        answer: Callable[[Mapping[str, Any]], Answer | None],
        *,
        prices: Mapping[str, Any] | None = None,
        priced: bool = True,
    ) -> None:
        self._folder, self._pattern = folder, pattern
        self._answer = answer
        self._prices, self._priced = prices or {}, priced
        self._offsets: dict[Path, int] = {}
        self._answers: dict[str, tuple[str, Tokens]] = {}

    def so_far(self) -> Usage | None:
        """All answers together; None as long as there is none."""
        for file in sorted(self._folder.glob(self._pattern)):
            for line in self._news(file):
                try:
                    said = json.loads(line)
                    if isinstance(said, dict) and (found := self._answer(said)):
                        self._answers[found[0]] = found[1:]
                except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
                    continue  # another version's
        return total(list(self._answers.values()), prices=self._prices, priced=self._priced)

    def _news(self, file: Path) -> list[bytes]:
        """Whole lines that were not read yet."""
        try:
            if file.is_symlink() or not file.is_file():
                return []
            with file.open("rb") as lines:
                lines.seek(self._offsets.get(file, 0))
                whole, newline, _ = lines.read(_LONGEST).rpartition(b"\n")
        except OSError:
            return []
        self._offsets[file] = self._offsets.get(file, 0) + len(whole) + len(newline)
        return whole.split(b"\n") if newline else []


def total(
    used: list[tuple[str, Tokens]], *, prices: Mapping[str, Any] | None = None, priced: bool = True
) -> Usage | None:
    """What models used, together; no cost where the price of one is not known."""
    if not used:
        return None
    costs = [cost(model, tokens, prices) if priced else None for model, tokens in used]
    known = [one for one in costs if one is not None]
    money = round(sum(known), 9) if len(known) == len(costs) else None
    return Usage(sum(tokens.input for _, tokens in used), sum(tokens.output for _, tokens in used), money)


def tokens(said: Mapping[str, Any], read: str, wrote: str, cached: str, *more: str) -> Tokens:
    """The counts of those names; `more` of what was written. What is no count is none."""
    out = sum(number(said.get(name)) or 0 for name in (wrote, *more))
    return Tokens(number(said.get(read)) or 0, out, number(said.get(cached)) or 0)
