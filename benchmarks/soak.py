"""Everything on one catalogue for minutes: MCP servers, batches, an asker, an editor, a browser. Is anything lost?

    .venv/bin/python benchmarks/soak.py [--minutes 10] [--notes 300]

In a small repository: two `scoutkit mcp` servers, each with the SDK's client; one batch after the other with two runs
at a time; `scoutkit ask` after `scoutkit ask`; a person who writes, changes, renames and deletes note files, tags notes
and removes some; `scoutkit browse`, and somebody who looks at its pages and tables. A note that is on disk must be
found by each server's next call.
Exit code 1 where a lock error, a traceback, or a lost or doubled note was seen.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import random
import re
import signal
import socket
import statistics
import sys
import tempfile
import time
import urllib.request
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

sys.path.insert(0, str(Path(__file__).parent / "search"))
sys.path.insert(0, str(Path(__file__).parents[1] / "tests/contract"))

import stage  # type: ignore[import-not-found]
from speed import Corpus  # type: ignore[import-not-found]

_TROUBLE = re.compile(r"traceback \(most|locked|busy|malformed|corrupt|fault", re.IGNORECASE)
_SCOUTKIT = (sys.executable, "-m", "scoutkit")


@dataclass
class Soak:
    """What is going on, and what was seen. `known`: ids of notes that are on disk, by file."""

    where: Path
    home: Path
    until: float
    corpus: Any
    random: random.Random
    known: dict[str, Path] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)
    runs: list[str] = field(default_factory=list)
    taken: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    troubles: list[str] = field(default_factory=list)
    number: int = 0

    @property
    def over(self) -> bool:
        return time.monotonic() >= self.until

    @property
    def env(self) -> dict[str, str]:
        return {**os.environ, "HOME": str(self.home)}

    @property
    def notes(self) -> Path:
        return self.where / ".claude/notes"

    def trouble(self, who: str, said: str) -> None:
        self.troubles.append(f"{time.strftime('%X')} {who}: {said[:600]}")

    async def did(self, what: str, act: Awaitable[Any]) -> Any:
        began = time.perf_counter()
        done = await act
        self.taken[what].append((time.perf_counter() - began) * 1000)
        return done

    async def scoutkit(self, what: str, *args: str, codes: tuple[int, ...] = (0,)) -> Any:
        """A command's JSON; whatever it should not say is a trouble."""
        argv = (*_SCOUTKIT, "-C", str(self.where), *args)
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(*argv, stdout=pipe, stderr=pipe, env=self.env)
        out, err = await self.did(what, process.communicate())
        said = err.decode("utf-8", "replace")
        if process.returncode not in codes or _TROUBLE.search(said):
            self.trouble(what, f"exit {process.returncode}: {said}")
        with contextlib.suppress(ValueError):
            return json.loads(out)
        return {}

    # Who is at work

    async def editor(self) -> None:
        """A person with an editor, who is the only one to change what they wrote."""
        own: list[str] = []
        while not self.over:
            await asyncio.sleep(0.4)
            dice = self.random.random()
            if dice < 0.5 or len(own) < 5:
                self.number += 1
                name = f"m{self.number:07d}"
                path = self.notes / f"2026-11-30-{name}.md"
                path.write_text(self.note(name))
                self.known[name] = path
                own.append(name)
                continue
            name = self.random.choice(own)
            path = self.known[name]
            if dice < 0.7:
                path.write_text(f"{path.read_text()}\nMore of it: {self.corpus.sentence()}\n")
            elif dice < 0.8:
                self.known[name] = path.rename(path.with_name(f"r{self.number}-{path.name}"))
            elif dice < 0.9:
                await self.scoutkit("tag", "tag", name, f"t{self.random.randint(1, 9)}")
            else:
                own.remove(name)
                del self.known[name]
                self.gone.add(name)
                if dice < 0.95:
                    path.unlink()
                else:
                    await self.scoutkit("rm", "rm", name)

    def note(self, name: str) -> str:
        text: str = self.corpus.note(0)
        return text.replace("id: n0000000", f"id: {name}") + f"\nIt is called zz{name}.\n"

    async def asker(self) -> None:
        count = 0
        while not self.over:
            count += 1
            question = f"Where is the {self.corpus.words(1)[0]} signed, question {count} of the asker?"
            self.keep(await self.scoutkit("ask", "ask", question, "--agent", "builtin", "--json"))

    async def batches(self) -> None:
        count = 0
        while not self.over:
            count += 1
            list_ = self.home / f"batch-{count}.txt"
            asked = [f"Who checks the {self.corpus.words(1)[0]}, question {n} of batch {count}?" for n in range(8)]
            list_.write_text("\n".join(asked))
            done = await self.scoutkit("batch", "batch", str(list_), "--agent", "builtin", "--jobs", "2", "--json")
            for one in done.get("missions", done.get("tasks", [])):
                self.keep(one)

    def keep(self, answer: Any) -> None:
        note = answer.get("note")
        if not note:
            self.trouble("a run", f"no note: {json.dumps(answer)[:300]}")
            return
        note = note if isinstance(note, dict) else {"id": note, "path": answer.get("path", "")}
        self.runs.append(note["id"])
        self.known[note["id"]] = self.where / note["path"] if note.get("path") else Path()

    async def client(self, who: str, log: Path) -> None:
        """An agent program with a server of its own."""
        server = StdioServerParameters(
            command=sys.executable, args=["-m", "scoutkit", "mcp"], cwd=self.where, env=self.env
        )
        with log.open("w") as errlog:
            async with Client(stdio_client(server, errlog)) as client:
                while not self.over:
                    await self.turn(who, client)
                    await asyncio.sleep(0.05)

    async def turn(self, who: str, client: Client) -> None:
        name = self.random.choice(list(self.known)[-30:])
        there = lambda: name in self.known  # noqa: E731 - it may be deleted meanwhile
        if re.fullmatch(r"m\d{7}", name):  # the editor's: it says what it is called
            found = await self.called(who, client, "search_notes", {"query": f"zz{name}", "limit": 3})
            if there() and name not in [hit["id"] for hit in found.get("hits", [])]:
                self.trouble(who, f"{name} is on disk and was not found")
        await self.called(who, client, "read_note", {"note": name}, there)
        calls: list[tuple[str, dict[str, Any]]] = [
            ("search_notes", {"query": " ".join(self.corpus.words(2))}),
            ("notes_about", {"path": "app/sessions.py"}),
            ("check_note", {"note": name}),
            ("pack_notes", {"task": f"change the {self.corpus.words(1)[0]}", "budget": 2_000}),
        ]
        tool, given = self.random.choice(calls)
        await self.called(who, client, tool, given, there if "note" in given else lambda: True)
        if self.random.random() < 0.05:
            await self.did("list_resources", client.list_resources())

    async def called(
        self, who: str, client: Client, tool: str, given: dict[str, Any], there: Callable[[], bool] = lambda: True
    ) -> Any:
        result = await self.did(tool, client.call_tool(tool, given))
        if result.is_error and there():
            self.trouble(who, f"{tool} {given}: {result.content[0].text}")
        return result.structured_content or {}

    async def browser(self, log: Path) -> None:
        """`scoutkit browse`: pages of our own, which bring the catalogue in step and have notes checked, and tables."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        argv = (*_SCOUTKIT, "-C", str(self.where), "browse", "--no-open", "--port", str(port))
        with log.open("w") as out:
            process = await asyncio.create_subprocess_exec(*argv, stdout=out, stderr=out, env=self.env)
        try:
            base = f"http://127.0.0.1:{port}"
            tables = ("notes.json?_size=20&_shape=array", "citations.json?_size=20", "runs.json?_size=20", "notes")
            pages = ("", "find?q=session", "find?q=is:stale", "runs", *(f"scoutkit/{table}" for table in tables))
            for _ in range(300):
                with contextlib.suppress(OSError):
                    await asyncio.to_thread(_fetched, f"{base}/scoutkit.json")
                    break
                await asyncio.sleep(0.1)
            while not self.over:
                page = self.random.choice(pages)
                try:
                    await self.did("a page of the browser", asyncio.to_thread(_fetched, f"{base}/{page}"))
                except OSError as error:
                    self.trouble("browser", f"{page}: {error}")
                await asyncio.sleep(0.2)
        finally:
            process.send_signal(signal.SIGTERM)
            await process.wait()

    # What is left

    async def reckon(self, logs: list[Path]) -> None:
        """Every note that was written is there once, in the folder and in the catalogue; nothing else is."""
        for log in logs:
            for line in log.read_text(errors="replace").splitlines():
                if _TROUBLE.search(line):
                    self.trouble(log.name, line)
        listed = (await self.scoutkit("list", "list", "--json"))["hits"]
        counted = Counter(hit["id"] for hit in listed)
        files = [path for path in self.notes.rglob("*.md") if not path.name.startswith(".")]
        if len(files) != len(listed):
            self.trouble("the end", f"{len(files)} files and {len(listed)} notes in the catalogue")
        for id_, times in counted.items():
            if times > 1:
                self.trouble("the end", f"{id_} is there {times} times")
        self.troubles += [f"the end: {id_} was lost" for id_ in self.known if not counted[id_]]
        self.troubles += [f"the end: {id_} came back" for id_ in self.gone if counted[id_]]
        runs = (await self.scoutkit("runs", "runs", "--limit", "100000", "--json"))["runs"]
        left = [run["id"] for run in runs if run["state"] != "removed"]
        if left:
            self.trouble("the end", f"runs that are not over: {left}")
        if sorted(run["note"] or "" for run in runs) != sorted(self.runs):
            self.trouble("the end", f"{len(runs)} runs in the journal, {len(self.runs)} told of their notes")
        doctor = await self.scoutkit("doctor", "doctor", "--json")
        bad = [check for check in doctor["checks"] if not check["ok"] and "catalogue" in check["name"]]
        if bad:
            self.trouble("doctor", json.dumps(bad))

    def tell(self, minutes: float) -> None:
        written = f"notes by hand {self.number}, by agents {len(self.runs)}, deleted {len(self.gone)}"
        print(f"\n{minutes:.1f} minutes; {written}")
        print(f"{'':24}{'times':>8}{'median ms':>12}{'p95 ms':>10}{'worst ms':>10}")
        for what, times in sorted(self.taken.items()):
            middle, p95 = statistics.median(times), sorted(times)[int(len(times) * 0.95)]
            print(f"{what:24}{len(times):8}{middle:12.0f}{p95:10.0f}{max(times):10.0f}")
        print(f"lock errors, tracebacks, lost or doubled notes: {len(self.troubles)}")
        for line in self.troubles[:40]:
            print(line)


def _fetched(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=30) as answer:
        body: bytes = answer.read()
        return body


async def soak(where: Path, minutes: float, notes: int) -> int:
    home = where / "home"
    home.mkdir()
    (home / ".gitconfig").write_text("[user]\n\tname = A\n\temail = a@example.org\n")
    repository = stage.repository(where / "repository", stage.FILES)
    seed = random.Random(7)
    one = Soak(repository, home, time.monotonic() + minutes * 60, Corpus(), seed)
    one.notes.mkdir(parents=True)
    for number in range(notes):
        name = f"s{number:07d}"
        path = one.notes / f"2026-01-01-{name}.md"
        path.write_text(one.note(name))
        one.known[name] = path
    await one.scoutkit("index", "index")
    one.until = time.monotonic() + minutes * 60
    before = set(psutil.pids())
    logs = [where / name for name in ("mcp-1.log", "mcp-2.log", "browser.log")]
    began = time.monotonic()
    await asyncio.gather(
        one.editor(),
        one.asker(),
        one.batches(),
        one.client("first server", logs[0]),
        one.client("second server", logs[1]),
        one.browser(logs[2]),
    )
    spent = (time.monotonic() - began) / 60
    await one.reckon(logs)
    for _ in range(50):  # the full-text index may be followed for a moment yet
        left = [line for line in map(_line, set(psutil.pids()) - before) if str(where) in line]
        if not left:
            break
        await asyncio.sleep(0.2)
    one.troubles += [f"the end: still running: {line}" for line in left]
    one.tell(spent)
    return bool(one.troubles)


def _line(pid: int) -> str:
    try:
        process = psutil.Process(pid)
        return f"{pid} {' '.join(process.cmdline())} in {process.cwd()}"
    except psutil.Error:
        return ""


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--notes", type=int, default=300, help="that are there at the beginning")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="scoutkit-soak-") as name:
        return asyncio.run(soak(Path(name), options.minutes, options.notes))


if __name__ == "__main__":
    sys.exit(main())
