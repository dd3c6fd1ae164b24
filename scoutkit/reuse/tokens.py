"""Counting tokens with a tokenizer whose vocabulary is in its package, else by an approximation that says so.

Loading the tokenizer takes longer than making a pack. Where its vocabulary is laid out on disk that counts, and the
tokenizer is loaded for what only it can tell.
"""

from __future__ import annotations

import contextlib
import functools
import re
import sqlite3
import sys
import threading
from collections.abc import Callable
from importlib.util import find_spec
from typing import NamedTuple

from scoutkit import process
from scoutkit.reuse import counted, vocabulary

APPROXIMATE = "approximate: 6 letters of a word, 2 capitals, digits, signs or bytes of other scripts to a token"
_PIECES = r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[^\S\n]+|\n+|[^\x00-\x7f]+|[^A-Za-z0-9\s\x80-\U0010ffff]+"
_LOCK, _LOADING = threading.Lock(), threading.Lock()
_MOST = 20_000  # paragraphs whose count is known
_WARM = "With ✓ and 会话, and long enough that its pattern is compiled, which takes longer than to load its words. " * 3


class Tokenizer(NamedTuple):
    """`count` says how many tokens a text has; `name` who says so."""

    name: str
    count: Callable[[str], int]


def prepare() -> None:
    """Begin to load the tokenizer where it will be needed, in a thread that runs beside Python."""
    if vocabulary.path().exists():
        return
    with contextlib.suppress(ImportError):
        import splintr  # noqa: F401 - here, since two threads that import wait for each other
    threading.Thread(target=_exact, daemon=True).start()


def lay_out() -> None:
    """Lay the vocabulary out for the next command, in a process that nobody waits for. Never raises."""
    if vocabulary.path().exists() or not sys.executable or not _installed():
        return
    with contextlib.suppress(OSError):
        process.detach([sys.executable, "-m", "scoutkit.reuse.vocabulary"])


def tokenizer() -> Tokenizer:
    """The best there is here."""
    with _LOCK:
        return _best()


@functools.cache
def _best() -> Tokenizer:
    if _installed():
        with contextlib.suppress(OSError, sqlite3.Error):
            return Tokenizer(vocabulary.NAME, _Counter(vocabulary.Vocabulary(vocabulary.path())).count)
        if exact := _exact():
            return Tokenizer(vocabulary.NAME, exact)
    return approximation()


def _installed() -> bool:
    try:
        return find_spec("splintr") is not None
    except ValueError:  # it is kept from being imported
        return False


def _exact() -> Callable[[str], int] | None:
    """What the tokenizer itself counts; None where it cannot be loaded."""
    with _LOADING:
        return _loaded()


@functools.cache
def _loaded() -> Callable[[str], int] | None:
    try:
        import splintr
    except ImportError:  # no wheel for this machine
        return None
    own = splintr.Tokenizer.from_pretrained(vocabulary.NAME)
    own.encode_batch_flat([_WARM])  # compiles; of all that encodes, this alone lets other threads go on
    return lambda text: len(own.encode_ordinary(_whole(text)))


class _Counter:
    """Counts paragraph by paragraph, each once: texts of a pack are counted again with a little more or less."""

    def __init__(self, words: vocabulary.Vocabulary) -> None:
        self._words = words
        self.memory = counted.Counted(words.path.with_suffix(".counted"))
        self._known: dict[str, int] = {}
        self._lock = threading.Lock()  # threads of a server

    def count(self, text: str) -> int:
        with self._lock:
            parts = vocabulary.paragraphs(text)
            if len(self._known) > _MOST:
                self._known.clear()
            if new := [one for one in parts if one not in self._known]:
                self._known.update(self.memory.of(new))
                made = [(one, self._counted(one)) for one in dict.fromkeys(new) if one not in self._known]
                self._known.update(made)
                self.memory.put(made)
            return sum(map(self._known.__getitem__, parts))

    def _counted(self, paragraph: str) -> int:
        try:
            return self._words.count(paragraph)
        except (vocabulary.Unsure, sqlite3.Error):
            exact = _exact()
            return exact(paragraph) if exact else approximate(paragraph)


def remember() -> None:
    """Keep what was counted, for the next command."""
    kept = getattr(tokenizer().count, "__self__", None)
    if isinstance(kept, _Counter):
        kept.memory.keep()


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
