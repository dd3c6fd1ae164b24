"""Where each thing that a run changed stands now: as it was, as the run left it, or as neither. Only looks."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Self

from scoutkit import git, process
from scoutkit.desk import Desk
from scoutkit.dispatch import copies, untouched
from scoutkit.dispatch.difference import STASH, same
from scoutkit.dispatch.seen import Reader, digest_of
from scoutkit.errors import ScoutError
from scoutkit.model.fingerprints import Difference, Seen


class Remains:
    """Looks at the differences of one run, and has what they were. A context manager.

    `kept` says where the copies made for the run have each content.
    """

    def __init__(self, desk: Desk, run_id: str, kept: Mapping[str, tuple[int, int]]) -> None:
        self.common = desk.repository.common_dir
        self.logged: set[str] = set()  # reflogs that git has added to for what was restored
        self._repository = desk.repository
        self._records = desk.places.records(run_id)
        self._kept = kept
        self._blobs = git.Blobs(self.common)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._blobs.close()

    def state(self, one: Difference) -> tuple[bool, bool]:
        """Is it as it was, and is it as the run left it?"""
        return {"ref": self._ref, "stash": self._stash, "index": self._index}.get(one.what, self._file)(one)

    def _ref(self, one: Difference) -> tuple[bool, bool]:
        now = self._value(one.where)
        return now == one.old, now == one.new

    def _value(self, name: str) -> str:
        """A ref as a fingerprint has it."""
        target = self.ask("symbolic-ref", "--quiet", name)
        if target.code == 0:
            return f"ref: {target.text.strip()}"
        return self.ask("rev-parse", "--verify", "--quiet", "--end-of-options", name).text.strip()

    def _stash(self, one: Difference) -> tuple[bool, bool]:
        now, log = self._value(STASH), Reader().look(str(self.common / "logs" / STASH))
        was = now == one.old and (not one.old or same(log, one.before))
        return was, now == one.new and same(log, one.after)

    def _index(self, one: Difference) -> tuple[bool, bool]:
        git_dir = str(self.git_dir(one))
        now, old = untouched.listing(self._repository, git_dir), digest_of(b"")
        if one.old in self._kept:
            old = untouched.listing(self._repository, git_dir, self._records, self.copy(one.old))
        return now == old, now == one.new

    def _file(self, one: Difference) -> tuple[bool, bool]:
        now = Reader().look(str(self.path(one)))
        left = same(now, one.after) or (one.what == "reflog" and one.where in self.logged)
        if one.blob:
            return not left and self._clean(one, now), left
        return same(now, one.before), left

    def _clean(self, one: Difference, now: Seen | None) -> bool:
        if now is None or now.kind != ("link" if one.mode == "120000" else "file"):
            return False
        executable = bool(now.mode & stat.S_IXUSR)
        return executable == (one.mode == "100755") and now.digest == digest_of(self.blob(one))

    def path(self, one: Difference) -> Path:
        """Where a difference's file is."""
        return Path(one.root or self.common) / one.where

    def git_dir(self, one: Difference) -> Path:
        """That of the checkout that a difference is in."""
        return git.discover(Path(one.root)).git_dir

    def missing(self, one: Difference) -> str:
        """What restoring lacks, if it lacks something."""
        wanted = [one.old] if one.what in ("ref", "stash") and one.old and not one.old.startswith("ref:") else []
        if one.what == "stash" and one.before:
            log = self.content(one).splitlines()
            wanted += [line.split(b" ")[1].decode() for line in log if line.count(b" ") > 1]
        for name in wanted:
            if self._blobs.get(name) is None:
                return f"git no longer has {name[:10]}"
        if one.blob and self._blobs.get(one.blob) is None:
            return f"git no longer has what was in it ({one.blob[:10]})"
        if one.what == "file" and (why := _astray(Path(one.root), one.where)):
            return why
        return ""

    def has(self, one: Difference) -> bool:
        """Is there a copy of what was there?"""
        return one.before is not None and one.before.digest in self._kept

    def content(self, one: Difference) -> bytes:
        """What was there."""
        assert one.before, "only what was there is restored"
        return self.copy(one.before.digest)

    def copy(self, name: str) -> bytes:
        """A content that was kept, by its name."""
        return copies.content(self._records, self._kept[name])

    def blob(self, one: Difference) -> bytes:
        """A file of the commit as a checkout has it."""
        how = ("blob", one.blob) if one.mode == "120000" else ("--filters", f"--path={one.where}", one.blob)
        done = git.git(Path(one.root), "cat-file", *how, env={"GIT_LFS_SKIP_SMUDGE": "0"})
        must(done)
        return done.out

    def ask(self, *args: str, git_dir: Path | None = None) -> process.Completed:
        """Git, of the user's repository or one of its checkouts."""
        return git.git(self.common, f"--git-dir={git_dir or self.common}", *args)


def must(done: process.Completed) -> None:
    """ScoutError with git's own last line where it did not do what it was told."""
    if done.code:
        raise ScoutError((done.error or f"git ended with {done.code}").splitlines()[-1])


def _astray(root: Path, where: str) -> str:
    """Why a path does not lead to its place in the checkout, if it does not."""
    parent = (root / where).parent
    real = Path(os.path.realpath(parent))
    if real != Path(os.path.realpath(root)) / parent.relative_to(root):
        return "a folder on its way is a link now"
    for folder in [parent, *parent.parents]:
        if folder == root:
            return ""
        if os.path.lexists(folder) and not folder.is_dir():
            return f"{untouched.shown(folder.name)} is a file now"
    return ""
