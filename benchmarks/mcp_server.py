"""How fast `scoutkit mcp` answers: a real server process, asked by the SDK's own client over stdio.

    .venv/bin/python benchmarks/mcp_server.py [--notes 10000] [--rounds 20]

Milliseconds. *Round trip*: what the client waits, its own checks of the answer included. *Server side*: the same
question answered in this process, from the look whether notes changed to the measured answer, without the protocol.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from mcp import Client
from mcp.client.stdio import StdioServerParameters

sys.path.insert(0, str(Path(__file__).parent / "search"))

from speed import QUERIES, Corpus  # type: ignore[import-not-found]

from scoutkit import config
from scoutkit.serving import answers
from scoutkit.serving.budget import Budget
from scoutkit.serving.library import Library


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--notes", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=20, help="times that each query is asked")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="scoutkit-mcp-") as name:
        os.environ["HOME"] = name
        corpus = Corpus()
        repository = filled(Path(name, "repository"), corpus, options.notes)
        subprocess.run([sys.executable, "-m", "scoutkit", "index"], cwd=repository, check=True, capture_output=True)
        asyncio.run(ask(repository, corpus, options.notes, options.rounds))


def filled(where: Path, corpus: Any, notes: int) -> Path:
    """A repository with so many notes, written a minute ago."""
    folder = where / config.NOTES
    folder.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", where], check=True)
    old = time.time() - 60
    for number in range(notes):
        path = folder / f"2026-01-01-note-{number}.md"
        path.write_text(corpus.note(number))
        os.utime(path, (old, old))
    return where


async def called(client: Client, name: str, **given: Any) -> float:
    """Milliseconds until a good answer."""
    before = time.perf_counter()
    result = await client.call_tool(name, given)
    assert not result.is_error, result.content
    return (time.perf_counter() - before) * 1000


async def ask(repository: Path, corpus: Any, notes: int, rounds: int) -> None:
    server = StdioServerParameters(
        command=sys.executable, args=["-m", "scoutkit", "mcp"], cwd=repository, env=dict(os.environ)
    )
    began = time.perf_counter()
    async with Client(server) as client:
        started = time.perf_counter() - began
        print(f"{notes:,} notes; the server answers {started:.2f} s after its start")
        print(f"{'search_notes':28}{'round trip':>22}{'server side':>22}")
        library = Library(repository, here=False, tell=print)
        budget = Budget(8_000)
        library.desk()
        here, there = dict[str, list[float]](), dict[str, list[float]]()
        for kind, query in turns(rounds):
            there.setdefault(kind, []).append(await called(client, "search_notes", query=query))
            before = time.perf_counter()
            answers.search(library.desk(), {"query": query}, budget)
            here.setdefault(kind, []).append((time.perf_counter() - before) * 1000)
        for kind in QUERIES:
            tell(kind, there[kind][1:], here[kind][1:])
        each = ([one for kind in QUERIES for one in times[kind][1:]] for times in (there, here))
        tell("all of these", *each)
        tell("the first of each", [times[0] for times in there.values()], [times[0] for times in here.values()])

        path = repository / config.NOTES / "2026-01-01-note-0.md"
        changed = []
        for _ in range(5):
            path.write_text(corpus.note(0))
            changed.append(await called(client, "search_notes", query="session cookie"))
        tell("after a note changed", changed)
        for name, given in (
            ("read_note", {"note": "n0000077"}),
            ("notes_about", {"path": "src/session"}),
            ("check_note", {"note": "n0000077"}),
            ("pack_notes", {"task": "reject the session cookie that the middleware verifies"}),
        ):
            times = [await called(client, name, **given) for _ in range(6)]
            tell(name, times[1:])
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"memory of the server at most {used.ru_maxrss / 1024:.0f} MB")


def turns(rounds: int) -> Iterator[tuple[str, str]]:
    for _ in range(rounds + 1):
        yield from QUERIES.items()


def tell(what: str, *columns: list[float]) -> None:
    shown: Callable[[list[float]], str] = lambda times: (  # noqa: E731
        f"{statistics.median(times):7.1f}, p95 {sorted(times)[int(len(times) * 0.95)]:6.1f}"
    )
    print(f"{what:28}" + "".join(f"{shown(times):>22}" for times in columns))


if __name__ == "__main__":
    main()
