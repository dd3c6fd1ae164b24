"""How a note looks on disk: the only package that knows. Bytes to `Note`, `Note` to bytes, and careful edits.

`parse` never raises and never hides a note: what it cannot understand it reads as plain text and reports. `amend`
changes keys of the front matter and leaves every other byte as it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scoutkit.notefile.amending import amend
    from scoutkit.notefile.below import anchored, sections
    from scoutkit.notefile.reading import Parsed, duplicates, parse, quickly
    from scoutkit.notefile.text import conflict
    from scoutkit.notefile.writing import front_matter, render, settled

__all__ = [
    "Parsed",
    "amend",
    "anchored",
    "conflict",
    "duplicates",
    "front_matter",
    "parse",
    "quickly",
    "render",
    "sections",
    "settled",
]

_WHERE = {
    "amend": "amending",
    **dict.fromkeys(("anchored", "sections"), "below"),
    **dict.fromkeys(("Parsed", "duplicates", "parse", "quickly"), "reading"),
    "conflict": "text",
    **dict.fromkeys(("front_matter", "render", "settled"), "writing"),
}


def __getattr__(name: str) -> Any:
    """Imported when it is used: who only reads plain notes does not wait for what writes them."""
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    found = globals()[name] = getattr(importlib.import_module(f"{__name__}.{_WHERE[name]}"), name)
    return found
