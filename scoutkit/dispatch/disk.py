"""How much disk a run has taken in its folder since its agent began. Only looks, a little at a time."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path

EVERY = 3.0  # seconds between two looks through the folder, more where one takes long
SLICE = 0.02  # seconds that looking through it may hold up the conversation
SCARCE = 300_000_000  # bytes: with less than this left, other programs begin to fail
_BLOCK = 512  # bytes; st_blocks counts in these whatever the file system (stat(2))


class Disk:
    """`look` often: most looks cost microseconds. A file that is no longer there but open is seen by the space it takes
    from the whole disk."""

    def __init__(self, folder: Path | None, limit: int | None) -> None:
        self._folder = folder
        self._limit = limit
        self._began = time.time()
        self._free = self._room()
        self._walk: Iterator[tuple[int, int]] | None = None
        self._base: int | None = None
        self._next = 0.0
        self._seen = self._free
        self._cost = 0.0
        self._at = (0, 0)  # bytes that the walk has seen: as they were before the agent began, changed since

    def look(self, now: float) -> str:
        """Why the agent has to stop, if so."""
        if self._folder is None or self._limit is None:
            return ""
        free = self._room()
        if free < SCARCE and self._free - free > SCARCE // 10:
            return f"it left only {_megabytes(free)} free on the disk"
        if self._walk is None and (now >= self._next or self._seen - free > self._limit // 4):
            self._walk, self._seen, self._cost = self._through(self._folder), free, 0.0
            self._at = (0, 0)
        if self._walk is None:
            return ""
        until = time.monotonic() + SLICE
        for seen in self._walk:
            self._at = seen
            if self._grown() > self._limit:
                break
            if time.monotonic() > until:
                self._cost += SLICE
                return ""
        else:
            self._base = self._at[0] if self._base is None else self._base
            self._walk, self._next = None, now + max(EVERY, 30 * self._cost)
        grown = self._grown()
        return f"it took more than {_megabytes(self._limit)} of disk" if grown > self._limit else ""

    def _grown(self) -> int:
        """Bytes so far; where the first look is not through yet, only what is new."""
        old, new = self._at
        return new if self._base is None else old + new - self._base

    def _through(self, folder: Path) -> Iterator[tuple[int, int]]:
        """After each folder: bytes in files as they were before the agent began, and in those changed since."""
        old = new = 0
        linked: set[tuple[int, int]] = set()
        todo = [str(folder)]
        while todo:
            with contextlib.suppress(OSError), os.scandir(todo.pop()) as entries:
                for entry in entries:
                    with contextlib.suppress(OSError):
                        status = entry.stat(follow_symlinks=False)
                        if entry.is_dir(follow_symlinks=False):
                            todo.append(entry.path)
                        elif status.st_nlink > 1:
                            if (status.st_dev, status.st_ino) in linked:
                                continue
                            linked.add((status.st_dev, status.st_ino))
                        if status.st_ctime < self._began:
                            old += status.st_blocks * _BLOCK
                        else:
                            new += status.st_blocks * _BLOCK
            yield old, new

    def _room(self) -> int:
        if self._folder is None:
            return 0
        try:
            there = os.statvfs(self._folder)
        except OSError:
            return 0
        return there.f_bavail * there.f_frsize


def _megabytes(count: int) -> str:
    return f"{count / 1e9:.3g} GB" if count >= 1e9 else f"{count / 1e6:.3g} MB"
