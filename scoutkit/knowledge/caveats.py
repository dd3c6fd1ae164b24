"""A note's text as it is handed on: moved lines updated, what no longer holds said where it is cited."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from scoutkit.knowledge import citations, marks
from scoutkit.knowledge.mending import meaning, mend
from scoutkit.model.notes import Citation, Region

_BOLD = re.compile(r"[*_~]{1,3}(?!\w)")


def told(
    text: str,
    moved: Mapping[Citation, Region],
    caveats: Mapping[Citation, str],
    known: Sequence[Citation],
    roots: Sequence[str] = (),
) -> tuple[str, tuple[Citation, ...]]:
    """The text with references to `moved` lines rewritten and `caveats` in bold brackets behind what they speak of, and
    the citations of both that could not be: those are to be told beside the text. `known`: all the note's citations."""
    mended = mend(text, moved, known, roots)
    missed = {at for reference in mended.missed if (at := meaning(reference, known)) in moved}
    now = {one: _at(one, moved.get(one)) for one in known}
    said: dict[int, tuple[list[str], bool]] = {}
    marked = set()
    for reference in citations.read(mended.text, roots=roots) if caveats else ():
        meant = meaning(reference, [*now.values()])
        one = next((each for each in caveats if now.get(each, each) == meant), None)
        if one and reference.site:
            said.setdefault(reference.site.end, ([], reference.site.row))[0].append(caveats[one])
            marked.add(one)
    text = mended.text
    for end in sorted(said, reverse=True):
        words, row = said[end]
        bold = _BOLD.match(text, end)
        behind = bold.end() if bold else end
        tick = marks.TICK if text.startswith(marks.TICK, behind) else ""
        mark = "".join(f" **[{_plain(one, row=row)}]**" for one in dict.fromkeys(words))
        text = text[:behind] + mark + text[behind + len(tick) :]
    return text, tuple(one for one in known if one in missed or (one in caveats and one not in marked))


def _at(one: Citation, now: Region | None) -> Citation:
    return Citation(now.path, now.start, now.end, symbol=one.symbol) if now else one


def _plain(text: str, *, row: bool) -> str:
    text = " ".join(text.split()).replace("]**", "] **")
    return text.replace("|", "\\|") if row else text
