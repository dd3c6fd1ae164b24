"""A git repository of scoutkit's own that looks at a run's worktree: with an index, refs and settings that no agent
reaches, so that nothing an agent configured (filters, hooks, helpers) is run when its work is looked at.

It lies in the run's folder, beside what the agent sees, and goes with it. Its objects are the run's by alternates.
"""

from __future__ import annotations

import os
import shutil
import stat
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from scoutkit import git, process

NAME = "harvest.git"
LARGEST = 10_000_000  # bytes of a file that is compared
MOST = 5_000  # untracked files that are compared
MADE = frozenset(
    (
        *("node_modules", ".venv", "venv", "env", "__pycache__", ".tox", ".nox", ".mypy_cache", ".pytest_cache"),
        *(".ruff_cache", ".gradle", ".next", ".turbo", "target", "vendor", "bower_components", ".bundle", "Pods"),
        *(".cargo", ".npm", ".pnpm-store", ".yarn", "dist", "build"),
    )
)
"""Folders that tools fill: untracked, they are counted and not compared."""
_CROWD = 20  # untracked files in one of those from which it is left out


class OutOfTime(Exception):
    """What is looked at takes longer than there is."""


@dataclass(frozen=True, slots=True)
class Ground:
    """One run's worktree as scoutkit's own git sees it. `until`: a monotonic time after which nothing more is asked."""

    path: Path
    worktree: Path
    base: str
    until: float

    def git(self, *args: str | Path, stdin: bytes = b"", index: Path | None = None) -> process.Completed:
        """Run git here. OutOfTime when it takes longer than there is."""
        import subprocess

        left = self.until - time.monotonic()
        if left <= 0:
            raise OutOfTime
        env = {"GIT_DIR": str(self.path), "GIT_WORK_TREE": str(self.worktree), "GIT_NO_LAZY_FETCH": "1"}
        if index:
            env["GIT_INDEX_FILE"] = str(index)
        quiet = ("-c", "core.quotePath=false", "-c", "core.safecrlf=false", "-c", "gc.auto=0")
        try:
            return git.git(self.worktree, *quiet, *args, stdin=stdin, env=env, timeout=left)
        except subprocess.TimeoutExpired as error:
            raise OutOfTime from error

    @property
    def start(self) -> str:
        """The tree that the agent began with: the base and what was made before it (set-up, checks); "" if unknown."""
        try:
            return (self.path / "start").read_text("ascii").strip()
        except (OSError, ValueError):
            return ""


def prepare(folder: Path, worktree: Path, shadow: Path, base: str, *, objects: Path, until: float) -> Ground:
    """Before the agent starts: remember what it begins with. Raises OSError, and OutOfTime."""
    ground = _make(folder, worktree, shadow, base, objects, until)
    index = next((shadow / "worktrees").glob("*/index"), None)
    if index:
        shutil.copy2(index, ground.path / "index")
    else:
        ground.git("read-tree", base)
    tree, _ = written(ground)
    (ground.path / "start").write_text(f"{tree}\n")
    return ground


def opened(folder: Path, worktree: Path, shadow: Path, base: str, *, objects: Path, until: float) -> Ground:
    """Once the agent is done: what `prepare` made, else a new one that knows the base alone."""
    ground = Ground(folder / NAME, worktree, base, until)
    if not (ground.path / "index").is_file():
        ground = _make(folder, worktree, shadow, base, objects, until)
        ground.git("read-tree", base)
    return ground


def _make(folder: Path, worktree: Path, shadow: Path, base: str, objects: Path, until: float) -> Ground:
    path = folder / NAME
    for name in ("objects/info", "refs", "info"):
        (path / name).mkdir(parents=True, exist_ok=True)
    (path / "HEAD").write_text(f"{base}\n")
    config = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tlogallrefupdates = false\n"
    if len(base) == 64:
        config = config.replace("= 0", "= 1") + "[extensions]\n\tobjectformat = sha256\n"
    (path / "config").write_text(config)
    lenders = [one for one in (objects, shadow / "objects") if "\n" not in str(one)]
    (path / "objects/info/alternates").write_bytes(b"".join(os.fsencode(one) + b"\n" for one in lenders))
    # above every attributes file of the tree: no filter is run, whoever set it up
    (path / "info/attributes").write_text("* -filter !working-tree-encoding !ident\n")
    refs = shadow / "packed-refs"
    if refs.is_file() and not refs.is_symlink():
        shutil.copyfile(refs, path / "packed-refs")
    return Ground(path, worktree, base, until)


