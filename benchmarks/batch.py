"""Many missions through `scoutkit batch`, and kill -9 of the batch at random moments: all notes once, nothing left?

    python benchmarks/batch.py [--missions 100] [--jobs 8] [--kills 10] [--whole 0] [--seed 1]

Every mission's agent writes down that it began, works for a moment and reports. The batch is killed
at a random moment and resumed, again and again, then left to end. `--whole` of the kills take everything the batch
started with it, agents and all: those runs are finished by recovery and sent again.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import psutil

AGENT = (
    "mktemp {witness}/XXXXXXXX > /dev/null; sleep 0.4; "
    "echo '# It is in the one file'; echo; echo 'The finding stands in `a.py:1`, as `finding`.'"
)


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
    argv = [sys.executable, "-m", "scoutkit", *args]
    return subprocess.run(argv, cwd=repo, env=env, capture_output=True, text=True, check=False)


def start(repo: Path, env: dict[str, str], *args: str) -> subprocess.Popen[bytes]:
    """A batch that goes on while we look."""
    argv = [sys.executable, "-m", "scoutkit", "batch", *args]
    null = subprocess.DEVNULL
    return subprocess.Popen(argv, cwd=repo, env=env, stdin=null, stdout=null, stderr=null)


def kill(batch: subprocess.Popen[bytes], *, whole: bool) -> None:
    """kill -9 of the batch; `whole`: of all that it started too."""
    victims = [batch.pid]
    if whole:
        with contextlib.suppress(psutil.NoSuchProcess):
            victims += [one.pid for one in psutil.Process(batch.pid).children(recursive=True)]
    for pid in victims:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    batch.wait()


def play(
    repo: Path, env: dict[str, str], *, missions: int, jobs: int, kills: int, whole: int, chance: random.Random,
    within: float,
) -> tuple[list[str], Counter[str]]:  # fmt: skip
    """All of it; what is wrong afterwards, and what happened."""
    witness = repo.parent / "witness"
    witness.mkdir()
    listed = repo.parent / "missions.txt"
    listed.write_text("".join(f"Where is finding number {number}?\n" for number in range(missions)))
    first = [str(listed), "--agent-cmd", AGENT.format(witness=witness), "--isolate", "none", "--jobs", str(jobs)]
    happened: Counter[str] = Counter()
    takes_all = [True] * whole + [False] * (kills - whole)
    chance.shuffle(takes_all)
    batch_id = ""
    while takes_all:
        batch = start(repo, env, *(["--resume", batch_id] if batch_id else first))
        time.sleep(chance.uniform(0.0, within))
        if batch.poll() is not None and batch_id:
            happened["ended before the kill"] += 1
            break
        kill(batch, whole=takes_all.pop())
        happened["kills"] += 1
        known = json.loads(scoutkit(repo, env, "batch", "--list", "--json").stdout)["batches"]
        batch_id = known[0]["id"] if known else ""
        if known:
            happened[f"answered at kill {happened['kills']}"] = known[0]["answered"]
    last = scoutkit(repo, env, "batch", *(["--resume", batch_id] if batch_id else first), "--json")
    wrong = [] if last.returncode == 0 else [f"the last resumption ended with {last.returncode}: {last.stderr[-400:]}"]
    return wrong + found_wrong(repo, env, missions, whole, happened), happened


def found_wrong(repo: Path, env: dict[str, str], missions: int, whole: int, happened: Counter[str]) -> list[str]:
    """What is lost, twice or left."""
    wrong = []
    asked: Counter[str] = Counter()
    for path in (repo / ".claude/notes").glob("*.md"):
        asked.update(re.findall(r"^question: (.*)$", path.read_text(), re.MULTILINE))
    happened["notes"] = asked.total()
    if lacking := missions - len(asked):
        wrong.append(f"{lacking} missions have no note")
    wrong += [f"{count} notes of: {question}" for question, count in asked.items() if count > 1]
    began = list((repo.parent / "witness").iterdir())
    happened["agents begun"] = len(began)
    if not whole and len(began) != missions:
        wrong.append(f"{len(began)} agents began for {missions} missions")
    drafts = list((repo / ".claude/notes/drafts").glob("*.md"))
    happened["drafts, superseded"] = len(drafts)
    wrong += [f"draft left: {path.name}" for path in drafts if "status: deprecated" not in path.read_text()]
    runs = json.loads(scoutkit(repo, env, "runs", "--json", "--limit", "100000").stdout)["runs"]
    happened["runs"] = len(runs)
    wrong += [f"run {run['id']} is still {run['state']}" for run in runs if run["state"] != "removed"]
    state = Path(env["HOME"]) / ".local/state/scoutkit"
    wrong += [f"left: {path}" for path in (state / "runs").glob("*")]
    wrong += [f"lock left: {path}" for path in repo.rglob("*.lock") if path.parent.name != "scoutkit"]
    return wrong + processes_left(env["HOME"])


def processes_left(home: str) -> list[str]:
    """Processes of runs, and errands, that are still there after a moment."""
    deadline = time.monotonic() + 60
    while True:
        left = []
        for process in psutil.process_iter(["pid", "cmdline", "environ", "status"]):
            environ, line = process.info["environ"] or {}, " ".join(process.info["cmdline"] or [])
            ours = "SCOUTKIT_RUN" in environ or "scoutkit.stories.errand" in line
            if ours and home in environ.get("HOME", "") and process.info["status"] != psutil.STATUS_ZOMBIE:
                left.append(f"process left: {line[:200]}")
        if not left or time.monotonic() > deadline:
            return left
        time.sleep(0.1)


def main() -> int:
    """Play, and print what happened and what is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--missions", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=8)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--whole", type=int, default=0, help="so many of the kills take agents and all")
    parser.add_argument("--within", type=float, default=4.0, help="seconds until a kill, at most")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="scoutkit-batch-") as folder:
        repo, env = prepare(Path(folder))
        wrong, happened = play(
            repo,
            env,
            missions=given.missions,
            jobs=given.jobs,
            kills=given.kills,
            whole=given.whole,
            chance=random.Random(given.seed),
            within=given.within,
        )
    for what, count in happened.items():
        print(f"{count:5} {what}")
    for line in wrong:
        print(line)
    print(f"{given.missions} missions, {time.monotonic() - began:.0f} s: {len(wrong)} things wrong")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
