"""Is all as it was after every run of a real agent program? Runs of mixed scenarios, repositories and isolations, with
kills at random moments, against the scripted model of the contract tests; after each a look at processes, files, refs.

python benchmarks/agents/contract_runs.py [--runs 50] [--seed N] [--agents claude,codex] [--alone]

The programs come from `python tests/contract/install.py claude codex`. `--alone` also looks at what they leave in /tmp:
only where nobody else uses them. Exit status 1 if anything was left or changed.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "contract"))

import install
from model_server import ModelServer
from stage import MODELS, QUESTION, Done, Stage, processes

SCENARIOS = {  # how often
    "ok": 4,
    "e401": 1,
    "e500": 1,
    "cut": 1,
    "midcut": 1,
    "garbage": 1,
    "empty": 1,
    "midstall": 2,
    "slowtool": 5,
    "orphan": 4,
    "write": 2,
    "escape": 2,
    "loop": 3,
    "keyprint": 1,
}
ENDLESS = ("midstall", "slowtool", "loop")


@dataclass(frozen=True)
class Plan:
    agent: str
    scenario: str
    isolation: str
    hostile: bool
    target: str  # scoutkit, the agent, or ""
    signal: signal.Signals
    after: float  # seconds


def plan(dice: random.Random, agents: list[str]) -> Plan:
    scenario = dice.choices(list(SCENARIOS), list(SCENARIOS.values()))[0]
    target = dice.choice(
        ["scoutkit", "agent", "both", ""] if scenario not in ENDLESS else ["scoutkit", "agent", "both"]
    )
    how = dice.choice([signal.SIGTERM, signal.SIGKILL, signal.SIGINT])
    isolation = dice.choice(["bwrap", "landlock", "none"] if shutil.which("bwrap") else ["landlock", "none"])
    return Plan(dice.choice(agents), scenario, isolation, dice.random() < 0.3, target, how, dice.uniform(0.1, 6.0))


def play(stage: Stage, plan: Plan) -> Done:
    """One run, and the command that finishes it where it was killed."""
    args = (
        "ask",
        QUESTION,
        "--agent",
        plan.agent,
        "--model",
        MODELS[plan.agent],
        "--json",
        "--isolate",
        plan.isolation,
    )
    began = time.monotonic()
    popen = stage.start(*args, "--timeout", "20s", "--idle", "10s", scenario=plan.scenario)
    if plan.target:
        time.sleep(plan.after)
        pids = [popen.pid] if plan.target in ("scoutkit", "both") and popen.poll() is None else []
        if plan.target in ("agent", "both"):
            inside = str(stage.home / ".local/state/scoutkit/runs")
            pids += [pid for pid, cwd, _ in processes() if cwd.startswith(inside)]
        for pid in pids:
            try:
                os.kill(pid, plan.signal)
            except ProcessLookupError:
                continue
    done = stage.finish(popen, limit=150)
    done = replace(done, seconds=time.monotonic() - began)
    after = stage.scoutkit("runs")
    if after.code != 0:
        raise AssertionError(f"scoutkit runs: {after.code}\n{after.err}")
    return done


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--agents", default="claude,codex")
    parser.add_argument("--alone", action="store_true")
    given = parser.parse_args()
    agents = given.agents.split(",")
    cache = install.cache().absolute()
    for name in agents:
        if not install.installed(name, cache):
            sys.exit(f"{name} is not in {cache}: python tests/contract/install.py {name}")
    dice = random.Random(given.seed)
    print(f"{given.runs} runs, seed {given.seed}\n")
    print(f"{'':>3} {'agent':8} {'scenario':9} {'isolation':9} {'repo':8} {'killed':26}", end=" ")
    print(f"{'exit':>4} {'s':>5}  left or changed")
    exits: Counter[int] = Counter()
    bad = 0
    for number in range(1, given.runs + 1):
        chosen = plan(dice, agents)
        killed = f"{chosen.target} {chosen.signal.name} at {chosen.after:.1f} s" if chosen.target else "-"
        row = f"{number:>3} {chosen.agent:8} {chosen.scenario:9} {chosen.isolation:9} "
        row += f"{'hostile' if chosen.hostile else 'plain':8} {killed:26}"
        with (
            tempfile.TemporaryDirectory(prefix="contract-", ignore_cleanup_errors=True) as folder,
            ModelServer() as server,
        ):
            stage = Stage(Path(folder).resolve(), cache / "bin", server, alone=given.alone)
            if chosen.hostile:
                stage.hostile()
            try:
                done = play(stage, chosen)
                row += f" {done.code:>4} {done.seconds:>5.1f}  "
                exits[done.code] += 1
                stage.undisturbed()
                stage.keyless(done)
                row += "nothing"
            except AssertionError as problem:
                bad += 1
                row += str(problem)
        print(row, flush=True)
    counts = ", ".join(f"{count} × {code}" for code, count in sorted(exits.items()))
    print(f"\n{given.runs - bad} of {given.runs} runs left nothing and changed nothing; exit statuses: {counts}")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
