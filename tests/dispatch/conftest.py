"""A run of the scripted agent on its own: a scenario's text in, an outcome out; no repository is needed."""

from __future__ import annotations

import json
import os
import time
from dataclasses import replace

import pytest

from scoutkit import ending, process
from scoutkit.agents.scripted import Scripted
from scoutkit.dispatch import runner
from scoutkit.dispatch.journal import Journal
from scoutkit.model.missions import Kind, Limits, Mission, Run, State


class Play:
    """Sends one scenario; a second one is the closing, where it is given. `said` is what came as it came."""

    def __init__(self, root, journal):
        self.root = root
        self.folder = root / "run"
        self.worktree = self.folder / "tree"
        self.scratch = self.folder / "scratch"
        self.shadow = self.folder / "shadow.git"
        self.records = root / "records"
        self.journal = journal
        self.interruption = runner.Interruption()
        self.events = []
        self.more = {}
        for folder in (self.worktree, self.scratch, self.shadow):
            folder.mkdir(parents=True)
        self.run = Run(
            id=f"p{os.getpid()}x{time.monotonic_ns()}",
            kind=Kind.ASK,
            text="q",
            base="0" * 40,
            agent="scripted",
            state=State.CREATED,
            isolation="none",
            started="2026-11-29T12:00:00+00:00",
            folder=str(self.folder),
            limits=Limits(timeout=100),
        )
        (self.folder / "scoutkit-run.json").write_text(json.dumps({"run": self.run.id, "repository": "/x"}))

    def invocation(self, scenario, name="scenario"):
        file = self.root / f"{name}.toml"
        file.write_text(scenario)
        scratch = self.scratch / name
        scratch.mkdir()
        mission = Mission(Kind.ASK, "q", "0" * 40, "scripted")
        return Scripted(str(file)).invocation(mission, "the prompt", self.worktree, scratch)

    def __call__(self, scenario, *, closing=None, idle=None, env=None, limits=None, **more):
        invocation = self.invocation(scenario)
        if closing is not None:
            last = closing if callable(closing) else lambda: self.invocation(closing, "closing")
            invocation = replace(invocation, closing=last)
        return self.send(replace(invocation, idle=idle, env=env or {}), limits=limits, **more)

    def send(self, invocation, *, limits=None, **more):
        self.run = replace(self.run, limits=Limits(**{"timeout": 100, **(limits or {})}))
        self.journal.create(self.run)
        return runner.send(
            invocation,
            run=self.run,
            worktree=self.worktree,
            scratch=self.scratch,
            records=self.records,
            journal=self.journal,
            redactor=lambda: str,
            on_event=self.events.append,
            interruption=self.interruption,
            **{"grace": 0.4, **self.more, **more},
        )

    @property
    def said(self):
        return [event.text for event in self.events if event.text]

    def read(self, name):
        return (self.records / name).read_text("utf-8")

    def when(self, said, what):
        """Do something as soon as the agent has said so."""
        self.events = type("When", (list,), {"append": lambda _, event: what() if event.text == said else None})()

    def left(self):
        return process.family(self.run.id, folder=self.folder)


@pytest.fixture
def play(tmp_path):
    with Journal(tmp_path / "journal.db") as journal:
        one = Play(tmp_path / "field", journal)
        yield one
        left = one.left()
        ending.end(one.left, grace=0)
        assert left == [], "nothing of a run outlives it"
