"""Old batches: which have had their time, and taking one away. Their runs and notes are not theirs, and stay."""

from __future__ import annotations

import contextlib
import shutil
import time
from pathlib import Path

from scoutkit.batches.ledger import LEDGER, PLAN, Ledger
from scoutkit.batches.standing import due
from scoutkit.errors import ScoutError

OVER = 30  # days after its last step that a batch goes, when there is nothing left to do in it
OPEN = 90  # and when there is


def expired(batches: Path, now: float | None = None) -> list[Path]:
    """The folders of batches that nothing happened in for so long. What cannot be read counts as open."""
    now = time.time() if now is None else now
    found = []
    for folder in sorted(batches.glob("*/")):
        if folder.is_symlink():
            continue
        days = (now - _touched(folder)) / 86_400
        if days >= OPEN or (days >= OVER and not _open(folder)):
            found.append(folder)
    return found


def drop(folder: Path) -> bool:
    """Take one away, unless somebody sees to it this moment."""
    with Ledger(folder).held() as mine:
        if not mine:
            return False
        with contextlib.suppress(FileNotFoundError):
            (folder / PLAN).unlink()  # without it, it is no batch: whoever is killed here leaves none that is half
        shutil.rmtree(folder)
    return True


def _touched(folder: Path) -> float:
    """When its plan was made or its ledger last grew, whichever is later, in seconds since 1970."""
    times = [folder.stat().st_mtime] if not (folder / PLAN).exists() else []
    for name in (PLAN, LEDGER):
        with contextlib.suppress(OSError):
            times.append((folder / name).stat().st_mtime)
    return max(times, default=0.0)


def _open(folder: Path) -> bool:
    ledger = Ledger(folder)
    if not (folder / PLAN).exists():
        return False
    try:
        tasks = ledger.plan.tasks
    except ScoutError:
        return True
    ledger.refresh()
    return any(due(ledger, task) for task in tasks)
