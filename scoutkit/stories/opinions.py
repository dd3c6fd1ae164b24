"""A second opinion: what several agents found on one mission, at one commit, as a further note."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from scoutkit.anchors import anchor, check
from scoutkit.anchors.region import Regions
from scoutkit.batches import comparing
from scoutkit.desk import Desk
from scoutkit.errors import ScoutError
from scoutkit.model import pinned
from scoutkit.model.batches import Task
from scoutkit.model.notes import Citation, Note, Region


def compared(desk: Desk, answered: Sequence[tuple[Task, str]], note_id: str) -> Note:
    """The comparison of tasks that are one mission, each with its note's path.

    It is made at the commit that the mission is about: a note from memory may speak of another. ScoutError where a note
    cannot be read.
    """
    first = answered[0][0]
    base, opinions = first.mission.base, []
    with Regions(desk.repository, base, notes=desk.settings.notes) as regions:
        for task, path in answered:
            read = desk.notebook.read(path)
            if not read.readable:
                raise ScoutError(read.problems[0].problem, read.problems[0].hint)
            followed = check.follow(read.note, regions)
            cited = [
                _at(one.citation, one.now)
                for one in followed
                if one.now or not one.counts or not one.citation.start or pinned.read(one.citation.path)
            ]
            opinions.append(comparing.Opinion(task.asked, read.note, tuple(cited)))
    with desk.snapshot(base) as snapshot:
        places = {one.at: one for opinion in opinions for one in opinion.places}
        anchors = [made for one in places.values() if (made := anchor.make(one, snapshot))]
    at = datetime.now(UTC).isoformat(timespec="seconds")
    return comparing.note(opinions, first.mission, anchors, id=note_id, at=at, tags=first.tags)


def _at(citation: Citation, region: Region | None) -> Citation:
    if region is None:
        return citation
    return replace(citation, path=region.path, start=region.start, end=region.end, was="", base="")
