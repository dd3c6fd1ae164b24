"""Other people's repositories at one commit, and `name@sha:path`: how a note names a file of one."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

NAME = r"[A-Za-z0-9_](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9_-])?"
PREFIX = re.compile(rf"({NAME})@([0-9a-f]{{7,64}}):")
"""What stands before the path. Seven digits of the commit are enough where people write it, notes keep all."""
_LONG = rf"({NAME}@[0-9a-f]{{12}})[0-9a-f]{{28,52}}(?=:)"


@dataclass(frozen=True, slots=True)
class Pinned:
    """A source as a run was shown it: `origin` is an absolute path or an address without a password, `commit` full."""

    name: str
    origin: str
    commit: str

    @property
    def prefix(self) -> str:
        """What the path of a citation of it begins with."""
        return f"{self.name}@{self.commit}:"


class Place(NamedTuple):
    """A path that says which source it is in. `commit` may be short where a person wrote it."""

    name: str
    commit: str
    path: str


def read(path: str) -> Place | None:
    """`name@sha:path` in its parts; None for a path of the repository itself."""
    found = PREFIX.match(path)
    return Place(found[1], found[2], path[found.end() :]) if found and len(path) > found.end() else None


def same(written: str, path: str) -> bool:
    """Do both name one file of one source, however many digits of the commit each has?"""
    one, other = read(written), read(path)
    return (
        one is not None
        and other is not None
        and (one.name, one.path) == (other.name, other.path)
        and (one.commit.startswith(other.commit) or other.commit.startswith(one.commit))
    )


def of(path: str, sources: Iterable[Pinned]) -> Pinned | None:
    """The source that a path is in; None for one of the repository itself, and for a source that is not known."""
    place = read(path)
    if place is None:
        return None
    return next((one for one in sources if one.name == place.name and one.commit.startswith(place.commit)), None)


def shortened(text: str) -> str:
    """A text for people: twelve digits of each commit that stands in `name@sha:path`."""
    return re.sub(_LONG, r"\1", text) if "@" in text else text
