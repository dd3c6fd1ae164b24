"""What a sync found out and one transaction is to write."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from scoutkit.model.found import Problem

Known = tuple[int, int, int, int]
"""What the catalogue has of a file: mtime, size, settled, key. Not settled: it may have changed since, within one tick
of the clock."""


class File(NamedTuple):
    """A note file that was read. `settled` is 0 where it may have changed since without showing it."""

    path: str
    mtime: int
    size: int
    settled: int
    hash: str
    raw: bytes


class Work(NamedTuple):
    """Files to write, rows to take out, and what cannot be read: None where that is as it was."""

    files: Sequence[File] = ()
    gone: Sequence[Known] = ()
    unreadable: Sequence[Problem] | None = None
