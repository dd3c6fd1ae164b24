"""Tokens are counted by a tokenizer that has its vocabulary with it; without it, by an approximation that says so."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from scoutkit.reuse import tokens


def test_the_tokenizer_counts_as_its_vocabulary_does_and_takes_any_text():
    found = tokens.tokenizer()
    assert found.name == "cl100k_base"
    assert [found.count(text) for text in ("", "hello world", "会话签名", "<|endoftext|>")] == [0, 2, 4, 7]
    assert found.count("half a pair: \ud800") > 0


def test_without_it_the_approximation_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "splintr", None)
    tokens._best.cache_clear()
    try:
        assert tokens.tokenizer().name.startswith("approximate: ")
    finally:
        tokens._best.cache_clear()


@pytest.mark.parametrize("kind", ["docs/*.md", "scoutkit/[a-d]*.py", "notes/*.md", "tests/hostile-notes/*.md"])
def test_the_approximation_counts_hardly_fewer_tokens_than_there_are(kind):
    """Rows of numbers have more than it thinks."""
    for path in Path(__file__).parents[2].glob(kind):
        text = path.read_text("utf-8", "replace")
        assert tokens.approximate(text) >= 0.95 * tokens.tokenizer().count(text), path


def test_preparing_loads_it_once():
    tokens.prepare()
    tokens.prepare()
    assert tokens.tokenizer().count is tokens.tokenizer().count
