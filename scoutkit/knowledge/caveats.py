"""A note's text as it is handed on: moved lines updated, what no longer holds said where it is cited.

References that are spelled as scoutkit spells them (`path:start-end`) are found without reading Markdown, which takes
longer than all the rest of a pack. Where any may be spelled otherwise, or stands where a mark needs care, the text is
read as `check --fix` reads it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from scoutkit.model.notes import Citation, Region, Verdict
from scoutkit.notefile.text import Fences

SECTION = "## Citation check"  # as `marks` has it
_TICK = " ✓"
_TICKS = re.compile(r"(?<=[\w`)>\]*~]) ✓(?![\w✓])")
_WRONG = re.compile(r"\*\*\[(?:[^\n\]]{0,600}?\d )?wrong\b")
_MARK = re.compile(r" \*\*\[(?:[^\n\]]{0,600}?\d )?(?:corrected|unsupported|wrong)\b[^\n]{0,1000}?\]\*\*")
_BOLD = re.compile(r"[*_~]{1,3}(?!\w)")  # ends here
_MORE = re.compile(r"[\w:–—-]|[,;]\s{0,2}(?:\d|L\d|lines?\b)|\.\w")  # behind a reference: it goes on
_LIKE = re.compile(r"[^\w\n]{0,6}(?:(?:at|on|from) )?(?:lines?|ll?|L|第)?[^\w\n]{0,3}\d|[^\w\n]{0,4}::")
"""Behind a file's name: maybe a reference that is spelled otherwise."""
_LINES = re.compile(r":[1-9][0-9]*(?:-[1-9][0-9]*)?")
_SIMPLE = re.compile(r"[\w./+:-]+")
Edit = tuple[int, int, str]


def body(text: str, citations: Sequence[Citation]) -> str:
    """A note's text without ticks and counts of verdicts: they say what was so when it was written."""
    at = text.rfind(f"\n{SECTION}\n")
    wrong = sum(one.verdict is Verdict.WRONG for one in citations)
    after = text[at + len(SECTION) + 2 :].lstrip() if at >= 0 else ""
    if after.startswith(("Citations: ", "This is a draft: ")) and len(_WRONG.findall(text[:at])) >= wrong:
        text = text[:at] if "\n\nChecked against these repositories." not in after else text
    return _TICKS.sub("", text).rstrip()


def told(
    text: str,
    moved: Mapping[Citation, Region],
    caveats: Mapping[Citation, str],
    known: Sequence[Citation],
    roots: Sequence[str] = (),
) -> tuple[str, tuple[Citation, ...]]:
    """The text with references to `moved` lines rewritten and `caveats` in bold brackets behind what they speak of, and
    the citations of both that could not be: those are to be told beside the text. `known`: all the note's citations."""
    if _WRONG.search(text):  # those that were wrong are marked already
        caveats = {one: said for one, said in caveats.items() if one.verdict is not Verdict.WRONG}
    if not moved and not caveats:
        return text, ()
    edits = _plainly(text, moved, caveats, known)
    return (_edited(text, edits), ()) if edits is not None else _read(text, moved, caveats, known, roots)


def _plainly(
    text: str, moved: Mapping[Citation, Region], caveats: Mapping[Citation, str], known: Sequence[Citation]
) -> list[Edit] | None:
    """The edits, where every reference that they concern is spelled plainly; else None."""
    concerned = {one.at: one for one in (*moved, *caveats)}
    names = {one.path.rpartition("/")[2] for one in concerned.values()}
    if "<!--" in text or not all(map(_SIMPLE.fullmatch, (*concerned, *names, *(at.path for at in moved.values())))):
        return None
    if len({one.at for one in known}) < len({(one.path, one.start, one.end) for one in known}):
        return None
    either = re.compile("|".join(map(re.escape, sorted(names, key=len, reverse=True))), re.IGNORECASE)
    listed = {one.at for one in known if one.start}
    edits: list[Edit] = []
    found = set()
    for begin, end in _prose(text):
        for name in either.finditer(text, begin, end):
            if _masked(text, name.start()):
                continue
            whole = _reference(text, name)
            if whole is None:
                if _LIKE.match(text, name.end()):
                    return None
                continue
            at, stop = whole
            if at not in listed:
                return None
            one = concerned.get(at)
            if one is None:
                continue
            change = _change(text, stop - len(at), stop, moved.get(one), caveats.get(one))
            if change is None:
                return None
            found.add(at)
            edits += change
    return edits if found == concerned.keys() else None


