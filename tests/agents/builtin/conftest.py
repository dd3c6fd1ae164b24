"""Repositories made of a few files, and the built-in agent's process asked about them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from scoutkit.agents.builtin.indexing.index import open_index
from scoutkit.agents.builtin.indexing.store import Store
from scoutkit.agents.builtin.ranking.question import understand
from scoutkit.agents.builtin.ranking.rank import rank
from scoutkit.agents.builtin.reporting.findings import Findings, find
from scoutkit.agents.builtin.reporting.report import write
from scoutkit.knowledge import citations, verify
from scoutkit.model.notes import Verdict
from scoutkit.snapshot import Snapshot

ARGV = [sys.executable, "-P", "-m", "scoutkit.agents.builtin"]


@dataclass(frozen=True)
class Answer:
    """What a run of the process left."""

    code: int
    report: str
    statuses: list[str]
    errors: list[str]
    stderr: str


@pytest.fixture
def cache(home: Path) -> Path:
    """Where the index is kept."""
    return home / ".cache/scoutkit/symbols"


@pytest.fixture
def store(cache: Path):
    with Store() as opened:
        yield opened


@pytest.fixture
def make(tmp_path: Path, git: Callable[..., str]) -> Callable[..., Path]:
    """Commit files to a repository, new or there already."""

    def commit(files: Mapping[str, str | bytes], name: str = "made") -> Path:
        folder = tmp_path / name
        if not folder.exists():
            folder.mkdir()
            git(folder, "init", "-q")
        for path, content in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(
                content.encode("utf-8", "surrogateescape") if isinstance(content, str) else content
            )
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "--allow-empty", "-m", "made")
        return folder

    return commit


@pytest.fixture
def head(git: Callable[..., str]) -> Callable[[Path], str]:
    return lambda where: git(where, "rev-parse", "HEAD").strip()


@pytest.fixture
def ask(head: Callable[[Path], str]) -> Callable[..., Answer]:
    """Ask the agent's process, in a repository's own folder."""

    def run(where: Path, question: str, **env: str) -> Answer:
        asked = json.dumps({"question": question, "commit": head(where)})
        done = subprocess.run(
            ARGV, cwd=where, env={**os.environ, **env}, input=asked, capture_output=True, text=True, timeout=100
        )
        return answer(done.returncode, done.stdout, done.stderr)

    return run


@dataclass(frozen=True)
class Looked:
    """What was found, how it is told, and what the birth check has against it."""

    found: Findings
    text: str
    doubts: list[str]

    def section(self, heading: str) -> str:
        """The text below a heading; fails where there is none."""
        return self.text.split(f"## {heading}\n\n", 1)[1].split("\n## ")[0]


@pytest.fixture
def look(store: Store, head: Callable[[Path], str]) -> Callable[[Path, str], Looked]:
    """Ask without a process of its own."""

    def asked(where: Path, question: str) -> Looked:
        commit = head(where)
        with Snapshot(where, commit) as snapshot, open_index(store, where, commit, lambda _: None) as index:
            understood = understand(question)
            found = find(understood, rank(index, understood, read=snapshot.text), index, snapshot, where)
            text = write(found)
            checked = verify.check(citations.read(text), snapshot)
            bad = [one for one in checked if one.citation.verdict is not Verdict.SUPPORTED]
            return Looked(found, text, [f"{one.reference.sentence}: {one.why}" for one in bad])

    return asked


def answer(code: int, stdout: str, stderr: str) -> Answer:
    events = [json.loads(line) for line in stdout.splitlines()]
    texts = {
        kind: [event["text"] for event in events if event["kind"] == kind] for kind in ("status", "error", "report")
    }
    return Answer(code, "".join(texts["report"]), texts["status"], texts["error"], stderr)
