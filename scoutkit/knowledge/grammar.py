"""The grammar of citations: where one text, whose inline code and links are known, points to a place in a file.

A citation is found by its end (`:12`, `#L12`, `, lines 12`, `::name`); what stands before that is the path, and before
that, of another repository, `name@sha:`. Each character is looked at a bounded number of times.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from urllib.parse import unquote

from scoutkit.knowledge import spelling
from scoutkit.knowledge.passages import Span
from scoutkit.model import pinned


@dataclass(frozen=True, slots=True)
class Range:
    """Lines, and where in the text they are written. The first of a citation is written with its path."""

    start: int
    end: int
    begin: int
    until: int


@dataclass(frozen=True, slots=True)
class Mention:
    """A citation: `begin` to `until` in the text. `sure`: False where it is one only if there is such a file.

    `path` is normalised (POSIX, no `./`, no root); `also` are other ways to read it, best first.
    """

    begin: int
    until: int
    path: str
    ranges: tuple[Range, ...]
    symbol: str = ""
    sure: bool = True
    also: tuple[str, ...] = ()


_N = "[0-9]{1,9}"
_DASH = "[-‐‑‒–—−]"
_TO = rf"(?:\s?{_DASH}\s?|\s(?:to|through)\s)"
ANCHOR = re.compile(r":(?=L?[0-9])|#L(?=[0-9])|#lines-(?=[0-9])|::(?=[A-Za-z_~$])|\b[Ll]ines?\s{1,3}(?=L?[0-9])")
_COLON = re.compile(rf":L?({_N})(?::{_N}(?:{_DASH}(?:({_N}):)?{_N})?|{_DASH}L?({_N})(?::{_N})?)?")
_HASH = re.compile(rf"#L({_N})(?:C{_N})?(?:{_DASH}L?({_N})(?:C{_N})?)?")
_LINES = re.compile(rf"#lines-({_N})(?::({_N}))?")
_MORE = re.compile(rf",(?:\s?L?({_N}){_DASH}L?({_N})|L?({_N}))")
_MORE_IN_CODE = re.compile(rf",\s?L?({_N})(?:{_DASH}L?({_N}))?")
_WORDS = re.compile(rf"[Ll]ines?\s+L?({_N})(?:{_TO}L?({_N}))?")
_MORE_WORDS = re.compile(rf"(?:,\s?(?:and\s)?|\s(?:and|&)\s)L?({_N})(?:{_TO}L?({_N})|(?=\s*(?:[,.;:)\]]|and\b|&|$)))")
_BARE = re.compile(rf"L?({_N})(?:{_TO}L?({_N}))?")
_ENDS = re.compile(rf"(?![A-Za-z0-9/\\%@$]|[._-][A-Za-z0-9]|{_DASH}[0-9])")
_SYMBOL = re.compile(r"::([A-Za-z_~$][\w$~]*(?:(?:::|\.|#)[A-Za-z_~$][\w$~]*)*)(?:\(\)|\[[^\]\n]{0,80}\])?(?![\w:/\\])")
_URL = re.compile(r"(?<![A-Za-z0-9])(?!file:)[A-Za-z][A-Za-z0-9+.-]{1,15}://[^\s<>\"'`|\\^{}]*")
_HOSTED = re.compile(
    r"[^/]+://[^/]+/[^#?]*?/(?:(?:blob|blame|raw|tree)/[^/#?]+|src/(?:(?:commit|branch|tag)/)?[^/#?]+)/([^#?]+)"
    r"(?:\?[^#]*)?(?=#)"
)

_ESCAPED = re.compile(r"\\([_*\[\](){}#+!~<>|-])")
_BEFORE_WORDS = re.compile(r"[\s,:(\[*_–—-]{0,8}(?:\b(?:at|on|around|near)\s{1,3})?\Z")


def find(text: str, spans: Sequence[Span], roots: Sequence[str] = ()) -> list[Mention]:
    """Every citation of a passage, in order. `roots`: absolute folders that stand for the repository, longest first."""
    return _Finder(text, spans, roots).run()


def of_target(target: str, roots: Sequence[str] = ()) -> Mention | None:
    """The citation that a link's address is. Positions are those in the address."""
    if "://" in target:
        return _hosted(target, 0)
    for anchor in ANCHOR.finditer(target):
        if anchor.group()[0] in ":#" and anchor.group() != "::":
            tail = _tail(target, anchor, len(target), in_code=True)
            if tail and tail[-1].until == len(target):
                return _mention(target[: anchor.start()], 0, _End(tail, marked=True), roots)
    return None


def numbers(written: str, start: int, end: int, *, first: bool) -> list[tuple[int, int]]:
    """Where in a range as it is written its lines stand: the first, and the last if it is there. Empty where they do
    not. `first`: written with its path, as the first of a citation is."""
    for anchor in ANCHOR.finditer(written) if first else ():  # in order: what follows the first may be a column
        kind = anchor.group()
        pattern = _WORDS if kind[0] in "Ll" else _LINES if kind == "#lines-" else _HASH if kind[0] == "#" else _COLON
        if (found := pattern.match(written, anchor.start())) and _said(found) == (start, end):
            return _places(found)
    bare = None if first else _BARE.match(written)
    return _places(bare) if bare and _said(bare) == (start, end) else []


