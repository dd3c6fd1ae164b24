"""Mirrors: bare copies of other people's repositories in the user's cache, one a source, shared by all runs.

`name-hash/.git` each, with a lock file beside it. Objects only ever come in: git never collects garbage there, so that
runs may borrow them. The user's own repositories are only read from, through git's transport: no link leads into them.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import re
import shutil
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from scoutkit import complaints, config, git
from scoutkit.errors import RepositoryError, Unavailable
from scoutkit.model.agents import Narrator
from scoutkit.model.places import Repository

UNUSED = 30  # days after which a mirror goes
_EVERY = 2.0  # seconds between two lines of progress
_SETTINGS = "[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n[fetch]\n\tunpackLimit = 1\n"
_REFS = ("+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")
_HEAD = "refs/source/HEAD"
_NEW = ".new"  # a mirror that is not whole yet
_FULL = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


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
            wanted = known or (revision if _FULL.fullmatch(revision) else "")
            if wanted and _has(path, wanted):
                os.utime(path)
                return path, wanted
            source = _Source(origin, address, name, tell)
            source.update(path)
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


class _Source:
    """One source as it is fetched: what git says of it, said with its origin."""

    def __init__(self, origin: str, address: str, name: str, tell: Narrator) -> None:
        self._origin, self._address, self._name, self._tell = origin, address, name, tell

    def update(self, path: Path) -> None:
        """All branches and tags, and HEAD. A new mirror is whole before it has its name."""
        if (path / ".git").is_dir():
            for left in (*(path / ".git").glob("*.lock"), *(path / ".git/refs").rglob("*.lock")):
                left.unlink()  # of a fetch that was killed: we hold the only lock that counts
            self._fill(path)
            return
        for half in _halves(path.name):
            _remove(half)
        fresh = path.with_name(f"{path.name}.{os.getpid()}{_NEW}")
        self._tell(f"{self._name}: cloning {self._origin}")
        try:
            self._init(fresh, "sha1")
            self._fill(fresh)
            fresh.rename(path)
        finally:
            _remove(fresh)

    def _init(self, path: Path, form: str) -> None:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        git.output(path, "init", "--quiet", "--bare", "--template=", f"--object-format={form}", path / ".git")
        with (path / ".git/config").open("a", encoding="ascii") as settings:
            settings.write(_SETTINGS)

    def _fill(self, path: Path) -> None:
        done = self._fetch(path, *_REFS, f"+HEAD:{_HEAD}")
        if done and "mismatched algorithms" in done:
            _remove(path)
            self._init(path, "sha256")
            done = self._fetch(path, *_REFS, f"+HEAD:{_HEAD}")
        if done and "couldn't find remote ref HEAD" in done:
            done = self._fetch(path, *_REFS)
        if done:
            raise RepositoryError(f"cannot fetch {self._origin}: {self._complaint(done)}", self._hint(done))
        head = git.git(path, "rev-parse", "--verify", "--quiet", f"{_HEAD}^{{commit}}").text.strip()
        if head:
            git.output(path, "update-ref", "--no-deref", "HEAD", head)

    def _fetch(self, path: Path, *refs: str) -> str:
        """What git said where it failed; "" where it did not."""
        args = ("fetch", "--progress", "--prune", "--no-tags", "--no-write-fetch-head", "--update-shallow", "--force")
        done = git.heard(
            path, *args, "--no-recurse-submodules", "--", self._address, *refs, hear=_progress(self._name, self._tell)
        )
        return (done.error or "git failed") if done.code else ""

    def resolve(self, path: Path, revision: str) -> str:
        """A revision in the mirror; one that no branch or tag leads to is asked for by itself."""
        mirror = git.discover(path)
        try:
            return git.resolve(mirror, revision)
        except RepositoryError as error:
            if _FULL.fullmatch(revision) or revision.startswith("refs/"):
                into = "refs/source/asked"
                if not self._fetch(path, f"+{revision}:{into}"):
                    return git.resolve(mirror, into if revision.startswith("refs/") else revision)
            raise RepositoryError(
                f"{self._origin}: {error.message}", f"name a branch, tag or commit of it: --repo {self._origin}@REV"
            ) from error

    def _complaint(self, said: str) -> str:
        said = "\n".join(line for line in said.split("\n") if not line.startswith("remote: "))
        said = complaints.complaint(said).replace(self._address, self._origin)
        return "".join(one if one.isprintable() else "?" for one in said)

    def _hint(self, said: str) -> str:
        if "not appear to be a git repository" in said or "not found" in said:
            return "is that the address of a git repository? git ls-remote tells"
        return f"see what git says to: git ls-remote {self._origin}"


def _progress(name: str, tell: Narrator) -> Callable[[str], None]:
    """What hears git's progress and tells it now and then: `lib: receiving objects 45 %, 12.10 MiB`."""
    import git as gitpython

    names = {
        gitpython.RemoteProgress.COUNTING: "counting objects",
        gitpython.RemoteProgress.COMPRESSING: "compressing objects",
        gitpython.RemoteProgress.RECEIVING: "receiving objects",
        gitpython.RemoteProgress.RESOLVING: "resolving deltas",
    }
    due = time.monotonic() + _EVERY

    class Progress(gitpython.RemoteProgress):
        def update(
            self, op_code: int, cur_count: str | float, max_count: str | float | None = None, message: str = ""
        ) -> None:
            nonlocal due
            what = names.get(op_code & self.OP_MASK)
            if what is None or time.monotonic() < due:
                return
            due = time.monotonic() + _EVERY
            part = f" {100 * float(cur_count) / float(max_count):.0f} %" if max_count else ""
            size = message.partition("|")[0].strip(" ,")
            tell(f"{name}: {what}{part}" + (f", {size}" if re.fullmatch(r"[0-9.]+ [A-Za-z]+", size) else ""))

    return Progress().new_message_handler()


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
