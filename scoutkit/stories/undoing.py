"""Restoring what a run changed in the user's repository: only what still is as the run left it, and never by itself.

The one module besides the notebook and the worktrees that writes to the user's own files, and the only one that moves
their refs. Everything it overwrites or takes away is in a backup first.
"""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

from scoutkit import git, process
from scoutkit.desk import Desk
from scoutkit.dispatch import copies, fingerprint, untouched
from scoutkit.dispatch.difference import STASH, same, same_content
from scoutkit.dispatch.fingerprint import Reader
from scoutkit.errors import NotFound, Refused, ScoutError
from scoutkit.model.fingerprints import Difference, Seen
from scoutkit.model.missions import Run, State

WILL, IS, CANNOT, DONE = "will be restored", "is as it was", "cannot be restored", "restored"
_ORDER = ("config", "hook", "git file", "worktree", "HEAD", "ref", "stash", "reflog", "index", "file", "objects")


@dataclass(frozen=True, slots=True)
class Step:
    """One difference, what is to be done about it (`WILL`, `IS`, `CANNOT`, in the end `DONE`), and why not."""

    difference: Difference
    state: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """What `carry_out` would do, in order."""

    run: Run
    steps: tuple[Step, ...]

    def count(self, state: str) -> int:
        """Steps in that state."""
        return sum(step.state == state for step in self.steps)


def plan(desk: Desk, run: Run) -> Plan:
    """What of a run's differences can be restored now. Looks only.

    NotFound where nobody looked before the run; Refused while it goes on.
    """
    if run.state is not State.REMOVED and process.alive(run.owner):
        raise Refused(f"run {run.id} is going on", f"stop it first: scoutkit run stop {run.id}")
    known = copies.changed(desk.places.records(run.id))
    if known is None:
        raise NotFound(
            f"nobody looked at the repository before and after run {run.id}",
            "it did not begin, its agent cannot change anything, or its records are gone",
        )
    found = sorted(known[0], key=lambda one: _ORDER.index(one.what) if one.what in _ORDER else len(_ORDER))
    with _Work(desk, run, known[1], None) as work:
        return Plan(run, tuple(work.step(one) for one in found))


def carry_out(desk: Desk, made: Plan) -> tuple[Plan, Path]:
    """Restore, each step looked at again just before. What was done, and the backup of what that replaced.

    A step that fails is told, and does not stop the others. What could not be put in its place is in the backup too.
    """
    folder = desk.places.records(made.run.id)
    known = copies.changed(folder)
    assert known, "plan() found it"
    backup = folder / f"undo-{datetime.now(UTC).strftime('%Y%m%dT%H%M%S')}-{secrets.token_hex(2)}"
    backup.mkdir(mode=0o700)
    with _Work(desk, made.run, known[1], backup) as work:
        return Plan(made.run, tuple(work.carry_out(planned.difference) for planned in made.steps)), backup


