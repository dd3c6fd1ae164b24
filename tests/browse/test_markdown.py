"""A note may have been written by anybody: what it says is shown, and nothing in it is done."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from scoutkit.browse import markdown

ALLOWED = {
    *("a", "p", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "code", "pre", "em", "strong", "s", "br", "hr"),
    *("blockquote", "table", "thead", "tbody", "tr", "th", "td", "span"),
}


class Seen(HTMLParser):
    """Every tag and attribute of a page's part."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def judged(text: str) -> str:
    html = markdown.render(text, lambda reference: (f"/x/{reference.start}", "fresh"))
    seen = Seen(html)
    assert not seen.open
    for tag, attributes in seen.tags:
        assert tag in ALLOWED, tag
        assert set(attributes) <= {"href", "rel", "class", "style", "start", "tabindex", "title"}, attributes
        assert attributes.get("style") in (None, "text-align:left", "text-align:right", "text-align:center")
        if tag == "a":
            assert str(attributes["href"]).lower().startswith(("http://", "https://", "mailto:", "/x/"))
    return html


@pytest.mark.parametrize(
    "hostile",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        '[a](javascript:alert(1) "t")',
        "[a](JaVaScRiPt:alert(1))",
        "[a](java\nscript:alert(1))",
        "[a](&#106;avascript:alert(1))",
        "[a](vbscript:x) [b](data:text/html,<script>) [c](file:///etc/passwd)",
        "![x](http://evil.example/track.png)",
        "![x](data:image/svg+xml;base64,PHN2Zy8+)",
        "<svg onload=alert(1)></svg>",
        "[a]: javascript:alert(1)\n\n[a]",
        "<javascript:alert(1)>",
        '`src/a.py:1-2"><script>`',
        "[`src/a.py:1-2`](javascript:alert(1))",
        '[x](src/a.py#L1-L2"onmouseover=alert(1))',
        '```"><script>\nx\n```',
        "| a |\n|:-:|\n| <b onclick=x> |",
    ],
)
def test_nothing_hostile_is_more_than_text(hostile: str) -> None:
    html = judged(f"before {hostile} after\n\n{hostile}\n\n- {hostile}\n")
    assert "<script" not in html
    assert "<img" not in html


@given(
    st.text(alphabet=st.sampled_from("ab[]()<>`*_|#!:/\\\"'&;\n -\t\x1b\u202e\ue000\ue001\ue0020123.py"), max_size=200)
)
@example("\ue0000\ue001x\ue002")
@example("`src/a.py:1` \ue0000\ue001<\ue002")
@settings(max_examples=150, deadline=None)
def test_any_text_is_shown(text: str) -> None:
    judged(text)


def test_what_steers_a_terminal_or_turns_text_around_is_seen() -> None:
    html = markdown.render("\x1b[31mred\x1b[0m \u202egnp.exe", lambda _: ("", ""))
    assert "⟨U+001B⟩[31mred" in html
    assert "⟨U+202E⟩gnp.exe" in html


def test_a_picture_is_named_and_not_loaded() -> None:
    html = markdown.render("![a plan](https://example.org/plan.png)", lambda _: ("", ""))
    assert '<a rel="noopener noreferrer nofollow" href="https://example.org/plan.png">picture: a plan</a>' in html


def test_a_huge_text_is_shown_as_it_is_written_up_to_a_point() -> None:
    html = markdown.render("<b>x</b>\n" * 1_000_000, lambda _: ("", ""))
    assert html.startswith('<pre class="raw">&lt;b&gt;')
    assert len(html) < 10 * markdown.LONGEST


def test_citations_become_links_wherever_they_stand() -> None:
    text = "`src/a.py:1-2`, src/b.py:3 and [there](src/c.py#L4-L5)\n\n| place |\n|---|\n| `src/d.py:6` |\n"
    html = judged(text)
    assert html.count('class="cite fresh"') == 4


def test_code_is_coloured_line_by_line() -> None:
    lines = markdown.coloured_lines('x = """one\ntwo"""\n', path="a.py")
    assert len(lines) == 3
    assert all("\n" not in line for line in lines)
    assert markdown.coloured_lines("<b>", path="a.nosuchthing") == ["&lt;b&gt;"]
