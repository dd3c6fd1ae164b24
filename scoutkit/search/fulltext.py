"""What Whoosh answers: "did you mean", typo tolerance, related notes. Nothing else depends on it.

Its index may be behind, missing or broken (`following` brings it in step). Whoosh is imported only
when one of its answers is asked for.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from scoutkit.errors import ScoutError, Unavailable
from scoutkit.search import cards
from scoutkit.search.catalogue import Catalogue
from scoutkit.search.index import Index, texts
from scoutkit.words import composed

_SOON = 100  # so many missing cards are added at once where an answer needs them
PATIENCE = 2.0  # seconds an answer waits for another process's update, unless it is told otherwise
_LONGEST = 1000  # characters of a query that are looked at
_KEY_TERMS = 16
_SAMPLE = 20  # notes that stand for all
_RELATED = 0.25  # of what a note scores for its own telling words
Answer = TypeVar("Answer")


class Fulltext:
    """The full-text index of one repository's notes."""

    def __init__(self, folder: Path, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        self.index = Index(folder, catalogue)
        self.patience = PATIENCE

    def update(self, *, rebuild: bool = False) -> None:
        """Bring the index in step now. Refused when it is not ours, Unavailable when it cannot be written."""
        self.index.update(rebuild=rebuild)

    def suggest(self, text: str) -> str | None:
        """The text with its unknown words replaced by known ones that look alike; None when nothing is like them."""
        return self.alike(text, limit=0)[0]

    def fuzzy(self, text: str, *, limit: int = 20) -> list[str]:
        """Ids of notes with words that look like the unknown ones of a text, best first."""
        return self.alike(text, limit=limit)[1]

    def alike(self, text: str, *, limit: int) -> tuple[str | None, list[str]]:
        """What `suggest` and `fuzzy` say, of an index that is opened once."""

        def ask(searcher: Any) -> tuple[str | None, list[str]]:
            from scoutkit.search.spelling import Spelling
            from scoutkit.search.vocabulary import Vocabulary

            spelling = Spelling(searcher, Vocabulary.read(self.index.folder))
            same = composed(text[:_LONGEST])
            meant, words = spelling.corrected(same), spelling.candidates_of(same) if limit else []
            if not (words and spelling.changed):
                return meant, []
            from whoosh.query import Or, Term

            return meant, self._ids(searcher.search(Or([Term("words", word) for word in words]), limit=limit))

        with contextlib.suppress(ScoutError):
            return self._asking(ask)
        return None, []

    def related(self, note_id: str, *, limit: int = 10) -> list[str]:
        """Ids of the notes that share the most telling words with this one, best first; none that share but a few.

        Unavailable when the index cannot be used or does not have the note yet, Refused when it is not ours.
        """

        def ask(searcher: Any) -> list[str]:
            from whoosh.query import Or, Term

            card = self._card(note_id)
            if card is None:
                return []
            if searcher.document_number(ref=card.ref.text) is None:
                raise Unavailable("the full-text index does not have this note yet", "add it: scoutkit index")
            text = texts(card.text)["stems"]
            terms = searcher.key_terms_from_text("stems", text, numterms=_KEY_TERMS)
            query = Or([Term("stems", word, boost=weight) for word, weight in terms])
            best = [(hit["note"], hit.score, hit["ref"]) for hit in searcher.search(query, limit=limit * 4 + 20)]
            own = max((score for _, score, ref in best if ref == card.ref.text), default=0.0)
            mine = cards.Ref(self.catalogue.worktree, "").text
            near = [one for one, score, ref in best if score >= own * _RELATED and ref.startswith(mine)]
            return [one for one in near if one != note_id][:limit]

        return self._asking(ask)

    def difference(self) -> str:
        """How the index differs from the catalogue; nothing when both know and find the same notes."""
        try:
            return self._ask(self._compare)
        except ScoutError as error:
            return error.message
        except Exception as error:  # noqa: BLE001 - a damaged index fails in any way
            return f"damaged: {type(error).__name__}: {error}"

    def _compare(self, searcher: Any) -> str:
        wanted = cards.marks(self.catalogue.connection)
        had = {fields["ref"]: fields["mark"] for _, fields in searcher.reader().iter_docs()}
        missing = sum(1 for ref, (mark, _) in wanted.items() if had.get(ref) != mark)
        gone = sum(1 for ref in had if ref not in wanted)
        if missing or gone:
            return f"{missing} notes are missing from it, {gone} in it are gone"
        every = max(len(wanted) // _SAMPLE, 1)
        sample = [key for _, key in list(wanted.values())[::every]]
        for card in cards.cards(self.catalogue.connection, sample):
            if not _finds(searcher, card):
                return f"it does not find {card.ref.path} by its title"
            if differing := self._differing(searcher, _word_of(card)):
                return differing
        return ""

    def _differing(self, searcher: Any, word: str) -> str:
        """Where SQLite and Whoosh do not find the same notes for a word of their cards; nothing where they do.

        SQLite's index stems: of what it alone finds, notes that have another form of the word are no difference.
        """
        if not word:
            return ""
        from whoosh.query import Term

        columns = "{title question description headings cited tags hidden}"
        connection = self.catalogue.connection
        rows = connection.execute(
            "SELECT key, worktree, path FROM files WHERE key IN (SELECT rowid FROM notes_fts WHERE notes_fts MATCH ?)",
            (f'{columns} : "{word}"',),
        ).fetchall()
        ours = {cards.Ref(worktree, path).text: key for key, worktree, path in rows}
        theirs = {searcher.stored_fields(number)["ref"] for number in Term("words", word).docs(searcher)}
        if lost := theirs - ours.keys():
            return f"SQLite does not find {min(lost).partition(chr(0))[2]} by {word}, which is in it: rebuild both"
        alone = [ours[ref] for ref in ours.keys() - theirs][:_SAMPLE]
        for card in cards.cards(connection, alone):
            if re.search(rf"(?<![\w]){word}(?![\w])", card.text.lower()):
                return f"it does not find {card.ref.path} by {word}, which SQLite does"
        return ""

    def _card(self, note_id: str) -> cards.Card | None:
        row = self.catalogue.connection.execute(
            "SELECT key FROM notes WHERE id = ? AND worktree = ?", (note_id, self.catalogue.worktree)
        ).fetchone()
        return next(cards.cards(self.catalogue.connection, [row[0]]), None) if row else None

    def _ids(self, results: Any) -> list[str]:
        """Of this worktree's notes."""
        mine = cards.Ref(self.catalogue.worktree, "").text
        return [hit["note"] for hit in results if hit["ref"].startswith(mine)]

    def _asking(self, ask: Callable[[Any], Answer]) -> Answer:
        """Ask an index that is in step as far as that is quickly done. Unavailable, Refused."""
        for _ in range(2):
            if not self.index.in_step():
                with contextlib.suppress(Unavailable):
                    self.index.update(wait=self.patience, most=_SOON)
            try:
                return self._ask(ask)
            except ScoutError:
                raise
            except Exception:  # noqa: BLE001 - a damaged index fails in any way; the next update makes it anew
                self.index.doubt()
        raise Unavailable("the full-text index is damaged", "make it anew: scoutkit index")

    def _ask(self, ask: Callable[[Any], Answer]) -> Answer:
        with self.index.opened() as index, index.searcher() as searcher:
            return ask(searcher)


def _word_of(card: cards.Card) -> str:
    """A word of a card that both engines take as it is: the longest plain one of its title."""
    return max(re.findall(r"(?<!\w)[a-z]{4,}(?!\w)", card.title.lower()), key=len, default="")


def _finds(searcher: Any, card: cards.Card) -> bool:
    from whoosh.query import And, Term

    words = re.findall(r"\w+", texts(card.title)["words"].lower())
    query = And([Term("words", word) for word in dict.fromkeys(words)])
    return not words or searcher.document_number(ref=card.ref.text) in set(query.docs(searcher))
