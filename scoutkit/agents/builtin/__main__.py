"""The built-in agent's process: a question on stdin, events on stdout. Its folder is the worktree it answers about."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from scoutkit.agents.builtin.indexing.index import answered, open_index
from scoutkit.agents.builtin.indexing.store import Store
from scoutkit.agents.builtin.ranking.question import understand
from scoutkit.agents.builtin.ranking.rank import rank
from scoutkit.agents.builtin.reporting.facts import facts
from scoutkit.agents.builtin.reporting.findings import Findings, find
from scoutkit.agents.builtin.reporting.report import write
from scoutkit.agents.lines import emit
from scoutkit.errors import ScoutError
from scoutkit.model.agents import Event, EventKind
from scoutkit.snapshot import Snapshot


def main() -> int:
    """0 with a report; 1 with an error event where the commit cannot be read."""
    asked = json.load(sys.stdin)
    where = Path.cwd()
    question = understand(asked["question"], project=where.name)
    say("looking at the files")

    def look() -> Findings:
        with Store() as store, Snapshot(where, asked["commit"]) as snapshot:
            if not store.shared:
                say("the cache folder cannot be written: nothing is kept for the next question")
            with open_index(store, where, asked["commit"], say) as index:
                say("ranking")
                ranking = rank(index, question, read=snapshot.text)
                say("reading what fits best")
                return find(question, ranking, index, snapshot, where)

    try:
        found = answered(look)
        told = {} if found.spots else {"unanswered": "nothing in the code fits the question"}
        emit(Event(EventKind.REPORT, write(found), data={"facts": facts(found), **told}))
    except ScoutError as error:
        emit(Event(EventKind.ERROR, error.message, data={"hint": error.hint}))
        return 1
    return 0


def say(text: str) -> None:
    """What it does now."""
    emit(Event(EventKind.STATUS, text))


if __name__ == "__main__":
    sys.exit(main())
