"""What a disposable worktree costs against a plain `git worktree add --detach` of the same commit.

    python benchmarks/worktree.py [--rounds N] [--folder FOLDER] REPOSITORY…

Works on a clone, so the repository is only read. Both ways alternate, so that a busy machine hits both alike, and
nothing is deleted while a clock runs. The promise: 1.1 × plain + 20 ms to make, 50 ms to wait for removal.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from scoutkit import git
from scoutkit.dispatch import worktree
from scoutkit.model.places import Repository


def measure(repository: Repository, base: str, folder: Path, rounds: int) -> dict[str, list[float]]:
    """Milliseconds of every round by what was timed; the first round warms up and is left out."""
    times: dict[str, list[float]] = {"plain": [], "borrow": [], "borrow, no files": [], "remove": []}
    quiet = ("-c", "core.hooksPath=/dev/null")

    def timed(name: str, action: Callable[[], object], number: int) -> None:
        began = time.perf_counter()
        action()
        if number:
            times[name].append((time.perf_counter() - began) * 1000)

    def plain(number: int) -> None:
        tree = folder / f"plain{number}"
        add = ["git", *quiet, "worktree", "add", "--detach", str(tree), base]
        timed("plain", lambda: subprocess.run(add, cwd=repository.toplevel, capture_output=True, check=True), number)
        shutil.rmtree(tree)
        subprocess.run(["git", "worktree", "prune"], cwd=repository.toplevel, check=True)

    def ours(name: str, number: int) -> None:
        run_id, files = f"{number}-{time.time_ns()}", name == "borrow"
        timed(name, lambda: worktree.borrow(repository, base, run_id, files=files), number)
        run_folder, common = worktree.folder_of(run_id), repository.common_dir
        timed("remove" if files else name + "!", lambda: worktree.remove(run_folder, common_dir=common), number)
        while worktree.leftovers(common):
            time.sleep(0.02)

    times["borrow, no files!"] = []
    for number in range(rounds + 1):
        for step in (plain, lambda n: ours("borrow", n))[:: 1 if number % 2 else -1]:
            step(number)
        ours("borrow, no files", number)
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("repository", nargs="+", type=Path)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--folder", type=Path, help="where clones and worktrees go (default: the temporary folder)")
    options = parser.parse_args()
    for source in options.repository:
        with tempfile.TemporaryDirectory(dir=options.folder, prefix="scoutkit-benchmark-") as made:
            folder = Path(made)
            os.environ["XDG_STATE_HOME"] = str(folder / "state")
            clone = folder / source.resolve().parent.name if source.name == "repo" else folder / source.resolve().name
            subprocess.run(["git", "clone", "-q", source, clone], check=True)
            repository = git.discover(clone)
            base = git.resolve(repository, "HEAD")
            files = len(git.tree(clone, base))
            times = measure(repository, base, folder, options.rounds)
        middle = {name: statistics.median(values) for name, values in times.items()}
        spread = {name: f"{min(values):.1f}-{max(values):.1f}" for name, values in times.items()}
        allowed = 1.1 * middle["plain"] + 20
        print(f"{source}: {files} files, {options.rounds} rounds, medians in ms (range)")
        print(f"  git worktree add --detach  {middle['plain']:8.1f}  ({spread['plain']})")
        print(f"  borrow                     {middle['borrow']:8.1f}  ({spread['borrow']})", end="")
        print(f"  {middle['borrow'] / middle['plain']:.2f} ×, {allowed:.1f} allowed")
        print(f"  borrow without files       {middle['borrow, no files']:8.1f}  ({spread['borrow, no files']})")
        print(f"  wait for removal           {middle['remove']:8.1f}  ({spread['remove']}), 50 allowed")


if __name__ == "__main__":
    main()
