"""A commit's index: finds what the cache knows of its files, has the rest read, and answers for one term at a time."""

from __future__ import annotations

import contextlib
import json
import os
import struct
from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from scoutkit import git
from scoutkit.agents.builtin import reading, terms
from scoutkit.agents.builtin.paths import Role, role_of
from scoutkit.agents.builtin.segment import Place, unpack, unpack_places
from scoutkit.agents.builtin.store import BINARY, HUGE, NOTE, POINTER, Known, Piece, Store
from scoutkit.errors import ScoutError
from scoutkit.symbols import has_table, language_of

_PLAIN = frozenset({"index", "__init__", "mod", "main", "lib", "src", "source", "init"})  # say nothing: the folder does
_FOLDER = 0.35  # what a word in a folder's name is worth; in a file's it is 1 over the root of how many there are
_OURS = (".claude/notes/", ".claude/scoutkit/")  # a note holds the question it answered
_MANY_TESTS = 10_000  # beyond this tests are not parsed
_CROWD = 60  # small segments that one tree may be spread over before its files are read again
_SMALL = 100  # files
_NOWHERE = 0xFFFF

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Posting:
    """Where a term is in one segment: numbers within the segment, and values of one byte."""

    piece: int
    files: array[int]
    file_values: bytes
    chunks: array[int]
    chunk_values: bytes


class Index:
    """The files of one tree. Files and chunks are numbered through: a piece's base plus the number within it."""

    def __init__(self, store: Store, snapshot: int, said: bytes, pieces: list[Piece], head: dict[str, object]) -> None:
        self._store = store
        self._snapshot = snapshot
        self.pieces = pieces
        self.unread: dict[str, list[str]] = head["unread"]  # type: ignore[assignment]
        self.languages: dict[str, int] = head["languages"]  # type: ignore[assignment]
        size = struct.unpack_from("<I", said)[0]
        at = 4 + size
        count = int(head["paths"])  # type: ignore[call-overload]
        self._where = array("H")
        self._where.frombytes(said[at : at + 4 * count])
        self.roles = said[at + 4 * count : at + 5 * count].decode("ascii")
        self.paths = said[at + 5 * count :].decode("utf-8", "surrogateescape").split("\0") if count else []
        self.file_bases = [0]
        self.chunk_bases = [0]
        for piece in pieces:
            self.file_bases.append(self.file_bases[-1] + len(piece.firsts))
            self.chunk_bases.append(self.chunk_bases[-1] + piece.chunks)
        self.paths_of: dict[int, list[int]] = {}  # by file: more than one where files are equal
        for number in range(count):
            piece_at, file = self._where[2 * number], self._where[2 * number + 1]
            if piece_at != _NOWHERE:
                self.paths_of.setdefault(self.file_bases[piece_at] + file, []).append(number)
        self._alive = [bytearray(piece.chunks) for piece in pieces]
        self.chunk_count = 0
        for file in self.paths_of:
            piece_at, first, end = self.span(file)
            self._alive[piece_at][first:end] = b"\1" * (end - first)
            self.chunk_count += end - first

    def file_at(self, number: int) -> int | None:
        """The file at a path, by the path's number; None where it was not read."""
        piece, file = self._where[2 * number], self._where[2 * number + 1]
        return None if piece == _NOWHERE else self.file_bases[piece] + file

    def span(self, file: int) -> tuple[int, int, int]:
        """A file's piece, its first chunk in that and the chunk after its last."""
        at = bisect_right(self.file_bases, file) - 1
        firsts = self.pieces[at].firsts
        number = file - self.file_bases[at]
        end = firsts[number + 1] if number + 1 < len(firsts) else self.pieces[at].chunks
        return at, firsts[number], end

    def file_of(self, chunk: int) -> int:
        """The file a chunk is in."""
        at = bisect_right(self.chunk_bases, chunk) - 1
        return self.file_bases[at] + bisect_right(self.pieces[at].firsts, chunk - self.chunk_bases[at]) - 1

    def first_chunk(self, file: int) -> int:
        """A file's first chunk, numbered through."""
        at, first, _ = self.span(file)
        return self.chunk_bases[at] + first

    def places(self, file: int) -> list[Place]:
        """A file's chunks in order."""
        at = bisect_right(self.file_bases, file) - 1
        query = "SELECT places FROM files WHERE segment = ? AND number = ?"
        row = self._store.connection.execute(query, (self.pieces[at].id, file - self.file_bases[at])).fetchone()
        return unpack_places(row[0]) if row else []

    def postings(self, term: str) -> list[Posting]:
        """Where a term is. Includes chunks of other trees that share a segment with this one: see `alive`."""
        found = []
        for at, piece in enumerate(self.pieces):
            query = "SELECT data FROM postings WHERE segment = ? AND term = ?"
            if row := self._store.connection.execute(query, (piece.id, term)).fetchone():
                found.append(Posting(at, *unpack(row[0])))
        return found

    def alive(self, posting: Posting) -> int:
        """How many of a posting's chunks are in this tree."""
        return sum(map(self._alive[posting.piece].__getitem__, posting.chunks))

    def is_alive(self, piece: int, chunk: int) -> bool:
        """Is a chunk, numbered within its piece, in this tree?"""
        return bool(self._alive[piece][chunk])

    def path_postings(self, term: str) -> tuple[array[int], bytes]:
        """The paths that hold a term, and in hundredths how much it says of each."""
        query = "SELECT data FROM path_terms WHERE snapshot = ? AND term = ?"
        row = self._store.connection.execute(query, (self._snapshot, term)).fetchone()
        numbers = array("I")
        if row is None:
            return numbers, b""
        count = len(row[0]) // 5
        numbers.frombytes(row[0][: 4 * count])
        return numbers, row[0][4 * count :]

    def defined(self, name: str) -> list[int]:
        """The chunks that define a name spelled exactly so."""
        return [
            self.chunk_bases[posting.piece] + chunk
            for posting in self.postings(terms.exact(name))
            for chunk in posting.chunks
            if self._alive[posting.piece][chunk]
        ]


