"""Whether a cited place bears on what somebody asks about, or on what a change touches, and how much."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scoutkit.model import pinned
from scoutkit.model.notes import Region, Verdict
from scoutkit.words import composed

if TYPE_CHECKING:
    from scoutkit.anchors.check import Followed
    from scoutkit.difference import Hunk

_WEIGHT = {Verdict.EDITED: 0.8, Verdict.AMBIGUOUS: 0.5, Verdict.GONE: 0.3, Verdict.UNCHECKED: 0.5, Verdict.WRONG: 0.1}
_AWAY = 0.2  # lines that went from the file that was asked about to another
_WHOLE = 0.5  # what any lines of a file weigh where the file was asked about


@dataclass(frozen=True, slots=True)
class Place:
    """A cited place that bears on what was asked. `at`: where it is now, or where its lines were if they are gone.

    `changed`: for edited lines the difference, each line with `-` or `+` before it. `near`: 0 to 1.
    """

    followed: Followed
    at: Region
    near: float
    changed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Asked:
    """A file (`start` 0), lines of one, or a folder. `there`: is it one of the files at the target?"""

    path: str
    start: int
    end: int
    there: bool

    def places(self, followed: Iterable[Followed]) -> Iterator[Place]:
        """Those that bear on what was asked."""
        for one in followed:
            place = self._place(one)
            if place:
                yield place

    def _place(self, one: Followed) -> Place | None:
        weight = _WEIGHT.get(one.verdict, 1.0)
        now = one.now
        if now and self._near(now):
            return Place(one, now, self._near(now) * weight)
        if one.verdict is Verdict.AMBIGUOUS and one.located:
            near = [(self._near(each.region), each.region) for each in one.located.candidates]
            best = max(near, key=lambda pair: pair[0], default=(0.0, one.base))
            if best[0]:
                return Place(one, best[1], best[0] * weight)
        written = Region(one.citation.path, one.citation.start, one.citation.end)
        if self.start and self.there:  # lines that are there hold what they hold, whatever they held
            whole = not written.start and self._near(written)
            return Place(one, written, 0.1 * weight) if whole else None
        if near_then := max(self._near(written), self._near(one.base)):
            return Place(one, now or written, near_then * weight * (_AWAY if now and self.there else 1.0))
        return None

    def _near(self, region: Region) -> float:
        """From 0 (elsewhere, or no line in common) to 1 (the very lines)."""
        if not self._under(region.path):
            return 0.0
        if not self.start:
            return _WHOLE
        if not region.start:
            return 0.1
        common = min(region.end, self.end) - max(region.start, self.start) + 1
        return max(common, 0) / (max(region.end, self.end) - min(region.start, self.start) + 1)

    def _under(self, path: str) -> bool:
        own, asked = composed(path, "NFC"), composed(self.path.rstrip("/"), "NFC")
        if asked in ("", ".", own) or own.startswith(f"{asked}/") or pinned.same(asked, own):
            return True
        if re.search(r"[*?\[]", asked):
            from fnmatch import fnmatchcase

            return fnmatchcase(own, asked) or fnmatchcase(own, f"{asked}/*")
        return False


def hit(then: Followed | None, now: Followed, hunks: Sequence[Hunk]) -> Place | None:
    """A citation that a difference touches, and how much of it."""
    if not now.counts or not now.base.start:
        return None
    old, new = then.now if then else None, now.now
    touching = [hunk for hunk in hunks if hunk.takes(old) or hunk.gives(new)]
    if not touching:
        return None
    lines = sum(max(hunk.takes(old), hunk.gives(new)) for hunk in touching)
    size = max(region.end - region.start + 1 for region in (old, new) if region)
    first = touching[0]
    at = new or Region(first.path or first.old_path, max(first.start, 1), max(first.start, 1))
    return Place(now, at, min(lines / size, 1.0))
