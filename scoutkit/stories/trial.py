"""The smallest possible mission, to see whether an agent works here: a repository of one file, and one question."""

from __future__ import annotations

import tempfile
from pathlib import Path

from scoutkit import git
from scoutkit.desk import Desk
from scoutkit.model.agents import Agent, Narrator
from scoutkit.model.missions import Kind, Terms
from scoutkit.stories import story
from scoutkit.stories.story import Answer, Watcher

QUESTION = "Which function builds the greeting? Answer in one sentence that cites its lines."
_FILE = "greeting.py"
_CODE = '''"""Greetings."""


def greet(name):
    """Return a greeting."""
    return f"hello {name}"
'''


def send(agent: Agent, terms: Terms, *, agent_cmd: str = "", tell: Narrator, watch: Watcher) -> Answer:
    """Ask in a repository made for it, which is gone afterwards, like all that was found."""
    with tempfile.TemporaryDirectory(prefix="scoutkit-trial-", ignore_cleanup_errors=True) as folder:
        root = Path(folder) / "greetings"
        root.mkdir()
        (root / _FILE).write_text(_CODE)
        git.output(root, "init", "--quiet", "--template=")
        git.output(root, "add", _FILE)
        who = ("-c", "user.name=scoutkit", "-c", "user.email=scoutkit@localhost", "-c", "commit.gpgsign=false")
        git.output(root, *who, "commit", "--quiet", "--message=greetings")
        desk = Desk.open(root)
        mission = story.plan(desk, Kind.ASK, QUESTION, agent, base="HEAD", terms=terms, agent_cmd=agent_cmd)
        try:
            return story.ask(desk, mission, agent, tell=tell, watch=watch)
        finally:
            desk.journal.close()
