"""What stands where in a Markdown text: the only module that reads Markdown tokens.

A passage is a heading, a paragraph (a list item's too), a table row or a code block, in order, as one slice of the
text, so that a place in a passage is a place in the text.
"""

from __future__ import annotations

import functools
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import StateInline

_NEWLINE = re.compile(r"\r\n?|\n")
_MARKED = re.compile(r"[`\[<]")
_PIECE = 16_000  # characters of one passage that inline rules see at once: some of them are quadratic
_HIDDEN_HTML = re.compile(r"\s*<(?:!--|pre\b|script\b|style\b|textarea\b)", re.IGNORECASE)
_OPEN_HTML = re.compile(r"\s*<(!--|\?|!\[CDATA\[|!|pre|script|style|textarea)", re.IGNORECASE)


class Form(StrEnum):
    """What kind of passage it is."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    ROW = "row"
    HTML = "html"
    CODE = "code"  # fenced or indented: `text` is the code itself


@dataclass(frozen=True, slots=True)
class Span:
    """A part of a passage that is not plain text: `start` to `end` in its text, `inner` what a reader sees of it.

    `kind` is `code`, `link` or `hidden` (images, HTML tags); `target` a link's decoded address.
    """

    kind: str
    start: int
    end: int
    inner: tuple[int, int]
    target: str = ""


@dataclass(frozen=True, slots=True)
class Passage:
    """`offset` (characters) and `line` say where it begins in the whole text. `item` numbers the list item it stands
    in, 0 for none; `holders` are the items around that one, innermost first."""

    form: Form
    text: str
    offset: int
    line: int
    item: int = 0
    holders: tuple[int, ...] = ()
    level: int = 0  # of a heading


@dataclass(frozen=True, slots=True)
class Definition:
    """`[label]: target`: a link's address given apart from it."""

    target: str
    offset: int
    line: int
    source: str


class Document:
    """A Markdown text, read once. Never raises, whatever the text."""

    def __init__(self, markdown: str) -> None:
        self.text = markdown
        self._source = markdown.replace("\0", "\ufffd")  # as the parser does
        self._starts = [0, *(found.end() for found in _NEWLINE.finditer(self._source)), len(self._source)]
        self._references: dict[str, Any] = {}
        self.passages = list(self._read())

    def line_of(self, offset: int) -> int:
        """The 1-based line an offset of the whole text is on."""
        return min(bisect_right(self._starts, offset), max(len(self._starts) - 1, 1))

    @property
    def has_definitions(self) -> bool:
        """Are there addresses given apart?"""
        return bool(self._references.get("references"))

    def definitions(self) -> Iterator[Definition]:
        """Addresses given apart, in order."""
        for entry in self._references.get("references", {}).values():
            first, last = entry["map"]
            begin, end = self._starts[first], self._starts[min(last, len(self._starts) - 1)]
            source = self._source[begin:end]
            begin += len(source) - len(source.lstrip())
            yield Definition(_decoded(entry["href"]), begin, first + 1, source.strip())

    def spans(self, passage: Passage) -> list[Span]:
        """Code, links and what a reader does not see, in order; a link comes before what is in its label."""
        if passage.form in (Form.CODE, Form.HTML) or not _MARKED.search(passage.text):
            return []
        found: list[Span] = []
        for begin, end in _pieces(passage.text):
            # the parser makes one character of "\r\n", and places after it would be wrong
            found += self._inline(passage.text[begin:end].replace("\r", " "), begin)
        return sorted(found, key=lambda span: (span.start, -span.end))

    def _inline(self, text: str, base: int) -> Iterator[Span]:
        for token in _inline_parser().parseInline(text, {"references": self._references.get("references", {})}):
            for child in token.children or []:
                if span := child.meta.get("span"):
                    kind, start, end, inner = span
                    target = _decoded(str(child.attrGet("href") or "")) if kind == "link" else ""
                    yield Span(kind, base + start, base + end, (base + inner[0], base + inner[1]), target)

    def _read(self) -> Iterator[Passage]:
        items: list[int] = []
        count = 0
        heading = 0
        row: list[int] | None = None
        for token in _block_parser().parse(self._source, self._references):
            if token.type == "list_item_open":
                count += 1
                items.append(count)
            elif token.type == "list_item_close":
                items.pop()
            elif token.type == "heading_open":
                heading = int(token.tag[1:])
            elif token.type == "heading_close":
                heading = 0
            elif token.map and token.type in ("inline", "tr_open", "html_block", "fence", "code_block"):
                item, holders = (items[-1], tuple(items[-2::-1])) if items else (0, ())
                first, last = token.map
                if token.type in ("fence", "code_block"):
                    yield Passage(Form.CODE, token.content, self._starts[first], first + 1, item, holders)
                elif token.type == "html_block":
                    if not _HIDDEN_HTML.match(token.content):
                        yield self._slice(Form.HTML, first, last, token.content, item, holders)
                elif token.type == "tr_open":
                    row = token.map
                    yield self._slice(Form.ROW, first, last, "", item, holders)
                elif token.map != row:  # what is in a row's cells is in the row
                    form = Form.HEADING if heading else Form.PARAGRAPH
                    yield self._slice(form, first, last, token.content, item, holders, heading)

    def _slice(
        self, form: Form, first: int, last: int, content: str, item: int, holders: tuple[int, ...], level: int = 0
    ) -> Passage:
        """The lines of a passage without the markers before its first: list bullets, quote signs, hashes."""
        begin, end = self._starts[first], self._starts[min(last, len(self._starts) - 1)]
        head = self._source[begin : self._starts[first + 1]].rstrip()
        said = content.split("\n", 1)[0].rstrip()
        if level:
            begin += max(head.find(said), 0)
        elif said and head.endswith(said):
            begin += len(head) - len(said)
        return Passage(form, self._source[begin:end].rstrip(), begin, first + 1, item, holders, level)


