"""How well and how fast the built-in agent's index finds what questions ask for.

    python benchmarks/builtin.py quality QUESTIONS.jsonl … --repos FOLDER
    python benchmarks/builtin.py speed REPOSITORY … [--question TEXT]

A question is one JSON object a line: id, repo (owner/name), commit, question, gold: [{path, start, end}] (start 0: the
whole file), secondary (paths that count half for NDCG). FOLDER holds git repositories as `owner+name` or
`owner+name/repo`; questions about others are counted and left out. Sets named `doc…` are asked of an index without
documentation. Measures are percentages: see docs/benchmarks.md.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from scoutkit.agents.builtin.index import open_index
from scoutkit.agents.builtin.question import understand
from scoutkit.agents.builtin.rank import Ranking, rank
from scoutkit.agents.builtin.store import Store

MEASURES = ("file@1", "file@5", "file@10", "mrr", "range@5", "range@10", "lines300", "ndcg@10")


@dataclass(frozen=True)
class Answer:
    """Files and ranges in order, whoever found them."""

    files: list[str]
    ranges: list[tuple[str, int, int]]


def shown(ranking: Ranking, per_file: int = 4) -> list[tuple[str, int, int]]:
    """Ranges as a report shows them: no more than a few a file."""
    counts: dict[str, int] = defaultdict(int)
    out = []
    for one in ranking.ranges:
        counts[one.path] += 1
        if counts[one.path] <= per_file:
            out.append((one.path, one.place.start, one.place.end))
    return out


def score(answer: Answer, question: dict[str, Any]) -> dict[str, float]:
    gold = question["gold"]
    right = {one["path"] for one in gold}
    at = next((number for number, path in enumerate(answer.files, 1) if path in right), 0)
    lines = {(one["path"], line) for one in gold if one["start"] for line in range(one["start"], one["end"] + 1)}
    measures = {f"file@{k}": float(0 < at <= k) for k in (1, 5, 10)}
    measures["mrr"] = 1 / at if at else 0.0
    if lines:
        for k in (5, 10):
            measures[f"range@{k}"] = float(
                any((path, line) in lines for path, start, end in answer.ranges[:k] for line in range(start, end + 1))
            )
        seen: set[tuple[str, int]] = set()
        budget = 300
        for path, start, end in answer.ranges:
            for line in range(start, min(end, start + budget - 1) + 1):
                seen.add((path, line))
            budget -= end - start + 1
            if budget <= 0:
                break
        measures["lines300"] = len(lines & seen) / len(lines)
    gains = {**dict.fromkeys(question.get("secondary", ()), 1.0), **dict.fromkeys(right, 2.0)}
    ideal = sum(
        (2**gain - 1) / math.log2(number + 1)
        for number, gain in enumerate(sorted(gains.values(), reverse=True)[:10], 1)
    )
    found = sum(
        (2 ** gains.get(path, 0) - 1) / math.log2(number + 1) for number, path in enumerate(answer.files[:10], 1)
    )
    measures["ndcg@10"] = found / ideal if ideal else 0.0
    return measures


def repository(folder: Path, name: str) -> Path | None:
    for path in (folder / name.replace("/", "+") / "repo", folder / name.replace("/", "+"), folder / name):
        if path.is_dir():
            return path
    return None


def load(files: list[Path], folder: Path) -> tuple[list[dict[str, Any]], int]:
    questions = [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines() if line.strip()]
    there = [one for one in questions if repository(folder, one["repo"])]
    return there, len(questions) - len(there)


def quality(files: list[Path], folder: Path, *, by_repo: bool = False, out: Path | None = None) -> None:
    questions, missing = load(files, folder)
    results: dict[str, list[dict[str, float]]] = defaultdict(list)
    margins: list[tuple[float, bool, bool]] = []
    began = time.process_time()
    asking = 0.0
    details = []
    with Store() as store:
        for (name, commit, docs), group in groupby(sorted(questions, key=_tree), key=_tree):
            where = repository(folder, name)
            assert where
            with open_index(store, where, commit, lambda _: None, docs=docs) as index:
                for one in group:
                    begin = time.process_time()
                    ranking = rank(index, understand(one["question"], project=name.partition("/")[2]))
                    asking += time.process_time() - begin
                    answer = Answer([path for path, _ in ranking.files], shown(ranking))
                    measures = score(answer, one)
                    results[one["set"]].append(measures)
                    if by_repo:
                        results[f"  {one['set']} {name}"].append(measures)
                    margins.append((ranking.margin, measures["file@1"] > 0, measures["file@5"] > 0))
                    best = {"margin": ranking.margin, "files": answer.files[:10], "ranges": answer.ranges[:10]}
                    details.append({"id": one["id"], **measures, **best})
    table(results)
    each, spent = asking / max(1, len(questions)) * 1000, time.process_time() - began
    print(f"\n{len(questions)} questions, {missing} left out for want of their repository")
    print(f"{each:.0f} ms a question; {spent:.0f} CPU s in all, reading the repositories included")
    print("\nmargin (best file's score over the second's): share, first file right, right one in the first five")
    for low, high in ((1.5, math.inf), (1.25, 1.5), (1.1, 1.25), (0.0, 1.1)):
        some = [one for one in margins if low <= one[0] < high]
        if some:
            first, five = sum(one[1] for one in some) / len(some), sum(one[2] for one in some) / len(some)
            print(f"  {low:.2f}-{high:<5.2f} {len(some) / len(margins):5.0%} {first:5.0%} {five:5.0%}")
    if out:
        out.write_text("".join(json.dumps(one) + "\n" for one in details), "utf-8")


def _tree(question: dict[str, Any]) -> tuple[str, str, bool]:
    """Which index answers: repository, commit, with documentation or without."""
    return question["repo"], question["commit"], not question["set"].startswith("doc")


def table(results: dict[str, list[dict[str, float]]]) -> None:
    print(f"{'set':34} {'n':>4} " + " ".join(f"{name:>8}" for name in MEASURES))
    for name in sorted(results, key=str.strip):
        rows = results[name]
        cells = []
        for measure in MEASURES:
            values = [row[measure] for row in rows if measure in row]
            cells.append(f"{sum(values) / len(values) * 100:8.1f}" if values else f"{'':8}")
        print(f"{name:34} {len(rows):4} " + " ".join(cells))


def speed(repositories: list[Path], question: str) -> None:
    """Wall seconds and peak memory of the agent's child process: cold, and again."""
    for where in repositories:
        with tempfile.TemporaryDirectory() as cache:
            head = ["git", "rev-parse", "HEAD"]
            commit = subprocess.run(head, cwd=where, capture_output=True, text=True, check=True).stdout.strip()
            asked = json.dumps({"question": question, "commit": commit})
            print(f"{where}: cold {_once(where, cache, asked)}; again {_once(where, cache, asked)}", end="")
            print(f"; cache {sum(path.stat().st_size for path in Path(cache).rglob('*.db')) / 1e6:.0f} MB")


