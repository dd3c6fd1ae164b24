"""Notes that are like a text: on the same subject, or so alike that one of the two may be one too many.

SQLite alone answers: this is asked whenever a note is written. The text's rarest words find a few notes, and these are
compared with it word by word.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from scoutkit.search.connection import Connection
from scoutkit.search.query import clean, quoted, stop
from scoutkit.search.ranking import Filters, Ranked, count, fits
from scoutkit.search.snippet import root
from scoutkit.words import is_cjk, pairs, runs

SAME = 0.55  # so much of the words of two notes together in both: they say the same
_LONGEST = 20_000  # characters of a text that are looked at
_COUNTED = 60  # of its words
_TELLING = 16  # of these are looked for
_COMPARED = 20  # notes
_ROWS = 4_000  # that may be weighed to find these
_CHECKED = re.compile(r"^## Citation check[ \t]*\n+(?:Citations: |This is a draft: ).*\Z", re.MULTILINE | re.DOTALL)
"""scoutkit's own words below a note, which are in all of them."""
_FENCED = re.compile(r"^(```|~~~).*?(?:^\1|\Z)", re.MULTILINE | re.DOTALL)


def words(text: str) -> Counter[str]:
    """The words of a text that say something, as roots, and how often each comes."""
    found: Counter[str] = Counter()
    for run in runs(clean(text[:_LONGEST]).lower()):
        for part in pairs(run) if is_cjk(run) else (run,):
            if not stop(part) and (len(part) > 2 or is_cjk(part)) and not part.isdecimal():
                found[part] += 1
    return found


def like(connection: Connection, text: str, filters: Filters, limit: int) -> Ranked:
    """Notes on the subject of a text, best first; those that share but a word or two of it are none."""
    asked = words(text)
    telling = _telling(connection, asked)
    if not telling:
        return []
    found = fits(connection, " OR ".join(map(quoted, telling)), filters, max(limit, _COMPARED))
    best = max((fit for _, fit in found), default=0.0)
    return [(key, fit / best) for key, fit in found if fit >= best * 0.25][:limit]


def same(connection: Connection, text: str, filters: Filters, without: Collection[str]) -> Ranked:
    """Notes that say what a text says, most alike first, with how alike they are (1: word for word).

    `without`: files of notes that do not count.
    """
    asked = _roots(text)
    found = []
    for key, _ in like(connection, text, filters, _COMPARED):
        path, title, body = connection.execute("SELECT path, title, body FROM notes WHERE key = ?", [key]).fetchone()
        if path not in without:
            alike = _alike(asked, _roots(f"{title}\n{body}"))
            if alike >= SAME:
                found.append((key, alike))
    return sorted(found, key=lambda one: -one[1])


def _telling(connection: Connection, asked: Counter[str]) -> Sequence[str]:
    """The words that tell most of a text: often in it, seldom in notes."""
    often = [word for word, _ in asked.most_common(_COUNTED // 2)]
    longest = sorted(asked, key=lambda word: (-len(word), word))[: _COUNTED // 2]
    known = {
        word: number for word in dict.fromkeys([*often, *longest]) if (number := count(connection, quoted(word), _ROWS))
    }
    total = max(known.values(), default=1)
    worth = {word: min(asked[word], 4) * (1 + (total / number) ** 0.5) for word, number in known.items()}
    telling: list[str] = []
    rows = 0
    for word in sorted(worth, key=lambda word: (-worth[word], word))[:_TELLING]:
        rows += known[word]
        if telling and rows > _ROWS:
            break
        telling.append(word)
    return telling


def _roots(text: str) -> set[str]:
    said = _FENCED.sub(" ", _CHECKED.sub("", text))
    return {word if is_cjk(word) else root(word) for word in words(said)}


def _alike(one: Iterable[str], other: Iterable[str]) -> float:
    """The share of the words of both that both have."""
    ours, theirs = set(one), set(other)
    return len(ours & theirs) / max(len(ours | theirs), 1)
