"""Ways to answer a question: scoutkit's, and what it is measured against. Each is given a commit, then its questions.

The baselines are helped: they see no tests, fixtures, documents, changelogs, generated and vendored files, which seldom
hold an answer and often all of its words. Else they see what scoutkit sees, without documentation where that is hidden.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from measures import Answer, Range, shown

from scoutkit import git
from scoutkit.agents.builtin.indexing import terms
from scoutkit.agents.builtin.indexing.index import open_index
from scoutkit.agents.builtin.indexing.paths import Role, role_of
from scoutkit.agents.builtin.indexing.store import Store
from scoutkit.agents.builtin.ranking.question import understand
from scoutkit.agents.builtin.ranking.rank import rank
from scoutkit.agents.builtin.ranking.weights import Weights
from scoutkit.symbols import symbols

Ask = Callable[[str, str], Answer]
"""A question and the name of the project it is about."""

OTHER_WEIGHTS: dict[str, float] = {}  # of scoutkit's, than those chosen
WINDOW, STEP = 40, 20  # lines
LARGEST = 5_000_000
_ASIDE = frozenset({Role.TEST, Role.FIXTURE, Role.DOCUMENT, Role.RECORD, Role.GENERATED, Role.VENDORED})
K1, B = 1.5, 0.75
_STOP = frozenset(
    re.findall(
        r"\w+",
        """a about all also am an and any are as at be been being between both but by can could did do does doing done
        each for from further get gets give given go has have having he her here how i if in into is it its just know
        let like make makes many me more most my no nor not now of off on once only or other our out over own please
        same she should so some such than that the their them then there these they this those through to too two
        under until up us use used uses using very via want was way we were what when where whether which while who
        whom whose why will with within without would you your""",
    )
)


@contextmanager
def scoutkit(where: Path, commit: str, *, docs: bool) -> Iterator[Ask]:
    """The built-in agent's index and ranking."""

    def ask(question: str, project: str) -> Answer:
        found = rank(
            index, understand(question, project=project), Weights(**OTHER_WEIGHTS), read=read if docs else None
        )
        ranges = shown((one.path, one.place.start, one.place.end) for one in found.ranges)
        return Answer([path for path, _ in found.files], ranges, found.margin)

    with (
        Store() as store,
        open_index(store, where, commit, lambda _: None, docs=docs) as index,
        git.Blobs(where) as blobs,
    ):

        def read(path: str) -> str | None:
            content = blobs.read(f"{commit}:{path}")
            return None if content is None else content.decode("utf-8", "replace")

        yield ask


@contextmanager
def grep(where: Path, commit: str, *, docs: bool) -> Iterator[Ask]:
    """What `git grep -i -F` with each word of the question says: files by how many words they hold, rare ones counting
    for more, and a little by how often; in each the ten lines around the first that holds the most."""
    files = {path: text.lower() for path, _, text in texts(where, commit, docs=docs)}

    def ask(question: str, _: str) -> Answer:
        wanted = [word for word in keywords(question) if len(word) > 2]
        scores: dict[str, float] = {}
        for word in dict.fromkeys(wanted):
            counts = {path: count for path, text in files.items() if (count := text.count(word))}
            for path, count in counts.items():
                worth = math.log(1 + len(files) / len(counts)) * (1 + 0.1 * math.log(count))
                scores[path] = scores.get(path, 0.0) + worth
        best = sorted(scores, key=lambda path: (-scores[path], path))
        return Answer(best, [_densest(path, files[path], wanted) for path in best[:10]])

    yield ask


def _densest(path: str, text: str, wanted: list[str]) -> Range:
    lines = text.split("\n")
    at = max(range(len(lines)), key=lambda number: sum(word in lines[number] for word in wanted))
    return path, max(1, at - 4), min(len(lines), at + 5)


@contextmanager
def files_bm25(where: Path, commit: str, *, docs: bool) -> Iterator[Ask]:
    """BM25 of whole files: words as written, in lower case."""
    everything = [(path, _counted(key, keywords, text)) for path, key, text in texts(where, commit, docs=docs)]
    ranked = _bm25([words for _, words in everything])

    def ask(question: str, _: str) -> Answer:
        return Answer([everything[at][0] for at in ranked(keywords(question))], None)

    yield ask


