"""What is around the lines that answer: who calls a definition, and what it calls. By name, and by what a call stands
behind."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from scoutkit.agents.builtin.indexing import terms
from scoutkit.agents.builtin.indexing.paths import Role, role_of
from scoutkit.agents.builtin.reporting.code import Code
from scoutkit.agents.builtin.reporting.evidence import Cited, begun, cite
from scoutkit.agents.builtin.reporting.looks import called, handing, lines_with
from scoutkit.agents.builtin.reporting.meaning import meant, receiver_of
from scoutkit.agents.builtin.reporting.naming import (
    TYPES,
    Edge,
    Node,
    definitions,
    mentions,
    nearest,
    telling,
)
from scoutkit.agents.builtin.reporting.sites import sites
from scoutkit.symbols import language_of

_CALLING = frozenset({Role.SOURCE, Role.TOOL, Role.OLD, Role.EXAMPLE, Role.VENDORED})
_FILES = 12  # are read for one name
_COMMON = 15  # files that use a name of general use


def callers(code: Code, target: Node, *, most: int) -> list[Edge]:
    """Who calls a definition, outside tests: the nearest files first, each definition once."""
    known = telling(code.index, target.last)
    if not known or (known > 1 and target.kind in TYPES):
        return []
    others = definitions(code.index, target.last)
    files = [path for path in mentions(code.index, target.last) if role_of(path) in _CALLING]
    found: dict[tuple[str, str], Edge] = {}
    for path in nearest(files, target.path)[:_FILES]:
        for number, sure in sites(code, target, path, others) if code.known(path) else ():
            held = code.unit(path, number)
            if held.kind == "test" if held else target.kind in TYPES:  # a type named between definitions is no call
                continue
            caller = (
                Node(path, held.qualified, held.lead, held.end, held.kind) if held else Node(path, "", number, number)
            )
            cited = cite(code.snapshot, path, number, number, [target.last])
            if cited and cited.name == target.last and not _within(caller, target):
                handed = target.kind not in TYPES and not called(code.lines(path)[number - 1], target.last, path)
                found.setdefault((path, caller.name), Edge(caller, target, cited, sure, handed))
        if len(found) >= most:
            break
    if any(edge.caller.name for edge in found.values()):  # a file's own level says little beside them
        found = {key: edge for key, edge in found.items() if edge.caller.name}
    if not found and known == 1 and target.kind not in TYPES:
        found = {(edge.caller.path, edge.caller.name): edge for edge in _handing(code, target, files, most)}
    return list(found.values())[:most]


def _within(caller: Node, target: Node) -> bool:
    """Is it the same, or a class that its own method names?"""
    return caller.path == target.path and f"{caller.name}.".startswith(f"{target.name}.")


def _handing(code: Code, target: Node, files: Sequence[str], most: int) -> Iterator[Edge]:
    """Who hands a function on by its name: `then(flush)`, `target=work`."""
    for path in nearest(files, target.path)[:_FILES]:
        word = handing(target.last, language_of(path))
        if target.last not in code.text(path) or not code.known(path):
            continue
        for number in lines_with(code.lines(path), target.last, word, language_of(path)):
            held = code.unit(path, number)
            own = held is None or held.kind == "test" or (path, held.qualified) == (target.path, target.name)
            cited = None if own else cite(code.snapshot, path, number, number, [target.last])
            if held and cited and cited.name == target.last and most > 0:
                most -= 1
                caller = Node(path, held.qualified, held.lead, held.end, held.kind)
                yield Edge(caller, target, cited, sure=True, handed=True)


def callees(code: Code, source: Node, asked: Collection[str], *, most: int) -> list[Edge]:
    """What a definition calls that is defined in this tree: those first that have to do with what was asked, last those
    that many files use; then in the order of the calls. A name with several definitions counts only where one fits."""
    lines = code.lines(source.path)
    found: dict[str, tuple[bool, bool, bool, Edge]] = {}
    calls = [call for call in code.calls(source.path) or () if source.start <= call.line <= source.end]
    for call in calls[:200]:
        if call.name in found or call.name == source.last or not telling(code.index, call.name):
            continue
        defined = definitions(code.index, call.name)
        chosen = meant(code, defined, source, receiver_of(lines[call.line - 1], call.name))
        if chosen is None or (chosen[0].path == source.path and source.start <= chosen[0].start <= source.end):
            continue
        target, sure = chosen
        if _within(source, target):
            continue
        cited = cite(code.snapshot, source.path, call.line, call.line, [call.name])
        if cited is None or cited.name != call.name:
            continue
        far = target.path.split("/")[0] != source.path.split("/")[0] or role_of(target.path) is not Role.SOURCE
        general = len(mentions(code.index, call.name)) > _COMMON
        found[call.name] = (not asked_for(call.name, asked), far, general, Edge(source, target, cited, sure))
    kept = sorted(found.values(), key=lambda one: one[:3])
    edges = [edge for unasked, far, general, edge in kept if not (unasked and (far or general or not edge.sure))]
    begun = (replace(edge, defined=_begun(code, edge.callee)) for edge in edges[:most])
    return sorted(begun, key=lambda edge: edge.cited.start)


def _begun(code: Code, one: Node) -> Cited | None:
    whole = cite(code.snapshot, one.path, one.start, one.end, [one.last])
    return begun(code.snapshot, whole) if whole and whole.name == one.last else None


def asked_for(name: str, asked: Collection[str]) -> bool:
    """Does a name hold a term that was asked for?"""
    return any(term in asked for word in terms.raw(name.replace("-", " ")) for term in terms.expand(word))
