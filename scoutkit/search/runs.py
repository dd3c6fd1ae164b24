"""Runs as rows, so that a person finds them beside the notes they ended in. The journal stays the truth about them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from scoutkit.model.missions import Run
from scoutkit.search import store

_COLUMNS = (
    *("id", "kind", "text", "agent", "state", "result", "reason", "started", "seconds", "cost_usd", "input_tokens"),
    *("output_tokens", "model", "version", "base", "isolation", "exit", "note_id"),
)


def link(connection: sqlite3.Connection) -> None:
    """Runs know the note they ended in by its id; this is the row it has now, the main worktree's before another's."""
    row = "SELECT key FROM notes WHERE notes.id = runs.note_id ORDER BY worktree LIMIT 1"
    connection.execute(f"UPDATE runs SET note = ({row}) WHERE note IS NOT ({row})")


def record(connection: sqlite3.Connection, runs: Iterable[Run], stamp: str) -> None:
    """Make the runs table what the journal says, and keep its stamp. Writes nothing when all is so."""
    wanted = {run.id: _row(run) for run in runs}
    columns = ", ".join(f'"{name}"' for name in _COLUMNS)
    had = {row[0]: row for row in connection.execute(f"SELECT {columns} FROM runs")}
    known = connection.execute("SELECT value FROM state WHERE name = 'runs'").fetchone() or ("",)
    if wanted == had and known[0] == stamp:
        return
    with store.writing(connection):
        connection.executemany("DELETE FROM runs WHERE id = ?", [(one,) for one in had if had[one] != wanted.get(one)])
        connection.executemany(
            f"INSERT OR REPLACE INTO runs ({columns}) VALUES ({', '.join('?' * len(_COLUMNS))})",
            [row for one, row in wanted.items() if had.get(one) != row],
        )
        connection.execute("INSERT OR REPLACE INTO state (name, value) VALUES ('runs', ?)", (stamp,))
        link(connection)


def _row(run: Run) -> tuple[object, ...]:
    return (
        run.id,
        run.kind.value,
        _storable(run.text),
        run.agent,
        run.state.value,
        run.result.value if run.result else None,
        _storable(run.reason),
        run.started,
        run.seconds,
        run.usage.cost_usd,
        run.usage.input_tokens,
        run.usage.output_tokens,
        _storable(run.model),
        _storable(run.version),
        run.base,
        run.isolation,
        run.exit,
        run.note_id,
    )


def _storable(text: str) -> str:
    """What SQLite holds as text."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode()
