"""Isolation: what there is on this machine, which to take, and a command as it is started inside.

The one door to `bwrap`, `landlock` and `container`, which know how; `room` says what is inside.
"""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from scoutkit import census
from scoutkit.dispatch import bwrap, container, landlock
from scoutkit.dispatch.egress import Egress
from scoutkit.dispatch.room import Room, view
from scoutkit.errors import Refused, Unavailable
from scoutkit.model.missions import Kind

__all__ = [
    "CHOICES",
    "NETWORKS",
    "Inside",
    "Possibility",
    "Room",
    "choose",
    "exit_status",
    "possible",
    "supervisors",
    "trouble",
    "wrap",
]

CHOICES = ("auto", "bwrap", "landlock", "docker", "podman", "none")
NETWORKS = ("full", "model", "none")
_GET = {
    "bwrap": "install bubblewrap (apt install bubblewrap, dnf install bubblewrap), or use --isolate auto",
    "landlock": "it needs Linux 5.13 or newer with Landlock on; --isolate auto takes what there is",
    "docker": "install Docker and start it, or use --isolate auto",
    "podman": "install Podman, or use --isolate auto",
}
_COMPLAINTS = {"bwrap": "bwrap: ", "landlock": landlock.COMPLAINT, "docker": "docker: ", "podman": "Error: "}
_LETHAL = frozenset({1, 2, 3, 4, 6, 7, 8, 9, 11, 13, 14, 15})  # what ends a process that is told to end, or breaks


@dataclass(frozen=True, slots=True)
class Possibility:
    """A kind of isolation and whether this machine has it. `why` is its version, or what is in the way."""

    name: str
    ok: bool
    why: str


@dataclass(frozen=True, slots=True)
class Inside:
    """A command as it is started, its whole environment, and what has to be let go once it has ended."""

    argv: tuple[str, ...]
    env: Mapping[str, str]
    refused: Callable[[], tuple[str, ...]] = tuple  # host:port it asked for and did not get, each once
    close: Callable[[], None] = field(default=lambda: None)  # twice does no harm


def possible() -> list[Possibility]:
    """Every kind there is for this system, best first. Asked once in a process."""
    return [Possibility(name, not _missing(name), _missing(name) or _version(name)) for name in CHOICES[1:-1]]


def choose(asked: str, kind: Kind, network: str = "full") -> str:
    """What a mission is isolated by: a name out of CHOICES, never `auto`.

    `none` is only what was asked for, or what is left for an `ask`. Raises Unavailable for one that is not possible or
    cannot have that network, Refused for any other mission that would go without.
    """
    chosen = _chosen(asked, kind)
    _check(chosen, network)
    return chosen


def _chosen(asked: str, kind: Kind) -> str:
    if asked not in CHOICES:
        raise Unavailable(f"no isolation is called {asked!r}", f"known: {', '.join(CHOICES)}")
    if asked == "auto":
        asked = next((name for name in ("bwrap", "landlock") if not _missing(name)), "")
        if not asked and kind is not Kind.ASK:
            raise Refused(
                f"a {kind} changes files, and nothing here would keep it in its worktree",
                "install bubblewrap, see scoutkit doctor, or trust the agent: --isolate none",
            )
        return asked or "none"
    if asked != "none" and (why := _missing(asked)):
        raise Unavailable(f"no isolation by {asked}: {why}", _GET[asked])
    return asked


def wrap(isolation: str, argv: Sequence[str], room: Room) -> Inside:
    """`argv` as it runs in `room`, in the same working directory. Makes the room's home and temporary folder.

    Raises Unavailable when that isolation cannot have that network. Call `close` once it has ended.
    """
    _check(isolation, room.network)
    if isolation == "none":
        return Inside(tuple(argv), dict(room.env))
    if room.network == "model" and not room.hosts:
        raise Unavailable(
            "it is not known where this agent's model is, so --network model would leave it none",
            "use --network full or none",
        )
    room.furnish()
    env = room.environment()
    if isolation in container.ENGINES:
        done = functools.partial(container.remove, isolation, room)
        return Inside(container.argv(isolation, argv, room, env), env, close=done)
    seen = view(room, argv[0])
    if isolation == "landlock":
        return Inside(landlock.argv(argv, seen, network=room.network == "full"), env)
    if room.network != "model":
        return Inside(bwrap.argv(argv, room, seen), env)
    egress = Egress(room.scratch.parent, room.hosts, env)
    return Inside(bwrap.argv(argv, room, seen, egress), env, egress.refused, egress.close)


def _check(isolation: str, network: str) -> None:
    """Unavailable when that isolation cannot have that network."""
    if network not in NETWORKS:
        raise Unavailable(f"no network is called {network!r}", f"known: {', '.join(NETWORKS)}")
    if (network == "none" and isolation == "none") or (network == "model" and isolation != "bwrap"):
        how = "without isolation" if isolation == "none" else f"by {isolation}"
        raise Unavailable(
            f"--network {network} is not possible {how}",
            "it needs bubblewrap (apt install bubblewrap) and --isolate bwrap; or use --network full",
        )
    if network != "full" and isolation == "bwrap" and (why := bwrap.no_network()):
        raise Unavailable(f"bwrap cannot take the network away here: {why}", "use --network full")


def supervisors(pid: int) -> frozenset[int]:
    """Processes of the isolation itself, of an agent started as `pid`; empty where it has none.

    Told TERM, they end what is inside at once and hard. They go by themselves when the agent has ended; KILL to them
    ends all that is inside.
    """
    if bwrap.comm(pid) != "bwrap":
        return frozenset()
    inner = {entry.pid for entry in census.table().values() if entry.parent == pid}
    return frozenset({pid, *inner})


def exit_status(isolation: str, code: int | None) -> int | None:
    """An exit status as it would be without isolation: bwrap and containers tell 137 for a KILL, which is -9 here."""
    if isolation in ("bwrap", *container.ENGINES) and code is not None and code - 128 in _LETHAL:
        return 128 - code
    return code


def trouble(isolation: str, stderr_tail: str) -> tuple[str, str]:
    """What kept the isolation itself from starting the agent, and the way out; both empty when it did start it."""
    mark = _COMPLAINTS.get(isolation)
    said = [line for line in stderr_tail.splitlines() if line.strip()]
    if isolation in container.ENGINES:  # they add where to read more
        said = [line for line in said if mark and line.startswith(mark)]
    if not mark or not said or not said[-1].startswith(mark):
        return "", ""
    what = said[-1].removeprefix(mark)
    if found := re.match(r"execvp (.*): No such file or directory", what):
        return (
            f"inside {isolation} there is no program {found[1]}, or not what it is run by",
            "its folder has to be on PATH; or use --isolate none",
        )
    if found := re.search(r"No such image: ([^\s:]+)|(\S+): image not known", what):
        return f"{isolation} has no image {found[1] or found[2]}", container.build(isolation, found[1] or found[2])
    return f"{isolation} did not start it: {what}", "see what is possible here: scoutkit doctor"


def _missing(name: str) -> str:
    """Why a kind of isolation cannot be used; empty when it can."""
    if name in container.ENGINES:
        return container.missing(name)
    if not sys.platform.startswith("linux"):
        return "only Linux has it"
    return bwrap.missing() if name == "bwrap" else landlock.missing()


def _version(name: str) -> str:
    if name in container.ENGINES:
        return container.version(name)
    return bwrap.version() if name == "bwrap" else f"ABI {landlock.abi()}"
