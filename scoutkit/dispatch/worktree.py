"""Disposable worktrees: lent for one run, taken back whole. The only module that deletes them.

A run's folder lies under the user's state folder and holds a marker, the shadow repository, the worktree and the
agent's scratch folder. Only a folder whose marker names the run and the repository is ever removed.
"""

from __future__ import annotations

import json
import os
import re
import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from scoutkit import complaints, git, process
from scoutkit.config import user_state
from scoutkit.dispatch import left_out, shadow
from scoutkit.errors import Interrupted, Refused, RepositoryError, ScoutError, Unavailable
from scoutkit.model.missions import Run
from scoutkit.model.places import Repository

MARKER = "scoutkit-run.json"
SHADOW = "shadow.git"
SCRATCH = "scratch"
_ROOM = "free some space, or set XDG_STATE_HOME to a folder that can be written"
_RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
_LIST = ("worktree", "list", "--porcelain")
# A worktree may hold folders without write permission. Only folders are opened up: a file may be a hard link.
_DELETE = 'rm -rf -- "$@" || { find "$@" -type d ! -perm -u+rwx -exec chmod u+rwx {} \\; ; rm -rf -- "$@"; }'


@dataclass(frozen=True, slots=True)
class Checkout:
    """What was lent for one run. Absolute real paths."""

    run_id: str
    folder: Path
    shadow: Path
    worktree: Path  # named like the repository; its HEAD is detached at the base
    scratch: Path
    skipped: tuple[str, ...]  # what this repository asks for and did not get: lines for a person
    beside: tuple[Path, ...] = ()  # what else it may read: sources of a `research`, and the objects they borrow


def folder_of(run_id: str) -> Path:
    """Where a run's folder is, or would be. Refused for what is no run id."""
    if not _RUN_ID.fullmatch(run_id):
        raise Refused(f"not a run id: {run_id!r}", "scoutkit runs lists them")
    return _runs() / run_id


def borrow(repository: Repository, base: str, run_id: str, *, files: bool = True, run_hooks: bool = False) -> Checkout:
    """A worktree of the commit `base`, hanging off a shadow repository; nothing of the user's is written.

    Without `files` it stays empty, except in a partial clone, where a checkout lets git fetch in one go what is
    missing. Raises RepositoryError when git cannot make it and Unavailable when the state folder cannot hold it; then
    nothing of it is left.
    """
    return lend(
        repository,
        run_id,
        lambda folder: _fill(repository, base, run_id, folder, files=files, run_hooks=run_hooks),
    )


def lend(repository: Repository, run_id: str, fill: Callable[[Path], Checkout]) -> Checkout:
    """A run's folder with its marker and scratch folder, filled in; where that fails, nothing of it is left."""
    folder = folder_of(run_id)
    if os.path.lexists(folder):
        raise Refused(f"run {run_id} has a folder already: {folder}", "scoutkit clean removes old ones")
    try:
        _private(folder.parent)
        folder.mkdir(mode=0o700)
    except OSError as error:
        raise _unwritable(folder, error) from error
    try:
        _mark(folder, repository.common_dir)
        (folder / SCRATCH).mkdir(mode=0o700)
        return fill(folder)
    except BaseException as error:
        remove(folder, common_dir=repository.common_dir)
        if isinstance(error, OSError):
            raise _unwritable(folder, error) from error
        raise


def _fill(repository: Repository, base: str, run_id: str, folder: Path, *, files: bool, run_hooks: bool) -> Checkout:
    mark = {process.RUN_MARK: run_id}
    source = shadow.make(repository, folder / SHADOW, base, mark)
    tree = folder / tree_name(repository)
    add = ("worktree", "add", "--detach", "--no-checkout", tree, base)
    added = git.git(folder, f"--git-dir={source.path}", *add, env=mark)
    if not tree.is_dir():
        raise _failed(source, base, added)
    if not (files or source.partial):
        _judge(git.git(tree, *_LIST, env=mark), source, tree, base)
        return Checkout(run_id, folder, source.path, tree, folder / SCRATCH, ())
    # Not by `worktree add`: the sparse patterns have to be there first, and git before 2.36 hands none on.
    if source.sparse is not None:
        for entry in (source.path / "worktrees").iterdir():
            (entry / "info").mkdir(exist_ok=True)
            (entry / "info" / "sparse-checkout").write_bytes(source.sparse)
    checkout = ("reset", "--hard", "--quiet", "--no-recurse-submodules")
    filled = git.git(tree, *_parallel(), *checkout, env={**mark, **source.lent})
    if filled.code:
        raise _failed(source, base, filled)
    source.settle()
    skipped = left_out.hooks(repository, source.settings, tree, base, run=run_hooks, env=mark)
    listed = git.begin(tree, *_LIST, env=mark)
    skipped += left_out.contents(source, tree, env=mark)
    _judge(listed(), source, tree, base)
    return Checkout(run_id, folder, source.path, tree, folder / SCRATCH, tuple(skipped))


def _parallel() -> tuple[str, ...]:
    """On few cores git's parallel checkout costs more than it gives (git-config(1), checkout.workers)."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return ("-c", f"checkout.workers={min(cores, 8)}") if cores >= 4 else ()


def _judge(listed: process.Completed, source: shadow.Shadow, tree: Path, base: str) -> None:
    """What counts is what git in the worktree takes it for, not how `worktree add` or a hook ended.

    Asked there, git lists the shadow and this worktree: so it is registered, its toplevel is its own folder and no
    repository further up, and its HEAD is the base.
    """
    if listed.text != f"worktree {source.path}\nbare\n\nworktree {tree}\nHEAD {base}\ndetached\n\n":
        raise _failed(source, base, listed)


def _failed(source: shadow.Shadow, base: str, done: process.Completed) -> ScoutError:
    if done.code == -signal.SIGINT:  # Ctrl-C goes to all of a terminal's foreground processes
        return Interrupted("interrupted while the worktree was made", "send it again")
    said = complaints.complaint(done.error) or f"git does not find it where it was made (exit {done.code})"
    message = f"no worktree of {base[:12]}: {said}"
    if re.search(r"(unable to|could not|cannot) (write|create)|No space left|quota exceeded", done.error):
        return Unavailable(message, _ROOM)
    if source.partial:
        return RepositoryError(
            message, "what a partial clone lacks comes from its remote: can it be reached? git fetch"
        )
    return RepositoryError(
        message, f"see what git says to: git worktree add --detach FOLDER {base[:12]}; and to: git fsck"
    )


def tree_name(repository: Repository) -> str:
    """What the agent sees as the repository's name: that of its folder, as far as it is free here."""
    folder = repository.main or repository.toplevel
    name = folder.name if folder else repository.common_dir.name.removesuffix(".git")
    if not name or (not folder and name.startswith(".")):  # project/.bare, project/.git
        name = repository.common_dir.parent.name or "repository"
    return f"{name}-worktree" if name in (MARKER, SHADOW, SCRATCH) else name


def remove(folder: Path, *, common_dir: Path) -> None:
    """Move a run's folder into the trash and delete it there in the background. One that is missing is fine.

    Refused when it is not ours: not where runs are, or its marker does not name it and the repository.
    """
    if not os.path.lexists(folder):
        return
    _check(folder, common_dir)
    try:
        trash = _private(_trash())
        folder.chmod(0o700)  # a folder that cannot be written cannot change its parent
        gone = trash / f"{folder.name}.{time.time_ns():x}"
        folder.rename(gone)
    except FileNotFoundError:
        return  # another command was faster
    except OSError as error:
        raise ScoutError(
            f"cannot move {folder} to the trash: {error.strerror}", f"check the permissions of {_trash()}"
        ) from error
    _delete([gone])


def _check(folder: Path, common_dir: Path) -> None:
    """Refused unless the folder is a run's of this repository. Last thing before it is moved."""
    why = ""
    if not _RUN_ID.fullmatch(folder.name):
        why = "its name is no run id"
    elif folder_of(folder.name) != Path(os.path.realpath(folder.parent)) / folder.name:
        why = f"it is not in {_runs()} (was XDG_STATE_HOME another one?)"
    elif folder.is_symlink() or not folder.is_dir():
        why = "it is no folder"
    elif not _unborn(folder):
        marked = _marker(folder)
        if marked is None:
            why = f"its marker {MARKER} is missing or damaged"
        elif marked != (folder.name, str(common_dir)):
            why = f"its marker names run {marked[0]} of {marked[1]}"
    if why:
        raise Refused(f"not removed: {folder}: {why}", "look at what is in it, and delete it by hand")


def leftovers(common_dir: Path) -> list[Path]:
    """Run folders of this repository, then what is in the trash.

    Includes folders without a readable marker, whosever they are, so that somebody hears of them: `remove` refuses
    those and says why.
    """
    found = []
    for folder in _entries(_runs()):
        marked = _marker(folder)
        if (marked and marked[1] == str(common_dir)) or (marked is None and not _unborn(folder)):
            found.append(folder)
    return found + _entries(_trash())


def sweep() -> None:
    """Delete in the background what is still in the trash."""
    if entries := _entries(_trash()):
        _delete(entries[:1000])  # as many as surely fit on a command line; the next command takes more


def _delete(folders: Sequence[Path]) -> None:
    process.detach(["sh", "-c", _DELETE, "sh", *folders])


def _runs() -> Path:
    return Path(os.path.realpath(user_state() / "runs"))


def _trash() -> Path:
    return _runs().parent / "trash"  # beside it, so that a rename is enough


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def _private(folder: Path) -> Path:
    """Make a folder of the state folder, both for the user's eyes only. Refused when it is somebody else's."""
    for path in (folder.parent, folder):
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = path.stat()
        if status.st_uid != os.geteuid():
            raise Refused(f"{path} belongs to another user", "set XDG_STATE_HOME to a folder of your own")
        if status.st_mode & 0o077:
            path.chmod(0o700)
    return folder


def _mark(folder: Path, common_dir: Path) -> None:
    with (folder / MARKER).open("x", encoding="ascii") as file:
        json.dump({"run": folder.name, "repository": str(common_dir)}, file)
        file.flush()
        os.fsync(file.fileno())


def marked(run: Run) -> Path | None:
    """A run's folder if the marker in it names the run: only what works in such a one may be ended with the run."""
    folder = Path(run.folder)
    marker = _marker(folder) if folder.is_absolute() else None
    return folder if marker and marker[0] == run.id else None


def _marker(folder: Path) -> tuple[str, str] | None:
    """Run id and common directory as the marker has them; None when there is no marker that says so."""
    try:
        with os.fdopen(os.open(folder / MARKER, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
            marked = json.loads(file.read(1_000_000))
        return str(marked["run"]), str(marked["repository"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _unborn(folder: Path) -> bool:
    """Was it made this moment, or just before a crash: nothing in it, or a marker not yet written?"""
    try:
        return all(entry.name == MARKER and entry.stat().st_size == 0 for entry in folder.iterdir())
    except OSError:
        return False


def _unwritable(folder: Path, error: OSError) -> Unavailable:
    return Unavailable(
        f"cannot make a worktree: {error.filename or folder}: {error.strerror}",
        _ROOM,
    )
