"""The pages of runs: what each cost and yielded, and one run's events in order."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any

from scoutkit.browse.markdown import visible
from scoutkit.browse.pages import Asked, Made
from scoutkit.desk import Desk
from scoutkit.model.missions import Run

SHOWN = 100
_EVENTS = 400  # that are shown of one run
_WIDEST = 400  # characters of an event


def page(desk: Desk, asked: Asked) -> Made:
    """Runs, newest first, and what all of them took."""
    wanted = asked.arguments.get("agent", "")
    runs = [run for run in desk.journal.runs() if not wanted or run.agent == wanted]
    cited = desk.catalogue.cited([run.note_id for run in runs[:SHOWN] if run.note_id])
    titles = _titles(desk, [run.note_id for run in runs[:SHOWN] if run.note_id])
    told = {
        "runs": [_row(run, cited.get(run.note_id), titles.get(run.note_id, "")) for run in runs[:SHOWN]],
        "more": max(0, len(runs) - SHOWN),
        "agent": visible(wanted),
        "agents": sorted({run.agent for run in runs}),
        "seconds": duration(sum(run.seconds or 0 for run in runs)),
        "cost": sum(run.usage.cost_usd or 0 for run in runs),
        "count": len(runs),
    }
    return Made("scoutkit_runs.html", told)


def one(desk: Desk, asked: Asked) -> Made:
    """One run: what it was, how it went, its events. NotFound where there is none of this id."""
    from scoutkit.dispatch import recorded

    run = desk.journal.get(asked.parts["id"])
    events = list(islice(recorded.timeline(desk.places.records(run.id)), _EVENTS + 1))
    told = {
        **_row(
            run, desk.catalogue.cited([run.note_id]).get(run.note_id), _titles(desk, [run.note_id]).get(run.note_id, "")
        ),
        "text": visible(run.text),
        "base": run.base,
        "reason": visible(run.reason),
        "isolation": run.isolation,
        "exit": run.exit,
        "version": visible(run.version),
        "model": visible(run.model),
        "tokens": (run.usage.input_tokens, run.usage.output_tokens),
        "events": [
            {"at": visible(at), "kind": event.kind.value, "text": visible(event.text[:_WIDEST])}
            for at, event in events[:_EVENTS]
        ],
        "cut": len(events) > _EVENTS,
    }
    return Made("scoutkit_run.html", told)


def duration(seconds: float) -> str:
    """How long, for a person: `0.4 s`, `3 min`, `2.5 h`."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    return f"{seconds / 60:.0f} min" if seconds < 3600 else f"{seconds / 3600:.1f} h"


def _titles(desk: Desk, ids: Sequence[str]) -> dict[str, str]:
    return {hit.id: visible(hit.title) for hit in desk.catalogue.by_ids(ids)}


def _row(run: Run, cited: tuple[int, int] | None, title: str) -> dict[str, Any]:
    return {
        "id": run.id,
        "kind": run.kind.value,
        "text": visible(" ".join(run.text.split())[:_WIDEST]),
        "agent": visible(run.agent),
        "started": run.started,
        "state": run.state.value,
        "result": run.result.value if run.result else "",
        "took": "" if run.seconds is None else duration(run.seconds),
        "cost": run.usage.cost_usd,
        "note": run.note_id if run.note_path else "",
        "title": title,
        "cited": cited,
    }