@dataclass(frozen=True, slots=True)
class Seen:
    """What a look at a worktree could not compare: `large` files with their sizes, `nested` repositories, folders that
    tools fill with how many files are in each, and lines that say what else."""

    large: tuple[tuple[str, int], ...] = ()
    nested: tuple[str, ...] = ()
    made: tuple[tuple[str, int], ...] = ()
    troubles: tuple[str, ...] = ()


def written(ground: Ground) -> tuple[str, Seen]:
    """The worktree as a tree object, untracked files included and ignored ones not; and what is not in it.

    "" for a tree that git could not write.
    """
    index = ground.path / "index.now"
    shutil.copy2(ground.path / "index", index)
    troubles, large, nested = list[str](), list[tuple[str, int]](), list[str]()
    listed = ground.git("diff-files", "-z", "--name-only", "--ignore-submodules=all", index=index)
    if listed.code:
        troubles.append(f"changed files: {_last(listed)}")
    changed = [path for path in listed.text.split("\0") if path]
    known = set(changed)
    listed = ground.git("ls-files", "-z", "--others", "--exclude-standard", index=index)
    if listed.code:
        troubles.append(f"new files: {_last(listed)}")
    fresh, made = _fresh([path for path in listed.text.split("\0") if path])
    wanted, gone = list[str](), list[str]()
    for path in [*changed, *fresh[:MOST]]:
        if not os.path.lexists(ground.worktree / path) or (path in known and (ground.worktree / path).is_dir()):
            gone.append(path)
        elif path.endswith("/"):
            nested.append(path)
        elif (size := _size(ground.worktree / path)) > LARGEST:
            large.append((path, size))
        elif size == -2:
            troubles.append(f"{path}: cannot be read")
        else:
            wanted.append(path)
    if len(fresh) > MOST:
        troubles.append(f"{len(fresh) - MOST:,} more new files than are compared")
    names = b"".join(os.fsencode(path) + b"\0" for path in gone)
    ground.git("update-index", "--force-remove", "-z", "--stdin", stdin=names, index=index)
    names = b"".join(os.fsencode(path) + b"\0" for path in wanted)
    update = ("update-index", "--add", "--remove", "--replace", "-z", "--stdin")
    done = ground.git(*update, stdin=names, index=index)
    if done.code:  # one that it refuses stops it: one by one, then
        for path in wanted[:MOST]:
            if one := _refused(ground.git(*update, stdin=os.fsencode(path) + b"\0", index=index)):
                troubles.append(f"{path}: {one}")
    tree = ground.git("write-tree", "--missing-ok", index=index)
    if tree.code:
        troubles.append(f"what the worktree holds: {_last(tree)}")
    return (
        tree.text.strip() if tree.code == 0 else "",
        Seen(tuple(large), tuple(nested), tuple(made.items()), tuple(troubles[:20])),
    )


def _fresh(paths: Sequence[str]) -> tuple[list[str], dict[str, int]]:
    """Untracked files without those in folders that tools fill; how many there are in each of these."""
    made: dict[str, int] = {}
    inside = [_made(path) for path in paths]
    for folder in filter(None, inside):
        made[folder] = made.get(folder, 0) + 1
    made = {folder: count for folder, count in made.items() if count >= _CROWD}
    return [path for path, folder in zip(paths, inside, strict=True) if folder not in made], made


def _made(path: str) -> str:
    parts = path.split("/")
    at = next((number for number, part in enumerate(parts[:-1]) if part in MADE), None)
    return "" if at is None else "/".join(parts[: at + 1])


def _size(path: Path) -> int:
    """Bytes; -1 for what is no regular file any more (a link, or gone), -2 for one that may not be read."""
    try:
        status = path.lstat()
    except OSError:
        return -1
    if not stat.S_ISREG(status.st_mode):
        return -1
    return status.st_size if os.access(path, os.R_OK) else -2


def _refused(done: process.Completed) -> str:
    return _last(done) if done.code else ""


def _last(done: process.Completed) -> str:
    said = done.error.splitlines()
    return said[-1].removeprefix("fatal: ").removeprefix("error: ")[:200] if said else f"git ended with {done.code}"


def inside(folder: Path, most: int) -> Iterator[Path]:
    """At most so many files below a folder, links not followed, git's own left out."""
    for root, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name != ".git"]
        for name in files:
            if most <= 0:
                return
            most -= 1
            if name != ".git":
                yield Path(root) / name
