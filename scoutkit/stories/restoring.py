"""Brings one thing of the user's repository back to what it was. What that replaces is in a backup first.

Beside the notebook and the worktrees, the only module that writes to the user's own files, and the only one that moves
their refs. It writes what it is handed: whether that is as a run left it was looked at before.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from pathlib import Path

from scoutkit.dispatch import copies
from scoutkit.dispatch.difference import STASH, same_content
from scoutkit.dispatch.seen import Reader
from scoutkit.model.fingerprints import Difference
from scoutkit.stories.remains import Remains, must


class Restoring:
    """Restores what a run changed, one thing at a time, and writes down in the backup what it did."""

    def __init__(self, remains: Remains, run_id: str, backup: Path) -> None:
        self._remains, self._run_id, self._backup = remains, run_id, backup
        self._log: list[dict[str, str]] = []

    def close(self) -> None:
        """`undone.json`: what was restored."""
        copies.write(self._backup / "undone.json", {"run": self._run_id, "restored": self._log})

    def restore(self, one: Difference) -> None:
        """Bring back what was. ScoutError or OSError when it cannot be."""
        action: Callable[[Difference], None] = {
            "HEAD": self._restore_head,
            "ref": self._restore_ref,
            "stash": self._restore_stash,
            "index": self._restore_index,
        }.get(one.what, self._restore_file)
        action(one)
        self._log.append({"what": one.what, "where": str(self._remains.path(one)), "old": one.old, "new": one.new})

    def _restore_head(self, one: Difference) -> None:
        git_dir = self._remains.path(one).parent
        if one.after is None:  # of a linked worktree that git no longer lists
            self._restore_file(one)
            return
        self._save(one)
        content = self._remains.content(one).decode("utf-8", "replace").strip()
        if content.startswith("ref: "):
            self._git("symbolic-ref", *self._reason, "HEAD", content.removeprefix("ref: "), git_dir=git_dir)
        else:
            self._git("update-ref", *self._reason, "--no-deref", "HEAD", content, git_dir=git_dir)

    def _restore_ref(self, one: Difference) -> None:
        """Git itself checks that the ref is still what the run left."""
        self._remains.logged |= {f"logs/{one.where}", "logs/HEAD"}
        if one.old.startswith("ref: "):
            self._git("symbolic-ref", *self._reason, one.where, one.old.removeprefix("ref: "))
            return
        if one.new.startswith("ref: "):
            self._git("symbolic-ref", "--delete", one.where)
        expected = "" if one.new.startswith("ref: ") else one.new
        zero = "0" * len(one.old or one.new)
        if one.old:
            self._git("update-ref", *self._reason, "--no-deref", one.where, one.old, expected or zero)
        elif expected:
            self._git("update-ref", *self._reason, "--no-deref", "-d", one.where, expected)

    def _restore_stash(self, one: Difference) -> None:
        """The ref first, since git adds to the list when it moves; then the list as it was."""
        log = self._remains.common / "logs" / STASH
        self._save(one, log)
        self._restore_ref(one)
        if one.before:
            log.parent.mkdir(parents=True, exist_ok=True)
            _place(log, self._remains.content(one), link=False, mode=one.before.mode, exact=True)

    def _restore_index(self, one: Difference) -> None:
        """Under git's own lock."""
        path = self._remains.git_dir(one) / "index"
        self._save(one, path)
        lock = path.with_name("index.lock")
        handle = os.open(lock, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(self._remains.copy(one.old) if one.old else b"")
            if one.old:
                lock.replace(path)
            else:
                path.unlink(missing_ok=True)
        finally:
            lock.unlink(missing_ok=True)

    def _restore_file(self, one: Difference) -> None:
        path = self._remains.path(one)
        self._save(one)
        old, new = one.before, one.after
        if old and new and old.kind == new.kind == "file" and same_content(old, new):
            path.chmod(old.mode)
        elif one.blob:
            _place(
                path, self._remains.blob(one), link=one.mode == "120000", mode=0o777 if one.mode == "100755" else 0o666
            )
        elif old:
            _place(path, self._remains.content(one), link=old.kind == "link", mode=old.mode, exact=True)
        else:
            path.unlink()

    def aside(self, one: Difference) -> Path:
        """Put what was there into the backup, where it cannot be put in its place."""
        assert one.before
        path = self._backup / "was" / str(self._remains.path(one)).lstrip("/")
        _place(path, self._remains.content(one), link=one.before.kind == "link", mode=one.before.mode, exact=True)
        return path

    def _save(self, one: Difference, path: Path | None = None) -> None:
        """Into the backup, by its own path."""
        path = path or self._remains.path(one)
        seen = Reader().look(str(path))
        if not seen:
            return
        kept = self._backup / "files" / str(path).lstrip("/")
        kept.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if seen.kind == "link":
            kept.symlink_to(path.readlink())
        elif seen.kind == "file":
            import shutil

            shutil.copy2(path, kept, follow_symlinks=False)

    def _git(self, *args: str, git_dir: Path | None = None) -> None:
        must(self._remains.ask(*args, git_dir=git_dir))

    @property
    def _reason(self) -> tuple[str, str]:
        return "-m", f"scoutkit run undo {self._run_id}"


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
