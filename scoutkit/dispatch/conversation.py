"""A conversation with one agent: told what to do, listened to until it and everything it started is gone.

One thread: it feeds stdin, drains stdout and stderr, and looks several times a second whether to stop.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import subprocess
import threading
import time
from collections.abc import Callable, Collection, Iterator

from scoutkit import ending, process
from scoutkit.dispatch import worktree
from scoutkit.dispatch.bounds import Bounds
from scoutkit.dispatch.interruption import Interruption
from scoutkit.dispatch.limits import Meter
from scoutkit.dispatch.records import Records
from scoutkit.model.agents import Event, EventKind, Invocation
from scoutkit.model.missions import Outcome, Owner, Result, Run

SOON, LATER = 0.05, 0.25  # seconds until a request to stop is noticed, at first and from the first minute on
LINGER = 0.3  # seconds of silence after the agent's end, while something it started still holds its stdout
SYNC = 2.0  # seconds of records that a power cut may take
COLLECT = 5.0  # seconds between looks for orphans that ended
UNPRICED = "what it costs is not known, so --max-cost stops nothing: set its price in [prices], or --max-tokens"
LONGEST_LINE = 4_000_000  # bytes; what is beyond is dropped

_going: set[str] = set()  # the runs this process listens to
_lock = threading.Lock()


class Conversation:
    """`listen` once, then `close`, which ends at once whatever still lives.

    Afterwards `stopped` is how scoutkit ended it, if it did; `meter` what it used; `fault` what broke the reader;
    `unended` processes that would not go.
    """

    def __init__(
        self,
        popen: subprocess.Popen[bytes],
        invocation: Invocation,
        run: Run,
        book: Records,
        meter: Meter,
        *,
        on_event: Callable[[Event], None],
        interruption: Interruption,
        spared: Callable[[], Collection[int]] = tuple,
        bounds: Bounds | None = None,
        near: Callable[[str], object] = str,
        grace: float,
    ) -> None:
        self.child = process.identify(popen.pid, ended=True)
        self._since = me.start if (me := process.identify()) else 0.0  # hooks of the worktree came before the agent
        self.stopped: Outcome | None = None
        self.meter = meter
        self.fault = ""
        self.unended: list[Owner] = []
        self._popen = popen
        self._reader = invocation.reader
        self._warned = invocation.counts_money
        self.run = run
        self._folder = worktree.marked(run)
        self._book = book
        self._on_event = on_event
        self._interruption = interruption
        self._spared = spared
        self._bounds = bounds
        self._near: Callable[[str], object] | None = near
        self._grace = grace
        self._ended: float | None = None
        self._stdin = memoryview(invocation.stdin.encode("utf-8", "surrogateescape"))
        self._lines = {"stdout": Lines(), "stderr": Lines()}
        self._selector = selectors.DefaultSelector()
        process.adopt_orphans()
        with _lock:
            _going.add(run.id)
        if bounds:
            bounds.began(self.child, self._family)
        for name in ("stdin", "stdout", "stderr"):
            pipe = getattr(popen, name)
            os.set_blocking(pipe.fileno(), False)
            self._selector.register(pipe, selectors.EVENT_WRITE if name == "stdin" else selectors.EVENT_READ, name)

    def close(self) -> None:
        """End what was not ended, and let go of the pipes."""
        if self._popen.returncode is None:
            ending.end(self._family, grace=0.0)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._popen.wait(ending.UNKILLABLE)
        process.collect()
        with _lock:
            _going.discard(self.run.id)
        self._selector.close()
        for pipe in (self._popen.stdin, self._popen.stdout, self._popen.stderr):
            if pipe:
                with contextlib.suppress(OSError):  # what stdin still held for nobody
                    pipe.close()

    def listen(self) -> int | None:
        """Until all is over. The agent's exit status, negative for a signal; None if it would not end."""
        steps, due = None, 0.0
        began = sync = collect = time.monotonic()
        while True:
            now = time.monotonic()
            wait = min(LATER, max(SOON, (now - began) / 200))  # a look costs 0.1 ms, and some runs take an hour
            self._turn(wait if steps is None else max(0.0, min(SOON, due - now)))
            now = time.monotonic()
            if self._ended is None and process.exited(self._popen):
                self._ended = now
            self.stopped = self.stopped or self._why_stop(now)
            if steps is None and (self.stopped or self._is_over(now)):
                steps, due = ending.steps(self._family, grace=self._patience, spared=self._spared), now
            if steps is not None and now >= due:
                try:
                    due = now + next(steps)
                except StopIteration as stop:
                    self.unended = stop.value
                    break
            if now - sync >= SYNC:
                self._book.sync()
                sync = now
            if now - collect >= COLLECT:
                process.collect()
                collect = now
        until = time.monotonic() + LINGER
        while self._listening() and self._turn(0.0) and time.monotonic() < until:
            pass
        for name, lines in self._lines.items():
            self._take(name, lines.rest())
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self._popen.wait(0.0 if self.unended else ending.UNKILLABLE)
        return None

    def _family(self) -> list[Owner]:
        return process.family(
            self.run.id,
            [self.child],
            folder=self._folder,
            adopted_since=self.child.start if self.child and len(_going) == 1 else None,
            since=self._since,
        )

    def _patience(self) -> float:
        return 0.0 if self._interruption.urgent or (self._bounds and self._bounds.urgent) else self._grace

    def _why_stop(self, now: float) -> Outcome | None:
        if self._book.failed:
            reason = f"its records cannot be kept: {self._book.failed}"
            return Outcome(Result.FAILED, reason=reason, hint="make room on the disk")
        if self._ended is not None:
            return self.meter.broken(now) if self.meter.flooded else None
        if self._near and (used := self.meter.near(now)):
            self._near(used)
            self._near = None
        asked = self._interruption.of(self._book.folder) or self.meter.broken(now)
        return asked or (self._bounds.look(now) if self._bounds else None)

    def _is_over(self, now: float) -> bool:
        """Has the agent ended and said all it will? What it started may hold its stdout, and go on writing."""
        if self._ended is None:
            return False
        quiet = now - max(self.meter.heard, self._ended) >= LINGER
        late = now - self._ended >= 10 * LINGER
        return not self._listening() or quiet or late or self._interruption.result is not None

    def _listening(self) -> bool:
        return any(key.data != "stdin" for key in self._selector.get_map().values())

    def _turn(self, wait: float) -> bool:
        """Write and read what can be now, after at most `wait` seconds; was anything read?"""
        read = False
        for key, _ in self._selector.select(wait):
            if key.data == "stdin":
                self._write(key.fd)
                continue
            try:
                chunk = os.read(key.fd, 1 << 14)  # little: between two reads is where a request to stop is noticed
            except BlockingIOError:
                continue
            if not chunk:
                self._selector.unregister(key.fileobj)
                continue
            read = True
            if not self.meter.flooded:
                self.meter.wrote(len(chunk), chunk.count(b"\n"))
                self._take(key.data, self._lines[key.data].feed(chunk))
        return read

    def _write(self, handle: int) -> None:
        with contextlib.suppress(BlockingIOError):
            try:
                if self._stdin:
                    self._stdin = self._stdin[os.write(handle, self._stdin[: 1 << 16]) :]
            except (BrokenPipeError, ConnectionResetError):
                self._stdin = self._stdin[:0]  # it does not want to read
        if not self._stdin:
            assert self._popen.stdin
            self._selector.unregister(self._popen.stdin)
            self._popen.stdin.close()

    def _take(self, name: str, lines: Iterator[tuple[str, bool]]) -> None:
        """Keep what was heard, then show it."""
        shown: list[Event] = []
        for line, cut in lines:
            if name == "stderr":
                self._book.complained(line, cut=cut)
                continue
            self._book.said(line, cut=cut)
            if not self.fault:
                shown += map(self._book.did, self._understand(line))
        self._book.flush()
        for event in shown:
            self.meter.saw(event)
            self._on_event(event)
            if not self._warned and self.meter.unpriced():
                self._warned = True
                warning = self._book.did(Event(EventKind.STATUS, UNPRICED, data={"stays": True}))
                self._on_event(warning)

    def _understand(self, line: str) -> list[Event]:
        try:
            return list(self._reader.feed(line))
        except Exception as error:  # noqa: BLE001 - readers come from other packages too; the run's reason tells
            self.fault = repr(error)
            return [Event(EventKind.ERROR, f"the agent's adapter broke: {self.fault}")]


class Lines:
    """Cuts a stream into lines of text. One longer than `longest` bytes is cut there, and the rest of it dropped."""

    def __init__(self, longest: int = LONGEST_LINE) -> None:
        self._longest = longest
        self._start = bytearray()
        self._skip = False

    def feed(self, chunk: bytes) -> Iterator[tuple[str, bool]]:
        """The lines that `chunk` completes, each with whether it was cut."""
        *ends, rest = chunk.split(b"\n")
        for end in ends:
            yield from self._add(end)
            if not self._skip:
                yield self._text(), False
            self._skip = False
        yield from self._add(rest)

    def rest(self) -> Iterator[tuple[str, bool]]:
        """The last line, if it had no newline."""
        if self._start:
            yield self._text(), False

    def _add(self, part: bytes) -> Iterator[tuple[str, bool]]:
        if self._skip:
            return
        self._start += part
        if len(self._start) > self._longest:
            del self._start[self._longest :]
            yield self._text(), True
            self._skip = True

    def _text(self) -> str:
        text = self._start.decode("utf-8", "replace").removesuffix("\r")
        self._start.clear()
        return text
