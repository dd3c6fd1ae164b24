"""The scripted agent: plays a scenario file as a real child process. For tests, demos and trying things out.

Named `--agent scripted:PATH` (`scripted:demo` plays one that ships, and so do the names of the files in `scenarios/`),
or `--agent scripted` with the path in `SCOUTKIT_SCENARIO`. The child is `python -m scoutkit.agents.scripted SCENARIO`.
"""

from __future__ import annotations

import contextlib
import functools
import io
import json
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scoutkit import __version__, process
from scoutkit.agents import lines
from scoutkit.agents.scenario import Scenario, read
from scoutkit.model.agents import Availability, Event, EventKind, Invocation
from scoutkit.model.missions import Kind, Mission

VARIABLE = "SCOUTKIT_SCENARIO"
DEMO = Path(__file__).with_name("demo.toml")
SCENARIOS = Path(__file__).with_name("scenarios")


@dataclass(frozen=True, slots=True)
class Scripted:
    """Plays `argument`, a scenario's path; without one what the environment names. UsageError for a bad scenario."""

    argument: str = ""
    name: str = "scripted"
    kinds: frozenset[Kind] = frozenset(Kind)
    needs_checkout: bool = True
    scenario: Scenario | None = field(init=False)

    def __post_init__(self) -> None:
        given = self.argument or os.environ.get(VARIABLE, "")
        path = DEMO if given == "demo" else shipped(given) or Path(given).absolute()
        object.__setattr__(self, "scenario", read(path) if given else None)

    def availability(self) -> Availability:
        """There once it has a scenario."""
        if self.scenario:
            return Availability(ok=True, version=__version__, path=str(self.scenario.path))
        return Availability(ok=False, hint=f"name a scenario: --agent scripted:PATH, scripted:demo, or {VARIABLE}=PATH")

    def invocation(self, mission: Mission, prompt: str, worktree: Path, scratch: Path) -> Invocation:  # noqa: ARG002
        """The child plays a copy, so that it sees what was checked and needs no other folder."""
        assert self.scenario, "availability() says so first"
        copy = scratch / "scenario.toml"
        copy.write_bytes(self.scenario.source)
        argv = lines.python(__name__, str(copy))
        return Invocation(argv, lines.LinesReader(version=__version__), stdin=prompt)


def shipped(name: str) -> Path | None:
    """The scenario of this name that ships, if there is one; a path is no name."""
    path = SCENARIOS / f"{name}.toml"
    return path if re.fullmatch(r"[a-z][a-z-]*", name) and path.is_file() else None


def play(path: Path) -> int:
    """Do what a scenario says, in the current folder; the exit status."""
    for step in read(path).steps:
        if step.action == "exit":
            return _exit(step.value)
        _DO[step.action](step.value)
    lines.emit(Event(EventKind.DONE))
    return 0


def _exit(status: int) -> int:
    if status < 0:
        with contextlib.suppress(OSError):  # KILL and STOP need no resetting, and allow none
            signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    return status


def _say(value: str | list[str]) -> None:
    for text in [value] if isinstance(value, str) else value:
        lines.emit(Event(EventKind.TEXT, text))


def _emit(value: Mapping[str, Any]) -> None:
    """As the scenario has it: a kind that nobody knows goes out too."""
    print(json.dumps(value, default=str), flush=True)  # noqa: T201


def _write(value: Mapping[str, str]) -> None:
    """What an agent's tool would do; a place that cannot be written is a failed tool, not a crash."""
    path, data = Path(value["path"]), {"tool": "write", "path": value["path"]}
    lines.emit(Event(EventKind.TOOL_CALL, f"write {path}", data=data))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(value["text"], "utf-8")
        result = Event(EventKind.TOOL_RESULT, f"wrote {path}", data={**data, "ok": True})
    except OSError as error:
        result = Event(EventKind.TOOL_RESULT, f"{path}: {error.strerror}", data={**data, "ok": False})
    lines.emit(result)


def _run(command: str) -> None:
    """What an agent's shell would do: the command, what it printed, its exit status. A failing one stops nothing."""
    data = {"tool": "shell", "input": {"command": command}}
    lines.emit(Event(EventKind.TOOL_CALL, f"run {command}", data=data))
    done = process.run(("/bin/sh", "-c", f"exec 2>&1\n{command}"), env=dict(os.environ))
    printed = done.out.decode("utf-8", "replace")
    lines.emit(Event(EventKind.TOOL_RESULT, printed, data={**data, "ok": done.code == 0, "exit": done.code}))


def _stderr(value: str) -> None:
    print(value, file=sys.stderr, flush=True)  # noqa: T201


def _spawn(value: str | Mapping[str, Any]) -> None:
    """Start a command in the worktree and leave it behind, in a session of its own or holding our stdout open."""
    table = {"command": value} if isinstance(value, str) else value
    here = ("/bin/sh", "-c", 'cd "$1" && exec /bin/sh -c "$2"', "sh", os.getcwd(), table["command"])  # noqa: PTH109
    if table.get("holds_output"):
        process.interact(("/bin/sh", "-c", '"$@" &', "sh", *here))
    else:
        process.detach(here)


_DO: Mapping[str, Callable[[Any], object]] = {
    "say": _say,
    "report": lambda value: lines.emit(Event(EventKind.REPORT, value)),
    "event": _emit,
    "usage": lambda value: lines.emit(Event(EventKind.USAGE, usage=lines.usage(value))),
    "model": lambda value: lines.emit(Event(EventKind.STATUS, f"model {value}", data={"model": value})),
    "write": _write,
    "run": _run,
    "delay": time.sleep,
    "stderr": _stderr,
    "line": functools.partial(print, flush=True),
    "spawn": _spawn,
    "ignore_term": lambda _: signal.signal(signal.SIGTERM, signal.SIG_IGN),
}

if __name__ == "__main__":
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    sys.exit(play(Path(sys.argv[1])))
