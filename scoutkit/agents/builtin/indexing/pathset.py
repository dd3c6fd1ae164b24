"""The paths of a tree: what each file is for, and which words are in them. Worked out once for all trees that have the
same paths, as most commits and the ones before them do.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence

from scoutkit.agents.builtin.indexing import terms

_PLAIN = frozenset({"index", "__init__", "mod", "main", "lib", "src", "source", "init"})  # say nothing: the folder does
_FOLDER = 0.35  # what a word in a folder's name is worth; in a file's it is 1 over the root of how many there are


def key_of(paths: Sequence[str]) -> str:
    """Names a set of paths in order."""
    from hashlib import sha256

    return sha256(_joined(paths)).hexdigest()[:32]


def pack(roles: str, paths: Sequence[str]) -> bytes:
    """Each path's role, a letter each, and the paths."""
    return b"".join((roles.encode("ascii"), b"\0", _joined(paths)))


def unpack(data: bytes) -> tuple[str, list[str]]:
    """The reverse of `pack`."""
    roles, _, paths = data.partition(b"\0")
    return roles.decode("ascii"), paths.decode("utf-8", "surrogateescape").split("\0") if roles else []


def _joined(paths: Sequence[str]) -> bytes:
    return "\0".join(paths).encode("utf-8", "surrogateescape")


def words(paths: Sequence[str]) -> Iterator[tuple[str, bytes]]:
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
