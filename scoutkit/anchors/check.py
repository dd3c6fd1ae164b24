"""Whether what a note cites is still there. Reads commits; a check never changes what a note stores."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from scoutkit.anchors import fingerprint
from scoutkit.git import Snapshot
from scoutkit.model.notes import Anchor, Note, Verdict


def holds(note: Note, snapshot: Snapshot) -> bool:
    """Do all of a note's citations hold in a snapshot? Those that were wrong at birth do not count.

    A citation without an anchor cannot be compared, and does not hold; a note that cites nothing does. Text that now
    stands elsewhere in its file holds where it stands there once.
    """
    anchors = {(anchor.path, anchor.start, anchor.end): anchor for anchor in note.anchors}
    files: dict[str, _File] = {}
    for citation in note.citations:
        if citation.verdict is Verdict.WRONG:
            continue
        anchor = anchors.get((citation.path, citation.start, citation.end))
        entry = snapshot.entries.get(citation.path)
        if anchor is None or entry is None:
            return False
        if entry.blob == anchor.blob:
            continue
        if citation.path not in files:
            files[citation.path] = _File(snapshot.lines(citation.path) or [])
        if not files[citation.path].holds(anchor):
            return False
    return True


class _File:
    """The lines of a file that has changed since the note was written."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines

    @functools.cached_property
    def _fingerprints(self) -> list[str]:
        return [fingerprint.of_line(line) for line in self._lines]

    def holds(self, anchor: Anchor) -> bool:
        return self._is_at(anchor, anchor.start) or sum(self._is_at(anchor, at) for at in self._starts(anchor)) == 1

    def _is_at(self, anchor: Anchor, start: int) -> bool:
        end = start + anchor.end - anchor.start
        return 1 <= start <= end <= len(self._lines) and anchor.text == fingerprint.of_text(
            self._lines[start - 1 : end]
        )

    def _starts(self, anchor: Anchor) -> list[int]:
        """Where an anchor's lines may begin: where the fingerprints of its first lines stand."""
        wanted = fingerprint.separate(anchor.lines.partition("*")[0])
        given = self._fingerprints
        return [at + 1 for at in range(len(given)) if wanted and given[at : at + len(wanted)] == wanted]
