"""Which files and which lines of a commit answer a question best. Deterministic; reads only the index.

BM25 over the fields of chunks, the same over whole files, words in paths, definitions of the names a question spells
out, and what kind of file it is. The weights were chosen on public question sets: see benchmarks/builtin.py.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass

from scoutkit.agents.builtin.index import Index
from scoutkit.agents.builtin.paths import Role
from scoutkit.agents.builtin.question import MOST, Question
from scoutkit.agents.builtin.segment import STEP, Place

FILES = 60  # are looked at closely


@dataclass(frozen=True, slots=True)
class Weights:
    """How the parts of a score are put together."""

    next_chunks: float = 0.45
    whole: float = 0.4
    path: float = 1.6
    power: float = 0.85
    cover: float = 0.0
    fcover: float = 0.0
    docs: float = 1.0
    exact: float = 2.0
    file_in_range: float = 0.3
    test: float = 0.1
    spelled: float = 0.9  # of a file that defines a name the question spells out, whatever its role
    named: float = 0.5  # instead of `test` where the question means tests
    aside: float = 0.65
    noise: float = 0.3


@dataclass(frozen=True, slots=True)
class Range:
    """Lines that answer, best first. `terms` are the question's that they hold."""

    path: str
    place: Place
    score: float
    terms: frozenset[str]


@dataclass(frozen=True, slots=True)
class Ranking:
    """`margin` is the best file's score over the second's; `absent` are the question's words found nowhere."""

    files: tuple[tuple[str, float], ...]
    ranges: tuple[Range, ...]
    margin: float
    absent: tuple[str, ...]
    rare: tuple[str, ...]  # the question's terms that are there, the rarest first


def rank(index: Index, question: Question, weights: Weights = Weights()) -> Ranking:  # noqa: B008 - frozen
    """The best files and ranges, in order."""
    asked = _asked(index, question)
    chunk_scores: dict[int, float] = {}
    file_scores: dict[int, float] = {}
    full = sum(w**weights.power for _, w, _ in asked.values())
    cov: dict[int, float] = {}
    for term, weight, postings in asked.values():
        del term
        weight = weight**weights.power
        for posting in postings:
            base, file_base = index.chunk_bases[posting.piece], index.file_bases[posting.piece]
            worth = [weight * STEP * value for value in range(256)]
            if weights.fcover:
                for file in posting.files: cov[file_base+file]=cov.get(file_base+file,0)+weight
            for chunk, value in zip(posting.chunks, posting.chunk_values, strict=True):
                chunk_scores[base + chunk] = chunk_scores.get(base + chunk, 0.0) + worth[value]
            for file, value in zip(posting.files, posting.file_values, strict=True):
                file_scores[file_base + file] = file_scores.get(file_base + file, 0.0) + worth[value]
    spelled: dict[int, float] = {}
    for name in question.names:
        defined = index.defined(name)
        for chunk in defined:
            if len(defined) <= 3:
                spelled[index.file_of(chunk)] = weights.spelled
            chunk_scores[chunk] = chunk_scores.get(chunk, 0.0) + weights.exact * math.log(1 + 20 / len(defined))
    by_file: dict[int, list[tuple[float, int]]] = {}
    for chunk, score in chunk_scores.items():
        by_file.setdefault(index.file_of(chunk), []).append((score, chunk))
    paths = _path_scores(index, question)
    factors = _factors(index, question, weights)
    files: list[tuple[float, int, int]] = []
    for file, numbers in index.paths_of.items():
        best = heapq.nlargest(4, by_file.get(file, ()))
        own = sum(score * (1.0 if at == 0 else weights.next_chunks / (at + 1)) for at, (score, _) in enumerate(best))
        own += weights.whole * file_scores.get(file, 0.0)
        if weights.fcover: own *= (cov.get(file,0)/full)**weights.fcover
        for number in numbers:
            factor = max(factors[index.roles[number]], spelled.get(file, 0.0))
            total = (own + weights.path * paths.get(number, 0.0)) * factor
            if total > 0:
                files.append((total, number, file))
    files = heapq.nsmallest(FILES, files, key=lambda one: (-one[0], len(index.paths[one[1]]), index.paths[one[1]]))
    ranges = _ranges(index, files, by_file, factors, weights, asked)
    margin = files[0][0] / files[1][0] if len(files) > 1 else (math.inf if files else 0.0)
    there = sorted(asked, key=lambda term: -asked[term][1])
    return Ranking(
        tuple((index.paths[number], total) for total, number, _ in files), ranges, margin, _absent(index, question), tuple(there)
    )


