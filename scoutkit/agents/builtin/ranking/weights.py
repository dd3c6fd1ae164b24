"""How the parts of a score are put together. Chosen on public question sets: see benchmarks/questions/run.py."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Weights:
    """How the parts of a score are put together."""

    rarity: float = 0.85  # power of a term's idf
    joined: float = 0.5  # of a term that is two words of the question in one
    next_chunks: float = 0.45  # of a file's second chunk, shared by those after it
    whole: float = 0.5  # of the file as one text
    path: float = 1.6
    history: float = 0.7  # of the best chunk's score, for a file that commits like the question touched
    exact: float = 2.0  # for defining a name the question spells out
    verbatim: float = 3.0  # of the best chunk's score, for text that the question quotes, and for frames
    frame: float = 16.0  # at least, for a line of a pasted traceback; halved for each frame before it
    file_in_range: float = 0.4  # of its file in a range's score
    told: float = 0.8  # of the best chunk's score, for a name that says nearly all that is asked for
    later: float = 0.1  # less for each range of a file before this one: other files have a turn
    test: float = 0.1
    named: float = 0.5  # instead of `test` where the question means tests
    of_test: float = 0.8  # where it asks about a test
    of_code: float = 0.8  # of source where it asks for tests
    spelled: float = 0.9  # of a file that defines a name the question spells out, whatever its role
    aside: float = 0.65  # documents, examples, tools, what is old or somebody else's
    types: float = 0.4  # declarations of what is written elsewhere
    noise: float = 0.3  # generated files, changelogs
