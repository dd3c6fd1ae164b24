"""How fast the built-in agent answers, and with how much memory: first, again, and about the next commit.

    python benchmarks/builtin.py REPOSITORY … [--question TEXT]

For each repository how many files and lines of text it has, then of each question wall clock, CPU seconds with those of
workers and git, and the memory of all its processes together at its highest: the sum of their resident sets, and of
their shares of them (PSS). The next commit changes one file; it is made in a bare clone that is thrown away. How well
it answers is measured by questions/run.py.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

AGENT = [sys.executable, "-P", "-m", "scoutkit.agents.builtin"]
AUTHOR = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
OFTEN = 0.05  # seconds between two looks at the memory


def git(where: Path, *args: str, text: bytes = b"") -> str:
    """What git says."""
    done = subprocess.run(["git", *AUTHOR, *args], cwd=where, input=text, capture_output=True, check=True)
    return done.stdout.decode("utf-8", "surrogateescape").strip()


def measure(where: Path, question: str) -> None:
    """A clone, its first question, the same again, and the same about the next commit."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        bare = Path(folder, "clone.git")
        git(where, "clone", "--quiet", "--bare", "--shared", ".", str(bare))
        files, lines = size(bare)
        print(f"{where.resolve().name}: {files:,} files of text, {lines:,} lines")
        head = git(bare, "rev-parse", "HEAD")
        cache = Path(folder, "cache")
        for name, commit in (("first", head), ("again", head), ("next commit", next_commit(bare, head))):
            asked = json.dumps({"question": question, "commit": commit})
            print(f"  {name:<12} {once(bare, cache, asked)}", flush=True)
        print(f"  cache {sum(path.stat().st_size for path in cache.rglob('*.db')) / 1e6:.0f} MB")


def size(where: Path) -> tuple[int, int]:
    """Files that are text, and their lines."""
    grep = ["git", "grep", "-I", "-c", "-e", "", "HEAD"]
    counts = subprocess.run(grep, cwd=where, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout
    text = [int(line.rpartition(b":")[2]) for line in counts.splitlines()]
    return len(text), sum(text)


def next_commit(where: Path, head: str) -> str:
    """A commit after `head` that adds a line to the first file of source code in it."""
    listed = (line.split("\t") for line in git(where, "ls-tree", "-r", head).split("\n"))
    ends = (".py", ".js", ".ts", ".go", ".c", ".rb", ".java", ".cs", ".rs")
    meta, path = next(one for one in listed if one[1].endswith(ends))
    mode, _, blob = meta.split(" ")
    content = git(where, "cat-file", "blob", blob)
    changed = git(where, "hash-object", "-w", "--stdin", text=f"{content}\n\n".encode("utf-8", "surrogateescape"))
    git(where, "read-tree", head)
    git(where, "update-index", "--add", "--cacheinfo", f"{mode},{changed},{path}")
    return git(where, "commit-tree", "-p", head, "-m", "next", git(where, "write-tree", "--missing-ok"))


def once(where: Path, cache: Path, asked: str) -> str:
    """One question to the agent's process."""
    env = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    began, before = time.monotonic(), used()
    child = subprocess.Popen(
        AGENT, cwd=where, env=env | {"XDG_CACHE_HOME": str(cache)}, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
    )
    assert child.stdin
    child.stdin.write(asked.encode())
    child.stdin.close()
    resident = shares = 0
    while child.poll() is None:
        found = [memory(pid) for pid in family(child.pid)]
        resident, shares = max(resident, sum(a for a, _ in found)), max(shares, sum(b for _, b in found))
        time.sleep(OFTEN)
    wall = time.monotonic() - began
    return (
        f"{wall:6.2f} s, {used() - before:6.2f} CPU s, all processes {resident >> 10} MB resident, "
        f"{shares >> 10} MB of their own share, exit {child.returncode}"
    )


def used() -> float:
    """CPU seconds of all children so far."""
    times = os.times()
    return times.children_user + times.children_system


def family(pid: int) -> list[int]:
    """A process and all that it started."""
    found = [pid]
    try:
        for thread in Path(f"/proc/{pid}/task").iterdir():
            for child in (thread / "children").read_text().split():
                found += family(int(child))
    except OSError:
        pass
    return found


def memory(pid: int) -> tuple[int, int]:
    """Resident kB and its share of them."""
    try:
        rows = [line.split() for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()]
    except OSError:
        return 0, 0
    found = {row[0]: int(row[1]) for row in rows if row[0] in ("Rss:", "Pss:")}
    return found.get("Rss:", 0), found.get("Pss:", 0)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repositories", nargs="+", type=Path)
    parser.add_argument("--question", default="Where is the configuration read and how are defaults applied?")
    chosen = parser.parse_args()
    for repository in chosen.repositories:
        measure(repository, chosen.question)


if __name__ == "__main__":
    main()
