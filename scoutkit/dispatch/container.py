"""Containers: a command line for Docker or Podman. Builds and asks; its tests know a recorded engine only."""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from scoutkit import config, process
from scoutkit.dispatch import room as rooms
from scoutkit.dispatch.room import Room

ENGINES = ("docker", "podman")
_ASK = {
    "docker": ("version", "--format", "{{.Server.Version}}"),
    "podman": ("info", "--format", "{{.Version.Version}}"),
}
_OF_THE_IMAGE = frozenset({"PATH", "SHELL", "LD_LIBRARY_PATH", "PYTHONHOME", "PYTHONPATH", "VIRTUAL_ENV"})


def missing(engine: str) -> str:
    """Why it cannot be used; empty when it answers."""
    path = shutil.which(engine)
    if not path:
        return f"{engine} is not on PATH"
    code, said = _ask(path, *_ASK[engine])
    return "" if code == 0 else said


def version(engine: str) -> str:
    """Of the engine that answers."""
    return _ask(shutil.which(engine) or engine, *_ASK[engine])[1]


@functools.cache
def _ask(*command: str) -> tuple[int, str]:
    try:
        done = process.run(command, timeout=15)
    except (OSError, subprocess.TimeoutExpired):
        return 1, "the engine does not answer"
    said = (done.text if done.code == 0 else done.error).strip().splitlines()
    return done.code, said[-1] if said else f"it ended with status {done.code}"


def argv(engine: str, command: Sequence[str], room: Room, env: Mapping[str, str]) -> tuple[str, ...]:
    """Everything of the run is at its own path; programs are the image's. Values of variables are not on it."""
    line = [
        shutil.which(engine) or engine,
        "run",
        "--rm",
        "--pull",
        "never",
        "--interactive",
        "--init",
        "--name",
        name(room),
    ]
    line += ["--memory", room.memory, "--cpus", room.cpus, "--pids-limit", str(room.pids)]
    line += ["--read-only", "--tmpfs", "/tmp", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"]  # noqa: S108
    line += ["--userns", "keep-id"] if engine == "podman" and os.geteuid() else []
    line += ["--user", f"{os.geteuid()}:{os.getegid()}"]
    if room.network == "none":
        line += ["--network", "none"]
    own = [(path, room.writable) for path in (room.worktree, room.shadow)]
    own += [(path, False) for path in (*rooms.objects(room.shadow), *room.beside, Path(rooms.__file__).parent.parent)]
    for path, writable in (*own, (room.scratch, True)):
        if path.exists():
            line += ["--mount", _mount(path, writable=writable)]
    for variable in sorted(set(env) - _OF_THE_IMAGE):
        line += ["--env", variable]
    return (*line, "--workdir", str(room.worktree), room.image, *_inside(command))


def build(engine: str, image: str) -> str:
    """How to make the image from the Dockerfile that ships."""
    return f"build it: {engine} build -t {image} {config.resources('templates') / 'container'}"


def remove(engine: str, room: Room) -> None:
    """End what is left of it: the engine's client may have been killed, which its container does not notice."""
    try:
        process.run([engine, "rm", "--force", name(room)], timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return  # no engine, no container


def name(room: Room) -> str:
    """Of the container."""
    return f"scoutkit-{room.run_id or re.sub(r'[^A-Za-z0-9_.-]', '-', room.scratch.parent.name)}"


def _mount(path: Path, *, writable: bool) -> str:
    """One `--mount`: fields in CSV, so that a path may hold commas and quotes."""
    fields = ["type=bind", f"source={path}", f"target={path}", *([] if writable else ["readonly"])]
    return ",".join(
        f'"{field.replace(chr(34), chr(34) * 2)}"' if set(field) & {",", '"'} else field for field in fields
    )


def _inside(command: Sequence[str]) -> tuple[str, ...]:
    """A program of this machine by its name, as the image has it."""
    program, *rest = command
    return ("python3" if program == sys.executable else Path(program).name, *rest)
