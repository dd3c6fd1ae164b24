"""Questions with right answers, and how good an answer is."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MEASURES = ("file@1", "file@5", "file@10", "mrr", "range@5", "range@10", "lines300", "ndcg@10")
PER_FILE = 4  # ranges that are shown
Question = dict[str, Any]
Range = tuple[str, int, int]


@dataclass(frozen=True)
class Answer:
    """Files and ranges in order, whoever found them. `ranges` None: the method knows only files."""

    files: list[str]
    ranges: list[Range] | None
    margin: float = 0.0


def shown(ranges: Iterable[Range]) -> list[Range]:
    """Ranges as a report shows them: no more than a few a file."""
    counts: dict[str, int] = {}
    out = []
    for one in ranges:
        counts[one[0]] = counts.get(one[0], 0) + 1
        if counts[one[0]] <= PER_FILE:
            out.append(one)
    return out


def score(answer: Answer, question: Question) -> dict[str, float]:
    """Every measure that the question has, from 0 to 1."""
    gold = question["gold"]
    right = {one["path"] for one in gold}
    at = next((number for number, path in enumerate(answer.files, 1) if path in right), 0)
    measures = {f"file@{k}": float(0 < at <= k) for k in (1, 5, 10)}
    measures["mrr"] = 1 / at if at else 0.0
    lines = {(one["path"], line) for one in gold if one["start"] for line in range(one["start"], one["end"] + 1)}
    if lines and answer.ranges is not None:
        for k in (5, 10):
            measures[f"range@{k}"] = float(
                any((path, line) in lines for path, start, end in answer.ranges[:k] for line in range(start, end + 1))
            )
        measures["lines300"] = len(lines & _first_lines(answer.ranges, 300)) / len(lines)
    gains = {**dict.fromkeys(question.get("secondary", ()), 1.0), **dict.fromkeys(right, 2.0)}
    best = sorted(gains.values(), reverse=True)[:10]
    ideal = _gained(best)
    found = _gained([gains.get(path, 0.0) for path in answer.files[:10]])
    measures["ndcg@10"] = found / ideal if ideal else 0.0
    return measures


def _first_lines(ranges: Iterable[Range], budget: int) -> set[tuple[str, int]]:
    seen: set[tuple[str, int]] = set()
    for path, start, end in ranges:
        seen.update((path, line) for line in range(start, min(end, start + budget - 1) + 1))
        budget -= end - start + 1
        if budget <= 0:
            break
    return seen


def _gained(gains: Iterable[float]) -> float:
    return sum((2**gain - 1) / math.log2(number + 1) for number, gain in enumerate(gains, 1))


def repository(folder: Path, name: str) -> Path | None:
    """Where a repository lies in a folder of them."""
    for path in (folder / name.replace("/", "+") / "repo", folder / name.replace("/", "+"), folder / name):
        if path.is_dir():
            return path
    return None


def load(files: list[Path], folder: Path) -> tuple[list[Question], int]:
    """The questions whose repositories are there, and how many are left out."""
    questions = [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines() if line.strip()]
    there = [one for one in questions if repository(folder, one["repo"])]
    return there, len(questions) - len(there)


def tree(question: Question) -> tuple[str, str, bool]:
    """What is asked: repository, commit, with documentation or without."""
    return question["repo"], question["commit"], not question["set"].startswith("doc")


def average(rows: Iterable[dict[str, float]], measure: str) -> float | None:
    """In percent; None where no question has it."""
    values = [row[measure] for row in rows if measure in row]
    return 100 * sum(values) / len(values) if values else None
