"""What a mission is told of earlier looks: a small pack of notes that hold, in its prompt; and which notes those were.

Never for a second opinion: a mission says itself whether it may be told (`Mission.recall`).
"""

from __future__ import annotations

import json
from pathlib import Path

from scoutkit.desk import Desk
from scoutkit.errors import ScoutError
from scoutkit.model.agents import Narrator
from scoutkit.model.missions import Mission, Run
from scoutkit.model.packs import Wish
from scoutkit.stories import packing

BUDGET = 1_500  # tokens of a prompt
MOST = 8  # notes that are looked at
OWN = "builtin"  # it reads git's objects, and no prompt
_FILE = "recalled.json"


def notes(desk: Desk, mission: Mission, records: Path, *, without: str = "", tell: Narrator) -> str:
    """Notes that are stable, hold at the mission's base and bear on it, ready for its prompt; "" where there are none.

    Which they are is in the run's records before this returns. That they cannot be read stops no mission.
    """
    from scoutkit.dispatch.records import write_durably

    if not mission.recall or mission.agent == OWN:
        return ""
    wish = Wish(mission.text, BUDGET, to=mission.base, only_holding=True, limit=MOST, without=(without,))
    try:
        desk.sync()  # others may have written notes meanwhile
        found = packing.pack(desk, wish)
    except ScoutError as error:
        tell(f"no notes are recalled: {error.message}")
        return ""
    if found.notes:
        write_durably(records / _FILE, json.dumps([one.id for one in found.notes]))
        tell(f"told what notes say that hold: {', '.join(one.id for one in found.notes)}")
    return found.text.rstrip()


def told(desk: Desk, run: Run) -> tuple[str, ...]:
    """The ids of the notes that a run was told of."""
    try:
        found = json.loads((desk.places.records(run.id) / _FILE).read_bytes())
    except (OSError, ValueError):
        return ()
    return tuple(one for one in found if isinstance(one, str)) if isinstance(found, list) else ()
