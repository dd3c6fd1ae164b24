"""What the lines that answer say themselves: comments that give a reason, and what is done when it goes wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from scoutkit.agents.builtin.indexing import terms
from scoutkit.agents.builtin.ranking.rank import Range
from scoutkit.agents.builtin.reporting import looks, past
from scoutkit.agents.builtin.reporting.code import Code
from scoutkit.agents.builtin.reporting.evidence import Cited, cite, sayable
from scoutkit.agents.builtin.reporting.naming import Node
from scoutkit.agents.builtin.reporting.spots import Spot

_FAILS = re.compile(
    r"^\s*(?:\}\s*)?(?:raise\b|throw\b|except\b|catch\b|rescue\b|panic!?\(|abort\w*\(|return\b.*\b(?:[Ee]rr\w*|Err\b|fmt\.Errorf|errors\.)"
    r"|\.?catch\(|.*\b(?:new\s+\w*Error\b|\w+_ERR\b|FST_ERR_\w+|bail!|ensure!|log\.Fatal|Promise\.reject|setProtocolError|addReplyError\w*))"
)
_NAMED = re.compile(
    r"\b(?:[A-Z][A-Z0-9]+_[A-Z0-9_]+|[\w.]*(?:Error|Exception|Err|Failure|Timeout|Invalid)\w*|panic|abort\w*)\b"
)
_COMMENT = re.compile(
    r"^\s*(?://[/!]?|#+(?!include|define|\[|!)|/\*+!?|\*(?!/)|--|;+|%+|\"\"\"|''')\s?(.*?)(?:\*/|\"\"\"|''')?\s*$"
)
_TRAILING = re.compile(r"\s(?://|#)\s+(.{12,})$")
_PLAIN = frozenset({"Error", "Exception", "err", "error", "Err"})


@dataclass(frozen=True, slots=True)
class Reason:
    """What a comment says, at its lines."""

    text: str
    cited: Cited


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


def reasons(
    code: Code, spots: Sequence[Spot], documents: Sequence[Range], rare: Sequence[str], *, most: int
) -> list[Reason]:
    """Comments in the best ranges, and sentences of documents, that say why: those with the question's words first."""
    found: list[tuple[int, int, Reason]] = []
    places = [(spot.cited.path, spot.place.start, spot.place.end, True) for spot in spots[:5]]
    places += [(one.path, one.place.start, one.place.end, False) for one in documents[:3]]
    found += [(-len(rare), 0, Reason(spot.said, spot.cited)) for spot in spots[:5] if past.says_why(spot.said)]
    for at, (path, start, end, comments) in enumerate(places):
        for first, last, text in (_comments if comments else _paragraphs)(code.lines(path), start, end):
            for sentence in re.split(r"(?<=[.!?。])\s+", text):
                said = sayable(sentence.strip(), 220)
                if len(said) < 25 or said.startswith("@") or not past.says_why(said):
                    continue
                held = {term for word in terms.raw(said) for term in terms.expand(word)}
                asked = sum(term in held for term in rare[:8])
                words = sorted(
                    re.findall(r"[^\W\d]\w{3,}", said), key=lambda word: (not _asked(word, rare), -len(word))
                )
                cited = cite(code.snapshot, path, first, last, words[:8])
                if cited and asked >= (1 if comments and at < 2 else min(2, len(rare))):
                    found.append((-asked, at, Reason(said.rstrip("."), cited)))
                break
    found.sort(key=lambda one: one[:2])
    return list({(one.cited.path, one.cited.start): one for *_, one in reversed(found)}.values())[::-1][:most]


def _asked(word: str, rare: Sequence[str]) -> bool:
    return any(term in rare[:8] for term in terms.expand(word))


def _comments(lines: Sequence[str], start: int, end: int) -> Iterator[tuple[int, int, str]]:
    """Runs of comment lines in a range."""
    first, said = 0, list[str]()
    for number in range(start, min(end, len(lines)) + 2):
        line = lines[number - 1] if number <= min(end, len(lines)) else ""
        if match := _COMMENT.match(line):
            first = first or number
            said.append(match[1].strip())
            continue
        if first:
            yield first, number - 1, " ".join(said)
            first, said = 0, []
        if trailing := _TRAILING.search(line):
            yield number, number, trailing[1]


def _paragraphs(lines: Sequence[str], start: int, end: int) -> Iterator[tuple[int, int, str]]:
    first, said = 0, list[str]()
    for number in range(start, min(end, len(lines)) + 2):
        line = lines[number - 1].strip() if number <= min(end, len(lines)) else ""
        if line and line[0] not in "#=-~`|:<":
            first = first or number
            said.append(line)
        elif first:
            yield first, number - 1, " ".join(said)
            first, said = 0, []
