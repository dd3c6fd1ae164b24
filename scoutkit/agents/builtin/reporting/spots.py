"""The ranges that a report begins with: which of the ranking's, what the code says of each, and its first lines."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from scoutkit import symbols
from scoutkit.agents.builtin.indexing import terms
from scoutkit.agents.builtin.indexing.paths import Role, role_of
from scoutkit.agents.builtin.indexing.segment import Place
from scoutkit.agents.builtin.ranking.confidence import band
from scoutkit.agents.builtin.ranking.question import Question
from scoutkit.agents.builtin.ranking.rank import Range, Ranking
from scoutkit.agents.builtin.reporting import bodies, comments, looks, naming
from scoutkit.agents.builtin.reporting.code import Code
from scoutkit.agents.builtin.reporting.evidence import Cited, cite, first_sentence, words_held
from scoutkit.agents.builtin.reporting.naming import Node
from scoutkit.symbols import language_of

SPOTS, EXCERPT = 8, 14
_BESIDE = {Role.TEST, Role.FIXTURE, Role.DOCUMENT, Role.RECORD, Role.GENERATED}  # not the answer unless asked for
_LEAST = 3  # spots, however far below
_FAR_BELOW = 0.6  # of the best range's score
_WIDE = 140  # characters of a line
_OVERLOADS = 2  # of one name in a file
_DECLARED = 3  # lines: less is a declaration of what is shown already
_FILES = 6  # that they are in, at most
_INLINE_TESTS = re.compile(r"(?:^|\.)tests?(?:\.|$)")
_IMPORTS = re.compile(r"^\s*(?:import|from|use|using|require|package|#\s*include|@?import)\b|\brequire\(")
_COMMENT = re.compile(r"\s*(?://|#(?!include|define)|/\*|\*|--|;|$)")


@dataclass(frozen=True, slots=True)
class Spot:
    """A range that answers: what the code says of it, the question's words in it as written there, its first lines."""

    cited: Cited
    place: Place
    said: str
    held: tuple[str, ...]
    excerpt: tuple[str, ...]
    lines: int  # of what is shown in part

    @property
    def node(self) -> Node:
        """As a definition."""
        return naming.node(self.cited.path, self.place)

    @property
    def defines(self) -> bool:
        """Is it a definition, and not just lines?"""
        return bool(self.place.name) and self.place.kind not in ("section", "block", "test", "key", "rule", "element")


def choose(code: Code, question: Question, ranking: Ranking, *, most: int, first: Sequence[Node] = ()) -> list[Spot]:
    """Ranges worth showing: `first`, then the best files' first. What stands beside the code is left out unless it was
    asked for or comes first by itself; where nothing is left, less will do."""
    meant = {Role.SOURCE, *question.means, *({Role.FIXTURE} if Role.TEST in question.means else ())}
    leading = {path for path, _ in ranking.files[:1]}
    ranges = [one for one in ranking.ranges if one.path in leading or role_of(one.path) not in _BESIDE - meant]
    enough = min(2, sum(any(term in ranking.rare for term in held) for held in question.said.values()))
    tests = Role.TEST in question.means
    few = leading if not any(len(one.terms) >= enough for one in ranges if one.path in leading) else set()
    given = [_given(code, ranking, one) for one in first]
    found = list(
        _chosen(
            code,
            [*given, *_files_first(ranking, ranges)],
            ranking,
            enough=enough,
            tests=tests,
            most=most,
            sure=len(given),
            few=few,
        )
    )
    if not found:
        found = list(_chosen(code, _files_first(ranking, ranking.ranges), ranking, enough=1, tests=True, most=most))
    return found


def _given(code: Code, ranking: Ranking, one: Node) -> Range:
    known = next((other for other in ranking.ranges if other.path == one.path and other.place.start == one.start), None)
    if known:
        return known
    text = "\n".join(code.lines(one.path)[one.start - 1 : one.end])
    held = {term for word in set(terms.raw(text)) for term in terms.expand(word)} & set(ranking.rare)
    return Range(one.path, Place(one.start, one.end, one.kind, one.last, one.name), 0.0, frozenset(held))


def _chosen(
    code: Code,
    ranges: Iterable[Range],
    ranking: Ranking,
    *,
    enough: int,
    tests: bool,
    most: int,
    sure: int = 0,
    few: Collection[str] = (),
) -> Iterator[Spot]:
    """A few a file, none that cannot be cited, holds less than `enough` of what was asked or is far below the best, no
    lists of imports, and tests that stand among the code they test only where `tests` says so. The first `sure` are
    taken as they are; of files in `few` one will do that holds any of it."""
    counts: dict[str, int] = {}
    seen: set[tuple[str, int]] = set()
    overloads: Counter[tuple[str, str]] = Counter()
    ranges = list(ranges)
    best = max((one.score for one in ranges), default=0.0)
    per_file = band(ranking.margin).per_file
    for at, ranked in enumerate(ranges):
        given = at < sure
        one = _moved(ranked, bodies.written(code, naming.node(ranked.path, ranked.place)))
        place = one.place
        if not given and sum(counts.values()) >= (min(most, _LEAST) if one.score < best * _FAR_BELOW else most):
            return
        again = overloads[one.path, place.qualified] if place.qualified else 0
        if again >= _OVERLOADS or (again and place.end - place.start < _DECLARED):
            continue
        if (one.path, place.start) in seen or (len(counts) >= _FILES and one.path not in counts):
            continue
        plain = not given and not one.text
        least = 1 if one.path in few else enough
        if plain and (len(one.terms) < least or counts.get(one.path, 0) >= per_file or _only_imports(code, one)):
            continue
        if not given and not tests and (place.kind == "test" or _INLINE_TESTS.search(place.qualified)):
            continue
        one = _moved(one, bodies.whole(code, naming.node(one.path, place)))
        place, held = one.place, held_in(code, one, ranking.rare)
        if cited := cite(
            code.snapshot, one.path, place.start, place.end, [one.text, place.qualified, place.name, *held]
        ):
            counts[one.path] = counts.get(one.path, 0) + 1
            seen.add((one.path, place.start))
            overloads[one.path, place.qualified] += 1
            yield _spot(code, one, cited, held, ranking.rare)


