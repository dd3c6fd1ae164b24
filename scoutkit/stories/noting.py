"""From what a run left to its note: the text with its citations checked, and the note whose place it takes."""

from __future__ import annotations

from dataclasses import replace

from scoutkit.desk import Desk
from scoutkit.errors import NotFound, Refused, UsageError
from scoutkit.model.missions import Kind, Mission, Outcome, Result, Run
from scoutkit.model.notes import Note
from scoutkit.stories import birth, reminding, scope


def make(desk: Desk, run: Run, outcome: Outcome, *, roots: tuple[str, ...] = (), draft: str = "") -> Note:
    """The note of a run, not yet written. `roots`: where its worktree stood; `draft`: why it is one all the same."""
    from scoutkit.knowledge import capture, citations

    if run.kind is Kind.RESEARCH:
        roots = (*roots, f"{run.folder}/sources")
    report = capture.bounded(outcome.report, run.id)
    references = citations.read(report, roots=roots)
    if len(references) > capture.MOST:
        report = capture.bounded(report, run.id, longest=references[capture.MOST].offset)
        references = citations.read(report, roots=roots)
    born = birth.check(desk, run, references)
    made = capture.note(
        report=report,
        checked=born.checked,
        anchors=born.anchors,
        mission=scope.told(desk, run, Mission(run.kind, run.text, run.base, run.agent, sources=born.sources)),
        outcome=outcome,
        id=run.note_id,
        at=run.started,
        status="stable" if outcome.result is Result.DONE and not draft else "draft",
        overtaken=draft,
    )
    done = made.status == "stable"
    replaced = (run.supersedes,) if done and run.supersedes else ()
    return replace(made, supersedes=replaced, recalled=reminding.told(desk, run))


def overtaken(desk: Desk, run: Run) -> str:
    """What happened to the note that a run's is to replace, where that no longer stands; else nothing."""
    if not run.supersedes:
        return ""
    desk.sync()
    try:
        now = desk.notebook.read(desk.catalogue.resolve(run.supersedes).path).note
    except (NotFound, UsageError):
        return ""  # there is none to stand beside the new one
    if now.status == "stable" or now.superseded_by == run.note_id:
        return ""
    by = f", superseded by {now.superseded_by}" if now.superseded_by else ""
    return f"{run.supersedes} became {now.status} meanwhile{by}"


def supersede(desk: Desk, old: str, note: Note) -> str:
    """Deprecate the note that a new one, which is on disk, takes the place of. Why not, where a person has to do it.

    May be called again. Raises what another try may mend (a full disk): the run is then finished by the next command.
    """
    desk.sync()
    try:
        path = desk.catalogue.resolve(old).path
        desk.notebook.amend(path, {"status": "deprecated", "superseded_by": note.id})
    except (NotFound, UsageError, Refused) as error:
        return f"{old} is superseded by {note.id} but could not be marked so: {error.message} ({error.hint})"
    return ""
