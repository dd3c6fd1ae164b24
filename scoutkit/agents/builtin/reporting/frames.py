"""A pasted traceback's frames in this commit, the last one last: which files they are, and in what each line is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from scoutkit.agents.builtin.ranking.question import Question, ordered
from scoutkit.agents.builtin.reporting.code import Code
from scoutkit.agents.builtin.reporting.evidence import Cited, cite, sayable
from scoutkit.agents.builtin.reporting.naming import Node, definitions
from scoutkit.symbols import Symbol

_MOST = 8  # frames: of more the last
_DECLARES = re.compile(r"\b(?:interface|protocol|trait)\b")
_SHOWN = re.compile(r'File "([^"\n]+)", line (\d{1,8}), in [^\n]*\n[ \t]+([^\n]{6,200}?)[ \t]*$', re.MULTILINE)
_ERROR = re.compile(
    r"^[^\w\n]{0,200}((?:[\w.]{1,200}\.)?"
    r"[A-Z]\w*(?:Error|Exception|Warning|Panic|Failure|Interrupt|Exit)\w*)\b:?[ \t]*(.*)$"
    r"|^(panic): (.*)$",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Frame:
    """`node`: the function that the line is in; None where it is in none. `elsewhere`: the line is not in the function
    that the frame says, and this is where that is here. `deeper`: it is the last, and what it called is not of this
    tree."""

    cited: Cited
    node: Node | None
    elsewhere: bool = False
    deeper: bool = False


def resolve(code: Code, question: Question) -> list[Frame]:
    """Those of this tree's files, as the traceback orders them with the place where it happened last."""
    by_name: dict[str, list[str]] = {}
    for path in code.index.paths:
        by_name.setdefault(path.rpartition("/")[2], []).append(path)
    shown = {(path, int(line)): text for path, line, text in _SHOWN.findall(question.text)}
    called = dict(question.called)
    found: list[Frame] = []
    deeper = False
    for path, said in ordered(question):
        deeper = True
        real = _one(path, by_name.get(path.rpartition("/")[2], ()))
        lines = code.lines(real) if real else ()
        line = _moved(lines, said, shown.get((path, said), ""))
        held = code.unit(real, line) if 1 <= line <= len(lines) else None
        name = called.get((path, said), "")
        inside = bool(held and name and _defines(lines[held.start - 1 : line], name))
        if name and not inside and (other := _named(code, real, name, line)):
            cited = cite(code.snapshot, other.path, other.start, other.end, [other.last])
            deeper = cited is None
            if cited and (not found or found[-1].cited != cited):
                found.append(Frame(cited, other, elsewhere=True))
            continue
        if not 1 <= line <= len(lines):
            continue
        node = Node(real, held.qualified, held.lead, held.end, held.kind) if held else None
        cited = cite(code.snapshot, real, line, line, ())
        cited = cited or (cite(code.snapshot, real, node.start, node.end, [node.last]) if node else None)
        deeper = cited is None
        if cited and (not found or found[-1].cited != cited):
            found.append(Frame(cited, node))
    if found and deeper:
        found[-1] = replace(found[-1], deeper=True)
    return found[-_MOST:]


def _defines(lines: Sequence[str], name: str) -> bool:
    """Do lines that lead to a frame's begin the function that it says, or one inside of which is that?"""
    rule = re.compile(rf"(?<![\w$.]){re.escape(name)}(?![\w$])")
    return any(rule.search(line) for line in lines)


def _named(code: Code, path: str, name: str, line: int) -> Node | None:
    """The function of a name that is nearest in a file, else the only one in the tree; never a mere declaration."""
    same = [one for one in code.symbols(path) if one.name == name and one.kind != "constant"] if path else []
    same = [one for one in same if not _declared(code, path, one)]
    if same:
        held = min(same, key=lambda one: abs(one.start - line))
        return Node(path, held.qualified, held.lead, held.end, held.kind)
    defined = [one for one in definitions(code.index, name) if not _declared(code, one.path, one)]
    return defined[0] if len(defined) == 1 else None


def _declared(code: Code, path: str, one: Node | Symbol) -> bool:
    """Is it what an interface asks of others, without a body? Nothing ever happens in such a line."""
    lines = code.lines(path)
    if one.kind != "method" or re.search(r"[{=]", "\n".join(lines[one.start - 1 : one.end])):
        return False
    around = (held for held in code.symbols(path) if held.start < one.start <= one.end <= held.end)
    return any(held.kind == "interface" or _DECLARES.search(lines[held.start - 1]) for held in around)


def _moved(lines: Sequence[str], line: int, text: str) -> int:
    """Where the text that a traceback shows is in this version of the file: the nearest such line, else as it says."""
    same = [at for at, one in enumerate(lines, 1) if one.strip() == text] if text else []
    return min(same, key=lambda at: abs(at - line), default=line)


def _one(path: str, known: Sequence[str]) -> str:
    """The one file whose path has the longest end in common; "" where that is none or several."""
    parts = path.split("/")
    for keep in range(len(parts), 0, -1):
        tail = "/".join(parts[-keep:])
        fitting = [one for one in known if one == tail or one.endswith(f"/{tail}")]
        if fitting:
            return fitting[0] if len(fitting) == 1 else ""
    return ""


def error(question: Question) -> tuple[str, str]:
    """What was raised, by the last such line: its name and message, as far as a report can say them."""
    found = _ERROR.findall(question.text)
    if not found:
        return "", ""
    name, message, panic, why = found[-1]
    return sayable(name or panic, 80), sayable(message or why, 120)
