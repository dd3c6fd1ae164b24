"""One tree in the cache: has read what is not known of its files, and writes down which segments make it up."""

from __future__ import annotations

import json
import os
import struct
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any

from scoutkit import git
from scoutkit.agents.builtin.indexing import pathset, votes
from scoutkit.agents.builtin.indexing.paths import Role, role_of
from scoutkit.agents.builtin.indexing.store import BINARY, HUGE, NOTE, POINTER, Known, PathSet, Store
from scoutkit.complaints import failure
from scoutkit.errors import ScoutError

NOWHERE = 0xFFFF  # instead of a segment: the file was not read
_OURS = (".claude/notes/", ".claude/scoutkit/")  # a note holds the question it answered
_MANY_TESTS = 10_000  # beyond this tests are not parsed
_AT_ONCE = 30_000  # files: of more it takes a second to find out which are not known
_CROWD = 60  # small segments that one tree may be spread over before its files are read again
_SMALL = 100  # files
_AGAIN = 400  # files that are read again at once

Say = Callable[[str], None]


class Cold(ScoutError):
    """More is not known of a tree than somebody would wait for."""


def prepare(
    store: Store, where: Path, commit: str, say: Say, *, docs: bool, workers: int, most: int | None = None
) -> str:
    """See that the cache has all of a commit's tree; the key it is known by there. Cold where that takes reading more
    than `most` bytes, or looking at very many files. So many bytes are read all the same, unless there are far more."""
    named = git.begin(where, "rev-parse", "--verify", f"{commit}^{{tree}}")
    left_out = _skipped(git.git(where, "ls-files", "-t", "-z").text)
    found = named()
    if found.code:
        raise failure(where, found.error)
    root = found.text.strip()
    key = f"{root}-{_digest(left_out)}" if left_out else root
    key = key if docs else f"{key}-undocumented"
    if is_there(store, key):
        return key

    def waiting() -> None:
        if most is not None:
            raise Cold("this commit is being indexed just now")
        say("another run is reading this repository: waiting for it")

    with store.builder(_objects(where), waiting):
        if is_there(store, key):
            return key
        entries = [
            entry
            for entry in git.tree(where, commit)
            if entry.mode.startswith("100") and entry.path not in left_out and not entry.path.startswith(_OURS)
        ]
        if most is not None and len(entries) > _AT_ONCE:
            raise Cold("this commit is not indexed yet")
        names = [entry.path for entry in entries]
        paths = pathset.key_of(names)
        told = store.paths(paths)
        roles = pathset.unpack(told)[0] if told is not None else "".join(map(role_of, names))
        forms = _forms(names, roles, docs=docs)
        known = _read_missing(store, where, entries, forms, say, docs=docs, workers=workers, most=most)
        if most is None and (crowded := _crowded(known)):
            known = _read_missing(store, where, entries, forms, say, docs=docs, workers=workers, again=crowded)
        subjects = list(votes.read(where, commit, names))
        kept = PathSet(paths, told or pathset.pack(roles, names), lambda: pathset.words(names))
        store.keep(key, _said(entries, forms, known), kept, subjects)
        store.trim(keep={number for number, _ in known.values()})
    return key


def _digest(paths: Iterable[str]) -> str:
    from hashlib import sha256

    return sha256(os.fsencode("\0".join(sorted(paths)))).hexdigest()[:16]


def is_there(store: Store, key: str) -> bool:
    """Is a tree ready to be asked? It then counts as used."""
    found = store.snapshot(key)
    if found is None:
        return False
    segments = unpack(found.said)[0]["segments"]
    if store.pieces(segments) is None:
        return False
    store.touch(key, segments)
    return True


def _objects(where: Path) -> str:
    """Where a repository's objects really are: what tells one repository from another, a shadow included."""
    objects = (where / git.output(where, "rev-parse", "--git-path", "objects").strip()).resolve()
    lent = objects / "info" / "alternates"
    first = lent.read_text("utf-8", "surrogateescape").split("\n", 1)[0] if lent.exists() else ""
    return str((objects / first).resolve()) if first else str(objects)


def _skipped(listed: str) -> frozenset[str]:
    """Paths that a sparse checkout leaves out; none where nothing is checked out."""
    if "\0S " not in f"\0{listed}":
        return frozenset()
    lines = listed.split("\0")
    skipped = frozenset(line[2:] for line in lines if line.startswith("S "))
    return skipped if any(line.startswith("H ") for line in lines) else frozenset()


