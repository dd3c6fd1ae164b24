"""How fast notes are found: makes a folder of notes like real ones, then times what commands do with it.

    .venv/bin/python benchmarks/search/speed.py [--notes 10000] [--whoosh]

CPU seconds are this process's own; milliseconds are medians of wall time.
"""

from __future__ import annotations

import argparse
import gc
import itertools
import os
import random
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from scoutkit import config, git
from scoutkit.knowledge.notebook import Notebook
from scoutkit.model.found import Hit
from scoutkit.search.catalogue import Catalogue
from scoutkit.search.fulltext import Fulltext

NOUNS = """
session cookie token request response header middleware router handler signer verifier cache queue worker job retry
timeout limit budget parser lexer grammar scope symbol index catalogue journal transaction lock schema migration table
column query cursor pool connection socket stream buffer chunk frame packet codec encoder decoder template renderer
layout theme widget button form field validator error exception traceback logger metric span tracer exporter plugin hook
registry config setting option flag environment secret key certificate
"""
VERBS = """
signs verifies parses renders stores loads caches retries limits validates rejects accepts splits joins merges sorts
filters maps wraps opens closes locks releases schedules cancels dispatches collects checks rewrites
"""
PLAIN = """
the a this that each every only when where before after because although which then again never always first last same
other whole given until unless instead without within between during against through
"""
HAN = "会话签名验证缓存队列请求响应错误日志配置数据库连接模块函数测试用户权限路由"


class Corpus:
    """Notes of 300 to 900 words with identifiers, citations, headings, fences and some Chinese.

    Words are as common as in real text: the r-th is used 1/r as often as the first. The first is in nearly every note.
    """

    def __init__(self, seed: int = 7) -> None:
        self.random = random.Random(seed)
        syllables = ["ka", "lo", "mi", "ra", "ten", "vor", "sul", "pim", "dex", "qua", "ner", "tis", "gol", "bre"]
        made = ["".join(self.random.choices(syllables, k=self.random.randint(2, 4))) for _ in range(6000)]
        self.nouns = made[:200]
        for noun in NOUNS.split():
            self.nouns += [noun, *made[len(self.nouns) : len(self.nouns) + 9]]
        self.nouns += made[len(self.nouns) :]
        self.weights = list(itertools.accumulate(1 / rank for rank in range(3, len(self.nouns) + 3)))
        self.verbs, self.plain = VERBS.split(), PLAIN.split()

    def words(self, count: int) -> list[str]:
        return self.random.choices(self.nouns, cum_weights=self.weights, k=count)

    def name(self) -> str:
        parts = self.words(self.random.randint(2, 3))
        return "_".join(parts) if self.random.random() < 0.5 else parts[0] + "".join(map(str.title, parts[1:]))

    def path(self) -> str:
        return f"src/{'/'.join(self.words(3))}.py"

    def sentence(self) -> str:
        words = []
        for noun in self.words(self.random.randint(8, 22)):
            dice = self.random.random()
            pool = self.plain if dice < 0.5 else self.verbs if dice < 0.6 else [noun]
            words.append(self.random.choice(pool))
        if self.random.random() < 0.3:
            words.insert(len(words) // 2, f"`{self.name()}`")
        if self.random.random() < 0.25:
            start = self.random.randint(1, 400)
            words.append(f"(`{self.path()}:{start}-{start + 12}`)")
        if self.random.random() < 0.03:
            words.append("".join(self.random.choices(HAN, k=8)))
        return " ".join(words).capitalize() + "."

    def note(self, number: int) -> str:
        first, second, third = self.words(3)
        verb = self.random.choice(self.verbs)
        citations = [(self.path(), self.random.randint(1, 400)) for _ in range(8)]
        lines = [
            "---",
            f"id: n{number:07d}",
            f"type: {self.random.choice(['ask', 'ask', 'scout', 'note'])}",
            f"title: {first.title()} {verb} the {second} of {third}",
            f"description: {self.sentence()!r}",
            f"question: Where is the {second} that {verb} {third}?",
            f"tags: [{first}, {second}]",
            "status: stable",
            f"commit: {self.random.randbytes(20).hex()}",
            f"generated: {{by: builtin/0.1, at: 2026-0{self.random.randint(1, 9)}-1{self.random.randint(0, 9)}}}",
            "citations:",
            *(f"- {{at: '{path}:{start}-{start + 9}', verdict: supported}}" for path, start in citations),
            "---",
            "",
        ]
        words = self.random.randint(300, 900)
        while words > 0:
            lines.append(f"## {self.words(1)[0].title()}\n")
            for _ in range(self.random.randint(2, 5)):
                sentence = self.sentence()
                words -= sentence.count(" ") + 1
                lines.append(f"{sentence}\n")
        return "\n".join(lines)


QUERIES = {
    "one word": "certificate",
    "two common words": "session cookie",
    "a question": "Where is the session cookie that the middleware verifies and who rejects it?",
    "camel case": "sessionCookie",
    "snake case": "session_cookie",
    "a phrase": '"session cookie"',
    "a path": "src/session/cookie",
    "Chinese": "签名",
    "words nobody wrote": "zzxx yyqq",
    "misspelt words": "sesion cokie",
    "eight misspelt words": "sesion cokie midleware certifcate signatur rendrer catalgue jornal",
    "signs": "☃ =>",
    "ten words": " ".join(NOUNS.split()[:10]),
}


def drawn(corpus: Corpus, count: int = 500) -> list[str]:
    """Queries as people and programs write them, of the notes' own words: 1-3 words, questions, identifiers, paths."""
    found = []
    for number in range(count):
        words = corpus.words(corpus.random.randint(1, 3) if number % 2 else corpus.random.randint(4, 12))
        odd = {0: corpus.name(), 1: corpus.path(), 2: f'"{words[0]} {words[-1]}"', 3: f"Where is the {words[0]} kept?"}
        found.append(odd.get(number % 10, " ".join(words)))
    return found


def percentiles(find: Callable[[str], object], queries: Sequence[str]) -> str:
    """Of the milliseconds of CPU that each query takes; and of wall time, which says how busy the machine was too."""
    taken = []
    for query in queries:
        wall_began, began = time.perf_counter(), time.thread_time()
        find(query)
        taken.append((time.thread_time() - began, time.perf_counter() - wall_began))
    parts = []
    for name, column in (("CPU", 0), ("wall", 1)):
        times = sorted(one[column] * 1000 for one in taken)
        parts.append(f"{name} p50 {times[len(times) // 2]:.1f}, p95 {times[len(times) * 95 // 100]:.1f} ms")
    return "; ".join(parts)


def cpu(act: Callable[[], object]) -> float:
    before = time.process_time()
    act()
    return time.process_time() - before


def wall(act: Callable[[], object], times: int = 15) -> tuple[float, float]:
    """Median and worst of so many, in ms."""
    taken = []
    for _ in range(times):
        before = time.perf_counter()
        act()
        taken.append((time.perf_counter() - before) * 1000)
    return statistics.median(taken), max(taken)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--notes", type=int, default=10_000)
    parser.add_argument("--whoosh", action="store_true", help="also time the Whoosh index")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="scoutkit-search-") as name:
        run(Path(name), options.notes, whoosh=options.whoosh)


