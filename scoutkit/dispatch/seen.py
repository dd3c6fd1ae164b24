"""One file of the user's as it is: kind, mode, size, times, and content up to a cap. Beyond that, the others stand in.

Only looks, and follows no link.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable
from dataclasses import dataclass, replace

from scoutkit.model.fingerprints import Seen

LARGEST = 4_000_000  # bytes of a file that is read
ALL = 64_000_000  # bytes that are read of one repository
Keep = Callable[[str, bytes], object]


@dataclass
class Reader:
    """Reads files up to the caps and hands what it read to `keep`. What has not changed since `known` is not read."""

    keep: Keep | None = None
    left: int = ALL  # 0: sizes and times alone

    def look(self, path: str, known: Seen | None = None) -> Seen | None:
        """What is there; None for nothing. A link is not followed."""
        try:
            status = os.lstat(path)
        except (OSError, ValueError):
            return None
        seen = Seen(_kind(status.st_mode), stat.S_IMODE(status.st_mode), status.st_size, stamp=_stamp(status))
        if known and known.digest and replace(seen, digest=known.digest) == known:
            return known
        try:
            match seen.kind:
                case "link":
                    return self._read(seen, os.fsencode(os.readlink(path)))  # noqa: PTH115 - not followed
                case "file" if seen.size <= min(LARGEST, self.left):
                    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
                    with os.fdopen(handle, "rb", buffering=0) as file:
                        content = file.read(seen.size + 1)
                    return self._read(seen, content) if len(content) == seen.size else seen
        except OSError:
            pass  # not to be read: size and times stand in
        return seen

    def _read(self, seen: Seen, content: bytes) -> Seen:
        self.left -= len(content)
        digest = digest_of(content)
        if self.keep:
            self.keep(digest, content)
        return replace(seen, digest=digest)


def digest_of(content: bytes) -> str:
    """Tells contents apart."""
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def _kind(mode: int) -> str:
    if stat.S_ISREG(mode):
        return "file"
    return "link" if stat.S_ISLNK(mode) else "folder" if stat.S_ISDIR(mode) else "other"


def _stamp(status: os.stat_result) -> tuple[int, int, int]:
    return status.st_ino, status.st_mtime_ns, status.st_ctime_ns
