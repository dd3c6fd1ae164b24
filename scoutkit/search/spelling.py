"""Words that nobody wrote, and the known ones that look like them."""

from __future__ import annotations

from typing import Any

from scoutkit.words import is_cjk, runs, split_identifier

_SHORTEST = 4  # letters of a word that may be a typing error
_NEAR = ((1, 1), (2, 1), (1, 0))  # (edits, first letters that must be right), in the order they are tried
_MOST = 5


class Spelling:
    """The words of a text against those of an index. `changed` when one was not known and another is like it."""

    def __init__(self, searcher: Any) -> None:
        self.changed = False
        self._reader = searcher.reader()
        self._corrector = self._reader.corrector("words")

    def candidates(self, word: str) -> list[str]:
        """The word in lower case when it is known or nothing is like it, else what is, nearest first."""
        word = word.lower()
        if len(word) < _SHORTEST or is_cjk(word) or word.isdecimal() or self._known(word):
            return [word]
        for edits, prefix in _NEAR:
            if edits > 1 and len(word) == _SHORTEST:
                continue
            like = self._corrector.suggest(word, limit=_MOST, maxdist=edits, prefix=prefix)
            if found := [one for one in like if self._known(one)]:
                self.changed = True
                return found
        return [word]

    def _known(self, word: str) -> bool:
        """Has any note it? A term stays for a while after its last note went."""
        return ("words", word) in self._reader and self._reader.postings("words", word).is_active()

    def candidates_of(self, text: str) -> list[str]:
        """The candidates of every word of a text, each once; of an unknown identifier those of its parts too."""
        found: dict[str, None] = {}
        for run in runs(text):
            known = self.candidates(run)
            found.update(dict.fromkeys(known))
            parts = split_identifier(run)
            if known == [run.lower()] and len(parts) > 1:
                found.update(dict.fromkeys(word for part in parts for word in self.candidates(part)))
        return list(found)

    def corrected(self, word: str) -> str:
        """A word as it was, or the known one nearest to it; of an unknown identifier the parts, corrected."""
        return "".join(self._best(run) for run in runs(word))

    def _best(self, run: str) -> str:
        best = self.candidates(run)[0]
        if best != run.lower():
            return best
        parts = split_identifier(run)
        better = [self.candidates(part)[0] for part in parts] if len(parts) > 1 else parts
        return run if better == parts else " ".join(better)
