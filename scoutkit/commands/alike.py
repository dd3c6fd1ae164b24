"""Notes that say what a note just written says: pointed out, never merged."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from scoutkit.commands import say

if TYPE_CHECKING:
    from scoutkit.desk import Desk
    from scoutkit.model.notes import Note

_SHOWN = 3


def tell(desk: Desk, note: Note, name: str = "", without: Collection[str] = ()) -> list[dict[str, Any]]:
    """Say on stderr which notes are much like this one, but for those it takes the place of; and as rows for scripts.

    `name` is what the person calls it, where one command writes several; `without` are files of notes that it may be
    like.
    """
    found = desk.catalogue.much_like(f"{note.title}\n{note.body}", without={note.path, *without})
    found = [hit for hit in found if hit.id not in (note.id, *note.supersedes) and hit.status != "deprecated"][:_SHOWN]
    for hit in found:
        say.tell(f"{name}{': ' if name else ''}much like {hit.id}: {hit.title}")
    return [{"note": note.id, "id": hit.id, "path": hit.path, "title": hit.title} for hit in found]
