import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoutkit.knowledge import shapes

HINTS = [hint for shape in shapes.SHAPES for hint in shape.hints]


NEARLY = st.sampled_from([*HINTS, *(hint[:-1] for hint in HINTS), *(hint[1:] for hint in HINTS), *"-_.:/ a\n"])


@given(st.lists(NEARLY | st.text(max_size=3), max_size=8).map("".join))
@settings(max_examples=150, deadline=None)
def test_text_is_looked_at_closely_just_where_it_holds_a_hint(text):
    assert shapes.hinted(text) == any(hint in text for hint in HINTS)


@pytest.mark.parametrize("hint", HINTS)
def test_each_hint_is_noticed_amid_others_that_are_none(hint):
    for text in (hint, f"-_{hint}", f"sk_gl-{hint}_-"):
        assert shapes.hinted(text)
