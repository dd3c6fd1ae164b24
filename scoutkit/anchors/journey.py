"""Lines followed from commit to commit, where a look at the two ends alone leaves doubt.

A file that is not at its path any more is searched for where it left: the mainline is bisected for the last commit that
has it. Lines that changed much are followed through commits in the middle, halving until each step is clear.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from scoutkit.anchors import score
from scoutkit.anchors.guess import Found, Lines
from scoutkit.anchors.pair import Pair
from scoutkit.anchors.targets import CommitFiles, Target
from scoutkit.errors import RepositoryError

_STEPS = 64  # pairs looked at for one answer


class Journey:
    """The stations between a commit and a target."""

    def __init__(
        self,
        stations: Sequence[str],
        files: Callable[[str], CommitFiles | None],
        target: Target,
        pair: Callable[[CommitFiles, Target], Pair],
    ) -> None:
        self._stations, self._files, self._target, self._pair = stations, files, target, pair
        self._last = len(stations)  # the target's number
        self._left = 0

    def find(self, path: str, lines: Lines, direct: Found) -> Found:
        """Where lines are in the target; `direct` is what a look at the ends said."""
        self._left = _STEPS
        try:
            return self._travel(path, lines, 0, self._last, direct)
        except RepositoryError:  # a partial clone lacks folders of the commits between
            return direct

    def _at(self, number: int) -> Target | None:
        return self._target if number == self._last else self._files(self._stations[number])

    def _travel(self, path: str, lines: Lines, begin: int, end: int, direct: Found | None = None) -> Found:
        """From one station to another, in as many steps as it needs."""
        old, new = self._at(begin), self._at(end)
        if not isinstance(old, CommitFiles) or new is None:
            return Found(None, 0.0)
        if direct is None:
            self._left -= 1
            direct = self._pair(old, new).find(path, lines, wide=end - begin <= 1)
        if score.clear(direct) or end - begin <= 1 or self._left <= 0:
            return direct
        middle = self._middle(path, lines.document.id, begin, end)
        if middle is None:
            return direct
        first = self._travel(path, lines, begin, middle)
        if first.guess is None:
            return direct if direct.guess else first
        between = self._at(middle)
        document = between.document(first.guess.path) if between else None
        if document is None:
            return direct
        there = Lines(document, first.guess.start, first.guess.end, lines.columns if first.guess.kept else (0, 0))
        second = self._travel(first.guess.path, there, middle, end)
        return _joined(direct, first, second)

    def _middle(self, path: str, name: str, begin: int, end: int) -> int | None:
        """A station between two at which the file is another than at either."""
        new = self._at(end)
        final = new.id(path) if new else ""
        if not final:
            low, high = begin, end  # the path is there at `low` and is not at `high`
            while high - low > 1:
                middle = (low + high) // 2
                station = self._at(middle)
                if station and station.id(path):
                    low = middle
                else:
                    high = middle
            return low if low > begin else high if high < end else None
        low, high = begin, end
        while high - low > 1:
            middle = (low + high) // 2
            station = self._at(middle)
            now = station.id(path) if station else ""
            if now == name:
                low = middle
            elif now == final:
                high = middle
            else:
                return middle if now else None
        return None


def _joined(direct: Found, first: Found, second: Found) -> Found:
    """What two steps say together, beside what one look said."""
    assert first.guess
    if second.guess is None:
        return direct if direct.guess else second._replace(score=second.score * first.score)
    whole = second.guess._replace(
        survived=min(first.guess.survived, second.guess.survived),
        context=min(first.guess.context, second.guess.context),
        kept=first.guess.kept and second.guess.kept,
        how=second.guess.how if second.guess.how != "same" else first.guess.how,
    )
    sure = first.score * second.score
    if direct.guess and (direct.guess.path, direct.guess.start, direct.guess.end) == (
        whole.path,
        whole.start,
        whole.end,
    ):
        sure = max(sure, direct.score + (1 - direct.score) * 0.2)
    return Found(whole, sure, ((sure, whole), *direct.rated))
