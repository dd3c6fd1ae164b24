"""The front page: what this codebase knows."""

from __future__ import annotations

from scoutkit.browse.pages import Asked, Made
from scoutkit.desk import Desk


def page(desk: Desk, _: Asked) -> Made:
    """Recent notes."""
    notes = [
        {"id": one.id, "title": one.title, "type": one.type, "status": one.status}
        for one in desk.catalogue.list(limit=20)
    ]
    return Made("scoutkit_front.html", {"name": desk.places.root.name, "notes": notes})
