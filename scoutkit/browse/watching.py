"""Keeps what the pages say of notes true while somebody browses: which hold now, and how they fared week by week.

A process of its own, `python -m scoutkit.browse.watching FOLDER`, that nobody waits for; one at a time a repository.
It ends when it is done, or when whoever started it has ended.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import IO

from scoutkit import git, history
from scoutkit.desk import Desk
from scoutkit.errors import ScoutError
from scoutkit.model.notes import Note
from scoutkit.search.health import Week
from scoutkit.stories import standing

WEEKS = 12
SAMPLE = 400  # citations that are followed for one week
_AT_ONCE = 25  # notes
LOCK = "browse.lock"


def main(arguments: Sequence[str]) -> None:
    """Check what has to be checked, then make the weeks that are missing. Quits where another process is at it."""
    parent = os.getppid()
    os.nice(10)
    with contextlib.suppress(ScoutError, OSError):
        desk = Desk.open(Path(arguments[0]), here="--here" in arguments[1:])
        with _alone(desk.places.state / LOCK) as alone:
            if alone:
                desk.sync()
                for _ in work(desk):
                    if os.getppid() != parent:
                        return


def work(desk: Desk) -> Iterator[None]:
    """All that there is to do, in steps of a second or so, what people look for first."""
    head = git.resolve(desk.repository, "HEAD")
    stale = _to_check(desk, head)
    for start in range(0, len(stale), _AT_ONCE):
        found = standing.survey(desk, stale[start : start + _AT_ONCE], standing.target(desk, None))
        why = {one.note.path: one.why for one in found}
        desk.ledger.checked({one.note.path: one.holds for one in found}, standing.target(desk, None), why)
        yield
    desk.ledger.knows_head(head)
    yield from _weeks(desk, head)


def _to_check(desk: Desk, head: str) -> list[Note]:
    """Notes that no check spoke of since they, the commit, or a file that they cite changed."""
    known = desk.ledger.checks() if desk.ledger.head == head else {}
    root = desk.repository.toplevel
    mtimes: dict[str, float] = {}

    def changed(note: Note, at: str) -> bool:
        since = datetime.fromisoformat(at).timestamp() - 1
        for path in standing.cited_files(note):
            if path not in mtimes:
                try:
                    mtimes[path] = (root / path).lstat().st_mtime if root else 0
                except (OSError, ValueError):
                    mtimes[path] = 0  # it was not there before either, or the note said so
            if mtimes[path] > since:
                return True
        return False

    notes = standing.choose(desk)
    fresh = [note for note in notes if note.path not in known]
    return fresh + [note for note in notes if note.path in known and changed(note, known[note.path])]


def _weeks(desk: Desk, head: str) -> Iterator[None]:
    known = {one.week: one.sample for one in desk.ledger.weeks(WEEKS + 1)}
    notes = _sample(standing.choose(desk))
    for sunday in last_sundays():
        there = [note for note in notes if note.at and note.at[:10] <= sunday]
        commit = history.before(desk.where, head, f"{sunday}T23:59:59Z") if there else ""
        if not commit:
            continue
        taken = list(_cut(there))
        sample = hashlib.sha256("\n".join([commit, *(note.id for note in taken)]).encode()).hexdigest()[:16]
        if known.get(sunday) == sample:
            continue
        counts: Counter[str] = Counter()
        for start in range(0, len(taken), _AT_ONCE):
            for one in standing.survey(desk, taken[start : start + _AT_ONCE], commit):
                counts.update(each.verdict.value for each in one.followed if each.counts)
            yield
        desk.ledger.fared([Week(sunday, commit, counts.total(), counts, sample)])
        yield


def last_sundays() -> list[str]:
    """The ends of the last weeks, the newest first; that of this week is still to come."""
    today = datetime.now(UTC).date()
    sunday = today + timedelta(days=6 - today.weekday())
    return [date.isoformat(sunday - timedelta(weeks=number)) for number in range(WEEKS)]


def _sample(notes: Sequence[Note]) -> list[Note]:
    """Notes in an order that depends on nothing but their ids, so that a sample stays the same as notes are added."""
    kept = [note for note in notes if note.citations and note.commit]
    return sorted(kept, key=lambda note: hashlib.sha256(note.id.encode("utf-8", "replace")).digest())


def _cut(notes: Sequence[Note]) -> Iterator[Note]:
    left = SAMPLE
    for note in notes:
        if left <= 0:
            return
        yield replace(note, citations=note.citations[:left])
        left -= len(note.citations)


@contextlib.contextmanager
def _alone(path: Path) -> Iterator[bool]:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        yield _locked(file)


def _locked(file: IO[bytes]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


if __name__ == "__main__":
    main(sys.argv[1:])