def _once(where: Path, cache: str, asked: str) -> str:
    """One run in a process that watches the memory of it and its workers."""
    watch = (
        "import resource, subprocess, sys, time; begin = time.monotonic();"
        "agent = [sys.executable, '-P', '-m', 'scoutkit.agents.builtin'];"
        "code = subprocess.run(agent, stdout=subprocess.DEVNULL).returncode;"
        "used = resource.getrusage(resource.RUSAGE_CHILDREN);"
        "print(f'{time.monotonic() - begin:.2f} s, {used.ru_utime + used.ru_stime:.1f} CPU s, '"
        "f'largest process {used.ru_maxrss // 1024} MB, exit {code}')"
    )
    env = {**os.environ, "XDG_CACHE_HOME": cache}
    done = subprocess.run(
        [sys.executable, "-c", watch], cwd=where, env=env, input=asked, text=True, capture_output=True, check=True
    )
    return done.stdout.strip()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    first = commands.add_parser("quality")
    first.add_argument("questions", nargs="+", type=Path)
    first.add_argument("--repos", type=Path, required=True)
    first.add_argument("--by-repo", action="store_true")
    first.add_argument("--details", type=Path, help="write one JSON line a question there")
    second = commands.add_parser("speed")
    second.add_argument("repositories", nargs="+", type=Path)
    second.add_argument("--question", default="Where is the configuration read and how are defaults applied?")
    chosen = parser.parse_args()
    if chosen.command == "quality":
        quality(chosen.questions, chosen.repos, by_repo=chosen.by_repo, out=chosen.details)
    else:
        speed(chosen.repositories, chosen.question)


if __name__ == "__main__":
    main()
