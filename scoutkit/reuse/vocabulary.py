"""The tokenizer's vocabulary on disk, for looking words up: counts tokens without loading all 100,000 of them.

A text is split as `cl100k_base` splits it; a piece that is no token itself is merged from its bytes, as byte pair
encoding does. It counts exactly what the tokenizer counts. What it cannot be sure of is the tokenizer's: `Unsure`.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import sqlite3
import threading
from collections.abc import Iterable
from pathlib import Path

from scoutkit import config

NAME = "cl100k_base"
SIZE = 100_256  # tokens, without its special ones
LONGEST = 200  # bytes of a piece that is merged here: merging takes time by their square
_MOST = 900  # values in one statement, which takes at least 999
# What stands for a sign beyond ASCII in the pattern: another of its kind.
_LETTER, _NUMBER, _BLANK, _OTHER = "é", "²", "\xa0", "§"
_L, _N, _S = rf"A-Za-z{_LETTER}", rf"0-9{_NUMBER}", rf"\t-\r {_BLANK}"
_PIECE = re.compile(
    rf"'(?:[sStTmMdD]|[rR][eE]|[vV][eE]|[lL][lL])|[^\r\n{_L}{_N}]?[{_L}]+|[{_N}]{{1,3}}| ?[^{_S}{_L}{_N}]+[\r\n]*"
    rf"|[{_S}]*[\r\n]+|[{_S}]+(?![^{_S}])|[{_S}]+"
)
_BORDER = re.compile(rf"\n\n(?=[^{_S}])")  # no piece goes across its end, or depends on what is behind it
_FOLDED = "ſ"  # a contraction may end with it: it is an s without regard to case


class Unsure(Exception):
    """A text that only the tokenizer itself can count."""


class _Kinds(dict[int, str]):
    def __missing__(self, code: int) -> str:
        import unicodedata

        sign, kind = chr(code), chr(code)
        if code >= 0x80:
            category = unicodedata.category(sign)
            newer = category != unicodedata.ucd_3_2_0.category(sign)
            if sign == _FOLDED or category in ("Cn", "Cs") or (newer and category[0] in "LNZ"):
                raise Unsure  # its kind depends on how new a table is
            kind = {"L": _LETTER, "N": _NUMBER, "Z": _BLANK}.get(category[0], _BLANK if code == 0x85 else _OTHER)
        self[code] = kind
        return kind


_KINDS = _Kinds()


def path() -> Path:
    """Where it is laid out."""
    return config.user_cache() / "tokens" / "cl100k_base-1.db"


def pieces(text: str) -> list[str]:
    """A text as the tokenizer's pattern splits it. Unsure for signs whose kind is not known for certain."""
    if text.isascii():
        return _PIECE.findall(text)
    return [text[one.start() : one.end()] for one in _PIECE.finditer(text.translate(_KINDS))]


def paragraphs(text: str) -> list[str]:
    """A text in parts whose tokens add up to those of the whole."""
    ends = [0, *(one.end() for one in _BORDER.finditer(text)), len(text)]
    return [text[begin:end] for begin, end in itertools.pairwise(ends)]


class Vocabulary:
    """One that was laid out. OSError or sqlite3.Error where it was not, or is damaged."""

    def __init__(self, where: Path) -> None:
        self.path = where
        uri = f"{where.absolute().as_uri()}?mode=ro&immutable=1"  # it is replaced, never changed
        self._rows = sqlite3.connect(uri, uri=True, check_same_thread=False)
        self._rows.execute("SELECT rank FROM token WHERE bytes = ?", (b" the",)).fetchone()
        self._pieces: dict[str, int] = {}
        self._ranks: dict[bytes, int] = {}

    def count(self, text: str) -> int:
        """Tokens of a text. Unsure where only the tokenizer can tell."""
        found, known = pieces(text), self._pieces
        if new := [one for one in dict.fromkeys(found) if one not in known]:
            self._learn(new)
        return sum(map(known.__getitem__, found))

    def _learn(self, new: list[str]) -> None:
        encoded = {one.encode(): one for one in new}
        whole: set[bytes] = set()
        for begin in range(0, len(new), _MOST):
            some = [*encoded][begin : begin + _MOST]
            asked = f"SELECT bytes FROM token WHERE bytes IN ({', '.join('?' * len(some))})"  # noqa: S608
            whole.update(found for (found,) in self._rows.execute(asked, some))
        self._pieces.update((one, 1 if raw in whole else self._merged(raw)) for raw, one in encoded.items())

    def _merged(self, raw: bytes) -> int:
        """Tokens of a piece that is none itself: the two neighbours whose token is the oldest become one, again and
        again."""
        if len(raw) > LONGEST:
            raise Unsure
        parts = [raw[at : at + 1] for at in range(len(raw))]
        ranks = [self._rank(one + other) for one, other in itertools.pairwise(parts)]
        while ranks and (best := min(ranks)) < SIZE:
            at = ranks.index(best)
            parts[at : at + 2] = [parts[at] + parts[at + 1]]
            del ranks[at]
            if at:
                ranks[at - 1] = self._rank(parts[at - 1] + parts[at])
            if at < len(ranks):
                ranks[at] = self._rank(parts[at] + parts[at + 1])
        return len(parts)

    def _rank(self, raw: bytes) -> int:
        known = self._ranks.get(raw)
        if known is None:
            row = self._rows.execute("SELECT rank FROM token WHERE bytes = ?", (raw,)).fetchone()
            known = self._ranks[raw] = row[0] if row else SIZE
        return known


def lay_out(tokens: Iterable[bytes], where: Path) -> None:
    """Write the file. `tokens` are in the order of their ranks. OSError or sqlite3.Error where it cannot be."""
    where.parent.mkdir(parents=True, exist_ok=True)
    made = where.with_name(f"{where.name}.{os.getpid()}.{threading.get_native_id()}")
    try:
        with contextlib.closing(sqlite3.connect(made, isolation_level=None)) as rows:
            rows.execute("PRAGMA journal_mode = OFF")
            rows.execute("CREATE TABLE token (bytes BLOB PRIMARY KEY, rank INTEGER NOT NULL) WITHOUT ROWID")
            rows.execute("BEGIN")
            rows.executemany("INSERT INTO token VALUES (?, ?)", sorted((raw, rank) for rank, raw in enumerate(tokens)))
            rows.execute("COMMIT")
        made.replace(where)
    finally:
        made.unlink(missing_ok=True)


def main() -> None:
    """Lay out what the installed tokenizer has."""
    import splintr

    own = splintr.Tokenizer.from_pretrained(NAME)
    os.nice(10)
    with contextlib.suppress(OSError, sqlite3.Error):
        lay_out((own.decode_token_bytes(one) for one in range(SIZE)), path())


if __name__ == "__main__":
    main()