def open_index(
    store: Store, where: Path, commit: str, say: Say, *, docs: bool = True, workers: int = 2
) -> contextlib.AbstractContextManager[Index]:
    """The index of a commit, as long as it is held open; reads what the cache does not know first, which may take a
    while. `docs`: see chunks.py."""
    key = _prepare(store, where, commit, say, docs=docs, workers=workers)
    return _held(store, key, lambda: _prepare(store, where, commit, say, docs=docs, workers=workers))


@contextlib.contextmanager
def _held(store: Store, key: str, again: Callable[[], str]) -> Iterator[Index]:
    """Others may let go of what was just made ready: then it is made once more."""
    for _ in range(3):
        with store.frozen():
            if found := _load(store, key):
                yield found
                return
        again()
    raise ScoutError("the cache of indexed files is too full to hold this tree", f"delete {store.folder}")


def _prepare(store: Store, where: Path, commit: str, say: Say, *, docs: bool, workers: int) -> str:
    """See that the cache has all of a tree; the key it is known by there."""
    tree = git.output(where, "rev-parse", "--verify", f"{commit}^{{tree}}").strip()
    left_out = _skipped(where)
    key = tree if not left_out else f"{tree}-{sha256(os.fsencode(chr(0).join(sorted(left_out)))).hexdigest()[:16]}"
    key = key if docs else f"{key}-undocumented"
    if _is_there(store, key):
        return key
    with store.builder(_objects(where), lambda: say("another run is reading this repository: waiting for it")):
        if _is_there(store, key):
            return key
        entries = [
            entry
            for entry in git.tree(where, commit)
            if entry.mode.startswith("100") and entry.path not in left_out and not entry.path.startswith(_OURS)
        ]
        forms = _forms(entries, docs=docs)
        known = _read_missing(store, where, entries, forms, say, docs=docs, workers=workers)
        if crowded := _crowded(known):
            known = _read_missing(store, where, entries, forms, say, docs=docs, workers=workers, again=crowded)
        _keep(store, key, entries, forms, known)
        store.trim()
    return key


def _is_there(store: Store, key: str) -> bool:
    """Is a tree ready to be asked? It then counts as used."""
    found = _load(store, key)
    if found:
        store.touch(key, [piece.id for piece in found.pieces])
    return found is not None


def _load(store: Store, key: str) -> Index | None:
    row = store.snapshot(key)
    if row is None:
        return None
    number, said = row
    size = struct.unpack_from("<I", said)[0]
    head = json.loads(said[4 : 4 + size])
    pieces = store.pieces(head["segments"])
    return None if pieces is None else Index(store, number, said, pieces, head)


def _objects(where: Path) -> str:
    """Where a repository's objects really are: what tells one repository from another, a shadow included."""
    objects = (where / git.output(where, "rev-parse", "--git-path", "objects").strip()).resolve()
    lent = objects / "info" / "alternates"
    first = lent.read_text("utf-8", "surrogateescape").split("\n", 1)[0] if lent.exists() else ""
    return str((objects / first).resolve()) if first else str(objects)


def _skipped(where: Path) -> frozenset[str]:
    """Paths that a sparse checkout leaves out; none where nothing is checked out."""
    listed = git.git(where, "ls-files", "-t", "-z").text.split("\0")
    skipped = frozenset(line[2:] for line in listed if line.startswith("S "))
    return skipped if any(line.startswith("H ") for line in listed) else frozenset()


def _forms(entries: Sequence[git.Entry], *, docs: bool) -> list[str]:
    """How each file is to be read: its language, `?` to look for one in it, `-` for blocks of lines only."""
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
) -> dict[tuple[str, str], Known]:
    """Have read what is not known, or lies in one of the segments `again`; where all of it is then."""
    wanted = {(entry.blob, form): entry.path for entry, form in zip(entries, forms, strict=True)}
    known = store.known(list(wanted))
    missing = [
        reading.Wanted(blob, form, path)
        for (blob, form), path in wanted.items()
        if known.get((blob, form), (0, -1))[0] in again or (blob, form) not in known
    ]
    if not missing:
        return known
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
) -> None:
    """Write down which files make up a tree."""
    segments = sorted({number for number, _ in known.values() if number})
    places = {number: at for at, number in enumerate(segments)}
    where = array("H")
    unread: dict[str, list[str]] = {"binary": [], "huge": [], "pointer": [], "note": [], "missing": []}
    languages: Counter[str] = Counter()
    why = {BINARY: "binary", HUGE: "huge", POINTER: "pointer", NOTE: "note"}
    for entry, form in zip(entries, forms, strict=True):
        number, at = known.get((entry.blob, form), (0, -1))
        where.extend((places[number], at) if number else (_NOWHERE, _NOWHERE))
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
    said = json.dumps(head, separators=(",", ":")).encode("ascii")
    joined = "\0".join(paths).encode("utf-8", "surrogateescape")
    data = b"".join((struct.pack("<I", len(said)), said, where.tobytes(), roles.encode("ascii"), joined))
    store.keep(key, data, _path_terms(paths))


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