def _moved(one: Range, to: Node) -> Range:
    return replace(one, place=replace(one.place, start=to.start, end=to.end))


def _files_first(ranking: Ranking, ranges: Sequence[Range]) -> list[Range]:
    """The best range of the best files, then the others: the smaller the lead, the more files come first."""
    lead = band(ranking.margin).leaders
    order = {path: at for at, (path, _) in enumerate(ranking.files)}
    firsts = {one.path: one for one in reversed(ranges)}
    leaders = sorted(firsts.values(), key=lambda one: order.get(one.path, len(order)))[:lead]
    return [*leaders, *(one for one in ranges if one not in leaders)]


def _only_imports(code: Code, one: Range) -> bool:
    if one.place.kind != "block":
        return False
    lines = [line for line in code.lines(one.path)[one.place.start - 1 : one.place.end] if line.strip()]
    return 2 * sum(bool(_IMPORTS.search(line)) for line in lines) > len(lines)


def _inside(code: Code, one: Range, rare: Sequence[str]) -> str:
    """What a comment in a range says of what was asked: the sentence that has most of it."""
    language = language_of(one.path, code.text(one.path))
    if one.place.kind == "section" or looks.prose(one.path):
        return ""
    lines = code.lines(one.path)[one.place.start - 1 : one.place.end]
    best, most = "", 0
    for sentence in comments.sentences(lines, language):
        held = {term for word in terms.raw(sentence.text) for term in terms.expand(word)}
        asked = sum(term in held for term in rare)
        if asked > most and sentence.text[0] not in ":@\\" and (said := first_sentence(sentence.text)):
            best, most = said, asked
    return f"a comment in it says: {best}" if best else ""


def _spot(code: Code, one: Range, cited: Cited, held: Sequence[str], rare: Sequence[str]) -> Spot:
    place, lines = one.place, code.lines(one.path)
    symbol = code.symbol(one.path, place.qualified, place.start, place.end)
    first = symbol.start if symbol and symbol.kind != "section" else _code(lines, place)
    shown = list(lines[first - 1 : place.end])
    if symbol and symbol.doc and symbol.lead == symbol.start:  # a docstring is told, not shown
        head, rest = shown[: symbol.body_start - first], shown[symbol.body_start - first + _docstring(shown, symbol) :]
        shown = [*head, *rest]
    said = first_sentence(symbol.doc) if symbol else ""
    said = said or _inside(code, one, rare)
    if one.text and cited.name == one.text:
        within = f", in `{place.qualified}`" if place.qualified and "`" not in place.qualified else ""
        said = f"it holds this text{within}"
    told = {term for word in terms.raw(f"{place.qualified} {said}") for term in terms.expand(word)}
    held = tuple(word for word in held if word != cited.name and not set(terms.expand(word)) <= told)
    return Spot(cited, place, said, held, tuple(map(_cut, shown[:EXCERPT])), len(shown))


def _cut(line: str) -> str:
    return line if len(line) <= _WIDE else f"{line[: _WIDE - 1]}…"


def _code(lines: Sequence[str], place: Place) -> int:
    """The first line of a block that is no comment; its first where all of it is."""
    numbers = range(place.start, min(place.end, len(lines)) + 1)
    return (
        next((at for at in numbers if not _COMMENT.match(lines[at - 1])), place.start)
        if place.kind == "block"
        else place.start
    )


def held_in(code: Code, one: Range, rare: Sequence[str]) -> tuple[str, ...]:
    """The question's words in a range as they are written there, beside its own name; of a word's forms one."""
    text = "\n".join(code.lines(one.path)[one.place.start - 1 : one.place.end])
    found = words_held(text, [term for term in rare if term in one.terms], beside=one.place.name, most=6)
    seen: set[str] = set()
    kept = []
    for word in found:
        own = set(terms.expand(word))
        if not own <= seen:
            kept.append(word)
            seen |= own
    return tuple(kept[:4])


def _docstring(shown: Sequence[str], symbol: symbols.Symbol) -> int:
    """How many lines a docstring takes."""
    body = "\n".join(shown[symbol.body_start - symbol.start :]).lstrip()
    found = re.match(r"[A-Za-z]*(\"\"\"|'''|\"|')(?:.*?)(?<!\\)\1", body, re.DOTALL)
    return found.group().count("\n") + 1 if found else 0
