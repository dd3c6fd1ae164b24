"""Which files and which lines of a commit answer a question best. Deterministic; reads only the index.

BM25F over the fields of chunks, BM25 over whole files, words in paths, definitions of the names that a question spells
out, what past commits touched, and what kind of file it is. How they are put together: weights.py.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from scoutkit.agents.builtin.indexing.index import Index, Posting
from scoutkit.agents.builtin.indexing.paths import Role
from scoutkit.agents.builtin.indexing.segment import STEP, Place
from scoutkit.agents.builtin.indexing.votes import count as votes_for
from scoutkit.agents.builtin.ranking import names, pointed, verbatim
from scoutkit.agents.builtin.ranking.pointed import FEW
from scoutkit.agents.builtin.ranking.question import MOST, Question
from scoutkit.agents.builtin.ranking.weights import Weights

FILES = 60  # are looked at closely
_PER_FILE = 8  # chunks of each of them
_TESTS = frozenset({Role.TEST, Role.FIXTURE})
_CHOSEN = Weights()


@dataclass(frozen=True, slots=True)
class Range:
    """Lines that answer. `terms` are the question's that they hold; `text`: what of it they hold word for word."""

    path: str
    place: Place
    score: float
    terms: frozenset[str]
    text: str = ""


@dataclass(frozen=True, slots=True)
class Ranking:
    """Best first. `margin` is the best file's score over the second's; `absent` are the question's words found nowhere.

    `tests` and `documents` are the best ranges of such files, which seldom come first by themselves.
    """

    files: tuple[tuple[str, float], ...]
    ranges: tuple[Range, ...]
    tests: tuple[Range, ...]
    documents: tuple[Range, ...]
    margin: float
    absent: tuple[str, ...]
    rare: tuple[str, ...]  # the question's terms that are there, the rarest first


@dataclass(frozen=True, slots=True)
class _Asked:
    """A term of the question that the tree holds."""

    weight: float
    postings: Sequence[Posting]


@dataclass(frozen=True, slots=True)
class _File:
    """A file that may answer: its number among the paths and in the index, and its chunks by score."""

    score: float
    number: int
    file: int
    chunks: Sequence[tuple[float, int]]


def rank(index: Index, question: Question, weights: Weights = _CHOSEN, *, read: verbatim.Read | None = None) -> Ranking:
    """The best files and ranges. `read`: files' texts, to look for what the question quotes; None where they do not
    count."""
    asked = _asked(index, question, weights)
    chunks, wholes = _add_up(index, asked.values())
    spelled: set[int] = set()
    for name in question.names:
        defined = index.defined(name)
        for chunk in defined:
            chunks[chunk] = chunks.get(chunk, 0.0) + weights.exact * math.log(1 + 20 / len(defined))
            if len(defined) <= FEW:
                spelled.add(index.file_of(chunk))
    most = max(chunks.values(), default=0.0)
    for chunk, score in pointed.frames(index, question).items():
        chunks[chunk] = chunks.get(chunk, 0.0) + max(weights.frame, weights.verbatim * most) * score
    for chunk, score in pointed.written(index, question).items():
        chunks[chunk] = chunks.get(chunk, 0.0) + max(weights.frame, weights.verbatim * most) * score
        spelled.add(index.file_of(chunk))
    quoted = verbatim.find(index, verbatim.literals(question.text), read) if read and not question.frames else []
    for hit in quoted:
        chunks[hit.chunk] = chunks.get(hit.chunk, 0.0) + weights.verbatim * most * hit.words / quoted[0].words
    paths = _path_scores(index, question)
    heard = weights.history * most
    votes = votes_for(index.subjects, question.counts) if heard else {}
    factors = _factors(index, question, weights)
    files: list[_File] = []
    aside: dict[str, list[_File]] = {Role.TEST: [], Role.DOCUMENT: []}
    for file, held in _by_file(index, chunks, paths).items():
        best = heapq.nlargest(4, held)
        own = sum(score * (weights.next_chunks / (at + 1) if at else 1.0) for at, (score, _) in enumerate(best))
        own += weights.whole * wholes.get(file, 0.0)
        for number in index.paths_of[file]:
            role = index.roles[number]
            total = own + weights.path * paths.get(number, 0.0) + heard * votes.get(number, 0.0)
            if role in aside:
                aside[role].append(_File(total, number, file, held))
            factor = max(factors[role], weights.spelled) if file in spelled else factors[role]
            files.append(_File(total * factor, number, file, held))
    said = {term: one for term, one in asked.items() if term in question.counts}
    worth = {term: one.weight for term, one in said.items()}
    best_files = _told(index, question, _best(index, files, FILES), worth, weights.told * most, factors)
    margin = best_files[0].score / best_files[1].score if len(best_files) > 1 else math.inf if best_files else 0.0
    return Ranking(
        files=tuple((index.paths[one.number], one.score) for one in best_files),
        ranges=_with_texts(index, _ranges(index, best_files, factors, weights, said), quoted),
        tests=_ranges(index, _best(index, aside[Role.TEST], 8), {}, weights, said),
        documents=_ranges(index, _best(index, aside[Role.DOCUMENT], 8), {}, weights, said),
        margin=margin,
        absent=_absent(index, question),
        rare=tuple(sorted(said, key=lambda term: -said[term].weight)),
    )


