"""What the lines that answer do when it goes wrong: errors that they raise, catch or hand on."""

from __future__ import annotations

import re
from collections.abc import Sequence

from scoutkit.agents.builtin.reporting import looks
from scoutkit.agents.builtin.reporting.code import Code
from scoutkit.agents.builtin.reporting.evidence import Cited, cite
from scoutkit.agents.builtin.reporting.naming import Node

_FAILS = re.compile(
    r"^\s*(?:\}\s*)?(?:raise\b|throw\b|except\b|catch\b|rescue\b|panic!?\(|abort\w*\(|return\b.*\b(?:[Ee]rr\w*|Err\b|fmt\.Errorf|errors\.)"
    r"|\.?catch\(|.*\b(?:new\s+\w*Error\b|\w+_ERR\b|FST_ERR_\w+|bail!|ensure!|log\.Fatal|Promise\.reject|setProtocolError|addReplyError\w*))"
)
_NAMED = re.compile(
    r"\b(?:[A-Z][A-Z0-9]+_[A-Z0-9_]+|[\w.]*(?:Error|Exception|Err|Failure|Timeout|Invalid)\w*|panic|abort\w*)\b"
)
_PLAIN = frozenset({"Error", "Exception", "err", "error", "Err"})


def failures(code: Code, nodes: Sequence[Node], *, most: int) -> list[tuple[str, Cited]]:
    """Lines of some definitions that raise, catch or hand on an error: each kind once, with what it is in."""
    found: dict[str, tuple[str, Cited]] = {}
    for node in nodes:
        lines = code.lines(node.path)
        for number in range(node.start, min(node.end, len(lines)) + 1):
            line = lines[number - 1]
            if len(line) < 400 and _FAILS.search(line) and not looks.COMMENT.match(line):
                names = [name for name in _NAMED.findall(line) if name not in _PLAIN]
                cited = cite(code.snapshot, node.path, number, number, names) if names else None
                if cited and cited.name in names:
                    found.setdefault(cited.name, (node.name, cited))
    return list(found.values())[:most]
