"""A word to an agent while it works: a file in its scratch folder that says to write the report now.

Where it is stands in the agent's environment. Nobody is made to read it: what happens at the limit does not hang on it.
"""

from __future__ import annotations

from pathlib import Path

VARIABLE = "SCOUTKIT_NOTICE"
_NAME = "notice.md"
TEXT = "Little is left of your {used}. Stop exploring, and write your report now from what you know.\n"


def path(scratch: Path) -> Path:
    """Where it is, once it is given."""
    return scratch / _NAME


def give(scratch: Path, used: str) -> None:
    """Say that little is left of `used`, whole or not at all. OSError where it cannot be written."""
    fresh = scratch / f"{_NAME}.new"
    fresh.write_text(TEXT.format(used=used), "utf-8")
    fresh.replace(path(scratch))
