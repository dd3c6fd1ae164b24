"""A note's text without the verdicts that were marked in it: they are not read as text."""

from __future__ import annotations

import re

SECTION = "Citation check"
TICK = " ✓"
MARK = re.compile(r" \*\*\[(?:[^\n\]]{0,600}?\d )?(?:corrected|unsupported|wrong)\b[^\n]{0,1000}?\]\*\*")
_TICK = re.compile(rf"(?<=[\w`)>\]*~]){TICK}(?![\w✓])")
_LISTED = re.compile(r"^- (?:corrected|unsupported|wrong): [^\r\n]*", re.MULTILINE)
_HEADING = re.compile(rf"^## {SECTION}[ \t]*$", re.MULTILINE)


def masked(markdown: str) -> str:
    """A text of the same length, blank where a mark or the list of doubtful citations stands: they are no citations,
    and what they name is not what the sentence names."""
    if "**[" in markdown:
        markdown = MARK.sub(_blank, markdown)
    headings = list(_HEADING.finditer(markdown)) if f"## {SECTION}" in markdown else []
    if headings:
        at = headings[-1].end()
        markdown = markdown[:at] + _LISTED.sub(_blank, markdown[at:])
    return markdown


def without(markdown: str) -> str:
    """A text as it was before it was marked, but for what was corrected."""
    return _TICK.sub("", MARK.sub("", markdown))


def _blank(found: re.Match[str]) -> str:
    return " " * len(found.group())
