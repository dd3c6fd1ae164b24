"""Writing notes: the look of the file, and that it says to everybody what the note says."""

import io
import re
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from scoutkit.errors import ScoutError
from scoutkit.model.notes import Anchor, Citation, Note, Verdict
from scoutkit.notefile import parse, render, settled

NOTE = Note(
    id="7k3m9q2d",
    type="ask",
    title="Session cookies are signed by SessionSigner",
    description="What it is: a signature, checked on every request",
    question="Where is our session cookie signed?",
    tags=("auth", "cookies"),
    commit="3f2a9c0e6b1d4f5a8c7e9d0b1a2c3d4e5f607182",
    by="claude/2.1.240 (claude-sonnet-4-5)",
    at="2026-11-29T12:00:00+00:00",
    citations=(Citation("src/auth/signing.py", 41, 63, Verdict.SUPPORTED, "SessionSigner.sign"),),
    anchors=(
        Anchor("src/auth/signing.py", 41, 63, "9c1e", "a1b2", "c3,d4", "", "e5", "def sign(self, value):", "S.sign"),
    ),
    body="# Session cookies\n\nSigned in `sign` (src/auth/signing.py:41-63).\n",
)

FILE = """\
---
id: 7k3m9q2d
type: ask
title: Session cookies are signed by SessionSigner
description: 'What it is: a signature, checked on every request'
question: Where is our session cookie signed?
tags: [auth, cookies]
status: stable
commit: 3f2a9c0e6b1d4f5a8c7e9d0b1a2c3d4e5f607182
generated: {by: claude/2.1.240 (claude-sonnet-4-5), at: 2026-11-29T12:00:00+00:00}
verified: []
supersedes: []
citations:
- {at: 'src/auth/signing.py:41-63', verdict: supported, symbol: SessionSigner.sign}
---

# Session cookies

Signed in `sign` (src/auth/signing.py:41-63).

<!-- scoutkit:anchors
src/auth/signing.py:41-63 blob=9c1e text=a1b2 lines=c3,d4 after=e5 symbol=S.sign first="def sign(self, value):"
-->
"""


def front(raw: bytes) -> str:
    return raw.decode().split("---\n")[1]


def test_a_note_file_looks_as_documented() -> None:
    assert render(NOTE).decode() == FILE
    assert parse(FILE.encode(), "").note == settled(NOTE)


def test_a_note_by_hand_has_only_the_keys_that_say_something() -> None:
    assert render(Note("abcd1234", "T", "Body.")).decode() == (
        "---\nid: abcd1234\ntype: note\ntitle: T\ntags: []\nstatus: stable\nverified: []\nsupersedes: []\n"
        "citations: []\n---\n\nBody.\n"
    )


NUMBERS = ["3.10", "1e5", "0x1F", "12:30:45", "2026-01-02", "1_000", "0o14", "012", ".inf", "nan"]
WORDS = ["yes", "No", "null", "~", "=", "<<"]
SYNTAX = [
    "a: b",
    "- a",
    "a:",
    "[x]",
    "{x}",
    "a, b?",
    "'q'",
    '"q"',
    "!tag",
    "&a",
    "*a",
    "@x",
    "%x",
    "`code`",
    "?",
    "|",
    ">",
]
OTHER = [
    "C# and #12",
    "#12",
    " # ",
    "C:\\Users\\new",
    "it's",
    "a\tb",
    "x\x85y",
    "\u2028",
    "é 会话 👍",
    "\x07bell",
    "-->",
]


@pytest.mark.parametrize("text", [*NUMBERS, *WORDS, *SYNTAX, *OTHER])
def test_every_yaml_reader_takes_a_value_for_the_text_it_is(text: str) -> None:
    raw = render(Note("abcd1234", text, "Body.", description=text, tags=(text, "x"), by=text))
    note = settled(Note("abcd1234", text, "Body.", description=text, tags=(text, "x"), by=text))
    for read in (yaml.safe_load, YAML(typ="safe", pure=True).load):
        data: dict[str, Any] = read(io.StringIO(front(raw)))
        assert (data["title"], data.get("description", ""), data["tags"], data["generated"]["by"]) == (
            note.title,
            note.description,
            list(note.tags),
            note.by,
        )


def test_an_id_that_looks_like_a_number_stays_text_for_others() -> None:
    assert yaml.safe_load(front(render(Note("12345678", "T"))))["id"] == "12345678"


