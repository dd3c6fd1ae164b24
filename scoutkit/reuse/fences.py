"""Text of somebody else's as a block of Markdown that nothing in it can close."""

from __future__ import annotations

import re

_TICKS = re.compile(r"`{3,}")


def fenced(text: str, language: str = "") -> str:
    """Text as a fenced block that nothing in it can close."""
    longest = max(map(len, _TICKS.findall(text)), default=2)
    ticks = "`" * (longest + 1)
    return f"{ticks}{language}\n{text.rstrip()}\n{ticks}"
