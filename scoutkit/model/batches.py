"""Many missions at once: what was asked for, and what became of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from scoutkit.model.missions import Mission


@dataclass(frozen=True, slots=True)
class Wanted:
    """A mission as somebody wrote it down, at a line of their file. What they left out is empty."""

    line: int
    text: str
    id: str = ""
    kind: str = ""
    agents: tuple[str, ...] = ()
    base: str = ""
    paths: tuple[str, ...] = ()  # globs of the part that it is about
    checks: tuple[str, ...] = ()  # for a scout
    repos: tuple[str, ...] = ()  # for research, with the next
    template: str = ""
    tags: tuple[str, ...] = ()
    priority: int = 0
    depends_on: tuple[int, ...] = ()  # by place in the file, 1 for the first
    model: str = ""
    limits: Mapping[str, float] = field(default_factory=dict)  # fields of `Limits`


@dataclass(frozen=True, slots=True)
class Task:
    """A mission for one agent. `number` is the mission's place in the file: with several agents, several have it."""

    key: int  # its place in the batch
    number: int
    line: int
    mission: Mission
    asked: str  # the agent, as it was named
    id: str = ""
    tags: tuple[str, ...] = ()
    priority: int = 0
    depends_on: tuple[int, ...] = ()  # numbers
    own: bool = True  # notes that its agent made before may answer it


@dataclass(frozen=True, slots=True)
class Plan:
    """A batch as it was asked for. `folder`: where its runs are started; `here`: that worktree keeps the notes."""

    id: str
    source: str
    started: str
    jobs: int
    folder: str
    tasks: tuple[Task, ...]
    here: bool = False
    force: bool = False
    run_hooks: bool = False


class Stand(StrEnum):
    """How a task stands."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    REMEMBERED = "remembered"  # a note answered it already
    FAILED = "failed"
    INTERRUPTED = "interrupted"  # cut short from outside: it is sent again
    BLOCKED = "blocked"  # what it depends on has failed

    @property
    def answered(self) -> bool:
        """There is a stable note."""
        return self in {Stand.DONE, Stand.REMEMBERED}


@dataclass(frozen=True, slots=True)
class Attempt:
    """A run that a task was bound to before it began. `ended` is its result, `error` where none could begin."""

    run: str
    ended: str = ""
    note: str = ""  # its id
    path: str = ""
    why: str = ""
    stopping: bool = False  # the batch asked it to stop


@dataclass(frozen=True, slots=True)
class Progress:
    """What is known of a task: its attempts, oldest first, or the note that answered it without one."""

    attempts: tuple[Attempt, ...] = ()
    memory: str = ""
    path: str = ""
