"""The file in which Codex keeps a session: what it tells that the stream does not, while it grows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

_LONGEST = 50_000_000  # bytes read at once


class Session:
    """The file in which Codex keeps a session, read as it grows. Nothing depends on it: its form is Codex's own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file: Path | None = None
        self._read = 0

    def news(self, thread: str) -> Iterator[tuple[str, object]]:
        """What is new in it: the model, "" where a line does not name it, and the session's usage so far or None."""
        for line in self._lines(thread):
            if b'"turn_context"' not in line and b'"token_count"' not in line:
                continue
            try:
                payload = json.loads(line)["payload"]
                model, info = payload.get("model"), payload.get("info")
                yield (model if isinstance(model, str) else "", info["total_token_usage"] if info else None)
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
                continue  # another version's

    def _lines(self, thread: str) -> list[bytes]:
        """Whole lines that were not read yet."""
        try:
            if self._file is None and thread.replace("-", "").isalnum():
                self._file = next(self._folder.glob(f"*/*/*/rollout-*{thread}.jsonl"), None)
            if self._file is None or self._file.is_symlink() or not self._file.is_file():
                return []
            with self._file.open("rb") as file:
                file.seek(self._read)
                whole, newline, _ = file.read(_LONGEST).rpartition(b"\n")
        except (OSError, ValueError):
            return []
        self._read += len(whole) + len(newline)
        return whole.split(b"\n")
