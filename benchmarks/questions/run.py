"""How well questions about a repository are answered: the built-in agent beside simpler methods, in one run.

    python benchmarks/questions/run.py FOLDER QUESTIONS.jsonl… [--only METHOD] [--by-repo] [--aider PYTHON]
        [--weight NAME=X]

A question is one JSON object a line: id, set, repo (owner/name), commit, question, gold: [{path, start, end}] (start 0:
the whole file), secondary (paths that count half for NDCG). FOLDER holds git repositories as `owner+name`,
`owner+name/repo` or `owner/name`; questions about others are counted and left out. Sets named `doc…` are asked of files
without their documentation. Measures are percentages: file@k, a right file is among the first k; mrr, the mean of one
over the first right file's place; range@k, one of the first k ranges overlaps a right line; lines300, the share of
right lines among the first 300 lines shown; ndcg@10.

Each method is a process of its own with an empty cache. CPU seconds are those of it and its children, git too, for
reading all repositories; memory is the largest process's.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from itertools import groupby
from pathlib import Path
from typing import Any

from measures import MEASURES, average, load, repository, score, tree


def main() -> None:
    """Every method, then a table."""
    from methods import METHODS, OTHER_WEIGHTS

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("questions", nargs="+", type=Path)
    parser.add_argument("--only", action="append", choices=METHODS, help="a method; may be given more than once")
    parser.add_argument("--by-repo", action="store_true")
    parser.add_argument("--weight", action="append", default=[], metavar="NAME=X", help="another weight: weights.py")
    parser.add_argument("--details", type=Path, help="write one JSON line a method and question there")
    parser.add_argument("--aider", help="a Python that has aider-chat installed: its repository map is asked too")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.child:
        OTHER_WEIGHTS.update((name, float(value)) for name, _, value in (one.partition("=") for one in chosen.weight))
        answer_all(chosen.child, chosen.folder, chosen.questions)
        return
    questions, missing = load(chosen.questions, chosen.folder)
    print(f"{len(questions)} questions, {missing} left out for want of their repository\n", flush=True)
    rows: list[dict[str, Any]] = []
    costs = {}
    rest = [str(chosen.folder), *map(str, chosen.questions)]
    weights = [f"--weight={one}" for one in chosen.weight]
    children = {name: [sys.executable, __file__, *rest, *weights, "--child", name] for name in chosen.only or METHODS}
    if chosen.aider:
        children["aider's map"] = [chosen.aider, str(Path(__file__).with_name("aider_map.py")), *rest]
    for method, argv in children.items():
        with tempfile.TemporaryDirectory() as cache:
            env = {**os.environ, "XDG_CACHE_HOME": cache}
            done = subprocess.run(argv, env=env, stdout=subprocess.PIPE, text=True, check=True)
        said = [json.loads(line) for line in done.stdout.splitlines()]
        costs[method] = said.pop()
        rows += [{"method": method, **one} for one in said]
    table(rows, costs, by_repo=chosen.by_repo)
    margins([row for row in rows if row["method"] == "scoutkit"])
    if chosen.details:
        chosen.details.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


def answer_all(method: str, folder: Path, files: list[Path]) -> None:
    """One method's answers, a JSON line a question, then what it cost."""
    from methods import METHODS

    questions, _ = load(files, folder)
    preparing = asking = 0.0
    for (name, commit, docs), group in groupby(sorted(questions, key=tree), key=tree):
        where = repository(folder, name)
        assert where
        begin = _cpu()
        with METHODS[method](where, commit, docs=docs) as ask:
            preparing += _cpu() - begin
            for one in group:
                begin = time.process_time()
                answer = ask(one["question"], name.partition("/")[2])
                asking += time.process_time() - begin
                found = {"files": answer.files[:10], "ranges": (answer.ranges or [])[:10], "margin": answer.margin}
                row = {"set": one["set"], "repo": name, "id": one["id"], **score(answer, one), **found}
                print(json.dumps(row if math.isfinite(answer.margin) else {**row, "margin": 99.0}))
    used = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    print(json.dumps({"reading": preparing, "ms": asking / max(1, len(questions)) * 1000, "mb": used / 1024}))


def _cpu() -> float:
    """CPU seconds of this process and of those it waited for."""
    own, others = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime


def table(rows: list[dict[str, Any]], costs: dict[str, dict[str, float]], *, by_repo: bool) -> None:
    """Markdown, as docs/accuracy.md has it."""
    print(f"| set | method | questions | {' | '.join(MEASURES)} |")
    print("|---" * (3 + len(MEASURES)) + "|")
    groups: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        groups[row["set"], row["method"]].append(row)
        if by_repo:
            groups[f"{row['set']} {row['repo']}", row["method"]].append(row)
    for (name, method), some in sorted(groups.items(), key=lambda group: group[0][0]):
        values = [average(some, measure) for measure in MEASURES]
        cells = ["" if value is None else f"{value:.1f}" for value in values]
        print(f"| {name} | {method} | {len(some)} | {' | '.join(cells)} |")
    print("\n| method | CPU s to read all | ms a question | MB |\n|---|---|---|---|")
    for method, cost in costs.items():
        print(f"| {method} | {cost['reading']:.1f} | {cost['ms']:.1f} | {cost['mb']:.0f} |")


def margins(rows: list[dict[str, Any]]) -> None:
    """What the best file's lead over the second was worth."""
    if rows:
        print("\n| lead over the second file | share | first file right | a right one in the first five |")
        print("|---|---|---|---|")
    for low, high in ((1.5, math.inf), (1.25, 1.5), (1.1, 1.25), (0.0, 1.1)):
        some = [row for row in rows if low <= row["margin"] < high]
        if some:
            first, five = (sum(row[measure] for row in some) / len(some) for measure in ("file@1", "file@5"))
            print(f"| {low:.2f} to {high:.2f} | {len(some) / len(rows):.0%} | {first:.0%} | {five:.0%} |")


if __name__ == "__main__":
    main()
