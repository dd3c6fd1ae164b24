"""Counting tokens with a tokenizer whose vocabulary is in its package, else by an approximation that says so.

Loading the vocabulary takes longer than making a pack: `prepare` begins it in a thread, which runs beside Python.
"""

from __future__ import annotations

import contextlib
import functools
import re
import threading
from collections.abc import Callable
from typing import NamedTuple

VOCABULARY = "cl100k_base"
APPROXIMATE = "approximate: 6 letters of a word, 2 capitals, digits, signs or bytes of other scripts to a token"
_PIECES = r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[^\S\n]+|\n+|[^\x00-\x7f]+|[^A-Za-z0-9\s\x80-\U0010ffff]+"
_LOCK = threading.Lock()
_WARM = "With ✓ and 会话, and long enough that its pattern is compiled, which takes longer than to load its words. " * 3


class Tokenizer(NamedTuple):
    """`count` says how many tokens a text has; `name` who says so."""

    name: str
    count: Callable[[str], int]


def prepare() -> None:
    """Begin to load the tokenizer, so that it is there when it is asked for."""
    with contextlib.suppress(ImportError):
        import splintr  # noqa: F401 - here, since two threads that import wait for each other
    threading.Thread(target=tokenizer, daemon=True).start()


def tokenizer() -> Tokenizer:
    """The best there is here."""
    with _LOCK:
        return _loaded()


@functools.cache
def _loaded() -> Tokenizer:
    try:
        import splintr
    except ImportError:  # no wheel for this machine
        return approximation()
    own = splintr.Tokenizer.from_pretrained(VOCABULARY)
    own.encode_batch_flat([_WARM])  # compiles; of all that encodes, this alone lets other threads go on
    return Tokenizer(VOCABULARY, lambda text: len(own.encode_ordinary(_whole(text))))


def approximation() -> Tokenizer:
    """For where no tokenizer is: more tokens rather than fewer."""
    return Tokenizer(APPROXIMATE, approximate)


def approximate(text: str) -> int:
    """More tokens than a text has, but for rows of numbers: docs/benchmarks.md says by how much."""
    return sum(map(_of, re.findall(_PIECES, text)))


def _of(piece: str) -> int:
    first = piece[0]
    if not first.isascii():
        return -(-len(piece.encode("utf-8", "replace")) // 2)
    if first == "\n":
        return 1
    if first.isspace():
        return int(len(piece) > 1)  # a single blank belongs to the word after it
    lower = piece[-1].isalpha() and not piece[-1].isupper()
    return 1 + (len(piece) - 1) // 6 if lower else -(-len(piece) // 2)


def _whole(text: str) -> str:
    """Without halves of surrogate pairs, which are no text outside of Python."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
