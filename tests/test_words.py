from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoutkit import words


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("getUserName", ["get", "user", "name"]),
        ("get_user_name", ["get", "user", "name"]),
        ("HTTPServer2", ["http", "server", "2"]),
        ("parseHTTPHeader_v2", ["parse", "http", "header", "v", "2"]),
        ("MAX_SIZE", ["max", "size"]),
        ("__init__", ["init"]),
        ("naïveName", ["naïve", "name"]),
        ("getФункция", ["get", "функция"]),
        ("plain", ["plain"]),
        ("URLs", ["urls"]),
        ("getAPIsOf", ["get", "apis", "of"]),
        ("isSet", ["is", "set"]),
        ("HTTPServer", ["http", "server"]),
        ("___", []),
    ],
)
def test_an_identifier_is_split_where_its_words_begin(name: str, parts: list[str]) -> None:
    assert words.split_identifier(name) == parts


def test_a_run_ends_where_the_script_changes() -> None:
    assert list(words.runs("用getUser函数, ok")) == ["用", "getUser", "函数", "ok"]


def test_pairs_of_characters_overlap() -> None:
    assert words.pairs("会话签名") == ["会话", "话签", "签名"]
    assert words.pairs("用") == ["用"]


@pytest.mark.parametrize("run", ["会话", "セッション", "한국어", "ｶﾅ"])
def test_han_kana_and_hangul_have_no_blanks_between_words(run: str) -> None:
    assert words.is_cjk(run)


@pytest.mark.parametrize("run", ["session", "сессия", "ünï", "", "会x"])
def test_other_runs_have(run: str) -> None:
    assert not words.is_cjk(run)


def test_hidden_words_are_those_that_blanks_and_punctuation_do_not_show() -> None:
    assert list(words.hidden("plain words, a getUserName and get_user_name")) == [
        "get",
        "user",
        "name",
        "getusername",
    ]
    assert list(words.hidden("会话签名")) == ["会话", "话签", "签名", "名"]
    assert list(words.hidden("ＡＰＩ")) == ["API"]


def test_a_word_that_comes_twice_is_taken_once() -> None:
    assert list(words.hidden("sha256 sha256")) == ["sha", "256"]


def test_two_texts_that_differ_in_case_space_and_punctuation_are_plainly_the_same() -> None:
    assert words.plain("Where's the  `Cookie`?") == words.plain("where s the cookie")
    assert words.plain("Where is it") != words.plain("Where was it")


@given(st.text(max_size=60))
def test_any_text_can_be_taken_apart(text: str) -> None:
    for run in words.runs(text):
        words.split_identifier(run)
        assert words.pairs(run)
    assert all(words.hidden(text))
    words.plain(text)


def test_a_very_long_word_beside_other_signs_takes_no_time() -> None:
    found = list(words.hidden("x" * 200_000 + " é 🎉" + "y" * 200_000))  # from every character of it: hours
    assert found[0] == "y" * 200_000
