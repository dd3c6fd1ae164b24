"""Makes anchors: what a citation's lines look like at its commit, so that they can be found again without it."""

from __future__ import annotations

from scoutkit.anchors import fingerprint
from scoutkit.model import pinned
from scoutkit.model.notes import Anchor, Citation, Verdict
from scoutkit.snapshot import Snapshot

FIRST = 80  # characters of the first line


def make(citation: Citation, snapshot: Snapshot) -> Anchor | None:
    """The anchor of a citation; None for a wrong one, and where the snapshot has no such lines. Of one in another
    repository, the snapshot is that of its source."""
    place = pinned.read(citation.path)
    path = place.path if place else citation.path
    entry = snapshot.entries.get(path)
    lines = snapshot.lines(path) if entry and citation.verdict is not Verdict.WRONG else None
    if entry is None or lines is None or not 1 <= citation.start <= citation.end <= len(lines):
        return None
    cited = lines[citation.start - 1 : citation.end]
    first = next((" ".join(line.split()) for line in cited if line.strip()), "")
    return Anchor(
        path=citation.path,
        start=citation.start,
        end=citation.end,
        blob=entry.blob,
        text=fingerprint.of_text(cited),
        lines=fingerprint.of_lines(cited),
        before=fingerprint.before(lines, citation.start),
        after=fingerprint.after(lines, citation.end),
        first=first[:FIRST],
        symbol=citation.symbol,
    )
