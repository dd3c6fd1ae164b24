"""What is not worth parsing."""

from __future__ import annotations

import tracemalloc

from hypothesis import given
from hypothesis import strategies as st

from scoutkit import grammars

SIGNS = st.text("+-*/(){}[]. \n\t#é文", max_size=40)


@given(SIGNS, st.sampled_from(["+", "( ", "{}\n", "é"]), st.integers(1400, 1700), st.integers(0, 1500))
def test_a_long_run_of_signs_is_seen_wherever_it_begins(around, sign, number, before):
    text = "a" * before + around + sign * number + around + "b"
    assert grammars.unfit(text) == bool(grammars._NOISE.search(text))


def test_source_text_is_fit():
    assert not grammars.unfit("def f(x):\n    return (x + 1) * [2]\n" * 500)
    assert grammars.unfit("x = 1\n" + "(" * 2000)


def test_parsing_keeps_no_memory():
    text = "def sign(value):\n    return value\n" * 2000
    assert grammars.parse("python", text)
    tracemalloc.start()
    for _ in range(10):
        grammars.parse("python", text)
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept < len(text)
