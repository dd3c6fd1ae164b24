"""Everything that uses a definition, file by file: what calls it, and what would notice if it changed."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from scoutkit.agents.builtin.indexing.paths import Role, role_of
from scoutkit.agents.builtin.ranking.question import Question
from scoutkit.agents.builtin.ranking.rank import Ranking
from scoutkit.agents.builtin.reporting import bodies, looks, naming, sites
from scoutkit.agents.builtin.reporting.code import Code
from scoutkit.agents.builtin.reporting.evidence import Cited, citable, cite
from scoutkit.agents.builtin.reporting.meaning import SELF
from scoutkit.agents.builtin.reporting.naming import Node
from scoutkit.calls import has_calls
from scoutkit.symbols import language_of

_FILES = 300  # are read for one definition
_READ = 40  # source files that are parsed for calls: in more, calls are told by their look
_NAMED = 15  # of them that say which functions call
_PARSED = 8  # test files: of more, calls are told by their look, and only the first say which tests they are
_TARGETS = 2
_NESTED = 12  # files
_OTHERS = 12  # definitions of its name that are told of
_SHOWN = 2  # lines of a file
_CHAIN = re.compile(r"(?<![\w$./])[A-Za-z_$][\w$]*(?:(?:\.|::|->|#)[A-Za-z_$][\w$]*)+")
_JOINT = re.compile(r"\.|::|->|#")
_NAME = re.compile(r"[A-Za-z_$][\w$]{2,}")
_WORD = r"(?:the\s+(?:function|method|class|macro|type|struct|constant|variable)\s+)?([A-Za-z_$][\w$]{2,})"
_END = r"(?:\(\))?\s*[?.!]*\s*$"
_OBJECT = re.compile(
    rf"\b(?:calls?|uses?|invokes?|references|instantiates|constructs|depends?\s+on)\s+{_WORD}{_END}"
    rf"|\b(?:is|are|does|do|gets?)\s+{_WORD}\s+(?:get\s+)?(?:called|used|invoked|referenced|instantiated|constructed)\b"
    rf"|\b(?:callers|usages?|uses|references|call\s+sites)\s+(?:of|to)\s+{_WORD}{_END}"
    rf"|\bif\b.*\b(?:chang|delet|drop|mov|remov|renam|replac)\w+\s+{_WORD}{_END}",
    re.IGNORECASE,
)
_GLOBAL = frozenset({"console", "document", "global", "navigator", "process", "std", "window"})
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
    """`cited`: the definition, None where the code uses a name that it does not define; `files`: those that use it,
    tests last; `others`: more definitions of its name, in whose favour calls were left out, or, where it is `shared`,
    that the calls may mean as well; `cut`: files that were not read."""

    node: Node
    cited: Cited | None
    files: tuple[Used, ...]
    others: tuple[Cited, ...]
    cut: int
    shared: bool

    @property
    def name(self) -> str:
        """What is used, as it is cited or asked for."""
        return self.cited.name if self.cited else self.node.name

    @property
    def count(self) -> int:
        """Places in all."""
        return sum(len(one.lines) for one in self.files)


def targets(code: Code, question: Question, ranking: Ranking) -> tuple[list[Node], bool]:
    """The definitions that a question names, best first, and whether they are what it means: `A.b` names its owner, and
    a name with one definition needs none."""
    order = {(one.path, one.place.start): at for at, one in enumerate(ranking.ranges)}
    chains = [_JOINT.split(one) for one in _CHAIN.findall(question.text)]
    spelled = {name: owner for chain in chains for owner, name in itertools.pairwise(chain)}
    owners = {name: owner.lower() for name, owner in spelled.items()}
    found: list[tuple[bool, int, Node]] = []
    exact = True
    for name in [one for one in question.names if one.isidentifier() or "." not in one] or _objects(question.text):
        defined = [one for one in naming.definitions(code.index, name) if role_of(one.path) not in _NOT_CODE]
        if name.islower() and name.isalpha() and not _spelled(question.text, name):  # a word before it is a name
            defined = [one for one in defined if not bodies.local(code, one)]
        if name in owners.values() and not defined:
            continue
        if not defined and (_spelled(question.text, name) or "_" in name):
            defined = list(_nested(code, name))
        owned = [one for one in defined if one.owner.lower() == owners.get(name)]
        if not owned and (above := naming.bases(code.index, spelled.get(name, ""), code.lines)) is not None:
            defined = [one for one in defined if one.owner in above]  # a known class has it from one of these, or not
        if not owned and any(name.lower() == owner for owner in owners.values()):
            continue  # it only says whose
        exact = exact and len({_whole(one) for one in owned or defined}) == 1
        found += [(not owned, order.get((one.path, one.start), len(order)), one) for one in owned or defined]
    chosen = list(dict.fromkeys(one for *_, one in sorted(found, key=lambda one: one[:2])))
    chosen = [bodies.written(code, one) for one in chosen[: 1 if exact else _TARGETS]]
    return chosen, bool(chosen) and exact


def _whole(one: Node) -> Node | str:
    """What a definition is a part of: overloads are one, and so is a class that is written in parts."""
    return one.name if one.kind in naming.TYPES or one.kind == "module" else one


def _nested(code: Code, name: str) -> Iterator[Node]:
    """What the index does not have by its name: functions in other functions, and constants that stand together. Those
    of tests if there are no others."""
    files = naming.mentions(code.index, name), sorted(naming.defining(code.index, name))
    for paths, kinds in zip(files, (bodies.CALLABLE, {"constant"}), strict=True):
        code_of = [path for path in paths if role_of(path) not in _NOT_CODE]
        for path in sorted(code_of, key=lambda path: role_of(path) in naming.TESTS)[:_NESTED]:
            found = [one for one in code.symbols(path) if one.name == name and one.kind in kinds]
            yield from (Node(path, one.qualified, one.start, one.end, one.kind) for one in found)
            if found:
                return


def _spelled(text: str, name: str) -> bool:
    """Is it written as code is?"""
    return bool(re.search(rf"`[^`]*\b{name}\b[^`]*`|\b{name}\(|[.:#>]{name}\b|\b{name}(?:\.|::|->|#)\w", text))


def _objects(text: str) -> list[str]:
    """The one word that is asked about, if it is one: it may be a name, though it is written as any word."""
    if not text.isascii():
        found = re.findall(r"(?<![\w$])[A-Za-z_$][\w$]{2,}", text)
        return found if len(found) == 1 else []
    match = _OBJECT.search(text)
    return [one for one in match.groups() if one] if match else []


def stranger(code: Code, question: Question, named: Sequence[Node]) -> Usage | None:
    """Who uses what the question names and the code does not define: `os.Exit`, `requests.get`. None where all that it
    names is defined, or stands nowhere."""
    chains = [one for one in _CHAIN.findall(question.text) if language_of(one) is None]  # and no file
    inside = {part for one in chains for part in _JOINT.split(one)} | {one.last for one in named if not chains}
    shaped = [one for one in question.names if one not in inside and ("_" in one or _spelled(question.text, one))]
    objects = [] if question.names else _objects(question.text)
    for name in dict.fromkeys([*chains, *shaped, *objects]):
        *above, last = _JOINT.split(name)
        owner = above[-1] if above and above[-1] not in SELF else ""
        if not _NAME.fullmatch(last) or _known(code, owner, last):
            continue
        paths = [path for path in naming.mentions(code.index, last) if _used_in(path)]
        found = [(path, sites.mentions(code, path, owner, last)) for path in paths[:_FILES]]
        found = [(path, lines) for path, lines in found if lines]
        if (name in objects and not _calls(code, found, last)) or (owner and not _foreign(code, found, owner, last)):
            continue
        found.sort(
            key=lambda one: (role_of(one[0]) in naming.TESTS, not _code(one[0]), role_of(one[0]) is not Role.SOURCE)
        )
        used = [
            _used(code, path, [(line, True) for line in lines], named=at < _NAMED)
            for at, (path, lines) in enumerate(found)
        ]
        if used:
            return Usage(Node("", name, 0, 0), None, tuple(used), (), max(0, len(paths) - _FILES), shared=False)
    return None


def _code(path: str) -> bool:
    """Is it code, and no data?"""
    return has_calls(language_of(path))


def _used_in(path: str) -> bool:
    return role_of(path) not in _NOT_CODE and not looks.prose(path) and citable(path)


def _calls(code: Code, found: Sequence[tuple[str, Sequence[int]]], name: str) -> bool:
    """Does one of some lines call it? Else it may be a word."""
    call = re.compile(rf"(?<![\w$]){re.escape(name)}\(")
    return any(call.search(code.lines(path)[at - 1]) for path, lines in found for at in lines)


def _known(code: Code, owner: str, last: str) -> bool:
    """Does the code define it? Another module's or class's own of that name is not it."""
    defined = naming.defining(code.index, last)
    if not owner or not defined:
        return any(role_of(path) not in naming.TESTS for path in defined)
    owned = any(owner in (one.owner, one.last) for one in naming.definitions(code.index, last))
    return owned or any(owner in re.split(r"[/.]", one) for one in defined)


def _foreign(code: Code, found: Sequence[tuple[str, Sequence[int]]], owner: str, last: str) -> bool:
    """Is `owner` a type, a module that is imported or the like, and no variable?"""
    if not naming.defining(code.index, last) or not owner.islower() or owner in _GLOBAL:
        return True
    return any(code.imported(path, owner) or code.imported(path, last) for path, _ in found)


def usage(code: Code, target: Node) -> Usage | None:
    """Who uses a definition; None where it cannot be cited."""
    target = bodies.whole(code, target)
    cited = cite(code.snapshot, target.path, target.start, target.end, [target.name, target.last])
    if cited is None:
        return None
    others = naming.definitions(code.index, target.last)
    paths = [path for path in naming.mentions(code.index, target.last) if _used_in(path)]
    paths = [path for path in paths if looks.related(path, target.path)]
    if not others:
        others = [target]
        made = rf"\.{re.escape(target.last)}\s*=(?!=)"  # what is made a part of an object may be called anywhere
        here = target.kind in bodies.CALLABLE and bodies.local(code, target)
        here = here and not re.search(made, code.lines(target.path)[target.start - 1])
        paths = [target.path] if here else paths
    source = naming.nearest([path for path in paths if role_of(path) not in naming.TESTS], target.path)
    own = naming.defining(code.index, target.last) - {target.path}  # a test that has its own means that
    tests = [path for path in paths if role_of(path) in naming.TESTS and path not in own]
    files = _files(code, target, source, tests, others)
    several = len(set(others)) > 1 or bool(target.owner and naming.common(target.last))
    shared = several and all(one.test for one in files)
    if shared:  # nothing tells which of them a call means: it is not nothing that calls it
        files = _files(code, target, source, tests, others, shared=True) or files
    if all(one.test for one in files):
        paths = source if files else [*source, *tests]
        named = ((path, sites.named(code, path, others)) for path in paths[:_FILES])
        files = [_used(code, path, lines) for path, lines in named if lines] + files
    elsewhere = (one for one in others if _whole(one) != _whole(target))
    cited_too = (cite(code.snapshot, one.path, one.start, one.end, [one.name, one.last]) for one in elsewhere)
    more = list(itertools.islice((one for one in cited_too if one), _OTHERS))
    return Usage(
        target,
        cited,
        tuple(files),
        tuple(more),
        max(0, len(paths) - _FILES),
        shared and any(not one.test for one in files),
    )


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
        (path, list(sites.sites(code, target, path, others, parse=at < _READ, shared=shared, every=True)))
        for at, path in enumerate(source[:_FILES])
    ]
    found = sorted((one for one in found if one[1]), key=lambda one: not all(sure for _, sure in one[1]))
    files = [_used(code, path, lines, named=at < _NAMED) for at, (path, lines) in enumerate(found)]
    found = [
        (path, list(sites.sites(code, target, path, others, parse=len(tests) <= _PARSED, shared=shared, every=True)))
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
    told = language_of(path, code.text(path)) is not None  # else nobody knows what a line of it is
    return Used(path, numbers, texts, tuple(holders), told and all(sure for _, sure in found), test)
