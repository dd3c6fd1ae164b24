"""Many questions at once in one repository: do all succeed?

    python benchmarks/many.py REPOSITORY [--command 40] [--builtin 8]

First so many `scoutkit ask` with a command agent, then so many with the built-in agent on a cold cache.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def at_once(repo: Path, count: int, env: dict[str, str], *options: str) -> None:
    """Start them all, wait for all, print how many succeeded."""
    began = time.perf_counter()
    running = []
    for number in range(count):
        question = f"Where is the configuration read? ({number})"
        argv = [sys.executable, "-m", "scoutkit", "ask", question, "--force", "--json", *options]
        running.append(
            subprocess.Popen(argv, cwd=repo, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        )
    errors = [process.communicate()[1] for process in running]
    failed = [(process.returncode, error) for process, error in zip(running, errors, strict=True) if process.returncode]
    for code, error in failed:
        print(f"exit {code}: {error[-300:]}")
    print(
        f"{count - len(failed)} of {count} succeeded in {time.perf_counter() - began:.1f} s  ({' '.join(options)[:60]})"
    )


def main() -> None:
    """Both rounds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repository", type=Path)
    parser.add_argument("--command", type=int, default=40)
    parser.add_argument("--builtin", type=int, default=8)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        env = {**os.environ, "XDG_CACHE_HOME": f"{home}/cache", "XDG_STATE_HOME": f"{home}/state"}
        at_once(
            options.repository, options.command, env, "--agent-cmd", "echo '# Found'; echo; cat >/dev/null; git log -1"
        )
        at_once(options.repository, options.builtin, env, "--agent", "builtin")


if __name__ == "__main__":
    main()
