"""Packs: notes chosen for a prompt within a budget of tokens, and those that were not, each with the reason."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

BUDGET = 8_000  # tokens of a pack, unless a person says otherwise
FORMATS = ("md", "xml", "json")


class Wish(NamedTuple):
    """What a pack is to hold. `notes` are ids of notes that go in first, whatever the task says.

    `code` adds the cited lines; `form` is one of FORMATS; `to` is the commit that citations are followed to, "" for the
    working tree; `only_holding` leaves out every note that is not stable, does not hold, or says of itself that its
    confidence is low while nobody confirmed it; `without` are ids of notes that are never taken.
    """

    task: str
    budget: int = BUDGET
    notes: tuple[str, ...] = ()
    code: bool = False
    form: str = "md"
    to: str = ""
    only_holding: bool = False
    limit: int = 20
    without: tuple[str, ...] = ()


class Packed(NamedTuple):
    """A note that is in a pack. `verdicts` counts its citations by what became of them; `cut`: a part was left out;
    `tokens` is what it takes; `why` says how it came in, for `--explain`."""

    id: str
    path: str
    title: str
    verdicts: Mapping[str, int]
    cut: bool
    tokens: int
    score: float = 0.0
    why: str = ""


class Dropped(NamedTuple):
    """A candidate that is not in the pack, and why in a few words."""

    id: str
    path: str
    title: str
    why: str


class Pack(NamedTuple):
    """What goes into a prompt. `used` never exceeds `budget`, both in tokens as `tokenizer` counts them.

    Every candidate is in one of `notes` and `dropped`.
    """

    text: str
    budget: int
    used: int
    tokenizer: str
    notes: tuple[Packed, ...]
    dropped: tuple[Dropped, ...]
