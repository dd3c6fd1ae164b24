"""Whether lines say the same, however they are laid out."""

from __future__ import annotations

from scoutkit.anchors.within import Lines


def same(old: Lines, new: Lines) -> bool:
    """Are two ranges the same but for blanks and blank lines?"""
    return _bare(old) == _bare(new)


def _bare(lines: Lines) -> list[str]:
    return [key for key in lines.keys if key]
