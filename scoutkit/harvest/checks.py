"""How far a person's own checks got before the agent and with its changes, from the run's events."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from scoutkit.harvest.events import records_of
from scoutkit.harvest.telling import telling
from scoutkit.model.evidence import Checked, Ran

_KEPT = 4_000  # lines of output


def read(records: Path, asked: Sequence[str] = ()) -> tuple[Checked, ...]:
    """Each in the order in which it was asked for; one that never ran is there too."""
    found: dict[tuple[str, str], Ran] = {}
    output: dict[tuple[str, str], list[str]] = {}
    for _, kind, text, data in records_of(records / "events.jsonl"):
        command, when = data.get("check"), data.get("when")
        if not isinstance(command, str) or when not in ("before", "after"):
            continue
        key = (command, str(when))
        if kind == "other":
            output[key] = [*output.get(key, [])[-_KEPT:], text]
        elif kind == "status":
            status, seconds, ok = data.get("exit"), data.get("seconds"), data.get("ok") is True
            found[key] = Ran(
                command,
                status if isinstance(status, int) else None,
                float(seconds) if isinstance(seconds, int | float) else None,
                () if ok else telling("\n".join(output.get(key, ()))),
                ok,
                "hung: stopped at its time limit" if data.get("hung") else "",
            )
    commands = dict.fromkeys([*asked, *(command for command, _ in found)])
    return tuple(Checked(one, found.get((one, "before")), found.get((one, "after"))) for one in commands)