def _asked(index: Index, question: Question):
    """The question's terms that the tree holds, with their weight and postings."""
    found = {}
    for term, count in question.counts.items():
        postings = index.postings(term)
        holding = sum(index.alive(posting) for posting in postings)
        if holding:
            rarity = math.log(1 + (index.chunk_count - holding + 0.5) / (holding + 0.5))
            found[term] = (term, count * rarity, postings)
    best = sorted(found, key=lambda term: -found[term][1])[:MOST]
    return {term: found[term] for term in best}


def _path_scores(index: Index, question: Question) -> dict[int, float]:
    scores: dict[int, float] = {}
    total = len(index.paths)
    for term in question.counts:
        numbers, values = index.path_postings(term)
        if numbers:
            rarity = math.log(1 + (total - len(numbers) + 0.5) / (len(numbers) + 0.5)) / 100
            for number, value in zip(numbers, values, strict=True):
                scores[number] = scores.get(number, 0.0) + rarity * value
    return scores


def _factors(index: Index, question: Question, weights: Weights) -> dict[str, float]:
    """What a file's role is worth."""
    tests = sum(index.roles.count(role) for role in (Role.TEST, Role.FIXTURE))
    plain = {Role.SOURCE: 1.0, Role.GENERATED: weights.noise, Role.RECORD: weights.noise}
    factors: dict[str, float] = {role: plain.get(role, weights.aside) for role in Role}
    for role in (Role.TEST, Role.FIXTURE):
        factors[role] = weights.named if role in question.means or 2 * tests > len(index.paths) * 1.8 else weights.test
    for role in question.means - {Role.TEST, Role.FIXTURE}:
        factors[role] = weights.docs
    return factors


def _ranges(index, files, by_file, factors, weights, asked) -> tuple[Range, ...]:
    found = []
    top = files[0][0] if files else 1.0
    for total, number, file in files:
        places = index.places(file)
        first = index.first_chunk(file)
        for score, chunk in heapq.nlargest(8, by_file.get(file, ())):
            value = score * factors[index.roles[number]] + weights.file_in_range * total
            found.append((value, number, chunk, places[chunk - first]))
    del top
    found.sort(key=lambda one: (-one[0], index.paths[one[1]], one[3].start))
    holding = _holding(index, {chunk for _, _, chunk, _ in found}, asked)
    return tuple(Range(index.paths[number], place, value, frozenset(holding[chunk])) for value, number, chunk, place in found)


def _holding(index, chunks, asked) -> dict[int, set[str]]:
    """Which of the question's terms each chunk holds."""
    found = {chunk: set() for chunk in chunks}
    for term, _, postings in asked.values():
        for posting in postings:
            base = index.chunk_bases[posting.piece]
            for chunk in posting.chunks:
                if base + chunk in found:
                    found[base + chunk].add(term)
    return found


def _absent(index: Index, question: Question) -> tuple[str, ...]:
    """Words none of whose terms is anywhere in the tree."""
    def there(term: str) -> bool:
        return bool(len(index.path_postings(term)[0])) or any(index.alive(one) for one in index.postings(term))

    return tuple(word for word, found in question.said.items() if not any(map(there, found)))
