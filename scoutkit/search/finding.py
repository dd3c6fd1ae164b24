"""One search for the command line, MCP and the browser: what SQLite finds, and what was meant where that is little."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from scoutkit.model.found import Hit
from scoutkit.search.catalogue import Catalogue

if TYPE_CHECKING:
    from scoutkit.search.fulltext import Fulltext

_LITTLE = 3  # hits: then a word that no note has may be a typing error
_MANY = 1_000  # notes that have words which look like those of the text, where filters may take most of them away


class Found(NamedTuple):
    """Hits, best first. `meant` is the text with typing errors mended, where it has some; `alike`: no note has the
    words, and these have words that look like them."""

    hits: Sequence[Hit]
    meant: str | None = None
    alike: bool = False


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
    """Notes for any text. Whoosh is asked only where few notes are found and a word of the text is in none."""
    hits = catalogue.search(text, types=types, tags=tags, paths=paths, statuses=statuses, limit=limit)
    if len(hits) >= min(limit, _LITTLE):
        return Found(hits)
    query = catalogue.understood(text)
    if not query.needed or (hits and not catalogue.lacks(query)):
        return Found(hits)
    narrow = any((types, tags, paths, statuses, query.without, *query.asked))
    better, ids = fulltext.alike(query.text, limit=0 if hits else _MANY if narrow else limit)
    meant = text.replace(query.text, better) if better and query.text in text else better
    if hits:
        return Found(hits, meant)
    near = catalogue.by_ids(ids, types=types, tags=tags, paths=paths, statuses=statuses, limit=limit, query=query)
    return Found(near, meant, bool(near))
