"""What is asked, and what became of it: missions, outcomes, runs."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from scoutkit.model.pinned import Pinned


class Kind(StrEnum):
    """What a mission asks for."""

    ASK = "ask"
    SCOUT = "scout"
    RESEARCH = "research"


class State(StrEnum):
    """How far a run has come; each is durable before the next begins."""

    CREATED = "created"
    RUNNING = "running"
    EXITED = "exited"
    HARVESTED = "harvested"
    WRITTEN = "written"
    REMOVED = "removed"


class Result(StrEnum):
    """How a run ended."""

    DONE = "done"
    FAILED = "failed"
    TIMEOUT = "timeout"
    BUDGET = "budget"
    STOPPED = "stopped"
    INTERRUPTED = "interrupted"
    KILLED = "killed"


@dataclass(frozen=True, slots=True)
class Limits:
    """When to stop an agent. None: no limit."""

    timeout: float | None = 900.0  # seconds in all
    output_bytes: int = 50_000_000
    idle: float | None = None  # seconds without a word; where it is None, what the agent's adapter finds long
    retries: int | None = 20  # times in a row that the model could not be had
    turns: int | None = None  # answers of the model
    tokens: int | None = None  # in and out together
    cost_usd: float | None = None
    disk_bytes: int | None = 5_000_000_000  # in its folder, beyond what was there when it began
    memory_bytes: int | None = None  # of all its processes together; where it is None, three quarters of the machine's
    processes: int | None = 512


@dataclass(frozen=True, slots=True)
class Terms:
    """On what terms an agent is sent. `isolation` is what was asked for, `model` as the agent names it."""

    limits: Limits = Limits()
    isolation: str = "auto"
    network: str = "full"  # full, model or none
    model: str = ""  # "" for the agent's own choice
    recall: bool = True  # it is told of notes that hold
    hints: bool = True  # it is told of places that the built-in scout would look at


@dataclass(frozen=True, slots=True)
class Mission:
    """What is asked, made concrete. `base` is a full commit id; `agent_cmd` the command of a one-off agent."""

    kind: Kind
    text: str
    base: str
    agent: str
    agent_cmd: str = ""
    limits: Limits = Limits()
    isolation: str = "none"
    network: str = "full"
    model: str = ""
    trusted: bool = False  # the repository's own hooks, servers and settings for agent programs may be used
    setup: tuple[str, ...] = ()  # commands that run in the worktree before the agent
    checks: tuple[str, ...] = ()  # commands of the person's own that run before the agent and after it
    paths: tuple[str, ...] = ()  # globs of the part of the repository that it is about; none: all of it
    keep_days: float = 0.0  # how long its code is kept as a patch; 0: not at all
    sources: tuple[Pinned, ...] = ()  # other repositories that it is shown, for `research`
    template: str = ""  # a folder that its scratch folder is filled from
    recall: bool = True  # it may be told what notes say already; never where a second opinion is wanted
    hints: bool = True  # it may be told of places that the built-in scout would look at


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens and money; None where the agent does not say."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of an agent's work, judged from its whole stream and exit status."""

    result: Result
    report: str = ""
    reason: str = ""  # for a person, when result is not done
    hint: str = ""
    usage: Usage = Usage()
    model: str = ""
    version: str = ""
    unanswered: str = ""  # why a run that is done has no answer, when the agent says so: its note is a draft


@dataclass(frozen=True, slots=True)
class Owner:
    """A process, told apart from a later one with the same pid."""

    pid: int
    start: float
    boot: str
    host: str


@dataclass(frozen=True, slots=True)
class Run:
    """One agent's work on one mission: a row of the journal."""

    id: str
    kind: Kind
    text: str
    base: str
    agent: str
    state: State
    isolation: str
    started: str
    folder: str  # holds shadow repository, worktree and scratch while the run lives
    owner: Owner | None = None
    child: Owner | None = None
    result: Result | None = None
    exit: int | None = None
    reason: str = ""
    seconds: float | None = None
    usage: Usage = Usage()
    model: str = ""
    version: str = ""
    note_id: str = ""
    note_path: str = ""
    limits: Limits = Limits()
    bounded: str = ""  # what kept its processes and memory in bounds: cgroup, container, watcher; "" for nothing
    supersedes: str = ""  # the id of the note that this run's is to take the place of
