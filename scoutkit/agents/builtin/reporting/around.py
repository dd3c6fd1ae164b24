"""What is around the lines that answer: who calls a definition, and what it calls. By name, and by what a call stands
behind: the code is read, not run.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from scoutkit import words
from scoutkit.agents.builtin.indexing import terms
from scoutkit.agents.builtin.indexing.paths import Role, role_of
from scoutkit.agents.builtin.reporting.code import Code
from scoutkit.agents.builtin.reporting.evidence import cite
from scoutkit.agents.builtin.reporting.naming import (
    MANY,
    TYPES,
    Edge,
    Node,
    common,
    definitions,
    folder,
    mentions,
    nearest,
    telling,
)
from scoutkit.symbols import language_of

_FEW = 3  # definitions of a one-word name: more often, a call far away may mean any
_CALLING = frozenset({Role.SOURCE, Role.TOOL, Role.OLD, Role.EXAMPLE, Role.VENDORED})
_FILES = 12  # are read for one name
_COMMON = 15  # files that use a name of general use
_BRACKETS = frozenset({"c", "cpp", "csharp", "go", "java", "javascript", "python", "rust", "tsx", "typescript"})
_METHODS = frozenset({"c", "java", "kotlin", "rust", "swift", "csharp"})  # `x.f()` is no function of its own there
_BARE = frozenset({"cpp", "csharp", "java", "kotlin", "php", "ruby", "scala", "swift"})  # `f()` calls a method there
_REFERS = frozenset({"java", "kotlin"})  # `x.f` is a property there: a method is handed on as `x::f`
_SELF = frozenset({"self", "this", "cls", "super", "Self", "static", "parent"})
IMPORT = re.compile(
    r"\s*(?:import\b|from\s.*\bimport\b|(?:pub\s+)?use\s|using\s|#\s*include|package\s|export\s.*\bfrom\b"
    r"|(?:const|let|var)\b.*\brequire\()"
)
COMMENT = re.compile(r"\s*(?://|#(?!include|define|\[)|/\*|\*|--|<!--|\"\"\"|///)")


def sites(
    code: Code, target: Node, path: str, others: Sequence[Node], *, parse: bool = True
) -> Iterator[tuple[int, bool]]:
    """The lines of a file that call a definition (or name it, where it is a type), each with whether that is sure.
    `others`: all definitions of its name. Calls that mean another one, as far as can be told, are left out. Without
    `parse`, what looks like a call is one."""
    name = target.last
    text, typed = code.text(path), target.kind in TYPES
    if name not in text or not (typed or _may_call(text, name, language_of(path))):
        return
    lines = code.lines(path)
    calls = code.calls(path) if parse and not typed else None
    if calls is None:
        wanted = re.compile(
            rf"(?<![\w$]){re.escape(name)}(?![\w$])" + ("" if typed else r"\s*(?:<[^<>()]{0,80}>)?\s*[({!]")
        )
        numbers = _lines(lines, name, wanted)
    else:
        numbers = [call.line for call in calls if call.name == name]
    if not typed and len(_parts(name)) > 1:
        numbers = sorted({*numbers, *_lines(lines, name, _handed(name, language_of(path)))})
    heads = {one.start for one in others if one.path == path}
    others = list(dict.fromkeys(others))  # overloads are one
    above = _above(code, target, others)
    told: dict[str | None, bool | None] = {}  # by what a call stands behind: a generated file has thousands of calls
    for number in dict.fromkeys(numbers):
        line = lines[number - 1] if number <= len(lines) else ""
        inside = path == target.path and target.start <= number <= target.end
        defines = calls is None and (number in heads or _defines(line, name))
        if inside or defines:
            continue
        receiver = receiver_of(line, name)
        if receiver in _SELF:
            sure = _means_own(code, target, others, path, number)
        elif receiver is None and _in_class(code, target, path, number):
            sure = True
        else:
            if receiver not in told:
                told[receiver] = _means(target, others, path, receiver, above)
            sure = told[receiver]
        if sure is not None:
            yield number, sure


def _lines(lines: Sequence[str], name: str, wanted: re.Pattern[str]) -> list[int]:
    """The lines in which a name stands so, but for comments and imports."""
    found = (at for at, line in enumerate(lines, 1) if name in line and wanted.search(line[:1000]))
    return [at for at in found if not IMPORT.match(lines[at - 1]) and not COMMENT.match(lines[at - 1])]


def _may_call(text: str, name: str, language: str | None) -> bool:
    """Is there anything like a call? Parsing a file that only mentions a name would be for nothing."""
    return language not in _BRACKETS or bool(
        re.search(rf"(?<![\w$]){re.escape(name)}\s*(?:[(<!{{`,;)\]}}]|$)", text, re.MULTILINE)
    )


def _defines(line: str, name: str) -> bool:
    return bool(
        re.search(
            r"\b(?:def|func|fun|fn|function|class|struct|interface|type|enum|trait|impl)\s+(?:\([^)]*\)\s*)?(?:[\w.]+[.:])*"
            rf"{re.escape(name)}(?![\w$])",
            line,
        )
    )


def _means_own(code: Code, target: Node, others: Sequence[Node], path: str, number: int) -> bool | None:
    """As `_means`, of a call of one's own (`self.send()`)."""
    if target.kind in TYPES:
        return _means_type(target, others, path)
    held = code.unit(path, number)
    same = held is not None and path == target.path and held.parent.rpartition(".")[2] == target.owner
    return True if same else False if len(others) == 1 and target.owner else None


