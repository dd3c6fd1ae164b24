"""A pasted traceback's frames in this commit, the last one last: which files they are, and in what each line is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from scoutkit.agents.builtin.ranking.question import Question
from scoutkit.agents.builtin.reporting.around import Node
from scoutkit.agents.builtin.reporting.code import Code
from scoutkit.agents.builtin.reporting.evidence import Cited, cite, sayable

_MOST = 8  # frames: of more the last
_SHOWN = re.compile(r'File "([^"\n]+)", line (\d{1,8}), in [^\n]*\n[ \t]+([^\n]{6,200}?)[ \t]*$', re.MULTILINE)
_ERROR = re.compile(
    r"^[^\w\n]{0,200}((?:[\w.]{1,200}\.)?"
    r"[A-Z]\w*(?:Error|Exception|Warning|Panic|Failure|Interrupt|Exit)\w*)\b:?[ \t]*(.*)$"
    r"|^(panic): (.*)$",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Frame:
    """`node`: the function that the line is in; None where it is in none."""

    cited: Cited
    node: Node | None


def resolve(code: Code, question: Question) -> list[Frame]:
    """Those of this tree's files, as the traceback orders them with the place where it happened last."""
    by_name: dict[str, list[str]] = {}
    for path in code.index.paths:
        by_name.setdefault(path.rpartition("/")[2], []).append(path)
    shown = {(path, int(line)): text for path, line, text in _SHOWN.findall(question.text)}
    found: list[Frame] = []
    for path, said in _ordered(question):
        real = _one(path, by_name.get(path.rpartition("/")[2], ()))
        lines = code.lines(real) if real else ()
        line = _moved(lines, said, shown.get((path, said), ""))
        if not 1 <= line <= len(lines):
            continue
        held = code.unit(real, line)
        node = Node(real, held.qualified, held.lead, held.end, held.kind) if held else None
        cited = cite(code.snapshot, real, line, line, ())
        cited = cited or (cite(code.snapshot, real, node.start, node.end, [node.last]) if node else None)
        if cited and (not found or found[-1].cited != cited):
            found.append(Frame(cited, node))
    return found[-_MOST:]


def _moved(lines: Sequence[str], line: int, text: str) -> int:
    """Where the text that a traceback shows is in this version of the file: the nearest such line, else as it says."""
    same = [at for at, one in enumerate(lines, 1) if one.strip() == text] if text else []
    return min(same, key=lambda at: abs(at - line), default=line)


def _ordered(question: Question) -> Sequence[tuple[str, int]]:
    """Python's are written with the last call last, most others' with it first."""
    return question.frames if re.search(r'File ".*?", line \d', question.text) else tuple(reversed(question.frames))


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