def _forms(paths: Sequence[str], roles: str, *, docs: bool) -> list[str]:
    """How each file is to be read: its language, `?` to look for one in it, `-` for blocks of lines only."""
    from scoutkit.symbols import has_table, language_of

    plain = {Role.FIXTURE, Role.GENERATED, Role.VENDORED}
    if roles.count(Role.TEST) > _MANY_TESTS:
        plain.add(Role.TEST)
    forms = []
    for path, role in zip(paths, roles, strict=True):
        language = language_of(path) or "?"
        form = "-" if role in plain or not (language == "?" or has_table(language)) else language
        form += "/h" if form == "c" and path.endswith(".h") else ""
        forms.append(form if docs else f"{form}/undocumented")
    return forms


def _read_missing(
    store: Store,
    where: Path,
    entries: Sequence[git.Entry],
    forms: Sequence[str],
    say: Say,
    *,
    docs: bool,
    workers: int,
    again: frozenset[int] = frozenset(),
    most: int | None = None,
) -> dict[tuple[str, str], Known]:
    """Have read what is not known, or lies in one of the segments `again`; where all of it is then."""
    from scoutkit.agents.builtin.indexing import reading  # what parses; a warm cache needs none of it

    wanted = {(entry.blob, form): entry.path for entry, form in zip(entries, forms, strict=True)}
    known = store.known(list(wanted))
    missing = [
        reading.Wanted(blob, form, path)
        for (blob, form), path in wanted.items()
        if known.get((blob, form), (0, -1))[0] in again or (blob, form) not in known
    ]
    if not missing:
        return known
    now = missing if most is None else reading.at_most(where, missing, most)
    reading.read(store, where, now, say, docs=docs, workers=workers)
    if len(now) < len(missing):
        raise Cold("this commit is not indexed yet")
    return store.known(list(wanted))


def _crowded(known: dict[tuple[str, str], Known]) -> frozenset[int]:
    """The segments to be made one where there are too many small ones: the smallest, as many as take a second or so."""
    sizes = Counter(number for number, _ in known.values() if number)
    small = sorted((files, number) for number, files in sizes.items() if files < _SMALL)
    if len(small) <= _CROWD:
        return frozenset()
    totals = accumulate(files for files, _ in small)
    return frozenset(number for (_, number), total in zip(small, totals, strict=True) if total <= _AGAIN)


def _said(entries: Sequence[git.Entry], forms: Sequence[str], known: dict[tuple[str, str], Known]) -> bytes:
    """Which files make up a tree: what `unpack` gives back."""
    from scoutkit.symbols import has_table, language_of

    segments = sorted({number for number, _ in known.values() if number})
    places = {number: at for at, number in enumerate(segments)}
    where = array("H")
    unread: dict[str, list[str]] = {"binary": [], "huge": [], "pointer": [], "note": [], "missing": []}
    languages: Counter[str] = Counter()
    why = {BINARY: "binary", HUGE: "huge", POINTER: "pointer", NOTE: "note"}
    for entry, form in zip(entries, forms, strict=True):
        number, at = known.get((entry.blob, form), (0, -1))
        where.extend((places[number], at) if number else (NOWHERE, NOWHERE))
        if not number:
            unread[why.get(at, "missing")].append(entry.path)
        elif form.startswith(("-", "?")):
            languages[language_of(entry.path) or ""] += 1
    head = {
        "segments": segments,
        "paths": len(entries),
        "unread": {name: [len(found), *found[:20]] for name, found in unread.items()},
        "languages": {name: count for name, count in languages.items() if name and not has_table(name)},
    }
    return pack(head, where)


def pack(head: dict[str, object], where: array[int]) -> bytes:
    """What a tree says: a JSON object and, for each path, its segment's place in the list and its number in that."""
    said = json.dumps(head, separators=(",", ":")).encode("ascii")
    return b"".join((struct.pack("<I", len(said)), said, where.tobytes()))


def unpack(data: bytes) -> tuple[dict[str, Any], array[int]]:
    """The reverse of `pack`."""
    size = struct.unpack_from("<I", data)[0]
    where = array("H")
    where.frombytes(data[4 + size :])
    return json.loads(data[4 : 4 + size]), where