def _means_type(target: Node, others: Sequence[Node], path: str) -> bool | None:
    return True if len(others) <= 1 else False if folder(path) == folder(target.path) else None


def _in_class(code: Code, target: Node, path: str, number: int) -> bool:
    """Is a line in the class whose method the target is, where a bare call means that?"""
    if path != target.path or not target.owner or language_of(path) not in _BARE:
        return False
    held = code.unit(path, number)
    return held is not None and held.qualified.startswith(f"{_class_of(target)}.")


def _above(code: Code, target: Node, others: Sequence[Node]) -> frozenset[str]:
    """The classes and interfaces with the same method that the target's class says it extends."""
    owners = {one.owner for one in others if one.owner and one.owner != target.owner}
    held = next((one for one in code.symbols(target.path) if owners and one.qualified == _class_of(target)), None)
    if held is None:
        return frozenset()
    head = "\n".join(code.lines(target.path)[held.start - 1 : max(held.body_start, held.start)]).partition("{")[0]
    if language_of(target.path) == "kotlin":  # what is in brackets is given, not extended
        while (less := re.sub(r"\([^()]*\)", "", head)) != head:
            head = less
    return frozenset(re.findall(r"\w+", head)) & owners


def _class_of(target: Node) -> str:
    return target.name.rpartition(".")[0]


def _means(
    target: Node, others: Sequence[Node], path: str, receiver: str | None, above: Collection[str] = ()
) -> bool | None:
    """Does a call behind `receiver` mean the target: surely, by its name, or rather another (None)? A call of what the
    target is declared in `above` may mean it."""
    if target.kind in TYPES:
        return _means_type(target, others, path)
    if receiver is not None and receiver == target.owner:
        return True
    if receiver is not None and not target.owner and not _module(receiver, target.path):
        return (
            None if language_of(path) in _METHODS else False if len(others) == 1 and not common(target.last) else None
        )
    if len(others) <= 1 and not common(target.last):
        return _fits(target, receiver)
    if receiver and not target.owner:
        meant = [one for one in others if not one.owner and receiver in re.split(r"[/.]", one.path)[-3:-1]]
        return True if meant == [target] else None
    if receiver is None and not target.owner:
        here = [one for one in others if one.path == path and not one.owner]
        if here:
            return True if [target] == here else None
        return False if nearest([one.path for one in others], path)[:1] == [target.path] else None
    if receiver is not None and target.owner:
        alike = max(_alike(receiver, owner) for owner in (target.owner, *above))
        best = max((_alike(receiver, one.owner) for one in others if one.owner), default=0)
        if alike:
            return False if alike >= best else None
        few = len(others) <= (MANY if len(_parts(target.last)) > 1 or folder(path) == folder(target.path) else _FEW)
        few = few and all(one.owner for one in others)  # a function for any receiver
        return False if few and not best and not common(target.last) else None
    return None


