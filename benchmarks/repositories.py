"""`scoutkit ask` with the built-in agent on real repositories: is every citation right, is the repository as before?

    python benchmarks/repositories.py FOLDER…            # clones; questions for known names below
    python benchmarks/repositories.py FOLDER "QUESTION"

Prints a row a question: files, seconds cold and warm, peak memory of the largest process, verdicts, and what changed
in the repository beside the one new note.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

QUESTIONS = {
    "flask": "Where is the session cookie signed and verified?",
    "requests": "How are redirects followed and when is the Authorization header dropped?",
    "cli": "How does gh decide which authentication token to use for a host?",
    "fastify": "Where are request bodies parsed and how is the size limit enforced?",
    "redis": "How does Redis evict keys when maxmemory is reached?",
    "ripgrep": "How are gitignore rules matched against a path?",
    "sinatra": "How is a route pattern compiled and matched to a request?",
    "babel": "Where are optional chaining expressions transformed?",
    "test262": "Where is assert.throws defined and what does it check?",
    "django": "How does the ORM compile a filter with a Q object to SQL?",
}
STATE = {
    "status": ["status", "--ignored", "--porcelain", "-uall"],
    "worktrees": ["worktree", "list"],
    "config": ["config", "--list", "--local"],
    "refs": ["for-each-ref"],
    "stash": ["stash", "list"],
}


def state(repo: Path) -> dict[str, set[str]]:
    """What git says of the repository, as sets of lines."""
    return {
        name: set(
            subprocess.run(["git", *args], cwd=repo, capture_output=True, text=True, check=True).stdout.splitlines()
        )
        for name, args in STATE.items()
    }


def ask(repo: Path, question: str, env: dict[str, str]) -> tuple[dict[str, object], float, float]:
    """The JSON answer, seconds, and the largest process's memory in MB."""
    began = time.perf_counter()
    with tempfile.TemporaryFile() as out:
        argv = [sys.executable, "-m", "scoutkit", "ask", question, "--force", "--json", "--agent", "builtin"]
        process = subprocess.Popen(argv, cwd=repo, env=env, stdout=out, stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - began
        out.seek(0)
        raw = out.read()
    if status:
        raise SystemExit(f"{repo}: exit {os.waitstatus_to_exitcode(status)}")
    return json.loads(raw), seconds, used.ru_maxrss / 1024


def main() -> None:
    """Ask each repository twice, on a cold and a warm cache."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+")
    given = parser.parse_args().folders
    question = given.pop() if not Path(given[-1]).is_dir() else ""
    print("| repository | files | question | cold s | warm s | MB | citations | beside the note |")
    print("|---|---|---|---|---|---|---|---|")
    for folder in map(Path, given):
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
            env = {**os.environ, "XDG_CACHE_HOME": f"{home}/cache", "XDG_STATE_HOME": f"{home}/state"}
            asked = question or QUESTIONS[folder.name]
            files = len(
                subprocess.run(["git", "ls-files"], cwd=folder, capture_output=True, check=True).stdout.splitlines()
            )
            before = state(folder)
            answer, cold, memory = ask(folder, asked, env)
            after = state(folder)
            note = answer["note"]
            _, warm, _ = ask(folder, asked, env)
        verdicts = Counter(one["verdict"] for one in note["citations"])
        changed = {name: after[name] ^ before[name] for name in STATE}
        changed["status"] = {line for line in changed["status"] if note["path"] not in line}
        differences = "; ".join(f"{name}: {lines}" for name, lines in changed.items() if lines) or "nothing"
        said = ", ".join(f"{count} {verdict}" for verdict, count in verdicts.items())
        print(
            f"| {folder.name} | {files:,} | {asked} | {cold:.1f} | {warm:.1f} | {memory:.0f} | {said} | {differences} |"
        )


if __name__ == "__main__":
    main()
