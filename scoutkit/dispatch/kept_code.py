"""A scout's code, kept for some days as one patch beside its transcript, and taken away when these are over."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

LARGEST = 20_000_000  # bytes
PATCH = "code.patch"
_UNTIL = "code.json"


def keep(records: Path, patch: bytes, days: float, redact: Callable[[str], str]) -> Path:
    """Write it, its text redacted line by line; the file. `git apply` takes it. Raises OSError."""
    until = datetime.now(UTC) + timedelta(days=days)
    _write(records / _UNTIL, json.dumps({"until": until.isoformat(timespec="seconds")}).encode())
    _write(records / PATCH, _redacted(patch, redact))
    return records / PATCH


def expired(runs: Path, now: datetime | None = None) -> list[Path]:
    """The patches in the records of all runs whose days are over."""
    now = now or datetime.now(UTC)
    found = []
    for file in sorted(runs.glob(f"*/{_UNTIL}")):
        try:
            until = datetime.fromisoformat(json.loads(file.read_bytes())["until"])
            over = until <= now
        except (OSError, ValueError, KeyError, TypeError):
            over = True  # nobody can say how long: not longer, then
        if over:
            found.append(file.with_name(PATCH))
    return found


def drop(patch: Path) -> None:
    """Take one away. Raises OSError."""
    patch.unlink(missing_ok=True)
    patch.with_name(_UNTIL).unlink(missing_ok=True)


def _redacted(patch: bytes, redact: Callable[[str], str]) -> bytes:
    """Lines that are added, as far as they are text: all others were in the repository before."""
    lines = patch.split(b"\n")
    for number, line in enumerate(lines):
        if line[:1] == b"+" and line[:4] != b"+++ ":
            text = line.decode("utf-8", "surrogateescape")
            if (told := redact(text)) != text:
                lines[number] = told.replace("\n", " ").encode("utf-8", "surrogateescape")
    return b"\n".join(lines)


def _write(path: Path, data: bytes) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
