"""Words of agents and programs as Markdown that breaks nothing: inline code, cells, tables, blocks."""

from __future__ import annotations

import re
from collections.abc import Sequence

from scoutkit.knowledge import citations, headline, unmarked
from scoutkit.knowledge.passages import Document, Form, closing

ROWS = 12  # of a table


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Its first rows, and how many more there are. What is in them is a `cell`, or `code`."""
    lines = [" | ".join(head), " | ".join("---" for _ in head), *(" | ".join(row) for row in rows[:ROWS])]
    return "\n".join(f"| {one} |" for one in lines) + rest(len(rows), "row")


def rest(number: int, noun: str) -> str:
    """Of so many, those that are not shown."""
    return f"\n\nAnd {count(number - ROWS, noun)} more." if number > ROWS else ""


def fenced(value: str) -> str:
    """As a block of text that nothing in it ends."""
    longest = max((len(run) for run in re.findall(r"`{3,}", value)), default=2)
    ticks = "`" * (longest + 1)
    return f"{ticks}text\n{value.strip()}\n{ticks}"


def code(value: str) -> str:
    """As inline code on one line, fit for a table; "" stays so."""
    said = headline.shortened(line(value), 120).replace("|", "¦")
    if not said:
        return ""
    return f"`` {said} ``" if "`" in said else f"`{said}`"


def run(value: str) -> str:
    """A command or a line of output as inline code, in which nothing is read as a citation: its lines are not those of
    the base."""
    return code(re.sub(r"(?<=[^\s:]):(?=:?\w)|#(?=L\d)", " :", value) if citations.read(code(value)) else value)


def cell(value: str) -> str:
    """Prose for a table."""
    return headline.shortened(line(value), 200).replace("|", "\\|")


def uncited(value: str) -> str:
    """What an agent said, for a table: without the verdict of a citation, which it has where it is said."""
    said = unmarked.without(value)
    for one in reversed(citations.read(said)):
        if one.site:
            said = f"{said[: one.site.begin]}{one.path}{said[one.site.until :]}"
    return said


def line(value: str) -> str:
    """On one line."""
    return " ".join(value.split())


def count(number: int, noun: str) -> str:
    """`1 file`, `2,000 files`."""
    return f"{number:,} {noun}{'s' * (number != 1)}"


def demoted(report: str, by: int = 2) -> str:
    """A report as a part of another text: every heading so many levels down, all else as it is."""
    edits: list[tuple[int, int, str]] = []
    for passage in Document(report).passages:
        if passage.form is not Form.HEADING:
            continue
        begin = report.rfind("\n", 0, passage.offset) + 1
        end = report.find("\n", passage.offset + len(passage.text))
        level = "#" * min(6, passage.level + by)
        if match := re.match(r" {0,3}#{1,6}", report[begin:]):
            edits.append((begin, begin + match.end(), level))
        else:  # underlined
            below = re.match(r"\n[ \t]*[=-]+[ \t]*(?=\n|$)", report[end:]) if end >= 0 else None
            if below and "\n" not in passage.text:
                edits.append((begin, end + below.end(), f"{level} {passage.text.strip()}"))
    for begin, end, new in reversed(edits):
        report = report[:begin] + new + report[end:]
    return report


def closed(report: str) -> str:
    """What closes a block that a cut report leaves open."""
    end = closing(report)
    return f"\n{end}" if end else ""
