"""What past commits say of where something is: a commit whose subject is like the question votes for the files it
touched. Subjects are kept with each tree, so that asking reads a few rows. Changing them means changing `VERSION`.
"""

from __future__ import annotations

import math
import struct
import subprocess
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from scoutkit import git
from scoutkit.agents.builtin.indexing import terms

VERSION = 1
_COMMITS = 1000  # that are looked at, merges not counted
_PATIENCE = 10.0  # seconds for git to list them: a tree kept without them ranks otherwise
_BULK = 30  # files: a commit that touched more says nothing about one of them
_HEARD = 30  # commits that vote, those that are most like the question
_POWER = 1.5  # of likeness: a commit that is half as like counts for a third
_COMMITS_KEPT = ""  # instead of a term: what is kept of the commits


def read(where: Path, commit: str, paths: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """Each term of the subjects with the numbers of the commits that have it, and what is kept of the commits. Nothing
    where git cannot tell in time."""
    try:
        done = git.git(
            where, "log", "--no-merges", f"--max-count={_COMMITS}", "--name-only", "--no-renames", "-z",
            "--format=%x01%s", "--end-of-options", commit, "--", env={"GIT_NO_LAZY_FETCH": "1"}, timeout=_PATIENCE,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return
    numbers = {path: number for number, path in enumerate(paths)}
    holding: dict[str, array[int]] = {}
    subjects: list[set[str]] = []
    ends, touched = array("I"), array("I")
    for row in done.out.decode("utf-8", "surrogateescape").split("\x01")[1:]:
        subject, *names = row.split("\0")
        changed = [name.removeprefix("\n") for name in names if name.strip()]
        said = {term for word in terms.raw(subject) for term in terms.expand(word)}
        for term in said:
            holding.setdefault(term, array("H")).append(len(subjects))
        subjects.append(said)
        touched.extend(numbers[path] for path in changed if len(changed) <= _BULK and path in numbers)
        ends.append(len(touched))
    if not subjects:
        return
    rarity = {term: _rarity(len(subjects), len(found)) for term, found in holding.items()}
    lengths = array("f", (math.sqrt(sum(rarity[term] ** 2 for term in sorted(said))) for said in subjects))
    yield _COMMITS_KEPT, struct.pack("<I", len(subjects)) + lengths.tobytes() + ends.tobytes() + touched.tobytes()
    for term in sorted(holding):
        yield term, holding[term].tobytes()


def count(kept: Callable[[str], bytes], counts: Mapping[str, float]) -> dict[int, float]:
    """The votes for paths, by number. A commit's vote is how like its subject is to the question (the cosine of their
    terms' rarities), shared by the files it touched. `kept` gives what `read` gave, by term; `counts` is a question's.
    """
    data = kept(_COMMITS_KEPT)
    if not data:
        return {}
    lengths, ends, touched = _unpack(data)
    like: dict[int, float] = {}
    square = 0.0
    for term, asked in counts.items():
        found = array("H", kept(term))
        rarity = _rarity(len(lengths), len(found))
        square += (asked * rarity) ** 2
        for number in found:
            like[number] = like.get(number, 0.0) + asked * rarity**2
    for number in like:
        like[number] /= lengths[number] * math.sqrt(square)
    votes: dict[int, float] = {}
    for number in sorted(like, key=lambda number: (-like[number], number))[:_HEARD]:
        paths = touched[ends[number - 1] if number else 0 : ends[number]]
        for path in paths:
            votes[path] = votes.get(path, 0.0) + like[number] ** _POWER / math.sqrt(len(paths))
    return votes


def _unpack(data: bytes) -> tuple[array[float], array[int], array[int]]:
    """Each subject's length as a vector of rarities; where the paths that each commit touched end; all of them."""
    at = 4 + 4 * struct.unpack_from("<I", data)[0]
    return array("f", data[4:at]), array("I", data[at : 2 * at - 4]), array("I", data[2 * at - 4 :])


def _rarity(total: int, holding: int) -> float:
    return math.log(1 + total / (holding + 0.5))