def run(where: Path, notes: int, *, whoosh: bool) -> None:
    corpus = Corpus()
    subprocess.run(["git", "init", "-q", str(where)], check=True)
    folder = where / config.NOTES
    folder.mkdir(parents=True)
    old = time.time() - 60
    for number in range(notes):
        path = folder / f"2026-01-01-note-{number}.md"
        path.write_text(corpus.note(number))
        os.utime(path, (old, old))
    places = config.places(git.discover(where), config.Settings())
    notebook = Notebook(places)
    catalogue = Catalogue(places.catalogue)
    print(f"{notes} notes")
    print(f"{'first sync':32}{cpu(lambda: catalogue.sync(notebook)):8.2f} CPU s")
    print(f"{'catalogue':32}{catalogue.path.stat().st_size / 1e6:8.1f} MB")
    gc.set_threshold(100_000)  # as every command does
    gc.freeze()
    tell("sync, nothing changed", lambda: catalogue.sync(notebook))
    for kind, text in QUERIES.items():
        tell(f"search: {kind}", lambda text=text: catalogue.search(text))
    queries = drawn(corpus)
    for limit in (10, 20):
        found = percentiles(lambda text, limit=limit: catalogue.search(text, limit=limit), queries)
        print(f"{f'500 queries, {limit} hits':32}{found}")
    tell("search: with filters", lambda: catalogue.search("session", types=["scout"], tags=["cookie"]))
    tell("list, 20 newest", lambda: catalogue.list(limit=20))
    tell("what cites a folder", lambda: catalogue.citing(["src/session"]))
    paragraph = corpus.note(notes)
    tell("notes like a paragraph", lambda: catalogue.like(paragraph))
    tell("notes that say the same", lambda: catalogue.much_like(paragraph))
    tell("resolve an id", lambda: catalogue.resolve("n0000077"))
    tell("resolve a slug", lambda: catalogue.resolve("note-77"))

    def edit() -> list[Hit]:
        path.write_text(corpus.note(notes - 1))
        catalogue.sync(notebook)
        return catalogue.search("session cookie")

    tell("search after editing one note", edit)
    if whoosh:
        fulltext = Fulltext(where / "whoosh", catalogue)
        print(f"{'Whoosh: fill':32}{cpu(fulltext.update):8.2f} CPU s")
        tell("Whoosh: did you mean", lambda: fulltext.suggest("sesion cokie"))
        tell("Whoosh: nothing is like it", lambda: fulltext.suggest("xyzzyq"))
        tell("Whoosh: related", lambda: fulltext.related("n0000077"))
        edit()
        print(f"{'Whoosh: follow one edit':32}{cpu(fulltext.update):8.2f} CPU s")


def tell(what: str, act: Callable[[], object]) -> None:
    middle, worst = wall(act)
    answer = act()
    count = f"{len(answer)} hits" if isinstance(answer, list) else ""
    print(f"{what:32}{middle:8.1f} ms, worst {worst:6.1f}  {count}")


if __name__ == "__main__":
    main()
