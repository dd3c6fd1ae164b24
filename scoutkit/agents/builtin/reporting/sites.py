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
)
from scoutkit.symbols import language_of

BRACKETS = frozenset({"c", "cpp", "csharp", "go", "java", "javascript", "python", "rust", "tsx", "typescript"})
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
    calls = code.calls(path) if parse and not typed else None
    if calls is None:
        wanted = re.compile(
            rf"(?<![\w$]){re.escape(name)}(?![\w$])" + ("" if typed else r"\s*(?:<[^<>()]{0,80}>)?\s*[({!]")
        )
        numbers = lines_with(lines, name, wanted)
    else:
        numbers = [call.line for call in calls if call.name == name]
    if not typed and len(parts(name)) > 1:
        numbers = sorted({*numbers, *lines_with(lines, name, handing(name, language_of(path)))})
    heads = {one.start for one in others if one.path == path}
    others = list(dict.fromkeys(others))  # overloads are one
    above = extended(code, target, others)
    told: dict[str | None, bool | None] = {}  # by what a call stands behind: a generated file has thousands of calls
    for number in dict.fromkeys(numbers):
        line = lines[number - 1] if number <= len(lines) else ""
        inside = path == target.path and target.start <= number <= target.end
        defines = calls is None and (number in heads or _defines(line, name))
        if inside or defines:
            continue
        receiver = receiver_of(line, name)
        if receiver in SELF:
            sure = means_own(code, target, others, path, number)
        elif receiver is None and in_class(code, target, path, number):
            sure = True
        else:
            if receiver not in told:
                told[receiver] = means(target, others, path, receiver, above)
            sure = told[receiver]
        if shared and sure is None and not means_another(code, target, others, path, number, receiver):
            sure = False
        if sure is not None:
            yield number, sure


def named(code: Code, path: str, others: Sequence[Node]) -> list[tuple[int, bool]]:
    """The lines of a file that only name a function whose name says enough, as `hooks.configure.call()` and
    `getattr(it, "configure")` do. `others`: all definitions of it."""
    name = others[0].last if others else ""
    if len(parts(name)) < 2 or name not in code.text(path):
        return []
    heads = {one.start for one in others if one.path == path}
    lines = code.lines(path)
    found = lines_with(lines, name, re.compile(rf"""[.:>'"]{re.escape(name)}(?![\w$])"""))
    return [(at, False) for at in found if at not in heads and not _defines(lines[at - 1], name)]


def lines_with(lines: Sequence[str], name: str, wanted: re.Pattern[str]) -> list[int]:
    """The lines in which a name stands so, but for comments and imports."""
    found = (at for at, line in enumerate(lines, 1) if name in line and wanted.search(line[:1000]))
    return [at for at in found if not IMPORT.match(lines[at - 1]) and not COMMENT.match(lines[at - 1])]


def _may_call(text: str, name: str, language: str | None) -> bool:
    """Is there anything like a call? Parsing a file that only mentions a name would be for nothing."""
    return language not in BRACKETS or bool(
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


def called(line: str, name: str, path: str) -> bool:
    """Is a function called on a line, and not only named? In languages whose calls have brackets."""
    call = rf"(?<![\w$]){re.escape(name)}\s*(?:(?:::)?<[^<>]*>)?\s*(?:[(!`]|\?\.\()"
    return language_of(path) not in BRACKETS or bool(re.search(call, line))


def handing(name: str, language: str | None) -> re.Pattern[str]:
    """Where a function is named to be called by somebody else; not where a variable of its name is set."""
    if language in _REFERS:
        return re.compile(rf"::{re.escape(name)}(?![\w$])")
    return re.compile(rf"(?:[(,\[]|(?<![=!<>])=|:)\s*(?:&|this\.|self\.|\w+\.)?{re.escape(name)}\s*(?:[,)\]}};]|$)")
