"""The ranking alone, without a report: places that may answer a question, for scripts and for other agents."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from scoutkit import git
from scoutkit.agents.builtin.indexing.index import answered, open_index
from scoutkit.agents.builtin.indexing.store import Store
from scoutkit.agents.builtin.ranking import confidence
from scoutkit.agents.builtin.ranking.question import LONGEST, understand
from scoutkit.agents.builtin.ranking.rank import Range, rank

if TYPE_CHECKING:
    from scoutkit.agents.builtin.indexing.index import Index
    from scoutkit.agents.builtin.indexing.tree import Say
    from scoutkit.agents.builtin.ranking.rank import Ranking

MOST_OF_A_FILE = 4  # ranges, as long as other files have some


@dataclass(frozen=True, slots=True)
class Places:
    """Best first; scores compare within one answer alone.

    `confidence` tells how far the first file is ahead: high, medium, low; low, too, where half of the words or more are
    nowhere. `absent`: words of the question that are nowhere in the code; `unasked`: what of it is no word that an
    index could hold; `cut`: only the question's beginning was looked at.
    """

    ranges: tuple[Range, ...]
    files: tuple[tuple[str, float], ...]
    confidence: str
    absent: tuple[str, ...]
    unasked: tuple[str, ...]
    cut: bool


NOWHERE = Places((), (), "low", (), (), cut=False)
"""The answer to no question."""


def places(
    where: Path, commit: str, text: str, say: Say, *, project: str = "", limit: int = 20, most: int | None = None
) -> Places:
    """The best ranges and files of a commit, `limit` of each where there are so many.

    Reads what the cache does not know of the commit, which may take a while; `most`: not more than so many bytes, else
    it raises tree.Cold.
    """
    question = understand(text, project=project)

    def ask() -> tuple[Ranking, tuple[Range, ...]]:
        with Store() as store, open_index(store, where, commit, say, most=most) as index, git.Blobs(where) as blobs:
            ranking = rank(index, question, read=lambda path: _text(blobs.read(f"{commit}:{path}")))
            return ranking, _ranges(index, ranking, limit)

    ranking, ranges = answered(ask)
    return Places(
        ranges=ranges,
        files=ranking.files[:limit],
        confidence=confidence.word(
            ranking.margin, files=len(ranking.files), said=len(question.said), absent=len(ranking.absent)
        ),
        absent=ranking.absent,
        unasked=question.unasked,
        cut=len(text) > LONGEST,
    )


def _text(content: bytes | None) -> str | None:
    return None if content is None else content.decode("utf-8", "replace")


def _ranges(index: Index, ranking: Ranking, limit: int) -> tuple[Range, ...]:
    """A few of each file, then where files begin that only their path speaks for, then more of each."""
    first: list[Range] = []
    later: list[Range] = []
    taken: Counter[str] = Counter()
    for one in ranking.ranges:
        taken[one.path] += 1
        (first if taken[one.path] <= MOST_OF_A_FILE else later).append(one)
    bare = [one for one in ranking.files[:limit] if one[0] not in taken] if len(first) < limit else []
    return (*first, *filter(None, (_beginning(index, *one) for one in bare)), *later)[:limit]


def _beginning(index: Index, path: str, score: float) -> Range | None:
    file = index.file_at(index.paths.index(path))
    chunks = index.places(file) if file is not None else []
    return Range(path, chunks[0], score, frozenset()) if chunks else None
