"""Lines found by what their anchor remembers, where the commit and its objects are not there any more.

Fingerprints say whether a line is the same one, not how alike two are: an edited line counts as another.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from scoutkit.anchors import fingerprint, linemap, score
from scoutkit.anchors.document import Document
from scoutkit.anchors.guess import Found, Guess
from scoutkit.anchors.pair import best_of
from scoutkit.anchors.targets import Target
from scoutkit.model.notes import Anchor

_FILES = 3_000  # files that are read
_HALF = 0.5  # of the lines around that must be there for a place in another file


def find(anchor: Anchor, target: Target) -> Found:
    """Where an anchor's lines are in a target."""
    here = target.path(anchor.path)
    document = target.document(here) if here else None
    if document is not None and document.id == anchor.blob:
        guess = Guess(anchor.start - 1, anchor.end - 1, "same", 1.0, 1.0, kept=True, path=here)
        return Found(guess, 1.0, ((1.0, guess),))
    found = list(_within(anchor, document, here)) if document is not None else []
    if not any(guess.survived >= _HALF for guess in found):
        base = anchor.path.rpartition("/")[2]
        for path in _holding(anchor, target, here):
            other = target.document(path)
            if other is not None:
                same = path.rpartition("/")[2] == base
                found += [guess for guess in _within(anchor, other, path) if same or guess.context >= _HALF]
    return best_of((score.remembered(guess), guess) for guess in found)


def _holding(anchor: Anchor, target: Target, here: str) -> Iterator[str]:
    """Files with the anchor's name, then those that hold the longest word of its first line."""
    base = anchor.path.rpartition("/")[2]
    needle = max(anchor.first.split(), key=len, default="").encode("utf-8", "replace")
    paths = [path for path, _ in target.differing("") if path != here]
    yield from (path for path in paths if path.rpartition("/")[2] == base)
    if len(needle) < 4:
        return
    ending = base.rpartition(".")[2]
    alike = [path for path in paths if path.rpartition("/")[2] != base and path.endswith(ending)]
    for path in alike[:_FILES]:
        if needle in (target.raw(path) or b""):
            yield path


def _within(anchor: Anchor, document: Document, path: str) -> Iterator[Guess]:
    """Every place in one file: the same lines, else what is left of them between what was around."""
    lines = document.lines
    given = [fingerprint.of_line(line) for line in lines]
    head, _, tail = anchor.lines.partition("*")
    wanted, closing = fingerprint.separate(head), fingerprint.separate(tail)
    size = anchor.end - anchor.start + 1
    starts = [
        at
        for at in range(len(given) - size + 1)
        if given[at : at + len(wanted)] == wanted
        and (not closing or given[at + size - len(closing) : at + size] == closing)
    ]
    starts = [at for at in starts if len(wanted) > 1 or fingerprint.of_text(lines[at : at + size]) == anchor.text]
    for at in starts[:20]:
        yield Guess(at, at + size - 1, "copy", 1.0, _context(anchor, lines, at, at + size - 1), kept=True, path=path)
    if not starts and not closing:
        yield from _rest(anchor, wanted, given, path)


def _context(anchor: Anchor, lines: Sequence[str], start: int, end: int) -> float:
    """How many of the lines around are the ones that were."""
    was = fingerprint.separate(anchor.before), fingerprint.separate(anchor.after)
    now = (
        fingerprint.separate(fingerprint.before(lines, start + 1)),
        fingerprint.separate(fingerprint.after(lines, end + 1)),
    )
    number = len(was[0]) + len(was[1])
    return sum(len(set(a) & set(b)) for a, b in zip(was, now, strict=True)) / number if number else 1.0


def _rest(anchor: Anchor, wanted: list[str], given: list[str], path: str) -> Iterator[Guess]:
    """Lines of which some were edited: between the first and the last that is left, or between what was around."""
    before, after = fingerprint.separate(anchor.before), fingerprint.separate(anchor.after)
    said = [one for one in wanted if one != fingerprint.BLANK]
    rows = [row for row, one in enumerate(given) if one != fingerprint.BLANK]
    to = linemap.unchanged([*before, *said, *after], [given[row] for row in rows])
    above = next((at for at in reversed(to[: len(before)]) if at >= 0), None)
    below = next((at for at in to[len(before) + len(said) :] if at >= 0), None)
    left = [at for at in to[len(before) : len(before) + len(said)] if at >= 0]
    context = sum(at >= 0 for at in (*to[: len(before)], *to[len(before) + len(said) :])) / max(len(before + after), 1)
    start = left[0] if left and to[len(before)] >= 0 else above + 1 if above is not None else left[0] if left else None
    end = left[-1] if left and to[len(before) + len(said) - 1] >= 0 else below - 1 if below is not None else None
    end = left[-1] if end is None and left else end
    if start is None or end is None or not 0 <= start <= end < len(rows) or not said:
        return
    if end - start > 3 * len(said) + 10 or (not left and context < 1):
        return
    edges = (to[len(before)] >= 0) + (to[len(before) + len(said) - 1] >= 0)
    yield Guess(rows[start], rows[end], "rest", len(left) / len(said), context, edges=edges, path=path)
