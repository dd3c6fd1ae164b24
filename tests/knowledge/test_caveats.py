"""A text that is handed on: moved lines updated, caveats beside what they speak of, however a reference is spelled."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoutkit.knowledge import caveats
from scoutkit.model.notes import Citation, Region, Verdict

SIGN = Citation("src/auth/signing.py", 12, 14, Verdict.SUPPORTED, "sign")
CHECK = Citation("src/auth/middleware.py", 4, 4, Verdict.SUPPORTED, "check")
KNOWN = (SIGN, CHECK)
MOVED = {SIGN: Region("src/auth/signing.py", 20, 22)}
EDITED = {CHECK: "edited"}


def told(text: str) -> str:
    said, left = caveats.told(text, MOVED, EDITED, KNOWN)
    assert not left
    return said


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "`sign` (`src/auth/signing.py:12-14`), `check` (src/auth/middleware.py:4).",
            "`sign` (`src/auth/signing.py:20-22`), `check` (src/auth/middleware.py:4 **[edited]**).",
        ),
        (
            "**src/auth/middleware.py:4** and signing.py, line 12-14? No: src/auth/signing.py:12-14",
            "**src/auth/middleware.py:4** **[edited]** and signing.py, line 20-22? No: src/auth/signing.py:20-22",
        ),
        (
            "[it](src/auth/signing.py#L12-L14), see `src/auth/middleware.py:4`",
            "[it](src/auth/signing.py#L20-L22), see `src/auth/middleware.py:4` **[edited]**",
        ),
        (
            "| `src/auth/middleware.py:4` | x |\n|---|---|\n| `src/auth/signing.py:12-14` | y |",
            "| `src/auth/middleware.py:4` **[edited]** | x |\n|---|---|\n| `src/auth/signing.py:20-22` | y |",
        ),
        (
            "`src/auth/signing.py:12-14`; `src/auth/middleware.py:4`\n\n~~~\nsrc/auth/signing.py:12\n~~~",
            "`src/auth/signing.py:20-22`; `src/auth/middleware.py:4` **[edited]**\n\n~~~\nsrc/auth/signing.py:12\n~~~",
        ),
    ],
)
def test_moved_lines_are_updated_and_caveats_stand_beside_what_they_speak_of(text, expected):
    assert told(text) == expected


def test_what_has_no_place_in_the_text_is_told_beside_it():
    said, left = caveats.told("Nothing is cited here.", MOVED, EDITED, KNOWN)
    assert (said, left) == ("Nothing is cited here.", (CHECK,))


SPELLED = st.lists(
    st.sampled_from(
        [
            *("`src/auth/signing.py:12-14`", "src/auth/signing.py:12-14", "(`src/auth/middleware.py:4`)"),
            *(
                "src/auth/middleware.py:4",
                "**`src/auth/middleware.py:4`**",
                "`signing.py`",
                "`sign`",
                "signing.py:12-14",
            ),
            *("src/auth/signing.py, lines 12-14", "./src/auth/signing.py:12-14", "src/auth/signing.py:12-14,44"),
            *(
                "src/auth/signing.py:12",
                "`src/auth/signing.py:12-14 and more`",
                "https://x.y/src/auth/signing.py:12-14",
            ),
            *(
                "```\nsrc/auth/signing.py:12-14\n```",
                "\n\n",
                "\n- ",
                "    ",
                "| a |",
                "[",
                "]",
                "`",
                ". And",
                "src/a.py:1",
            ),
        ]
    ),
    max_size=7,
).map(" ".join)


@settings(max_examples=150, deadline=None)
@given(SPELLED)
def test_what_is_read_plainly_comes_out_as_what_is_read_as_markdown(text):
    edits = caveats._plainly(text, MOVED, EDITED, KNOWN)
    if edits is not None:
        assert caveats._edited(text, edits) == caveats._read(text, MOVED, EDITED, KNOWN, ())[0]


def test_counts_of_verdicts_and_ticks_are_left_out_and_wrong_ones_stay_marked():
    wrong = Citation("src/gone.py", 1, 2, Verdict.WRONG)
    text = "`sign` (`a.py:1` ✓), (`src/gone.py:1-2` **[wrong: no such file]**)."
    body = caveats.body(f"{text}\n\n## Citation check\n\nCitations: 1 supported.", [wrong])
    assert body == "`sign` (`a.py:1`), (`src/gone.py:1-2` **[wrong: no such file]**)."
    assert caveats.told(body, {}, {wrong: "wrong from the start"}, [wrong]) == (body, ())


def test_the_text_of_a_wrong_citation_that_nobody_marked_is_marked():
    wrong = Citation("src/gone.py", 1, 2, Verdict.WRONG)
    said, _ = caveats.told("See `src/gone.py:1-2`.", {}, {wrong: "wrong from the start: no such lines"}, [wrong])
    assert said == "See `src/gone.py:1-2` **[wrong from the start: no such lines]**."
