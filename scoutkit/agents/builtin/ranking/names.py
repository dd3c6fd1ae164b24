"""How far the name of a definition says what a question asks for: `validateProps` where it is asked where props are
validated."""

from __future__ import annotations

from collections.abc import Mapping

from scoutkit.agents.builtin.indexing import terms
from scoutkit.agents.builtin.indexing.segment import Place
from scoutkit.agents.builtin.ranking.question import Question

_NEARLY_ALL = 0.8  # of what is asked for, by what it is worth
_LEAST = 2  # words: one alone names too much
_NO_NAMES = frozenset({"block", "section", "test", "key", "rule", "element"})  # kinds of places
_ASKS = frozenset({"called", "declared", "declares", "define", "defined", "defines", "found", "located", "stored"})

Asked = Mapping[tuple[str, ...], float]
"""The terms of each word that is asked for, and what it is worth."""


def asked(question: Question, worth: Mapping[str, float]) -> Asked:
    """`worth`: of each term that the tree holds."""
    found: dict[tuple[str, ...], float] = {}
    for word, held in question.said.items():
        known = tuple(term for term in held if term in worth)
        if known and word.lower() not in _ASKS:
            found[known] = max(worth[term] for term in known)
    return found


def told(place: Place, asked: Asked) -> float:
    """From 0 to 1: nothing where it says less than nearly all; the less, the more it says beside that."""
    if len(asked) < _LEAST or not place.name or place.kind in _NO_NAMES:
        return 0.0
    parts = set(terms.expand(place.name)) - {terms.whole(place.name)} or set(terms.expand(place.name))
    held = [one for one in asked if not parts.isdisjoint(one)]
    share = sum(asked[one] for one in held) / sum(asked.values())
    if len(held) < _LEAST or share < _NEARLY_ALL:
        return 0.0
    return share * len(parts & {term for one in held for term in one}) / len(parts)
