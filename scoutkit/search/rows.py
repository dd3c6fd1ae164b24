"""Notes as rows: the only module that writes what the catalogue says about notes.

Called inside a transaction; notes, their citations, tags and problems and the full-text index change together.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from scoutkit.model.found import Problem
from scoutkit.model.notes import Note
from scoutkit.notefile import Parsed, quickly
from scoutkit.notefile.text import storable
from scoutkit.search import runs, signs, store
from scoutkit.search.cards import headings
from scoutkit.search.work import File, Known, Work
from scoutkit.words import hidden, plain

_BULK = 50  # from so many notes on, sqlite-utils is worth its import
_IDS = "0123456789abcdefghjkmnpqrstvwxyz"
_PATH = {"path": "CAST(? AS TEXT)"}  # a path may hold bytes that are no text; SQLite keeps them


class Written(NamedTuple):
    """How many notes changed and how many went."""

    changed: int
    removed: int


def write(connection: sqlite3.Connection, worktree: str, work: Work) -> Written:
    """Do the work of one transaction."""
    claimed: set[str] = set()
    gone = [row[3] for row in work.gone if _is_as_known(connection, row)]
    gone += _of_lost_worktrees(connection)
    fresh = [file for file in work.files if not _unchanged(connection, worktree, file)]
    old = {file.path: key for file in fresh if (key := _key(connection, worktree, file.path)) is not None}
    claimed |= _remove(connection, [*gone, *old.values()])
    claimed |= _insert(connection, worktree, fresh, old)
    _settle_ids(connection, worktree, claimed)
    if work.unreadable is not None:
        connection.execute("DELETE FROM problems WHERE worktree = ? AND origin = 'folder'", (worktree,))
        _problems(connection, worktree, "folder", work.unreadable)
    if gone or fresh:
        runs.link(connection)
        connection.execute("UPDATE state SET value = value + 1 WHERE name = 'generation'")
    return Written(len(fresh), len(gone))


def tidy(connection: sqlite3.Connection) -> None:
    """Make one of the many parts of a full-text index that was written bit by bit: a tenth less to read at a search."""
    connection.execute("INSERT INTO notes_fts (notes_fts) VALUES ('optimize')")


def path_id(path: str) -> str:
    """The id of a note that claims none, or one that another note has: always the same for a path."""
    digest = hashlib.sha256(path.encode("utf-8", "surrogateescape")).digest()
    return "".join(_IDS[byte % 32] for byte in digest[:8])


def _is_as_known(connection: sqlite3.Connection, row: Known) -> bool:
    """Is the row still what it was when its file was missed? Else another process has seen the file since."""
    sql = "SELECT 1 FROM files WHERE mtime = ? AND size = ? AND settled = ? AND key = ?"
    return connection.execute(sql, row).fetchone() is not None


def _of_lost_worktrees(connection: sqlite3.Connection) -> list[int]:
    """Notes kept for worktrees that are not there any more."""
    names = [name for (name,) in connection.execute("SELECT DISTINCT worktree FROM files WHERE worktree != ''")]
    lost = [name for name in names if not Path(name).is_dir()]
    found = [connection.execute("SELECT key FROM files WHERE worktree = ?", (name,)).fetchall() for name in lost]
    connection.executemany("DELETE FROM problems WHERE worktree = ?", [(name,) for name in lost])
    return [key for keys in found for (key,) in keys]


def _key(connection: sqlite3.Connection, worktree: str, path: str) -> int | None:
    found = connection.execute(
        "SELECT key FROM files WHERE worktree = ? AND path = CAST(? AS TEXT)", (worktree, store.bound(path))
    ).fetchone()
    return int(found[0]) if found else None


def _unchanged(connection: sqlite3.Connection, worktree: str, file: File) -> bool:
    """Only its time changed, or another process was faster: then remembering that is enough."""
    return bool(
        connection.execute(
            "UPDATE files SET mtime = ?, size = ?, settled = ?"
            " WHERE worktree = ? AND path = CAST(? AS TEXT) AND hash = ?",
            (file.mtime, file.size, file.settled, worktree, store.bound(file.path), file.hash),
        ).rowcount
    )


def _remove(connection: sqlite3.Connection, keys: Sequence[int]) -> set[str]:
    """Take notes out of everything, the index first: it needs the text that went in. Returns the ids they claimed."""
    claimed = set()
    for key in keys:
        found = connection.execute("SELECT claimed FROM files WHERE key = ?", (key,)).fetchone()
        connection.execute(
            f"INSERT INTO notes_fts (notes_fts, rowid, {store.TEXTS})"
            f" SELECT 'delete', key, {store.TEXTS} FROM note_texts WHERE key = ?",
            (key,),
        )
        connection.execute(
            "DELETE FROM problems WHERE origin != 'folder'"
            " AND (path, worktree) IN (SELECT path, worktree FROM files WHERE key = ?)",
            (key,),
        )
        for statement in (
            "DELETE FROM citations WHERE note = ?",
            "DELETE FROM tags WHERE note = ?",
            "UPDATE runs SET note = NULL WHERE note = ?",
            "DELETE FROM notes WHERE key = ?",
            "DELETE FROM hidden_words WHERE key = ?",
            "DELETE FROM signs WHERE key = ?",
            "DELETE FROM files WHERE key = ?",
        ):
            connection.execute(statement, (key,))
        claimed.add(found[0])
    return claimed


def _insert(connection: sqlite3.Connection, worktree: str, files: Sequence[File], old: dict[str, int]) -> set[str]:
    """Put notes in; a file keeps the key it had, and no key is used twice. Returns the ids they claim."""
    last = int(connection.execute("SELECT value FROM state WHERE name = 'last key'").fetchone()[0])
    rows: dict[str, list[dict[str, object]]] = {
        name: [] for name in ("notes", "files", "hidden_words", "signs", "citations", "tags")
    }
    claimed = set()
    for file in files:
        parsed = quickly(file.raw, file.path)
        if (key := old.get(file.path)) is None:
            key = last = last + 1
        rows["notes"].append(_note(key, worktree, parsed.note, file.path))
        rows["files"].append(_file(key, worktree, parsed, file))
        rows["hidden_words"].append({"key": key, **_beside(parsed.note, file.path)})
        rows["signs"].append({"key": key, "found": _signs(parsed.note)})
        rows["citations"] += _citations(key, parsed.note)
        rows["tags"] += ({"tag": tag, "note": key} for tag in dict.fromkeys(parsed.note.tags))
        _problems(connection, worktree, "note", parsed.problems)
        claimed.add(parsed.note.id)
    for name, some in rows.items():
        _bulk(connection, name, some, plain=len(files) < _BULK)
    connection.executemany(
        f"INSERT INTO notes_fts (rowid, {store.TEXTS}) SELECT key, {store.TEXTS} FROM note_texts WHERE key = ?",
        [(row["key"],) for row in rows["notes"]],
    )
    connection.execute("UPDATE state SET value = ? WHERE name = 'last key'", (last,))
    return claimed


def _bulk(connection: sqlite3.Connection, table: str, rows: Sequence[dict[str, object]], *, plain: bool) -> None:
    if not rows:
        return
    if not plain:
        from sqlite_utils import Database

        database = Database(connection, recursive_triggers=False, execute_plugins=False)
        database.table(table).insert_all(rows, conversions=_PATH if "path" in rows[0] else None)
        return
    names = ", ".join(f'"{name}"' for name in rows[0])
    values = ", ".join(_PATH.get(name, "?") for name in rows[0])
    connection.executemany(f"INSERT INTO {table} ({names}) VALUES ({values})", [tuple(row.values()) for row in rows])


def _note(key: int, worktree: str, note: Note, path: str) -> dict[str, object]:
    return {
        "key": key,
        "id": note.id or path_id(path),
        "title": note.title,
        "type": note.type,
        "status": note.status,
        "description": note.description,
        "question": note.question,
        "at": note.at,
        "by": note.by,
        "confirmed": max((at for _, at in note.verified), default=""),
        "commit": note.commit,
        "path": store.bound(path),
        "worktree": worktree,
        "body": note.body,
    }


def _file(key: int, worktree: str, parsed: Parsed, file: File) -> dict[str, object]:
    note = parsed.note
    return {
        "key": key,
        "worktree": worktree,
        "type": note.type,
        "status": note.status,
        "at": note.at or datetime.fromtimestamp(file.mtime / 1e9, UTC).isoformat(timespec="seconds"),
        "path": store.bound(file.path),
        "mtime": file.mtime,
        "size": file.size,
        "settled": file.settled,
        "hash": file.hash,
        "claimed": note.id,
        "claim_line": parsed.id_line,
        "asked": plain(note.question),
        "by": note.by,
    }


def _beside(note: Note, path: str) -> dict[str, object]:
    """What the index has a column for and `notes` has none, and the words that all of it hides."""
    cited = " ".join(dict.fromkeys(part for one in note.citations for part in (one.path, one.symbol) if part))
    tags = " ".join(note.tags)
    text = f"{note.title}\n{note.description}\n{note.question}\n{tags} {cited} {path}\n{note.body}"
    return {
        "headings": storable("\n".join(headings(note.body))),
        "cited": storable(cited),
        "tags": storable(tags),
        "hidden": storable(f"{path}\n{' '.join(hidden(text))}"),
    }


def _signs(note: Note) -> str | None:
    return signs.of(f"{note.title}\n{note.description}\n{note.question}\n{note.body}")


def _citations(key: int, note: Note) -> Iterable[dict[str, object]]:
    for position, one in enumerate(note.citations, 1):
        yield {
            "note": key,
            "position": position,
            "path": store.bound(one.path),
            "start": one.start,
            "end": one.end,
            "verdict": one.verdict.value if one.verdict else "",
            "symbol": storable(one.symbol),
            "was": storable(one.was),
        }


def _problems(connection: sqlite3.Connection, worktree: str, origin: str, found: Iterable[Problem]) -> None:
    connection.executemany(
        "INSERT INTO problems (path, line, problem, hint, worktree, origin) VALUES (CAST(? AS TEXT), ?, ?, ?, ?, ?)",
        [
            (store.bound(one.path), one.line, storable(one.problem), storable(one.hint), worktree, origin)
            for one in found
        ],
    )


def _settle_ids(connection: sqlite3.Connection, worktree: str, claimed: Iterable[str]) -> None:
    """Of notes that claim the same id the first by path has it; the others go by their path, and all are reported."""
    for wanted in claimed:
        if not wanted:
            continue
        rows = connection.execute(
            "SELECT key, path, claim_line FROM files WHERE worktree = ? AND claimed = ? ORDER BY path",
            (worktree, wanted),
        ).fetchall()
        for index, (key, path, line) in enumerate(rows):
            name = path_id(path) if index else wanted
            connection.execute("UPDATE notes SET id = ? WHERE key = ? AND id != ?", (name, key, name))
            connection.execute(
                "DELETE FROM problems WHERE worktree = ? AND path = CAST(? AS TEXT) AND origin = 'id'",
                (worktree, store.bound(path)),
            )
            others = ", ".join(other for _, other, _ in rows if other != path)
            if others:
                problem = Problem(path, line, f"the id {wanted} is also in {others}", "give one of them another id")
                _problems(connection, worktree, "id", [problem])
