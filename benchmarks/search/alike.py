"""Whether near-duplicates are told from other notes: rewrites notes at random and asks for what is much like them.

    .venv/bin/python benchmarks/search/alike.py DIR…

DIR is what `pairs.py` wrote; 15 notes of each folder. A rewritten note lacks 15 % of the words, has its sentences in
another order and one more. Milliseconds are of CPU.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from pathlib import Path

from compare import Folder

from scoutkit.search.catalogue import Catalogue

NOTES = 15


def main() -> None:
    chance = random.Random(1)
    found, others, taken = 0, 0, []
    total = 0
    for name in sys.argv[1:]:
        for path in sorted(one.parent for one in Path(name).glob("*/questions.jsonl")):
            with tempfile.TemporaryDirectory() as state:
                catalogue = Catalogue(Path(state) / "scoutkit.db")
                catalogue.sync(Folder(path))
                rows = catalogue.connection.execute("SELECT path, title, body FROM notes ORDER BY key").fetchall()
                for file, title, body in chance.sample(rows, min(NOTES, len(rows))):
                    began = time.thread_time()
                    like = catalogue.much_like(f"{title}\n{body}", without={file})
                    taken.append((time.thread_time() - began) * 1000)
                    others += bool(like)
                    total += 1
                    found += file in [hit.path for hit in catalogue.much_like(rewritten(body, chance))]
                    for hit in like:
                        print(f"{path.name}: {file} is much like {hit.path}: {hit.score:.2f}")
    taken.sort()
    print(f"{total} notes: {found / total:.1%} of the rewritten found; {others} have another that is much like them")
    print(f"p50 {taken[len(taken) // 2]:.1f}, worst {taken[-1]:.1f} ms")


def rewritten(body: str, chance: random.Random) -> str:
    sentences = " ".join(word for word in body.split() if chance.random() > 0.15).split(". ")
    chance.shuffle(sentences)
    return ". ".join(sentences) + " This was found by looking at the code again."


if __name__ == "__main__":
    main()
