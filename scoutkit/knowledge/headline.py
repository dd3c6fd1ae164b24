"""A note's title and description, taken from its text: what it says, not what was asked."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from scoutkit.knowledge import grammar, unmarked
from scoutkit.knowledge.passages import Document, Form, Passage, Span, sentences

TITLE = 120  # characters, at most
DESCRIPTION = 300
_ENOUGH = 12  # letters of a paragraph that says something
_READ = 30_000  # characters: both are near the beginning

_GENERIC = re.compile(
    r"(?:(?:the|my|short|quick|final|full|direct|executive|key|main|detailed|technical|investigation|research|scout"
    r"|code|codebase)\s+)*(?:answers?|summary|reports?|findings?|overview|introduction|conclusions?|results?|analysis"
    r"|response|explanation|notes?|tl;?dr|questions?|background|context|investigation|details|untitled)"
    r"(?:\s+(?:summary|report))?",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"(?:(?:the|short|quick|direct|final|key|main)\s+)?(?:answer|summary|report|findings?|tl;?dr|in short|conclusion)"
    r"\s*(?:[:.]|\s[—–-])\s+",
    re.IGNORECASE,
)
_CHATTER = re.compile(
    r"(?:i['’](?:ll|ve|m|d)|i (?:will|have|am|can|need|now|found)|let me|let['’]s|now i|now let|now that i|sure|okay|ok"
    r"|great|perfect|certainly|excellent|based on (?:my|the)|here(?:['’]s| is| are)|looking at|good|done)\b",
    re.IGNORECASE,
)
_CLAUSES = (", ", "; ", ": ", " — ", " – ", "，", "；", "：")
_NUMBERING = re.compile(r"^(?:\d+[.)]\s+|[^\w(\[\"'`<@#$-]+)+")
_CITED = re.compile(
    r"(\s*[(\[（【]\s*(?:(?:see|in|at|and|cf\.?)\s+|参见|见|参考)?\s*\0(?:\s*(?:,|;|，|、|；|and|\s)\s*\0)*\s*[)\]）】])"
)
_QUOTE_SIGN = re.compile(r"\n[ \t]*(?:>[ \t]?)+")
_EMPHASIS = re.compile(r"(\*{1,3}|~~)(?=\S)([^*~]*\S)\1")


def read(text: str, *, question: str = "") -> tuple[str, str]:
    """Title (its first heading, unless that only says "Answer" or asks, else its first sentence) and description."""
    document = Document(unmarked.without(text[:_READ]))
    passages = document.passages
    heading = _heading(passages)
    title = _without_label(plain(document, heading)) if heading else ""
    if heading is None or _says_nothing(title, question):
        title = ""
    begin = passages.index(heading) + 1 if heading else 0
    told = _told(document, passages, begin)
    if not told:
        line = next((line for line in text[:_READ].splitlines() if any(map(str.isalnum, line))), question)
        return title or shortened(" ".join(line.split()).strip("#>*- "), TITLE) or "Untitled", ""
    first, said = told[0]
    if not title:
        title = said[0]
        if len(said) == 1 and len(told) > 1 and told[1][0] == first + 1:  # the paragraph after it says more
            said = told[1][1]
    return _cut_title(title), shortened(" ".join(said[:2]), DESCRIPTION)


def lead(text: str, *, question: str = "") -> tuple[str, str]:
    """As `read`, but what it tells first as it is written: names stay code, so that its citations can be checked."""
    title, said = read(text, question=question)
    document = Document(unmarked.without(text[:_READ]))
    for passage in document.passages:
        if passage.form is Form.PARAGRAPH and said and "\n>" not in passage.text:
            ends = sentences(passage.text, document.spans(passage))[:2]
            for count in range(len(ends), 0, -1):
                written = " ".join(passage.text[: ends[count - 1][1]].split())
                if len(written) <= DESCRIPTION and said.startswith(plain_text(written)):
                    return title, written
    return title, said


def plain_text(text: str) -> str:
    """One line of Markdown as `plain` has it."""
    document = Document(text)
    return plain(document, document.passages[0]) if document.passages else ""


def _cut_title(title: str) -> str:
    """Without its stop; a long one ends where a clause does."""
    title = title.rstrip(".:。 ")
    if len(title) > TITLE:
        clause = max(title.rfind(mark, TITLE // 3, TITLE) for mark in _CLAUSES)
        title = title[:clause] if clause > 0 else title
    return shortened(title, TITLE)


def plain(document: Document, passage: Passage) -> str:
    """A passage as one line of text without Markdown, and without citations that stand in brackets of their own."""
    text, spans = passage.text, document.spans(passage)
    marks = sorted(_marks(text, spans))
    around = {span.inner: (span.start, span.end) for span in spans if span.kind == "code"}
    links = {span.start for span in spans if span.kind == "link"}
    pieces, cited, at = [], [], 0
    for mention in grammar.find(text, spans):
        begin, until = around.get((mention.begin, mention.until), (mention.begin, mention.until))
        if begin >= at and begin not in links:
            pieces.append(_visible(text, at, begin, marks) + "\0")
            cited.append(_visible(text, begin, until, marks))
            at = until
    joined = "".join([*pieces, _visible(text, at, len(text), marks)])
    left = iter(cited)
    parts = _CITED.split(" ".join(_QUOTE_SIGN.sub(" ", joined).split()))
    for number, part in enumerate(parts):
        parts[number] = "".join(next(left, "") if character == "\0" else character for character in part)
        if number % 2:  # brackets with nothing but citations
            parts[number] = ""
    return " ".join(_EMPHASIS.sub(r"\2", "".join(parts)).split())


def _marks(text: str, spans: list[Span]) -> Iterator[tuple[int, int]]:
    """What a reader does not see."""
    for span in spans:
        if span.kind == "link" and text.startswith("^", span.inner[0]):  # a footnote's number
            yield span.start, span.end
        else:
            yield span.start, span.inner[0]
            yield span.inner[1], span.end


def _visible(text: str, at: int, end: int, marks: list[tuple[int, int]]) -> str:
    """What a reader sees of a part of a text."""
    kept = []
    for begin, until in marks[bisect_left(marks, (at, 0)) : bisect_left(marks, (end, 0))]:
        if at <= begin:
            kept.append(text[at:begin])
            at = until
    return "".join([*kept, text[at:end]])


def shortened(text: str, most: int) -> str:
    """At most so many characters, cut between words."""
    if len(text) <= most:
        return text
    cut = text[: most - 1]
    return (cut.rsplit(" ", 1)[0] if " " in cut[most // 2 :] else cut).rstrip(" ,;:-–—(") + "…"


def _heading(passages: list[Passage]) -> Passage | None:
    """The heading that names the whole text: the first, unless it is one of several in a text already begun."""
    headings = [passage for passage in passages if passage.form is Form.HEADING]
    if not headings:
        return None
    first = headings[0]
    begun = any(
        passage.form is Form.PARAGRAPH and not _is_chatter(passage) for passage in passages[: passages.index(first)]
    )
    alone = [heading.level for heading in headings].count(first.level) == 1
    return None if begun and first.level > 1 and not alone else first


def _says_nothing(title: str, question: str) -> bool:
    asked = re.findall(r"\w+", question.casefold())
    words = re.findall(r"\w+", title.casefold())
    return (
        not words
        or words == asked
        or title.rstrip().endswith(("?", "？"))
        or bool(_GENERIC.fullmatch(title.rstrip(" :.")))
    )


def _without_label(text: str) -> str:
    text = _NUMBERING.sub("", text)
    return _LABEL.sub("", text, count=1) if _LABEL.match(text) else text


def _told(document: Document, passages: list[Passage], begin: int) -> list[tuple[int, list[str]]]:
    """Paragraphs that tell something, by number and as their sentences: those from `begin` on, then those before it,
    then chatter and list items."""
    order = [*range(begin, len(passages)), *range(begin)]
    order = [number for number in order if passages[number].form is Form.PARAGRAPH]
    order.sort(key=lambda number: bool(passages[number].item or _is_chatter(passages[number])))
    found = []
    for number in order:
        text = _without_label(plain(document, passages[number]))
        if sum(map(str.isalpha, text)) >= _ENOUGH:
            found.append((number, [text[at:end].strip() for at, end in sentences(text, ())]))
        if len(found) == 2:
            break
    return found


def _is_chatter(passage: Passage) -> bool:
    return bool(_CHATTER.match(passage.text.lstrip("*_ ")))
