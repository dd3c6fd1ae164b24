"""What scoutkit costs beside the program it drives: CPU seconds and peak memory of `scoutkit ask --agent NAME`, and of
the bare program with the same arguments in a clone, against the scripted model of the contract tests.

python benchmarks/agents/overhead.py [--runs 5] [--agents claude,codex] [--isolate bwrap]

CPU time is that of the whole process tree (wait4); memory is the highest sum of proportional set sizes, sampled 50
times a second. Medians.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "contract"))

import install
from model_server import ModelServer
from stage import MODELS, QUESTION, Stage, git

from scoutkit import census
from scoutkit.agents import registry
from scoutkit.config import Settings
from scoutkit.model.missions import Kind, Mission


class Cost(NamedTuple):
    cpu: float  # seconds
    memory: float  # MB
    wall: float  # seconds


def measure(argv: list[str], cwd: Path, env: dict[str, str], stdin: str = "") -> Cost:
    """Runs it to the end; fails where it does."""
    began = time.monotonic()
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as said:
        given.write(stdin.encode())
        given.seek(0)
        popen = subprocess.Popen(argv, cwd=cwd, env=env, stdin=given, stdout=said, stderr=said)
        peak = 0.0
        while True:
            pid, status, used = os.wait4(popen.pid, os.WNOHANG)
            if pid:
                break
            peak = max(peak, sum(map(resident, tree(popen.pid))))
            time.sleep(0.02)
        popen.returncode = os.waitstatus_to_exitcode(status)
        if popen.returncode:
            said.seek(0)
            sys.exit(f"{argv[0]} ended with {popen.returncode}:\n{said.read().decode(errors='replace')[-2000:]}")
    return Cost(used.ru_utime + used.ru_stime, peak, time.monotonic() - began)


def tree(root: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for entry in census.table().values():
        children.setdefault(entry.parent, []).append(entry.pid)
    found = [root]
    for pid in found:
        found += children.get(pid, [])
    return found


def resident(pid: int) -> float:
    """Proportional set size in MB; 0 for one that is gone."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in text.splitlines() if line.startswith("Pss:")) / 1024


def bare(stage: Stage, agent: str, place: Path) -> Cost:
    """The program as scoutkit would start it, in a plain clone."""
    checkout, scratch = place / "checkout", place / "scratch"
    git(place, "clone", "-q", str(stage.repo), str(checkout))
    scratch.mkdir()
    stage.configure("ok")
    os.environ.update(stage.environment("ok"))
    mission = Mission(Kind.ASK, QUESTION, "HEAD", agent, model=MODELS[agent])
    call = registry.find(agent, Settings()).invocation(mission, QUESTION, checkout, scratch)
    return measure(list(call.argv), checkout, {**stage.environment("ok"), **call.env}, call.stdin)


def driven(stage: Stage, agent: str, isolation: str) -> Cost:
    stage.configure("ok")
    argv = [sys.executable, "-m", "scoutkit", "ask", QUESTION, "--agent", agent, "--model", MODELS[agent]]
    return measure([*argv, "--isolate", isolation, "--json"], stage.repo, stage.environment("ok"))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--agents", default="claude,codex")
    parser.add_argument("--isolate", default="bwrap")
    given = parser.parse_args()
    cache = install.cache().absolute()
    print(f"medians of {given.runs}, --isolate {given.isolate}")
    print(f"{'agent':8} {'':10} {'CPU s':>7} {'peak MB':>8} {'wall s':>7}")
    for agent in given.agents.split(","):
        if not install.installed(agent, cache):
            sys.exit(f"{agent} is not in {cache}: python tests/contract/install.py {agent}")
        costs: dict[str, list[Cost]] = {"bare": [], "scoutkit": []}
        for _ in range(given.runs):
            with (
                tempfile.TemporaryDirectory(prefix="overhead-", ignore_cleanup_errors=True) as place,
                ModelServer() as model,
            ):
                stage = Stage(Path(place).resolve(), cache / "bin", model)
                costs["bare"].append(bare(stage, agent, stage.tmp))
                costs["scoutkit"].append(driven(stage, agent, given.isolate))
        middle = {name: Cost(*(median(column) for column in zip(*some, strict=True))) for name, some in costs.items()}
        more = Cost(*(one - other for one, other in zip(middle["scoutkit"], middle["bare"], strict=True)))
        ratio = Cost(*(one / other for one, other in zip(middle["scoutkit"], middle["bare"], strict=True)))
        for name, cost in {**middle, "difference": more, "ratio": ratio}.items():
            print(f"{agent:8} {name:10} {cost.cpu:>7.2f} {cost.memory:>8.1f} {cost.wall:>7.2f}")


if __name__ == "__main__":
    main()
