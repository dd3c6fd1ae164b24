"""Reads files into the cache: in this process, or in several where there is much to read.

A worker is `python -m scoutkit.agents.builtin.indexing.reading FOLDER REPOSITORY`: a batch a line comes on its stdin;
how many files it has read goes to its stdout. It writes its segments itself, and ends when its parent does.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from scoutkit import git, process
from scoutkit.agents.builtin.indexing.chunks import Chunk, chunks
from scoutkit.agents.builtin.indexing.segment import FULL, Segment
from scoutkit.agents.builtin.indexing.store import BINARY, HUGE, NOTE, POINTER, Store

LARGEST = 5_000_000  # bytes: larger files are not read
_BATCH = 2_500_000  # bytes of a batch, which becomes a segment
_FILES = 2_000
_PLAIN = 20_000  # characters of a fixture, generated or vendored file that are looked at
_WORTH_WORKERS = 6_000_000  # bytes
_POINTER = b"version https://git-lfs.github.com/spec/"
_NOTE = b"\n<!-- scoutkit:anchors"
_CRASHES = (signal.SIGSEGV, signal.SIGBUS, signal.SIGILL, signal.SIGFPE, signal.SIGABRT)
_TURNS = 8
_OFTEN = 0.4  # seconds between two progress lines


@dataclass(frozen=True, slots=True)
class Wanted:
    """A file to read: its blob, how (see index.py), and a path it has."""

    blob: str
    form: str
    path: str


def read(
    store: Store, where: Path, wanted: Sequence[Wanted], say: Callable[[str], None], *, docs: bool, workers: int
) -> None:
    """Read files into the store. What git does not have is left out."""
    sizes = _sizes(where, [one.blob for one in wanted])
    there = [one for one in wanted if one.blob in sizes]
    huge = [one for one in there if sizes[one.blob] > LARGEST]
    store.add(Segment(), [], [(one.blob, one.form, HUGE) for one in huge])
    batches = list(_batches([one for one in there if sizes[one.blob] <= LARGEST], sizes))
    progress = _Progress(len(there) - len(huge), say)
    total = sum(min(size, LARGEST) for size in sizes.values())
    if workers > 1 and total >= _WORTH_WORKERS and store.shared:
        batches = _share(store, where, batches, progress, docs=docs, workers=workers)
    for batch in batches:
        digest(store, where, batch, progress.add, docs=docs)


def at_most(where: Path, wanted: Sequence[Wanted], most: int) -> list[Wanted]:
    """As many files as have `most` bytes together; none where reading them all so would take `_TURNS` turns or more."""
    sizes = {blob: size for blob, size in _sizes(where, [one.blob for one in wanted]).items() if size <= LARGEST}
    if sum(sizes.values()) >= _TURNS * most:
        return []
    totals = accumulate(sizes.get(one.blob, 0) for one in wanted)
    return [one for one, total in zip(wanted, totals, strict=True) if total <= most]


def digest(
    store: Store,
    where: Path,
    batch: Sequence[Wanted],
    tick: Callable[[int], None],
    *,
    docs: bool,
    wary: Wanted | None = None,
) -> None:
    """Read a batch and keep it, whole. `wary`: of this one, lines are all that is looked at."""
    made = Segment()
    files: list[tuple[str, str]] = []
    unread: list[tuple[str, str, int]] = []
    with git.Blobs(where) as blobs:
        for one in batch:
            raw = blobs.read(one.blob)
            try:
                tick(1)
            except BaseException:  # whoever waits for it has lost patience: what was read is kept
                store.add(made, files, unread)
                raise
            if raw is None:
                continue
            why = _unreadable(raw)
            if why is not None:
                unread.append((one.blob, one.form, why))
                continue
            found = _chunks(one, raw, docs=docs, parse=one is not wary)[:FULL]
            if made.chunks + len(found) > FULL:
                store.add(made, files, unread)
                made, files, unread = Segment(), [], []
            made.add(found)
            files.append((one.blob, one.form))
    store.add(made, files, unread)


def _unreadable(raw: bytes) -> int | None:
    """Why a file is not read, if so. A note holds the very question it answered, so it would answer every time."""
    if raw.startswith(_POINTER):
        return POINTER
    if b"\0" in raw[:8192]:
        return BINARY
    return NOTE if _NOTE in raw else None


def _chunks(one: Wanted, raw: bytes, *, docs: bool, parse: bool) -> list[Chunk]:
    plain = one.form.startswith("-")
    text = (raw[: 4 * _PLAIN] if plain else raw).decode("utf-8", "replace")
    return chunks(one.path, text[:_PLAIN] if plain else text, parse=parse and not plain, docs=docs)


def _sizes(where: Path, blobs: Sequence[str]) -> dict[str, int]:
    """How large the blobs are that git has. Nothing is fetched for it."""
    asked = "".join(f"{blob}\n" for blob in blobs).encode("ascii")
    env = {"GIT_NO_LAZY_FETCH": "1"}
    checked = git.output(where, "cat-file", "--batch-check=%(objectname) %(objectsize)", stdin=asked, env=env)
    rows = (line.split(" ") for line in checked.splitlines())
    return {row[0]: int(row[1]) for row in rows if len(row) == 2 and row[1].isdigit()}


def _batches(wanted: Sequence[Wanted], sizes: dict[str, int]) -> Iterator[list[Wanted]]:
    batch: list[Wanted] = []
    size = 0
    for one in wanted:
        if batch and (size + sizes[one.blob] > _BATCH or len(batch) >= _FILES):
            yield batch
            batch, size = [], 0
        batch.append(one)
        size += sizes[one.blob]
    if batch:
        yield batch


class _Progress:
    """Says how far it is, not too often."""

    def __init__(self, total: int, say: Callable[[str], None]) -> None:
        self._total = total
        self._say = say
        self._done = 0
        self._next = time.monotonic() + _OFTEN

    def add(self, count: int) -> None:
        self._done += count
        if (now := time.monotonic()) >= self._next:
            self._next = now + _OFTEN
            self._say(f"reading {self._done:,} of {self._total:,} files")


def _share(
    store: Store, where: Path, batches: list[list[Wanted]], progress: _Progress, *, docs: bool, workers: int
) -> list[list[Wanted]]:
    """Hand batches to workers, one at a time each. What one had that died is read here; a file that crashes the parser
    not so closely."""
    argv = [sys.executable, "-P", "-m", __name__, str(store.folder), str(where), "docs" if docs else "undocumented"]
    queue = list(reversed(batches))
    with selectors.DefaultSelector() as ready:
        running: dict[int, tuple[subprocess.Popen[bytes], list[Wanted]]] = {}
        begun: dict[int, int] = {}  # how many files of its batch a worker has begun
        try:
            for _ in range(min(workers, len(queue))):
                child = process.spawn(argv, stderr=2, session=True)  # Ctrl-C is for who asked
                assert child.stdout
                running[child.stdout.fileno()] = (child, queue.pop())
                ready.register(child.stdout, selectors.EVENT_READ)
                _hand(*running[child.stdout.fileno()])
            while running:
                for key, _ in ready.select():
                    child, batch = running[key.fd]
                    said = os.read(key.fd, 65536)
                    progress.add(said.count(b"."))
                    begun[key.fd] = begun.get(key.fd, 0) + said.count(b".")
                    if said and b"\n" not in said:
                        continue
                    if said and queue:
                        begun[key.fd] = 0
                        running[key.fd] = (child, queue.pop())
                        _hand(*running[key.fd])
                        continue
                    ready.unregister(key.fileobj)
                    del running[key.fd]
                    _finish(child)
                    if not said:
                        crashed = -child.returncode in _CRASHES and begun[key.fd] > 0
                        wary = batch[begun[key.fd] - 1] if crashed else None
                        digest(store, where, batch, lambda _: None, docs=docs, wary=wary)
        finally:
            for child, _ in running.values():
                child.kill()
                _finish(child)
    return list(reversed(queue))


def _hand(child: subprocess.Popen[bytes], batch: list[Wanted]) -> None:
    assert child.stdin
    try:
        child.stdin.write(json.dumps([(one.blob, one.form, one.path) for one in batch]).encode("ascii") + b"\n")
        child.stdin.flush()
    except BrokenPipeError:
        return  # it died: reading from it says so


def _finish(child: subprocess.Popen[bytes]) -> None:
    for stream in (child.stdin, child.stdout):
        if stream:
            try:
                stream.close()
            except BrokenPipeError:
                continue
    child.wait()


def work(folder: Path, where: Path, *, docs: bool) -> None:
    """A worker's life: a batch a line, a dot a file, a newline when a batch is kept. What it cannot keep its parent
    reads again, and says why that cannot be kept either."""

    def said(text: str) -> None:
        os.write(1, text.encode())

    with contextlib.suppress(BrokenPipeError, sqlite3.Error), Store(folder) as store:
        for line in sys.stdin:
            batch = [Wanted(*one) for one in json.loads(line)]
            digest(store, where, batch, lambda count: said("." * count), docs=docs)
            said("\n")


if __name__ == "__main__":
    work(Path(sys.argv[1]), Path(sys.argv[2]), docs=sys.argv[3] == "docs")