class _Work:
    """Looks at single things and restores them."""

    def __init__(self, desk: Desk, run: Run, places: Mapping[str, tuple[int, int]], backup: Path | None) -> None:
        self.repository = desk.repository
        self.common = desk.repository.common_dir
        self.records = desk.places.records(run.id)
        self.run, self.places, self.backup = run, places, backup
        self.log: list[dict[str, str]] = []
        self.logged: set[str] = set()  # reflogs that git has added to for what was restored
        self.blobs = git.Blobs(self.common)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.blobs.close()
        if self.backup:
            copies.write(self.backup / "undone.json", {"run": self.run.id, "restored": self.log})

    # Looking

    def step(self, one: Difference) -> Step:
        """Where it stands."""
        if one.what in ("objects", "not looked at"):
            return Step(one, CANNOT, one.why_not)
        was, left = {
            "ref": self._ref,
            "stash": self._stash,
            "index": self._index,
        }.get(one.what, self._file)(one)
        if was:
            return Step(one, IS)
        if one.why_not:
            return Step(one, CANNOT, one.why_not)
        if not left:
            return Step(one, CANNOT, "it is no longer as the run left it")
        if why := self._missing(one):
            return Step(one, CANNOT, why)
        return Step(one, WILL)

    def _ref(self, one: Difference) -> tuple[bool, bool]:
        now = self.value(one.where)
        return now == one.old, now == one.new

    def value(self, name: str) -> str:
        """A ref as a fingerprint has it."""
        target = self._git("symbolic-ref", "--quiet", name)
        if target.code == 0:
            return f"ref: {target.text.strip()}"
        return self._git("rev-parse", "--verify", "--quiet", "--end-of-options", name).text.strip()

    def _stash(self, one: Difference) -> tuple[bool, bool]:
        now, log = self.value(STASH), Reader().look(str(self.common / "logs" / STASH))
        was = now == one.old and (not one.old or same(log, one.before))
        return was, now == one.new and same(log, one.after)

    def _index(self, one: Difference) -> tuple[bool, bool]:
        git_dir = str(self._git_dir(one))
        now, old = untouched.listing(self.repository, git_dir), fingerprint.digest_of(b"")
        if one.old in self.places:
            content = copies.content(self.records, self.places[one.old])
            old = untouched.listing(self.repository, git_dir, self.records, content)
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
        return executable == (one.mode == "100755") and now.digest == fingerprint.digest_of(self._blob(one))

    def path(self, one: Difference) -> Path:
        """Where a difference's file is."""
        return Path(one.root or self.common) / one.where

    def _git_dir(self, one: Difference) -> Path:
        return git.discover(Path(one.root)).git_dir

    def _missing(self, one: Difference) -> str:
        """What restoring lacks, if it lacks something."""
        wanted = [one.old] if one.what in ("ref", "stash") and one.old and not one.old.startswith("ref:") else []
        if one.what == "stash" and one.before:
            log = copies.content(self.records, self.places[one.before.digest])
            wanted += [line.split(b" ")[1].decode() for line in log.splitlines() if line.count(b" ") > 1]
        for name in wanted:
            if self.blobs.get(name) is None:
                return f"git no longer has {name[:10]}"
        if one.blob and self.blobs.get(one.blob) is None:
            return f"git no longer has what was in it ({one.blob[:10]})"
        if one.what == "file" and (why := _astray(Path(one.root), one.where)):
            return why
        return ""

    # Restoring

    def carry_out(self, one: Difference) -> Step:
        """Restore it if it still is as the run left it."""
        step = self.step(one)
        if step.state == WILL:
            try:
                self.restore(one)
                return replace(step, state=DONE)
            except (ScoutError, OSError) as error:
                why = error.message if isinstance(error, ScoutError) else error.strerror or str(error)
                step = replace(step, state=CANNOT, why=why)
        if step.state == CANNOT and self.backup and one.before and one.before.digest in self.places:
            aside = self.backup / "was" / str(self.path(one)).lstrip("/")
            _place(aside, self._content(one), link=one.before.kind == "link", mode=one.before.mode, exact=True)
            step = replace(step, why=f"{step.why}; what it was: {aside}")
        return step

    def restore(self, one: Difference) -> None:
        """Bring back what was. ScoutError or OSError when it cannot be."""
        action: Callable[[Difference], None] = {
            "HEAD": self._restore_head,
            "ref": self._restore_ref,
            "stash": self._restore_stash,
            "index": self._restore_index,
        }.get(one.what, self._restore_file)
        action(one)
        self.log.append({"what": one.what, "where": str(self.path(one)), "old": one.old, "new": one.new})

    def _restore_head(self, one: Difference) -> None:
        git_dir = self.path(one).parent
        if one.after is None:  # of a linked worktree that git no longer lists
            self._restore_file(one)
            return
        self._save(one)
        content = self._content(one).decode("utf-8", "replace").strip()
        if content.startswith("ref: "):
            self._must(self._git("symbolic-ref", *self._reason, "HEAD", content.removeprefix("ref: "), git_dir=git_dir))
        else:
            self._must(self._git("update-ref", *self._reason, "--no-deref", "HEAD", content, git_dir=git_dir))

    def _restore_ref(self, one: Difference) -> None:
        """Git itself checks that the ref is still what the run left."""
        self.logged |= {f"logs/{one.where}", "logs/HEAD"}
        if one.old.startswith("ref: "):
            self._must(self._git("symbolic-ref", *self._reason, one.where, one.old.removeprefix("ref: ")))
            return
        if one.new.startswith("ref: "):
            self._must(self._git("symbolic-ref", "--delete", one.where))
        expected = "" if one.new.startswith("ref: ") else one.new
        zero = "0" * len(one.old or one.new)
        if one.old:
            self._must(self._git("update-ref", *self._reason, "--no-deref", one.where, one.old, expected or zero))
        elif expected:
            self._must(self._git("update-ref", *self._reason, "--no-deref", "-d", one.where, expected))

    def _restore_stash(self, one: Difference) -> None:
        """The ref first, since git adds to the list when it moves; then the list as it was."""
        log = self.common / "logs" / STASH
        self._save(one, log)
        self._restore_ref(one)
        if one.before:
            log.parent.mkdir(parents=True, exist_ok=True)
            _place(log, self._content(one), link=False, mode=one.before.mode, exact=True)

    def _restore_index(self, one: Difference) -> None:
        """Under git's own lock."""
        path = self._git_dir(one) / "index"
        self._save(one, path)
        lock = path.with_name("index.lock")
        handle = os.open(lock, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(copies.content(self.records, self.places[one.old]) if one.old else b"")
            if one.old:
                lock.replace(path)
            else:
                path.unlink(missing_ok=True)
        finally:
            lock.unlink(missing_ok=True)

    def _restore_file(self, one: Difference) -> None:
        path = self.path(one)
        self._save(one)
        old, new = one.before, one.after
        if old and new and old.kind == new.kind == "file" and same_content(old, new):
            path.chmod(old.mode)
        elif one.blob:
            _place(path, self._blob(one), link=one.mode == "120000", mode=0o777 if one.mode == "100755" else 0o666)
        elif old:
            _place(path, self._content(one), link=old.kind == "link", mode=old.mode, exact=True)
        else:
            path.unlink()

    def _content(self, one: Difference) -> bytes:
        assert one.before, "only what was there is restored"
        return copies.content(self.records, self.places[one.before.digest])

    def _blob(self, one: Difference) -> bytes:
        """A file of the commit as a checkout has it."""
        how = ("blob", one.blob) if one.mode == "120000" else ("--filters", f"--path={one.where}", one.blob)
        done = git.git(Path(one.root), "cat-file", *how, env={"GIT_LFS_SKIP_SMUDGE": "0"})
        self._must(done)
        return done.out

    def _save(self, one: Difference, path: Path | None = None) -> None:
        """Into the backup, by its own path."""
        path = path or self.path(one)
        seen = Reader().look(str(path))
        if not seen or not self.backup:
            return
        kept = self.backup / "files" / str(path).lstrip("/")
        kept.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if seen.kind == "link":
            kept.symlink_to(path.readlink())
        elif seen.kind == "file":
            import shutil

            shutil.copy2(path, kept, follow_symlinks=False)

    def _git(self, *args: str, git_dir: Path | None = None) -> process.Completed:
        return git.git(self.common, f"--git-dir={git_dir or self.common}", *args)

    @property
    def _reason(self) -> tuple[str, str]:
        return "-m", f"scoutkit run undo {self.run.id}"

    def _must(self, done: process.Completed) -> None:
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


def _place(path: Path, content: bytes, *, link: bool, mode: int, exact: bool = False) -> None:
    """Put a file or link there in one step. A mode that is not exact is narrowed by the user's mask."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f".{secrets.token_hex(6)}.scoutkit")
    try:
        if link:
            fresh.symlink_to(os.fsdecode(content))
        else:
            handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                if exact:
                    os.fchmod(file.fileno(), mode)
        if path.is_dir() and not path.is_symlink():
            path.rmdir()  # only an empty one goes
        fresh.replace(path)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise
