"""How long pages take with many notes: makes a repository of files, notes and checks, and asks for its pages.

    .venv/bin/python benchmarks/browse.py [--notes 10000] [--keep FOLDER] [--chromium]

Of each page: milliseconds until the answer is read, median and most of ten after one that does not count, and the CPU
that the server and what it starts took for one. `--chromium` adds the first paint, median of five. `--keep` uses a
folder that is there, or leaves one.
"""

from __future__ import annotations

import argparse
import http.client
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import psutil

sys.path.insert(0, str(Path(__file__).parent / "search"))
from speed import Corpus

from scoutkit import git
from scoutkit.desk import Desk
from scoutkit.search.sync import Seen

FILES, LINES = 400, 450
ROUNDS = 10


class Bookshelf(Corpus):
    """Notes that cite files that are there, at one commit."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.files: list[str] = []
        self.commit = ""

    def path(self) -> str:
        return self.random.choice(self.files)

    def note(self, number: int) -> str:
        text = re.sub(r"(?m)^commit: .*", f"commit: {self.commit}", super().note(number), count=1)
        return f"{text}\n## Open questions\n\n- Who calls `{self.name()}`?\n" if number % 10 == 0 else text


def build(root: Path, notes: int) -> None:
    """A repository of FILES files and so many notes, 8 citations each; a fifth of the notes no longer hold."""
    shelf = Bookshelf(7)
    call(root, "init", "-q", "-b", "main")
    for _ in range(FILES):
        path = root / Corpus.path(shelf)
        path.parent.mkdir(parents=True, exist_ok=True)
        body = (
            f"    {shelf.name()} = {shelf.name()}({shelf.name()}, {shelf.random.randint(0, 999)})" for _ in range(8)
        )
        path.write_text("".join(f"def {shelf.name()}():\n" + "\n".join(body) + "\n\n" for _ in range(LINES // 10)))
        shelf.files.append(path.relative_to(root).as_posix())
    call(root, "add", "src")
    call(root, "commit", "-q", "-m", "files")
    shelf.commit = git.resolve(git.discover(root), "HEAD")
    for path in shelf.files[: FILES // 10]:
        text = (root / path).read_text()
        (root / path).write_text("# a line more\n" + text.replace(" = ", " =  1 + ", 3))
    folder = root / ".claude/notes"
    folder.mkdir(parents=True)
    for number in range(notes):
        (folder / f"{number:05d}.md").write_text(shelf.note(number))
    desk = Desk.open(root)
    began = time.process_time()
    desk.sync()
    print(f"first sync: {time.process_time() - began:.1f} CPU s")
    dice = random.Random(3)
    holds = {hit.path: dice.random() > 0.2 for hit in desk.catalogue.list()}
    desk.ledger.checked(holds, "", {path: "src/a.py:1-2 is edited" for path, held in holds.items() if not held})
    desk.ledger.knows_head(shelf.commit)
    began = time.perf_counter()
    desk.fulltext.update()
    print(f"full-text index: {time.perf_counter() - began:.0f} s")


def call(root: Path, *args: str) -> None:
    who = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org"}
    who |= {name.replace("AUTHOR", "COMMITTER"): value for name, value in who.items()}
    subprocess.run(["git", *args], cwd=root, env={**os.environ, **who}, check=True)


@contextmanager
def serving(root: Path) -> Iterator[tuple[str, psutil.Process]]:
    """`scoutkit browse`, and its address."""
    command = [sys.executable, "-m", "scoutkit", "browse", "--no-open", "--port", "0"]
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        assert server.stdout
        try:
            yield server.stdout.readline().strip().rstrip("/"), psutil.Process(server.pid)
        finally:
            server.terminate()


def ask(address: str, path: str) -> tuple[float, int]:
    """Milliseconds until a page is read, and its bytes."""
    to = urlsplit(address)
    connection = http.client.HTTPConnection(str(to.hostname), to.port)
    began = time.perf_counter()
    connection.request("GET", path)
    answer = connection.getresponse()
    size = len(answer.read())
    took = (time.perf_counter() - began) * 1000
    assert answer.status == 200, (path, answer.status)
    connection.close()
    return took, size


def cpu(server: psutil.Process) -> float:
    return sum(server.cpu_times()[:4]) * 1000


def looking(root: Path) -> float:
    """CPU seconds of what every page does first: the least of ten."""
    seen: Seen = {}
    took = []
    for _ in range(12):
        began = time.process_time()
        desk = Desk.open(root)
        desk.catalogue.seen = seen
        desk.sync()
        desk.catalogue.close()
        took.append(time.process_time() - began)
    return min(took[2:])


def pages(root: Path) -> dict[str, str]:
    desk = Desk.open(root)
    note = desk.catalogue.list(limit=1)[0].id
    path = desk.ledger.overview(1).files[0].path
    return {
        "front": "/",
        "note": f"/note/{note}",
        "citation": f"/note/{note}/citation/3",
        "note for a prompt": f"/note/{note}/prompt.json",
        "search, nothing typed": "/find",
        "search, one word": "/find?q=certificate",
        "search, a question": "/find?q=Where+is+the+session+cookie+that+the+middleware+verifies",
        "search, a misspelt word": "/find?q=certifcate",
        "search, no longer hold": "/find?q=is%3Astale",
        "as one types": "/find/live?q=cert",
        "the most cited file": f"/file/{path}",
        "a folder": f"/file/{path.rsplit('/', 1)[0]}",
        "the largest folder": "/file/src",
        "runs": "/runs",
        "table of notes": "/scoutkit/notes",
        "table of citations": "/scoutkit/citations",
    }


def paint(address: str, paths: dict[str, str]) -> dict[str, float]:
    """First contentful paint of each page in chromium, in milliseconds: the median of five."""
    from playwright.sync_api import sync_playwright

    found: dict[str, float] = {}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        for name, path in paths.items():
            if path.endswith(".json") or "/live" in path:
                continue
            times = []
            for _ in range(5):
                page = browser.new_page()
                page.goto(address + path)
                while not (
                    seen := page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime")
                ):
                    page.wait_for_timeout(10)
                times.append(seen)
                page.close()
            found[name] = statistics.median(times)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", type=int, default=10_000)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--chromium", action="store_true")
    parser.add_argument("--pages", default="", help="only those whose name has this in it")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        root = chosen.keep or Path(temporary) / "repository"
        if not root.exists():
            root.mkdir(parents=True)
            build(root, chosen.notes)
        paths = {name: path for name, path in pages(root).items() if chosen.pages in name}
        print(f"load {os.getloadavg()[0]:.1f}; the look at the note files: {looking(root) * 1000:.0f} CPU ms")
        with serving(root) as (address, server):
            rows = {}
            for name, path in paths.items():
                ask(address, path)
                before = cpu(server)
                times = [ask(address, path) for _ in range(ROUNDS)]
                rows[name] = ([one for one, _ in times], (cpu(server) - before) / ROUNDS, times[0][1])
            painted = paint(address, paths) if chosen.chromium else {}
        print("| page | median ms | most ms | CPU ms | kB |" + (" first paint ms |" if painted else ""))
        print("|---|---|---|---|---|" + ("---|" if painted else ""))
        for name, (times, taken, size) in rows.items():
            row = f"| {name} | {statistics.median(times):.0f} | {max(times):.0f} | {taken:.0f} | {size / 1000:.0f} |"
            print(row + (f" {painted[name]:.0f} |" if name in painted else " |" if painted else ""))


if __name__ == "__main__":
    main()
