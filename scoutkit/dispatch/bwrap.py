"""bubblewrap: a command line that runs a command in namespaces of its own. Knows its flags, and tries them."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from scoutkit import process
from scoutkit.dispatch.egress import Egress
from scoutkit.dispatch.room import Room, View

SOCKET = "/run/scoutkit/egress"  # inside
TEMPORARY = 1 << 30  # bytes in each of `/tmp`, `/run`, `/var/tmp`, which are memory
_RELAY = Path(__file__).with_name("relay.py")
_APART = ("--unshare-pid", "--unshare-ipc", "--unshare-uts", "--die-with-parent", "--cap-drop", "ALL")
_KERNEL = ("sys", "sysrq-trigger", "irq", "bus", "fs", "acpi", "scsi", "mtrr", "asound", "driver")
_TRIAL = (*_APART, "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "true")
_PRIVATE = ("/tmp", "/run", "/var/tmp")  # noqa: S108 - names inside, where they are nobody else's


def missing() -> str:
    """Why it cannot be used; empty when it can. Tries it, as all here once for each program."""
    path = shutil.which("bwrap")
    return _ask(path, *_TRIAL)[1] if path else "bwrap is not on PATH"


def no_network() -> str:
    """Why it cannot make a network of its own; empty when it can."""
    return _ask(shutil.which("bwrap") or "bwrap", "--unshare-net", *_TRIAL)[1]


def version() -> str:
    """As it tells it."""
    return _ask(shutil.which("bwrap") or "bwrap", "--version")[0]


@functools.cache
def _ask(*command: str) -> tuple[str, str]:
    """What it says, and what it complains of when it fails."""
    try:
        done = process.run(command, timeout=10)
    except (OSError, subprocess.TimeoutExpired) as error:
        return "", str(error)
    said = done.error.splitlines() or [f"it ended with status {done.code}"]
    return done.text.strip(), "" if done.code == 0 else said[-1]


def argv(command: Sequence[str], room: Room, view: View, egress: Egress | None = None) -> tuple[str, ...]:
    """The environment is not on it: what a command line holds, everybody can read.

    What is bound later lies over what was bound before, so the private folders come first.
    """
    line = [shutil.which("bwrap") or "bwrap", *_APART]
    if room.network != "full":
        line.append("--unshare-net")
    for folder in view.system:
        line += ["--ro-bind", str(folder), str(folder)]
    for path in view.hidden:
        line += ["--tmpfs", str(path)] if path.is_dir() else ["--ro-bind", "/dev/null", str(path)]
    line += ["--proc", "/proc", "--dev", "/dev"]
    if os.geteuid() == 0:  # root needs no capability to write the kernel's settings, and bwrap leaves most of them open
        for name in _KERNEL:
            line += ["--ro-bind-try", f"/proc/{name}", f"/proc/{name}"]
    for name in _PRIVATE:
        line += [*_sized(), "--tmpfs", name]
    for path in sorted(view.read):
        line += ["--ro-bind-try", str(path), str(path)]
    for target, link in view.links:
        line += ["--symlink", target, str(link)]
    for path in sorted(view.write):
        line += ["--bind-try", str(path), str(path)]
    inside = list(command)
    if egress:
        line += ["--ro-bind", str(_RELAY), str(_RELAY), "--bind", str(egress.path), SOCKET]
        inside = [os.path.realpath(sys.executable), "-I", "-S", str(_RELAY), SOCKET, *egress.targets, "--", *inside]
    return (*line, "--remount-ro", "/", "--chdir", str(room.worktree), "--", *inside)


def _sized() -> tuple[str, ...]:
    """A cap for the next folder that is memory; bwrap before 0.7 knows none."""
    return ("--size", str(TEMPORARY)) if "--size" in _ask(shutil.which("bwrap") or "bwrap", "--help")[0] else ()


def comm(pid: int) -> str:
    """The name the kernel has for a process; empty where it tells none."""
    try:
        return Path(f"/proc/{pid}/comm").read_text("utf-8", "replace").strip()
    except OSError:
        return ""
