"""How often a question for a setting finds the one whose documentation says what was asked, and what that costs.

    python benchmarks/questions/settings.py CLONE… [--each N] [--seed N] [--half] [--named]

From each clone's documented fields of option types, N are drawn; the words that say something in the first sentence of
what is said of one are asked, *Which setting …?*, without those of its name (with them: `--named`), and its line is
right. `--half`: every second of these words. A sentence that is said of several is not asked for. The questions have
the documentation's own words, so this is easier than what people ask; without those of the name it is harder.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Iterator
from pathlib import Path

from clones import indexed

from scoutkit.agents.builtin.indexing import terms
from scoutkit.agents.builtin.indexing.paths import Role, role_of
from scoutkit.agents.builtin.ranking.question import understand
from scoutkit.agents.builtin.ranking.rank import rank
from scoutkit.agents.builtin.reporting.code import Code
from scoutkit.agents.builtin.reporting.comments import plain
from scoutkit.agents.builtin.reporting.fields import documented
from scoutkit.agents.builtin.reporting.kinds import asked_for
from scoutkit.agents.builtin.reporting.knobs import knobs
from scoutkit.agents.builtin.reporting.nearby import nearest_words
from scoutkit.languages import language_of
from scoutkit.snapshot import Snapshot

WORDS = 4  # of a question at least
SHOWN = 6
READ = (Role.SOURCE, Role.TYPES)


def main() -> None:
    """A line a clone, then all of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clones", nargs="+", type=Path)
    parser.add_argument("--each", type=int, default=40)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--half", action="store_true")
    parser.add_argument("--named", action="store_true")
    parser.add_argument("--show", action="store_true", help="each question that is not answered first")
    chosen = parser.parse_args()
    print("| clone | questions | first | in the list | ms a question |\n|---|---|---|---|---|")
    every: list[tuple[int | None, float]] = []
    for clone in chosen.clones:
        found = list(_asked(clone, chosen, random.Random(chosen.seed)))
        every += found
        _row(clone.resolve().name, found)
    _row("all", every)


def _asked(clone: Path, chosen: argparse.Namespace, chance: random.Random) -> Iterator[tuple[int | None, float]]:
    """Which of the settings is right, counted from 0; CPU milliseconds."""
    with indexed(clone) as (snapshot, index):
        known = list(_fields(snapshot, index.paths, named=chosen.named))
        for path, line, words in chance.sample(known, min(chosen.each, len(known))):
            asked = f"Which setting {' '.join(words[::2] if chosen.half else words)}?"
            begin = time.process_time()
            question = understand(asked, project=clone.name)
            ranking = rank(index, question, read=snapshot.text)
            near = dict(nearest_words(index, snapshot, ranking.absent))
            asking = {term for word, held in question.said.items() if not asked_for(word) for term in held}
            meant = question.counts.keys() - asking
            told = knobs(Code(index, snapshot), question, ranking, meant, near, most=SHOWN)
            spent = (time.process_time() - begin) * 1000
            right = [one.cited.path == path and one.cited.start == line for one in told]
            if chosen.show and not any(right[:1]):
                print(f"    {asked} {path}:{line}: {[f'{one.name} {one.cited.place}' for one in told[:3]]}")
            yield next((at for at, hit in enumerate(right) if hit), None), spent


def _fields(snapshot: Snapshot, paths: list[str], *, named: bool) -> Iterator[tuple[str, int, list[str]]]:
    """Path and line of a field, and the words that are asked for it."""
    rows = [
        (path, one)
        for path in paths
        if role_of(path) in READ and language_of(path)
        for one in documented(snapshot.lines(path) or [], language_of(path))
    ]
    said: dict[str, int] = {}
    for _, one in rows:
        said[one.says] = said.get(one.says, 0) + 1
    for path, one in rows:
        own = set() if named else {term for word in terms.raw(one.name) for term in terms.expand(word)}
        kept = " ".join(word for word in terms.raw(plain(one.says)) if own.isdisjoint(terms.expand(word)))
        words = [word for word in understand(kept).said if asked_for(word)]
        if said[one.says] == 1 and len(words) >= WORDS:
            yield path, one.line, words


def _row(name: str, found: list[tuple[int | None, float]]) -> None:
    if found:
        share = 100 / len(found)
        first = share * sum(at == 0 for at, _ in found)
        listed = share * sum(at is not None for at, _ in found)
        spent = sum(ms for _, ms in found) / len(found)
        print(f"| {name} | {len(found)} | {first:.0f} | {listed:.0f} | {spent:.0f} |", flush=True)


if __name__ == "__main__":
    main()
