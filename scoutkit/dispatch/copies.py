"""Copies of what a run might change, so that it can be restored: one file of contents, one of what they were.

In a run's records, for the user's eyes only: `fingerprint.json` and `kept` while the run goes on; `changed.json` from
its end on, and `kept` only with what restoring takes. The contents are the user's own files, as they are: the one
thing in the records that is not redacted.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Self

from scoutkit.dispatch.records import write_durably
from scoutkit.errors import ScoutError
from scoutkit.model.fingerprints import Checkout, Difference, Entry, Fingerprint, Seen

FINGERPRINT, CHANGED, KEPT = "fingerprint.json", "changed.json", "kept"


class Copies:
    """Contents by name in one file, which is read and written from front to back."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.places: dict[str, tuple[int, int]] = {}
        self._end = 0
        handle = os.open(folder / KEPT, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
        self._file = os.fdopen(handle, "w+b")
        self.began = os.fstat(handle).st_ctime_ns

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def add(self, name: str, content: bytes) -> None:
        """Keep a content, once."""
        if name not in self.places:
            self._file.write(content)
            self.places[name] = (self._end, len(content))
            self._end += len(content)

    def seal(self) -> Mapping[str, tuple[int, int]]:
        """On disk; where each content is."""
        self._file.flush()
        os.fsync(self._file.fileno())
        return self.places


def content(folder: Path, place: tuple[int, int]) -> bytes:
    """One content. OSError when it cannot be read, or is not whole."""
    start, size = place
    with (folder / KEPT).open("rb") as file:
        file.seek(start)
        found = file.read(size)
    if len(found) != size:
        raise OSError(f"{folder / KEPT} is not whole")
    return found


def save(folder: Path, before: Fingerprint, places: Mapping[str, tuple[int, int]]) -> None:
    """Keep what a repository was like."""
    write(folder / FINGERPRINT, {"fingerprint": _packed(before), "kept": places})


def load(folder: Path) -> tuple[Fingerprint, dict[str, tuple[int, int]]] | None:
    """What `save` kept; None when there is none. ValueError when it is damaged."""
    found = _read(folder / FINGERPRINT)
    if found is None:
        return None
    try:
        return _unpacked(found["fingerprint"]), {name: (at, size) for name, (at, size) in found["kept"].items()}
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{folder / FINGERPRINT} is damaged") from error


def settle(folder: Path, found: Iterable[Difference], places: Mapping[str, tuple[int, int]]) -> tuple[Difference, ...]:
    """Keep what changed, and of the copies those that restoring it takes. As it was kept: a copy may be damaged."""
    found = list(found)
    wanted = {name for one in found for name in _needs(one)} & places.keys()
    kept, at = {}, 0
    pieces = []
    for name in sorted(wanted):
        try:
            pieces.append(content(folder, places[name]))
        except OSError:
            continue
        kept[name] = (at, len(pieces[-1]))
        at += len(pieces[-1])
    lost = wanted - kept.keys()
    found = [replace(one, why_not="its copy was damaged") if lost & set(_needs(one)) else one for one in found]
    if pieces:
        fresh = folder / f"{KEPT}.new"
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.writelines(pieces)
            file.flush()
            os.fsync(file.fileno())
    write(folder / CHANGED, {"differences": [asdict(one) for one in found], "kept": kept})
    if pieces:
        fresh.replace(folder / KEPT)
    else:
        (folder / KEPT).unlink(missing_ok=True)
    (folder / FINGERPRINT).unlink(missing_ok=True)
    return tuple(found)


def _needs(one: Difference) -> tuple[str, str]:
    return one.before.digest if one.before else "", one.old


def changed(folder: Path) -> tuple[tuple[Difference, ...], dict[str, tuple[int, int]]] | None:
    """What `settle` kept: differences, and where the contents are; None when there is none."""
    found = _read(folder / CHANGED)
    if found is None:
        return None
    if (folder / f"{KEPT}.new").exists():  # cut short between the two
        (folder / f"{KEPT}.new").replace(folder / KEPT)
    try:
        listed = [{**one, "before": _seen(one["before"]), "after": _seen(one["after"])} for one in found["differences"]]
        places = {name: (at, size) for name, (at, size) in found["kept"].items()}
        return tuple(Difference(**one) for one in listed), places
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise ScoutError(f"{folder / CHANGED} is damaged", "what it kept cannot be restored from it") from error


def write(path: Path, value: Any) -> None:
    """As JSON, on disk whole or not at all; names that are no text survive."""
    write_durably(path, json.dumps(value, separators=(",", ":")))


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return None


def _packed(one: Fingerprint) -> dict[str, Any]:
    return {
        **{name: getattr(one, name) for name in ("at", "refs", "packs", "loose", "unseen")},
        "own": {name: _row(seen) for name, seen in one.own.items()},
        "outside": {name: _row(seen) for name, seen in one.outside.items()},
        "checkouts": {root: _packed_checkout(each) for root, each in one.checkouts.items()},
    }


def _packed_checkout(one: Checkout) -> dict[str, Any]:
    entries = {path: [each.status, _row(each.seen), each.blob, each.mode] for path, each in one.entries.items()}
    return {"git_dir": one.git_dir, "head": one.head, "index": one.index, "staged": one.staged, "entries": entries}


def _unpacked(one: dict[str, Any]) -> Fingerprint:
    checkouts = {}
    for root, each in one["checkouts"].items():
        rows = each["entries"].items()
        entries = {path: Entry(status, _of(row), blob, mode) for path, (status, row, blob, mode) in rows}
        checkouts[root] = Checkout(**{**each, "entries": entries})
    seen = {name: {path: _whole(row) for path, row in one[name].items()} for name in ("own", "outside")}
    return Fingerprint(
        **{**one, **seen, "packs": tuple(one["packs"]), "unseen": tuple(one["unseen"]), "checkouts": checkouts}
    )


def _row(seen: Seen | None) -> list[Any] | None:
    return [seen.kind, seen.mode, seen.size, seen.digest, *seen.stamp] if seen else None


def _of(row: list[Any] | None) -> Seen | None:
    return _whole(row) if row else None


def _whole(row: list[Any]) -> Seen:
    kind, mode, size, digest, *stamp = row
    return Seen(kind, mode, size, digest, (stamp[0], stamp[1], stamp[2]))


def _seen(one: dict[str, Any] | None) -> Seen | None:
    return Seen(**{**one, "stamp": tuple(one["stamp"])}) if one else None
