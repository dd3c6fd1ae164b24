"""How often the region engine is right, on public annotations: a file, a range, two commits, the right range.

    python benchmarks/regions/run.py --folder CLONES ANNOTATIONS.jsonl… [--wrong] [--no-baselines]

CLONES holds the repositories, named `owner+name`, `owner/name` or `name` (also with `/repo` below). A line of an
annotation file is `{"repo","from","to","path","start","start_col","end","end_col","expect": {"path","start","end"}}`,
`expect` null for a range that is gone. Line-exact: path, start and end are right, and a gone range is called `gone`.
Two baselines run on the same lines: the diff's line map alone (`git diff`, renames followed by `-M`), and the same
text standing once in the file.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from scoutkit import git
from scoutkit.anchors.region import Regions
from scoutkit.errors import ScoutError
from scoutkit.model.notes import Region, Verdict
from scoutkit.model.places import Repository

Row = dict[str, Any]
Place = tuple[str, int, int]


def clone_of(folder: Path, repository: str) -> Path | None:
    """Where a repository's clone is, or None."""
    owner, name = repository.split("/")
    for base in (f"{owner}+{name}", repository, name):
        for path in (folder / base, folder / base / "repo"):
            if (path / ".git").exists() or (path / "HEAD").exists():
                return path
    return None


def main() -> None:
    """Run, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("annotations", nargs="+", type=Path)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--wrong", action="store_true", help="print what was wrong")
    parser.add_argument("--no-baselines", action="store_true")
    args = parser.parse_args()
    for file in args.annotations:
        rows = [json.loads(line) for line in file.read_text("utf-8").splitlines() if line.strip()]
        evaluate(file.stem, rows, args.folder, wrong=args.wrong, baselines=not args.no_baselines)


def evaluate(name: str, rows: list[Row], folder: Path, *, wrong: bool, baselines: bool) -> None:
    """One annotation file."""
    by_repository = defaultdict(list)
    for row in rows:
        by_repository[row["repo"]].append(row)
    missing = sorted(repository for repository in by_repository if clone_of(folder, repository) is None)
    answers: list[tuple[Row, Place | None, str, float]] = []
    methods: dict[str, Counter[str]] = {"scoutkit": Counter(), "diff": Counter(), "text": Counter()}
    seconds = 0.0
    for repository_name, group in sorted(by_repository.items()):
        path = clone_of(folder, repository_name)
        if path is None:
            continue
        repository = git.discover(path)
        for row in group:
            began = time.process_time()
            place, verdict, score = ours(repository, row)
            seconds += time.process_time() - began
            answers.append((row, place, verdict, score))
            methods["scoutkit"][judged(row, place, verdict)] += 1
            if wrong and judged(row, place, verdict) != "exact":
                expect = row["expect"] and "{path}:{start}-{end}".format(**row["expect"])
                print(
                    f"{row['set']} {row['change']} {path} {row['from']} {row['to']} {row['path']}"
                    f":{row['start']}.{row['start_col']}-{row['end']}.{row['end_col']}\n"
                    f"   expected {expect}\n   got      {place} {verdict} {score:.2f}"
                )
            if baselines:
                for method, by in (("diff", by_diff), ("text", by_text)):
                    found = by(path, row)
                    methods[method][judged(row, found, "gone" if found is None else "moved")] += 1
    total = len(answers)
    print(f"\n{name}: {total} of {len(rows)} (not at hand: {', '.join(missing) or 'none'})")
    print(f"{seconds / max(total, 1) * 1000:.0f} ms of CPU a query, without git's")
    for method, counted in methods.items():
        if counted:
            print(
                f"  {method:<9}"
                + "  ".join(
                    f"{key} {counted[key] / total:6.1%}"
                    for key in ("exact", "overlap", "wrong", "ambiguous", "not gone", "gone, is not")
                )
            )
    sure = [(row, place, verdict) for row, place, verdict, score in answers if score >= 0.9]
    bad = sum(judged(*one) != "exact" for one in sure)
    print(f"  score ≥ 0.9: {len(sure)} answers, {bad} wrong ({bad / max(total, 1):.1%} of all)")
    for low in (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95):
        high = {0.0: 0.5, 0.95: 1.01, 0.9: 0.95}.get(low, low + 0.1)
        inside = [
            judged(row, place, verdict) == "exact" for row, place, verdict, score in answers if low <= score < high
        ]
        if inside:
            print(f"    score {low:.2f}-{high:.2f}: {len(inside):4} answers, {sum(inside) / len(inside):.0%} right")
    kinds: dict[str, list[bool]] = defaultdict(list)
    for row, place, verdict, _ in answers:
        kinds[f"{row['set']}, {row['change']}"].append(judged(row, place, verdict) == "exact")
    for kind, right in sorted(kinds.items()):
        print(f"    {kind:<55} {sum(right)}/{len(right)}")


def ours(repository: Repository, row: Row) -> tuple[Place | None, str, float]:
    """The engine's answer."""
    start_col, end_col = row.get("start_col") or 0, row.get("end_col") or 0
    region = Region(row["path"], row["start"], row["end"], start_col, end_col)
    try:
        with Regions(repository, git.resolve(repository, row["to"])) as regions:
            found = regions.locate(region, git.resolve(repository, row["from"]))
    except ScoutError as error:
        print(f"error: {row}: {error.message}", file=sys.stderr)
        return None, "error", 0.0
    place = (found.region.path, found.region.start, found.region.end) if found.region else None
    return place, found.verdict, found.score


