"""What is known: notes, their citations and anchors."""

from __future__ import annotations

import re
from dataclasses import dataclass

from scoutkit.model.pinned import Pinned
from scoutkit.model.regions import Candidate, Located, Region, Verdict

__all__ = ["NO_REPORT", "Anchor", "Candidate", "Citation", "Located", "Note", "Region", "Verdict", "confidence"]


@dataclass(frozen=True, slots=True)
class Citation:
    """A reference in a note and what checking it said.

    A `wrong` one keeps path and lines as written; lines are 0 where none were given (`path::symbol`). The path of one
    in another repository begins with that repository: `name@sha:src/app.py`.
    """

    path: str
    start: int
    end: int
    verdict: Verdict | None = None
    symbol: str = ""
    was: str = ""  # a corrected one: `path:start-end` as the report had it
    base: str = ""  # one that `check --fix` has moved: `path:start-end` at the note's commit, where its anchor is

    @property
    def at(self) -> str:
        """`src/app.py:41-63`, `src/app.py:41` for one line, `src/app.py` for none."""
        if not self.start:
            return self.path
        return f"{self.path}:{self.start}" if self.start == self.end else f"{self.path}:{self.start}-{self.end}"


@dataclass(frozen=True, slots=True)
class Anchor:
    """What cited lines looked like at the note's commit, so that they can be found again without it.

    `blob` is the git object name of the whole file; `text` a fingerprint of the normalised lines; `lines` a short
    fingerprint of each; `before` and `after` fingerprints of the context; `first` the first line, readable.
    """

    path: str
    start: int
    end: int
    blob: str
    text: str
    lines: str
    before: str
    after: str
    first: str
    symbol: str = ""


NO_REPORT = "No report: "  # how the title begins of the note of a run that left none
_CONFIDENCE = re.compile(r"^Confidence: (high|medium|low)\b", re.MULTILINE)


def confidence(body: str) -> str:
    """How sure a note's text says of itself that it is: high, medium or low; "" where it says nothing of that."""
    found = _CONFIDENCE.search(body)
    return found[1] if found else ""


@dataclass(frozen=True, slots=True)
class Note:
    """One Markdown file: what is known. `path` is relative to the notes' root; unset fields are empty."""

    id: str
    title: str
    body: str = ""
    type: str = "note"
    description: str = ""
    question: str = ""
    paths: tuple[str, ...] = ()  # of a scout: globs of the part that its task was about; none: all of the repository
    checks: tuple[str, ...] = ()  # of a scout: the commands that it was to get to pass
    tags: tuple[str, ...] = ()
    status: str = "stable"
    commit: str = ""
    by: str = ""
    at: str = ""
    verified: tuple[tuple[str, str], ...] = ()  # (by, at): people only
    supersedes: tuple[str, ...] = ()
    superseded_by: str = ""  # the id of the note that took this one's place
    citations: tuple[Citation, ...] = ()
    anchors: tuple[Anchor, ...] = ()
    sources: tuple[Pinned, ...] = ()  # other repositories that it cites, each at the commit that was seen
    recalled: tuple[str, ...] = ()  # ids of the notes that its agent was told of
    path: str = ""
