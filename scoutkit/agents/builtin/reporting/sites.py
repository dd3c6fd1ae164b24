"""The lines of a file that call, hand on or only name a definition."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from scoutkit.agents.builtin.reporting.code import Code
from scoutkit.agents.builtin.reporting.meaning import (
    SELF,
    extended,
    in_class,
    means,
    means_another,
    means_own,
    parts,
    receiver_of,
)
from scoutkit.agents.builtin.reporting.naming import (
    TYPES,
    Node,
    common,
)
from scoutkit.symbols import language_of

BRACKETS = frozenset({"c", "cpp", "csharp", "go", "java", "javascript", "python", "rust", "tsx", "typescript"})
_SCRIPT = frozenset({"javascript", "tsx", "typescript"})
_REFERS = frozenset({"java", "kotlin"})  # `x.f` is a property there: a method is handed on as `x::f`
IMPORT = re.compile(
    r"\s*(?:import\b|from\s.*\bimport\b|(?:pub\s+)?use\s|using\s|#\s*include|package\s|export\s.*\bfrom\b"
    r"|(?:const|let|var)\b.*\brequire\()"
)
COMMENT = re.compile(r"\s*(?://|#(?!include|define|\[)|/\*|\*|--|<!--|\"\"\"|///)")


def sites(
    code: Code, target: Node, path: str, others: Sequence[Node], *, parse: bool = True, shared: bool = False
) -> Iterator[tuple[int, bool]]:
    """The lines of a file that call a definition (or name it, where it is a type), each with whether that is sure.
    `others`: all definitions of its name. Calls that mean another one, as far as can be told, are left out; `shared`:
    only those that rather mean one of the others. Without `parse`, what looks like a call is one."""
    name = target.last
    text, typed = code.text(path), target.kind in TYPES
    if name not in text or not (typed or _may_call(text, name, language_of(path))):
        return
    lines = code.lines(path)
    called, seen = _calling(code, target, path, parse=parse)
    heads = {one.start for one in others if one.path == path}
    others = list(dict.fromkeys(others))  # overloads are one
    above = extended(code, target, others)
    told: dict[str | None, bool | None] = {}  # by what a call stands behind: a generated file has thousands of calls
    for number in sorted({*called, *seen}):
        line = lines[number - 1] if number <= len(lines) else ""
        inside = path == target.path and target.start <= number <= target.end
        defines = number not in called and (number in heads or _defines(line, name))
        if inside or defines:
            continue
        receiver = receiver_of(line, name)
        if receiver in SELF:
            sure = means_own(code, target, others, path, number)
        elif receiver is None and in_class(code, target, path, number):
            sure = True
        else:
            if receiver not in told:
                told[receiver] = means(code, target, others, path, receiver, above)
            sure = told[receiver]
        if shared and sure is None and not means_another(code, target, others, path, number, receiver):
            sure = False
        if sure is not None:
            yield number, sure


def _calling(code: Code, target: Node, path: str, *, parse: bool) -> tuple[set[int], list[int]]:
    """Lines of a file with what the grammar calls a call of the name, and those that look like one."""
    name, language, lines = re.escape(target.last), language_of(path), code.lines(path)
    if target.kind in TYPES:
        return set(), lines_with(lines, target.last, re.compile(rf"(?<![\w$]){name}(?![\w$])"))
    known = code.calls(path) if parse else None
    looks = []
    if known is None:
        looks.append(rf"{name}(?![\w$])\s*(?:<[^<>()]{{0,80}}>)?\s*[({{!]")
    elif language in _SCRIPT:
        looks.append(rf"{name}\.(?:call|apply|bind)\(")
    elif language == "rust":  # what is given to a macro is not parsed
        looks.append(rf"{name}\s*(?:::<[^<>()]{{0,80}}>)?\(")
    found = [at for one in looks for at in lines_with(lines, target.last, re.compile(rf"(?<![\w$]){one}"))]
    if len(parts(target.last)) > 1:
        found += lines_with(lines, target.last, handing(target.last, language))
    return {call.line for call in known or () if call.name == target.last}, found


def named(code: Code, path: str, others: Sequence[Node]) -> list[tuple[int, bool]]:
    """The lines of a file that only name a function, as `hooks.configure.call()` and `sorted(key=_order)` do. `others`:
    all definitions of it. A name of one word must stand as code."""
    name = others[0].last if others else ""
    if common(name) or name not in code.text(path):
        return []
    before, after = (r"(?<![\w$])", "") if len(parts(name)) > 1 else (r"[.(,=]\s*", r"(?=\s*[.)\],;:=]|$)")
    heads = {one.start for one in others if one.path == path}
    lines = code.lines(path)
    found = lines_with(lines, name, re.compile(rf"{before}{re.escape(name)}(?![\w$]){after}"))
    return [
        (at, False)
        for at in found
        if at not in heads and not _defines(lines[at - 1], name) and not _documents(code, path, at)
    ]


def _documents(code: Code, path: str, number: int) -> bool:
    """Is a line of what is said about a definition?"""
    held = code.holder(path, number)
    return held is not None and code.lines(path)[number - 1].strip() in held.doc


def mentions(code: Code, path: str, owner: str, name: str) -> list[int]:
    """The lines of a file with a name that nothing here defines, behind its `owner` where it has one, or imported from
    it."""
    if name not in code.text(path):
        return []
    _, _, origin = code.imported(path, name).rpartition(":")
    behind = bool(owner) and origin != name
    before = rf"(?<![\w$]){re.escape(owner)}(?:\?\.|\.|->|::)" if behind else r"(?<![\w$])"
    return lines_with(code.lines(path), name, re.compile(rf"{before}{re.escape(name)}(?![\w$])"))


def lines_with(lines: Sequence[str], name: str, wanted: re.Pattern[str]) -> list[int]:
    """The lines in which a name stands so, but for comments and imports."""
    found = (at for at, line in enumerate(lines, 1) if name in line and wanted.search(line[:1000]))
    return [at for at in found if not IMPORT.match(lines[at - 1]) and not COMMENT.match(lines[at - 1])]


def _may_call(text: str, name: str, language: str | None) -> bool:
    """Is there anything like a call? Parsing a file that only mentions a name would be for nothing."""
    return language not in BRACKETS or bool(
        re.search(rf"(?<![\w$]){re.escape(name)}\s*(?:[(<!{{`,;)\]}}]|\.(?:call|apply|bind)\(|$)", text, re.MULTILINE)
    )


def _defines(line: str, name: str) -> bool:
    return bool(
        re.search(
            r"\b(?:def|func|fun|fn|function|class|struct|interface|type|enum|trait|impl)\s+(?:\([^)]*\)\s*)?(?:[\w.]+[.:])*"
            rf"{re.escape(name)}(?![\w$])",
            line,
        )
    )


def called(line: str, name: str, path: str) -> bool:
    """Is a function called on a line, and not only named? In languages whose calls have brackets."""
    call = rf"(?<![\w$]){re.escape(name)}\s*(?:(?:::)?<[^<>]*>)?\s*(?:[(!`]|\?\.\()"
    return language_of(path) not in BRACKETS or bool(re.search(call, line))


def handing(name: str, language: str | None) -> re.Pattern[str]:
    """Where a function is named to be called by somebody else; not where a variable of its name is set."""
    if language in _REFERS:
        return re.compile(rf"::{re.escape(name)}(?![\w$])")
    return re.compile(rf"(?:[(,\[]|(?<![=!<>])=|:)\s*(?:&|this\.|self\.|\w+\.)?{re.escape(name)}\s*(?:[,)\]}};]|$)")
