"""What is durable of a batch: `plan.json`, which never changes, and `ledger.jsonl`, which only grows.

A line of the ledger is on disk before what it announces happens: a task's run has its id there before anything starts,
so that whoever goes on after a kill sends the same run, which the journal lets begin once. Several processes append.
"""

from __future__ import annotations

import contextlib
import dataclasses
import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from scoutkit.errors import NotFound, ScoutError
from scoutkit.model.batches import Attempt, Plan, Progress, Task
from scoutkit.model.missions import Kind, Limits, Mission
from scoutkit.model.pinned import Pinned

PLAN, LEDGER, LOCK, ERRORS = "plan.json", "ledger.jsonl", "lock", "errors.txt"
_TUPLES = ("tags", "depends_on")


class Ledger:
    """One batch's folder. `refresh` reads what was appended meanwhile, by any process."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.progress: dict[int, Progress] = {}
        self.comparisons: dict[
            int, tuple[str, str]
        ] = {}  # a mission's number: its comparison's id, and path if written
        self.told: list[str] = []
        self.heard = 0  # of `told`: so many were said to somebody
        self._read = 0
        self._plan: Plan | None = None

    @classmethod
    def create(cls, batches: Path, plan: Plan) -> Ledger:
        """A new batch, on disk with all it is to do."""
        ledger = cls(batches / plan.id)
        with _keeping(ledger.folder):
            ledger.folder.mkdir(parents=True, mode=0o700)
            _write_durably(ledger.folder / PLAN, json.dumps(dataclasses.asdict(plan), indent=1))
            for folder in (ledger.folder, batches, batches.parent):
                _sync(folder)
        return ledger

    @property
    def plan(self) -> Plan:
        """What was asked for. ScoutError where it cannot be read."""
        if self._plan is None:
            path = self.folder / PLAN
            try:
                self._plan = _plan(json.loads(path.read_bytes()))
            except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
                raise ScoutError(f"the batch {path} cannot be read: {error}", "send its missions again") from error
        return self._plan

    def of(self, key: int) -> Progress:
        """What is known of a task."""
        return self.progress.get(key, Progress())

    def note(self, *, sync: bool = True, **fields: Any) -> None:
        """Append a line; on disk when this returns, unless `sync` is off. Then all that is new is read."""
        line = json.dumps({"at": datetime.now(UTC).isoformat(timespec="milliseconds"), **fields})
        with _keeping(self.folder):
            handle = os.open(self.folder / LEDGER, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX)
                size = os.fstat(handle).st_size
                torn = size and os.pread(handle, 1, size - 1) != b"\n"  # a power cut left half a line
                raw = (b"\n" if torn else b"") + line.encode() + b"\n"
                if os.write(handle, raw) != len(raw):
                    raise OSError(28, "no space left on device")
                if sync:
                    os.fsync(handle)
            finally:
                os.close(handle)
            if not size:
                _sync(self.folder)
        self.refresh()

    def refresh(self) -> None:
        """Read what was appended since. Half a line is left for the next time; what is no line of ours is skipped."""
        try:
            with (self.folder / LEDGER).open("rb") as file:
                file.seek(self._read)
                raw = file.read()
        except FileNotFoundError:
            return
        whole = raw[: raw.rfind(b"\n") + 1]
        self._read += len(whole)
        for line in whole.splitlines():
            with contextlib.suppress(ValueError, KeyError, TypeError, AttributeError):
                self._take(json.loads(line))

    def _take(self, line: Mapping[str, Any]) -> None:
        if "comparison" in line:
            self.comparisons[int(line["number"])] = (line["comparison"], line.get("path", ""))
            return
        if "tell" in line:
            self.told.append(str(line["tell"]))
            return
        if "heard" in line:
            self.heard = int(line["heard"])
            return
        key = int(line["task"])
        known = self.of(key)
        if "memory" in line:
            self.progress[key] = dataclasses.replace(known, memory=line["memory"], path=line.get("path", ""))
            return
        run = str(line["run"])
        attempts = {one.run: one for one in known.attempts}
        attempt = attempts.get(run, Attempt(run))
        names = {"ended", "note", "path", "why", "stopping"} & line.keys()
        if not attempt.ended:  # the first word on how it ended stands
            attempts[run] = dataclasses.replace(attempt, **{name: line[name] for name in names})
        self.progress[key] = dataclasses.replace(known, attempts=tuple(attempts.values()))

    @contextlib.contextmanager
    def held(self) -> Iterator[bool]:
        """Be the one process that sees to this batch while in the context; False where another does. A kill lets go."""
        with _keeping(self.folder):
            handle = os.open(self.folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                yield False
                return
            yield True
        finally:
            os.close(handle)


def ledgers(batches: Path) -> list[Ledger]:
    """Every batch whose plan can be read, newest first."""
    found = []
    for path in batches.glob(f"*/{PLAN}"):
        ledger = Ledger(path.parent)
        with contextlib.suppress(ScoutError):  # naming it says what is wrong with it
            found.append((ledger.plan.started, ledger))
    return [ledger for _, ledger in sorted(found, key=lambda one: one[0], reverse=True)]


def find(batches: Path, id_or_prefix: str) -> Ledger:
    """The batch with this id, or the only one whose id begins so. NotFound otherwise."""
    paths = sorted(path.parent for path in batches.glob(f"*/{PLAN}") if path.parent.name.startswith(id_or_prefix))
    exact = [path for path in paths if path.name == id_or_prefix]
    if not id_or_prefix or not paths:
        raise NotFound(f"no batch {id_or_prefix!r}", "list them: scoutkit batch --list")
    if len(paths) > 1 and not exact:
        some = ", ".join(path.name for path in paths[:5])
        raise NotFound(f"{id_or_prefix!r} begins several batches: {some}", "write more of the id")
    return Ledger((exact or paths)[0])


def _plan(row: dict[str, Any]) -> Plan:
    return Plan(**{**row, "tasks": tuple(_task(one) for one in row["tasks"])})


def _task(row: dict[str, Any]) -> Task:
    mission: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in row["mission"].items()
    }
    mission |= {"kind": Kind(mission["kind"]), "limits": Limits(**mission["limits"])}
    mission["sources"] = tuple(Pinned(**one) for one in mission["sources"])
    return Task(**{**row, "mission": Mission(**mission), **{name: tuple(row[name]) for name in _TUPLES}})


def _write_durably(path: Path, text: str) -> None:
    fresh = path.with_name(f"{path.name}.new")
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextlib.contextmanager
def _keeping(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise ScoutError(
            f"cannot keep the batch {folder}: {error.strerror or error}", "check the disk and its permissions"
        ) from error
