"""Which sentences of comments and documents answer a question of why: those that have its words and give a reason."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from scoutkit.agents.builtin.indexing import terms
from scoutkit.agents.builtin.indexing.paths import Role, role_of
from scoutkit.agents.builtin.ranking.question import Question, alternatives
from scoutkit.agents.builtin.ranking.rank import Ranking
from scoutkit.agents.builtin.reporting import comments, looks
from scoutkit.agents.builtin.reporting.code import Code
from scoutkit.agents.builtin.reporting.comments import Sentence
from scoutkit.agents.builtin.reporting.evidence import Cited, cite, sayable
from scoutkit.agents.builtin.reporting.kinds import asked_for
from scoutkit.agents.builtin.reporting.weighing import terms_of
from scoutkit.symbols import language_of

_FILES, _LINES = 40, 40_000  # that are read for comments
_DOCUMENTS = 8  # of the files
_HELD = 40  # sentences whose code is looked at
_BELOW = 4  # lines of code that a comment is about
_BESIDE = 0.6  # of a word that stands elsewhere in the same comment
_NEAR = 0.45  # of one that stands in the code, or in the name of what it is in
_NAMED = 1.5  # times what another word of the question is worth
_PART = 0.6  # of a name of which only parts stand there
_LEAST = 0.3  # of the question's words that must be there
_SURE = 0.45  # of them, for a reason that a report begins with
_LEAD = 0.85  # of the best one's score: with no more the next one leaves the best sure
_CLOSE = 0.6  # of the best one's score
_LONGEST = 300  # characters that are quoted
_SHORTEST = 12
_WORTH = {
    Role.SOURCE: 1.0,
    Role.DOCUMENT: 0.7,
    Role.TEST: 0.5,
    Role.FIXTURE: 0.2,
    Role.RECORD: 0.4,
    Role.GENERATED: 0.1,
}
_ASIDE = 0.6  # of other files
_ASKS = frozenset({"justification", "motivation", "rationale", "reason", "reasons"})
_GIVES = re.compile(
    r"(?<!@)\b(?:because|since|so that|so as|otherwise|or else|in order (?:to|not)|to (?:avoid|prevent)|due to|that way"
    r"|this way|work(?:s|ing)? ?around|(?:the )?reasons?|why|HACK|XXX|NOTE|rather than|therefore|hence|thus|unless)\b"
    r"|因为|为了|避免|防止|否则|由于|以便",
    re.IGNORECASE,
)
_HINTS = re.compile(
    r"\b(?:avoid\w*|prevent\w*|instead of|in case|as (?:it|this|we|they)|so (?:we|it|the|they|you|this)|needed"
    r"|necessary|this (?:is|allows|ensures|makes|means)|must|can(?:not|'t)|won't|do(?:es)?n't|do not|never|would"
    r"|(?:needs?|wants?) to|unsafe|security|attack\w*|vulnerab\w*|expensive|faster|slow\w*|performance|races?"
    r"|deadlock\w*|leak\w*|useful|safe\w*|even (?:if|though)|only when|for (?:backwards?|compat\w*)|compatib\w*"
    r"|to (?:keep|ensure|make sure|allow|support|reduce|save|mitigate|protect|preserve|match))\b",
    re.IGNORECASE,
)
_LEANS = re.compile(  # a sentence that begins so goes on with the one before
    r"(?:this|that|these|those|otherwise|because|so|it|they|thus|hence|therefore|without|if not"
    r"|in (?:this|that|which) case|doing|note|but|however|also|and|we)\b",
    re.IGNORECASE,
)
_APART = re.compile(rf"{comments.LISTED.pattern}|[@\\]\w+")  # begins something else than the sentence before
_WRITTEN = re.compile(r"[^\W\d][\w$]{2,}")


@dataclass(frozen=True, slots=True)
class Reason:
    """What a comment says, at its lines; `within`: the name of the definition that it is in or above; `sure`: it has
    enough of the question's words, a word that gives a reason, and a lead; `sayable`: it can stand among other
    words."""

    text: str
    cited: Cited
    within: str
    sure: bool
    sayable: bool


@dataclass(frozen=True, slots=True)
class _Weighed:
    score: float
    share: float  # of the question's words
    path: str
    said: Sentence
    at: int  # the file's place in the ranking
    strong: bool


def reasons(code: Code, question: Question, ranking: Ranking, *, most: int) -> list[Reason]:
    """The best first, each place once."""
    asked = _asked(code, question)
    if not asked:
        return []
    found = sorted(_candidates(code, ranking, asked), key=lambda one: (-one.score, one.at, one.said.start))[: 4 * _HELD]
    named = {terms.whole(name) for name in question.names}
    near = sorted((_with_code(code, one, asked, named) for one in found[:_HELD]), key=lambda one: -one.score)
    absent = sum(word in question.said for word in ranking.absent)
    there = len(asked) / (len(asked) + absent)
    kept: list[Reason] = []
    scores: list[float] = []
    seen: list[tuple[str, int, int]] = []
    for one in near:
        where = (one.path, one.said.first, one.said.last)
        if len(kept) >= most or one.score < _CLOSE * near[0].score:
            break
        if one.share < _LEAST or where in seen or any(comments.plain(one.said.text) == other.text for other in kept):
            continue
        if reason := _reason(code, one, asked, there):
            seen.append(where)
            kept.append(reason)
            scores.append(one.score)
    if len(kept) > 1 and scores[1] > _LEAD * scores[0]:
        kept[0] = replace(kept[0], sure=False)
    return kept


def _asked(code: Code, question: Question) -> dict[tuple[str, ...], float]:
    """The question's words as terms, each with what it is worth; what is nowhere in the code does not count."""
    found: dict[tuple[str, ...], float] = {}
    for word, held in question.said.items():
        if word.lower() in _ASKS or not (word.isascii() or asked_for(word)):
            continue
        there = {term: sum(map(code.index.alive, code.index.postings(term))) for term in held}
        if any(there.values()):
            fewest = min(count for count in there.values() if count)
            rarity = math.log(1 + (code.index.chunk_count + 0.5) / (fewest + 0.5))
            named = _NAMED if word in question.names else 1.0
            found[held] = named * rarity * min(1.0, max(question.counts.get(term, 1.0) for term in held))
    return found


