"""What a run shows by itself, whatever its agent says of it: gathered from its events and its worktree."""

from __future__ import annotations

from dataclasses import dataclass

from scoutkit.model.notes import Region


@dataclass(frozen=True, slots=True)
class Touched:
    """A file that the run left changed. Lines added and removed are None for a binary one."""

    path: str
    how: str  # added, modified, deleted, renamed; repository (a nested one) or submodule, which are not looked into
    added: int | None
    removed: int | None
    was: str = ""  # its path at the base, where that is another
    why: str = ""  # one line of the agent's own, where it gave one
    regions: tuple[Region, ...] = ()  # of the base commit: what was changed there
    edits: int = 0  # times that it was written to, as far as the agent's tools tell
    where: str = ""  # the branch, or stash, that alone has it


@dataclass(frozen=True, slots=True)
class Ran:
    """A command. `exit` is None where nobody saw its status, `ok` where nobody saw how it ended at all; `telling`: the
    first lines of output that tell why it failed."""

    command: str
    exit: int | None
    seconds: float | None
    telling: tuple[str, ...] = ()
    ok: bool | None = None
    note: str = ""  # what else is to say of it: it hung, it was not run
    tries: bool = False  # it does something, and does not only look


@dataclass(frozen=True, slots=True)
class GivenUp:
    """A direction tried and left. `kind`: `edit` (taken back), `command` (a family that never passed), `commit`."""

    kind: str
    what: str
    why: str
    tries: int = 1
    regions: tuple[Region, ...] = ()


@dataclass(frozen=True, slots=True)
class Dependency:
    """A dependency that was added, removed or moved to another version; "" for the side without it."""

    name: str
    manifest: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Checked:
    """How far a command of the person's own got at the base and with the agent's changes."""

    command: str
    before: Ran | None
    after: Ran | None


@dataclass(frozen=True, slots=True)
class Committed:
    """A commit that the agent made, on whatever branch."""

    id: str
    subject: str
    branches: tuple[str, ...] = ()  # none: given up, only the reflog knew it


@dataclass(frozen=True, slots=True)
class Evidence:
    """All of it. `progress` is the text of the file that the agent was asked to keep as it went."""

    touched: tuple[Touched, ...] = ()
    ran: tuple[Ran, ...] = ()
    given_up: tuple[GivenUp, ...] = ()
    dependencies: tuple[Dependency, ...] = ()
    checks: tuple[Checked, ...] = ()
    commits: tuple[Committed, ...] = ()
    progress: str = ""
    left_out: tuple[str, ...] = ()  # what could not be looked at, and why
    outside: tuple[str, ...] = ()  # files touched that are not in the part that the task is about
    patch: str = ""  # where the code is kept, with --keep-code
