"""What a question's words are worth among things that have names and are told of, the rarer there the more."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping

from scoutkit.agents.builtin.indexing import terms
from scoutkit.agents.builtin.ranking.question import Question, alternatives
from scoutkit.agents.builtin.reporting.kinds import asked_for
from scoutkit.words import split_identifier

Words = tuple[str, ...]  # terms of which any will do: those of a word, and others for the same thing
_WITHIN, _BEGINS = 4, 3  # letters of a term that is looked for within a name, and where that begins or ends


def asked(question: Question, near: Mapping[str, str], asks: Collection[str]) -> list[Words]:
    """The words that say what is meant, but for `asks`. `near`: what the code has instead of words that it has not."""
    words = [(word, held) for word, held in question.said.items() if asked_for(word) and word.lower() not in asks]
    if not words:  # none that would tell one place of the code from another
        left = [word for word in terms.raw(question.text) if len(word) > 2 and word.lower() not in asks]
        words = [(word, terms.expand(word)) for word in left if len(word) > 3 or word.isupper()]
    return [alike((*held, *terms.expand(near.get(word, "")))) for word, held in words]


def alike(held: Iterable[str]) -> Words:
    """Terms, and others for the same things."""
    known = list(held)
    return tuple(dict.fromkeys([*known, *(other for term in known for other in alternatives(term))]))


def worth(count: int, having: int) -> float:
    """Of a word that so many of `count` things have; of none it counts too: the question speaks of something else."""
    return math.log(1 + count / having) if having else 0.5 * math.log(1 + count)


def in_name(words: Words, own: Collection[str], name: str) -> bool:
    """Is a word in a name whose terms are `own`, as one of its parts or within it?"""
    return any(term in own for term in words) or (len(words[0]) >= _WITHIN and words[0] in name.lower())


def at_end(words: Words, name: str) -> bool:
    """Does a name whose words are written together begin or end with one: `maxclients`?"""
    plain = name.lower()
    written = len(split_identifier(name)) == 1
    return written and any(len(one) >= _BEGINS and (plain.startswith(one) or plain.endswith(one)) for one in words)


def terms_of(text: str) -> set[str]:
    """The terms of a text."""
    return {term for word in terms.raw(text) for term in terms.expand(word)}


def own_terms(name: str) -> set[str]:
    """The terms of a name's parts, and the one of the whole."""
    return {*terms_of(name.replace("_", " ").replace("-", " ")), terms.whole(name)}


def unasked(name: str, known: Collection[str]) -> int:
    """How many parts of a name nobody asked for."""
    parts = [part for part in split_identifier(name) if len(part) > 1]
    return sum(set(terms.expand(part)).isdisjoint(known) for part in parts)