def _candidates(code: Code, ranking: Ranking, asked: Mapping[tuple[str, ...], float]) -> Iterator[_Weighed]:
    """Sentences of the best files that hold a word of the question, they or the rest of their comment."""
    left, documents = _LINES, 0
    order = list(
        dict.fromkeys([*(path for path, _ in ranking.files[:_FILES]), *(one.path for one in ranking.documents)])
    )
    for at, path in enumerate(order):
        lines, role = code.lines(path), role_of(path)
        prose = looks.prose(path)
        documents += prose
        if len(lines) > left or (prose and documents > _DOCUMENTS):
            continue
        left -= len(lines)
        said = list(
            comments.paragraphs(lines) if prose else comments.sentences(lines, language_of(path, code.text(path)))
        )
        worth = _WORTH.get(role, _ASIDE) / (1 + 0.03 * at)
        for run in _runs(said):
            texts = [terms_of(one.text) for one in run]
            whole = set().union(*texts)
            if not any(whole.intersection(held) for held in asked):
                continue
            for first, last in _windows(run):
                own = set().union(*texts[first : last + 1])
                text = " ".join(one.text for one in run[first : last + 1])
                tag = text[0] in "@\\" and not _GIVES.search(text)  # `@throws IOException on error`
                if tag or not _SHORTEST <= len(text) <= _LONGEST * 1.3:
                    continue
                share = _share(asked, own, whole, set())
                strong = bool(_GIVES.search(text) or _HINTS.search(text))
                one = replace(run[first], text=text, end=run[last].end)
                fits = (
                    worth
                    * _gives(text)
                    * (1.0 if last > first or not _LEANS.match(text) else 0.9)
                    * 0.93 ** (last - first)
                )
                yield _Weighed(share * fits, share, path, one, at, strong)


def _gives(text: str) -> float:
    """How much a sentence is worth for the words in it that give reasons."""
    hints = len({match.group().lower() for match in _HINTS.finditer(text)})
    return 0.4 + 0.06 * min(3, hints) + (0.42 if _GIVES.search(text) else 0.2 if hints else 0.0)


def _windows(run: Sequence[Sentence]) -> Iterator[tuple[int, int]]:
    for at, one in enumerate(run):
        yield at, at
        if (
            at + 1 < len(run)
            and not _APART.match(run[at + 1].text)
            and (_LEANS.match(run[at + 1].text) or len(one.text) < 60)
        ):
            yield at, at + 1


def _runs(said: Iterable[Sentence]) -> Iterator[list[Sentence]]:
    """Sentences of one comment together."""
    run: list[Sentence] = []
    for one in said:
        if run and one.first != run[0].first:
            yield run
            run = []
        run.append(one)
    if run:
        yield run


def _with_code(code: Code, one: _Weighed, asked: Mapping[tuple[str, ...], float], named: set[str]) -> _Weighed:
    """With what the code below a comment, and the name of what it is in, have of the question."""
    lines = code.lines(one.path)
    if looks.prose(one.path):
        return one
    below = [line for line in lines[one.said.last : one.said.last + 2 * _BELOW] if not looks.COMMENT.match(line)][
        :_BELOW
    ]
    own = lines[one.said.start - 1 : one.said.end]
    held = code.holder(one.path, one.said.end)
    name = held.qualified if held else ""
    code_terms = terms_of("\n".join((*below, *own, name, one.path.rpartition("/")[2])))
    comment = terms_of("\n".join(lines[one.said.first - 1 : one.said.last]))
    about = {terms.whole(part) for part in re.findall(r"[\w$]+", name)} & named
    share = _share(asked, terms_of(one.said.text) | about, comment, code_terms)
    return replace(one, share=share, score=one.score * share / max(one.share, 0.01))


def _share(asked: Mapping[tuple[str, ...], float], own: set[str], comment: set[str], code: set[str]) -> float:
    """Which share of the question is there."""
    found = sum(
        worth * max(_held(held, own), _BESIDE * _held(held, comment), _NEAR * _held(held, code))
        for held, worth in asked.items()
    )
    return found / sum(asked.values())


def _held(held: Sequence[str], there: set[str]) -> float:
    if held[-1] in there:
        return 1.0
    known = sum(term in there or not there.isdisjoint(alternatives(term)) for term in held)
    return known / len(held) * (_PART if len(held) > 1 else 1.0)


def _reason(code: Code, one: _Weighed, asked: Mapping[tuple[str, ...], float], there: float) -> Reason | None:
    """`there`: which share of the question's words is anywhere in the code."""
    text = comments.plain(one.said.text)
    known = {term for held in asked for term in held}
    words = sorted(
        dict.fromkeys(_WRITTEN.findall(text)), key=lambda word: (not known & set(terms.expand(word)), -len(word))
    )
    cited = cite(code.snapshot, one.path, one.said.start, one.said.end, words[:8])
    if cited is None:
        return None
    held = code.holder(one.path, one.said.end)
    within = held.qualified if held and held.kind != "section" else ""
    said = sayable(text, _LONGEST).rstrip(".")
    return Reason(said or text, cited, within, one.strong and one.share * there >= _SURE, bool(said))
