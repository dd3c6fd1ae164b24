"""Verdicts in a note's text, each where its citation stands. Writes them; `unmarked` has them not read as text.

A supported citation gets ` ✓`, any other a word in bold brackets; a corrected one is rewritten to its new place.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from scoutkit.knowledge.unmarked import MARK, TICK
from scoutkit.model import pinned
from scoutkit.model.notes import Citation, Verdict
from scoutkit.model.pinned import shortened

if TYPE_CHECKING:
    from scoutkit.knowledge.citations import Site
    from scoutkit.knowledge.verify import Checked

_LONGEST = 160  # characters of a reason
_BOLD = re.compile(r"[*_~]{1,3}(?!\w)")  # ends here
_GLUED = re.compile(r"[\w`\[</@\\]")  # would become one word with a mark
_AGAIN = re.compile(rf"(?:{MARK.pattern}|{TICK})+")


def marked(report: str, checked: Sequence[Checked]) -> str:
    """The report with a mark behind each citation, and corrected ones rewritten. Marks that are there are replaced."""
    pieces: list[str] = []
    at = 0
    sited = [one for one in checked if one.reference.site is not None]
    for end, together in groupby(sited, key=lambda one: one.reference.site.end if one.reference.site else 0):
        if end <= at:
            continue
        group = list(together)
        sites = {one.reference.site: None for one in group if one.reference.site}
        for site in sites:
            own = [one for one in group if one.reference.site == site]
            if site.begin >= at and any(one.citation.verdict is Verdict.CORRECTED for one in own):
                rewritten, until = _rewritten(report, site, own, alone=len(sites) == 1)
                pieces += [report[at : site.begin], rewritten]
                at = until
        behind = max(end, at)
        bold = _BOLD.match(report, behind)
        behind = bold.end() if bold else behind
        again = _AGAIN.match(report, behind)
        pieces += [report[at:behind], _mark(group, row=any(site.row for site in sites))]
        at = again.end() if again else behind
        if _GLUED.match(report, at):
            pieces.append(" ")
    return "".join([*pieces, report[at:]])


def _mark(group: Sequence[Checked], *, row: bool) -> str:
    """One mark for all ranges of a mention; those that are not supported by name where there are several."""
    alike = len({one.citation.path for one in group}) == 1
    names = ["" if len(group) == 1 else _lines(one.citation) if alike else shortened(one.citation.at) for one in group]
    pairs = zip(group, names, strict=True)
    said = [_said(one, name) for one, name in pairs if one.citation.verdict is not Verdict.SUPPORTED]
    text = "".join(f" **[{one}]**" for one in dict.fromkeys(said)) or TICK
    return text.replace("|", "\\|") if row else text


def _lines(citation: Citation) -> str:
    return citation.at[len(citation.path) + 1 :]


def _said(one: Checked, name: str) -> str:
    citation = one.citation
    lines = f"{name} " if name else ""
    if citation.verdict is Verdict.CORRECTED:
        path, _, old = citation.was.rpartition(":")
        to = f" to {shortened(citation.at)}" if one.reference.written.endswith("]") else ""  # not rewritten
        return _plain(f"{lines}corrected{to}, was {f':{old}' if path == citation.path else shortened(citation.was)}")
    why = " ".join(one.why.split())
    why = why if len(why) <= _LONGEST else why[: _LONGEST - 1] + "…"
    if why.count("`") % 2:
        why += "`"
    return _plain(f"{lines}{citation.verdict}: {why}")


def _plain(text: str) -> str:
    return text.replace("]**", "] **")


def _rewritten(report: str, site: Site, group: Sequence[Checked], *, alone: bool) -> tuple[str, int]:
    """A mention that points to where its citations are now, and where in the report the old one ends."""
    text, after = report[site.begin : site.until], report[site.until : site.end]
    if text.startswith("[") and text.endswith("]") and not after:  # its address stands elsewhere, maybe for others too
        return text, site.until
    if text.startswith("[") and text.endswith(")") and not after:
        return _link(text, group), site.until
    listed = _canonical([one.citation for one in group])
    beside = report[max(site.begin - 1, 0) : site.begin] + report[site.until : site.until + 1]
    inside = not alone or "`" in beside + after[-1:] or "](" in after  # code, or a label
    closed = text.count("(") > text.count(")") and report.startswith(")", site.until)  # "a.py (lines 1-3)"
    return listed if inside and not text.startswith("`") else f"`{listed}`", site.until + closed


def _canonical(places: Sequence[Citation]) -> str:
    return ", ".join(dict.fromkeys(shortened(place.at) for place in places))


def _link(text: str, group: Sequence[Checked]) -> str:
    """A link whose address is the citation."""
    from urllib.parse import quote

    label, _, _ = text.rpartition("](")
    first = group[0].citation
    if len(group) > 1:
        return f"{label[1:]} (`{_canonical([one.citation for one in group])}`)"
    lines = f"L{first.start}" + (f"-L{first.end}" if first.end > first.start else "")
    was = group[0].reference
    old = [f"{was.start}-{was.end}", str(was.start)] if was.end > was.start else [str(was.start)]
    at, path = shortened(first.at), shortened(first.path)
    shown = re.sub(rf"[^\s`\[\]]*:(?:{'|'.join(map(re.escape, old))})(?=`?$)", lambda _: at, label)
    address = f"{quote(path, safe='/@:' if pinned.read(path) else '/')}#{lines}"
    return f"{shown}](<{address}>)" if " " in path else f"{shown}]({address})"
