"""What each reading tool answers: notes searched, read, packed and checked, within a budget. Writes nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scoutkit.errors import NotFound, UsageError
from scoutkit.model.notes import Note, Verdict
from scoutkit.serving import shapes
from scoutkit.serving.budget import Answer, Budget, Draft

if TYPE_CHECKING:
    from scoutkit.desk import Desk
    from scoutkit.stories.standing import Checkup

Arguments = Mapping[str, Any]
_HITS = 50  # notes about one place
_AS_TEXT = 3  # operators that are told to be none
_CHANGED = 20  # citations that a reader of a note is told of; check_note has all


def search(desk: Desk, given: Arguments, budget: Budget) -> Answer:
    """Hits for a query, best first."""
    from scoutkit.search.finding import find
    from scoutkit.search.operators import why_untaken

    narrow = {f"{name}s": [given[name]] for name in ("type", "tag", "path") if name in given}
    said = find(desk.catalogue, desk.fulltext, given["query"], limit=given.get("limit", 10), **narrow)
    found, meant = said.hits, shapes.line(said.meant or "")
    if said.alike:
        note = f"No note has these words; these have words like them: {meant or 'see below'}."
    else:
        note = f"Did you mean: {meant}?" if meant else ""
    ids = [hit.id for hit in found]
    cited, sure = (desk.catalogue.cited(ids), desk.catalogue.confidence(ids)) if found else ({}, {})
    rows = [shapes.hit(hit, cited.get(hit.id), sure.get(hit.id, "")) for hit in found]
    as_text = [shapes.line(one) for one in said.untaken[:_AS_TEXT]]

    def make(number: int) -> Draft:
        parts = [f"{shapes.capital(why)}." for why in why_untaken(as_text)]
        parts += [note] if note else []
        parts += [shapes.hit_text(row) for row in rows[:number]] if rows else ["No note has this."]
        data = {"hits": rows[:number], "meant": meant, **({"as_text": as_text} if as_text else {})}
        return Draft("\n\n".join(parts), data, len(rows) - number)

    return budget.answer(budget.largest(len(rows), make))


def about(desk: Desk, given: Arguments, budget: Budget) -> Answer:
    """Notes whose cited lines are in a file, lines of it or a folder now, nearest first."""
    from scoutkit.stories import knowing

    start = given.get("start", 0)
    end = given.get("end", start)
    if "end" in given and (not start or end < start):
        raise UsageError(f"no such lines: {start or '?'}-{end}", "start is the first line, end the last")
    path = desk.relative(given["path"])
    found = knowing.about(desk, path, start, end, limit=_HITS)
    rows = [shapes.known(one) for one in found.known]
    left = found.unfollowed + found.more
    nowhere = "" if rows else knowing.nowhere(desk, path, end)
    other = "1 note on these lines cites" if found.drifted == 1 else f"{found.drifted} notes on these lines cite"
    drifted = f"\n\n{other} what is elsewhere now, or gone." if found.drifted else ""

    def make(number: int) -> Draft:
        text = "\n\n".join(shapes.known_text(row) for row in rows[:number]) if rows else f"No note cites this{nowhere}."
        data = {"hits": rows[:number], "drifted": found.drifted}
        return Draft(f"{text}{drifted}", data, len(rows) - number + left)

    return budget.answer(budget.largest(len(rows), make))


def read(desk: Desk, given: Arguments, budget: Budget, more: Mapping[str, Any] | None = None) -> Answer:
    """A note from a character of its text on, with what became of its citations. `dropped` counts lines."""
    budget = budget.within(given.get("budget"))
    one = _checked(desk, _note(desk, given["note"]))
    body, offset = shapes.clean(one.note.body), given.get("offset", 0)
    changed = [shapes.citation(each) for each in one.followed if each.counts and each.verdict is not Verdict.FRESH]
    standing = {"holds": one.holds, "verdicts": shapes.counts(one.followed), **(more or {})}
    room = max(len(body) - offset, 0)

    def making(width: int, told: int) -> Callable[[int], Draft]:
        note = shapes.provenance(one.note, width)

        def make(number: int) -> Draft:
            end = _border(body, offset, offset + number)
            part, rest = body[offset:end], body[end:]
            data = {"note": note, **standing, "changed": changed[:told], "body": part, "offset": offset}
            data["next_offset"] = end if rest else None
            left = (rest.count("\n") + 1 if rest else 0) + len(changed[told:])
            return Draft(_note_text(one, data), data, left)

        return make

    for width, told in ((shapes.WIDTHS[0], _CHANGED), *((width, 0) for width in shapes.WIDTHS)):
        draft = budget.largest(min(room, budget.most * 8), making(width, told))
        if budget.fits(draft) and (draft.data["body"] or not room):
            break
    return budget.answer(draft)


def _border(body: str, begin: int, end: int) -> int:
    """Where a part of a text may end: at a line's end, if that leaves at least half of it."""
    if end >= len(body):
        return len(body)
    line = body.rfind("\n", begin, end) + 1
    return line if line - begin > (end - begin) // 2 else end