def closing(markdown: str) -> str:
    """What has to follow a text so that more Markdown can: the end of an open code block or HTML comment, or ""."""
    tokens = _block_parser().parse(f"{markdown}\n\n.", {})
    last = tokens[-1]
    if last.type == "fence":
        return last.markup
    if last.type != "html_block":
        return ""
    opened = _OPEN_HTML.match(last.content)
    tag = opened[1] if opened else ""
    return {"": "", "!--": "-->", "?": "?>", "![CDATA[": "]]>", "!": ">"}.get(tag, f"</{tag}>")


def sentences(text: str, spans: Iterable[Span]) -> list[tuple[int, int]]:
    """Where the sentences of a passage begin and end. Code and links are never cut."""
    closed = [(span.start, span.end) for span in spans]
    ends: list[int] = []
    at = 0
    for found in _STOP.finditer(text):
        while at < len(closed) and closed[at][1] <= found.start():
            at += 1
        if at == len(closed) or closed[at][0] > found.start():
            ends.append(found.end())
    begins = [0, *ends]
    return [(begin, end) for begin, end in zip(begins, [*ends, len(text)], strict=True) if text[begin:end].strip()]


# A stop ends a sentence when what follows does not look like its continuation ("e.g. the", "v1. 2").
_STOP = re.compile(
    r"(?<![.!?])(?<!\be\.g)(?<!\bi\.e)(?<!\bcf)(?<!\bvs)[.!?]+[\"'”’)\]*_]*\s+(?![a-z\s,;)–—-])|[。！？]+[”’」』）]*"
)


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    begin = 0
    while len(text) - begin > _PIECE:
        cut = max(text.rfind(" ", begin + _PIECE // 2, begin + _PIECE), text.rfind("\n", begin, begin + _PIECE)) + 1
        cut = cut or begin + _PIECE
        yield begin, cut
        begin = cut
    yield begin, len(text)


def _decoded(target: str) -> str:
    from urllib.parse import unquote

    return unquote(target, errors="replace")


@functools.cache
def _block_parser() -> MarkdownIt:
    """Blocks only: most passages cite nothing, and inline rules are what costs."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"maxNesting": 60}).enable("table")
    parser.core.ruler.disable(["inline", "text_join"])
    return parser


@functools.cache
def _inline_parser() -> MarkdownIt:
    """Inline rules that say where their tokens begin and end, which the library keeps to itself."""
    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import backtick, html_inline, image, link

    parser = MarkdownIt("commonmark", {"maxNesting": 8})
    parser.inline.ruler.enableOnly(
        ["text", "newline", "escape", "backticks", "link", "image", "autolink", "html_inline"]
    )
    parser.inline.ruler2.enableOnly([])
    for name, rule, kind, opening in (
        ("backticks", backtick, "code", "code_inline"),
        ("link", link, "link", "link_open"),
        ("image", image, "hidden", "image"),
        ("html_inline", html_inline, "hidden", "html_inline"),
    ):
        parser.inline.ruler.at(name, _placed(rule, kind, opening))
    return parser


def _placed(rule: Any, kind: str, opening: str) -> Any:
    def placed(state: StateInline, silent: bool) -> bool:
        start, count = state.pos, len(state.tokens)
        if not rule(state, silent):
            return False
        if not silent:
            token = next((token for token in state.tokens[count:] if token.type == opening), None)
            if token is not None:
                token.meta["span"] = (kind, start, state.pos, _inner(kind, token.markup, state, start))
        return True

    return placed


def _inner(kind: str, markup: str, state: StateInline, start: int) -> tuple[int, int]:
    if kind == "code":
        return start + len(markup), state.pos - len(markup)
    if kind == "link":
        return start + 1, state.md.helpers.parseLinkLabel(state, start)
    return state.pos, state.pos