def _places(found: re.Match[str]) -> list[tuple[int, int]]:
    return [found.span(number) for number, group in enumerate(found.groups(), 1) if group]


def _said(found: re.Match[str]) -> tuple[int, int]:
    said = [int(group) for group in found.groups() if group]
    return said[0], said[-1]


class _Finder:
    def __init__(self, text: str, spans: Sequence[Span], roots: Sequence[str]) -> None:
        self._text, self._roots = text, roots
        self._codes = [span for span in spans if span.kind == "code"]
        self._links = [span for span in spans if span.kind == "link"]
        self._hidden = [(span.start, span.end) for span in spans if span.kind == "hidden"]
        self._code_starts = [span.start for span in self._codes]
        self._link_starts = [span.start for span in self._links]
        self._ended = {span.end: span for span in (*self._links, *self._codes)}
        self._found: list[Mention] = []

    def run(self) -> list[Mention]:
        closed = _Closed([*self._hidden, *(self._link(link) for link in self._links)])
        urls = []
        for url in _URL.finditer(self._text):
            if not closed.at(url.start()):
                until = url.start() + len(url.group().rstrip(").,;:!?*_]"))
                urls.append((url.start(), until))
                if mention := _hosted(self._text[url.start() : until], url.start()):
                    self._found.append(mention)
        closed = _Closed([*closed.ranges, *urls])
        done = 0
        for anchor in ANCHOR.finditer(self._text):
            if anchor.start() < done or closed.at(anchor.start()):
                continue
            if mention := self._at(anchor, done):
                self._found.append(mention)
                done = mention.until
        return sorted(self._found, key=lambda mention: mention.begin)

    def _link(self, link: Span) -> tuple[int, int]:
        """Look at a link's address; gives what of the link need not be looked at again."""
        mention = of_target(link.target, self._roots)
        if mention is None:
            return link.inner[1], link.end
        text, begin = self._text, link.inner[1] + 2
        begin = link.end - len(text[begin : link.end].lstrip(" \t\n<"))
        if text.startswith(link.target, begin):
            ranges = [replace(one, begin=begin + one.begin, until=begin + one.until) for one in mention.ranges]
        elif text.startswith("](", link.inner[1]):
            ranges = [replace(one, begin=begin, until=link.end - 1) for one in mention.ranges]
        else:  # `[label][name]`: the address stands elsewhere
            ranges = [replace(one, begin=link.start, until=link.end) for one in mention.ranges]
        self._found.append(replace(mention, begin=link.start, until=link.end, ranges=tuple(ranges)))
        return link.start, link.end

    def _at(self, anchor: re.Match[str], done: int) -> Mention | None:
        """The citation whose lines or symbol begin with this anchor. What is before `done` belongs to another."""
        text, at = self._text, anchor.start()
        number = bisect_right(self._code_starts, at) - 1
        code = self._codes[number] if number >= 0 and at < self._codes[number].end else None
        if code:
            low, high = max(code.inner[0], done), code.inner[1]
        else:
            low = max(self._codes[number].end, done) if number >= 0 else done
            high = self._codes[number + 1].start if number + 1 < len(self._codes) else len(text)
        if anchor.group() == "::":
            named = _SYMBOL.match(text, at, high)
            end = _End((Range(0, 0, at, named.end()),), re.sub("::|#", ".", named[1])) if named else None
        else:
            tail = _tail(text, anchor, high, in_code=bool(code))
            end = _End(tail, marked=anchor.group()[0] == "#") if tail else None
        if end is None:
            return None
        if anchor.group()[0] in "Ll":
            before = _BEFORE_WORDS.search(text, max(at - 40, low), at)
            at = before.start() if before else at
        return self._in_code(code, low, at, end) if code else self._in_prose(low, at, end)

    def _in_prose(self, low: int, until: int, end: _End) -> Mention | None:
        """The path may be in backticks, or a link, that ends right here: `app.py`:12, **`app.py`** line 12."""
        text, edge = self._text, until
        while edge > low and until - edge < 3 and text[edge - 1] in "*_":
            edge -= 1
        if span := self._ended.get(edge):
            in_address = span.kind == "link" and "://" not in span.target
            return self._mention(span.target if in_address else text[slice(*span.inner)], span.start, end)
        begin = spelling.begin(text, until, low, self._roots)
        source = spelling.source(text, begin, low)
        if source < begin:
            return self._mention(text[source:until], source, end)
        raw = _ESCAPED.sub(r"\1", text[begin:until])
        cut = spelling.glued(raw)
        mention = self._mention(raw[cut:], begin, end)
        return mention and replace(mention, also=(*mention.also, raw)) if cut else mention

    def _in_code(self, code: Span, low: int, until: int, end: _End) -> Mention | None:
        """The path may hold spaces where there is nothing else in the backticks."""
        text = self._text
        begin = spelling.source(text, spelling.begin(text, until, low, self._roots), low)
        mention = self._mention(text[begin:until], begin, end)
        if mention and pinned.read(mention.path):
            return mention
        if low != code.inner[0] or until - low > spelling.LONGEST or code.inner[1] - end.ranges[-1].until > 1:
            return mention
        whole = text[low:until].strip()
        spaced = self._mention(whole, until - len(text[low:until].lstrip()), end) if " " in whole else None
        if mention is None or spaced is None:
            return mention or spaced
        within = "/" in whole.split(" ")[0] or pinned.read(spaced.path)
        first, second = (spaced, mention) if within else (mention, spaced)
        return replace(first, also=(*first.also, second.path))

    def _mention(self, raw: str, begin: int, end: _End) -> Mention | None:
        """`[app.py:12](src/app.py)` says the whole path in the address."""
        mention = _mention(raw, begin, end, self._roots)
        number = bisect_right(self._link_starts, begin) - 1
        if mention is None or number < 0 or begin >= self._links[number].inner[1]:
            return mention
        target = spelling.normal(self._links[number].target, self._roots)
        return replace(mention, path=target) if f"/{target}".endswith(f"/{mention.path}") else mention


