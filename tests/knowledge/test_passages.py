"""What stands where in a Markdown text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoutkit.knowledge.passages import Document, Form, closing, sentences

TEXT = """\
Title
=====

> quoted *text*\r
> goes on

- one
  - two

    ```py
    code
    ```

| a | b |
|---|---|
| c | `d` |
"""


def test_passages_are_slices_of_the_text_in_order() -> None:
    document = Document(TEXT)
    assert [(one.form, one.text, one.line) for one in document.passages] == [
        (Form.HEADING, "Title", 1),
        (Form.PARAGRAPH, "quoted *text*\r\n> goes on", 4),
        (Form.PARAGRAPH, "one", 7),
        (Form.PARAGRAPH, "two", 8),
        (Form.CODE, "code\n", 10),
        (Form.ROW, "| a | b |", 14),
        (Form.ROW, "| c | `d` |", 16),
    ]
    assert all(TEXT[one.offset :].startswith(one.text) for one in document.passages if one.form is not Form.CODE)


def test_an_item_knows_the_items_around_it() -> None:
    one, two, code = Document(TEXT).passages[2:5]
    assert two.holders == (one.item,)
    assert (code.item, code.holders) == (two.item, two.holders)


def test_spans_say_what_a_reader_sees() -> None:
    document = Document('`` a`b `` and [the `x`](<src/a b.py#L3> "t") ![i](j) <br>')
    (passage,) = document.passages
    found = [(one.kind, passage.text[slice(*one.inner)], one.target) for one in document.spans(passage)]
    assert found == [
        ("code", " a`b ", ""),
        ("link", "the `x`", "src/a b.py#L3"),
        ("code", "x", ""),
        ("hidden", "", ""),
        ("hidden", "", ""),
    ]


def test_spans_are_placed_where_lines_end_in_crlf_too() -> None:
    document = Document("one\r\ntwo `x`\r\n[y](z)")
    (passage,) = document.passages
    assert [passage.text[slice(*one.inner)] for one in document.spans(passage)] == ["x", "y"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("In src/a.py. `x` does.", ["In src/a.py.", "`x` does."]),
        ("Some, e.g. `x` and v1.2 do it.", ["Some, e.g. `x` and v1.2 do it."]),
        ("It ends... and goes on.", ["It ends... and goes on."]),
        ("Code `a. B` is whole. (So is this.) End", ["Code `a. B` is whole.", "(So is this.)", "End"]),
        ("一。二！三", ["一。", "二！", "三"]),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    document = Document(text)
    spans = document.spans(document.passages[0])
    assert [text[begin:end].strip() for begin, end in sentences(text, spans)] == expected


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet=st.sampled_from("a `~<!->\n#*1.|[](): \t\r"), max_size=60))
def test_any_text_can_be_closed(text: str) -> None:
    closed = f"{text}\n{closing(text)}\n\n## End\n"
    assert Document(closed).passages[-1].text == "End"
