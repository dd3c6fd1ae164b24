"""Words that nobody wrote, and the known ones that look like them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from scoutkit.search.vocabulary import Vocabulary
from scoutkit.words import is_cjk, runs, split_identifier

_SHORTEST = 4  # letters of a word that may be a typing error
_NEAR = ((1, 1), (2, 1), (1, 0))  # (edits, first letters that must be right), in the order they are tried
_MOST = 5
_UNKNOWN = 6  # words that are looked into: a text with more is no text with typing errors


class Spelling:
    """The words of a text against those of an index. `changed` when one was not known and another is like it."""

    def __init__(self, searcher: Any, vocabulary: Vocabulary) -> None:
        self.changed = False
        self._reader = searcher.reader()
        self._vocabulary = vocabulary
        self._seen: dict[str, list[str]] = {}
        self._unknown = 0
        self._begun: dict[str, list[str]] = {}

    def candidates(self, word: str) -> list[str]:
        """The word in lower case when it is known or nothing is like it, else what is, nearest first."""
        word = word.lower()
        if word not in self._seen:
            self._seen[word] = self._candidates(word)
        return self._seen[word]

    def _candidates(self, word: str) -> list[str]:
        if len(word) < _SHORTEST or is_cjk(word) or word.isdecimal():
            return [word]
        if self._unknown == _UNKNOWN or self._known(word):
            return [word]
        self._unknown += 1
        for edits, prefix in _NEAR:
            if edits > 1 and len(word) == _SHORTEST:
                continue
            like = self._within(word, edits, prefix) if prefix else self._other_first_letter(word)
            if found := self._frequent(one for one in like if self._known(one)):
                self.changed = True
                return found
        return [word]

    def _within(self, word: str, edits: int, prefix: int) -> list[str]:
        """Words of the index that are so many edits away (two letters that changed places are one) and begin alike."""
        from rapidfuzz.distance import OSA
        from rapidfuzz.process import extract

        near = extract(word, self._beginning(word[:prefix]), scorer=OSA.distance, score_cutoff=edits, limit=None)
        return [one for one, _, _ in near]

    def _beginning(self, letters: str) -> list[str]:
        if letters not in self._begun:  # of a word it is asked once for each number of edits
            self._begun[letters] = self._vocabulary.beginning(letters)
        return self._begun[letters]

    def _other_first_letter(self, word: str) -> Iterator[str]:
        """Words of the index that are one edit at the first letter away."""
        yield word[1] + word[0] + word[2:]
        for one in self._vocabulary.ending(word[1:], before=2):
            if len(one) <= len(word) or one.endswith(word):
                yield one

    def _frequent(self, words: Iterable[str]) -> list[str]:
        ranked = sorted(words, key=lambda word: (-self._reader.frequency("words", word), word))
        return ranked[:_MOST]

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

    def corrected(self, text: str) -> str | None:
        """The text with its unknown words replaced by known ones; None where none is like them."""
        better = re.sub(r"\w+", lambda match: self._corrected(match[0]), text)
        return better if self.changed else None

    def _corrected(self, word: str) -> str:
        """A word as it was, or the known one nearest to it; of an unknown identifier the parts, corrected."""
        return "".join(self._best(run) for run in runs(word))

    def _best(self, run: str) -> str:
        best = self.candidates(run)[0]
        if best != run.lower():
            return best
        parts = split_identifier(run)
        better = [self.candidates(part)[0] for part in parts] if len(parts) > 1 else parts
        return run if better == parts else " ".join(better)
