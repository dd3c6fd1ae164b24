"""One search for the command line, MCP and the browser: what SQLite finds, and what was meant where that is little."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from scoutkit.model.found import Hit
from scoutkit.search.catalogue import Catalogue

if TYPE_CHECKING:
    from scoutkit.search.fulltext import Fulltext

_LITTLE = 3  # hits: then a word that no note has may be a typing error
_SHORT = 5  # words of a text that is no question
_MANY = 1_000  # notes that have words which look like those of the text, where filters may take most of them away


class Found(NamedTuple):
    """Hits, best first. `meant` is the text with typing errors mended, where it has some; `alike`: no note has the
    words, and these have words that look like them; `untaken`: what looks like an operator and was looked for as text,
    since no note has its value."""

    hits: Sequence[Hit]
    meant: str | None = None
    alike: bool = False
    untaken: Sequence[str] = ()


def find(
    catalogue: Catalogue,
    fulltext: Fulltext,
    text: str,
    *,
    types: Sequence[str] = (),
    tags: Sequence[str] = (),
    paths: Sequence[str] = (),
    statuses: Sequence[str] = (),
    limit: int = 20,
) -> Found:
    """Notes for any text. Whoosh is asked only where few notes are found and a word of the text is in none, or where
    most words of a short text are in none."""
    hits = catalogue.search(text, types=types, tags=tags, paths=paths, statuses=statuses, limit=limit)
    untaken = catalogue.untaken(text) if ":" in text else ()
    enough = len(hits) >= min(limit, _LITTLE)
    if enough and (hits[0].score >= 1 or len(text.split()) > _SHORT):  # one has all words, or others than these tell
        return Found(hits, untaken=untaken)
    query = catalogue.understood(text)
    words = _without(query.text, untaken)
    lacking = catalogue.lacking(query) if hits else 0
    if not query.needed or not words or (hits and not lacking) or (enough and 2 * lacking <= len(query.words)):
        return Found(hits, untaken=untaken)
    narrow = any((types, tags, paths, statuses, query.without, *query.asked))
    better, ids = fulltext.alike(words, limit=0 if hits else _MANY if narrow else limit)
    meant = text.replace(words, better) if better and words in text else better
    if hits:
        return Found(hits, meant, untaken=untaken)
    near = catalogue.by_ids(ids, types=types, tags=tags, paths=paths, statuses=statuses, limit=limit, query=query)
    return Found(near, meant, bool(near), untaken)


def related(catalogue: Catalogue, fulltext: Fulltext, note_id: str, *, limit: int) -> Sequence[Hit]:
    """Notes on the same subject as one: those that share its most telling words, then those that cite its places.

    Raises what `Fulltext.related` does.
    """
    ids = [*fulltext.related(note_id, limit=limit), *catalogue.sharing(note_id)]
    return catalogue.by_ids(ids, limit=limit)


def _without(text: str, untaken: Sequence[str]) -> str:
    """A text without what a person meant as an operator: a value that no note has is no typing error in a word."""
    for one in untaken:
        text = text.replace(one, " ")
    return text.strip() if untaken else text
