"""Citations that are addresses given apart, `[label]: <src/app.py#L3> "title"`, and where in the text they stand."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from scoutkit.knowledge import grammar, unmarked
from scoutkit.knowledge.passages import Document

_GIVEN = re.compile(r"\[((?:\\.|[^\[\]\\]){1,999})\]:[\s>]*(?:<([^<>\n]*)>|(\S+))", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Given:
    """Where its label, its address (without angle brackets) and its title stand: characters of the whole text.

    `path` and `ranges` are what the address says, as a reference to it has them.
    """

    label: tuple[int, int]
    address: tuple[int, int]
    title: tuple[int, int]
    path: str
    ranges: tuple[tuple[int, int], ...]


def given(markdown: str, *, roots: Sequence[str] = ()) -> Iterator[Given]:
    """Every one, in order, whether a link uses it or not. `roots`: absolute folders that stand for the repository."""
    if "]:" not in markdown:
        return
    for one in Document(unmarked.masked(markdown)).definitions():
        mention = grammar.of_target(one.target, roots)
        end = one.offset + len(one.source)
        found = _GIVEN.search(markdown, one.offset, end)
        if mention and found:
            address = found.span(2 if found[3] is None else 3)
            ranges = tuple((each.start, each.end) for each in mention.ranges)
            yield Given(found.span(1), address, (found.end(), end), mention.path, ranges)
