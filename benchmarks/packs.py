"""How fast a pack is made, cold: notes whose lines moved and changed since, each command a process of its own.

    python benchmarks/packs.py [--notes 3000] [--scoutkit PROGRAM] [--keep FOLDER]
    python benchmarks/packs.py --tokens FILE...

The second says how far the approximation is from the tokenizer.

Makes a repository of 300 files with 120 commits, and notes of 300 to 900 words that were written at any of them, with
eight citations each. Milliseconds are wall time: the best and the median of so many runs. `--scoutkit` names a program
that was installed as a user would (`pip install .` in an environment of its own); by default the one beside this
Python.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from scoutkit import config, git, notefile
from scoutkit.anchors import anchor
from scoutkit.model.notes import Citation, Note, Verdict
from scoutkit.reuse import tokens
from scoutkit.snapshot import Snapshot

FILES, COMMITS, CITED, RUNS = 300, 120, 8, 21
_WORDS = """
session cookie token request response header middleware router handler signer verifier cache queue worker job retry
timeout limit budget parser lexer grammar scope symbol index catalogue journal transaction lock schema migration table
column query cursor pool connection socket stream buffer chunk frame packet codec encoder decoder template renderer
layout theme widget button form field validator error exception traceback logger metric span tracer exporter plugin hook
"""
_PLAIN = "the a this each only when where before after because which then again always first last other until and"
WORDS, PLAIN = _WORDS.split(), _PLAIN.split()
TASKS = {
    "a sentence": "retry the request when the session token is rejected by the router",
    "a long task": " ".join(WORDS[::2]),
    "two words": "session cookie",
}


class Made:
    """The repository, and what stands in it at each commit."""

    def __init__(self, folder: Path, seed: int = 7) -> None:
        self.folder, self.random = folder, random.Random(seed)
        self.files = {f"src/{one}/{other}_{n}.py": self._file() for n in range(FILES) for one, other in [self._pair()]}
        self.commits: list[str] = []

    def _pair(self) -> tuple[str, str]:
        one, other = self.random.sample(WORDS, 2)
        return one, other

    def _function(self) -> list[str]:
        one, other = self._pair()
        body = [f"    {a} = {b}.{c}({n})" for n in range(self.random.randint(4, 12)) for a, b, c in [self._three()]]
        return [f"def {one}_{other}_{self.random.randint(1, 99)}({one}, {other}):", *body, f"    return {one}", "", ""]

    def _three(self) -> list[str]:
        return self.random.sample(WORDS, 3)

    def _file(self) -> list[str]:
        return [line for _ in range(10) for line in self._function()]

    def history(self) -> None:
        self._git("init", "-q", "-b", "main")
        for number in range(COMMITS):
            touched = list(self.files) if number == 0 else self.random.sample(sorted(self.files), 6)
            for path in touched if number else ():
                lines = self.files[path]
                at = self.random.randrange(len(lines) // 2)
                if self.random.random() < 0.6:
                    lines[at:at] = self._function()
                else:
                    a, b, c = self._three()
                    lines[at] = f"    {a} = {b}.{c}()"
            for path in touched:
                file = self.folder / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text("\n".join(self.files[path]) + "\n")
            self._git("add", ".")
            self._git("-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-q", "-m", f"step {number}")
            self.commits.append(self._git("rev-parse", "HEAD").strip())

    def _git(self, *args: str) -> str:
        return git.output(self.folder, *args)

    def notes(self, count: int) -> None:
        folder = self.folder / ".claude/notes"
        folder.mkdir(parents=True)
        for start, commit in enumerate(self.commits):
            with Snapshot(self.folder, commit) as snapshot:
                for number in range(start, count, len(self.commits)):
                    note = self._note(number, commit, snapshot)
                    (folder / f"2026-11-01-note-{number}.md").write_bytes(notefile.render(notefile.settled(note)))

    def _note(self, number: int, commit: str, snapshot: Snapshot) -> Note:
        citations, said = [], []
        for path in self.random.sample(sorted(self.files), CITED):
            lines = snapshot.lines(path) or []
            begins = [at for at, line in enumerate(lines, 1) if line.startswith("def ")]
            begin = self.random.choice(begins)
            name = lines[begin - 1][4:].partition("(")[0]
            end = next(at for at in range(begin, len(lines) + 1) if lines[at - 1].startswith("    return"))
            citations.append(Citation(path, begin, end, Verdict.SUPPORTED, name))
            said.append(f"`{name}` {self._sentence()} (`{path}:{begin}-{end}` ✓).")
        one, other = self._pair()
        title = f"The {one} {self._sentence()}"
        parts = [f"# {title}", self._paragraph()]
        for at in range(0, CITED, 2):
            parts += [f"## {self._three()[0].title()}", f"{said[at]} {self._paragraph()}", said[at + 1]]
        return Note(
            id=f"n{number:07d}",
            title=title,
            description=self._sentence(),
            body="\n\n".join(parts) + "\n",
            type="ask",
            question=f"Where does the {one} meet the {other} {number}?",
            commit=commit,
            by="claude/2.1.240",
            at="2026-11-01T12:00:00+00:00",
            citations=tuple(citations),
            anchors=tuple(made for one_of in citations if (made := anchor.make(one_of, snapshot))),
        )

    def _sentence(self) -> str:
        return " ".join(
            self.random.choice(PLAIN if self.random.random() < 0.5 else WORDS)
            for _ in range(self.random.randint(6, 12))
        )

    def _paragraph(self) -> str:
        return " ".join(f"{self._sentence().capitalize()}." for _ in range(self.random.randint(4, 9)))


@contextlib.contextmanager
def forgotten(folder: Path) -> Iterator[None]:
    """Nothing is remembered of verdicts and counted paragraphs."""
    counted = config.user_cache() / "tokens/cl100k_base-1.counted"
    kept = {one: one.with_suffix(".kept") for one in (folder / ".git/scoutkit/followed.db", counted)}
    for one, other in kept.items():
        one.rename(other)
    yield
    for one, other in kept.items():
        other.replace(one)


@contextlib.contextmanager
def pulled(folder: Path) -> Iterator[None]:
    """A commit has come that moves lines in six files."""
    for path in random.sample(sorted(folder.glob("src/**/*.py")), 6):
        path.write_text(f"# {time.time()}\n{path.read_text()}")
    git.output(folder, "-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-qam", "one more")
    yield


AFTER: dict[str, Callable[[Path], contextlib.AbstractContextManager[None]]] = {
    "the first pack after a commit that moves lines in six files": pulled,
    "the first pack of all, nothing remembered": forgotten,
}


def timed(commands: dict[str, list[str | Path]], folder: Path) -> dict[str, tuple[float, float]]:
    """Best and median of each command's wall time, in ms. They take turns, so that all see the same machine."""
    taken: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(RUNS):
        for name, command in commands.items():
            with AFTER.get(name, contextlib.nullcontext)(folder):
                begin = time.perf_counter()
                done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
                taken[name].append(1000 * (time.perf_counter() - begin))
            assert done.returncode in (0, 1), done.stderr.decode()
    return {name: (min(times), statistics.median(times)) for name, times in taken.items()}


