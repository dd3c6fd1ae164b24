"""Words of a question that are nowhere in the code, and what the code has instead, as it is written there."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence

from scoutkit.agents.builtin.indexing import terms
from scoutkit.agents.builtin.indexing.index import Index
from scoutkit.snapshot import Snapshot

_WORDS = 6  # that are looked at
_NEAR = 0.8  # of what difflib says of equal words
_FILES = 5  # are read for a word
_SHORT = 4  # letters of a word that could be a slip of any other


def nearest_words(index: Index, snapshot: Snapshot, absent: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Each word with the nearest that begins with the same two letters, where one is near."""
    for word in absent[:_WORDS]:
        stem = terms.stem(word.lower())
        if not word.isascii() or not word.isalpha() or len(word) < _SHORT:
            continue
        known = [term for term in index.spelled(stem[:2]) if abs(len(term) - len(stem)) <= 2]
        for term in difflib.get_close_matches(stem, known, 3, _NEAR):
            if written := _written(index, snapshot, term, word.lower()):
                yield word, written
                break


def _written(index: Index, snapshot: Snapshot, term: str, word: str) -> str:
    """Of a term's words in the first files of this tree that have one, the nearest; "" where none does."""
    files = (index.file_bases[posting.piece] + file for posting in index.postings(term) for file in posting.files)
    paths = [index.paths[number] for file in files for number in index.paths_of.get(file, ())[:1]]
    text = " ".join(snapshot.text(path) or "" for path in paths[:_FILES])
    parts = {part.lower() for part in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", text)}
    forms = sorted(part for part in parts if terms.stem(part) == term)
    return max(forms, key=lambda part: difflib.SequenceMatcher(None, part, word).ratio(), default="")
