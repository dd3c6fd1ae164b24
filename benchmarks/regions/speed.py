"""What following citations costs: CPU seconds of a cold `scoutkit locate --stdin`, git's own included.

    python benchmarks/regions/speed.py [--commits 1000] [--rounds 9] [--one] REPOSITORY…
    python benchmarks/regions/speed.py --make FOLDER [--files 100000]

For each repository: 1,000 citations of one and five lines in 250 files, from so many first-parent commits ago to HEAD;
the same number in files that did not change; and one citation against `git log -L` on the same range, in turn: once
through all of history, once between the two commits only. Of those, the best of three runs each, and of the ratios the
medians; with `--one`, only that. Beside every figure stands the CPU time of `python -c pass`, since machines differ.
`--make` makes a repository of so many files, with a second commit that changes every hundredth.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import statistics
import subprocess
import sys
from pathlib import Path

from scoutkit.snapshot import Snapshot

SCOUTKIT = (str(Path(sys.executable).with_name("scoutkit")),)  # as it is installed


def cost(command: list[str], where: Path, stdin: str = "") -> float:
    """CPU seconds of a process and its children."""
    env = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = subprocess.run(command, cwd=where, input=stdin.encode(), capture_output=True, check=False, env=env)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if run.returncode not in (0, 1):
        raise SystemExit(f"{command}: status {run.returncode}: {run.stderr.decode()[-500:]}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def questions(where: Path, old: str, new: str, *, changed: bool, number: int = 1000, files: int = 300) -> list[dict]:
    """Random citations; of files that did not change, unless `changed`: then of any."""
    chance = random.Random(1)
    found: list[dict] = []
    with Snapshot(where, old) as was, Snapshot(where, new) as now:
        same = {path for path, entry in was.entries.items() if now.entries.get(path) == entry}
        paths = [path for path, entry in was.entries.items() if entry.mode.startswith("100")]
        paths = [path for path in paths if changed or path in same]
        chance.shuffle(paths)
        used = 0
        for path in paths:
            lines = was.lines(path)
            if lines and 12 <= len(lines) <= 20_000:
                used += 1
                for _ in range(-(-number // files)):
                    start = chance.randint(1, len(lines) - 5)
                    end = start + chance.choice((0, 4))
                    found.append({"path": path, "start": start, "end": end, "from": old, "to": new})
            if used == files:
                break
    return found[:number]


def measure(where: Path, commits: int, rounds: int, *, one_only: bool) -> None:
    """One repository's table."""
    line = subprocess.run(
        ["git", "-C", str(where), "rev-list", "--first-parent", f"--max-count={commits + 1}", "HEAD"],
        capture_output=True, check=True, text=True,
    ).stdout.split()  # fmt: skip
    new, old = line[0], line[-1]
    bare = min(cost([sys.executable, "-c", "pass"], where) for _ in range(5))
    print(f"\n{where}: {len(line) - 1} commits; python -c pass {bare * 1000:.0f} ms")
    for name, changed in () if one_only else (("any files", True), ("unchanged files", False)):
        asked = questions(where, old, new, changed=changed)
        text = "".join(json.dumps(one) + "\n" for one in asked)
        seconds = min(cost([*SCOUTKIT, "locate", "--stdin"], where, text) for _ in range(3))
        files = len({one["path"] for one in asked})
        print(f"  {len(asked)} citations in {files} {name}: {seconds:.2f} CPU s, {seconds / bare:.0f} × python -c pass")
    ratios: list[tuple[float, float]] = []
    for one in questions(where, new, new, changed=True)[::7]:
        if len(ratios) == rounds:
            break
        place = f"{one['start']},{one['end']}:{one['path']}"
        with Snapshot(where, old) as was:  # the range is one of the new commit's: the old one must have it too
            if one["end"] > len(was.lines(one["path"]) or []):
                continue
        asked = (
            [*SCOUTKIT, "locate", place_of(one), "--from", old, "--to", new],
            ["git", "log", "-s", f"-L{place}", new],
            ["git", "log", "-s", f"-L{place}", f"{old}..{new}"],
        )
        runs = [[cost(command, where) for command in asked] for _ in range(3)]
        ours, theirs, between = (min(column) for column in zip(*runs, strict=True))
        ratios.append((ours / theirs, ours / between))
    whole, part = (statistics.median(column) for column in zip(*ratios, strict=True))
    print(f"  one citation: {whole:.2f} × git log -L, {part:.2f} × git log -L OLD..NEW (medians of {len(ratios)})")


def place_of(one: dict) -> str:
    """`path:start-end`."""
    return f"{one['path']}:{one['start']}-{one['end']}"


def make(folder: Path, files: int) -> None:
    """A repository of many small files, two commits."""
    folder.mkdir(parents=True)
    run = lambda *args: subprocess.run(["git", "-C", str(folder), *args], check=True, capture_output=True)  # noqa: E731
    run("init", "-q")
    run("config", "user.name", "a")
    run("config", "user.email", "a@example.org")
    for number in range(files):
        path = folder / f"d{number % 997}" / f"f{number}.py"
        path.parent.mkdir(exist_ok=True)
        body = "\n\n".join(f"def f{number}_{n}(x):\n    return x + {n * number}" for n in range(8))
        path.write_text(f"{body}\n", "utf-8")
    run("add", "-A")
    run("commit", "-qm", "one")
    for number in range(0, files, 100):
        path = folder / f"d{number % 997}" / f"f{number}.py"
        path.write_text(f"import os\n\n\n{path.read_text('utf-8')}", "utf-8")
    run("commit", "-qam", "two")


def main() -> None:
    """Run, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repositories", nargs="*", type=Path)
    parser.add_argument("--commits", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--one", action="store_true")
    parser.add_argument("--make", type=Path)
    parser.add_argument("--files", type=int, default=100_000)
    args = parser.parse_args()
    if args.make:
        make(args.make, args.files)
    for repository in args.repositories:
        measure(repository.resolve(), args.commits, args.rounds, one_only=args.one)


if __name__ == "__main__":
    main()
