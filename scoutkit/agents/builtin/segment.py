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
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scoutkit.agents.builtin import terms

if TYPE_CHECKING:
    from scoutkit.agents.builtin.chunks import Chunk

VERSION = 2
K1, B = 1.5, 0.5
_FIELDS = ((5.0, 3.0), (2.0, 12.0), (2.0, 20.0), (1.0, 60.0))  # name, signature, doc, body: weight, usual terms
_USUAL_FILE = 500.0
_KIND = {"block": 0.5, "property": 0.8, "constant": 0.8, "key": 0.5, "rule": 0.5, "element": 0.5}
_NO_DEFINITION = frozenset({"section", "test", "key", "rule", "element"})
_HEADER = 0.8  # of a class whose methods are chunks of their own
STEP = 0.01  # the worth of one unit of the byte: the most is K1 + 1
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
        self._in_files: dict[str, tuple[array[int], bytearray]] = {}
        self._in_chunks: dict[str, tuple[array[int], bytearray]] = {}

    def add(self, chunks: list[Chunk]) -> None:
        """The next file."""
        number = len(self.files)
        whole: Counter[str] = Counter()
        self.firsts.append(self.chunks)
        for at, chunk in enumerate(chunks, self.chunks):
            worth, body = _worth(chunk)
            whole.update(body)
            for term, value in worth.items():
                _post(self._in_chunks, term, at, round(value / STEP))
            for name in dict.fromkeys((chunk.name, *chunk.names)):
                if name and chunk.kind not in _NO_DEFINITION:
                    _post(self._in_chunks, terms.exact(name), at, _EXACT)
        norm = 1 - B + B * sum(whole.values()) / _USUAL_FILE
        for term, count in whole.items():
            _post(self._in_files, term, number, round(_saturated(count / norm) / STEP))
        self.chunks += len(chunks)
        self.files.append(pack_places(chunks))

    def postings(self) -> Iterator[tuple[str, bytes]]:
        """Each term with its packed postings, sorted."""
        nothing: tuple[array[int], bytearray] = (array("H"), bytearray())
        for term in sorted(self._in_files.keys() | self._in_chunks.keys()):
            yield term, pack(*self._in_files.get(term, nothing), *self._in_chunks.get(term, nothing))


def _worth(chunk: Chunk) -> tuple[dict[str, float], Counter[str]]:
    """What each term is worth in a chunk, and how often it is in its text at all."""
    name = Counter(terms.raw(f"{chunk.name} {' '.join(chunk.names[:60])}"))
    signature = Counter(terms.raw(chunk.signature))
    doc = Counter(terms.raw(chunk.doc))
    body = Counter(terms.raw(chunk.body))
    text = _terms(body)
    body.subtract(doc)
    body.subtract(signature)
    counts: dict[str, float] = {}
    for (weight, usual), words in zip(_FIELDS, map(_terms, (name, signature, doc, body)), strict=True):
        norm = 1 - B + B * sum(words.values()) / usual
        for term, count in words.items():
            counts[term] = counts.get(term, 0.0) + weight * count / norm
    factor = _HEADER if chunk.header else _KIND.get(chunk.kind, 1.0)
    return {term: factor * _saturated(count) for term, count in counts.items()}, text


def _saturated(count: float) -> float:
    return count * (K1 + 1) / (K1 + count)


def _terms(raw: Counter[str]) -> Counter[str]:
    counts: dict[str, int] = {}
    for word, count in raw.items():
        if count > 0:
            for term in terms.expand(word):
                counts[term] = counts.get(term, 0) + count
    return Counter(counts)


def _post(postings: dict[str, tuple[array[int], bytearray]], term: str, number: int, value: int) -> None:
    if value:
        found = postings.get(term)
        if found is None:
            found = postings[term] = (array("H"), bytearray())
        found[0].append(number)
        found[1].append(value)


def pack(files: array[int], file_values: bytearray, chunks: array[int], chunk_values: bytearray) -> bytes:
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
