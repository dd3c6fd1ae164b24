from hypothesis import given, settings
from hypothesis import strategies as st

from scoutkit.agents.builtin.indexing.chunks import BLOCK, chunks

CODE = '''\
import os

LIMIT = 3


# Signs.
@cached
def sign(value):
    """Sign it."""
    return value


class Signer:
    """Signs things."""

    key = 1

    def verify(self):
        def inner():
            pass

        return inner
'''


def placed(path, text, **options):
    return [(one.kind, one.qualified, one.start, one.end) for one in chunks(path, text, **options)]


def test_functions_methods_headers_and_what_is_between_them():
    assert placed("a.py", CODE) == [
        ("block", "", 1, 3),
        ("function", "sign", 6, 10),
        ("class", "Signer", 13, 16),
        ("method", "Signer.verify", 18, 22),
    ]


def test_a_class_does_not_hold_the_bodies_of_its_methods():
    signer = next(one for one in chunks("a.py", CODE) if one.name == "Signer")
    assert signer.header
    assert "key = 1" in signer.body
    assert "inner" not in signer.body


def test_a_block_knows_what_is_defined_in_it():
    assert chunks("a.py", CODE)[0].names == ("LIMIT",)


def test_without_documentation_it_is_as_if_nothing_were_said():
    bare = {one.qualified: one for one in chunks("a.py", CODE, docs=False)}
    assert (bare["sign"].start, bare["sign"].doc) == (7, "")
    assert "Sign" not in bare["sign"].body
    assert "Signs things" not in bare["Signer"].body
    assert "return value" in bare["sign"].body


def test_sections_end_where_the_next_begins_whatever_its_level():
    assert placed("a.md", "intro\n\n# A\n\ntext\n\n## B\n\nmore\n") == [
        ("block", "", 1, 1),
        ("section", "A", 3, 6),
        ("section", "B", 7, 9),
    ]


def test_a_large_function_is_shown_as_the_functions_inside():
    inner = "".join(
        f"  function part{number} () {{\n{'    work()' + chr(10)}{'    work()' + chr(10)}  }}\n" for number in range(40)
    )
    found = placed("a.js", f"function whole () {{\n  begin()\n{inner}}}\n")
    assert found[0] == ("function", "whole", 1, 2)
    assert ("function", "whole.part39", 159, 162) in found


def test_a_language_without_a_grammar_is_cut_at_blank_lines():
    text = "".join(f"key{number}: 1\n" + ("\n" if number % 10 == 9 else "") for number in range(100))
    found = chunks("a.yaml", text)
    assert [one.kind for one in found] == ["block"] * len(found)
    assert all(one.end - one.start < BLOCK for one in found)
    assert sum("key" in line for one in found for line in one.body.split("\n")) == 100


def test_brackets_alone_are_no_chunk():
    assert chunks("a.yaml", "{\n}\n\n---\n") == []
    assert chunks("a.py", "") == []


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(["a.py", "a.js", "a.md", "a.rs", "a.yaml"]),
    st.text(alphabet="def clas(){}:;#/\n\t\r\0é\"'`=.x1", max_size=300),
)
def test_any_text_is_cut_into_lines_that_it_has(path, text):
    for one in chunks(path, text):
        assert 1 <= one.start <= one.end <= text.count("\n") + 1
