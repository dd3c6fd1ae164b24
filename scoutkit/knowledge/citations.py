"""The citations of a report, each with what its sentence says of it. Knows the text alone, not the repository.

Accepted: `path:12`, `path:12-40` (any dash), `path:12-20,44-50`, `path:12:5`, `path#L12-L40`, links and hosted
permalinks that end so, "path, lines 12-40", `path::symbol`. Paths may begin with `./` or a root, and use backslashes;
with spaces only in backticks and links. Code blocks, fenced or indented, are output or quotes: nothing in them is a
citation.

Some texts are citations or not depending on the tree (`Makefile:12`, `redis:6379`, `std::vector`): those are read, and
marked as not `sure`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from scoutkit.knowledge import grammar, unmarked
from scoutkit.knowledge.grammar import Mention
from scoutkit.knowledge.passages import Document, Form, Passage, Span, sentences
from scoutkit.knowledge.spoken import NOTHING, Spoken, nearest, said, together

_FILLER = re.compile(
    r"\b(?:see|also|at|in|from|and|or|to|of|the|cf|e\.g|i\.e|source|sources|file|files|where|location|defined|lines?|refs?"
    r"|references?|here)\b",
    re.IGNORECASE,
)
_LONGEST_QUOTE = 20_000  # characters of a code block: beyond this it is a listing
_NEAR = 3  # passages of a list item that are asked what it is about


@dataclass(frozen=True, slots=True)
class Site:
    """Where a citation with all its ranges is written: `begin` to `until`, and `end`, behind the code or link it is in.
    Characters of the whole text. `row`: in a table."""

    begin: int
    until: int
    end: int
    row: bool


@dataclass(frozen=True, slots=True)
class Reference:
    """One range a report points to. `start` and `end` are 0 where a symbol is given.

    `written` stands in the report at `offset` (characters), on `line`. `names` and `quotes` are what the sentence, list
    item or table row says stands there; `own` those of them that stand nearest, where the sentence has more citations,
    else nothing. Not `sure`: a citation only if there is such a file. `also`: other readings of `path`. `passage`
    numbers the paragraph, heading or row it stands in, -1 for an address given apart. `site`: where all of it is
    written. `part` numbers the ranges of one citation from 0.
    """

    written: str
    path: str
    start: int
    end: int
    symbol: str
    sentence: str
    names: tuple[str, ...]
    quotes: tuple[str, ...]
    offset: int
    line: int
    sure: bool = True
    also: tuple[str, ...] = ()
    own: Spoken = NOTHING
    passage: int = -1
    site: Site | None = None
    part: int = 0


def read(markdown: str, *, roots: Sequence[str] = ()) -> list[Reference]:
    """Every reference in order of appearance, one for each range. `roots`: absolute folders that stand for the
    repository. Never raises; linear in the length of the text. What `marks` wrote into it is not read."""
    return sorted(
        _Reader(Document(unmarked.masked(markdown)), roots).references(), key=lambda reference: reference.offset
    )


@dataclass(frozen=True, slots=True)
class _Unit:
    """A sentence, or several that belong together, with its citations. `bare`: it holds nothing else."""

    number: int  # of the passage
    begin: int
    end: int
    bare: bool
    last: bool  # in its passage
    mentions: tuple[Mention, ...]
    spoken: Spoken
    own: tuple[Spoken, ...]  # of each mention
    ends: tuple[int, ...]  # where the code or link that each mention is in ends, in the passage


class _Reader:
    def __init__(self, document: Document, roots: Sequence[str]) -> None:
        self._document = document
        self._passages = document.passages
        self._roots = sorted((root.replace("\\", "/").rstrip("/") for root in roots), key=len, reverse=True)
        self._roots = [root for root in self._roots if root]
        self._items: dict[int, list[int]] = {}
        self._spoken: dict[int, Spoken] = {}
        self._linked: set[str] = set()
        for number, passage in enumerate(self._passages):
            if passage.item:
                self._items.setdefault(passage.item, []).append(number)

    def references(self) -> Iterator[Reference]:
        for number in range(len(self._passages)):
            for unit in self._units(number):
                passage = self._passages[number]
                about = self._about(unit)
                sentence = passage.text[unit.begin : unit.end].strip()
                for mention, own, end in zip(unit.mentions, unit.own, unit.ends, strict=True):
                    site = _site(passage, mention, end)
                    for part, one in enumerate(mention.ranges):
                        offset = passage.offset + one.begin
                        yield Reference(
                            written=passage.text[one.begin : one.until],
                            path=mention.path,
                            start=one.start,
                            end=one.end,
                            symbol=mention.symbol,
                            sentence=sentence,
                            names=about.names,
                            quotes=about.quotes,
                            offset=offset,
                            line=self._document.line_of(offset),
                            sure=mention.sure,
                            also=mention.also,
                            own=own,
                            passage=number,
                            site=site,
                            part=part,
                        )
        yield from self._unlinked()

    def _unlinked(self) -> Iterator[Reference]:
        """Addresses given apart (`[1]: src/app.py#L3`) that no link uses."""
        for given in self._document.definitions():
            mention = None if given.target in self._linked else grammar.of_target(given.target, self._roots)
            if mention:
                for part, one in enumerate(mention.ranges):
                    place = (given.source, mention.path, one.start, one.end, "", given.source, (), ())
                    yield Reference(*place, given.offset, given.line, mention.sure, mention.also, part=part)

    def _units(self, number: int) -> list[_Unit]:
        """The sentences of a passage that cite."""
        passage = self._passages[number]
        apart = "[" in passage.text and self._document.has_definitions
        if passage.form is Form.CODE or not (apart or grammar.ANCHOR.search(passage.text)):
            return []
        spans = self._document.spans(passage)
        self._linked.update(span.target for span in spans if span.kind == "link")
        mentions = grammar.find(passage.text, spans, self._roots)
        if not mentions:
            return []
        whole = passage.form in (Form.ROW, Form.HEADING)
        parts = [(0, len(passage.text))] if whole else sentences(passage.text, spans)
        return _in_parts(number, passage.text, parts, mentions, spans)

    def _about(self, unit: _Unit) -> Spoken:
        """What a unit says; where that is nothing, what its list item or what follows says. A code block right after a
        citation is a quote."""
        about = unit.spoken or self._around(unit)
        following = self._passages[unit.number + 1 : unit.number + 2]
        if unit.last and following and following[0].form is Form.CODE and len(following[0].text) <= _LONGEST_QUOTE:
            about = together([about, Spoken(quotes=(following[0].text,))])
        return about

    def _around(self, unit: _Unit) -> Spoken:
        passage = self._passages[unit.number]
        if passage.item:
            if own := self._of(unit.number):
                return own
            for item in (passage.item, *passage.holders):
                if said_there := together(self._of(number) for number in self._items.get(item, [])[:_NEAR]):
                    return said_there
        if unit.bare and unit.last and unit.number + 1 < len(self._passages):
            following = self._passages[unit.number + 1]
            within = not passage.item or passage.item in (following.item, *following.holders)
            if following.form is Form.PARAGRAPH and within:
                return self._of(unit.number + 1)
        return Spoken()

    def _of(self, number: int) -> Spoken:
        """What a whole passage says, apart from its citations."""
        if number not in self._spoken:
            passage = self._passages[number]
            spans = self._document.spans(passage) if "`" in passage.text and passage.form is not Form.CODE else []
            mentions = grammar.find(passage.text, spans, self._roots) if spans else []
            self._spoken[number] = said(code for _, code in _codes(passage.text, spans, mentions))
        return self._spoken[number]


def _in_parts(
    number: int, text: str, parts: list[tuple[int, int]], mentions: list[Mention], spans: list[Span]
) -> list[_Unit]:
    """The parts that cite. One that does nothing but cite belongs to the one before it."""
    grouped: list[tuple[int, int, bool, list[Mention]]] = []
    at = 0
    for begin, end in parts:
        here = []
        while at < len(mentions) and mentions[at].begin < end:
            here.append(mentions[at])
            at += 1
        bare = _is_bare(text, begin, end, here)
        if bare and here and grouped:
            before, _, was_bare, earlier = grouped[-1]
            grouped[-1] = (before, end, was_bare, earlier + here)
        else:
            grouped.append((begin, end, bare, here))
    units = []
    at = 0
    for begin, end, bare, here in grouped:
        inside = []
        while at < len(spans) and spans[at].start < end:
            inside.append(spans[at])
            at += 1
        if here:
            codes = list(_codes(text, inside, here))
            own = nearest([mention.begin for mention in here], codes)
            ends = _ends(here, inside)
            spoken = said(code for _, code in codes)
            units.append(_Unit(number, begin, end, bare, end == grouped[-1][1], tuple(here), spoken, own, ends))
    return units


def _ends(mentions: list[Mention], spans: list[Span]) -> tuple[int, ...]:
    """Where the code or link that each citation is in, or ends in, has its end."""
    ends = []
    at = 0
    for mention in mentions:
        while at < len(spans) and spans[at].end <= mention.begin:
            at += 1
        end, number = mention.until, at
        while number < len(spans) and spans[number].start < end:
            end = max(end, spans[number].end)
            number += 1
        ends.append(end)
    return tuple(ends)


def _site(passage: Passage, mention: Mention, end: int) -> Site | None:
    """Where a citation is written; None where nothing may be written beside it."""
    if passage.form is Form.HTML:
        return None
    if passage.text[mention.begin - 1 : mention.begin] == "<" and passage.text[end : end + 1] == ">":
        end += 1
    base = passage.offset
    return Site(base + mention.begin, base + mention.until, base + end, passage.form is Form.ROW)


def _is_bare(text: str, begin: int, end: int, mentions: list[Mention]) -> bool:
    kept = []
    for mention in mentions:
        kept.append(text[begin : mention.begin])
        begin = max(mention.until, begin)
    rest = _FILLER.sub("", "".join([*kept, text[begin:end]]))
    return not any(character.isalpha() for character in rest)


def _codes(text: str, spans: list[Span], mentions: list[Mention]) -> Iterator[tuple[int, str]]:
    """Inline code that is not itself a citation, and where it begins."""
    at = 0
    for span in spans:
        if span.kind != "code":
            continue
        while at < len(mentions) and mentions[at].until <= span.start:
            at += 1
        code = text[slice(*span.inner)]
        cited = at < len(mentions) and mentions[at].begin < span.end and mentions[at].sure
        if not cited or (text[mentions[at].begin] == "[" and not grammar.ANCHOR.search(code)):
            yield span.start, code
