"""How one gets to a definition from outside: HTTP routes, commands, programs. Told by what the code says beside it or
where it is handed over, nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from scoutkit.agents.builtin.indexing.paths import Role, role_of
from scoutkit.agents.builtin.reporting import looks, naming
from scoutkit.agents.builtin.reporting.code import Code
from scoutkit.agents.builtin.reporting.evidence import Cited, cite, sayable
from scoutkit.agents.builtin.reporting.naming import Node
from scoutkit.symbols import language_of

_NODES, _FILES = 8, 10  # are looked at; files for each
_VERBS = "get|post|put|patch|delete|head|options|any|all"
_STRING = r"""["'`]([^"'`\n]{1,80})["'`]"""
_ROUTE_MARK = re.compile(
    rf"[@\[]\s*(?:[\w.]+\.)?({_VERBS}|route|websocket|(?:Get|Post|Put|Patch|Delete|Request)(?:Mapping)?|Path|Http(?:Get|Post|Put|Patch|Delete))"
    rf"\s*\(\s*(?:(?:value|path)\s*=\s*)?{_STRING}"
)
_COMMAND_MARK = re.compile(rf"@\s*(?:[\w.]+\.)?(?:command|group|subcommand)\b(?:\(\s*(?:name\s*=\s*)?(?:{_STRING})?)?")
_ROUTE_CALL = re.compile(
    rf"\b\w+\.({_VERBS}|{_VERBS.upper()}|handle|handle_?func|Handle|HandleFunc|route|add_url_rule|add_route|Map(?:Get|Post|Put|Delete))\(\s*{_STRING}"
    rf"|^\s*(?:path|re_path|url)\(\s*r?{_STRING}"
)
_COMMAND_CALL = re.compile(rf"\b(?:add_parser|[Cc]ommand|subcommand|AddCommand|add_command)\(\s*{_STRING}")
_COBRA_RUN = re.compile(r"\bRunE?:")
_COBRA_USE = re.compile(r'\bUse:\s*"([\w-]+)')
_MAIN = frozenset({"main", "Main", "_main", "__main__"})
_NEAR = 12  # lines between a command's name and the function it runs


@dataclass(frozen=True, slots=True)
class Entrance:
    """`said`: `GET /login`, `the command build`, `the program`; `cited` is where that stands."""

    kind: str  # route, command or program
    said: str
    node: Node
    cited: Cited


def entrances(code: Code, nodes: Sequence[Node]) -> list[Entrance]:
    """Of some definitions, the first of each."""
    found: dict[Node, Entrance] = {}
    for node in nodes[:_NODES]:
        if node.name and node not in found:
            for one in (*_marked(code, node), *_handed_over(code, node), *_program(code, node)):
                found.setdefault(node, one)
    return list(found.values())


def _marked(code: Code, node: Node) -> Iterator[Entrance]:
    """By its decorators or attributes."""
    symbol = code.symbol(node.path, node.name, node.start, node.end)
    lines = code.lines(node.path)
    for number in range(symbol.start, min(symbol.body_start, symbol.start + 20) + 1) if symbol else ():
        line = lines[number - 1].strip() if number <= len(lines) else ""
        if line[:1] not in "@[#" or not line:
            continue
        if match := _ROUTE_MARK.search(line):
            verb = re.sub(r"Mapping|Http|Request|[Rr]oute|Path", "", match[1]).upper()
            yield from _entrance(code, "route", f"{verb} {match[2]}", node, number, [match[2], node.last, match[1]])
        elif match := _COMMAND_MARK.search(line):
            name = match[1] or node.last.replace("_", "-")
            yield from _entrance(code, "command", name, node, number, [match[1] or "command", "command", "group"])


def _handed_over(code: Code, node: Node) -> Iterator[Entrance]:
    """Where its name stands beside a route's or a command's."""
    if naming.common(node.last) or len(code.index.defined(node.last)) > naming.MANY:
        return
    files = [path for path in naming.mentions(code.index, node.last) if role_of(path) is Role.SOURCE]
    word = re.compile(
        rf"(?<![\w$]){re.escape(node.last)}(?![\w$]|\s*=[^=>])"
    )  # `endpoint="index"` only shares its name
    for path in naming.nearest(files, node.path)[:_FILES]:
        lines = code.lines(path)
        for number in looks.lines_with(lines, node.last, word, language_of(path)):
            line = lines[number - 1]
            if len(line) > 400:
                continue
            if match := _ROUTE_CALL.search(line):
                route = match[2] or match[3]
                verb = match[1].upper() if match[1] and match[1].lower() in _VERBS.split("|") else ""
                if route.startswith("/") or match[3]:
                    yield from _entrance(code, "route", f"{verb} {route}", node, number, [node.last], path)
            elif match := _COMMAND_CALL.search(line):
                yield from _entrance(code, "command", match[1], node, number, [node.last], path)
            elif _COBRA_RUN.search(line):
                around_it = lines[max(0, number - 1 - _NEAR) : number + _NEAR]
                if used := next((found for one in around_it if (found := _COBRA_USE.search(one))), None):
                    yield from _entrance(code, "command", used[1], node, number, [node.last], path)


def _program(code: Code, node: Node) -> Iterator[Entrance]:
    if node.name in _MAIN and role_of(node.path) in (Role.SOURCE, Role.TOOL, Role.EXAMPLE):
        symbol = code.symbol(node.path, node.name, node.start, node.end)
        start = symbol.start if symbol else node.start
        yield from _entrance(code, "program", "the program", node, start, [node.last], end=node.end)


def _entrance(
    code: Code, kind: str, said: str, node: Node, line: int, names: Sequence[str], path: str = "", end: int = 0
) -> Iterator[Entrance]:
    said = sayable(said.strip(), 60)
    cited = cite(code.snapshot, path or node.path, line, end or line, names) if said else None
    if cited and cited.name in names:
        yield Entrance(kind, said, node, cited)
