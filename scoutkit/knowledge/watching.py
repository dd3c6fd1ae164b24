"""Whether anything in the notes folder may have changed since it was last asked, told by the kernel (Linux inotify).

A look at ten thousand files takes longer than a search in them. Whoever keeps running asks here first, and looks at the
files only where something happened. Where the kernel cannot tell (another system, a network file system, links in the
folder), the answer is always that something may have changed.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import struct
import sys
from pathlib import Path

# Written, made, deleted, moved, its rights changed, the folder itself gone; never what only reads.
_EVENTS = 0x2 | 0x4 | 0x8 | 0x40 | 0x80 | 0x100 | 0x200 | 0x400 | 0x800
_FOLDERS_ALONE = 0x01000000  # IN_ONLYDIR
# File systems that only this machine writes to: ext, xfs, btrfs, tmpfs, overlay, f2fs, zfs, bcachefs.
_LOCAL = {0xEF53, 0x58465342, 0x9123683E, 0x01021994, 0x794C7630, 0xF2F52010, 0x2FC12FC1, 0xCA451A4E}


class Watch:
    """Watches one folder and those in it, as the notebook reads them: hidden ones are passed over."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._queue: int | None = None
        self._top = (0, 0)

    def changed(self) -> bool:
        """May anything have changed since the last call? True at the first one, and wherever it is not known."""
        if self._queue is not None and self._top == identity(self._folder) and not self._heard(self._queue):
            return False
        self.close()
        if not self._begin():
            self.close()
        return True

    def close(self) -> None:
        """Watch no more."""
        if self._queue is not None:
            os.close(self._queue)
            self._queue = None

    def _heard(self, queue: int) -> bool:
        try:
            return bool(os.read(queue, 1 << 16))
        except BlockingIOError:
            return False
        except OSError:
            return True

    def _begin(self) -> bool:
        """Each folder is watched before it is looked into: what comes into it meanwhile is heard."""
        if not sys.platform.startswith("linux"):
            return False
        libc = ctypes.CDLL(None, use_errno=True)
        queue = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if queue < 0:  # a user may have only so many
            return False
        self._queue, self._top = queue, identity(self._folder)
        todo = [os.fsencode(self._folder)]
        with contextlib.suppress(OSError):
            while todo:
                folder = todo.pop()
                if not _local(libc, folder) or libc.inotify_add_watch(queue, folder, _EVENTS | _FOLDERS_ALONE) < 0:
                    return False
                if (below := _below(folder)) is None:
                    return False
                todo += below
            return True
        return False


def _below(folder: bytes) -> list[bytes] | None:
    """The folders in a folder; None where links are, which lead to what is not watched."""
    found = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name[:1] == b".":
                continue
            if entry.is_symlink():
                return None
            if entry.is_dir(follow_symlinks=False):
                found.append(entry.path)
    return found


def _local(libc: ctypes.CDLL, folder: bytes) -> bool:
    about = ctypes.create_string_buffer(512)
    if libc.statfs(folder, about):
        return False
    kind: int = struct.unpack_from("@l", about)[0]
    return kind & 0xFFFFFFFF in _LOCAL


def identity(place: Path) -> tuple[int, int]:
    """Tells a file or folder from another that took its name; zeros where there is none."""
    try:
        about = place.stat()
    except OSError:
        return (0, 0)
    return (about.st_dev, about.st_ino)