@contextmanager
def split_bm25(where: Path, commit: str, *, docs: bool) -> Iterator[Ask]:
    """The same with identifiers split and words stemmed, as scoutkit does."""
    everything = [(path, _counted(key, split, text)) for path, key, text in texts(where, commit, docs=docs)]
    ranked = _bm25([words for _, words in everything])

    def ask(question: str, _: str) -> Answer:
        return Answer([everything[at][0] for at in ranked(split(" ".join(keywords(question))))], None)

    yield ask


@contextmanager
def windows(where: Path, commit: str, *, docs: bool) -> Iterator[Ask]:
    """BM25 of windows of 40 lines that overlap by half, identifiers split and words stemmed; a file is as good as its
    best window."""
    pieces: list[Range] = []
    counts: list[Counter[str]] = []
    for path, key, text in texts(where, commit, docs=docs):
        lines = text.split("\n")
        for first in range(0, max(1, len(lines) - STEP), STEP):
            pieces.append((path, first + 1, min(first + WINDOW, len(lines))))
            counts.append(_counted((*key, first), split, "\n".join(lines[first : first + WINDOW])))
    ranked = _bm25(counts)

    def ask(question: str, _: str) -> Answer:
        best = [pieces[at] for at in ranked(split(" ".join(keywords(question))))[:2000]]
        return Answer(list(dict.fromkeys(path for path, _, _ in best)), shown(best[:200]))

    yield ask


METHODS = {
    "scoutkit": scoutkit,
    "git grep keywords": grep,
    "file BM25": files_bm25,
    "file BM25, split": split_bm25,
    "40-line windows": windows,
}


def keywords(text: str) -> list[str]:
    """The words of a text, in lower case, but for those that say nothing."""
    return [word for word in re.findall(r"\w+", text.lower()) if word not in _STOP]


def split(text: str) -> list[str]:
    """Words, parts of identifiers and stems as scoutkit's index has them."""
    return [term for word in terms.raw(text) for term in terms.expand(word)]


_COUNTED: dict[tuple[object, ...], Counter[str]] = {}  # a file that many commits have is counted once


def _counted(key: tuple[object, ...], words: Callable[[str], list[str]], text: str) -> Counter[str]:
    if key not in _COUNTED:
        _COUNTED[key] = Counter(words(text))
    return _COUNTED[key]


def _bm25(texts: list[Counter[str]]) -> Callable[[list[str]], list[int]]:
    """The numbers of the texts that hold a query's words, best first."""
    lengths = [sum(words.values()) for words in texts]
    usual = sum(lengths) / max(1, len(lengths)) or 1
    postings: dict[str, list[tuple[int, int]]] = {}
    for number, words in enumerate(texts):
        for word, count in words.items():
            postings.setdefault(word, []).append((number, count))

    def ranked(query: list[str]) -> list[int]:
        scores: dict[int, float] = {}
        for word, asked in Counter(query).items():
            found = postings.get(word, [])
            rarity = math.log(1 + (len(texts) - len(found) + 0.5) / (len(found) + 0.5))
            for number, count in found:
                norm = K1 * (1 - B + B * lengths[number] / usual)
                scores[number] = scores.get(number, 0.0) + asked * rarity * count * (K1 + 1) / (count + norm)
        return sorted(scores, key=lambda number: (-scores[number], number))

    return ranked


def texts(where: Path, commit: str, *, docs: bool) -> Iterator[tuple[str, tuple[object, ...], str]]:
    """The text files of a commit: path, what tells its text from others, text."""
    with git.Blobs(where) as blobs:
        for entry in git.tree(where, commit):
            fit = entry.mode.startswith("100") and role_of(entry.path) not in _ASIDE
            raw = blobs.read(entry.blob) if fit else None
            if raw is None or len(raw) > LARGEST or b"\0" in raw[:8192]:
                continue
            text = raw.decode("utf-8", "replace").replace("\r\n", "\n")
            key = (entry.blob,) if docs else (entry.blob, entry.path)
            yield entry.path, key, text if docs else undocumented(entry.path, text)


def undocumented(path: str, text: str) -> str:
    """A text whose comments above definitions and docstrings are blank lines, as the index hides them."""
    lines = text.split("\n")
    for one in symbols(path, text):
        if one.kind == "section":
            break
        for number in range(one.lead, one.start):
            lines[number - 1] = ""
        if one.doc and re.match(r"\s*[A-Za-z]{0,2}[\"']", lines[one.body_start - 1]):
            for number in range(one.body_start, min(one.body_start + one.doc.count("\n") + 1, len(lines) + 1)):
                lines[number - 1] = ""
    return "\n".join(lines)
