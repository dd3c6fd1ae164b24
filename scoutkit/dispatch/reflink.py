"""One file's copy that shares its blocks with the original where the file system can (Btrfs, XFS, bcachefs)."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
from pathlib import Path

_FICLONE = 0x40049409  # linux/fs.h
_CHUNK = 1 << 23
# What a file system says that cannot share, or cannot copy by itself (ioctl_ficlone(2), copy_file_range(2)).
_CANNOT = frozenset({errno.EOPNOTSUPP, errno.ENOTTY, errno.EXDEV, errno.EINVAL, errno.ENOSYS, errno.EPERM, errno.EBADF})


class NotPlain(OSError):
    """Neither file nor link: a pipe, a socket, a device."""


def copy(source: Path, target: Path, *, room: int) -> int:
    """Copy a plain file that is not there yet; how many bytes of disk that took: 0 where blocks are shared.

    Mode and times are kept, links at the end of either path are not followed. OSError (EFBIG for one larger than `room`
    that would have to be copied, NotPlain for what is no file); then nothing is there.
    """
    with os.fdopen(os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as old:
        status = os.fstat(old.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise NotPlain(errno.EINVAL, "neither file nor link")
        handle = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        try:
            with os.fdopen(handle, "wb") as new:
                taken = (
                    0 if _share(old.fileno(), new.fileno()) else _copy(old.fileno(), new.fileno(), status.st_size, room)
                )
                os.fchmod(new.fileno(), stat.S_IMODE(status.st_mode) & 0o777)
            os.utime(target, ns=(status.st_atime_ns, status.st_mtime_ns))  # build tools compare times
        except BaseException:
            with contextlib.suppress(OSError):
                target.unlink()
            raise
    return taken


def _share(old: int, new: int) -> bool:
    if not sys.platform.startswith("linux"):
        return False
    import fcntl

    try:
        fcntl.ioctl(new, _FICLONE, old)
    except OSError as error:
        if error.errno not in _CANNOT:
            raise
        return False
    return True


def _copy(old: int, new: int, size: int, room: int) -> int:
    if size > room:
        raise OSError(errno.EFBIG, "larger than what may be copied")
    done, by_kernel = 0, hasattr(os, "copy_file_range")
    while True:
        try:
            if by_kernel:
                count = os.copy_file_range(old, new, _CHUNK)
            else:
                data = os.read(old, _CHUNK)
                count = len(data)
                while data:
                    data = data[os.write(new, data) :]
        except OSError as error:
            if not by_kernel or error.errno not in _CANNOT or done:
                raise
            by_kernel = False
            continue
        if not count:
            return done
        done += count
        if done > room:
            raise OSError(errno.EFBIG, "it grew while it was copied")
