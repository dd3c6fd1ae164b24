"""A note that is read without YAML is the one that `parse` gives; whatever that cannot say is left to it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoutkit import notefile
from scoutkit.model.notes import Anchor, Citation, Note, Verdict
from scoutkit.notefile import plainly

HOSTILE = Path(__file__).parents[1] / "hostile-notes"
TEXT = st.text(alphabet="ab1'\":#,[]{}-/ .é会\n✓?!null", max_size=12) | st.sampled_from(["null", "yes", "1e5", "~", ""])
NOTES = st.builds(
    Note,
    id=TEXT,
    title=TEXT,
    body=st.text(max_size=40),
    type=st.sampled_from(["ask", "scout", "note"]),
    description=TEXT,
    question=TEXT,
    tags=st.lists(TEXT, max_size=2).map(tuple),
    status=st.sampled_from(["stable", "draft", "deprecated"]),
    commit=st.sampled_from(["", "3f" * 20]),
    by=TEXT,
    at=st.sampled_from(["", "2026-11-29T12:00:00+00:00", "yesterday"]),
    supersedes=st.lists(TEXT, max_size=2).map(tuple),
    superseded_by=TEXT,
    recalled=st.lists(TEXT, max_size=2).map(tuple),
    citations=st.lists(
        st.builds(
            Citation,
            st.sampled_from(["src/a.py", "a b.py", "it's.py", "x: y.py"]),
            st.just(3),
            st.integers(3, 9),
            st.sampled_from([None, Verdict.SUPPORTED, Verdict.WRONG]),
            TEXT,
            base=st.sampled_from(["", "src/b.py:1-2"]),
        ),
        max_size=3,
    ).map(tuple),
    anchors=st.lists(
        st.builds(
            Anchor, st.just("src/a.py"), st.just(3), st.just(5), *[st.sampled_from(["", "9c1e", "a b"])] * 5, TEXT
        ),
        max_size=2,
    ).map(tuple),
)


@settings(max_examples=120, deadline=None)
@given(NOTES)
def test_a_note_that_scoutkit_writes_is_read_the_same(note):
    raw = notefile.render(notefile.settled(note))
    found = plainly.read(raw, "n.md")
    assert found is None or found == notefile.parse(raw, "n.md").note


@settings(max_examples=120, deadline=None)
@given(NOTES, st.integers(0, 400), st.text(alphabet="\n:-'\"#[]{}& *!|>\tab\0\r", min_size=1, max_size=3))
def test_so_is_one_that_somebody_edited_or_it_is_left_to_the_parser(note, at, more):
    text = notefile.render(notefile.settled(note)).decode()
    raw = (text[:at] + more + text[at:]).encode()
    found = plainly.read(raw, "n.md")
    parsed = notefile.parse(raw, "n.md")
    assert found is None or found == parsed.note
    assert notefile.quickly(raw, "n.md") == parsed


@pytest.mark.parametrize(
    "path", sorted(path for path in HOSTILE.rglob("*") if path.is_file()), ids=lambda path: path.name
)
def test_hostile_notes_are_read_the_same_or_left(path):
    found = plainly.read(path.read_bytes(), path.name)
    parsed = notefile.parse(path.read_bytes(), path.name)
    assert found is None or found == parsed.note
    assert notefile.quickly(path.read_bytes(), path.name) == parsed


def test_an_ordinary_note_is_read_plainly():
    note = Note(
        id="7k3m9q2d",
        title="Session cookies are signed: twice",
        body="Text.",
        type="ask",
        question="Where is it signed?",
        tags=("auth", "session cookies"),
        commit="3f" * 20,
        by="claude/2.1.240 (claude-sonnet-4-5)",
        at="2026-11-29T12:00:00+00:00",
        citations=(Citation("src/auth/signing.py", 41, 63, Verdict.SUPPORTED, "SessionSigner.sign"),),
        path="n.md",
    )
    assert plainly.read(notefile.render(note), "n.md") == note
