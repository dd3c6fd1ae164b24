"""Whether lines say the same, however they are laid out."""

from __future__ import annotations

from scoutkit.anchors.guess import Lines
from scoutkit.anchors.relaid import words

_LONG = 2_000  # lines
_FAR = 40  # letters and digits by which the same text may differ in weight


def same(old: Lines, new: Lines) -> bool:
    """Are two ranges the same but for blanks, line breaks, and what else a formatter changes?"""
    if [key for key in old.keys if key] == [key for key in new.keys if key]:
        return True
    if old.end - old.start > _LONG or new.end - new.start > _LONG or abs(old.weight - new.weight) > _FAR:
        return False
    if words(old.keys) != words(new.keys):
        return False  # which needs no syntax tree to see
    before = old.document.structure.pieces(old.start, old.end)
    after = new.document.structure.pieces(new.start, new.end)
    return bool(before) and [piece.text for piece in before] == [piece.text for piece in after]
