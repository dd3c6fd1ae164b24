"""Words are looked up on disk, and come to exactly as many tokens as the tokenizer counts."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
import splintr
from hypothesis import given, settings
from hypothesis import strategies as st

from scoutkit.reuse import tokens, vocabulary
from scoutkit.reuse.counted import Counted
from scoutkit.reuse.vocabulary import Unsure, Vocabulary

TOKENIZER = splintr.Tokenizer.from_pretrained(vocabulary.NAME)
PIECES = [
    "it's",
    "I'LL",
    "'ſ",
    "sessionCookie",
    "1234",
    "²½",
    "  ",
    "\n\n",
    "\r\n",
    "\t",
    "!?",
    "...\n\n",
    "\x0b",
    "\x1c",
]
PIECES += [
    "✓",
    "…",
    "é",
    "会话",
    "🎉",
    "\xa0",
    "\u2028",
    "\x85",
    "<|endoftext|>",
    "a" * 300,
    "x_y",
    "'",
    "(`src/a.py:1-20` ✓)",
]
TEXTS = st.lists(st.sampled_from(PIECES) | st.text(max_size=6) | st.text("aA1 \n'sſ", max_size=9), max_size=14).map(
    "".join
)


@pytest.fixture(scope="module")
def laid_out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    where = tmp_path_factory.mktemp("tokens") / "folder" / "vocabulary.db"
    vocabulary.lay_out((TOKENIZER.decode_token_bytes(one) for one in range(vocabulary.SIZE)), where)
    assert [one.name for one in where.parent.iterdir()] == [where.name]
    return where


def exactly(text: str) -> int:
    return len(TOKENIZER.encode_ordinary(text))


def test_any_text_has_as_many_tokens_as_the_tokenizer_counts(laid_out):
    words = Vocabulary(laid_out)
    sure = []

    @settings(max_examples=150, deadline=None)
    @given(TEXTS)
    def check(text):
        text = tokens._whole(text)
        parts = vocabulary.paragraphs(text)
        assert "".join(parts) == text
        assert sum(map(exactly, parts)) == exactly(text)
        try:
            counted = words.count(text)
        except Unsure:
            return
        sure.append(text)
        assert counted == exactly(text)

    check()
    assert len(sure) > 10


@pytest.mark.parametrize("kind", ["docs/*.md", "scoutkit/reuse/*.py", "tests/hostile-notes/*.md"])
def test_files_have_as_many_tokens_as_the_tokenizer_counts(laid_out, kind):
    counter = tokens._Counter(Vocabulary(laid_out))
    for path in Path(__file__).parents[2].glob(kind):
        text = path.read_text("utf-8", "replace")
        assert counter.count(text) == exactly(text), path


@pytest.mark.parametrize("text", ["\u0378", "a\ud800", "it'ſ", "x" * 1000])
def test_what_it_is_not_sure_of_the_tokenizer_counts(laid_out, text):
    words = Vocabulary(laid_out)
    with pytest.raises(Unsure):
        words.count(text)
    assert tokens._Counter(words).count(text) == exactly(tokens._whole(text))


def test_a_file_that_is_damaged_or_missing_is_an_error_at_once(tmp_path):
    for content in (b"", b"no database" * 1000):
        (tmp_path / "damaged.db").write_bytes(content)
        with pytest.raises(sqlite3.Error):
            Vocabulary(tmp_path / "damaged.db")
    with pytest.raises(sqlite3.Error):
        Vocabulary(tmp_path / "missing.db")


def test_a_damaged_file_leaves_counting_to_the_tokenizer(monkeypatch):
    vocabulary.path().unlink()  # the file itself is shared
    vocabulary.path().write_bytes(b"no database" * 1000)
    tokens._best.cache_clear()
    try:
        assert tokens.tokenizer().count("hello world") == 2
    finally:
        tokens._best.cache_clear()


def test_what_was_counted_is_remembered_without_the_text(tmp_path):
    memory = Counted(tmp_path / "counted.db")
    assert [*memory.of(["a secret"])] == []
    memory.put([("a secret", 2), ("half \ud800", 3)])
    memory.keep()
    assert sorted(Counted(tmp_path / "counted.db").of(["new", "half \ud800", "a secret"])) == [
        ("a secret", 2),
        ("half \ud800", 3),
    ]
    assert b"secret" not in (tmp_path / "counted.db").read_bytes()


def test_where_nothing_can_be_remembered_nothing_is(tmp_path):
    (tmp_path / "damaged.db").write_bytes(b"no database" * 1000)
    for path in (tmp_path / "damaged.db", tmp_path / "missing" / "counted.db"):
        memory = Counted(path)
        memory.put([("a", 1)])
        memory.keep()
        assert [*memory.of(["a"])] == []


@pytest.mark.parametrize("kept", [0, 4096])
def test_a_memory_of_counts_that_was_damaged_is_made_anew_by_the_next(tmp_path, kept):
    path = tmp_path / "counted.db"

    def counted():
        memory = Counted(path)
        memory.put([("a", 1)])
        memory.keep()
        return [*Counted(path).of(["a"])]

    assert counted() == [("a", 1)]
    path.write_bytes(path.read_bytes()[:kept] + b"\xff" * 8192)
    assert counted() == []
    assert counted() == [("a", 1)]