def _asked(index: Index, question: Question, weights: Weights) -> dict[str, _Asked]:
    """The rarest of the question's terms that the tree holds."""
    found = {}
    for term, count in {**dict.fromkeys(question.joined, weights.joined), **question.counts}.items():
        postings = index.postings(term)
        holding = sum(map(index.alive, postings))
        if holding:
            rarity = math.log(1 + (index.chunk_count - holding + 0.5) / (holding + 0.5))
            found[term] = _Asked(count * rarity**weights.rarity, postings)
    return {term: found[term] for term in heapq.nlargest(MOST, found, key=lambda term: found[term].weight)}


def _add_up(index: Index, asked: Iterable[_Asked]) -> tuple[dict[int, float], dict[int, float]]:
    """Scores of chunks and of whole files."""
    chunks: dict[int, float] = {}
    files: dict[int, float] = {}
    for one in asked:
        worth = [one.weight * STEP * value for value in range(256)]
        for posting in one.postings:
            for scores, base, numbers, values in (
                (chunks, index.chunk_bases[posting.piece], posting.chunks, posting.chunk_values),
                (files, index.file_bases[posting.piece], posting.files, posting.file_values),
            ):
                for number, value in zip(numbers, values, strict=True):
                    scores[base + number] = scores.get(base + number, 0.0) + worth[value]
    return chunks, files


def _by_file(
    index: Index, chunks: Mapping[int, float], paths: Mapping[int, float]
) -> dict[int, list[tuple[float, int]]]:
    """The chunks that score of each file of this tree, and files that only their path speaks for."""
    found: dict[int, list[tuple[float, int]]] = {}
    for chunk, score in chunks.items():
        found.setdefault(index.file_of(chunk), []).append((score, chunk))
    for number in paths:
        if (file := index.file_at(number)) is not None:
            found.setdefault(file, [])
    return {file: held for file, held in found.items() if file in index.paths_of}


def _path_scores(index: Index, question: Question) -> dict[int, float]:
    """How rare a word is in paths is told by those that are no tests: fixtures have names by the thousand."""
    scores: dict[int, float] = {}
    counted = [role not in _TESTS for role in index.roles]
    total = sum(counted) or 1
    for term in question.counts:
        numbers, values = index.path_postings(term)
        holding = sum(map(counted.__getitem__, numbers))
        rarity = math.log(1 + (total - holding + 0.5) / (holding + 0.5)) / 100
        for number, value in zip(numbers, values, strict=True):
            scores[number] = scores.get(number, 0.0) + rarity * value
    return scores