def tokens_of(files: list[Path]) -> None:
    exact = tokens.tokenizer()
    print(f"| files | {exact.name} | approximation: least | mean | most |\n|---|---|---|---|---|")
    kinds: dict[str, list[tuple[int, float]]] = {}
    for file in files:
        text = file.read_text("utf-8", "replace")
        if count := exact.count(text):
            kinds.setdefault(file.suffix, []).append((count, tokens.approximate(text) / count))
    for kind, found in kinds.items():
        rates = [rate for _, rate in found]
        total = sum(count for count, _ in found)
        said = f"{min(rates):.2f} | {statistics.mean(rates):.2f} | {max(rates):.2f}"
        print(f"| {len(found)} `{kind}` | {total:,} | {said} |")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--notes", type=int, default=3000)
    parser.add_argument("--scoutkit", type=Path, default=Path(sys.executable).with_name("scoutkit"))
    parser.add_argument("--keep", type=Path, help="a folder for the repository, which is used again where it is there")
    parser.add_argument("--tokens", type=Path, nargs="+", help="files whose tokens are counted in both ways")
    asked = parser.parse_args()
    if asked.tokens:
        tokens_of(asked.tokens)
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = asked.keep or Path(temporary) / "repository"
        os.environ["XDG_CACHE_HOME"] = os.environ["XDG_STATE_HOME"] = str(folder.parent / "cache")
        if not (folder / ".git").is_dir():
            folder.mkdir(parents=True)
            made = Made(folder)
            made.history()
            made.notes(asked.notes)
        program = asked.scoutkit.absolute()
        subprocess.run([program, "index"], cwd=folder, check=False, capture_output=True)
        laid_out = config.user_cache() / "tokens/cl100k_base-1.db"
        subprocess.run([program.with_name("python"), "-m", "scoutkit.reuse.vocabulary"], check=True)
        assert laid_out.exists()
        python = program.with_name("python")
        first, task = [program, "pack"], TASKS["a sentence"]
        commands: dict[str, list[str | Path]] = {
            '`python -c "import click, sqlite3"`': [python, "-c", "import click, sqlite3"],
            "search": [program, "search", task],
            **{f"pack, {name}": [*first, text, "--json"] for name, text in TASKS.items()},
            "pack, a sentence, `--code`": [*first, task, "--json", "--code"],
            **{name: [*first, task, "--json"] for name in AFTER},
        }
        found = timed(commands, folder)
        base = next(iter(found.values()))[1]
        print(f"| {asked.notes:,} notes | best ms | median ms | × the first |\n|---|---|---|---|")
        for name, (best, median) in found.items():
            print(f"| {name} | {best:.0f} | {median:.0f} | {median / base:.1f} |")


if __name__ == "__main__":
    main()