def receiver_of(line: str, name: str) -> str | None:
    """What a call stands behind: `reply` of `reply.send()`, "" of `f().send()`; None where it stands alone."""
    found = re.search(rf"([\w$]*)[)\]]*\s*(?:\?\.|!*\.|->|::)\s*{re.escape(name)}(?![\w$])", line)
    return found[1] if found else None


def _fits(target: Node, receiver: str | None) -> bool:
    """Is a method of one definition meant for sure? A name of one word may be somebody else's, who is not here."""
    return not (receiver and target.owner) or len(_parts(target.last)) > 1 or _alike(receiver, target.owner) > 0


def _module(receiver: str, path: str) -> bool:
    """Can a variable be the module, package or namespace that a file is?"""
    return receiver == "" or bool(_parts(receiver) & {part for name in path.split("/")[-3:] for part in _parts(name)})


def _alike(receiver: str, owner: str) -> int:
    """How many words a variable shares with a type: `call` with `RealCall`."""
    return len(_parts(receiver) & _parts(owner))


def _parts(name: str) -> set[str]:
    return {part.lower() for part in words.split_identifier(name) if len(part) > 1}


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
                handed = target.kind not in TYPES and not _called(code.lines(path)[number - 1], target.last, path)
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


def _called(line: str, name: str, path: str) -> bool:
    """Is a function called on a line, and not only named? In languages whose calls have brackets."""
    call = rf"(?<![\w$]){re.escape(name)}\s*(?:(?:::)?<[^<>]*>)?\s*(?:[(!`]|\?\.\()"
    return language_of(path) not in _BRACKETS or bool(re.search(call, line))


def _handed(name: str, language: str | None) -> re.Pattern[str]:
    """Where a function is named to be called by somebody else; not where a variable of its name is set."""
    if language in _REFERS:
        return re.compile(rf"::{re.escape(name)}(?![\w$])")
    return re.compile(rf"(?:[(,\[]|(?<![=!<>])=|:)\s*(?:&|this\.|self\.|\w+\.)?{re.escape(name)}\s*(?:[,)\]}};]|$)")


def _handing(code: Code, target: Node, files: Sequence[str], most: int) -> Iterator[Edge]:
    """Who hands a function on by its name: `then(flush)`, `target=work`."""
    for path in nearest(files, target.path)[:_FILES]:
        word = _handed(target.last, language_of(path))
        if target.last not in code.text(path) or not code.known(path):
            continue
        for number in _lines(code.lines(path), target.last, word):
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
        chosen = _chosen(defined, source, receiver_of(lines[call.line - 1], call.name))
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
    return sorted(edges[:most], key=lambda edge: edge.cited.start)


def _chosen(defined: Sequence[Node], source: Node, receiver: str | None) -> tuple[Node, bool] | None:
    """The definition that a call means, and whether that is sure."""
    if receiver in _SELF:
        own = [one for one in defined if one.path == source.path and one.owner == source.owner]
        if own:
            return own[0], True
    if receiver and not any(one.owner or _module(receiver, one.path) for one in defined):
        return (defined[0], False) if len(defined) == 1 and language_of(source.path) not in _METHODS else None
    if len(defined) == 1:
        return defined[0], _fits(defined[0], receiver) or defined[0].owner == source.owner
    if receiver is None:
        here = [one for one in defined if one.path == source.path and not one.owner]
        if len(here) == 1:
            return here[0], True
    if receiver:
        fitting = [one for one in defined if one.owner and _alike(receiver, one.owner)]
        if len(fitting) == 1:
            return fitting[0], fitting[0].owner == receiver
    near = [one for one in defined if folder(one.path) == folder(source.path)]
    return (near[0], False) if len(near) == 1 else None


def asked_for(name: str, asked: Collection[str]) -> bool:
    """Does a name hold a term that was asked for?"""
    return any(term in asked for word in terms.raw(name.replace("-", " ")) for term in terms.expand(word))
