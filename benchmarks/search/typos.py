"""How often a typing error is mended to the word it was made of, on notes of real repositories.

    .venv/bin/python benchmarks/search/typos.py DIR [--times 600] [--seed 11]

DIR is what `pairs.py` wrote; all its notes are one catalogue. One or two words of a note's title get an error each: a
letter more, less, wrong, doubled or at another's place, two of these, or one at the first letter. What is found as it
stands is left out. MRR is that of the note, among ten.
"""

from __future__ import annotations

import argparse
import random
import re
import string
import tempfile
import time
from pathlib import Path

from scoutkit.model.found import Problem
from scoutkit.search.catalogue import Catalogue
from scoutkit.search.finding import find
from scoutkit.search.fulltext import Fulltext


class Notes:
    """All notes below a folder, as a catalogue's source."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def files(self) -> tuple[list[tuple[str, int, int]], tuple[Problem, ...]]:
        notes = sorted(self.folder.glob("*/notes/*.md"))
        stats = ((str(one.relative_to(self.folder)), one.stat()) for one in notes)
        return [(path, about.st_mtime_ns, about.st_size) for path, about in stats], ()

    def bytes_of(self, path: str) -> bytes:
        return (self.folder / path).read_bytes()


def misspelt(word: str, chance: random.Random) -> str:
    at = chance.randrange(1, len(word))
    letter, other = chance.choices(string.ascii_lowercase, k=2)
    swap = min(at, len(word) - 2)
    two = f"{word[:at]}{letter}{word[at + 1 :]}"
    gone = chance.randrange(1, len(word))
    return chance.choice(
        [
            f"{word[:at]}{letter}{word[at + 1 :]}",
            f"{word[:at]}{word[at + 1 :]}",
            f"{word[:at]}{letter}{word[at:]}",
            f"{word[:at]}{word[at - 1]}{word[at:]}",
            f"{word[:swap]}{word[swap + 1]}{word[swap]}{word[swap + 2 :]}",
            f"{two[:gone]}{two[gone + 1 :]}",
            chance.choice([word[1:], f"{other}{word[1:]}", f"{other}{word}", f"{word[1]}{word[0]}{word[2:]}"]),
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--times", type=int, default=600)
    parser.add_argument("--seed", type=int, default=11)
    asked = parser.parse_args()
    chance = random.Random(asked.seed)
    with tempfile.TemporaryDirectory(prefix="scoutkit-typos-") as name:
        catalogue = Catalogue(Path(name, "scoutkit.db"))
        catalogue.sync(Notes(asked.folder))
        fulltext = Fulltext(Path(name, "whoosh"), catalogue)
        fulltext.update()
        rows = catalogue.connection.execute("SELECT path, title FROM notes ORDER BY path").fetchall()
        tried = right = 0
        rank, taken = 0.0, list[float]()
        while tried < asked.times:
            path, title = chance.choice(rows)
            if not (words := [one.lower() for one in re.findall(r"[A-Za-z]{5,14}", title)]):
                continue
            meant = [chance.choice(words) for _ in range(chance.choice([1, 1, 2]))]
            typed = [misspelt(word, chance) for word in meant]
            began = time.thread_time()
            found = find(catalogue, fulltext, " ".join(typed), limit=10)
            took = (time.thread_time() - began) * 1000
            if any(one == other for one, other in zip(meant, typed, strict=True)) or (found.hits and not found.meant):
                continue
            tried += 1
            taken.append(took)
            right += found.meant == " ".join(meant)
            paths = [hit.path for hit in found.hits]
            rank += 1 / (paths.index(path) + 1) if path in paths else 0
    taken.sort()
    print(f"{len(rows):,} notes, {tried} texts: {right} mended to what was meant, MRR of the note {rank / tried:.3f}")
    print(f"CPU ms p50 {taken[len(taken) // 2]:.1f}, p95 {taken[len(taken) * 95 // 100]:.1f}")


if __name__ == "__main__":
    main()
