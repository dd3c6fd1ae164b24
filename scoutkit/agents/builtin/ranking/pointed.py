"""Places that a question itself points at: the frames of a pasted traceback, and paths that it has."""

from __future__ import annotations

from scoutkit.agents.builtin.indexing.index import Index
from scoutkit.agents.builtin.ranking.question import Question, ordered

FEW = 3  # definitions of a name that the question can mean


def frames(index: Index, question: Question) -> dict[int, float]:
    """The chunks that a pasted traceback names and what each is worth: 1 in the last frame, where it happened."""
    found: dict[int, float] = {}
    called = dict(question.called)
    for at, (path, line) in enumerate(reversed(ordered(question))):
        numbers = _ending(index, path)
        files = [file for number in numbers[: FEW + 1] if (file := index.file_at(number)) is not None]
        files = files if len(files) <= FEW else []
        defined = index.defined(called[path, line]) if (path, line) in called else []
        here = [
            chunk
            for file in files
            for chunk, place in enumerate(index.places(file), index.first_chunk(file))
            if place.start <= line <= place.end
        ]
        if defined and not set(here) & set(defined):  # of another version, where the line is somewhere else
            same = [chunk for chunk in defined if index.file_of(chunk) in files]
            here = same or (defined if len(defined) == 1 else here)
        for chunk in here:
            found.setdefault(chunk, 0.5 ** min(at, 5))
    return found


def _ending(index: Index, path: str) -> list[int]:
    """The files whose paths have the longest end in common with one that was written."""
    ends = path.split("/")
    for keep in range(len(ends), 0, -1):
        tail = "/".join(ends[-keep:])
        if numbers := [number for number, one in enumerate(index.paths) if one == tail or one.endswith(f"/{tail}")]:
            return numbers
    return []


def written(index: Index, question: Question) -> dict[int, float]:
    """The chunks of the files whose paths the question has, and what each is worth: a line's more, where it has one."""
    found: dict[int, float] = {}
    for path, line in question.paths:
        numbers = _ending(index, path)
        file = index.file_at(numbers[0]) if len(numbers) == 1 else None
        for chunk, place in enumerate(index.places(file), index.first_chunk(file)) if file is not None else ():
            found[chunk] = 1.0 if place.start <= line <= place.end else 0.5
    return found
