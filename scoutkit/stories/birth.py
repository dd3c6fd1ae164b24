"""The birth check of a run's report: against the commit that the agent saw, or against each source of a research."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from scoutkit.desk import Desk
from scoutkit.errors import RepositoryError
from scoutkit.model import pinned
from scoutkit.model.missions import Kind, Run
from scoutkit.model.notes import Anchor
from scoutkit.model.pinned import Pinned
from scoutkit.snapshot import Snapshot

if TYPE_CHECKING:
    from scoutkit.knowledge.citations import Reference
    from scoutkit.knowledge.verify import Checked


class Birth(NamedTuple):
    """What was found: a verdict for each citation, anchors for those that are there, the sources they may be in."""

    checked: list[Checked]
    anchors: list[Anchor]
    sources: tuple[Pinned, ...] = ()


def check(desk: Desk, run: Run, references: Sequence[Reference]) -> Birth:
    """Verdicts for the references of a run's report."""
    from scoutkit.anchors import anchor
    from scoutkit.knowledge import sourced, verify

    if run.kind is not Kind.RESEARCH:
        with desk.snapshot(run.base) as snapshot:
            checked = verify.check(references, snapshot, notes=desk.settings.notes)
            return Birth(checked, [made for one in checked if (made := anchor.make(one.citation, snapshot))])
    from scoutkit.dispatch import sources

    shown = sources.remembered(desk.places.records(run.id))
    with contextlib.ExitStack() as opened:
        at = {one: _open(opened, one) for one in shown}
        checked = sourced.check(references, at, notes=desk.settings.notes)
        anchors: list[Anchor] = []
        for one in checked:
            source = pinned.of(one.citation.path, shown)
            snapshot_of = at[source] if source else None
            if snapshot_of and (found := anchor.make(one.citation, snapshot_of)):
                anchors.append(found)
    return Birth(checked, anchors, shown)


def _open(opened: contextlib.ExitStack, source: Pinned) -> Snapshot | None:
    """A source's commit; None where its mirror was taken away, before a run that was cut short is finished."""
    from scoutkit.dispatch import sources

    try:
        return opened.enter_context(Snapshot(sources.mirror(source), source.commit))
    except RepositoryError:
        return None
