"""A note's page: its text, each citation with what became of it, what is related, the run that made it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scoutkit.browse import hosted
from scoutkit.browse.markdown import LONGEST, render, visible
from scoutkit.browse.pages import Asked, Made, note_address
from scoutkit.desk import Desk
from scoutkit.errors import ScoutError
from scoutkit.model.notes import Citation, Note, Region
from scoutkit.stories import standing
from scoutkit.stories.standing import Checkup

if TYPE_CHECKING:
    from scoutkit.anchors.check import Followed
    from scoutkit.knowledge.citations import Reference

RELATED = 5
SAID = {
    "fresh": "the same lines, where they were",
    "moved": "the same lines, elsewhere now",
    "edited": "found, and changed since",
    "ambiguous": "several places could be meant",
    "gone": "not there any more",
    "wrong": "there were no such lines when the note was written",
    "unchecked": "in another repository, which is not here",
}


def read(desk: Desk, reference: str) -> Note:
    """The note that an id, or another name of it, stands for. NotFound where there is none."""
    exact = desk.catalogue.by_ids([reference])  # of two files that claim an id, one has it
    row = exact[0] if exact else desk.catalogue.resolve(reference)
    return replace(desk.notebook.read(row.path).note, id=row.id, path=row.path)


def page(desk: Desk, asked: Asked) -> Made:
    """All of a note. NotFound where there is none of this id."""
    note = read(desk, asked.parts["id"])
    checkup = standing.survey(desk, [note], standing.target(desk, None))[0]
    home = hosted.home(desk)
    rows = [_row(note, number, one, checkup, home) for number, one in enumerate(checkup.followed)]
    told = {
        "note": note,
        "title": visible(note.title),
        "description": visible(note.description),
        "question": visible(note.question) if note.question != note.title else "",
        "text": render(_body(note), _addresses(note, checkup.followed)),
        "cut": max(0, len(note.body) - LONGEST),
        "citations": rows,
        "holds": checkup.holds,
        "counts": _counts(checkup),
        "problem": checkup.problem,
        "supersedes": [_named(desk, one) for one in note.supersedes],
        "superseded_by": _named(desk, note.superseded_by) if note.superseded_by else None,
        "run": _run(desk, note),
        "said": SAID,
    }
    return Made("scoutkit_note.html", told)


def related(desk: Desk, asked: Asked) -> Made:
    """Notes like one: a page of its own, since finding them takes longer than all else of a note."""
    note = read(desk, asked.parts["id"])
    return Made("scoutkit_related.html", {"note": note, "title": visible(note.title), "related": _related(desk, note)})


def prompt(desk: Desk, asked: Asked) -> Made:
    """A note as it goes into a prompt: the pack of it alone."""
    from scoutkit.model.packs import Wish
    from scoutkit.stories import packing

    note = read(desk, asked.parts["id"])
    return Made("", {"text": packing.pack(desk, Wish("", notes=(note.id,))).text})


def permalink(desk: Desk, commit: str, region: Region) -> str:
    """Lines of a commit at the hosting service; "" where there is none."""
    return hosted.permalink(hosted.home(desk), commit, region.path, region.start, region.end) if region.start else ""


def _body(note: Note) -> str:
    """The text without a first heading that says the title again."""
    first, _, rest = note.body.lstrip().partition("\n")
    return rest if first.lstrip("# ").strip() == note.title and first.startswith("#") else note.body


def _addresses(note: Note, followed: Sequence[Followed]) -> Callable[[Reference], tuple[str, str]]:
    """Where references of the text lead: the page of the citation that they are."""
    from scoutkit.knowledge.respelling import ending

    def address(reference: Reference) -> tuple[str, str]:
        for number, one in enumerate(followed):
            cited = one.citation
            named = (reference.symbol and cited.symbol == reference.symbol) or (
                (reference.start, reference.end) == (cited.start, cited.end)
            )
            if named and ending(reference.path, cited.path):
                return f"{note_address(note.id)}/citation/{number}", one.verdict.value
        return "", ""

    return address


def _row(note: Note, number: int, one: Followed, checkup: Checkup, home: str) -> dict[str, Any]:
    base, now = one.base, one.now if one.now != one.base else None
    touched = checkup.touched.get(one)
    return {
        "number": number,
        "at": visible(one.citation.at),
        "verdict": one.verdict.value,
        "birth": one.citation.verdict.value if one.citation.verdict else "",
        "symbol": visible(one.citation.symbol),
        "now": visible(Citation(now.path, now.start, now.end).at) if now else "",
        "lines": _lines(now.start, now.end) if now and now.path == base.path else "",
        "why": one.why,
        "commits": touched.commits if touched else 0,
        "permalink": hosted.permalink(home, note.commit, base.path, base.start, base.end) if base.start else "",
    }


def _lines(start: int, end: int) -> str:
    return f"line {start}" if start == end else f"lines {start}-{end}"


def _counts(checkup: Checkup) -> list[tuple[str, int]]:
    counts: dict[str, int] = {}
    for one in checkup.followed:
        counts[one.verdict.value] = counts.get(one.verdict.value, 0) + 1
    return [(verdict, counts[verdict]) for verdict in SAID if verdict in counts]


def _related(desk: Desk, note: Note) -> list[Any]:
    from scoutkit.search import finding

    try:
        return list(finding.related(desk.catalogue, desk.fulltext, note.id, limit=RELATED))
    except ScoutError:
        return []  # the index is being made


def _named(desk: Desk, note_id: str) -> dict[str, str]:
    found = desk.catalogue.by_ids([note_id])
    return {"id": note_id, "title": visible(found[0].title) if found else ""}


def _run(desk: Desk, note: Note) -> dict[str, Any] | None:
    """The run that a note came of, as the catalogue has it."""
    sql = (
        "SELECT id, kind, agent, model, version, result, started, seconds, cost_usd, input_tokens, output_tokens"
        " FROM runs WHERE note_id = ? ORDER BY started DESC LIMIT 1"
    )
    cursor = desk.catalogue.connection.execute(sql, (note.id,))
    row = cursor.fetchone()
    return dict(zip([one[0] for one in cursor.description], row, strict=True)) if row else None
