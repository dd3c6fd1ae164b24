"""What a person typed becomes what SQLite can look for. Any text is a query; nothing in it is syntax but double quotes
around a phrase and what `operators` knows.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from scoutkit.search.operators import Asked, taken
from scoutkit.words import composed, is_cjk, pairs, runs, split_identifier

LONGEST = 20_000  # characters of a query that are looked at
MOST = 48  # words of a query that are looked for
_PHRASE = re.compile(r'"([^"]*)"')
_BETWEEN = re.compile(r"[\s,;|()\[\]{}<>\"“”„«»、。，；：！？（）「」『』【】…]+")
_WORD = re.compile(r"[^\W_]")
_EDGE = re.compile(r"^[\W_]+|[\W_]+$")
_INDEXED = re.compile(r"[^\W_]+")  # what the index takes for words, but for the signs that it may take for letters
_TOKENS = 6  # a longer chain of words without a blank is looked for word by word

# Words of a question that say nothing about its subject: not required where others are.
_STOP = frozenset(
    re.findall(
        r"\w+",
        "a an and any are as at be by can did do does for from had has have how i if in into is it its me my of on or"
        " our so that the their there these they this to us was we were what when where which who why will with you"
        " re ve ll don doesn didn isn",
    )
)


class Query(NamedTuple):
    """A text as FTS5 expressions. `needed`: a note with all of them has all the words; `words`: each one of them.

    `marks` are the words as they may be highlighted, in lower case, `starts` those that may be half a word, `terms` the
    words in order and lower case, identifiers taken apart. `asked` is what operators ask for, `without` an expression
    for what they exclude.
    """

    text: str
    needed: tuple[str, ...]
    words: tuple[str, ...]
    marks: tuple[str, ...]
    starts: tuple[str, ...]
    terms: tuple[str, ...] = ()
    without: str = ""
    asked: Asked = Asked()

    @property
    def all(self) -> str:
        """The FTS5 expression for notes with all the words."""
        return " AND ".join(self.needed)

    @property
    def any(self) -> str:
        """The FTS5 expression for notes with any of the words."""
        return " OR ".join(self.words)

    @property
    def pairs(self) -> Sequence[str]:
        """FTS5 expressions for two words of the text side by side."""
        return [quoted(f"{one} {other}") for one, other in itertools.pairwise(self.terms)]

    @property
    def beginnings(self) -> str:
        """The FTS5 expression for notes with a word that begins like one of these."""
        return " OR ".join(f"{quoted(start)} *" for start in self.starts)


def parse(text: str, known: Callable[[str, str], bool] | None = None) -> Query:
    """Understand any text. `known`: whether any note has a tag, an agent or a path that an operator names."""
    text, asked = taken(clean(text[:LONGEST]), known)
    needed: dict[str, None] = {}
    words: dict[str, None] = {}
    marks: dict[str, None] = {}
    starts: dict[str, None] = {}
    terms: list[str] = []
    for phrase in _PHRASE.findall(text):
        if _WORD.search(phrase):
            needed[_alternatives(phrase)] = None
            words[_alternatives(phrase)] = None
            marks.update(dict.fromkeys(_marks(phrase)))
            terms += _terms(phrase)
    chunks = [_EDGE.sub("", chunk) for chunk in _BETWEEN.split(_PHRASE.sub(" ", text)) if _WORD.search(chunk)]
    telling = [chunk for chunk in chunks if chunk.lower() not in _STOP]
    for chunk in telling or ([] if needed else chunks):
        short = sum(1 for _ in runs(chunk)) <= _TOKENS
        for part in [chunk] if short else runs(chunk):
            needed[_alternatives(part)] = None
            words.update(dict.fromkeys(_singles(part)))
            terms += _terms(part)
            marks.update(dict.fromkeys(_marks(part)))
            starts.update((mark, None) for mark in _marks(part) if len(mark) > 2 and not mark.isdecimal())
            if len(needed) >= MOST:
                break
        if len(needed) >= MOST:
            break
    return Query(
        text.strip(),
        tuple(needed)[:MOST],
        tuple(words or needed)[:MOST],
        tuple(marks)[:MOST],
        tuple(starts)[:MOST],
        tuple(dict.fromkeys(terms))[:MOST],
        " OR ".join(_alternatives(one) for one in asked.without),
        asked,
    )


def stop(word: str) -> bool:
    """Is it one of those that say nothing about a subject?"""
    return word in _STOP


def clean(text: str) -> str:
    """What SQLite can take: no NUL, no lone surrogate."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode()


def quoted(text: str) -> str:
    """Any text as a string of FTS5: its tokenizer makes a phrase of it."""
    return '"' + text.replace('"', '""') + '"'


def _alternatives(chunk: str) -> str:
    """A chunk as written, or with its words taken apart as the index does (`words.hidden`)."""
    same = composed(chunk)
    ways: dict[str, str] = {}
    for way in (quoted(chunk), quoted(same), " AND ".join(_apart(same))):
        if way:  # nothing is left of `_` when it is taken apart
            ways.setdefault(" ".join(_INDEXED.findall(way.lower())) if " AND " not in way else way, way)
    return f"({' OR '.join(f'({way})' for way in ways.values())})" if len(ways) > 1 else quoted(chunk)


def _apart(chunk: str) -> Iterator[str]:
    """The runs of a chunk: pairs for Han, Kana and Hangul, the parts of identifiers for the rest, as phrases."""
    latin: list[str] = []
    for run in runs(chunk):
        if is_cjk(run):
            if latin:
                yield quoted(" ".join(latin))
                latin = []
            yield _cjk(run)
        else:
            latin += split_identifier(run)
    if latin:
        yield quoted(" ".join(latin))


def _cjk(run: str) -> str:
    return quoted(" ".join(pairs(run))) if len(run) > 1 else f"{quoted(run)} *"


def _singles(chunk: str) -> Iterator[str]:
    """Each word of a chunk by itself."""
    same = composed(chunk)
    for run in [*runs(chunk), *(runs(same) if same != chunk else ())]:
        if is_cjk(run):
            yield from (_cjk(pair) for pair in pairs(run))
        else:
            parts = split_identifier(run)
            if len(parts) > 1 and "_" not in run:
                yield f"({quoted(run)} OR {quoted(' '.join(parts))})"
            parts = [part for part in parts if not part.isdecimal()] if len(parts) > 1 else [run]
            yield from (quoted(part) for part in parts if part.lower() not in _STOP and len(part) > 1)


def _terms(chunk: str) -> Iterator[str]:
    for run in runs(composed(chunk)):
        for part in pairs(run) if is_cjk(run) else split_identifier(run):
            if part not in _STOP and (len(part) > 1 or is_cjk(part)):
                yield part


def _marks(chunk: str) -> Iterator[str]:
    for run in runs(composed(chunk)):
        yield run.lower()
        if not is_cjk(run):
            yield from split_identifier(run)