def _factors(index: Index, question: Question, weights: Weights) -> dict[str, float]:
    """What a file's role is worth: a tree of nothing but tests is asked about tests."""
    plain = {Role.SOURCE: 1.0, Role.TYPES: weights.types, Role.GENERATED: weights.noise, Role.RECORD: weights.noise}
    factors: dict[str, float] = {role: plain.get(role, weights.aside) for role in Role}
    only_tests = sum(map(index.roles.count, _TESTS)) > 0.9 * len(index.paths)
    for role in _TESTS:
        named = weights.named if role in question.means or only_tests else weights.test
        named = max(named, weights.of_test) if question.of_test and role is Role.TEST else named
        factors[role] = 1.0 if question.wants_tests else named
    if question.wants_tests:  # they are the answer, what they test is not
        factors[Role.SOURCE] = weights.of_code
    return factors | dict.fromkeys(question.means - _TESTS, 1.0)


def _best(index: Index, files: Iterable[_File], most: int) -> list[_File]:
    """In order; of equal ones the shorter path."""
    there = (one for one in files if one.score > 0)
    return heapq.nsmallest(
        most, there, key=lambda one: (-one.score, len(index.paths[one.number]), index.paths[one.number])
    )


def _told(
    index: Index,
    question: Question,
    files: Sequence[_File],
    worth: Mapping[str, float],
    most: float,
    factors: Mapping[str, float],
) -> list[_File]:
    """Files and chunks whose names say what is asked for have up to `most` more."""
    asked = names.asked(question, worth)
    found = []
    for one in files:
        places, first = index.places(one.file), index.first_chunk(one.file)
        more = {chunk: most * told for _, chunk in one.chunks if (told := names.told(places[chunk - first], asked)) > 0}
        if more:
            chunks = [(score + more.get(chunk, 0.0), chunk) for score, chunk in one.chunks]
            score = one.score + max(more.values()) * factors.get(index.roles[one.number], 1.0)
            found.append(replace(one, score=score, chunks=chunks))
        else:
            found.append(one)
    return _best(index, found, FILES)


def _ranges(
    index: Index, files: Sequence[_File], factors: Mapping[str, float], weights: Weights, asked: Mapping[str, _Asked]
) -> tuple[Range, ...]:
    """The chunks of the best files, by their own score and their file's."""
    found = []
    for one in files:
        places, first = index.places(one.file), index.first_chunk(one.file)
        factor = factors.get(index.roles[one.number], 1.0)
        for at, (score, chunk) in enumerate(heapq.nlargest(_PER_FILE, one.chunks)):
            value = score * factor * (1 - weights.later * at) + weights.file_in_range * one.score
            found.append((value, index.paths[one.number], chunk, places[chunk - first]))
    found.sort(key=lambda one: (-one[0], one[1], one[3].start))
    holding = _holding(index, {chunk for _, _, chunk, _ in found}, asked)
    return tuple(Range(path, place, value, frozenset(holding[chunk])) for value, path, chunk, place in found)


def _with_texts(index: Index, ranges: Sequence[Range], hits: Sequence[verbatim.Hit]) -> tuple[Range, ...]:
    """The very lines that hold a text before the chunk that they are in."""
    held: dict[tuple[str, int], verbatim.Hit] = {}
    for hit in reversed(hits):
        file = index.file_of(hit.chunk)
        place = index.places(file)[hit.chunk - index.first_chunk(file)]
        held.update({(index.paths[number], place.start): hit for number in index.paths_of[file]})
    found = []
    for one in ranges:
        if known := held.get((one.path, one.place.start)):
            place = replace(one.place, start=known.start, end=known.end, kind="block")
            found.append(replace(one, place=place, text=known.text))
            if one.place.start == known.start:
                continue  # a place is one answer
        found.append(one)
    return tuple(found)


def _holding(index: Index, chunks: Iterable[int], asked: Mapping[str, _Asked]) -> dict[int, set[str]]:
    """Which of the question's terms each chunk holds."""
    found: dict[int, set[str]] = {chunk: set() for chunk in chunks}
    for term, one in asked.items():
        for posting in one.postings:
            base = index.chunk_bases[posting.piece]
            for chunk in posting.chunks:
                if base + chunk in found:
                    found[base + chunk].add(term)
    return found


def _absent(index: Index, question: Question) -> tuple[str, ...]:
    """Words none of whose terms is anywhere in the tree."""

    def there(term: str) -> bool:
        return len(index.path_postings(term)[0]) > 0 or any(map(index.alive, index.postings(term)))

    return tuple(word for word, found in question.said.items() if not any(map(there, found)))
