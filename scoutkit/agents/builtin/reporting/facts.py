"""A report's facts as data that scripts read: the schema is `facts` in commands/schemas/ask.json."""

from __future__ import annotations

import math
from typing import Any

from scoutkit.agents.builtin.ranking.confidence import band
from scoutkit.agents.builtin.reporting import chain, wording
from scoutkit.agents.builtin.reporting.beside import Beside
from scoutkit.agents.builtin.reporting.evidence import Cited
from scoutkit.agents.builtin.reporting.findings import Findings
from scoutkit.agents.builtin.reporting.past import Commit


def facts(found: Findings) -> dict[str, Any]:
    """What `report.write` says in words. Lines count from 1; a place is where the code says so."""
    margin = found.ranking.margin
    worth = band(margin)
    drawn = chain.drawn(found.graph)
    return {
        "kind": found.kind.value,
        "confidence": {
            "word": wording.sure(found),
            "exact": found.exact,
            "lead": round(margin, 3) if math.isfinite(margin) else None,
            "first": worth.first,
            "five": worth.five,
        },
        "absent": list(found.ranking.absent),
        "ranges": [
            {**_place(spot.cited), "symbol": spot.place.qualified or None, "says": spot.said or None}
            for spot in found.spots
        ],
        "calls": [
            {
                "caller": edge.caller.name or None,
                "callee": edge.callee.name,
                "at": _place(edge.cited),
                "defined": {"path": edge.callee.path, "start": edge.callee.start, "end": edge.callee.end},
                "sure": edge.sure,
                "drawn": edge in drawn,
            }
            for edge in found.graph.edges
        ],
        "entrances": [
            {"kind": one.kind, "name": one.said, "leads_to": one.node.name, "at": _place(one.cited)}
            for one in found.entrances
        ],
        "uses": [
            {
                "symbol": one.node.name,
                "defined": _place(one.cited) if one.cited else None,
                "files": [
                    {
                        "path": file.path,
                        "lines": list(file.lines),
                        "in": list(file.holders),
                        "sure": file.sure,
                        "test": file.test,
                    }
                    for file in one.files
                ],
                "unread": one.cut,
            }
            for one in found.usages
        ],
        "settings": [
            {
                "name": one.name,
                "of": one.owner or None,
                "kind": one.kind,
                "says": one.said or None,
                "default": one.default or None,
                "at": _place(one.cited),
                "used": [_place(read) for read in one.reads],
            }
            for one in found.settings
        ],
        "reasons": [{"says": one.text, "at": _place(one.cited)} for one in found.reasons],
        "failures": [{"name": cited.name, "in": name, "at": _place(cited)} for name, cited in found.failures],
        "frames": [{"symbol": one.node.name if one.node else None, "at": _place(one.cited)} for one in found.frames],
        "tests": list(map(_beside, found.tests)),
        "documents": list(map(_beside, found.documents)),
        "commits": list(map(_commit, found.made or found.past.commits)),
        "together": [{"path": one.path, "times": one.times, "of": one.of} for one in found.past.together],
        "questions": [{"text": one.text, "between": [_place(cited) for cited in one.places]} for one in found.open],
    }


def _place(cited: Cited) -> dict[str, Any]:
    return {"path": cited.path, "start": cited.start, "end": cited.end}


def _beside(one: Beside) -> dict[str, Any]:
    return {**_place(one.cited), "title": one.title}


def _commit(one: Commit) -> dict[str, Any]:
    return {"id": one.id, "when": one.when, "subject": one.subject, "reason": one.reason or None}
