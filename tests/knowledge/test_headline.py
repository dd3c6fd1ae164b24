"""Titles and descriptions."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoutkit.knowledge import headline

QUESTION = "Where is the cookie signed?"


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# Cookies are signed by `Signer`\n\nMore.\n", "Cookies are signed by Signer"),
        ("Let me look.\n\n# Cookies are signed\n\nMore text here.\n", "Cookies are signed"),
        (
            "# Answer\n\nThe cookie is signed in `sign` (src/a.py:12, src/b.py:3). More.\n",
            "The cookie is signed in sign",
        ),
        ("# Where is the cookie signed?\n\nIt is signed by a middleware.\n", "It is signed by a middleware"),
        ("## WHERE is the cookie signed\n\nIt is signed by a middleware.\n", "It is signed by a middleware"),
        ("## How does it work?\n\nIt is signed by a middleware.\n", "It is signed by a middleware"),
        ("# Report: Signing in Flask\n\n## Summary\n\nText that says so.\n", "Signing in Flask"),
        ("**Short answer:** it is signed by a middleware.\n", "it is signed by a middleware"),
        ("Sure, here it is.\n\nIt is signed by a middleware. More.\n", "It is signed by a middleware"),
        ("The signer is a class.\n\n## Signing\n\nA b c.\n\n## Checking\n\nD e f.\n", "The signer is a class"),
        ("# 1. Findings\n\n- the *signer* calls `__init__`\n", "the signer calls __init__"),
        ("> The signer is\n> a class here.\n", "The signer is a class here"),
        ("The [signer](src/a.py#L3) signs all cookies[^1].\n\n[^1]: src/a.py:3\n", "The signer signs all cookies"),
        ("# 签名在哪里？\n\n会话由`sign`签名（参见src/a.py:3-9）。再由别处检查。\n", "会话由sign签名"),
        ("```\ncode\n```\n", "code"),
        ("***\n", QUESTION),
    ],
)
def test_the_title_says_what_was_found(text: str, title: str) -> None:
    assert headline.read(text, question=QUESTION)[0] == title


def test_a_long_title_ends_where_a_clause_does() -> None:
    title, description = headline.read(
        f"The cookie is signed by the session signer of the application, which {'word ' * 99}."
    )
    assert title == "The cookie is signed by the session signer of the application"
    assert len(description) <= headline.DESCRIPTION
    assert description.endswith("word…")


def test_the_description_is_one_or_two_sentences() -> None:
    assert (
        headline.read("# Signing\n\n## Answer\n\nIt signs here. It checks there. It ends.\n")[1]
        == "It signs here. It checks there."
    )
    assert (
        headline.read("It signs all of them.\n\nThen it checks them all.\n\nMore.\n")[1] == "Then it checks them all."
    )


def test_nothing_to_say_is_untitled() -> None:
    assert headline.read("") == ("Untitled", "")


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet=st.sampled_from("ab .?!#*_`[]()>-|\n\r\t\0:1<"), max_size=80))
def test_any_text_has_a_title_of_one_short_line(text: str) -> None:
    title, description = headline.read(text, question=QUESTION)
    assert title.strip() == title != ""
    assert len(title) <= headline.TITLE
    assert len(description) <= headline.DESCRIPTION
    assert not {"\n", "\r"} & {*title, *description}
