"""A run's durable files: what went out, what the agent wrote and did, as it came. Nothing in them is unredacted.

prompt.md         what the agent was asked (written by whoever renders it)
invocation.json   how it was started: {"argv", "report_file"}
transcript.txt    its stdout, line by line
stderr.txt        its stderr
events.jsonl      what was understood: {"at", "kind", "text", "usage", "data"}
report.md         the report, once the agent is done
stop              somebody asked for the run to be stopped
"""

from __future__ import annotations

import contextlib
import json
import math
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from scoutkit.model.agents import Event, Invocation

Redact = Callable[[str], str]

TAIL = 4096  # bytes of stderr that a verdict may look at
_AS_JSON = json.JSONEncoder(ensure_ascii=False).encode
EDGE = 8192  # characters dropped at the end of a line that was cut: half a secret looks like none


class Records:
    """Writes them, redacted. What was flushed outlives the process, what was synced a power cut.

    `failed` says why no more is written, once the disk refused. A redactor keeps state within one stream, so every
    stream has one of its own.
    """

    def __init__(self, folder: Path, redactor: Callable[[], Redact]) -> None:
        self.folder = folder
        self.failed = ""
        self.tail = b""
        self._redactor = redactor
        self._streams: dict[str, Redact] = {}
        self._files: dict[str, IO[bytes]] = {}
        self._pending: dict[str, bytearray] = {}
        self._unsynced: set[str] = set()
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for name in ("transcript.txt", "stderr.txt", "events.jsonl"):
            handle = os.open(folder / name, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            self._files[name] = os.fdopen(handle, "wb", buffering=0)
            self._pending[name] = bytearray()

    def close(self) -> None:
        """Make what was written durable and let go of the files."""
        self.sync()
        for file in self._files.values():
            file.close()

    def flush(self) -> None:
        """Hand what was written to the system."""
        for name, data in self._pending.items():
            while data and not self.failed:
                self._unsynced.add(name)
                with self._noting():
                    del data[: self._files[name].write(data)]
            data.clear()

    def sync(self) -> None:
        """Make what was written survive a power cut."""
        self.flush()
        with self._noting():
            while self._unsynced:
                os.fsync(self._files[self._unsynced.pop()].fileno())

    def invocation(self, invocation: Invocation, worktree: Path) -> None:
        """How the agent is started, without what it is told."""
        report = str(worktree / invocation.report_file) if invocation.report_file else ""
        record = {"argv": [self.blot(part) for part in invocation.argv], "report_file": report}
        handle = os.open(self.folder / "invocation.json", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(f"{json.dumps(record, indent=1)}\n")

    def said(self, line: str, *, cut: bool = False) -> None:
        """A line of stdout."""
        self._pending["transcript.txt"] += self._line("transcript.txt", line, cut=cut)

    def complained(self, line: str, *, cut: bool = False) -> None:
        """A line of stderr; the last ones make up `tail`."""
        text = self._line("stderr.txt", line, cut=cut)
        self.tail = (self.tail + text)[-TAIL:]
        self._pending["stderr.txt"] += text

    def did(self, event: Event) -> Event:
        """Something the agent did; returns it as it may be shown."""
        try:
            data: Mapping[str, Any] = self._blot_data(event.data, self._redactor()) if event.data else {}
        except RecursionError:
            data = {"dropped": "nested too deeply"}
        text = printable(self._stream(event.kind)(event.text))
        if data or text != event.text:
            event = replace(event, text=text, data=data)
        record: dict[str, Any] = {"at": _now(), "kind": event.kind.value}
        if event.text:
            record["text"] = event.text
        if event.usage:
            record["usage"] = asdict(event.usage)
        if event.data:
            record["data"] = event.data
        self._pending["events.jsonl"] += f"{_AS_JSON(record)}\n".encode()
        return event

    def blot(self, text: str) -> str:
        """A text of its own, redacted and such that it can be written and printed."""
        return printable(self._redactor()(text))

    def _line(self, name: str, line: str, *, cut: bool) -> bytes:
        text = self._stream(name)(line)
        return (f"{text[:-EDGE]}… [line cut]\n" if cut else f"{text}\n").encode("utf-8", "replace")

    def _stream(self, name: str) -> Redact:
        if name not in self._streams:
            self._streams[name] = self._redactor()
        return self._streams[name]

    def _blot_data(self, value: Any, redact: Redact) -> Any:
        match value:
            case None | bool() | int():
                return value
            case float():
                return value if math.isfinite(value) else None
            case Mapping():
                return {printable(redact(str(name))): self._blot_data(one, redact) for name, one in value.items()}
            case list() | tuple():
                return [self._blot_data(one, redact) for one in value]
            case _:
                return printable(redact(str(value)))

    @contextlib.contextmanager
    def _noting(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            self.failed = self.failed or error.strerror or str(error)


def ask_to_stop(folder: Path) -> None:
    """Whoever runs it looks for this many times a second."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    (folder / "stop").touch(0o600)


def asked_to_stop(folder: Path) -> bool:
    """Did somebody ask?"""
    return (folder / "stop").exists()


def write_durably(path: Path, text: str) -> None:
    """Write a file so that after any crash it is there whole, or not at all."""
    fresh = path.with_name(f"{path.name}.new")
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)
    handle = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def printable(text: str) -> str:
    """Without lone surrogates, which JSON can carry and nothing can print."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
