"""Files that are whole or not there: written beside their place, on disk before they get their name."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import re
from collections.abc import Iterator
from pathlib import Path

_ENDING = ".scoutkit-new"
_PREPARED = re.compile(rf"\.[0-9a-f]{{16}}{re.escape(_ENDING)}")


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """One process at a time; the lock ends with the process that holds it."""
    path.parent.mkdir(exist_ok=True)  # not its parents: a repository that is not there is not made
    lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def sweep(folder: Path) -> None:
    """Delete what a killed process had prepared in a folder. Only for who holds the lock: nobody else is at work."""
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        for path in folder.iterdir():
            if _PREPARED.fullmatch(path.name):
                path.unlink(missing_ok=True)


@contextlib.contextmanager
def prepared(folder: Path, raw: bytes, mode: int | None = None) -> Iterator[Path]:
    """A hidden file in `folder` with this content, on disk; gone afterwards unless it got a name."""
    path = folder / f".{os.urandom(8).hex()}{_ENDING}"
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        with os.fdopen(descriptor, "wb") as file:
            if mode is not None:
                os.fchmod(descriptor, mode)
            file.write(raw)
            file.flush()
            os.fsync(descriptor)
        yield path
    finally:
        path.unlink(missing_ok=True)


def claim(fresh: Path, path: Path) -> bool:
    """Give a prepared file its name; False, and nothing done, when the name is taken."""
    try:
        os.link(fresh, path)
    except FileExistsError:
        return False
    except OSError:  # a file system without hard links: take the name first
        try:
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666))
        except FileExistsError:
            return False
        fresh.replace(path)
    sync(path.parent)
    return True


def replace(fresh: Path, path: Path) -> None:
    """Put a prepared file in the place of another."""
    fresh.replace(path)
    sync(path.parent)


def move(source: Path, target: Path) -> None:
    """Move a file or link, to another file system too; the target's folder is made."""
    target.parent.mkdir(parents=True)
    try:
        source.rename(target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        import shutil

        shutil.copy2(source, target, follow_symlinks=False)
        if not target.is_symlink():
            with target.open("rb") as file:
                os.fsync(file.fileno())
        sync(target.parent)
        source.unlink()
    sync(target.parent)
    sync(source.parent)


def sync(folder: Path) -> None:
    """Make what names a folder holds durable."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
