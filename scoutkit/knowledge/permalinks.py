"""Hosted permalinks that name a commit: their lines speak of that commit. Reads text alone."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple
from urllib.parse import unquote

from scoutkit.knowledge.citations import Reference

_PINNED = re.compile(
    r"(?<![a-z])[a-z]+://[^\s<>\"'`|\\^{}#?/]{1,300}/([^\s<>\"'`|\\^{}#?]{1,300}?)/(?:-/)?(?:(?:blob|blame|raw|tree)/|src/(?:commit/)?)([0-9a-f]{7,64})/"
    r"([^\s<>\"'`|\\^{}#?]{1,1000})"
)


class Pinned(NamedTuple):
    """What an address names: a repository (`owner/name`) and a commit, as they are written there."""

    repository: str
    commit: str


def names_commit(address: str) -> bool:
    """Does an address name a commit?"""
    return bool(_PINNED.match(address))


def pinned(body: str, references: Sequence[Reference]) -> Mapping[int, Pinned]:
    """What a reference's own address names, by the reference's offset; only of addresses that name a commit."""
    links = [(found.start(), Pinned(found[1], found[2]), unquote(found[3])) for found in _PINNED.finditer(body)]
    named: dict[int, Pinned] = {}
    at = 0
    for reference in references:
        begin, end = (reference.site.begin, reference.site.end) if reference.site else (reference.offset,) * 2
        end = max(end, reference.offset + len(reference.written))
        while at < len(links) and links[at][0] < begin:
            at += 1
        for start, link, path in links[at:]:
            if start > end:
                break
            if path == reference.path:
                named[reference.offset] = link
                break
    return named
