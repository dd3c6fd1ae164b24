"""Mirrors: bare copies of other people's repositories in the user's cache, one a source, shared by all runs.

`name-hash/.git` each, with a lock file beside it. Objects only ever come in: git never collects garbage there, so that
runs may borrow them; many packs become one that has all they had. The user's own repositories are only read from,
through git's transport: no link leads into them.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from scoutkit import complaints, config, git
from scoutkit.dispatch.fetching import FULL, Source
from scoutkit.errors import Unavailable
from scoutkit.model.agents import Narrator
from scoutkit.model.places import Repository

UNUSED = 30  # days after which a mirror goes
PACKS = 20  # every fetch that brings something adds one; more slow git down, and hold things several times
_REPACK = ("-c", "repack.writeBitmaps=false", "repack", "-a", "-d", "--keep-unreachable", "--quiet")
_NEW = ".new"  # a mirror that is not whole yet


class Kept(NamedTuple):
    """A mirror: its folder, its bytes on disk, the days since it was last used."""

    folder: Path
    size: int
    days: float


def folder() -> Path:
    """Where all mirrors are."""
    return config.user_cache() / "sources"


def of(origin: str, name: str) -> Path:
    """The folder of a source's mirror, whether there is one or not; git answers for the mirror in it."""
    return folder() / f"{name}-{hashlib.sha256(os.fsencode(origin)).hexdigest()[:16]}"


def find(origin: str) -> Path | None:
    """The mirror of a source, by whatever name it was first asked for; None where there is none."""
    digest = hashlib.sha256(os.fsencode(origin)).hexdigest()[:16]
    return next((path for path in folder().glob(f"*-{digest}") if (path / ".git").is_dir()), None)


def bring(origin: str, address: str, name: str, revision: str, *, known: str = "", tell: Narrator) -> tuple[Path, str]:
    """The mirror of a source, and a revision of it as a full commit id: fetched, unless that very commit is there.

    `address` is what git fetches from, and `origin` the same without what is secret. `known`: the commit that the
    revision is, where it was looked up in the source itself. RepositoryError where the source cannot be read or has no
    such revision.
    """
    try:
        folder().mkdir(mode=0o700, parents=True, exist_ok=True)
        with _locked(origin, name, tell), _ended_by_signals():
            path = find(origin) or of(origin, name)
            wanted = known or (revision if FULL.fullmatch(revision) else "")
            if wanted and _has(path, wanted):
                os.utime(path)
                return path, wanted
            source = Source(origin, address, name, tell)
            _update(source, path, tell)
            commit = source.resolve(path, wanted or revision)
            os.utime(path)
            return path, commit
    except OSError as error:
        raise Unavailable(
            f"cannot keep a copy of {origin}: {error.filename or folder()}: {error.strerror}",
            "free some space, or set XDG_CACHE_HOME to a folder that can be written",
        ) from error


def kept() -> list[Kept]:
    """Every mirror, the one used longest ago first."""
    now = time.time()
    found = [path for path in _entries() if (path / ".git").is_dir() and path.suffix != _NEW]
    return sorted(
        (Kept(path, _size(path), max(now - path.stat().st_mtime, 0.0) / 86_400) for path in found),
        key=lambda one: -one.days,
    )


def tidy(*, dry: bool = False) -> list[Kept]:
    """Remove mirrors that no run used for a month, and what fetches that were killed left, but for what is in use this
    moment; which. `dry`: only say."""
    gone = []
    now = time.time()
    halves = [Kept(path, _size(path), (now - path.stat().st_mtime) / 86_400) for path in _halves()]
    for one in (*halves, *(one for one in kept() if one.days >= UNUSED)):
        name = one.folder.name.rsplit(".", 2)[0] if one.folder.suffix == _NEW else one.folder.name
        with contextlib.suppress(BlockingIOError), _lock_of(name).open("ab") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if not dry:
                _remove(one.folder)
            gone.append(one)
    return gone


def repack(*, dry: bool = False, tell: Narrator) -> list[Path]:
    """Make one pack of many, in mirrors that had many fetches, but for those in use this moment; which.

    No object goes, not one that nothing leads to: a run may borrow it. `dry`: only say.
    """
    done = []
    for path in (one.folder for one in kept()):
        packs = path / ".git/objects/pack"
        if len(list(packs.glob("*.pack"))) < PACKS:
            continue
        with contextlib.suppress(BlockingIOError), _lock_of(path.name).open("ab") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if not dry:
                for left in (*packs.glob("tmp_*"), *packs.glob(".tmp-*")):
                    left.unlink()  # of a git that was killed: we hold the only lock that counts
                said = git.git(path, *_REPACK)
                if said.code:
                    tell(f"{path}: could not be repacked: {complaints.complaint(said.error)}")
                    continue
            done.append(path)
    return done


def _update(source: Source, path: Path, tell: Narrator) -> None:
    """Fetch what is new. A new mirror is whole before it has its name."""
    if (path / ".git").is_dir():
        for left in (*(path / ".git").glob("*.lock"), *(path / ".git/refs").rglob("*.lock")):
            left.unlink()  # of a fetch that was killed: we hold the only lock that counts
        if source.fill(path):
            return
        _remove(path)
    for half in _halves(path.name):
        _remove(half)
    fresh = path.with_name(f"{path.name}.{os.getpid()}{_NEW}")
    tell(f"{source.name}: cloning {source.origin}")
    try:
        source.init(fresh, "sha1")
        if not source.fill(fresh):
            _remove(fresh)
            source.init(fresh, "sha256")
            source.fill(fresh)
        fresh.rename(path)
    finally:
        _remove(fresh)


def _has(path: Path, commit: str) -> bool:
    return (path / ".git").is_dir() and git.git(path, "cat-file", "-e", f"{commit}^{{commit}}").code == 0


def repository(path: Path) -> Repository:
    """A mirror as any repository."""
    return git.discover(path)


@contextlib.contextmanager
def _locked(origin: str, name: str, tell: Narrator) -> Iterator[None]:
    """Alone with a source's mirror; says so when another scoutkit has it."""
    with _lock_of((find(origin) or of(origin, name)).name).open("ab") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            tell(f"{name}: waiting for another scoutkit that fetches {origin}")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield  # closing lets go of it; the file stays, since another may wait for it


@contextlib.contextmanager
def _ended_by_signals() -> Iterator[None]:
    """TERM and HUP end a fetch as Ctrl-C does: with the git that fetches, and what it has so far."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(number: int, frame: object) -> None:  # noqa: ARG001 - as signal wants it
        raise KeyboardInterrupt

    before = {number: signal.signal(number, end) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _lock_of(name: str) -> Path:
    """By what is the same whatever a source is called."""
    return folder() / f"{name[-16:]}.lock"


def _entries() -> list[Path]:
    try:
        return sorted(path for path in folder().iterdir() if path.is_dir() and not path.is_symlink())
    except OSError:
        return []


def _halves(name: str = "") -> list[Path]:
    """What is not whole: being made, or left by a command that was killed. Of one mirror, or of all."""
    return [path for path in _entries() if path.suffix == _NEW and path.name.startswith(name)]


def _size(path: Path) -> int:
    total = 0
    for where, _, names in os.walk(path):
        for name in names:
            with contextlib.suppress(OSError):  # a fetch may be going on
                total += (Path(where) / name).lstat().st_size
    return total


def _remove(path: Path) -> None:
    """Only what is right in the folder of mirrors. What a git that outlives its scoutkit still writes may stay."""
    if path.parent == folder() and path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=path.suffix == _NEW)
