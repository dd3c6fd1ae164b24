"""Lines of one commit's file, looked for in one other state of the repository, the commits between left aside."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from scoutkit.anchors import score
from scoutkit.anchors.boilerplate import Boilerplate
from scoutkit.anchors.document import Document
from scoutkit.anchors.elsewhere import RENAMED, Elsewhere
from scoutkit.anchors.guess import Found, Guess, Lines
from scoutkit.anchors.targets import CommitFiles, Target
from scoutkit.anchors.within import Within
from scoutkit.objects import Objects

_ENOUGH = 0.5  # of lines that survived where they were: they are not looked for in other files


class Pair:
    """A commit's files and a target's."""

    def __init__(self, objects: Objects, old: CommitFiles, new: Target, notes: str) -> None:
        self._old, self._new = old, new
        self._within: dict[tuple[str, str], Within] = {}
        self._elsewhere = Elsewhere(objects, new, old.tree, notes)
        self._boilerplate = Boilerplate(objects, old)

    def find(self, path: str, lines: Lines, *, wide: bool = True) -> Found:
        """Where lines of the commit's file `path` are in the target; not `wide`: in the same file only."""
        here = self._new.path(path)
        if here and self._new.id(here) == lines.document.id:
            guess = Guess(lines.start, lines.end, "same", 1.0, 1.0, kept=True, path=here)
            return Found(guess, 1.0, ((1.0, guess),))
        if here and self._new.document(here) is None and self._new.raw(here) is None:
            return Found(None, 0.0)  # it is there, and not in this clone: nothing is known of it
        found = best_of((score.of(guess, lines), guess) for guess in self._guesses(path, here, lines, wide=wide))
        document = self._new.document(here) if here and not found.rated else None
        if document is not None and self._between(lines.document, document).cut(lines):
            return Found(None, score.gone(cut=True))
        return found

    def _guesses(self, path: str, here: str, lines: Lines, *, wide: bool) -> Iterator[Guess]:
        """Every place in question, nearest files first."""
        document = self._new.document(here) if here else None
        best = 0.0
        if document is not None:
            for guess in self._between(lines.document, document).follow(lines, rough=not wide):
                best = max(best, guess.survived)
                yield guess._replace(path=here)
            if best >= _ENOUGH or lines.weight < 4:
                return
        if not wide:
            return
        looked: set[str] = {here}
        if document is None:
            renamed = self._renamed(path, lines)
            for other, share in renamed:
                looked.add(other)
                for guess in self._in(other, lines):
                    best = max(best, guess.survived)
                    yield guess._replace(how=f"renamed {guess.how}", share=share, behind=renamed[0][1] - share)
            if best >= _ENOUGH:
                return
        if self._boilerplate.holds(path, lines):
            return
        for other in self._elsewhere.holding(path, lines.keys, lines.document.lines[lines.start : lines.end + 1]):
            if other not in looked and not self._had(other, lines):
                document = self._new.document(other)
                for guess in self._between(lines.document, document).elsewhere(lines) if document else ():
                    if guess.survived >= _ENOUGH:
                        yield guess._replace(how=f"other {guess.how}", path=other)

    def _renamed(self, path: str, lines: Lines) -> list[tuple[str, float]]:
        """Files that this one may have become. Lines that many files hold do not make one of them."""
        found = self._elsewhere.renamed(path, lines.document.id, lines.document)
        if not found or found[0][1] == 1.0 or not self._boilerplate.holds(path, lines):
            return found
        return [
            (other, share)
            for other, share in found
            if (new := self._new.document(other)) and self._boilerplate.share(path, lines.document, new) >= RENAMED
        ]

    def _had(self, path: str, lines: Lines) -> bool:
        """Did a file hold the lines before? Then they did not move there."""
        before = self._old.document(self._old.path(path))
        return before is not None and bool(before.runs(lines.keys))

    def _in(self, path: str, lines: Lines) -> Iterator[Guess]:
        document = self._new.document(path)
        if document is not None:
            for guess in self._between(lines.document, document).follow(lines):
                yield guess._replace(path=path)

    def _between(self, old: Document, new: Document) -> Within:
        pair = (old.id, new.id)
        if pair not in self._within:
            self._within[pair] = Within(old, new)
        return self._within[pair]


def best_of(guesses: Iterable[tuple[float, Guess]]) -> Found:
    """The clear winner among places with their scores, or none."""
    rated = sorted(guesses, key=lambda pair: -pair[0])
    rated = [pair for pair in rated if pair[0] >= score.least(pair[1])]
    if not rated:
        return Found(None, score.gone(cut=False))
    rate, best = rated[0]
    rivals = [other for other, guess in rated[1:] if (guess.path, guess.start) != (best.path, best.start)]
    if rivals and rivals[0] > rate - score.CLEAR:
        return Found(None, rate, tuple(rated))
    return Found(best, rate, tuple(rated))