def _reference(text: str, name: re.Match[str]) -> tuple[str, int] | None:
    """The plain reference that a file's name is a part of, and where it ends."""
    lines = _LINES.match(text, name.end())
    if lines is None or _MORE.match(text, lines.end()):
        return None
    begin = name.start()
    while begin and (text[begin - 1].isalnum() or text[begin - 1] in "_./+-"):
        begin -= 1
    return text[begin : lines.end()], lines.end()


def _change(text: str, begin: int, end: int, now: Region | None, caveat: str | None) -> list[Edit] | None:
    """How one reference is rewritten and marked; None where that takes more than looking at the line."""
    line = text[text.rfind("\n", 0, begin) + 1 : begin]
    before, after = text[begin - 1 : begin], text[end : end + 1]
    coded = before == "`" and after == "`"
    if line.startswith(("    ", "\t")) or "|" in line or "|" in text[end : text.find("\n", end)]:
        return None
    if (before == "`") != (after == "`") or line.count("`") % 2 != coded or after in ("]", ">", "\\"):
        return None
    if before in ("[", "<", "@", ":", "\\") or "](" in text[end : end + 2]:
        return None
    edits = [(begin, end, Citation(now.path, now.start, now.end).at)] if now else []
    if caveat:
        behind = end + coded
        bold = _BOLD.match(text, behind)
        behind = bold.end() if bold else behind
        edits.append((behind, behind, f" **[{_plain(caveat, row=False)}]**"))
    return edits


def _masked(text: str, at: int) -> bool:
    """Is this in a mark?"""
    begin = text.rfind(" **[", text.rfind("\n", 0, at) + 1, at)
    found = _MARK.match(text, begin) if begin >= 0 else None
    return bool(found and found.end() > at)


def _prose(text: str) -> Iterator[tuple[int, int]]:
    """Where the text is outside of fenced blocks."""
    if "```" not in text and "~~~" not in text:
        yield 0, len(text)
        return
    fences, at = Fences(), 0
    for line in text.split("\n"):
        if not fences.inside(line):
            yield at, at + len(line)
        at += len(line) + 1


def _read(
    text: str,
    moved: Mapping[Citation, Region],
    caveats: Mapping[Citation, str],
    known: Sequence[Citation],
    roots: Sequence[str],
) -> tuple[str, tuple[Citation, ...]]:
    """As `told`, by reading the text's Markdown."""
    from scoutkit.knowledge import citations
    from scoutkit.knowledge.mending import meaning, mend

    mended = mend(text, moved, known, roots)
    missed = {at for reference in mended.missed if (at := meaning(reference, known)) in moved}
    said = {_at(one, moved.get(one)): (one, words) for one, words in caveats.items()}
    now = [_at(one, moved.get(one)) for one in known]
    marks: dict[int, dict[str, None]] = {}
    rows: set[int] = set()
    marked = set()
    for reference in citations.read(mended.text, roots=roots) if caveats else ():
        meant = meaning(reference, now)
        if meant in said and reference.site:
            one, words = said[meant]
            marks.setdefault(reference.site.end, {})[words] = None
            marked.add(one)
            if reference.site.row:
                rows.add(reference.site.end)
    edits = []
    for end, several in marks.items():
        bold = _BOLD.match(mended.text, end)
        behind = bold.end() if bold else end
        edits.append((behind, behind, "".join(f" **[{_plain(one, row=end in rows)}]**" for one in several)))
    left = tuple(one for one in known if one in missed or (one in caveats and one not in marked))
    return _edited(mended.text, edits), left


def _at(one: Citation, now: Region | None) -> Citation:
    return replace(one, path=now.path, start=now.start, end=now.end) if now else one


def _plain(text: str, *, row: bool) -> str:
    text = " ".join(text.split()).replace("]**", "] **")
    return text.replace("|", "\\|") if row else text


def _edited(text: str, edits: Sequence[Edit]) -> str:
    for begin, end, new in sorted(edits, reverse=True):
        text = text[:begin] + new + text[end:]
    return text
