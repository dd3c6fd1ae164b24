"""What was asked before: a note that answers a mission already, and those that are much like it."""

from __future__ import annotations

import contextlib
from collections import Counter
from typing import NamedTuple

from scoutkit.desk import Desk
from scoutkit.model.missions import Kind, Mission
from scoutkit.model.notes import Note, Verdict
from scoutkit.search.operators import as_words
from scoutkit.stories.asking import fingerprint

COUNTED = "answered"
"""The file beside the journal with a line, a note's id, for each answer from memory."""


class Saved(NamedTuple):
    """Answers from memory, and the agents' time and US dollars that they were worth where those are known."""

    times: int
    seconds: float
    cost: float


def remembered(desk: Desk, mission: Mission) -> Note | None:
    """A stable note of the same kind, agent and question (but for case and punctuation) that holds at the base.

    Of research, one about the same commits of the same sources; of a scout, one about the same part of the repository
    with the same checks.
    """
    for path in desk.catalogue.asked(mission.text, mission.kind):
        note = desk.notebook.read(path).note
        name, _, version = note.by.partition("/")
        same = name == mission.agent and (not mission.agent_cmd or version == fingerprint(mission.agent_cmd))
        same = same and note.sources == mission.sources and _alike(desk, note, mission)
        if note.status == "stable" and same and _holds(desk, note, mission.base):
            _count(desk, note)
            return note
    return None


def _count(desk: Desk, note: Note) -> None:
    """One more run that was not needed: a line of a file, so that nobody waits for it."""
    with contextlib.suppress(OSError), (desk.places.state / COUNTED).open("ab") as file:
        file.write(note.id.encode("utf-8", "replace")[:100].replace(b"\n", b" ") + b"\n")


def saved(desk: Desk) -> Saved:
    """What answers from memory were worth: each as much as the run that made its note."""
    try:
        text = (desk.places.state / COUNTED).read_text("utf-8", "replace")
    except OSError:
        return Saved(0, 0.0, 0.0)
    counted = Counter(text.splitlines())
    made = {run.note_id: run for run in desk.journal.runs() if run.note_id in counted}
    seconds = sum((run.seconds or 0) * counted[note] for note, run in made.items())
    cost = sum((run.usage.cost_usd or 0) * counted[note] for note, run in made.items())
    return Saved(counted.total(), seconds, cost)


def _holds(desk: Desk, note: Note, base: str) -> bool:
    """Do its citations hold at the base? At the commit that they were checked against, those with an anchor do."""
    anchored = {(one.path, one.start, one.end) for one in note.anchors}
    if note.commit == base and not note.sources:
        born = [one for one in note.citations if one.verdict is not Verdict.WRONG]
        if all((one.path, one.start, one.end) in anchored and not one.base for one in born):
            return True
    from scoutkit.anchors import check
    from scoutkit.anchors.region import Regions

    with Regions(desk.repository, base, notes=desk.settings.notes) as regions:
        return check.holds(note, regions)


def _alike(desk: Desk, note: Note, mission: Mission) -> bool:
    """Was a scout asked the same besides its task? In any order, and secrets are not in a note."""
    if mission.kind is not Kind.SCOUT:
        return True
    paths, checks = ({desk.redactor()(one) for one in said} for said in (mission.paths, mission.checks))
    return set(note.paths) == paths and set(note.checks) == checks


def similar(desk: Desk, mission: Mission) -> list[Note]:
    """Stable notes that were asked much the same: half of all the words of both questions are in both."""
    from scoutkit.words import plain

    asked = set(plain(mission.text).split())
    found = []
    for hit in desk.catalogue.search(as_words(mission.text), types=[mission.kind], statuses=["stable"], limit=5):
        note = desk.notebook.read(hit.path).note
        words = set(plain(note.question).split())
        if words and len(asked & words) * 2 >= len(asked | words):
            found.append(note)
    return found
