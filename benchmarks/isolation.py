"""What isolation costs: a command bare and in each kind of isolation that this machine has, in turn; medians.

    python benchmarks/isolation.py [--rounds 40]

Times are of whole processes, and of working out what is inside (`wrap`). The commands: `true`, and `git log` in a
worktree of a repository with one commit.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import tempfile
import time
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

from scoutkit import git
from scoutkit.dispatch import sandbox, worktree
from scoutkit.dispatch.sandbox import Inside, Room

Mode = tuple[str, str]

COMMANDS = {"true": ["/usr/bin/true"], "git log": ["/usr/bin/git", "log", "--oneline"]}
MODES = (("none", "full"), ("bwrap", "full"), ("bwrap", "none"), ("bwrap", "model"), ("landlock", "full"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=40)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_STATE_HOME"] = f"{folder}/state"
        room = borrow(Path(folder))
        there = {one.name for one in sandbox.possible() if one.ok} | {"none"}
        modes = [mode for mode in MODES if mode[0] in there]
        wraps: dict[Mode, list[float]] = defaultdict(list)
        runs: dict[tuple[Mode, str], list[float]] = defaultdict(list)
        for number in range(rounds + 2):
            for mode in modes:
                for name, command in COMMANDS.items():
                    wrapped, ran = measure(mode, command, room)
                    if number >= 2:  # the first warm the caches
                        wraps[mode].append(wrapped)
                        runs[mode, name].append(ran)
    print(f"{'':22}{'wrap':>10}" + "".join(f"{name:>12}{'ratio':>8}" for name in COMMANDS))
    for mode in modes:
        line = f"{mode[0]:10}{'--network ' + mode[1]:>12}{statistics.median(wraps[mode]):7.1f} ms"
        for name in COMMANDS:
            spent = statistics.median(runs[mode, name])
            line += f"{spent:9.1f} ms{spent / statistics.median(runs[modes[0], name]):8.1f}"
        print(line)


def borrow(folder: Path) -> Room:
    made = folder / "repository"
    for command in (("init", "-q", str(made)), ("-C", str(made), "commit", "-q", "--allow-empty", "-m", "first")):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@localhost", *command], check=True)
    repository = git.discover(made)
    lent = worktree.borrow(repository, git.resolve(repository, "HEAD"), "benchmark")
    env = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    return Room(lent.worktree, lent.shadow, lent.scratch, env)


def measure(mode: Mode, command: list[str], room: Room) -> tuple[float, float]:
    """Milliseconds of `wrap`, and of the command."""
    began = time.perf_counter()
    inside = enter(mode, command, room)
    wrapped = time.perf_counter()
    subprocess.run(inside.argv, cwd=room.worktree, env=inside.env, stdout=subprocess.DEVNULL, check=True)
    ended = time.perf_counter()
    inside.close()
    return 1000 * (wrapped - began), 1000 * (ended - wrapped)


def enter(mode: Mode, command: list[str], room: Room) -> Inside:
    how, network = mode
    own = replace(room, network=network, hosts=("127.0.0.1:8080",))
    return sandbox.wrap(how, command, own)


if __name__ == "__main__":
    main()
