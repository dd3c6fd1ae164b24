"""What is known about places, for people, editors and scripts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from scoutkit.commands import say

if TYPE_CHECKING:
    from scoutkit.stories.bearing import Place
    from scoutkit.stories.knowing import Answer, Known

_INDENT = " " * 10
_MOST = 5  # places of one note that a person is shown


def as_json(answer: Answer) -> None:
    """One document: the notes as hits, each with its places."""
    say.as_json(
        "about",
        hits=[note_json(one) for one in answer.known],
        drifted=answer.drifted,
        unfollowed=answer.unfollowed,
        more=answer.more,
    )


def note_json(one: Known) -> dict[str, Any]:
    """A hit with its places."""
    note = one.note
    row = {key: getattr(note, key) for key in ("id", "path", "title", "type", "status")}
    places = [_place_json(place) for place in one.places]
    return {**row, "score": round(one.score, 4), "snippet": one.says, "places": places}


def _place_json(place: Place) -> dict[str, Any]:
    followed, now = place.followed, place.followed.now
    located = followed.located
    row = {
        **say.citation_json(followed.citation),
        "verdict": followed.verdict,
        "now": {"path": now.path, "start": now.start, "end": now.end} if now else None,
        "similarity": round(located.similarity, 3) if located else None,
    }
    if place.changed:
        row["changed"] = list(place.changed)
    return {**row, "why": followed.why} if followed.why else row


def table(answer: Answer) -> None:
    """Each note with what it says there, and what became of the places it cites."""
    for one in answer.known:
        say.hits([_hit(one)])
        for place in one.places[:_MOST]:
            for line in _lines(place):
                say.answer(f"{_INDENT}{say.paint(line, 2)}")
        if len(one.places) > _MOST:
            say.answer(f"{_INDENT}{say.paint(f'and {len(one.places) - _MOST} more places', 2)}")


def _hit(one: Known) -> Any:
    from scoutkit.model.found import Hit

    note = one.note
    return Hit(note.id, note.path, note.title, note.type, note.status, one.score, one.says, one.marks)


def _lines(place: Place) -> Iterator[str]:
    from scoutkit.commands.verdicts import sentence

    yield sentence(place.followed, None)
    yield from (f"  {line}" for line in place.changed)


def lines(answer: Answer) -> None:
    """A line for each place, as compilers write it: `src/app.py:12: title (moved, note 7k3m9q2d)`."""
    for one in answer.known:
        state = "" if one.note.status == "stable" else f"{one.note.status} "
        for place in one.places:
            title = " ".join(one.note.title.split())
            at = f"{place.at.path}:{max(place.at.start, 1)}"
            say.answer(f"{at}: {title} ({place.followed.verdict}, {state}note {one.note.id})")


def tell(answer: Answer) -> None:
    """What is left out, on stderr."""
    if answer.more:
        say.tell(f"{say.count(answer.more, 'more note')}: --limit {len(answer.known) + answer.more}")
    if answer.unfollowed:
        say.tell(f"{say.count(answer.unfollowed, 'more note')} not looked at: name a smaller place")
    if answer.drifted:
        verb = "cites" if answer.drifted == 1 else "cite"
        say.tell(f"{say.count(answer.drifted, 'note')} on this file {verb} other lines, or lines that are gone")
