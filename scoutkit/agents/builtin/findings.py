"""What the built-in agent found, as facts: report.py writes them down."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from scoutkit import git, history, symbols
from scoutkit.agents.builtin import around
from scoutkit.agents.builtin.around import Link
from scoutkit.agents.builtin.confidence import band
from scoutkit.agents.builtin.evidence import Cited, cite, words_held
from scoutkit.agents.builtin.index import Index
from scoutkit.agents.builtin.paths import Role, role_of
from scoutkit.agents.builtin.question import Question
from scoutkit.agents.builtin.rank import Range, Ranking
from scoutkit.agents.builtin.segment import Place
from scoutkit.errors import ScoutError
from scoutkit.git import Snapshot
from scoutkit.history import Commit

SPOTS, EXCERPT = 8, 6
_BESIDE = {Role.TEST, Role.FIXTURE, Role.DOCUMENT, Role.RECORD, Role.GENERATED}  # not the answer unless asked for
_ENOUGH = 2  # tests or documents found by the question: then none are looked for by name
_LEAST = 3  # spots, however far below
_FAR_BELOW = 0.6  # of the best range's score
_INLINE_TESTS = re.compile(r"(?:^|\.)tests?(?:\.|$)")
_IMPORTS = re.compile(r"^\s*(?:import|from|use|using|require|package|#\s*include|@?import)\b|\brequire\(")
_COMMENT = re.compile(r"\s*(?://|#(?!include|define)|/\*|\*|--|;|$)")
_PROGRAM = re.compile(r"(?:^|/)(?:__main__|main|cli|index|app|server)\.\w{1,4}$")
_BULK = re.compile(
    r"^(?:bump|merge|release|prepare|version|format|reformat|\[pre-commit|chore|build\(deps|apply|run|v?\d+\.\d)"
    r"|\b(?:dependenc|ruff|black|prettier|rubocop|gofmt|clippy|lint|typos?|copyright|licen[cs]e|changelog|pre-commit|whitespace)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Spot:
    """A range that answers: what the code says of it, the question's words in it as written there, its first lines."""

    cited: Cited
    place: Place
    said: str
    held: tuple[str, ...]
    excerpt: tuple[str, ...]
    left: int  # lines after the excerpt


@dataclass(frozen=True, slots=True)
class Calls:
    """Who calls a definition, and what it calls."""

    name: str
    callers: tuple[Link, ...]
    callees: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class Findings:
    """Everything a report says."""

    question: Question
    ranking: Ranking
    files: int
    spots: tuple[Spot, ...]
    calls: tuple[Calls, ...]
    tests: tuple[Link, ...]
    documents: tuple[Link, ...]
    settings: tuple[Cited, ...]
    changed: tuple[str, ...]  # the paths whose history is told
    commits: tuple[Commit, ...]
    cut_off: bool  # the history is not all there
    unread: dict[str, list[str]]
    languages: dict[str, int]
    instead: tuple[Cited, ...]  # where to begin when nothing answers


def find(question: Question, ranking: Ranking, index: Index, snapshot: Snapshot, where: Path) -> Findings:
    """Read around the best ranges."""
    spots = tuple(_spots(question, ranking, snapshot))
    defined = [spot for spot in spots if spot.place.name and spot.place.kind not in ("section", "block", "test")]
    names = list(dict.fromkeys(spot.place.name for spot in defined))
    places = [(spot.cited.path, spot.place) for spot in spots]
    changed = list(dict.fromkeys(spot.cited.path for spot in spots))[:1]
    commits: list[Commit] | None = []
    try:
        commits = list(history.newest(where, snapshot.commit, changed, limit=20)) if changed else []
    except ScoutError:
        commits = None
    return Findings(
        question=question,
        ranking=ranking,
        files=len(index.paths),
        spots=spots,
        calls=tuple(_calls(index, snapshot, question, defined)),
        tests=tuple(_beside(index, snapshot, ranking.tests, names, spots, Role.TEST, 4, ranking.rare)),
        documents=tuple(_beside(index, snapshot, ranking.documents, names, spots, Role.DOCUMENT, 3, ranking.rare)),
        settings=tuple(around.settings(snapshot, places, question.counts, most=6)),
        changed=tuple(changed),
        commits=tuple([commit for commit in commits or () if not _BULK.search(commit.subject)][:5]),
        cut_off=commits is None or git.git(where, "rev-parse", "--is-shallow-repository").text.strip() == "true",
        unread=index.unread,
        languages=index.languages,
        instead=() if spots else tuple(_entrances(index, snapshot)),
    )


