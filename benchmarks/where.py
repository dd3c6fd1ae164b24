"""What `scoutkit where` costs, first and with a warm cache, beside Python importing what any such tool imports.

    python benchmarks/where.py REPOSITORY … [--question TEXT] [--rounds 15]

The scoutkit beside this Python, with a cache folder of its own. Prints for each repository how long the first answer
takes, then the next ones in turn with `python -c "import click, sqlite3"`, as medians and ratios: whole processes, wall
clock and CPU seconds, git's included. Then what hints add to the start of a mission where the commit is not indexed,
and where it is.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BASE = [sys.executable, "-c", "import click, sqlite3"]
HINTS = """
import sys, time
from pathlib import Path
from scoutkit.stories import hinting
from scoutkit.desk import Desk
from scoutkit.git import resolve
from scoutkit.model.missions import Kind, Mission
desk = Desk.open(Path())
mission = Mission(Kind.ASK, sys.argv[1], resolve(desk.repository, "HEAD"), "command")
began = time.perf_counter()
text = hinting.hints(desk, mission, tell=print)
print(f"{time.perf_counter() - began:.2f}")
"""


def measure(argv: list[str], cwd: Path, env: dict[str, str]) -> tuple[float, float]:
    """Wall clock and CPU seconds of one process and all it started."""
    began = time.perf_counter()
    process = subprocess.Popen(argv, cwd=cwd, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, _, used = os.wait4(process.pid, 0)
    return time.perf_counter() - began, used.ru_utime + used.ru_stime


def hinted(question: str, cwd: Path, env: dict[str, str]) -> str:
    """Seconds, and what was told."""
    argv = [sys.executable, "-c", HINTS, question]
    done = subprocess.run(argv, cwd=cwd, env=env, capture_output=True, text=True, check=True)
    *told, seconds = done.stdout.splitlines()
    return f"{seconds} s{' (none: not indexed)' if told else ''}"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repositories", nargs="+", type=Path)
    parser.add_argument("--question", default="how does authentication of a client work")
    parser.add_argument("--rounds", type=int, default=15)
    chosen = parser.parse_args()
    where = [str(Path(sys.executable).parent / "scoutkit"), "where", chosen.question]
    print(f"{'repository':<16} {'first':>8} {'wall ms':>8} {'ratio':>6} {'CPU ms':>7} {'ratio':>6}  hints cold, warm")
    for repository in chosen.repositories:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            env = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
            env |= {"HOME": folder, "XDG_STATE_HOME": "", "XDG_CACHE_HOME": "", "XDG_CONFIG_HOME": ""}
            cold = hinted(chosen.question, repository, env)
            first, _ = measure(where, repository, env)
            taken = [(measure(BASE, repository, env), measure(where, repository, env)) for _ in range(chosen.rounds)]
            base_wall, base_cpu, wall, cpu = (
                statistics.median(one[program][kind] for one in taken) for program in (0, 1) for kind in (0, 1)
            )
            print(
                f"{repository.resolve().name[:16]:<16} {first:6.1f} s {wall * 1e3:8.0f} {wall / base_wall:6.2f} "
                f"{cpu * 1e3:7.0f} {cpu / base_cpu:6.2f}  {cold}, {hinted(chosen.question, repository, env)}"
            )


if __name__ == "__main__":
    main()