def judged(row: Row, place: Place | None, verdict: str) -> str:
    """`exact`, `overlap`, `wrong`, `ambiguous`, `not gone` (it should be) or `gone, is not`."""
    expect = row["expect"]
    if verdict == Verdict.AMBIGUOUS:
        return "ambiguous"
    if expect is None or place is None:
        return "exact" if expect is None and place is None else "not gone" if expect is None else "gone, is not"
    if place == (expect["path"], expect["start"], expect["end"]):
        return "exact"
    overlaps = place[0] == expect["path"] and place[1] <= expect["end"] and expect["start"] <= place[2]
    return "overlap" if overlaps else "wrong"


def _git(where: Path, *args: str) -> str:
    return subprocess.run(["git", "-C", str(where), *args], capture_output=True, check=False).stdout.decode(
        "utf-8", "replace"
    )


def by_diff(where: Path, row: Row) -> Place | None:
    """The line map of `git diff -M --histogram`: where the first and the last line are that were not taken out; lines
    that were replaced are the new ones in their place, in order."""
    raw = _git(where, "diff", "-M", "--histogram", "--diff-filter=R", "--name-status", "-z", row["from"], row["to"])
    fields = raw.split("\0")
    renamed = {fields[at + 1]: fields[at + 2] for at in range(0, len(fields) - 2, 3)}
    path = renamed.get(row["path"], row["path"])
    patch = _git(where, "diff", "--histogram", "-U0", f"{row['from']}:{row['path']}", f"{row['to']}:{path}")
    if not _git(where, "ls-tree", row["to"], "--", path):
        return None
    hunks = [
        tuple(int(part or 1) if part != "0" else 0 for part in found)
        for found in re.findall(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", patch, re.MULTILINE)
    ]
    mapped = [at for line in range(row["start"], row["end"] + 1) if (at := _through(hunks, line))]
    return (path, mapped[0], mapped[-1]) if mapped else None


def _through(hunks: list[tuple[int, ...]], line: int) -> int:
    shift = 0
    for old, removed, new, added in hunks:
        first = old if removed else old + 1
        if line < first:
            break
        if line < first + removed:
            return new + min(line - first, added - 1) if added else 0
        shift = (new + added if added else new + 1) - (first + removed)
    return line + shift


def by_text(where: Path, row: Row) -> Place | None:
    """The same text, where it stands once in the file."""
    old = _git(where, "show", f"{row['from']}:{row['path']}").splitlines()
    new = _git(where, "show", f"{row['to']}:{row['path']}").splitlines()
    wanted = old[row["start"] - 1 : row["end"]]
    starts = [at for at in range(len(new)) if new[at : at + len(wanted)] == wanted]
    return (row["path"], starts[0] + 1, starts[0] + len(wanted)) if len(starts) == 1 else None


if __name__ == "__main__":
    main()