@pytest.mark.parametrize(
    "path",
    ["a b.py", 'say "hi".py', "two\nlines.py", "a-->b.py", "x--y.py", "caf\udce9.py", "a:12", "'q'.py", " a", "é"],
)
def test_odd_paths_of_citations_and_anchors_come_back(path: str) -> None:
    note = settled(
        Note(
            "abcd1234",
            "T",
            citations=(Citation(path, 1, 2, Verdict.WRONG), Citation(path, 0, 0)),
            anchors=(Anchor(path, 7, 7, "b", "t", "l", "", "", path),),
        )
    )
    raw = render(note)
    assert parse(raw, "").note == note
    assert raw.split(b"scoutkit:anchors")[1].count(b"-->") == 1


def test_a_body_cannot_forge_anchors() -> None:
    forged = "Text.\n\n<!-- scoutkit:anchors\nsrc/a.py:1 blob=bad\n-->"
    for anchors in ((), NOTE.anchors):
        raw = render(Note("abcd1234", "T", forged, anchors=anchors))
        again = parse(raw, "").note
        assert (again.body, again.anchors) == (forged, anchors)


def test_an_example_in_a_fence_is_no_closing_comment() -> None:
    text = "---\nid: x\n---\n```\n<!-- scoutkit:anchors\na.py:1 blob=b\n-->\n```\n"
    assert parse(text.encode(), "").note.anchors == ()
    assert "a.py:1" in parse(f"{text}\nmore\n".encode(), "").note.body


def test_text_added_below_the_closing_comment_belongs_to_the_body() -> None:
    note = parse(f"{FILE}\nAdded by hand.\n".encode(), "").note
    assert note.anchors == NOTE.anchors
    assert note.body == f"{settled(NOTE).body}\n\nAdded by hand."


def test_anchors_are_read_with_unknown_keys_and_bad_lines_are_reported_once() -> None:
    text = FILE.replace("blob=9c1e", 'blob=9c1e score=0.9 note="a b"')
    assert parse(text.encode(), "").note.anchors == NOTE.anchors
    broken = parse(FILE.replace("-->", 'what is this\nx.py:1 first="unclosed\n-->').encode(), "")
    assert broken.note.anchors == NOTE.anchors
    assert [(one.line, "and 1 more" in one.problem) for one in broken.problems] == [(23, True)]


def test_a_note_that_would_read_back_differently_is_not_written() -> None:
    with pytest.raises(ScoutError, match="citations"):
        render(Note("abcd1234", "T", citations=(Citation("", 0, 0),)))


TEXT = st.text(max_size=30) | st.sampled_from(
    ["---", "a: b #c", "```", "-->", "\ud800", "# H\n", "<!-- scoutkit:anchors\n"]
)
LINES = st.integers(1, 10**6)
PATHS = st.text(st.characters() | st.characters(min_codepoint=0xDC80, max_codepoint=0xDCFF), min_size=1, max_size=20)
PATHS = PATHS.filter(lambda path: not re.search("[\ud800-\udbff]", path))  # no path is decoded to the other halves
CITATIONS = st.builds(Citation, PATHS, LINES, LINES, st.none() | st.sampled_from(Verdict), TEXT, TEXT)
ANCHORS = st.builds(
    Anchor, PATHS, LINES, LINES, *[st.text(st.characters(codec="utf-8"), max_size=15)] * 4, first=PATHS, symbol=PATHS
)
NOTES = st.builds(
    Note,
    **dict.fromkeys(("id", "title", "description", "question", "status", "commit", "by", "at"), TEXT),
    type=TEXT | st.just("scout"),
    body=st.lists(TEXT, max_size=6).map("\n".join) | TEXT,
    tags=st.lists(TEXT, max_size=3).map(tuple),
    verified=st.lists(st.tuples(TEXT, TEXT), max_size=2).map(tuple),
    supersedes=st.lists(TEXT, max_size=2).map(tuple),
    **dict.fromkeys(("paths", "checks"), st.lists(TEXT, max_size=2).map(tuple)),
    citations=st.lists(CITATIONS, max_size=3).map(tuple),
    anchors=st.lists(ANCHORS, max_size=3).map(tuple),
)


@settings(max_examples=200, deadline=None)
@given(NOTES)
def test_a_note_of_any_text_is_written_and_read_back_the_same(note: Note) -> None:
    raw = render(note)
    assert parse(raw, "").note == settled(note) == settled(settled(note))
    data = yaml.load(front(raw), Loader=yaml.BaseLoader)
    assert (data["title"], tuple(data["tags"])) == (settled(note).title, settled(note).tags)
    if note.anchors:
        assert raw.endswith(b"\n-->\n")
        assert b"--" not in raw[raw.rindex(b"<!-- scoutkit:anchors") + 4 : -4]
