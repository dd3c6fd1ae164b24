"""What the built-in agent found, as facts, by the kind of question: report.py writes them down."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from scoutkit import symbols
from scoutkit.agents.builtin.indexing.index import Index
from scoutkit.agents.builtin.indexing.paths import Role, role_of
from scoutkit.agents.builtin.ranking.confidence import band
from scoutkit.agents.builtin.ranking.question import Question
from scoutkit.agents.builtin.ranking.rank import Range, Ranking
from scoutkit.agents.builtin.reporting import beside, chain, frames, knobs, naming, past, saying, settings, spots, usage
from scoutkit.agents.builtin.reporting.beside import Beside
from scoutkit.agents.builtin.reporting.chain import Graph
from scoutkit.agents.builtin.reporting.code import Code
from scoutkit.agents.builtin.reporting.entrances import Entrance, entrances
from scoutkit.agents.builtin.reporting.evidence import Cited, citable, cite
from scoutkit.agents.builtin.reporting.frames import Frame
from scoutkit.agents.builtin.reporting.kinds import Kind, asked_for, kind_of
from scoutkit.agents.builtin.reporting.naming import Node
from scoutkit.agents.builtin.reporting.nearby import nearest_words
from scoutkit.agents.builtin.reporting.past import Commit, Past
from scoutkit.agents.builtin.reporting.reasons import Reason, reasons
from scoutkit.agents.builtin.reporting.settings import Setting
from scoutkit.agents.builtin.reporting.spots import Spot
from scoutkit.agents.builtin.reporting.usage import Usage
from scoutkit.snapshot import Snapshot

_SPOTS = {Kind.WHERE: 5, Kind.HAPPENS: 6, Kind.CALLS: 3, Kind.BREAKS: 3, Kind.NAME: 4, Kind.TRACE: 5, Kind.CONFIG: 5}
_SHORT = 10  # words of a question, each of which is meant
_ABSTRACT = re.compile(r"(?:ed|ing|ly|tion|ity|ness|ics|ism|al)$")  # things have names in code, these have seldom
_QUOTED = 4  # words of a question at least: fewer stand anywhere
_CALLERS = 3  # that are shown
_PROGRAM = re.compile(r"(?:^|/)(?:__main__|main|cli|index|app|server)\.\w{1,4}$")
_NAMED = frozenset({Kind.CALLS, Kind.BREAKS, Kind.NAME})


@dataclass(frozen=True, slots=True)
class Open:
    """A question that the facts leave open; `places`: what it is between."""

    text: str
    places: tuple[Cited, ...] = ()


@dataclass(frozen=True, slots=True)
class Findings:
    """Everything a report says. `exact`: the question names one definition, which `spots` begin with, or something that
    this code does not define, and `usages` say where it is used."""

    kind: Kind
    question: Question
    ranking: Ranking
    files: int
    exact: bool
    spots: tuple[Spot, ...]
    graph: Graph
    usages: tuple[Usage, ...]
    siblings: tuple[Cited, ...]  # other definitions by the name of the best one
    entrances: tuple[Entrance, ...]
    failures: tuple[tuple[str, Cited], ...]  # what each is in
    reasons: tuple[Reason, ...]
    made: tuple[Commit, ...]  # the commits that made the best lines what they are, where it was asked why
    tests: tuple[Beside, ...]
    documents: tuple[Beside, ...]
    settings: tuple[Setting, ...]
    past: Past
    frames: tuple[Frame, ...]
    error: tuple[str, str]  # what a traceback ends with
    open: tuple[Open, ...]
    unread: dict[str, list[str]]
    unsaid: int  # files that fit and have a path that no citation can hold
    languages: dict[str, int]
    instead: tuple[Cited, ...]  # where to begin when nothing answers
    meant: dict[str, str]  # words that are nowhere, and the nearest that the code has


def find(question: Question, ranking: Ranking, index: Index, snapshot: Snapshot, where: Path) -> Findings:
    """Read around the best ranges."""
    ranking = _without_quotes(snapshot, question, ranking)
    near = dict(nearest_words(index, snapshot, ranking.absent))
    history = past.look(where, snapshot.commit)
    kind = kind_of(question)
    code = Code(index, snapshot)
    named, exact = usage.targets(code, question, ranking)
    calling = kind in (Kind.CALLS, Kind.BREAKS)
    stranger = usage.stranger(code, question, named) if calling or kind is Kind.NAME else None
    if (
        kind is Kind.NAME and not (named or stranger) and question.text.strip().islower()
    ):  # a word, that is no name here
        kind = Kind.WHERE
    named_only = all(word in question.names or not asked_for(word) for word in question.said)
    exact = exact and (kind in _NAMED or named_only)
    framed = frames.resolve(code, question) if kind is Kind.TRACE else []
    known = [frame.node for frame in reversed(framed) if frame.node]
    if stranger:
        named, exact = [], True
    first = [*named] if kind in _NAMED or exact else list(dict.fromkeys(known))[:3]
    asking = {term for word, held in question.said.items() if not asked_for(word) for term in held}
    meant = question.counts.keys() - asking
    meant_ones = knobs.knobs(code, question, ranking, meant, near, most=6) if kind is Kind.CONFIG else []
    first = first or list(_around(code, meant_ones[:1]))
    usages = [stranger] if stranger else list(_usages(code, kind, named))
    first += list(_callers(code, usages)) if (calling and exact) or stranger else []
    most = len(first) if first and calling and exact else _SPOTS.get(kind, spots.SPOTS)
    chosen = spots.choose(code, question, ranking, most=most, first=first)
    exact = exact and bool(
        stranger or (chosen and chosen[0].node in named)
    )  # what cannot be cited is not what is shown
    nodes = [spot.node for spot in chosen if spot.defines]
    graph = chain.graph(code, nodes[: len(named) or 1] if calling else nodes, question.counts, above=not calling)
    places = [(spot.cited.path, spot.place.start, spot.place.end) for spot in chosen]
    shown = {spot.cited.path for spot in chosen}
    path = [*(edge.caller for edge in graph.chain), *(edge.callee for edge in graph.chain)]
    in_path = list(dict.fromkeys([*path, *(edge.callee for edge in chain.drawn(graph)), *nodes[:3]]))
    called = {edge.callee for edge in graph.edges}
    tops = [edge.caller for edge in graph.edges if edge.sure and edge.caller not in called]
    of_lines = [spot.cited for spot in chosen[:2]] if kind is Kind.WHY else []
    guessed = [one for one in nodes[:1] if _asked_about(question, one)]
    return Findings(
        kind=kind,
        question=question,
        ranking=ranking,
        files=len(index.paths),
        exact=exact,
        spots=tuple(chosen),
        graph=graph,
        siblings=tuple(_siblings(code, nodes)) if nodes and not calling else (),
        entrances=tuple(entrances(code, [*dict.fromkeys([*tops, *nodes])])),
        failures=tuple(saying.failures(code, in_path, most=6)) if kind is Kind.HAPPENS else (),
        reasons=tuple(reasons(code, question, ranking, most=5)) if kind is Kind.WHY else (),
        made=tuple(past.of_lines(where, snapshot.commit, of_lines)) if of_lines else (),
        tests=tuple(beside.tests(code, ranking, nodes, shown, most=4)),
        documents=tuple(beside.documents(code, ranking, nodes, shown, most=3)),
        settings=tuple(meant_ones or settings.settings(code, places, question.counts, most=5)),
        usages=tuple(usages or (one for one in _usages(code, kind, guessed) if one.files)),
        past=history(chosen[0].cited.path, index.paths) if chosen else Past((), (), cut_off=False),
        frames=tuple(framed),
        error=frames.error(question) if kind is Kind.TRACE else ("", ""),
        open=tuple(
            _open(code, question, ranking, chosen, list(near.values()), settled=exact or bool(meant_ones or framed))
        ),
        unread=index.unread,
        unsaid=len({one.path for one in ranking.ranges if not citable(one.path)}),
        languages=index.languages,
        instead=() if chosen else tuple(_entrances(index, snapshot)),
        meant=near,
    )


def _asked_about(question: Question, node: Node) -> bool:
    """May a question about callers mean this one? Not where it names something, and that is something else."""
    names = {part.lower() for name in question.names for part in re.findall(r"[\w$]+", name)}
    return not names or not names.isdisjoint(re.findall(r"[\w$]+", node.name.lower()))


def _without_quotes(snapshot: Snapshot, question: Question, ranking: Ranking) -> Ranking:
    """Without passages of documents that only say the question again: an example of how to ask answers nothing."""
    asked = " ".join(question.text.lower().split())
    if asked.count(" ") + 1 < _QUOTED:
        return ranking

    def tells(one: Range) -> bool:
        if role_of(one.path) not in (Role.DOCUMENT, Role.RECORD):
            return True
        lines = (snapshot.lines(one.path) or [])[one.place.start - 1 : one.place.end]
        return asked not in " ".join(" ".join(lines).lower().split())

    return replace(
        ranking,
        ranges=tuple(one for one in ranking.ranges if tells(one)),
        documents=tuple(one for one in ranking.documents if tells(one)),
    )


def _usages(code: Code, kind: Kind, nodes: Sequence[Node]) -> Iterator[Usage]:
    """Of some definitions, where the kind asks for that."""
    shared: set[str] = set()
    for node in nodes if kind in (Kind.CALLS, Kind.BREAKS) else nodes[:1] if kind is Kind.NAME else ():
        found = usage.usage(code, node)
        if found and not (found.shared and node.last in shared):  # the same calls, which may mean any of them
            shared |= {node.last} if found.shared else set()
            yield found


def _callers(code: Code, usages: Sequence[Usage]) -> Iterator[Node]:
    """What calls the one that is asked about, outside tests: the first of each file."""
    for one in usages[0].files[:_CALLERS] if usages else ():
        if not one.test and (unit := code.unit(one.path, one.lines[0])):
            yield Node(one.path, unit.qualified, unit.lead, unit.end, unit.kind)


def _around(code: Code, settings: Sequence[Setting]) -> Iterator[Node]:
    """The functions that declare and read a setting."""
    found: dict[Node, None] = {}
    for cited in [place for one in settings for place in (one.cited, *one.reads)]:
        if unit := code.unit(cited.path, cited.start):
            found[Node(cited.path, unit.qualified, unit.lead, unit.end, unit.kind)] = None
    yield from list(found)[:3]


def _siblings(code: Code, shown: Sequence[Node]) -> Iterator[Cited]:
    """What else has the best one's name, where that says something: an interface's other implementations, mostly."""
    best = shown[0]
    for one in (
        naming.definitions(code.index, best.last) if best.owner and naming.telling(code.index, best.last) else ()
    ):
        cited = cite(code.snapshot, one.path, one.start, one.end, [one.name])
        if one not in shown and one.owner and cited and cited.name == one.name and role_of(one.path) is Role.SOURCE:
            yield cited


def _open(
    code: Code, question: Question, ranking: Ranking, chosen: Sequence[Spot], meant: Sequence[str], *, settled: bool
) -> Iterator[Open]:
    """What the facts leave open, and nothing else."""
    unclear = False
    for name in question.names[:6] if chosen and not settled else ():
        defined = [one for one in naming.definitions(code.index, name) if role_of(one.path) is Role.SOURCE]
        owners = {one.owner or one.path for one in defined}
        if 2 <= len(owners) == len(defined) <= naming.MANY and not unclear:
            cited = [cite(code.snapshot, one.path, one.start, one.end, [one.name, name]) for one in defined]
            unclear = True
            yield Open(
                f"`{name}` is defined in {len(defined)} places: which one is meant?",
                tuple(one for one in cited if one)[:4],
            )
    low = band(ranking.margin).word == "low"
    first = chosen[0] if chosen else None
    other = next((spot for spot in chosen if first and spot.cited.path != first.cited.path), None)
    if first and other and low and not settled and not unclear:
        yield Open("Which of these is it? Their files score nearly the same:", (first.cited, other.cited))
    words = [word for word in map(asked_for, ranking.absent) if word and word.isprintable() and "`" not in word]
    words = [word for word in words if not _ABSTRACT.search(word)][:3]
    if chosen and words and len(question.said) <= _SHORT:
        listed = ", ".join(f"“{word[:40]}”" for word in words)
        which = "The word is" if len(words) == 1 else "The words are"
        near = f" Did you mean {', '.join(f'“{one}”' for one in meant)}?" if meant else ""
        yield Open(f"What is {listed} called here? {which} nowhere in the code.{near}")


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
