"""How often a question of why finds the comment that answers it, and what that costs.

    python benchmarks/questions/whys.py CLONE… [--each N] [--seed N] [--half]

From each clone's comments in source files, N sentences that say `… because …` (or since, otherwise, so that, to
avoid) are drawn; what stands before that word is asked, *Why …?*, and the lines of the sentence are right. `--half`:
with every second word of it left out. The question has the comment's own words, so this is easier than what people
ask; it tells whether of all comments the right one is told, and told first.
"""

from __future__ import annotations

import argparse
import random
import re
import time
from collections.abc import Iterator
from pathlib import Path

from clones import indexed

from scoutkit.agents.builtin.indexing.paths import Role, role_of
from scoutkit.agents.builtin.ranking.question import understand
from scoutkit.agents.builtin.ranking.rank import rank
from scoutkit.agents.builtin.reporting.code import Code
from scoutkit.agents.builtin.reporting.comments import sentences
from scoutkit.agents.builtin.reporting.looks import prose
from scoutkit.agents.builtin.reporting.reasons import reasons
from scoutkit.languages import language_of
from scoutkit.snapshot import Snapshot

GIVES = re.compile(r"^(.{25,140}?),? (?:because|since|otherwise|so that|to avoid)\b .{10,}")
WORDS = 5  # of a question at least
SHOWN = 5


def main() -> None:
    """A line a clone, then all of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clones", nargs="+", type=Path)
    parser.add_argument("--each", type=int, default=40)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--half", action="store_true")
    chosen = parser.parse_args()
    print(
        "| clone | questions | first | in the first five | sure and wrong | ms a question |\n|---|---|---|---|---|---|"
    )
    every: list[tuple[int | None, bool, float]] = []
    for clone in chosen.clones:
        found = list(_asked(clone, chosen.each, random.Random(chosen.seed), half=chosen.half))
        every += found
        _row(clone.resolve().name, found)
    _row("all", every)


def _asked(clone: Path, each: int, chance: random.Random, *, half: bool) -> Iterator[tuple[int | None, bool, float]]:
    """Which of the reasons is right, counted from 0; whether the first is called sure; CPU milliseconds."""
    with indexed(clone) as (snapshot, index):
        known = list(_sentences(snapshot, index.paths))
        for path, start, end, clause in chance.sample(known, min(each, len(known))):
            words = clause.split()
            asked = " ".join(words[::2] if half else words)
            begin = time.process_time()
            question = understand(f"Why {asked}?", project=clone.name)
            told = reasons(Code(index, snapshot), question, rank(index, question, read=snapshot.text), most=SHOWN)
            spent = (time.process_time() - begin) * 1000
            right = (one.cited.path == path and one.cited.start <= end and start <= one.cited.end for one in told)
            yield next((at for at, hit in enumerate(right) if hit), None), bool(told and told[0].sure), spent


def _sentences(snapshot: Snapshot, paths: list[str]) -> Iterator[tuple[str, int, int, str]]:
    seen: set[str] = set()
    for path in paths:
        if role_of(path) is not Role.SOURCE or prose(path) or not language_of(path):
            continue
        for one in sentences(snapshot.lines(path) or [], language_of(path)):
            found = GIVES.match(one.text)
            if found and len(found[1].split()) >= WORDS and found[1] not in seen:
                seen.add(found[1])
                yield path, one.start, one.end, found[1]


def _row(name: str, found: list[tuple[int | None, bool, float]]) -> None:
    if found:
        share = 100 / len(found)
        first = share * sum(at == 0 for at, *_ in found)
        five = share * sum(at is not None for at, *_ in found)
        wrong = share * sum(sure and at != 0 for at, sure, _ in found)
        spent = sum(ms for *_, ms in found) / len(found)
        print(f"| {name} | {len(found)} | {first:.0f} | {five:.0f} | {wrong:.0f} | {spent:.0f} |", flush=True)


if __name__ == "__main__":
    main()
