from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoutkit.search.ledger import Ledger
from scoutkit.search.operators import Asked, as_words, taken
from scoutkit.search.query import parse

from .conftest import Shelf


@pytest.mark.parametrize(
    "text",
    [
        *("std::sort", "http://example.org/a", "type:checking", "is:it", "since:then", "foo:bar", "tag: x", "Tag:x"),
        *("-word", "--flag", "gcc -Wall -pedantic", "find . -name foo", "ls -l -draft", "a - b", "a -x", "well-known"),
        *("cookie -flask session", 'tag:"unclosed', "see:tag:x", "since:2026-13-01"),
    ],
)
def test_what_is_no_operator_is_text(text: str) -> None:
    assert taken(text) == (text, Asked())


@pytest.mark.parametrize(
    ("text", "rest", "asked"),
    [
        ("cookie tag:auth", "cookie", Asked(tags=("auth",))),
        ("tag:#auth tag:x", "", Asked(tags=("auth", "x"))),
        ('path:"src/a b" cookie', "cookie", Asked(paths=("src/a b",))),
        ("type:scout type:ask", "", Asked(types=("scout", "ask"))),
        ("is:fresh is:draft", "", Asked(standings=("fresh",), statuses=("draft",))),
        ("agent:claude since:2026-11", "", Asked(agents=("claude",), since="2026-11-01")),
        ("cookie -flask", "cookie", Asked(without=("flask",))),
        ('cookie -"two words" -flask is:stable', "cookie", Asked(without=("two words", "flask"), statuses=("stable",))),
        ("tag:auth -flask", "", Asked(tags=("auth",), without=("flask",))),
        ("签名 -会话", "签名", Asked(without=("会话",))),
    ],
)
def test_operators_are_taken_out_of_a_text(text: str, rest: str, asked: Asked) -> None:
    found, what = taken(text)
    assert (found.strip(), what) == (rest, asked)


def test_since_counts_back_from_today() -> None:
    before = (datetime.now(UTC) - timedelta(days=7)).date().isoformat()
    assert taken("since:7d")[1].since in (before, (datetime.now(UTC) - timedelta(days=7)).date().isoformat())
    assert taken("since:1w")[1].since == taken("since:7d")[1].since
    assert taken("since:99999y")[1].since < "0200"


@settings(max_examples=100)
@given(st.text(alphabet='ab -:"tagispeu#\n签', max_size=60))
def test_no_text_is_lost(text: str) -> None:
    rest, asked = taken(text)
    every = rest + " ".join(word for values in asked for word in ([values] if isinstance(values, str) else values))
    assert set(re.findall(r"[签]", text)) <= set(every)


def test_a_value_that_no_note_has_is_text(shelf: Shelf) -> None:
    shelf.note("a.md", "the image tag:latest is pulled", tags="[docker]")
    shelf.note("b.md", "walrus", tags="[sea]")
    assert shelf.find("tag:latest") == ["a.md"]
    assert shelf.find("tag:sea") == ["b.md"]
    assert shelf.find("agent:nobody path:no/where") == []


def test_operators_narrow_a_search_and_a_list(shelf: Shelf) -> None:
    made = "generated: {by: claude/2.1, at: 2026-02-01T00:00:00+00:00}"
    shelf.write("new.md", f"---\ntype: scout\nstatus: draft\ntags: [ice]\n{made}\n---\n\nwalrus narwhal\n")
    old = "{by: 'human:me', at: 2025-01-01T00:00:00+00:00}"
    shelf.note("old.md", "walrus dugong", type="note", generated=old, citations="[{at: 'src/a.py:3'}]")
    for text in ("type:scout", "is:draft", "tag:ice", "agent:claude", "agent:Claude/2.1", "since:2026", "-dugong"):
        assert shelf.find(f"walrus {text}") == ["new.md"], text
    for text in ("type:note", "is:stable", "path:src", "agent:human", "agent:me", "-narwhal"):
        assert shelf.find(f"walrus {text}") == ["old.md"], text
    assert shelf.find("since:2026") == ["new.md"]
    assert shelf.find("since:2024 -dugong") == ["new.md"]
    assert shelf.find("walrus -walrus") == []


def test_what_a_check_said_is_asked_for_until_the_note_changes(shelf: Shelf) -> None:
    for name in "abcd":
        shelf.note(f"{name}.md", f"walrus {name}")
    shelf.sync()
    Ledger(shelf.catalogue).checked({"a.md": True, "b.md": False, "gone.md": True, "d.md": None}, "")
    assert shelf.find("walrus is:fresh") == ["a.md"]
    assert shelf.find("walrus is:stale") == ["b.md"]
    assert shelf.find("walrus is:unchecked") == ["c.md"]
    assert shelf.find("walrus is:uncited") == ["d.md"]
    assert sorted(shelf.find("is:uncited is:fresh")) == ["a.md", "d.md"]
    assert shelf.find("walrus")[0] == "a.md"
    assert shelf.find("walrus")[-1] == "b.md"
    shelf.note("a.md", "walrus a, edited")
    assert shelf.find("walrus is:fresh") == []
    said = Ledger(shelf.catalogue).said()
    assert (said.checked, said.unchecked, said.targets) == (2, 2, ("",))


@pytest.mark.parametrize(
    ("task", "words"),
    [
        ("fix path:src/auth of the cookie -flask", "fix path src/auth of the cookie  flask"),
        ('keep tag:"two words" is:fresh --all', "keep tag two words is fresh  all"),
        ("std::sort, a-b - c", "std::sort, a-b - c"),
    ],
)
def test_a_task_is_words(task: str, words: str) -> None:
    assert as_words(task) == words
    assert parse(words).asked == Asked()
