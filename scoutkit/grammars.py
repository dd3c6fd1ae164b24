"""Compiled grammars and the queries of languages.py: the only module that uses tree-sitter.

The grammars come in one wheel and are unpacked once into the user's cache folder. Source text is anybody's: what would
make the parser or a query take quadratic time is bounded here.
"""

from __future__ import annotations

import functools
import os
import re
import threading
import time
from typing import TYPE_CHECKING, Any

from scoutkit import config, languages
from scoutkit.errors import Unavailable

if TYPE_CHECKING:
    from tree_sitter import Node

LARGEST = 1_000_000  # characters: longer texts are data or generated
_LONG_LINES = 400  # characters a line on average: beyond this it is minified
_PATIENCE = 1.0  # CPU seconds for parsing one file, and a second for each 200 kB
_LETTER = re.compile(r"\w")
_NOISE = re.compile(r"(?<!\W)\s*+(?:[^\w\s]\s*+){1500}")  # in such runs a query takes time quadratic in their length
_STRETCH = 700  # less than half of such a run: one that long has a stretch of this length without a letter
_PIECE = 4096  # bytes that are read at once: a node's text copies as many each time
_DEEPEST = 500  # nodes deeper than this are not looked at: a query takes time quadratic in the depth


def unfit(text: str) -> bool:
    """Too large, minified, or no source text: not worth parsing, or not safe to."""
    size = len(text)
    return size > LARGEST or (size > 20_000 and size > _LONG_LINES * text.count("\n")) or _noisy(text)


def _noisy(text: str) -> bool:
    """Is there a long run of signs? The stretches are looked at first: that is quick."""
    stretches = range(0, len(text) - _STRETCH, _STRETCH)
    return any(not _LETTER.search(text, at, at + _STRETCH) for at in stretches) and bool(_NOISE.search(text))


class _Given(threading.local):
    """What a parser is given, the same object each time: tree-sitter 0.26 frees none that it was given."""

    def __init__(self) -> None:
        self.piece = bytearray()


_given = _Given()


def parse(language: str, text: str) -> Node | None:
    """The tree, or None when parsing takes unreasonably long: error recovery can be quadratic."""
    from tree_sitter import Parser

    source = text.encode("utf-8", "replace")
    deadline = time.thread_time() + _PATIENCE + len(source) / 200_000

    parsing = True

    def read(offset: int, _: object) -> bytes | bytearray:
        piece = source[offset : offset + _PIECE]
        if not parsing:  # a query wants to know a node's text, and takes nothing but bytes
            return piece
        _given.piece[:] = piece
        return _given.piece

    try:
        tree = Parser(_grammar(language)).parse(
            read,
            progress_callback=lambda _offset, _error: time.thread_time() > deadline,  # true stops it
        )
    except ValueError:
        return None
    finally:
        parsing = False
    return tree.root_node


def cursor(language: str, table: str) -> Any:
    """A cursor over one of languages.py's tables: `definitions` or `calls`.

    Give it no progress callback: in tree-sitter 0.26 that crashes the interpreter.
    """
    from tree_sitter import QueryCursor

    fresh = QueryCursor(_query(language, table))
    fresh.set_max_start_depth(_DEEPEST)
    return fresh


@functools.cache
def _query(language: str, table: str) -> Any:
    from tree_sitter import Query

    tables = {"definitions": languages.DEFINITIONS, "calls": languages.CALLS}
    return Query(_grammar(language), tables[table][language])


def nodes(language: str, root: Node, kind: str) -> list[Node]:
    """Every node of a kind, in order; none where the language has no such kind."""
    query = _kind(language, kind)
    if query is None:
        return []
    from tree_sitter import QueryCursor

    return sorted(QueryCursor(query).captures(root).get("node", []), key=lambda node: (node.start_byte, -node.end_byte))


@functools.cache
def _kind(language: str, kind: str) -> Any:
    from tree_sitter import Query, QueryError

    try:
        return Query(_grammar(language), f"({kind}) @node")
    except QueryError:  # a kind that is no name in queries, such as ERROR's inside
        return None


@functools.cache
def _grammar(language: str) -> Any:
    """A compiled grammar. It is unpacked on first use, atomically, so that many processes may; where the cache folder
    cannot be written, into a temporary one. Raises Unavailable when that fails too."""
    import semble_grammars

    folder = config.user_cache() / "grammars" / str(semble_grammars.__version__)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.environ["SEMBLE_GRAMMARS_CACHE_DIR"] = str(folder)
        return semble_grammars.get_language(language)
    except semble_grammars.LanguageNotFoundError as error:
        raise Unavailable(f"no grammar for {language}", "its files are read as plain text") from error
    except (OSError, semble_grammars.GrammarLoadError):
        os.environ["SEMBLE_GRAMMARS_CACHE_DIR"] = _temporary()
    try:
        return semble_grammars.get_language(language)
    except (semble_grammars.GrammarLoadError, semble_grammars.UnsupportedPlatformError) as error:
        raise Unavailable(f"cannot load the grammar for {language}: {error}", f"make {folder} writable") from error


@functools.cache
def _temporary() -> str:
    import atexit
    import shutil
    import tempfile

    folder = tempfile.mkdtemp(prefix="scoutkit-grammars-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
