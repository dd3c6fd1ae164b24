"""A batch of files as postings: which chunks and files hold a term, and how much each is worth there.

The worth is the saturated term frequency of BM25F (Robertson, Zaragoza and Taylor, 2004), so that asking is one
multiplication with the term's rarity: tf x (k1 + 1) / (k1 + tf), where tf is the sum over fields of weight x count /
(1 - b + b x length / usual length). It is kept in a byte. The usual lengths are constants, since a file's postings are
shared by every commit that holds it. Changing anything here means changing `VERSION`.
"""

from __future__ import annotations

import json
import struct
import zlib
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scoutkit.agents.builtin.indexing import terms

if TYPE_CHECKING:
    from scoutkit.agents.builtin.indexing.chunks import Chunk

VERSION = 3
K1, B = 1.5, 0.5
FILE_K1, FILE_B = 2.2, 0.7  # of a file as one text: a word that comes again and again says more than in a chunk
_FIELDS = ((5.0, 3.0), (2.0, 12.0), (1.0, 20.0), (1.0, 60.0))  # name, signature, doc, body: weight, usual terms
_USUAL_FILE = 500.0
_KIND = {"block": 0.5, "property": 0.8, "constant": 0.8, "key": 0.5, "rule": 0.5, "element": 0.5}
_NO_DEFINITION = frozenset({"section", "test", "key", "rule", "element"})
_HEADER = 0.8  # of a class whose methods are chunks of their own
STEP = 0.0126  # the worth of one unit of the byte: the most is FILE_K1 + 1
FULL = 60_000  # chunks: their numbers are two bytes
_EXACT = 255


@dataclass(frozen=True, slots=True)
class Place:
    """What is kept of a chunk to show it."""

    start: int
    end: int
    kind: str
    name: str
    qualified: str


class Segment:
    """Postings being collected, file by file."""

    def __init__(self) -> None:
        self.files: list[bytes] = []  # each file's places, packed
        self.firsts = array("H")  # each file's first chunk
        self.chunks = 0
        self._in_files: dict[str, array[int]] = {}  # each term's postings: number << 8 | value
        self._in_chunks: dict[str, array[int]] = {}

    def add(self, chunks: list[Chunk]) -> None:
        """The next file."""
        number = len(self.files)
        whole: list[str] = []
        self.firsts.append(self.chunks)
        for at, chunk in enumerate(chunks, self.chunks):
            body = terms.raw(chunk.body)
            whole += body
            _post(self._in_chunks, at, _worth(chunk, body))
            if chunk.kind not in _NO_DEFINITION:
                names = {terms.exact(name): _EXACT for name in (chunk.name, *chunk.names) if name}
                _post(self._in_chunks, at, names)
        counts = _terms(Counter(whole))
        norm = 1 - FILE_B + FILE_B * sum(counts.values()) / _USUAL_FILE
        values = {term: round(_saturated(count / norm, FILE_K1) / STEP) for term, count in counts.items()}
        _post(self._in_files, number, values)
        self.chunks += len(chunks)
        self.files.append(pack_places(chunks))

    def postings(self) -> Iterator[tuple[str, bytes]]:
        """Each term with its packed postings, sorted."""
        nothing = array("I")
        for term in sorted(self._in_files.keys() | self._in_chunks.keys()):
            files, held = self._in_files.get(term, nothing), self._in_chunks.get(term, nothing)
            yield term, pack(*_parted(files), *_parted(held))


def _worth(chunk: Chunk, words: list[str]) -> dict[str, int]:
    """What each term is worth in a chunk, in units of `STEP`. `words` are those of its text."""
    name = terms.raw(f"{chunk.name} {' '.join(chunk.names[:60])}")
    signature, doc = terms.raw(chunk.signature), terms.raw(chunk.doc)
    body = Counter(words)
    for word in (*signature, *doc):
        if word in body:
            body[word] -= 1
    counts: dict[str, float] = {}
    fields = (_counted(name), _counted(signature), _counted(doc), body)
    for (weight, usual), found in zip(_FIELDS, map(_terms, fields), strict=True):
        norm = 1 - B + B * sum(found.values()) / usual
        for term, count in found.items():
            counts[term] = counts.get(term, 0.0) + weight * count / norm
    factor = _HEADER if chunk.header else _KIND.get(chunk.kind, 1.0)
    return {term: round(factor * _saturated(count) / STEP) for term, count in counts.items()}


def _saturated(count: float, k1: float = K1) -> float:
    return count * (k1 + 1) / (k1 + count)


def _counted(words: list[str]) -> dict[str, int]:
    """As Counter has it, which takes longer for few."""
    counts: dict[str, int] = {}
    for word in words:
        counts[word] = counts.get(word, 0) + 1
    return counts


def _terms(words: Mapping[str, int]) -> dict[str, int]:
    counts: dict[str, int] = {}
    expand, known = terms.expand, counts.get
    for word, count in words.items():
        if count > 0:
            for term in expand(word):
                counts[term] = known(term, 0) + count
    return counts


def _post(postings: dict[str, array[int]], number: int, values: Mapping[str, int]) -> None:
    said = number << 8
    for term, value in values.items():
        if value:
            found = postings.get(term)
            if found is None:
                postings[term] = array("I", (said | value,))
            else:
                found.append(said | value)


def _parted(postings: array[int]) -> tuple[array[int], bytes]:
    """Numbers and values."""
    return array("H", [one >> 8 for one in postings]), bytes([one & 255 for one in postings])


def pack(files: array[int], file_values: bytes, chunks: array[int], chunk_values: bytes) -> bytes:
    """Postings of a term in a segment: number of files, their numbers, their values, then the same for chunks."""
    return b"".join((struct.pack("<H", len(files)), files.tobytes(), file_values, chunks.tobytes(), chunk_values))


def unpack(data: bytes) -> tuple[array[int], bytes, array[int], bytes]:
    """The reverse of `pack`."""
    count = struct.unpack_from("<H", data)[0]
    files, chunks = array("H"), array("H")
    files.frombytes(data[2 : 2 + 2 * count])
    rest = (len(data) - 2 - 3 * count) // 3
    at = 2 + 3 * count
    chunks.frombytes(data[at : at + 2 * rest])
    return files, data[2 + 2 * count : at], chunks, data[at + 2 * rest :]


def pack_places(chunks: Iterable[Chunk]) -> bytes:
    """A file's places."""
    rows = [[one.start, one.end, one.kind, one.name, one.qualified] for one in chunks]
    return zlib.compress(json.dumps(rows, separators=(",", ":")).encode("utf-8", "surrogatepass"), 1)


def unpack_places(data: bytes) -> list[Place]:
    """The reverse of `pack_places`."""
    return [Place(*row) for row in json.loads(zlib.decompress(data).decode("utf-8", "surrogatepass"))]
