"""How well a few candidates fit a query, by their texts: how many of its words they have and how near each other.

bm25 sees words alone: a note where `cookie` and `signed` stand side by side is worth more than one that has them pages
apart. Between notes that fit as well, one that was found to hold and a newer one come first.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

from scoutkit.search.snippet import lowered, root
from scoutkit.words import is_cjk

_COVERAGE = 1.5  # what having all the words adds to a fit, as a share of it
_NEARNESS = 1.5  # what having them in order and side by side adds
_BESIDE = 30  # characters between two words that belong together
_TRIES = 24  # places that are looked at, of all words together, but three of each
_HELD, _BROKE, _REPLACED, _NEWEST = 0.02, -0.02, -0.05, 0.01  # ties alone are decided by these


class Candidate(NamedTuple):
    """A note that may be meant. `fit` is bm25 as a positive number; `holds` what a check said of it, None if none did;
    `all_words`: it has all the words, whatever its text looks like."""

    key: int
    fit: float
    text: str
    at: str
    status: str
    holds: bool | None
    all_words: bool = False


class Weighed(NamedTuple):
    """A candidate's weight, and the share of the words that it has."""

    key: int
    weight: float
    coverage: float


def weigh(candidates: Sequence[Candidate], terms: Sequence[str]) -> list[Weighed]:
    """Candidates by how well they fit, best first."""
    roots = list(dict.fromkeys(term if is_cjk(term) else root(term) for term in terms))
    newest = {at: rank for rank, at in enumerate(sorted({one.at for one in candidates}), 1)}
    found = []
    for one in candidates:
        coverage, nearness = _looks(lowered(one.text, roots), roots)
        coverage = 1.0 if one.all_words else coverage
        tie = _NEWEST * newest[one.at] / len(newest) + (_REPLACED if one.status == "deprecated" else 0)
        tie += 0 if one.holds is None else _HELD if one.holds else _BROKE
        weight = one.fit * (1 + _COVERAGE * coverage + _NEARNESS * nearness) * (1 + tie)
        found.append(Weighed(one.key, weight, coverage))
    return sorted(found, key=lambda one: (-one.weight, one.key))


def _looks(text: str, roots: Sequence[str]) -> tuple[float, float]:
    """The share of words that a text has, and of neighbours that are neighbours in it."""
    if not roots:
        return 1.0, 0.0
    places = [_begins(text, root, 0) for root in roots]
    near, most = 0, max(_TRIES // len(roots), 3)
    for index, (one, other) in enumerate(itertools.pairwise(roots)):
        at, tries = places[index] if places[index + 1] >= 0 else -1, 0
        while at >= 0 and tries < most:
            after = at + len(one)
            if text.find(other, after, after + _BESIDE) >= 0:
                near += 1
                break
            at, tries = _begins(text, one, after), tries + 1
    return sum(place >= 0 for place in places) / len(roots), near / max(len(roots) - 1, 1)


def _begins(text: str, root: str, start: int) -> int:
    """Where a word begins so; -1 for nowhere."""
    at = text.find(root, start)
    if root < "\u1100":
        while at > 0 and text[at - 1].isalnum() and text[at - 1] < "\u1100":
            at = text.find(root, at + 1)
    return at
