"""What was asked before: a note that answers a mission already, and those that are much like it."""

from __future__ import annotations

from scoutkit.asking import fingerprint
from scoutkit.desk import Desk
from scoutkit.model.missions import Kind, Mission
from scoutkit.model.notes import Note, Verdict


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
            return note
    return None


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
    for hit in desk.catalogue.search(mission.text, types=[mission.kind], statuses=["stable"], limit=5):
        note = desk.notebook.read(hit.path).note
        words = set(plain(note.question).split())
        if words and len(asked & words) * 2 >= len(asked | words):
            found.append(note)
    return found