@dataclass(frozen=True, slots=True)
class _End:
    """What a citation ends with. `marked`: written as only lines of a file are (`#L3`)."""

    ranges: tuple[Range, ...]
    symbol: str = ""
    marked: bool = False


class _Closed:
    """Ranges of a text, merged, for asking whether a position is in one."""

    def __init__(self, ranges: list[tuple[int, int]]) -> None:
        self.ranges: list[tuple[int, int]] = []
        for begin, end in sorted(ranges):
            if self.ranges and begin < self.ranges[-1][1]:
                self.ranges[-1] = (self.ranges[-1][0], max(end, self.ranges[-1][1]))
            else:
                self.ranges.append((begin, end))
        self._begins = [begin for begin, _ in self.ranges]

    def at(self, position: int) -> bool:
        number = bisect_right(self._begins, position) - 1
        return number >= 0 and position < self.ranges[number][1]


def _tail(text: str, anchor: re.Match[str], high: int, *, in_code: bool) -> tuple[Range, ...] | None:
    """The ranges that begin at an anchor, or None when what follows says that these are no lines."""
    kind = anchor.group()
    words = kind[0] in "Ll"
    pattern = _WORDS if words else _LINES if kind == "#lines-" else _HASH if kind[0] == "#" else _COLON
    found = pattern.match(text, anchor.start(), high)
    if not found or not _ENDS.match(text, found.end(), high):
        return None
    start, *ends = (int(group) for group in found.groups() if group)
    ranges = [Range(start, ends[0] if ends else start, found.start(), found.end())]
    more = _MORE_WORDS if words else _MORE_IN_CODE if in_code else _MORE
    while found := more.match(text, ranges[-1].until, high):
        numbers = [number for number, group in enumerate(found.groups(), 1) if group]
        spaced = not in_code and not words and not found.group()[1].isdigit()
        single = ranges[-1].start == ranges[-1].end
        if not _ENDS.match(text, found.end(), high) or (spaced and single) or (words and "ines" not in kind):
            break  # "src/a.py:12, 2-3 times"
        start, *ends = (int(found[number]) for number in numbers)
        ranges.append(Range(start, ends[0] if ends else start, found.start(numbers[0]), found.end()))
    return tuple(ranges)


def _mention(raw: str, begin: int, end: _End, roots: Sequence[str]) -> Mention | None:
    """A citation of `raw`, or None where that cannot be a path."""
    if of := pinned.PREFIX.match(raw.lstrip()):
        bare = _mention(raw.lstrip()[of.end() :], begin, end, roots)
        return bare and replace(bare, path=of[0] + bare.path, sure=True, also=(bare.path, *bare.also))
    path = spelling.normal(raw, roots)
    if not spelling.possible(path):
        return None
    other = path.lstrip("@/")  # `@src/app.py` as some agents write, `/src/app.py` from the top of the repository
    ranges = (replace(end.ranges[0], begin=begin), *end.ranges[1:])
    sure = spelling.is_sure(path, marked=end.marked)
    return Mention(begin, ranges[-1].until, path, ranges, end.symbol, sure, (other,) if other != path else ())


def _hosted(url: str, base: int) -> Mention | None:
    """A permalink to lines of a file on a code host."""
    place = _HOSTED.match(url) if len(url) < 4 * spelling.LONGEST else None
    anchor = ANCHOR.match(url, place.end()) if place else None
    tail = _tail(url, anchor, len(url), in_code=False) if anchor else None
    if not place or not tail or tail[-1].until != len(url):
        return None
    shifted = tuple(replace(one, begin=base + one.begin, until=base + one.until) for one in tail)
    return _mention(unquote(place[1], errors="replace"), base, _End(shifted, marked=True), ())
