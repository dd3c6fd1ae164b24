"""The search page: the ranking of `scoutkit search`, and what it can be narrowed by. Answers as one types, too."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from scoutkit.browse.markdown import visible
from scoutkit.browse.pages import Asked, Made
from scoutkit.desk import Desk
from scoutkit.model.found import Hit

SHOWN = 50
_VALUES = 6  # of each facet
_NAMES = {"is": "citations", "type": "type", "tag": "tag", "agent": "agent", "path": "folder"}
_SAID = {"fresh": "hold", "stale": "no longer hold", "uncited": "no citations", "unchecked": "not checked yet"}


def page(desk: Desk, asked: Asked) -> Made:
    """Notes for any text, best first; the newest without one. Operators in the text narrow it, and so do the links."""
    return Made("scoutkit_find.html", _told(desk, asked.arguments))


def live(desk: Desk, asked: Asked) -> Made:
    """The part of the page that changes as one types."""
    return Made("scoutkit_found.html", _told(desk, asked.arguments))


def _told(desk: Desk, arguments: Mapping[str, str]) -> dict[str, Any]:
    from scoutkit.search import finding

    text = " ".join(
        [arguments.get("q", ""), *(_operator(name, arguments[name]) for name in _NAMES if arguments.get(name))]
    ).strip()
    found = finding.find(desk.catalogue, desk.fulltext, text, limit=SHOWN)
    taken = desk.catalogue.understood(text).asked
    counted = desk.ledger.facets([hit.id for hit in found.hits])
    facets = [
        (
            _NAMES[name],
            [(_SAID.get(value, value), notes, _address(f"{text} {_operator(name, value)}")) for value, notes in values],
        )
        for name, values in ((name, counted[name].most_common(_VALUES)) for name in _NAMES)
        if len(values) > 1
    ]
    return {
        "query": text,
        **shown(desk, found.hits),
        "meant": found.meant and visible(found.meant),
        "meant_address": _address(found.meant) if found.meant else "",
        "alike": found.alike,
        "full": len(found.hits) == SHOWN,
        "facets": facets,
        "narrowed": any(taken),
    }


def shown(desk: Desk, hits: Sequence[Hit]) -> dict[str, Any]:
    """What the list of notes is told: each with what the last check said of it."""
    stands = desk.ledger.standing([hit.id for hit in hits])
    return {"hits": [_shown(hit, stands.get(hit.id)) for hit in hits]}


def quoted(value: str) -> str:
    """The value of an operator, as it is typed."""
    return f'"{value}"' if " " in value else value


def _operator(name: str, value: str) -> str:
    return f"{name}:{quoted(value)}"


def _address(text: str) -> str:
    return f"/find?{urlencode({'q': text.strip()})}"


def _shown(hit: Hit, stands: tuple[str, str] | None) -> dict[str, Any]:
    return {
        "id": hit.id,
        "title": visible(hit.title),
        "type": hit.type,
        "status": hit.status,
        "path": visible(hit.path),
        "says": _marked(hit),
        "standing": stands[0] if stands else "",
        "why": visible(stands[1]) if stands else "",
    }


def _marked(hit: Hit) -> str:
    """The snippet as HTML, its matches marked."""
    pieces, done = [], 0
    for start, end in hit.marks:
        pieces += [
            html.escape(visible(hit.snippet[done:start])),
            f"<mark>{html.escape(visible(hit.snippet[start:end]))}</mark>",
        ]
        done = end
    return "".join([*pieces, html.escape(visible(hit.snippet[done:]))])
