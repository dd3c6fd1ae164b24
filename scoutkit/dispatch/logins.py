"""An agent program's login that it renewed during a run: back to where its user keeps it. Nothing else of a home is.

A token that was renewed has spent the one before it: dropping the new one would log the user out.
"""

from __future__ import annotations

import json
import os
import stat
import tempfile
from collections.abc import Sequence
from pathlib import Path

LARGEST = 1_000_000  # bytes of a login


class Logins:
    """`pairs` are the user's file and its copy in the run; made before the agent starts."""

    def __init__(self, pairs: Sequence[tuple[Path, Path]]) -> None:
        self._before = [
            (Path(os.path.realpath(file)), Path(os.path.realpath(copy)), _read(file.resolve()), _read(copy))
            for file, copy in pairs
        ]

    def put_back(self) -> list[str]:
        """Each copy that changed, over a file of the user's that did not. Lines about those that could not be.

        Only what is a login still: a plain file where the copy was, and for a JSON object one that lost no name. One
        that did is damaged, or logged out.
        """
        troubles = []
        for file, copy, theirs, before in self._before:
            now = _read(copy) if os.path.realpath(copy) == str(copy) else None
            if theirs is None or before is None or now is None or now == before or not _alike(before, now):
                continue
            if _read(file) != theirs:
                continue  # renewed by the user meanwhile
            try:
                _replace(file, now)
            except OSError as error:
                troubles.append(f"its login was renewed and cannot be kept: {file}: {error.strerror}")
        return troubles


def _read(path: Path) -> bytes | None:
    """None for what is no plain file, is large, or cannot be read: what an agent left is not followed."""
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
            data = file.read(LARGEST + 1) if stat.S_ISREG(os.fstat(file.fileno()).st_mode) else None
    except OSError:
        return None
    return data if data and len(data) <= LARGEST else None


def _alike(before: bytes, now: bytes) -> bool:
    names, left = _names(before), _names(now)
    return names is None or (left is not None and names <= left)


def _names(data: bytes) -> frozenset[str] | None:
    try:
        table = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return frozenset(table) if isinstance(table, dict) else None


def _replace(path: Path, data: bytes) -> None:
    """At once and with its mode, so that nobody ever reads half of it."""
    mode = stat.S_IMODE(path.stat().st_mode)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f"{path.name}.")
    fresh = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            os.fchmod(file.fileno(), mode)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise
