"""kill -9 at random moments and at every step of the journal: is a finding lost, is anything left behind?

    python benchmarks/kills.py [--times 200] [--seed 1]

Each round asks with an agent that says one numbered finding after another, kills scoutkit, the agent or both, runs
one more scoutkit command, and looks: every finding that was said well before the kill is in a note, no worktree, no
process and no lock is left, and the journal says the run is over.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

import psutil

STATES = ("created", "running", "exited", "harvested", "written", "removed")
# The agent says a finding, then writes down when it had said it.
AGENT = (
    "echo '# Findings'; echo; for n in 1 2 3 4 5 6 7 8; do "
    'echo "- finding-$n is in a.py:1"; echo $n $(date +%s.%N) >> {witness}; sleep 0.03; done'
)
# Runs `scoutkit ask` and kills itself just before or just after the journal advances to a state.
AT_STATE = """
import os, signal, sys, time
from scoutkit import commands
from scoutkit.dispatch.journal import Journal
state, when, argv = sys.argv[1], sys.argv[2], sys.argv[3:]
advance = Journal.advance
create = Journal.create
def die():
    os.write(2, f"\\n{time.time()}".encode())
    os.kill(os.getpid(), signal.SIGKILL)
def killed(self, run_id, to, **fields):
    if when == "before" and to == state:
        die()
    row = advance(self, run_id, to, **fields)
    if when == "after" and to == state:
        die()
    return row
def created(self, run):
    row = create(self, run)
    if state == "created":
        die()
    return row
Journal.advance, Journal.create = killed, created
sys.exit(commands.run(argv))
"""


def prepare(folder: Path) -> tuple[Path, dict[str, str]]:
    """A repository of one file and an environment whose home is in `folder`."""
    env = {key: value for key, value in os.environ.items() if not key.startswith(("GIT_", "XDG_", "SCOUTKIT_"))}
    env |= {"HOME": str(folder), "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org"}
    env |= {"GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.org"}
    repo = folder / "repo"
    repo.mkdir()
    (repo / "a.py").write_text("finding = 1\n")
    for args in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
        subprocess.run(["git", *args], cwd=repo, env=env, check=True)
    return repo, env


def scoutkit(repo: Path, env: dict[str, str], *args: str) -> subprocess.CompletedProcess[str]:
    """One scoutkit command, to its end."""
    return subprocess.run(
        [sys.executable, "-m", "scoutkit", *args], cwd=repo, env=env, capture_output=True, text=True, check=False
    )


def round_of(repo: Path, env: dict[str, str], chance: random.Random, number: int) -> tuple[str, list[str]]:
    """One ask, one kill, one command after it. What was killed when, and what is wrong afterwards."""
    witness = repo.parent / f"witness-{number}"
    late = Late()
    ask = ["ask", f"question {number}", "--agent-cmd", AGENT.format(witness=witness)]
    if chance.random() < 0.5:
        state, when = chance.choice(STATES), chance.choice(("before", "after"))
        label = f"{when} {state}"
        done = subprocess.run(
            [sys.executable, "-c", AT_STATE, state, when, *ask], cwd=repo, env=env, capture_output=True, check=False
        )
        if done.returncode != -signal.SIGKILL:
            late.end()
            return label, [f"was not killed: exit {done.returncode} {done.stderr[-300:]!r}"]
        killed_at = float(done.stderr.split()[-1])
    else:
        target = chance.choice(("scoutkit", "agent", "both"))
        label = f"random {target}"
        started = subprocess.Popen(
            [sys.executable, "-m", "scoutkit", *ask],
            cwd=repo,
            env=env,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        time.sleep(chance.uniform(0.0, 1.1))
        children = psutil.Process(started.pid).children(recursive=True) if started.poll() is None else []
        victims = {"scoutkit": [started], "agent": children, "both": [started, *children]}[target]
        killed_at = time.time()
        for victim in victims:
            with contextlib.suppress(psutil.NoSuchProcess, ProcessLookupError):
                os.kill(victim.pid, signal.SIGKILL)
        started.wait()
    before = killed_at - 0.1 - 10 * late.end()  # scoutkit reads as the agent writes, and a line takes its time
    after = scoutkit(repo, env, "list", "--json")
    failed = [f"the next command failed: {after.stderr}"] if after.returncode else []
    return label, failed or wrong(repo, env, number, witness, before)


class Late:
    """How late this machine wakes up who sleeps, at the most: what reads as others write may be so late, too."""

    def __init__(self) -> None:
        self._most = 0.0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look)
        self._thread.start()

    def _look(self) -> None:
        while not self._over.is_set():
            began = time.monotonic()
            time.sleep(0.005)
            self._most = max(self._most, time.monotonic() - began - 0.005)

    def end(self) -> float:
        """Seconds, since it was made."""
        self._over.set()
        self._thread.join()
        return self._most


def wrong(repo: Path, env: dict[str, str], number: int, witness: Path, before: float) -> list[str]:
    """What is lost or left of round `number`: a finding that was said `before` the kill by enough is due."""
    found = []
    said = [line.split() for line in witness.read_text().splitlines()] if witness.exists() else []
    notes = [
        text for path in (repo / ".claude/notes").rglob("*.md") if f"question {number}\n" in (text := path.read_text())
    ]
    due = [n for n, when, *_ in (row for row in said if len(row) == 2) if float(when) < before]
    lost = [n for n in due if not any(f"finding-{n} " in text for text in notes)]
    if lost:
        found.append(f"lost findings {lost} of {len(said)}")
    if len(notes) > 1:
        found.append(f"{len(notes)} notes of one run")
    runs = json.loads(scoutkit(repo, env, "runs", "--json", "--limit", "100000").stdout)["runs"]
    found += [f"run {run['id']} is still {run['state']}" for run in runs if run["state"] != "removed"]
    state = Path(env["HOME"]) / ".local/state/scoutkit"
    found += [f"left: {path}" for path in (state / "runs").glob("*")]
    found += [f"lock left: {path}" for path in repo.rglob("*.lock") if path.parent.name != "scoutkit"]
    for process in psutil.process_iter(["pid", "cmdline", "environ"]):
        if (
            str(repo.parent) in (process.info["environ"] or {}).get("HOME", "")
            and "SCOUTKIT_RUN" in process.info["environ"]
        ):
            found.append(f"process left: {process.info['cmdline']}")
    return found


def main() -> int:
    """Run the rounds and print what went wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    labels: Counter[str] = Counter()
    failures = 0
    with tempfile.TemporaryDirectory(prefix="scoutkit-kills-") as folder:
        repo, env = prepare(Path(folder))
        for number in range(options.times):
            label, found = round_of(repo, env, chance, number)
            labels[label] += 1
            failures += bool(found)
            for line in found:
                print(f"{number} {label}: {line}", flush=True)
    for label, count in sorted(labels.items()):
        print(f"{count:5} {label}")
    print(f"{options.times} kills, {failures} with something lost or left")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