def _note_text(one: Checkup, data: Mapping[str, Any]) -> str:
    note = data["note"]
    lines = [f"# {note['title']}", "", f"note {note['id']} ({note['type']}, {note['status']}), {note['path']}"]
    if note["question"]:
        lines.append(f"asked: {note['question']}")
    lines.append(f"written by {note['by'] or 'unknown'}, {note['at'] or 'undated'}, at commit {note['commit'] or '?'}")
    lines += [f"confirmed by {by}" for by in note["confirmed_by"]]
    if note["superseded_by"]:
        lines.append(f"superseded by {note['superseded_by']}")
    lines.append(_standing(one))
    lines += [f"- {shapes.citation_text(row)}" for row in data["changed"]]
    lines += ["", shapes.fenced(data["body"])]
    if data["next_offset"] is not None:
        lines.append(f"it goes on: read_note with offset {data['next_offset']}")
    return "\n".join(lines)


def _standing(one: Checkup) -> str:
    if one.problem:
        return f"cannot be checked: {shapes.line(one.problem, 100)}"
    if not one.followed:
        return "no citations: nothing says whether it holds"
    said = "its citations hold" if one.holds else "NOT ALL of its citations hold"
    if one.holds is None:
        said = "no citation that counts, so nothing says whether it holds"
    return f"{said}: {shapes.counted(shapes.counts(one.followed))}"


def check(desk: Desk, given: Arguments, budget: Budget) -> Answer:
    """What became of every citation of a note; those that do not hold come first, as the first to be known."""
    one = _checked(desk, _note(desk, given["note"]))
    rows = [shapes.citation(each) for each in sorted(one.followed, key=lambda each: each.holds)]
    verdicts = shapes.counts(one.followed)

    def making(width: int) -> Callable[[int], Draft]:
        facts: dict[str, Any] = {"note": shapes.head(one.note, width), "holds": one.holds, "verdicts": verdicts}
        if one.problem:
            facts["problem"] = shapes.line(one.problem, width)
        title = f"{facts['note']['id']}  {facts['note']['title']}\n{_standing(one)}"

        def make(number: int) -> Draft:
            text = "\n".join([title, *(shapes.citation_text(row) for row in rows[:number])])
            return Draft(text, {**facts, "citations": rows[:number]}, len(rows) - number)

        return make

    for width in shapes.WIDTHS:
        draft = budget.largest(len(rows), making(width))
        if budget.fits(draft):
            break
    return budget.answer(draft)


def pack(desk: Desk, given: Arguments, budget: Budget) -> Answer:
    """The notes that bear on a task. `dropped` counts notes."""
    from scoutkit.model.packs import Pack, Wish
    from scoutkit.stories import packing

    budget = budget.within(given.get("budget"))

    def drafted(made: Pack, named: int) -> Draft:
        notes = [
            {"id": one.id, "title": shapes.line(one.title), "verdicts": dict(one.verdicts), "cut": one.cut}
            for one in made.notes
        ]
        dropped = [
            {"id": one.id, "title": shapes.line(one.title), "why": shapes.line(one.why)} for one in made.dropped[:named]
        ]
        data = {"pack": shapes.clean(made.text), "notes": notes, "dropped": dropped}
        return Draft(shapes.clean(made.text) or "No note bears on this.", data, len(made.dropped))

    room = budget.most * 5 // 6 - 100  # what is said of the notes, and line ends that data spells out, take some
    while True:
        made = packing.pack(desk, Wish(given["task"], budget=max(room, 1), code=given.get("code", False)))
        draft = budget.largest(len(made.dropped), lambda named, made=made: drafted(made, named))  # type: ignore[misc]
        over = budget.used(draft) - budget.most
        if over <= 0 or not made.notes:
            return budget.answer(draft)
        room -= over + 1


def _note(desk: Desk, reference: str) -> Note:
    try:
        row = desk.catalogue.resolve(reference)
    except NotFound as error:
        near = error.hint.partition("?")[0] + "? " if "?" in error.hint else ""
        raise NotFound(error.message, f"{near}search_notes finds notes by any text") from error
    return replace(desk.notebook.read(row.path).note, id=row.id, path=row.path)


def _checked(desk: Desk, note: Note) -> Checkup:
    from scoutkit.stories import standing

    return standing.survey(desk, [note], standing.target(desk, None))[0]
