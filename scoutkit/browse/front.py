"""The front page: what this codebase knows, what of it no longer holds, what it cost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from scoutkit.browse.markdown import inline, visible
from scoutkit.browse.pages import Asked, Made
from scoutkit.browse.runs import duration
from scoutkit.browse.watching import WEEKS, last_sundays
from scoutkit.desk import Desk
from scoutkit.search.health import VERDICTS
from scoutkit.search.overview import Overview
from scoutkit.stories import recall

SHOWN = 8


def page(desk: Desk, _: Asked) -> Made:
    """Everything at a glance."""
    seen = _overview(desk)
    said = desk.ledger.said()
    weeks = desk.ledger.weeks(WEEKS)
    told = {
        "name": visible(desk.repository.name),
        "notes": [_row(one) for one in desk.catalogue.list(limit=SHOWN)],
        "count": seen.notes,
        "holding": seen.holding,
        "stale": seen.stale,
        "uncited": seen.uncited,
        "unchecked": seen.notes - seen.holding - seen.stale - seen.uncited,
        "checked": said.oldest,
        "problems": len(desk.catalogue.problems()),
        "broken": [_row(one) for one in seen.broken],
        "files": seen.files,
        "questions": [{**_row(one), "says": inline(one.says)} for one in seen.questions],
        "spent": _spent(desk),
        "weeks": [{"week": one.week, **{name: one.counts[name] for name in VERDICTS}} for one in weeks],
        "verdicts": VERDICTS,
        "folders": seen.folders,
        "plots": json.dumps(
            {
                "weeks": [
                    {"week": one.week, "verdict": name, "citations": one.counts[name]}
                    for one in weeks
                    for name in VERDICTS
                ],
                "all_weeks": last_sundays()[::-1],
                "folders": [
                    {"folder": visible(one.path), "standing": standing, "notes": notes}
                    for one in seen.folders
                    for standing, notes in (
                        ("hold", one.notes - one.stale - one.unchecked),
                        ("not checked yet", one.unchecked),
                        ("no longer hold", one.stale),
                    )
                ],
            }
        ),
    }
    return Made("scoutkit_front.html", told, styled=True)


_SEEN: dict[tuple[str, str], tuple[object, Overview]] = {}
"""What each catalogue said last, and what its files were then: it takes a fifth of a second with 10,000 notes."""


def _overview(desk: Desk) -> Overview:
    catalogue = desk.catalogue
    which = (str(catalogue.path), catalogue.worktree)
    stamp = [_stamp(Path(f"{catalogue.path}{suffix}")) for suffix in ("", "-wal")]
    known = _SEEN.get(which)
    if known and known[0] == stamp:
        return known[1]
    seen = desk.ledger.overview(SHOWN)
    _SEEN[which] = (stamp, seen)
    return seen


def _stamp(file: Path) -> tuple[int, int]:
    try:
        about = file.stat()
    except OSError:
        return 0, 0
    return about.st_size and about.st_mtime_ns, about.st_size


def _row(one: Any) -> dict[str, Any]:
    shown = {name: getattr(one, name, "") for name in ("id", "type", "status", "at")}
    return {**shown, "title": visible(one.title), "says": visible(getattr(one, "says", ""))}


def _spent(desk: Desk) -> dict[str, Any]:
    """What agents took in all, and what memory saved."""
    sql = "SELECT count(*), coalesce(sum(seconds), 0), coalesce(sum(cost_usd), 0), count(cost_usd) FROM runs"
    runs, seconds, cost, priced = desk.catalogue.connection.execute(sql).fetchone()
    saved = recall.saved(desk)
    return {
        "runs": runs,
        "time": duration(seconds),
        "cost": cost,
        "priced": priced,
        "saved": saved,
        "saved_time": duration(saved.seconds),
    }
