"""What is known about places of a real repository: how long `scoutkit about` takes, and a hook's answer.

    python benchmarks/about.py REPOSITORY [--notes 1000] [--years 1] [--rounds 5]

Clones it, and writes notes that each cite six random ranges of five lines, at 25 commits of the last years. Then asks
for the file that most of them cite, lines of it, its folder, and what the last ten commits changed. Whole processes;
the median of wall clock and CPU time.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TEXT = (".py", ".c", ".h", ".js", ".ts", ".go", ".rs", ".rb", ".java", ".md", ".rst")


def git(where: Path, *args: str) -> str:
    return subprocess.run(["git", *args], cwd=where, capture_output=True, check=True).stdout.decode("utf-8", "replace")


def notes(repository: Path, number: int, years: float) -> collections.Counter[str]:
    """Writes notes; how often each file is cited."""
    chance = random.Random(7)
    since = f"--since={int(years * 365)}.days.before.{git(repository, 'log', '-1', '--format=%cI').strip()}"
    commits = git(repository, "log", "--first-parent", "--format=%H", since).split() or ["HEAD"]
    picked = chance.sample(commits, min(25, len(commits)))
    files = {one: git(repository, "ls-tree", "-r", "--name-only", one).splitlines() for one in picked}
    lines: dict[tuple[str, str], int] = {}
    cited: collections.Counter[str] = collections.Counter()
    folder = repository / ".claude/notes"
    folder.mkdir(parents=True)
    for index in range(number):
        commit = chance.choice(picked)
        rows = []
        for path in chance.choices([path for path in files[commit] if path.endswith(TEXT)], k=6):
            if (commit, path) not in lines:
                lines[commit, path] = git(repository, "show", f"{commit}:{path}").count("\n")
            if (last := lines[commit, path]) >= 6:
                start = chance.randint(1, last - 5)
                rows.append(f"{path}:{start}-{start + 4}")
                cited[path] += 1
        citations = "".join(f"- {{at: '{row}', verdict: supported}}\n" for row in rows)
        body = " ".join(f"So says `{row}`." for row in rows)
        (folder / f"2026-01-01-note-{index}.md").write_text(
            f"---\nid: n{index:07}\ntype: ask\ntitle: Note {index}\nstatus: stable\ncommit: {commit}\n"
            f"citations:\n{citations}---\n\n# Note {index}\n\n{body}\n"
        )
    return cited


def measure(argv: list[str], where: Path, env: dict[str, str], told: str) -> tuple[float, float, str]:
    began = time.perf_counter()
    process = subprocess.Popen(
        argv, cwd=where, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert process.stdin
    assert process.stdout
    process.stdin.write(told.encode())
    process.stdin.close()
    said = process.stdout.read().decode()
    _, _, used = os.wait4(process.pid, 0)
    return time.perf_counter() - began, used.ru_utime + used.ru_stime, said


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repository", type=Path)
    parser.add_argument("--notes", type=int, default=1000)
    parser.add_argument("--years", type=float, default=1.0)
    parser.add_argument("--rounds", type=int, default=5)
    asked = parser.parse_args()
    script = str(Path(sys.executable).parent / "scoutkit")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        env = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
        env |= {"HOME": folder, "XDG_STATE_HOME": "", "XDG_CACHE_HOME": "", "XDG_CONFIG_HOME": ""}
        repository = Path(folder, "clone")
        git(Path(folder), "clone", "-q", str(asked.repository.resolve()), str(repository))
        cited = notes(repository, asked.notes, asked.years)
        subprocess.run([script, "index"], cwd=repository, env=env, capture_output=True, check=False)
        path = next(path for path, _ in cited.most_common() if (repository / path).is_file())
        tool = {"file_path": str(repository / path), "offset": 100, "limit": 50}
        told = json.dumps({"hook_event_name": "PreToolUse", "tool_name": "Read", "tool_input": tool})
        print(f"{asked.repository}: {asked.notes} notes, {cited.total()} citations, {cited[path]} of {path}")
        print(f"{'asked':<28} {'wall ms':>8} {'CPU ms':>8} {'notes':>6}   medians of {asked.rounds}")
        for name, argv, given in (
            ("search (to compare)", ["search", "note", "so", "says", "--json"], ""),
            ("a file", ["about", path, "--json"], ""),
            ("50 lines of it", ["about", f"{path}:100-150", "--json"], ""),
            ("its folder", ["about", str(Path(path).parent), "--json"], ""),
            ("--diff HEAD~10", ["about", "--diff", "HEAD~10", "--json"], ""),
            ("--hook, 50 lines", ["about", "--hook"], told),
        ):
            runs = [measure([script, *argv], repository, env, given) for _ in range(asked.rounds + 1)][1:]
            hits = len(json.loads(runs[0][2])["hits"]) if given == "" else runs[0][2].count("it says: ")
            walls, cpus = (statistics.median(one[at] for one in runs) * 1000 for at in (0, 1))
            print(f"{name:<28} {walls:>8.0f} {cpus:>8.0f} {hits:>6}")


if __name__ == "__main__":
    main()
