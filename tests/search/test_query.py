from __future__ import annotations

import sqlite3

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from scoutkit.search.query import parse

HOSTILE = [
    '"',
    '""',
    '"unbalanced',
    'a "b" "c',
    "rate-limit",
    "a::b",
    "--flag",
    "-word",
    "v1.2.3",
    "AND",
    "OR NOT",
    "NEAR(a b, 2)",
    "a AND",
    "title: x",
    "{title body}: x",
    "col:val*",
    "^start",
    "*",
    "a*",
    "(",
    ")",
    "((()))",
    "a + b",
    "'; DROP TABLE notes; --",
    "🔥",
    "🔥 fire",
    "\0",
    "a\0b",
    "\ud800",
    "é\u0301\u0301",
    "_",
    "___ __",
    "…",
    "%",
    "\\",
    "\u202e",
    "𞤀",
    "½ ² ①",
    "x" * 100_000,
    "lorem ipsum " * 9_000,
    "，。、",
    "用",
    "of the",
]


@pytest.fixture(scope="module")
def table() -> sqlite3.Connection:
    """An index with a few texts, to ask expressions of."""
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE t USING fts5(body, tokenize='porter unicode61 remove_diacritics 2')")
    connection.executemany(
        "INSERT INTO t VALUES (?)", [("rate limit",), ("rate x limit",), ("get user name",), ("a b",)]
    )
    return connection


def found(table: sqlite3.Connection, expression: str) -> list[int]:
    rows = table.execute("SELECT rowid FROM t WHERE t MATCH ? ORDER BY rowid", (expression,)).fetchall()
    return [row[0] for row in rows]


def expressions(text: str) -> list[str]:
    query = parse(text)
    return [one for one in (query.all, query.any, query.beginnings, *query.words) if one]


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_a_person_types_is_a_syntax_error(table: sqlite3.Connection, text: str) -> None:
    for expression in expressions(text):
        found(table, expression)


@settings(max_examples=300)
@example("0=_=0=0/0\u30400")
@given(st.text(max_size=80) | st.text(alphabet="ab \"'-*():^+{}\0签名用_A1.", max_size=30))
def test_no_text_at_all_is_a_syntax_error(table: sqlite3.Connection, text: str) -> None:
    for expression in expressions(text):
        found(table, expression)


def test_words_that_hang_together_are_looked_for_together(table: sqlite3.Connection) -> None:
    assert found(table, parse("rate-limit").all) == [1]
    assert found(table, parse("rate limit").all) == [1, 2]
    assert found(table, parse('"rate limit"').all) == [1]


def test_an_identifier_is_looked_for_whole_and_in_parts(table: sqlite3.Connection) -> None:
    assert found(table, parse("getUserName").all) == [3]
    assert found(table, parse("get_user_name").all) == [3]


def test_the_small_words_of_a_question_are_not_required() -> None:
    assert parse("Where is our session cookie signed?").needed == ('"session"', '"cookie"', '"signed"')


def test_small_words_count_when_there_are_no_others_or_in_quotes() -> None:
    assert parse("who is it").needed == ('"who"', '"is"', '"it"')
    assert parse('"who is it" cookie').needed == ('"who is it"', '"cookie"')


def test_the_beginning_of_a_word_is_enough_where_nothing_else_is_found() -> None:
    assert parse('authent walrus11 ab "a phrase"').starts == ("authent", "walrus11", "walrus")


def test_a_number_in_an_identifier_is_no_word_of_its_own() -> None:
    assert parse("sha256").words == ('("sha256" OR "sha 256")', '"sha"')
    assert parse("port 8080").words == ('"port"', '"8080"')


def test_a_long_text_is_cut_to_as_many_words_as_can_be_looked_for() -> None:
    query = parse(" ".join(f"word{number}" for number in range(5_000)))
    assert 10 < len(query.needed) < 100
    assert len(query.words) < 100


def test_nothing_to_look_for_is_an_empty_query() -> None:
    assert parse(" … ?! ").needed == ()
