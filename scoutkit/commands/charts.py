"""Mermaid flowcharts as lines that a terminal can show."""

from __future__ import annotations

import re

_BLOCK = re.compile(r"^```mermaid\nflowchart TD\n(.*?)\n```$", re.MULTILINE | re.DOTALL)
_NODE = re.compile(r'\s*(n\d+)\["([^"]*)"\]')
_ENTRANCE = re.compile(r'\s*e\d+\(\["([^"]*)"\]\) --> (n\d+)')
_EDGE = re.compile(r"\s*(n\d+) --> (n\d+)")
_CODE = re.compile(r"#(\d{1,7});")


def readable(text: str) -> str:
    """Markdown with its flowcharts as `caller → callee`, a pair a line; others than ours stay as they are."""
    return _BLOCK.sub(_pairs, text)


def _pairs(block: re.Match[str]) -> str:
    names: dict[str, str] = {}
    pairs: list[tuple[str, str]] = []
    for line in block[1].split("\n"):
        if found := _NODE.fullmatch(line):
            names[found[1]] = _decoded(found[2])
        elif found := _ENTRANCE.fullmatch(line):
            pairs.append((_decoded(found[1]), found[2]))
        elif found := _EDGE.fullmatch(line):
            pairs.append((names.get(found[1], ""), found[2]))
        else:
            return block[0]
    lines = [f"{caller} → {names.get(callee, '')}" for caller, callee in pairs]
    return "\n".join(["```text", *lines, "```"])


def _decoded(label: str) -> str:
    def shown(code: re.Match[str]) -> str:
        number = int(code[1])
        return chr(number) if number < 0x110000 and chr(number).isprintable() else code[0]

    return _CODE.sub(shown, label)
