"""A mission, a worktree and a scratch folder, and what runs an invocation in them as the runner would."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from scoutkit.model.agents import Agent, Event
from scoutkit.model.missions import Kind, Mission, Outcome


@dataclass(frozen=True)
class Stage:
    """Where an agent plays: a linked worktree of a small repository, and a scratch folder outside it."""

    worktree: Path
    scratch: Path
    mission: Mission

    def play(self, agent: Agent, prompt: str = "Where are cookies signed?") -> tuple[Outcome, list[Event]]:
        """Run it to its end: the outcome and the events."""
        invocation = agent.invocation(self.mission, prompt, self.worktree, self.scratch)
        done = subprocess.run(
            invocation.argv,
            cwd=self.worktree,
            env={**os.environ, **invocation.env},
            input=invocation.stdin.encode("utf-8", "surrogateescape"),
            capture_output=True,
            timeout=100,
        )
        lines = done.stdout.decode("utf-8", "replace").removesuffix("\n").split("\n")
        events = [event for line in lines for event in invocation.reader.feed(line)]
        file = self.worktree / invocation.report_file
        left = file.read_text("utf-8", "replace") if invocation.report_file and file.is_file() else None
        return invocation.reader.finish(done.returncode, done.stderr.decode("utf-8", "replace"), left), events


@pytest.fixture
def stage(repo: Path, tmp_path: Path, git: Callable[..., str]) -> Stage:
    worktree, scratch = tmp_path / "work tree", tmp_path / "scratch folder"
    git(repo, "worktree", "add", "-q", "--detach", worktree)
    scratch.mkdir()
    commit = git(repo, "rev-parse", "HEAD").strip()
    return Stage(worktree, scratch, Mission(Kind.ASK, "Where are cookies signed?", commit, "any"))


@pytest.fixture
def scenario(tmp_path: Path) -> Callable[[str], Path]:
    """Writes a scenario file."""

    def write(text: str) -> Path:
        path = tmp_path / "scenario.toml"
        path.write_text(text, "utf-8")
        return path

    return write
