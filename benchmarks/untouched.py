"""What a look at a repository before and after a run costs: `python benchmarks/untouched.py REPOSITORY --rounds 10`."""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from scoutkit import config, git
from scoutkit.dispatch import checkout, untouched


def cpu() -> float:
    """Seconds of processor that this process and those it waited for have used."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repository", type=Path)
    parser.add_argument("--rounds", type=int, default=10)
    given = parser.parse_args()
    repository = git.discover(given.repository)
    places = config.places(repository, config.Settings())
    top = repository.toplevel
    assert top, "a checkout is needed"
    taken: dict[str, list[tuple[float, float]]] = {}

    def timed(name: str, action: Callable[[], object]) -> None:
        used, began = cpu(), time.perf_counter()
        action()
        taken.setdefault(name, []).append((time.perf_counter() - began, cpu() - used))

    for _ in range(given.rounds):
        for isolation in ("none", "bwrap"):
            with tempfile.TemporaryDirectory() as name:
                records = Path(name)
                timed(f"before, {isolation}", lambda: untouched.before(repository, places, records, isolation))  # noqa: B023
                timed(f"after, {isolation}", lambda: untouched.after(repository, places, records, isolation))  # noqa: B023
        timed("git status", lambda: git.git(top, *checkout.STATUS))
    files = git.output(top, "ls-files", "-z").count("\0")
    print(f"{given.repository}: {files:,} files")
    for name, times in taken.items():
        wall, used = (min(one[part] for one in times) * 1000 for part in (0, 1))
        print(f"{name:16} {wall:6.0f} ms  {used:6.0f} ms of processor")


main()
