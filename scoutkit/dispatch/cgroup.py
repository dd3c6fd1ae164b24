"""A cgroup of its own for a run, where this user may make one: the kernel counts, nothing escapes, one write ends all.

Only version 2, and only below a group whose controllers are handed on already: nothing above the run's own is changed.
Source: the kernel's Documentation/admin-guide/cgroup-v2.rst.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path("/sys/fs/cgroup")
_NEEDED = frozenset({"memory", "pids"})
_PREFIX = "scoutkit-"
_ENTER = 'echo $$ >"$0/cgroup.procs" 2>/dev/null; exec "$@"'  # before the agent is there, so that nothing is outside
WEIGHT = 50  # of 100: the user's own programs come first


def parent(root: Path = ROOT, table: Path = Path("/proc/self/cgroup")) -> tuple[Path | None, str]:
    """The group below which a run may have one, or why there is none."""
    if not (root / "cgroup.controllers").is_file():
        return None, f"no cgroup v2 is mounted at {root}"
    try:
        lines = table.read_text("utf-8").splitlines()
    except OSError as error:
        return None, f"{table}: {error.strerror}"
    own = next((line.removeprefix("0::/") for line in lines if line.startswith("0::/")), None)
    if own is None or ".." in own:
        return None, "this process is in no group of cgroup v2 that can be seen"
    why = "no group above this process may be written to"
    for folder in ((root / own), *(root / own).parents):
        if not folder.is_relative_to(root):
            break
        if os.access(folder, os.W_OK) and os.access(folder / "cgroup.procs", os.W_OK):
            handed = _read(folder / "cgroup.subtree_control").split()
            if set(handed) >= _NEEDED:
                return folder, ""
            missing = ", ".join(sorted(_NEEDED - set(handed)))
            why = f"{folder} hands no {missing} on to groups below it"
    return None, why


@dataclass(frozen=True, slots=True)
class Cgroup:
    """One run's group."""

    folder: Path
    processes: int | None
    memory: int | None

    @classmethod
    def make(cls, above: Path, name: str, processes: int | None, memory: int | None) -> Cgroup | None:
        """None where it turns out that it cannot be made. Takes away what killed runs left."""
        for old in above.glob(f"{_PREFIX}*"):
            if "populated 0" in _read(old / "cgroup.events"):
                with contextlib.suppress(OSError):
                    old.rmdir()
        folder = above / f"{_PREFIX}{name}"
        try:
            folder.mkdir()
            for file, value in (("pids.max", processes), ("memory.max", memory)):
                (folder / file).write_text("max" if value is None else str(value))
        except OSError:
            with contextlib.suppress(OSError):
                folder.rmdir()
            return None
        for file, value in (("memory.swap.max", 0 if memory is not None else None), ("cpu.weight", WEIGHT)):
            if value is not None and (folder / file).exists():
                with contextlib.suppress(OSError):
                    (folder / file).write_text(str(value))
        return cls(folder, processes, memory)

    def entering(self, argv: Sequence[str]) -> tuple[str, ...]:
        """The command, started so that it is in the group before it begins."""
        return ("/bin/sh", "-c", _ENTER, str(self.folder), *argv)

    def holds(self) -> bool:
        """Is anything in it?"""
        return bool(_read(self.folder / "cgroup.procs").strip())

    def broken(self) -> str:
        """Which limit the kernel had to enforce, if any."""
        if _count(self.folder / "memory.events", "oom_kill"):
            return f"it used more than {(self.memory or 0) / 1e9:.3g} GB of memory"
        if _count(self.folder / "pids.events", "max"):
            return f"it started more than {self.processes:,} processes"
        return ""

    def close(self) -> None:
        """End what is in it, and take it away."""
        with contextlib.suppress(OSError):
            if self.holds() and (self.folder / "cgroup.kill").exists():
                (self.folder / "cgroup.kill").write_text("1")
        for _ in range(50):  # what was killed is in it until somebody has heard of its end
            try:
                self.folder.rmdir()
            except FileNotFoundError:
                return
            except OSError:
                time.sleep(0.01)
            else:
                return


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except OSError:
        return ""


def _count(path: Path, name: str) -> int:
    found = (line.split() for line in _read(path).splitlines())
    return next((int(words[1]) for words in found if len(words) == 2 and words[0] == name), 0)
