"""The harvest of a scout: what it begins with, what the run shows once it is over, and the text of its note.

Works from the run's records and folder alone, so that it does so for a run that was killed as well.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from scoutkit.desk import Desk
from scoutkit.model.missions import Kind, Outcome, Run
from scoutkit.stories import scope, vanished

if TYPE_CHECKING:
    from scoutkit.harvest.gather import Place
    from scoutkit.model.evidence import Evidence


def progress(scratch: Path) -> Path:
    """The file that an agent is asked to keep as it goes. Its folder is made."""
    from scoutkit.harvest import gather

    path = scratch / gather.PROGRESS
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path


def begin(desk: Desk, run: Run) -> None:
    """Right before the agent starts: remember what it begins with. Where that cannot be, the base counts as that."""
    from scoutkit.harvest import gather

    if run.kind is Kind.SCOUT and (place := _place(desk, run)):
        gather.prepare(place)


def harvest(desk: Desk, run: Run, outcome: Outcome) -> Evidence | None:
    """What the run shows by itself; None for missions that change nothing. On disk before this returns.

    Asked again, for a run that was cut short meanwhile, it is as it was written.
    """
    if run.kind is not Kind.SCOUT:
        return None
    from scoutkit.harvest import gather, kept

    records = desk.places.records(run.id)
    if known := kept.read(records):
        return known
    terms, blot, name = scope.remembered(records), desk.redactor_of(run.id), vanished.namer(desk, run)
    place = _place(desk, run)
    if place is None:  # somebody took it away: the records still tell
        folder = Path(run.folder)
        objects = desk.repository.common_dir / "objects"
        place = gather.Place(records, folder, folder / "gone", folder, folder / "scratch", objects, run.base)
    evidence, ground, tree = gather.gather(
        place,
        report=_bounded(run, outcome).report,
        paths=terms.get("paths") or (),
        asked=terms.get("checks") or (),
        redact=lambda text: name(blot()(text)),  # each text by itself: a redactor remembers
    )
    if days := terms.get("keep_days"):
        evidence = _keep(desk, run, evidence, ground, tree, float(days))
    records.mkdir(parents=True, mode=0o700, exist_ok=True)
    kept.write(records, evidence)
    return evidence


def text(desk: Desk, run: Run, outcome: Outcome, evidence: Evidence | None) -> str:
    """The text of the note, from the agent's report and what the run shows."""
    if run.kind is Kind.SCOUT or run.kind is Kind.RESEARCH:
        outcome = _bounded(run, outcome)
    if run.kind is Kind.RESEARCH:
        return _proven(desk, run, outcome)
    if evidence is None:
        return outcome.report
    from scoutkit.knowledge import scouted

    with desk.snapshot(run.base) as snapshot:
        return scouted.text(run.text, outcome.report, evidence, outcome, snapshot.lines)


def _bounded(run: Run, outcome: Outcome) -> Outcome:
    """With as much of its report as leaves room in the note for what the run shows."""
    from dataclasses import replace

    from scoutkit.knowledge import capture

    return replace(outcome, report=capture.bounded(outcome.report, run.id, longest=capture.LONGEST // 2))


def _proven(desk: Desk, run: Run, outcome: Outcome) -> str:
    """A research's report, with the code and the commands where it does not show them itself."""
    from scoutkit.dispatch import proof, sources
    from scoutkit.harvest import events
    from scoutkit.knowledge import proven

    if proven.is_whole(outcome):
        return outcome.report
    records, folder = desk.places.records(run.id), Path(run.folder) / proof.PROOF
    template = sources.template(records)
    redact = desk.redactor_of(run.id)()
    code = proven.code(folder, Path(template) if template else None, redact)
    return proven.text(outcome.report, code, events.read(records, roots=(str(folder),)).ran)


def _keep(desk: Desk, run: Run, evidence: Evidence, ground: Any, tree: str, days: float) -> Evidence:
    """The code as a patch beside the transcript, files that would make it too large left out."""
    from dataclasses import replace

    from scoutkit.dispatch import kept_code
    from scoutkit.harvest import gather

    said: list[str] = list(evidence.left_out)
    patch, over = gather.code(ground, tree, evidence.touched, most=kept_code.LARGEST) if ground else (b"", ())
    said += [f"{path}: too large for the kept code" for path in over]
    if not patch:
        return replace(evidence, left_out=(*said, "no code was kept: there is none"))
    records = desk.places.records(run.id)
    try:
        file = kept_code.keep(records, patch, days, desk.redactor_of(run.id)())
    except OSError as error:
        return replace(evidence, left_out=(*said, f"no code was kept: {error.strerror}"))
    root = desk.places.root
    named = file.relative_to(root) if file.is_relative_to(root) else file
    return replace(evidence, left_out=tuple(said), patch=f"{named} ({days:g} days)")


def _place(desk: Desk, run: Run) -> Place | None:
    """Where the run's things are; None where its worktree cannot be told."""
    from scoutkit.dispatch import worktree
    from scoutkit.harvest import gather

    folder = Path(run.folder)
    other = {worktree.SHADOW, worktree.SCRATCH, worktree.MARKER, "harvest.git", "sources", "trash"}
    try:
        trees = [
            path for path in folder.iterdir() if path.name not in other and path.is_dir() and not path.is_symlink()
        ]
    except OSError:
        return None
    named = [path for path in trees if path.name == worktree.tree_name(desk.repository)] or trees
    if not named:
        return None
    return gather.Place(
        desk.places.records(run.id),
        folder,
        named[0],
        folder / worktree.SHADOW,
        folder / worktree.SCRATCH,
        desk.repository.common_dir / "objects",
        run.base,
        (str(named[0]),),
    )
