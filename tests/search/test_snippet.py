from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoutkit.search.snippet import WIDTH, lowered, passage, readable, root, snippet


def marked(texts: list[str], words: list[str]) -> list[str]:
    line, marks = snippet(texts, words)
    return [line[start:end] for start, end in marks]


@pytest.mark.parametrize(
    ("text", "words", "expected"),
    [
        ("Cookies are signed here", ["cookie", "signing"], ["Cookies", "signed"]),
        ("it calls getUserName()", ["user", "name"], ["User", "Name"]),
        ("it calls getUserName()", ["getusername", "get", "user", "name"], ["getUserName"]),
        ("it calls get_user_name()", ["user"], ["user"]),
        ("the HTTPServer", ["http", "server"], ["HTTP", "Server"]),
        ("校验签名", ["签名"], ["签名"]),
        ("a superuser", ["user"], []),
        ("nothing", ["walrus"], []),
        ("verifies, verified, verification", ["verify"], ["verifies", "verified", "verification"]),
    ],
)
def test_matching_words_are_marked(text: str, words: list[str], expected: list[str]) -> None:
    assert marked([text], words) == expected


def test_the_passage_with_the_most_words_is_shown() -> None:
    body = "walrus\n\n" + "filler words go here\n" * 50 + "the walrus and the narwhal\n" + "more filler\n" * 50
    line, _ = snippet(["a description", body], ["walrus", "narwhal"])
    assert "the walrus and the narwhal" in line
    assert line.startswith("… ")
    assert line.endswith(" …")


def test_a_description_that_says_as_much_is_preferred() -> None:
    assert snippet(["about a walrus", "a walrus in the body"], ["walrus"])[0] == "about a walrus"


def test_without_a_match_the_beginning_is_shown() -> None:
    assert snippet(["", "# Title\n\nthe beginning"], ["walrus"]) == ("Title the beginning", ())
    assert snippet(["described", "the beginning"], []) == ("described", ())


def test_markdown_and_control_characters_are_taken_out() -> None:
    text = (
        "# A *b* **c** `d`\n\n- [e](src/a.py:1-2) ![f](x.png)\n\n| g | h |\n|---|:-:|\n\n"
        "```python\ni\n```\n\x1b[31m<!-- no -->"
    )
    assert readable(text) == "A b c d e f | g | h | i [31m"


@given(
    st.text(max_size=400), st.text(max_size=900), st.lists(st.text(min_size=1, max_size=12).map(str.lower), max_size=5)
)
def test_a_snippet_is_one_short_line_and_its_marks_are_in_it(first: str, second: str, words: list[str]) -> None:
    line, marks = snippet([first, second], words)
    assert "\n" not in line
    assert len(line) <= WIDTH + 4
    assert all(0 <= start < end <= len(line) for start, end in marks)
    assert list(marks) == sorted(marks)


@given(st.text(st.sampled_from("aZéÉßİſK签名ЖяＡ\U0001f600 ")), st.sampled_from(["a", "é", "я", "签名"]))
def test_a_text_in_lower_case_keeps_every_place(text: str, word: str) -> None:
    lower = lowered(text, [word])
    assert len(lower) == len(text)
    assert all(one == char.lower() for one, char in zip(lower, text, strict=True) if char.isascii())
    if len(text.lower()) == len(text):
        assert lower.find(word) == text.lower().find(word)


def test_a_passage_is_the_paragraph_around_a_place_in_the_code() -> None:
    body = "# Title\n\nSigned in `src/a.py:1-2` and\nchecked elsewhere.\n\n```\ncode\n```\n\n"
    body += "- one\n- `b.py:3` ✓ two\n- three\n"
    line, marks = passage(body, "src/a.py:1-2")
    assert line == "Signed in src/a.py:1-2 and checked elsewhere."
    assert passage(body, "b.py:3")[0] == "b.py:3 ✓ two"
    assert passage("| a | b |\n|---|---|\n| `c.py:1` | x |\n| d | y |\n", "c.py:1")[0] == "| c.py:1 | x |"
    assert [line[start:end] for start, end in marks] == ["src/a.py:1-2"]
    assert passage("nothing", "src/a.py:1-2") == ("src/a.py:1-2", ((0, 12),))


@pytest.mark.parametrize(
    "words",
    [
        ["sign", "signs", "signed", "signing"],
        ["cookie", "cookies"],
        ["verify", "verifies", "verified", "verifying", "verification"],
        ["run", "runs", "running"],
        ["cache", "caches", "cached", "caching"],
        ["retry", "retries", "retried"],
        ["class", "classes"],
    ],
)
def test_forms_of_a_word_have_one_root(words: list[str]) -> None:
    assert len({root(word) for word in words}) == 1
