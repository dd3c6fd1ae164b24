"""How fast the built-in agent answers, and with how much memory: cold, and again.

    python benchmarks/builtin.py REPOSITORY … [--question TEXT]

How well it answers is measured by questions/run.py.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path


def speed(repositories: list[Path], question: str) -> None:
    """Wall seconds and peak memory of the agent's child process: cold, and again."""
    for where in repositories:
        with tempfile.TemporaryDirectory() as cache:
            head = ["git", "rev-parse", "HEAD"]
            commit = subprocess.run(head, cwd=where, capture_output=True, text=True, check=True).stdout.strip()
            asked = json.dumps({"question": question, "commit": commit})
            print(f"{where}: cold {_once(where, cache, asked)}; again {_once(where, cache, asked)}", end="")
            print(f"; cache {sum(path.stat().st_size for path in Path(cache).rglob('*.db')) / 1e6:.0f} MB")


def _once(where: Path, cache: str, asked: str) -> str:
    """One run in a process that watches the memory of it and its workers."""
    watch = (
        "import resource, subprocess, sys, time; begin = time.monotonic();"
        "agent = [sys.executable, '-P', '-m', 'scoutkit.agents.builtin'];"
        "code = subprocess.run(agent, stdout=subprocess.DEVNULL).returncode;"
        "used = resource.getrusage(resource.RUSAGE_CHILDREN);"
        "print(f'{time.monotonic() - begin:.2f} s, {used.ru_utime + used.ru_stime:.1f} CPU s, '"
        "f'largest process {used.ru_maxrss // 1024} MB, exit {code}')"
    )
    env = {**os.environ, "XDG_CACHE_HOME": cache}
    done = subprocess.run(
        [sys.executable, "-c", watch], cwd=where, env=env, input=asked, text=True, capture_output=True, check=True
    )
    return done.stdout.strip()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repositories", nargs="+", type=Path)
    parser.add_argument("--question", default="Where is the configuration read and how are defaults applied?")
    chosen = parser.parse_args()
    speed(chosen.repositories, chosen.question)


if __name__ == "__main__":
    main()
