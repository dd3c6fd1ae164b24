"""Everything that uses a definition, file by file: what calls it, and what would notice if it changed."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from scoutkit.agents.builtin.indexing.paths import Role, role_of
from scoutkit.agents.builtin.ranking.question import Question
from scoutkit.agents.builtin.ranking.rank import Ranking
from scoutkit.agents.builtin.reporting import bodies, naming, sites
from scoutkit.agents.builtin.reporting.code import Code
from scoutkit.agents.builtin.reporting.evidence import Cited, citable, cite
from scoutkit.agents.builtin.reporting.naming import Node

_FILES = 300  # are read for one definition
_READ = 40  # source files that are parsed for calls: in more, calls are told by their look
_NAMED = 15  # of them that say which functions call
_PARSED = 8  # test files: of more, calls are told by their look, and only the first say which tests they are
_TARGETS = 2
_OTHERS = 12  # definitions of its name that are told of
_SHOWN = 2  # lines of a file
_DOTTED = re.compile(r"(?<![\w$])([A-Za-z_$][\w$]*)(?:\.|::|->|#)([A-Za-z_$][\w$]*)")
_NOT_CODE = frozenset({Role.DOCUMENT, Role.RECORD, Role.GENERATED})


@dataclass(frozen=True, slots=True)
class Used:
    """A file that uses it: the lines, and what they are in. `sure`: False where it is by name alone."""

    path: str
    lines: tuple[int, ...]
    texts: tuple[str, ...]  # of the first lines, as they are written
    holders: tuple[str, ...]
    sure: bool
    test: bool


@dataclass(frozen=True, slots=True)
class Usage:
    """`cited`: the definition; `files`: those that use it, tests last; `others`: more definitions of its name, in whose
    favour calls were left out, or, where it is `shared`, that the calls may mean as well; `cut`: files that were not
    read."""

    node: Node
    cited: Cited
    files: tuple[Used, ...]
    others: tuple[Cited, ...]
    cut: int
    shared: bool

    @property
    def count(self) -> int:
        """Places in all."""
        return sum(len(one.lines) for one in self.files)


def targets(code: Code, question: Question, ranking: Ranking) -> tuple[list[Node], bool]:
    """The definitions that a question names, best first, and whether they are what it means: `A.b` names its owner, and
    a name with one definition needs none."""
    order = {(one.path, one.place.start): at for at, one in enumerate(ranking.ranges)}
    owners = {name: owner.lower() for owner, name in _DOTTED.findall(question.text)}
    found: list[tuple[bool, int, Node]] = []
    exact = True
    for name in (one for one in question.names if one.isidentifier() or "." not in one):
        defined = [one for one in naming.definitions(code.index, name) if role_of(one.path) not in _NOT_CODE]
        if name.islower() and name.isalpha() and not _spelled(question.text, name):  # a word before it is a name
            defined = [one for one in defined if not bodies.local(code, one)]
        if name in owners.values() and not defined:
            continue
        owned = [one for one in defined if one.owner.lower() == owners.get(name)]
        if not owned and any(name.lower() == owner for owner in owners.values()):
            continue  # it only says whose
        exact = exact and len(set(owned or defined)) == 1  # overloads are one
        found += [(not owned, order.get((one.path, one.start), len(order)), one) for one in owned or defined]
    chosen = list(dict.fromkeys(one for *_, one in sorted(found, key=lambda one: one[:2])))
    chosen = [bodies.written(code, one) for one in chosen[: 1 if exact else _TARGETS]]
    return chosen, bool(chosen) and exact


def _spelled(text: str, name: str) -> bool:
    """Is it written as code is?"""
    return bool(re.search(rf"`[^`]*\b{name}\b[^`]*`|\b{name}\(|[.:#>]{name}\b|\b{name}(?:\.|::|->|#)\w", text))


def usage(code: Code, target: Node) -> Usage | None:
    """Who uses a definition; None where it cannot be cited."""
    target = bodies.whole(code, target)
    cited = cite(code.snapshot, target.path, target.start, target.end, [target.name, target.last])
    if cited is None:
        return None
    others = naming.definitions(code.index, target.last)
    paths = [path for path in naming.mentions(code.index, target.last) if role_of(path) not in _NOT_CODE]
    paths = [path for path in paths if citable(path)]
    source = naming.nearest([path for path in paths if role_of(path) not in naming.TESTS], target.path)
    own = naming.defining(code.index, target.last) - {target.path}  # a test that has its own means that
    tests = [path for path in paths if role_of(path) in naming.TESTS and path not in own]
    files = _files(code, target, source, tests, others)
    shared = not files and len(set(others)) > 1
    if shared:  # nothing tells which of them a call means: it is not nothing that calls it
        files = _files(code, target, source, tests, others, shared=True)
    if not files:
        named = ((path, sites.named(code, path, others)) for path in source[:_FILES])
        files = [_used(code, path, lines) for path, lines in named if lines]
    elsewhere = (one for one in others if one != target)
    cited_too = (cite(code.snapshot, one.path, one.start, one.end, [one.name, one.last]) for one in elsewhere)
    more = list(itertools.islice((one for one in cited_too if one), _OTHERS))
    return Usage(target, cited, tuple(files), tuple(more), max(0, len(paths) - _FILES), shared and bool(files))


def _files(
    code: Code,
    target: Node,
    source: Sequence[str],
    tests: Sequence[str],
    others: Sequence[Node],
    *,
    shared: bool = False,
) -> list[Used]:
    """The files that use it, tests last; of calls that may mean any definition of its name too where it is `shared`."""
    found = [
        (path, list(sites.sites(code, target, path, others, parse=at < _READ, shared=shared)))
        for at, path in enumerate(source[:_FILES])
    ]
    found = sorted((one for one in found if one[1]), key=lambda one: not all(sure for _, sure in one[1]))
    files = [_used(code, path, lines, named=at < _NAMED) for at, (path, lines) in enumerate(found)]
    found = [
        (path, list(sites.sites(code, target, path, others, parse=len(tests) <= _PARSED, shared=shared)))
        for path in tests[: max(0, _FILES - len(source))]
    ]
    found.sort(key=lambda one: -len(one[1]))
    return files + [_used(code, path, lines, named=at < _PARSED) for at, (path, lines) in enumerate(found) if lines]


def _used(code: Code, path: str, found: Sequence[tuple[int, bool]], *, named: bool = True) -> Used:
    test = role_of(path) in naming.TESTS
    units = [code.unit(path, number) for number, _ in found[:20]] if named else []
    holders = dict.fromkeys(unit.name if unit.kind == "test" else unit.qualified for unit in units if unit)
    numbers, lines = tuple(number for number, _ in found), code.lines(path)
    texts = tuple(dict.fromkeys(lines[number - 1].strip() for number in numbers))[:_SHOWN]
    return Used(path, numbers, texts, tuple(holders), all(sure for _, sure in found), test)
