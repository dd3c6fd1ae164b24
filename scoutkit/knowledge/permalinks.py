"""Hosted permalinks that name a commit: their lines speak of that commit. Reads text alone."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from urllib.parse import unquote

from scoutkit.knowledge.citations import Reference

_PINNED = re.compile(
    r"[a-z]+://[^\s<>\"'`|\\^{}#?]{1,300}?/(?:(?:blob|blame|raw|tree)/|src/(?:commit/)?)([0-9a-f]{7,64})/"
    r"([^\s<>\"'`|\\^{}#?]{1,1000})"
)


def commits(body: str, references: Sequence[Reference]) -> Mapping[int, str]:
    """The commit that a reference's own address names, as it is written there, by the reference's offset."""
    pinned = [(found.start(), found[1], unquote(found[2])) for found in _PINNED.finditer(body)]
    named: dict[int, str] = {}
    at = 0
    for reference in references:
        begin, end = (reference.site.begin, reference.site.end) if reference.site else (reference.offset,) * 2
        end = max(end, reference.offset + len(reference.written))
        while at < len(pinned) and pinned[at][0] < begin:
            at += 1
        for start, commit, path in pinned[at:]:
            if start > end:
                break
            if path == reference.path:
                named[reference.offset] = commit
                break
    return named
