"""The nouns: what the rooms hand each other. Frozen, without behaviour beyond reading their own fields.

Paths are POSIX and relative to the repository, lines are 1-based and inclusive, times are ISO 8601 in UTC
(`2026-11-29T12:00:00+00:00`), durations are seconds, money is US dollars.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol


class Kind(StrEnum):
    """What a mission asks for."""

    ASK = "ask"
    SCOUT = "scout"
    RESEARCH = "research"


NOTE_TYPES = ("ask", "scout", "research", "decision", "note")
STATUSES = ("draft", "stable", "deprecated")


class Verdict(StrEnum):
    """What checking a citation said: the first four at capture, the rest later."""

    SUPPORTED = "supported"
    CORRECTED = "corrected"
    UNSUPPORTED = "unsupported"
    WRONG = "wrong"
    FRESH = "fresh"
    MOVED = "moved"
    EDITED = "edited"
    AMBIGUOUS = "ambiguous"
    GONE = "gone"


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
class Repository:
    """Where git says we are. Absolute paths; `toplevel` and `main` are None where there is no such worktree."""

    git_dir: Path
    common_dir: Path
    toplevel: Path | None
    main: Path | None
    bare: bool
    prefix: str = ""  # from toplevel to where the command was run: "" or "src/auth/"
    object_format: str = "sha1"


@dataclass(frozen=True, slots=True)
class Region:
    """Lines of one file. `start` and `end` are 0 for a whole file."""

    path: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Citation:
    """A reference in a note and what checking it said.

    A `wrong` one keeps path and lines as written; lines are 0 where none were given (`path::symbol`).
    """

    path: str
    start: int
    end: int
    verdict: Verdict | None = None
    symbol: str = ""
    was: str = ""  # a corrected one: `path:start-end` as the report had it

    @property
    def at(self) -> str:
        """`src/app.py:41-63`, `src/app.py:41` for one line, `src/app.py` for none."""
        if not self.start:
            return self.path
        return f"{self.path}:{self.start}" if self.start == self.end else f"{self.path}:{self.start}-{self.end}"


@dataclass(frozen=True, slots=True)
class Anchor:
    """What cited lines looked like at the note's commit, so that they can be found again without it.

    `blob` is the git object name of the whole file; `text` a fingerprint of the normalised lines; `lines` a short
    fingerprint of each; `before` and `after` fingerprints of the context; `first` the first line, readable.
    """

    path: str
    start: int
    end: int
    blob: str
    text: str
    lines: str
    before: str
    after: str
    first: str
    symbol: str = ""


@dataclass(frozen=True, slots=True)
class Note:
    """One Markdown file: what is known. `path` is relative to the notes' root; unset fields are empty."""

    id: str
    title: str
    body: str = ""
    type: str = "note"
    description: str = ""
    question: str = ""
    tags: tuple[str, ...] = ()
    status: str = "stable"
    commit: str = ""
    by: str = ""
    at: str = ""
    verified: tuple[tuple[str, str], ...] = ()  # (by, at): people only
    supersedes: tuple[str, ...] = ()
    citations: tuple[Citation, ...] = ()
    anchors: tuple[Anchor, ...] = ()
    path: str = ""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with a note file that does not stop the others."""

    path: str
    line: int
    problem: str
    hint: str


@dataclass(frozen=True, slots=True)
class Limits:
    """When to stop an agent. None: no limit."""

    timeout: float | None = 900.0
    output_bytes: int = 50_000_000


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


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens and money; None where the agent does not say."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None


class EventKind(StrEnum):
    """What an agent's stream can say."""

    STATUS = "status"  # what it does now, for the progress line
    TEXT = "text"  # report text as it comes: a whole line or paragraph; joined by newlines it is the report so far
    REPORT = "report"  # the final report, which replaces all text so far
    TOOL_CALL = "tool_call"
    TOOL_RESULT = "tool_result"
    USAGE = "usage"  # what the whole run has used so far; later ones replace it, so that nothing counts twice
    RETRY = "retry"
    ERROR = "error"
    DONE = "done"
    OTHER = "other"  # not understood, kept as it came: the line in `text`, or the object in `data`


@dataclass(frozen=True, slots=True)
class Event:
    """One thing an agent did or said. `data` is JSON-able: tool input, model name, version, …"""

    kind: EventKind
    text: str = ""
    usage: Usage | None = None
    data: Mapping[str, Any] = field(default_factory=dict)


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


class Reader(Protocol):
    """Understands one agent's output, line by line; one object a run."""

    def feed(self, line: str) -> Iterable[Event]:
        """Events in one line of stdout (without its newline). Never raises on what an agent wrote."""

    def finish(self, exit_code: int | None, stderr_tail: str, report_file: str | None) -> Outcome:
        """The verdict, after the last line. Never raises.

        `exit_code` is negative for a signal, None when it is not known; `report_file` is the text of
        `Invocation.report_file`, None when there is no such file.
        """


@dataclass(frozen=True, slots=True)
class Invocation:
    """How to start an agent for one mission: data that the runner acts on.

    `stdin` is written and closed. `env` comes on top of the narrowed environment. `report_file`, absolute or
    relative to the worktree, is where the agent leaves its report when not on stdout.
    """

    argv: tuple[str, ...]
    reader: Reader
    stdin: str = ""
    env: Mapping[str, str] = field(default_factory=dict)
    report_file: str = ""


@dataclass(frozen=True, slots=True)
class Availability:
    """Whether an agent can be used here. `hint` says how to get it when not."""

    ok: bool
    version: str = ""
    path: str = ""
    hint: str = ""


class Agent(Protocol):
    """Who does the work. One file an agent; found by name in the registry."""

    @property
    def name(self) -> str:
        """As `--agent` takes it."""

    @property
    def kinds(self) -> frozenset[Kind]:
        """The missions it can do."""

    @property
    def needs_checkout(self) -> bool:
        """False where it reads the commit from git's objects: then no file is written to the worktree."""

    def availability(self) -> Availability:
        """Is it installed? Cheap: starts no model and spends nothing."""

    def invocation(self, mission: Mission, prompt: str, worktree: Path, scratch: Path) -> Invocation:
        """How to start it. `scratch` is a private folder outside the worktree that goes when the run does."""


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


@dataclass(frozen=True, slots=True)
class Hit:
    """A note that search found. `score` is higher for better; `marks` are the matches' (start, end) in `snippet`."""

    id: str
    path: str
    title: str
    type: str
    status: str
    score: float
    snippet: str = ""
    marks: tuple[tuple[int, int], ...] = ()


END_OF_REPORT = "<!-- end of report -->"
"""The closing line that prompts ask for: a report that ends so was not cut short. Renderers hide it."""

Narrator = Callable[[str], None]
"""Takes one line for a person (stderr)."""
