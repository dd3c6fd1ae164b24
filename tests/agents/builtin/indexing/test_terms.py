from hypothesis import given
from hypothesis import strategies as st

from scoutkit.agents.builtin.indexing import terms


def test_a_word_gives_its_parts_stemmed_and_itself():
    assert terms.expand("getUserNames") == ("get", "user", "name", "getusernames")
    assert terms.expand("get_user_name") == ("get", "user", "name", "get_user_name")
    assert terms.expand("signing") == ("sign",)
    assert terms.expand("sign0") == ("sign", "sign0")
    assert terms.expand("s3") == ("s3",)
    assert terms.expand("HTTPServer2") == ("http", "server", "httpserver2")


def test_what_says_nothing_gives_nothing():
    assert terms.expand("x") == ()
    assert terms.expand("12345678901") == ()
    assert terms.expand("a" * 61) == ()
    assert terms.expand("_") == ()


def test_text_without_spaces_gives_pairs():
    assert [term for word in terms.raw("会话签名用getUser") for term in terms.expand(word)] == [
        *("会话", "话签", "签名", "名用"),
        *("get", "user", "getuser"),
    ]


def test_composed_and_decomposed_letters_are_one():
    assert terms.raw("cafe\u0301") == terms.raw("café")


def test_every_use_of_an_identifier_has_one_term_in_common():
    assert terms.whole("getUserName") in terms.expand("getUserName")
    assert terms.whole("sign") == terms.expand("sign")[0]
    assert terms.whole("x") == ""


@given(st.text(max_size=80))
def test_no_text_breaks_it(text):
    for word in terms.raw(text):
        assert all(terms.expand(word))