def _spots(question: Question, ranking: Ranking, snapshot: Snapshot) -> list[Spot]:
    """Ranges worth showing, the best files' first. What stands beside the code is left out unless it was asked for or
    comes first by itself; where nothing is left, less will do."""
    meant = {Role.SOURCE, *question.means, *({Role.FIXTURE} if Role.TEST in question.means else ())}
    first = {path for path, _ in ranking.files[:1]}
    ranges = [one for one in ranking.ranges if one.path in first or role_of(one.path) not in _BESIDE - meant]
    enough = min(2, sum(any(term in ranking.rare for term in held) for held in question.said.values()))
    tests = Role.TEST in question.means
    return list(_chosen(_files_first(ranking, ranges), ranking, snapshot, enough=enough, tests=tests)) or list(
        _chosen(_files_first(ranking, ranking.ranges), ranking, snapshot, enough=1, tests=True)
    )


def _chosen(
    ranges: Sequence[Range], ranking: Ranking, snapshot: Snapshot, *, enough: int, tests: bool
) -> Iterator[Spot]:
    """A few a file, none that cannot be cited, holds less than `enough` of what was asked or is far below the best, no
    lists of imports, and tests that stand among the code they test only where `tests` says so."""
    counts: dict[str, int] = {}
    best = max((one.score for one in ranges), default=0.0)
    per_file = band(ranking.margin).per_file
    for one in ranges:
        place = one.place
        if sum(counts.values()) >= (_LEAST if one.score < best * _FAR_BELOW else SPOTS):
            return
        if len(one.terms) < enough or counts.get(one.path, 0) >= per_file or _only_imports(snapshot, one):
            continue
        if not tests and (place.kind == "test" or _INLINE_TESTS.search(place.qualified)):
            continue
        held = _held(snapshot, one, ranking.rare)
        if cited := cite(snapshot, one.path, place.start, place.end, [place.qualified, place.name, *held]):
            counts[one.path] = counts.get(one.path, 0) + 1
            yield _spot(snapshot, one, cited, held, EXCERPT if sum(counts.values()) <= 4 else 2)


def _files_first(ranking: Ranking, ranges: Sequence[Range]) -> list[Range]:
    """The best range of the best files, then the others: the smaller the lead, the more files come first."""
    lead = band(ranking.margin).leaders
    order = {path: at for at, (path, _) in enumerate(ranking.files)}
    firsts = {one.path: one for one in reversed(ranges)}
    leaders = sorted(firsts.values(), key=lambda one: order.get(one.path, len(order)))[:lead]
    return [*leaders, *(one for one in ranges if one not in leaders)]


def _only_imports(snapshot: Snapshot, one: Range) -> bool:
    if one.place.kind != "block":
        return False
    lines = [line for line in (snapshot.lines(one.path) or [])[one.place.start - 1 : one.place.end] if line.strip()]
    return 2 * sum(bool(_IMPORTS.search(line)) for line in lines) > len(lines)


def _spot(snapshot: Snapshot, one: Range, cited: Cited, held: Sequence[str], most: int) -> Spot:
    place, text = one.place, snapshot.text(one.path) or ""
    lines = snapshot.lines(one.path) or []
    symbol = next(
        (
            found
            for found in symbols.symbols(one.path, text)
            if found.qualified == place.qualified and place.start <= found.start <= place.end
        ),
        None,
    )
    first = symbol.start if symbol and symbol.kind != "section" else _code(lines, place)
    shown = lines[first - 1 : place.end]
    if symbol and symbol.doc and symbol.lead == symbol.start:  # a docstring is told, not shown
        head, rest = shown[: symbol.body_start - first], shown[symbol.body_start - first + _docstring(shown, symbol) :]
        shown = head + rest
    most = max(most, min(EXCERPT, symbol.body_start - first + 1)) if symbol else most
    most += 2 if len(shown) <= most + 2 else 0
    excerpt = [line[:160] for line in shown[:most]]
    while excerpt and not excerpt[-1].strip():
        excerpt.pop()
    said = _first_sentence(symbol.doc) if symbol else ""
    held = tuple(word for word in held if word != cited.name)
    return Spot(cited, place, said, held, tuple(excerpt), len(shown) - len(excerpt))


