"""An agent program's login that it renewed during a run: back to where its user keeps it. Nothing else of a home is.

A token that was renewed has spent the one before it: dropping the new one would log the user out.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self

LARGEST = 1_000_000  # bytes of a login
_FILE = "logins.json"  # in the run's folder, which no agent that is isolated can write


@dataclass(frozen=True, slots=True)
class _Login:
    """Real paths, and what was in both before the agent began, by its digest."""

    file: str
    copy: str
    theirs: str
    before: str
    names: list[str] | None  # of a JSON object


class Logins:
    """The logins that a run was given. Kept in its folder, so that they outlive this process."""

    def __init__(self, logins: Sequence[_Login]) -> None:
        self._logins = logins

    @classmethod
    def lend(cls, pairs: Sequence[tuple[Path, Path]], folder: Path) -> Self:
        """Before the agent starts. `pairs` are the user's file and its copy in the run. May raise OSError."""
        logins = []
        for pair in pairs:
            file, copy = map(os.path.realpath, pair)
            theirs, before = _read(file), _read(copy)
            if theirs and before:
                logins.append(_Login(file, copy, _digest(theirs), _digest(before), _names(before)))
        if logins:
            handle = os.open(folder / _FILE, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
            with os.fdopen(handle, "w", encoding="ascii") as kept:
                json.dump([asdict(login) for login in logins], kept)
        return cls(logins)

    @classmethod
    def of(cls, folder: Path) -> Self:
        """Those of a run whose process died; none where it was given none."""
        try:
            return cls([_Login(**login) for login in json.loads((folder / _FILE).read_bytes())])
        except (OSError, ValueError, TypeError):
            return cls([])

    def put_back(self) -> list[str]:
        """Each copy that changed, over a file of the user's that did not. Lines about those that could not be.

        Only what is a login still: a plain file where the copy was, and for a JSON object one that lost no name. One
        that did is damaged, or logged out. May be called again.
        """
        troubles = []
        for login in self._logins:
            now = _read(login.copy) if os.path.realpath(login.copy) == login.copy else None
            if not now or _digest(now) == login.before:
                continue
            names = _names(now)
            if login.names is not None and (names is None or not set(login.names) <= set(names)):
                continue
            theirs = _read(login.file)
            if not theirs or _digest(theirs) != login.theirs:
                continue  # renewed by the user meanwhile
            try:
                _replace(Path(login.file), now)
            except OSError as error:
                troubles.append(f"its login was renewed and cannot be kept: {login.file}: {error.strerror}")
        return troubles


def _read(path: str) -> bytes | None:
    """None for what is no plain file, is empty or large, or cannot be read: what an agent left is not followed."""
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
            data = file.read(LARGEST + 1) if stat.S_ISREG(os.fstat(file.fileno()).st_mode) else None
    except OSError:
        return None
    return data if data and len(data) <= LARGEST else None


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _names(data: bytes) -> list[str] | None:
    try:
        table = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return sorted(table) if isinstance(table, dict) else None


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
