"""A note's Markdown as HTML that a stranger may have written: no markup of its own, no picture loaded, no address run.

Citations in it become links; everything else is markdown-it-py's, with HTML switched off.
"""

from __future__ import annotations

import functools
import html
import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

    from scoutkit.knowledge.citations import Reference

LONGEST = 200_000  # characters that are laid out; a longer text is shown as it is written
_BEGIN, _SAYS, _END = "\ue000", "\ue001", "\ue002"
_OURS = re.compile(f"{_BEGIN}([0-9]+){_SAYS}(.*?){_END}", re.DOTALL)
_TAG = re.compile(r"<(/?)([a-z0-9]+)[^>]*>")
_SAFE = ("http", "https", "mailto")
_STEERING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ue000-\ue002\ud800-\udfff]"
)

Address = Callable[["Reference"], tuple[str, str]]
"""Where a reference leads, and the class of its link; ("", "") for one that leads nowhere."""


def visible(text: str) -> str:
    """A text in which what steers a terminal or turns the order of letters around is seen: `⟨U+202E⟩`."""
    return _STEERING.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", text.replace("\r\n", "\n"))


def render(markdown: str, address: Address) -> str:
    """HTML of a note's text, its citations as links. What is too long to lay out is given as it is written, its
    first LONGEST characters."""
    if len(markdown) > LONGEST:
        return f'<pre class="raw">{html.escape(visible(markdown[:LONGEST]))}</pre>'
    marked, links = _marked(visible(markdown), address)

    def link(found: re.Match[str]) -> str:
        to, kind = links[int(found[1])]
        inner = found[2]
        if "<a " in inner:  # an address elsewhere keeps its own link
            return f'{inner} <a class="cite {kind}" href="{html.escape(to)}">lines</a>'
        said = f"{kind} now" if kind else ""
        return f'<a class="cite {kind}" title="{said}" href="{html.escape(to)}">{inner}</a>' if _whole(inner) else inner

    return _OURS.sub(link, _parser().render(marked))


def inline(text: str) -> str:
    """HTML of one line: `code`, emphasis and links, and no citations."""
    html: str = _parser().renderInline(visible(text))
    return html


def _marked(markdown: str, address: Address) -> tuple[str, list[tuple[str, str]]]:
    """The text with every citation that leads somewhere between signs that no text has, and where they lead."""
    from scoutkit.knowledge import citations

    pieces: list[str] = []
    links: list[tuple[str, str]] = []
    done = 0
    for reference in citations.read(markdown):
        begin, end = _place(markdown, reference)
        to = address(reference)
        if begin >= done and to[0]:
            pieces += [markdown[done:begin], _BEGIN, str(len(links)), _SAYS, markdown[begin:end], _END]
            links.append(to)
            done = end
    return "".join((*pieces, markdown[done:])), links


def _place(markdown: str, reference: Reference) -> tuple[int, int]:
    """Where a reference is written; where that is the address of a link, the whole link."""
    site, written = reference.site, (reference.offset, reference.offset + len(reference.written))
    linked = site is not None and site.begin < reference.offset and markdown[site.begin] == "["
    return (site.begin, site.end) if site and linked else written


def _whole(inner: str) -> bool:
    """Does every tag that begins in it end in it?"""
    depth = 0
    for tag in _TAG.finditer(inner):
        depth += -1 if tag[1] else 1
        if depth < 0:
            return False
    return depth == 0


@functools.cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    setattr(parser, "validateLink", lambda _: True)  # noqa: B010 - which addresses become links is decided below
    for name, rule in (("link_open", _link_open), ("link_close", _link_close), ("image", _image), ("fence", _fence)):
        parser.add_render_rule(name, rule)
    parser.add_render_rule("code_block", _fence)
    parser.add_render_rule("heading_open", _heading)
    parser.add_render_rule("heading_close", _heading)
    return parser


def _safe(address: str) -> bool:
    try:
        return urlsplit(address).scheme.lower() in _SAFE
    except ValueError:
        return False


def _link_open(_self: Any, tokens: Sequence[Any], index: int, _options: Any, _env: Any) -> str:
    to = str(tokens[index].attrs.get("href", ""))
    if not _safe(to):
        return ""
    return f'<a rel="noopener noreferrer nofollow" href="{html.escape(to)}">'


def _link_close(_self: Any, tokens: Sequence[Any], index: int, _options: Any, _env: Any) -> str:
    depth = 0
    for token in reversed(tokens[:index]):  # its own opening
        depth += 1 if token.type == "link_close" else -1 if token.type == "link_open" else 0
        if depth < 0:
            return "</a>" if _safe(str(token.attrs.get("href", ""))) else ""
    return ""


def _image(_self: Any, tokens: Sequence[Any], index: int, _options: Any, _env: Any) -> str:
    """A picture is never loaded: whoever made it would learn who looks."""
    token = tokens[index]
    said, to = html.escape(token.content or "without a name"), str(token.attrs.get("src", ""))
    if _safe(to):
        return f'<a rel="noopener noreferrer nofollow" href="{html.escape(to)}">picture: {said}</a>'
    return f'<span class="picture">picture: {said}</span>'


def _heading(_self: Any, tokens: Sequence[Any], index: int, _options: Any, _env: Any) -> str:
    """One level down: the page has its own first heading."""
    level = min(int(tokens[index].tag[1]) + 1, 6)
    return f"<h{level}>" if tokens[index].nesting > 0 else f"</h{level}>\n"


def _fence(_self: Any, tokens: Sequence[Any], index: int, _options: Any, _env: Any) -> str:
    token = tokens[index]
    language = (token.info or "").split()[:1]
    return f'<pre tabindex="0"><code>{coloured(token.content, language=language[0] if language else "")}</code></pre>\n'


def coloured(code: str, *, path: str = "", language: str = "") -> str:
    """Code as HTML with classes that the style sheet colours; without where nobody knows the language."""
    return "\n".join(coloured_lines(code.removesuffix("\n"), path=path, language=language))


def coloured_lines(code: str, *, path: str = "", language: str = "") -> list[str]:
    """The same, line by line: as many as the code has, one more than it has line ends."""
    from pygments import lexers
    from pygments.util import ClassNotFound

    plain = [html.escape(line) for line in code.split("\n")]
    if len(code) > LONGEST or not (path or language):
        return plain
    try:
        lexer = (
            lexers.get_lexer_for_filename(path, stripnl=False, ensurenl=False)
            if path
            else lexers.get_lexer_by_name(language, stripnl=False, ensurenl=False)
        )
    except ClassNotFound:
        return plain
    lines = list(_spans(lexer.get_tokens(code)))
    return lines if len(lines) == len(plain) else plain  # some lexers drop signs that they do not know


def _spans(tokens: Iterator[tuple[Any, str]]) -> Iterator[str]:
    from pygments.token import STANDARD_TYPES

    line: list[str] = []
    for kind, text in tokens:
        known = kind
        while known not in STANDARD_TYPES:
            known = known.parent
        name = STANDARD_TYPES[known]
        for number, piece in enumerate(text.split("\n")):
            if number:
                yield "".join(line)
                line = []
            if piece:
                line.append(f'<span class="{name}">{html.escape(piece)}</span>' if name else html.escape(piece))
    yield "".join(line)
