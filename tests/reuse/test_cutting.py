"""A text is cut between blocks and sentences: never in code, a link, a citation or a verdict."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from scoutkit.reuse import cutting
from scoutkit.reuse.tokens import approximate

MARKDOWN = st.lists(
    st.sampled_from(
        [
            "A sentence. Another one! And `code. With a stop`.",
            "See [a link. Really](src/a.py#L1-L2). It says so (`src/a.py:1-20` **[edited since: 80 % the same]**).",
            "# A heading",
            "```python\nx = 1. \n\ny = 2\n```",
            "- an item. Two.\n- another\n  goes on",
            "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |",
            "    indented = code",
            "<!-- hidden -->",
            "[1]: src/a.py#L3",
            "他说。然后走了。",
            "~~~\nnever closed",
        ]
    )
    | st.text(max_size=30),
    max_size=8,
).map("\n\n".join)


@settings(max_examples=80, deadline=None)
@given(MARKDOWN)
def test_blocks_and_sentences_joined_are_the_text(text):
    parts = cutting.blocks(text)
    assert "".join(part.text for part in parts) == text
    for part in parts:
        assert "".join(cutting.sentences(part.text)) == part.text


@settings(max_examples=80, deadline=None)
@given(MARKDOWN, st.integers(0, 80))
def test_what_is_kept_is_whole_sentences_of_whole_blocks(text, room):
    kept, shorter = cutting.cut(text, room, approximate, frozenset())
    assert shorter == (kept != text)
    pieces = [piece.strip() for piece in kept.split(cutting.GAP)]
    assert all(piece in text for piece in "\n".join(pieces).split("\n"))
    for part in cutting.blocks(text):
        if part.text.startswith("```python"):
            assert part.text.strip() in kept or "```python" not in kept


def test_a_paragraph_ends_with_a_sentence_and_a_gap_says_that_more_is_there():
    text = f"One is `a.b. c` here. Two cites (`src/a.py:1-20`). Three {'is long ' * 20}."
    kept, shorter = cutting.cut(text, approximate(text) - 1, approximate, frozenset())
    assert (kept, shorter) == ("One is `a.b. c` here. Two cites (`src/a.py:1-20`). […]\n\n".rstrip(), True)


def test_code_has_room_whole_or_not_at_all():
    text = "Short.\n\n```python\n" + "x = 1\n" * 40 + "```\n\nAfter it."
    kept, _ = cutting.cut(text, 40, approximate, frozenset())
    assert kept == "Short.\n\n[…]\n\nAfter it."


def test_what_bears_on_the_task_is_kept_under_its_heading():
    filler = "\n\n".join(f"Filler number {number} says nothing of interest." for number in range(20))
    text = f"# Title\n\nLead.\n\n## Other\n\n{filler}\n\n## Cookies\n\nThe session cookie is signed here."
    kept, _ = cutting.cut(text, 60, approximate, cutting.telling("sign the session cookies"))
    assert kept.startswith("# Title\n\nLead.")
    assert "## Cookies\n\nThe session cookie is signed here." in kept
    assert cutting.GAP in kept


def test_code_comes_with_the_item_that_says_where_it_is_from():
    items = "".join(
        f"- `src/{name}.py:1-2` does a thing that is told at some length\n\n  ```python\n  {name} = 1\n  ```\n\n"
        for name in ("alpha", "beta", "gamma")
    )
    text, shorter = cutting.cut(f"Start.\n\n{items}", 70, approximate, cutting.telling("gamma = 1"))
    assert shorter
    assert "gamma = 1" in text
    assert text.index("`src/gamma.py:1-2` does") < text.index("gamma = 1")
    assert "alpha = 1" not in text


def test_a_text_that_is_cut_twice_has_no_two_gaps_in_a_row():
    text = "\n\n".join(f"Paragraph {number} is about this and that." for number in range(40))
    once, _ = cutting.cut(text, 120, approximate, cutting.telling("20 30"))
    twice, _ = cutting.cut(once, 60, approximate, cutting.telling("20 30"))
    assert cutting.GAP in twice
    assert f"{cutting.GAP}\n\n{cutting.GAP}" not in twice


def test_a_table_row_comes_with_the_head_of_its_table_and_a_link_with_its_address():
    table = "| name | line |\n|---|---|\n| other | 1 |\n| signer | 2 |"
    text = f"Lead.\n\n{table}\n\n[1]: src/a.py#L3\n\nSee [it][1] of signer."
    kept, _ = cutting.cut(text, 45, approximate, cutting.telling("signer"))
    assert "| name | line |\n|---|---|\n" in kept
    assert ("[it][1]" in kept) == ("[1]: src/a.py#L3" in kept)


def test_of_a_very_long_text_only_the_beginning_is_looked_at():
    text = "A paragraph.\n\n" * 20_000
    kept = cutting.bounded(text)
    assert len(kept) <= cutting.LONGEST
    assert text.startswith(kept)
    assert kept.endswith(".\n")
    assert cutting.bounded("short") == "short"
