"""One tree in the cache: has read what is not known of its files, and writes down which segments make it up."""

from __future__ import annotations

import json
import os
import struct
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from scoutkit import git
from scoutkit.agents.builtin import terms, votes
from scoutkit.agents.builtin.paths import Role, role_of
from scoutkit.agents.builtin.store import BINARY, HUGE, NOTE, POINTER, Known, Store
from scoutkit.complaints import failure
from scoutkit.errors import ScoutError

NOWHERE = 0xFFFF  # instead of a segment: the file was not read
_PLAIN = frozenset({"index", "__init__", "mod", "main", "lib", "src", "source", "init"})  # say nothing: the folder does
_FOLDER = 0.35  # what a word in a folder's name is worth; in a file's it is 1 over the root of how many there are
_OURS = (".claude/notes/", ".claude/scoutkit/")  # a note holds the question it answered
_MANY_TESTS = 10_000  # beyond this tests are not parsed
_AT_ONCE = 5_000  # files: of more it takes a second to find out which are not known
_CROWD = 60  # small segments that one tree may be spread over before its files are read again
_SMALL = 100  # files

Say = Callable[[str], None]


class Cold(ScoutError):
    """More is not known of a tree than somebody would wait for."""


def prepare(
    store: Store, where: Path, commit: str, say: Say, *, docs: bool, workers: int, most: int | None = None
) -> str:
    """See that the cache has all of a commit's tree; the key it is known by there. Cold where that would take reading
    more than `most` bytes, or looking at very many files."""
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
        forms = _forms(entries, docs=docs)
        known = _read_missing(store, where, entries, forms, say, docs=docs, workers=workers, most=most)
        if most is None and (crowded := _crowded(known)):
            known = _read_missing(store, where, entries, forms, say, docs=docs, workers=workers, again=crowded)
        subjects = list(votes.read(where, commit, [entry.path for entry in entries]))
        _keep(store, key, entries, forms, known, subjects)
        store.trim(keep={number for number, _ in known.values()})
    return key


def _digest(paths: Iterable[str]) -> str:
    from hashlib import sha256

    return sha256(os.fsencode("\0".join(sorted(paths)))).hexdigest()[:16]


def is_there(store: Store, key: str) -> bool:
    """Is a tree ready to be asked? It then counts as used."""
    row = store.snapshot(key)
    if row is None:
        return False
    segments = unpack(row[1])[0]["segments"]
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


def _forms(entries: Sequence[git.Entry], *, docs: bool) -> list[str]:
    """How each file is to be read: its language, `?` to look for one in it, `-` for blocks of lines only."""
    from scoutkit.symbols import has_table, language_of

    roles = [role_of(entry.path) for entry in entries]
    plain = {Role.FIXTURE, Role.GENERATED, Role.VENDORED}
    if roles.count(Role.TEST) > _MANY_TESTS:
        plain.add(Role.TEST)
    forms = []
    for entry, role in zip(entries, roles, strict=True):
        language = language_of(entry.path) or "?"
        form = "-" if role in plain or not (language == "?" or has_table(language)) else language
        form += "/h" if form == "c" and entry.path.endswith(".h") else ""
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
    from scoutkit.agents.builtin import reading  # what parses; a warm cache needs none of it

    wanted = {(entry.blob, form): entry.path for entry, form in zip(entries, forms, strict=True)}
    known = store.known(list(wanted))
    missing = [
        reading.Wanted(blob, form, path)
        for (blob, form), path in wanted.items()
        if known.get((blob, form), (0, -1))[0] in again or (blob, form) not in known
    ]
    if not missing:
        return known
    if most is not None and reading.size(where, missing) > most:
        raise Cold("this commit is not indexed yet")
    reading.read(store, where, missing, say, docs=docs, workers=workers)
    return store.known(list(wanted))


def _crowded(known: dict[tuple[str, str], Known]) -> frozenset[int]:
    sizes = Counter(number for number, _ in known.values() if number)
    small = [number for number, files in sizes.items() if files < _SMALL]
    return frozenset(small) if len(small) > _CROWD else frozenset()


def _keep(
    store: Store,
    key: str,
    entries: Sequence[git.Entry],
    forms: Sequence[str],
    known: dict[tuple[str, str], Known],
    subjects: Sequence[tuple[str, bytes]],
) -> None:
    """Write down which files make up a tree."""
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
    paths = [entry.path for entry in entries]
    roles = "".join(map(role_of, paths))
    head = {
        "segments": segments,
        "paths": len(paths),
        "unread": {name: [len(found), *found[:20]] for name, found in unread.items()},
        "languages": {name: count for name, count in languages.items() if name and not has_table(name)},
    }
    store.keep(key, pack(head, where, roles, paths), _path_terms(paths), subjects)


def pack(head: dict[str, object], where: array[int], roles: str, paths: Sequence[str]) -> bytes:
    """What a snapshot says: a JSON object and, for each path, its segment's place in the list and its number in that,
    its role and itself."""
    said = json.dumps(head, separators=(",", ":")).encode("ascii")
    joined = "\0".join(paths).encode("utf-8", "surrogateescape")
    return b"".join((struct.pack("<I", len(said)), said, where.tobytes(), roles.encode("ascii"), joined))


def unpack(data: bytes) -> tuple[dict[str, Any], array[int], str, list[str]]:
    """The reverse of `pack`."""
    size = struct.unpack_from("<I", data)[0]
    head = json.loads(data[4 : 4 + size])
    count, at = int(head["paths"]), 4 + size
    where = array("H")
    where.frombytes(data[at : at + 4 * count])
    roles = data[at + 4 * count : at + 5 * count].decode("ascii")
    paths = data[at + 5 * count :].decode("utf-8", "surrogateescape").split("\0") if count else []
    return head, where, roles, paths


def _path_terms(paths: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """Each term with the numbers of the paths that hold it and its worth there, in hundredths."""
    found: dict[str, tuple[array[int], bytearray]] = {}
    folders: dict[str, tuple[dict[str, float], dict[str, float]]] = {}
    for number, path in enumerate(paths):
        folder, _, name = path.rpartition("/")
        if folder not in folders:
            named = next((one for one in reversed(folder.split("/")) if one.lower() not in _PLAIN), "")
            folders[folder] = dict.fromkeys(_terms_of(folder), _FOLDER), _shared(named)
        stem = name.split(".", 1)[0] or name
        within, last = folders[folder]
        worth = within | (last if stem.lower() in _PLAIN else _shared(stem))
        for term, value in worth.items():
            postings = found.setdefault(term, (array("I"), bytearray()))
            postings[0].append(number)
            postings[1].append(round(100 * value))
    for term in sorted(found):
        yield term, found[term][0].tobytes() + bytes(found[term][1])


def _terms_of(text: str) -> list[str]:
    return [term for word in terms.raw(text) for term in terms.expand(word)]


def _shared(name: str) -> dict[str, float]:
    """What each word of a name is worth: the more there are, the less."""
    own = _terms_of(name)
    return dict.fromkeys(own, 1 / max(1, len(own)) ** 0.5)
