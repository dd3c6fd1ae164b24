"""How often the right note is found: grep, FTS5 alone, Whoosh alone and scoutkit on the same notes and questions.

    .venv/bin/python benchmarks/search/compare.py DIR [--only scoutkit] [--misses]

DIR is what `pairs.py` wrote. recall@k: a right note is among the first k. MRR: one over the rank of the first right one
among the first ten, 0 where there is none. Weights were tuned on one half of the folders, the other half was held out.
"""

from __future__ import annotations

import argparse
import collections
import functools
import hashlib
import json
import re
import sqlite3
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from scoutkit.model.found import Problem
from scoutkit.notefile import parse
from scoutkit.search.catalogue import Catalogue

Find = Callable[[str], Sequence[str]]
"""The first ten files for a question, best first."""

# The words of a question that grep and plain FTS5 are spared: with them both do worse. Whoosh has a list of its own.
_STOP = "a an and are as at be by can do does for from how if in is it its not of on or so the to what"
STOP = frozenset(re.findall(r"\w+", _STOP))


class Folder(NamedTuple):
    """A folder of notes with its questions, as a catalogue's source."""

    path: Path

    def files(self) -> tuple[Iterator[tuple[str, int, int]], Sequence[Problem]]:
        notes = sorted((self.path / "notes").glob("*.md"))
        return ((one.name, one.stat().st_mtime_ns, one.stat().st_size) for one in notes), ()

    def bytes_of(self, path: str) -> bytes:
        return (self.path / "notes" / path).read_bytes()

    def texts(self) -> Iterator[tuple[str, str, str]]:
        """File, title, and all that the note says besides: its text and what it cites."""
        for path in sorted((self.path / "notes").glob("*.md")):
            note = parse(path.read_bytes(), path.name).note
            yield path.name, note.title, f"{note.body}\n{' '.join(one.path for one in note.citations)}"

    def questions(self) -> list[dict[str, list[str] | str]]:
        return [json.loads(line) for line in (self.path / "questions.jsonl").read_text("utf-8").splitlines()]


def words(question: str) -> list[str]:
    found = list(dict.fromkeys(re.findall(r"\w+", question.lower())))
    return [word for word in found if word not in STOP] or found


def grep(folder: Folder, _: Path) -> Find:
    """Files with the most words of the question first, then those that have them most often."""

    @functools.cache
    def lines(word: str) -> dict[str, int]:
        command = ["grep", "-ciwF", "-e", word, "-r", "."]
        done = subprocess.run(command, cwd=folder.path / "notes", capture_output=True, check=False)
        counts = (line.rsplit(":", 1) for line in done.stdout.decode().splitlines())
        return {name.removeprefix("./"): int(count) for name, count in counts if count != "0"}

    def find(question: str) -> Sequence[str]:
        had: collections.Counter[str] = collections.Counter()
        often: collections.Counter[str] = collections.Counter()
        for word in words(question):
            had.update(lines(word).keys())
            often.update(lines(word))
        return sorted(had, key=lambda name: (-had[name], -often[name], name))[:10]

    return find


def fts5(folder: Folder, _: Path) -> Find:
    """One table of title and text, SQLite's own stemmer and bm25; any word is enough."""
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE t USING fts5(name UNINDEXED, title, body, tokenize='porter unicode61')")
    database.executemany("INSERT INTO t VALUES (?, ?, ?)", folder.texts())

    def find(question: str) -> Sequence[str]:
        expression = " OR ".join(f'"{word}"' for word in words(question))
        sql = "SELECT name FROM t WHERE t MATCH ? ORDER BY rank LIMIT 10"
        return [name for (name,) in database.execute(sql, [expression])] if expression else []

    return find


def whoosh(folder: Folder, where: Path) -> Find:
    """Title and text, Whoosh's stemming analyzer with its stop words, BM25F; any word is enough."""
    from whoosh.analysis import StemmingAnalyzer
    from whoosh.fields import ID, TEXT, Schema
    from whoosh.index import create_in
    from whoosh.qparser import MultifieldParser, OrGroup

    where.mkdir()
    schema = Schema(name=ID(stored=True), title=TEXT(StemmingAnalyzer()), body=TEXT(StemmingAnalyzer()))
    index = create_in(str(where), schema)
    with index.writer() as writer:
        for name, title, body in folder.texts():
            writer.add_document(name=name, title=title, body=body)
    parser = MultifieldParser(["title", "body"], schema, group=OrGroup)
    searcher = index.searcher()

    def find(question: str) -> Sequence[str]:
        query = parser.parse(" ".join(re.findall(r"\w+", question.lower())))
        return [hit["name"] for hit in searcher.search(query, limit=10)]

    return find


def scoutkit(folder: Folder, where: Path) -> Find:
    """What `scoutkit search` says."""
    where.mkdir()
    catalogue = Catalogue(where / "scoutkit.db")
    catalogue.sync(folder)
    return lambda question: [hit.path for hit in catalogue.search(question, limit=10)]


SYSTEMS = {"grep": grep, "FTS5 alone": fts5, "Whoosh alone": whoosh, "scoutkit": scoutkit}


def tuned(name: str) -> bool:
    """Is this folder of the half that weights were tuned on?"""
    return hashlib.sha256(name.encode()).digest()[0] % 2 == 0


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", choices=SYSTEMS)
    parser.add_argument(
        "--misses", action="store_true", help="list the questions of the tuned half that miss the first five"
    )
    options = parser.parse_args()
    ranks: dict[str, dict[tuple[bool, str], list[int]]] = {}
    for path in sorted(one.parent for one in options.folder.glob("*/questions.jsonl")):
        folder = Folder(path)
        for system in [options.only] if options.only else SYSTEMS:
            with tempfile.TemporaryDirectory() as name:
                find = SYSTEMS[system](folder, Path(name) / "index")
                for one in folder.questions():
                    found = find(str(one["question"]))
                    rank = next((at for at, file in enumerate(found, 1) if file in one["notes"]), 0)
                    ranks.setdefault(system, {}).setdefault((tuned(path.name), str(one["kind"])), []).append(rank)
                    if options.misses and tuned(path.name) and not 0 < rank <= 5:
                        print(path.name, one["notes"], rank, one["question"])
    for half, name in ((True, "tuned"), (False, "held out"), (None, "all")):
        print(f"\n{name:14} questions  recall@1  recall@5  recall@10    MRR")
        for system, groups in ranks.items():
            tell(system, [rank for (was, _), some in groups.items() if half in (was, None) for rank in some])
    print("\nby kind")
    for kind in sorted({kind for groups in ranks.values() for _, kind in groups}):
        print(kind)
        for system, groups in ranks.items():
            tell(system, [rank for (_, one), some in groups.items() if one == kind for rank in some])


def tell(system: str, ranks: Sequence[int]) -> None:
    count = max(len(ranks), 1)
    recall = [sum(0 < rank <= k for rank in ranks) / count for k in (1, 5, 10)]
    mrr = sum(1 / rank for rank in ranks if rank) / count
    print(f"{system:14}{len(ranks):9}{recall[0]:10.3f}{recall[1]:10.3f}{recall[2]:11.3f}{mrr:8.3f}")


if __name__ == "__main__":
    main()
