"""How a note looks on disk: the only package that knows. Bytes to `Note`, `Note` to bytes, and careful edits.

`parse` never raises and never hides a note: what it cannot understand it reads as plain text and reports. `amend`
changes keys of the front matter and leaves every other byte as it is.
"""

from scoutkit.notefile.amending import amend
from scoutkit.notefile.below import anchored, sections
from scoutkit.notefile.reading import Parsed, duplicates, parse
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
    "render",
    "sections",
    "settled",
]
