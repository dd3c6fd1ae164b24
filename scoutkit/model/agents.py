"""Who does the work: the seam between agents and whoever runs them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol

from scoutkit.model.missions import Kind, Mission, Outcome, Usage


class EventKind(StrEnum):
    """What an agent's stream can say."""

    STATUS = "status"  # what it does now, for the progress line
    TEXT = "text"  # report text as it comes: a whole line or paragraph; joined by newlines it is the report so far
    REPORT = "report"  # the final report, which replaces all text so far
    TOOL_CALL = "tool_call"
    TOOL_RESULT = "tool_result"
    TURN = "turn"  # the model begins an answer
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
    relative to the worktree, is where the agent leaves its report when not on stdout. `argv[0]` is an absolute path,
    found before the environment was narrowed.
    """

    argv: tuple[str, ...]
    reader: Reader
    stdin: str = ""
    env: Mapping[str, str] = field(default_factory=dict)
    report_file: str = ""
    shown: tuple[Path, ...] = ()  # what of the user's home it must read when isolated: where its program is installed
    hosts: tuple[str, ...] = ()  # host:port of its model, all it may reach with `--network model`
    idle: float | None = None  # seconds of silence after which it is stuck; None where it may work without a word
    login: tuple[
        tuple[Path, Path], ...
    ] = ()  # the user's file, its copy in the run: put back if the program renewed it
    closing: Callable[[], Invocation | None] | None = None
    """Once a limit stopped it: how to have it write its report from what it knows, with no tools; None if it cannot."""
    counts_money: bool = False  # the program itself was told how much it may cost, and stops there
    contained: bool = True  # False for scoutkit's own that only reads: it needs no isolation


@dataclass(frozen=True, slots=True)
class Availability:
    """Whether an agent can be used here. `hint` says how to get it when not."""

    ok: bool
    version: str = ""
    path: str = ""
    hint: str = ""
    login: str = ""  # how it is logged in, "not logged in", or "" where that does not matter
    flags: tuple[str, ...] = ()  # of the program's own that scoutkit uses


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


END_OF_REPORT = "<!-- end of report -->"
"""The closing line that prompts ask for: a report that ends so was not cut short. Renderers hide it."""

Narrator = Callable[[str], None]
"""Takes one line for a person (stderr)."""