def _code(lines: Sequence[str], place: Place) -> int:
    """The first line of a block that is no comment; its first where all of it is."""
    numbers = range(place.start, min(place.end, len(lines)) + 1)
    return (
        next((at for at in numbers if not _COMMENT.match(lines[at - 1])), place.start)
        if place.kind == "block"
        else place.start
    )


def _held(snapshot: Snapshot, one: Range, rare: Sequence[str]) -> tuple[str, ...]:
    """The question's words in a range as they are written there, beside its own name."""
    text = "\n".join((snapshot.lines(one.path) or [])[one.place.start - 1 : one.place.end])
    return tuple(words_held(text, [term for term in rare if term in one.terms], beside=one.place.name, most=4))


def _docstring(shown: Sequence[str], symbol: symbols.Symbol) -> int:
    """How many lines a docstring takes."""
    body = "\n".join(shown[symbol.body_start - symbol.start :]).lstrip()
    found = re.match(r"[A-Za-z]*(\"\"\"|'''|\"|')(?:.*?)(?<!\\)\1", body, re.DOTALL)
    return found.group().count("\n") + 1 if found else 0


def _first_sentence(doc: str) -> str:
    """What a comment says first; nothing where that could be taken for a citation, a link or markup."""
    paragraph = re.split(r"\n\s*\n|\n\s*[-*@:]", doc, maxsplit=1)[0]
    sentence = re.split(r"(?<=[.!?])\s", " ".join(paragraph.split()), maxsplit=1)[0]
    if len(sentence) > 160:
        sentence = sentence[:160].rsplit(" ", 1)[0] + " …"
    odd = re.search(r"`|[\w/]\.\w+:\d|::\w|#L\d|\blines?\s+\d|https?:|[<>\[\]|{}]|[*_]{2}", sentence)
    return "" if odd or len(re.findall(r"\w{2,}", sentence)) < 3 else sentence.rstrip(".: ")


def _calls(index: Index, snapshot: Snapshot, question: Question, spots: Sequence[Spot]) -> Iterator[Calls]:
    """Of the three best definitions."""
    for spot in spots[:3]:
        path, place = spot.cited.path, spot.place
        found = Calls(
            place.qualified,
            tuple(around.callers(index, snapshot, path, place, most=4)),
            tuple(around.callees(index, snapshot, path, place, question.counts, most=4)),
        )
        if found.callers or found.callees:
            yield found


def _beside(
    index: Index,
    snapshot: Snapshot,
    ranges: Sequence[Range],
    names: Sequence[str],
    spots: Sequence[Spot],
    role: Role,
    most: int,
    rare: Sequence[str],
) -> Iterator[Link]:
    """Tests or documents: those that the question finds, then those that use what answers; one range a file."""
    shown = {spot.cited.path for spot in spots}
    best = ranges[0].score if ranges else 0.0
    seen = set(shown)
    found = 0
    for one in ranges:
        place = one.place
        if found >= most - 1 or one.score < best * 0.6 or len(one.terms) < 2:
            break
        if one.path in seen or role_of(one.path) is not role or _only_imports(snapshot, one):
            continue
        held = _held(snapshot, one, rare)
        if cited := cite(snapshot, one.path, place.start, place.end, [place.name, *held]):
            seen.add(one.path)
            found += 1
            yield Link("", cited, held=tuple(word for word in held if word != cited.name))
    for link in around.users(index, snapshot, names[:4], role, most=most + len(seen)):
        if found < _ENOUGH and link.cited.path not in seen:
            found += 1
            yield link


def _entrances(index: Index, snapshot: Snapshot) -> Iterator[Cited]:
    """Where a reader begins: the sections of the README, main programs."""
    readme = next((path for path in index.paths if re.fullmatch(r"(?i)readme(\.\w+)?", path)), "")
    sections = symbols.symbols(readme, snapshot.text(readme) or "") if readme else []
    for section, after in zip(sections[:5], [*sections[1:], None], strict=False):
        end = min(section.end, after.start - 1) if after else section.end
        if cited := cite(snapshot, readme, section.start, end, [section.name]):
            yield cited
    programs = [path for path in index.paths if _PROGRAM.search(path) and role_of(path) is Role.SOURCE]
    for path in sorted(programs, key=lambda path: (path.count("/"), path))[:4]:
        defined = [one for one in symbols.symbols(path, snapshot.text(path) or "") if one.kind != "constant"]
        if defined and (cited := cite(snapshot, path, defined[0].start, defined[0].end, [defined[0].name])):
            yield cited
