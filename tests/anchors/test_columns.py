"""Columns in lines that were found. What is meant is marked: `a «b» c`."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoutkit.anchors import columns
from scoutkit.anchors.columns import Spot
from scoutkit.anchors.document import Document
from scoutkit.anchors.guess import Lines

ABOVE = "first\nsecond\n"  # lines of the document that are not looked at


def marked(text: str, above: str = "") -> Lines:
    """Lines with the columns that the marks stand around, below others."""
    rows = text.split("\n")
    start_row = next(row for row, line in enumerate(rows) if "«" in line)
    end_row = next(row for row, line in enumerate(rows) if "»" in line)
    assert (start_row, end_row) == (0, len(rows) - 1)
    start_col = rows[0].index("«") + 1
    end_col = rows[-1].replace("«", "").index("»")
    document = Document("", "a.py", above + text.replace("«", "").replace("»", "") + "\nlast\n")
    first = above.count("\n")
    return Lines(document, first, first + len(rows) - 1, (start_col, end_col))


def followed(old: str, new: str) -> str | None:
    """The new lines with the marks where the columns are."""
    document = Document("", "a.py", ABOVE + new + "\nlast\n")
    first = ABOVE.count("\n")
    spot = columns.follow(marked(old), Lines(document, first, first + new.count("\n")))
    if spot is None:
        return None
    rows = list(document.lines[first : first + new.count("\n") + 1])
    end, start = spot.end - first, spot.start - first
    rows[end] = f"{rows[end][: spot.end_col]}»{rows[end][spot.end_col :]}"
    rows[start] = f"{rows[start][: spot.start_col - 1]}«{rows[start][spot.start_col - 1 :]}"
    return "\n".join(rows)


def test_whole_lines_stay_whole():
    document = Document("", "a.py", "one\ntwo\nthree\n")
    assert columns.follow(Lines(document, 0, 1), Lines(document, 1, 2)) == Spot(1, 2)


def test_in_the_same_text_columns_are_the_same_also_where_they_lie_beyond_a_line():
    document = Document("", "a.py", "\nx = 1\n\nx = 1\n")
    assert columns.follow(Lines(document, 0, 1, (2, 4)), Lines(document, 2, 3)) == Spot(2, 3, 2, 4)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("    «return  value»", "  «return value»", id="all of an indented line"),
        pytest.param("«if a:\n    b()»", "    «if a:\n        b()»", id="all of indented lines"),
        pytest.param("load(«path», mode)", "    self.load(«path», mode)", id="words before"),
        pytest.param("load(«path», mode)", "load(«path», mode, retries=3)", id="words behind"),
        pytest.param("load(«path», mode)", "load(mode, «path»)", id="another order"),
        pytest.param("load(«path, mode»)", "load(«path, retries, mode»)", id="words between"),
        pytest.param("load(«path», mode)", "load(«folder», mode)", id="another word in its place"),
        pytest.param("load(«path», mode)", "load(«Path(folder)», mode)", id="several in its place"),
        pytest.param("x = «load(a)[0]»", "value: int = «load(a)[0]»", id="up to the end of the line"),
        pytest.param("se«ssio»n_key = 1", "the.se«ssio»n_key = 1", id="a part of a word"),
        pytest.param("a = «b +\n  c» + d", "aa = «b +\n  x - c» + d", id="over two lines"),
        pytest.param("größe = «länge» + 1", "die_größe = «länge» + 1", id="letters that are not ASCII"),
        pytest.param("f('𝔘𝔫𝔦', «x»)", "f('𝔘𝔫𝔦', '𝔠', «x»)", id="letters outside the first 65,536"),
        pytest.param("a «==» b", "aa «==» b", id="a sign"),
    ],
)
def test_the_same_characters_are_found(old, new):
    assert followed(old, new.replace("«", "").replace("»", "")) == new


@pytest.mark.parametrize(
    ("old", "new"),
    [("load(path, «mode»)", "load(path,)"), ("«static» int x;", "int x;"), ("x = a«.strip()»", "x = a")],
)
def test_what_was_taken_out_is_nowhere(old, new):
    assert followed(old, new) is None


def test_blanks_alone_stay_where_they_were():
    assert followed("a«  »= 1", "a  = 2") == "a«  »= 2"


def test_blanks_alone_are_not_beyond_a_line_that_is_shorter_now():
    assert followed("a    «  »= 1", "a = 2") == "a = «2»"


@pytest.mark.parametrize("blank", ["", " ", "     "])
def test_a_line_of_blanks_has_a_first_column(blank):
    document, empty = Document("", "a.py", "x = 1\n"), Document("", "a.py", f"{blank}\n")
    assert columns.follow(Lines(document, 0, 0, (1, 5)), Lines(empty, 0, 0)) == Spot(0, 0, 1, 1)


WORDS = st.lists(st.sampled_from([f"w{n}" for n in range(9)]), min_size=1, max_size=8, unique=True)


@settings(max_examples=60, deadline=None)
@given(words=WORDS, before=st.text("()+- ", max_size=6), after=st.text("()+- ", max_size=6), data=st.data())
def test_signs_around_the_words_change_nothing(words, before, after, data):
    first = data.draw(st.integers(0, len(words) - 1))
    last = data.draw(st.integers(first, len(words) - 1))
    inside = f"«{' '.join(words[first : last + 1])}»"
    line = " ".join([*words[:first], inside, *words[last + 1 :]])
    new = f"{before}{line}{after}"

    found = followed(line, new.replace("«", "").replace("»", ""))

    whole = (first, last) == (0, len(words) - 1)
    assert found is not None
    assert whole or found == new
    assert not whole or inside.strip("«»") in found.partition("«")[2].partition("»")[0]


@settings(max_examples=100, deadline=None)
@given(old=st.text("ab_ ()1\n", min_size=1, max_size=20), new=st.text("ab_ ()1\n", max_size=20), data=st.data())
def test_columns_are_inside_the_lines_whatever_they_were(old, new, data):
    before, after = Document("", "a.py", old), Document("", "a.py", new or "x")
    if not before.lines or not after.lines:
        return
    end = len(before.lines) - 1
    start_col = data.draw(st.integers(1, max(len(before.lines[0]), 1)))
    end_col = data.draw(st.integers(start_col if end == 0 else 1, max(len(before.lines[end]), start_col)))

    spot = columns.follow(Lines(before, 0, end, (start_col, end_col)), Lines(after, 0, len(after.lines) - 1))

    if spot is not None and before.lines != after.lines:
        assert 0 <= spot.start <= spot.end < len(after.lines)
        assert spot.start_col >= 1
        assert (spot.start, spot.start_col) <= (spot.end, spot.end_col)
        assert spot.end_col <= max(len(after.lines[spot.end]), 1)
