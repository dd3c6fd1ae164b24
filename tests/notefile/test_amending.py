"""Changing keys of the front matter: nothing else in the file changes by a byte."""

import dataclasses
import io
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from scoutkit.errors import Refused
from scoutkit.model.notes import Citation, Note, Verdict
from scoutkit.notefile import amend, front_matter, parse, render, settled

HOSTILE = Path(__file__).parent.parent / "hostile-notes" / "notes"
BY_HAND = """\
---
# kept by hand, do not remove
id: bbbb8888
aliases: [x,  y]
type: ask # a question
title: C# and issue #12
cssclass: "wide"
tags:
  # the important one
  - auth  # of users
  - 'cookies'

status: stable   # for now
number: 0o14
---

# Body

trailing space   \t
"""


def changed(front: str, changes: dict[str, Any], body: str = "\nBody.\n") -> str:
    """The front matter after a change; the body must be as it was."""
    raw = amend(f"---\n{front}---\n{body}".encode(), changes).decode()
    assert raw.startswith("---\n")
    assert raw.endswith(f"---\n{body}")
    return raw[4 : -len(f"---\n{body}")]


@pytest.mark.parametrize(
    ("changes", "old", "new"),
    [
        ({"status": "draft"}, "status: stable   # for now", "status: draft   # for now"),
        ({"type": None}, "type: ask # a question\n", ""),
        ({"title": "Plain"}, "title: C# and issue #12", "title: Plain"),
        ({"title": "D: #1"}, "title: C# and issue #12", "title: 'D: #1'"),
        ({"question": "Why, then?"}, "cssclass", "question: Why, then?\ncssclass"),
        ({"mine": "x"}, "number: 0o14\n", "number: 0o14\nmine: x\n"),
        ({"commit": "abc"}, "   # for now\n", "   # for now\ncommit: abc\n"),
        ({"tags": ["auth", "cookies", "new one"]}, "'cookies'\n", "'cookies'\n  - new one\n"),
        ({"tags": ["cookies"]}, "  - auth  # of users\n", ""),
        ({"tags": ["auth", "sessions"]}, "'cookies'", "sessions"),
        ({"tags": ["first", "auth", "cookies"]}, "  - auth", "  - first\n  - auth"),
        ({"status": "stable", "tags": ["auth", "cookies"], "absent": None}, "", ""),
    ],
)
def test_a_change_changes_its_own_line_only(changes: dict[str, Any], old: str, new: str) -> None:
    for line_end, mark in (("\n", ""), ("\r\n", ""), ("\n", "\ufeff"), ("\r\n", "\ufeff")):
        before = (mark + BY_HAND).replace("\n", line_end)
        expected = before.replace(old.replace("\n", line_end), new.replace("\n", line_end), 1)
        assert amend(before.encode(), changes) == expected.encode()


@pytest.mark.parametrize(
    ("front", "changes", "expected"),
    [
        ("tags: [auth, cookies] # x\n", {"tags": ["auth", "new", "cookies"]}, "tags: [auth, new, cookies] # x\n"),
        ("tags: [a, b, c,]\n", {"tags": ["b"]}, "tags: [b,]\n"),
        ("tags: [\n  a, # one\n  b,\n]\n", {"tags": ["a", "b", "c"]}, "tags: [\n  a, # one\n  b, c,\n]\n"),
        ("tags: [a, b]\n", {"tags": ["x"]}, "tags: [x]\n"),
        ("tags: [a, b]\n", {"tags": []}, "tags: []\n"),
        ("tags: []\n", {"tags": ["a, b", "c"]}, "tags: ['a, b', c]\n"),
        ("tags: # none\n", {"tags": ["a"]}, "tags: [a] # none\n"),
        ("tags: auth, cookies\n", {"tags": ["auth", "x"]}, "tags: [auth, x]\n"),
        ("tags:\n- a\n- b\nid: x\n", {"tags": []}, "tags: []\nid: x\n"),
        ("title: |\n  one\n  two\n# c\nid: x\n", {"title": "T"}, "title: T\n# c\nid: x\n"),
        ("title: #12 x\n", {"title": "T"}, "title: T\n"),
        ("title:\n  below\n", {"title": "T"}, "title:\n  T\n"),
        ("", {"id": "x", "tags": ["a"]}, "id: x\ntags: [a]\n"),
        ("# only a comment\n", {"id": "x"}, "# only a comment\nid: x\n"),
        ("{id: x, title: T}\n", {"status": "draft"}, "{id: x, title: T, status: draft}\n"),
        ("  id: x\n  title: T\n", {"status": "draft"}, "  id: x\n  title: T\n  status: draft\n"),
        ("generated: {by: a, mine: 1, at: b}\n", {"generated": {"by": "c"}}, "generated: {by: c, mine: 1}\n"),
        (
            "generated:\n  by: a # who\n",
            {"generated": {"by": "a", "at": "b"}},
            "generated:\n  by: a # who\n  at: 'b'\n",
        ),
        (
            "verified: []\n",
            {"verified": [{"by": "human:ann", "at": "2026-11-30T12:00:00+00:00"}]},
            "verified:\n- {by: human:ann, at: 2026-11-30T12:00:00+00:00}\n",
        ),
        (
            "citations:\n- {at: 'a.py:1', verdict: wrong, mine: x} # see\n- {at: 'b.py:2'}\n",
            {"citations": [{"at": "a.py:5", "verdict": "supported"}, {"at": "b.py:2"}]},
            "citations:\n- {at: 'a.py:5', verdict: supported, mine: x} # see\n- {at: 'b.py:2'}\n",
        ),
        (
            "citations:\n- at: a.py:1\n  mine: x\n- at: b.py:2\n",
            {"citations": [{"at": "a.py:1", "symbol": "f"}, {"at": "n.py:3"}, {"at": "b.py:2"}]},
            "citations:\n- at: a.py:1\n  mine: x\n  symbol: f\n- {at: 'n.py:3'}\n- at: b.py:2\n",
        ),
        ("mine: &a [1]\nother: *a\nid: x\n", {"status": "draft"}, "mine: &a [1]\nother: *a\nid: x\nstatus: draft\n"),
    ],
)
def test_every_style_of_yaml_is_kept(front: str, changes: dict[str, Any], expected: str) -> None:
    assert changed(front, changes) == expected


def test_a_file_without_front_matter_gets_one_on_top_and_keeps_its_text() -> None:
    assert amend(b"# Plain\r\n", {"id": "x", "tags": ["a"]}) == b"---\r\nid: x\r\ntags: [a]\r\n---\r\n# Plain\r\n"
    assert amend(b"\xef\xbb\xbfText", {"id": "x"}) == b"\xef\xbb\xbf---\nid: x\n---\nText"
    assert amend(b"", {"id": "x"}) == b"---\nid: x\n---\n"
    prose = b"---\n\nA letterhead, no YAML.\n"
    assert parse(amend(prose, {"id": "x"}), "n.md").note.body == prose.decode().strip()
    assert amend(prose, {"id": None}) == prose


def test_a_body_that_is_not_utf_8_is_kept_byte_for_byte() -> None:
    raw = b"---\nid: x\n---\ncaf\xe9 \0 \r\n"
    assert amend(raw, {"id": "z"}) == b"---\nid: z\n---\ncaf\xe9 \0 \r\n"


@pytest.mark.parametrize(
    ("raw", "line"),
    [
        *((path.read_bytes(), line) for path, line in ((HOSTILE / "bad-yaml-colon.md", 4), (HOSTILE / "latin1.md", 4))),
        *(
            (path.read_bytes(), line)
            for path, line in ((HOSTILE / "duplicate-key.md", 5), (HOSTILE / "bad-yaml-tab.md", 4))
        ),
        ((HOSTILE / "conflict-in-front-matter.md").read_bytes(), 3),
        ((HOSTILE / "unclosed-front-matter.md").read_bytes(), 1),
        ((HOSTILE / "yaml-list-front-matter.md").read_bytes(), 2),
        ("---\nid: x\n---\n".encode("utf-16"), 1),
        (b"---\nWarning: prose, or a key?\n---\nBody.\n", 1),
        (b"---\nid: x\nmine: &a [1]\ntags: *a\n---\n", 4),
        (b"---\nid: x\ntags: [[[[[[[a]]]]]]]\n---\n", 3),
        (b"---\nid: x\ntags: &a [b]\nmine: *a\n---\n", 3),
    ],
)
def test_front_matter_that_cannot_be_changed_safely_is_refused_with_file_and_line(raw: bytes, line: int) -> None:
    with pytest.raises(Refused, match=re.escape(f"n.md:{line}: ")) as refused:
        amend(raw, {"tags": None}, "n.md")
    assert refused.value.hint


def test_a_note_changed_through_its_own_fields_reads_back_as_changed() -> None:
    note = Note("abcd1234", "T", "Body.", citations=(Citation("a.py", 1, 2, Verdict.SUPPORTED, "f"),))
    moved = dataclasses.replace(
        note,
        status="deprecated",
        tags=("a: b", "#1"),
        verified=(("human:ann", "2026-11-30T12:00:00+00:00"),),
        citations=(Citation("a b.py", 5, 6, Verdict.MOVED, "f"), Citation("c\udce9.py", 1, 1, Verdict.WRONG)),
    )
    assert parse(amend(render(note), front_matter(moved)), "").note == settled(moved)


PLAIN = (
    "# by hand",
    "",
    "aliases: [x,  y]",
    "cssclass: 'wide'",
    "empty:",
    "n: 0o14 # octal",
    "day: 2026-01-02",
    "id: abc",
)
NESTED = (
    "multi: |\n  text\n\n",
    "list:\n- a # c\n- b: 1",
    "deep:\n  k:\n  # c\n  - 1",
    "fold: >-\n  a\n  b",
    "type: ask",
)
ODD = ("'quoted': \"v: #\"", "anchor: &a [1]\nalias: *a", "status: stable # c", "é: ü")
LINES = st.lists(st.sampled_from(PLAIN + NESTED + ODD), unique=True, max_size=8)
TAGS = [
    "tags: [auth, cookies,] # mine",
    "tags:",
    "tags: auth, x",
    "tags:\n- auth # 1\n# 2\n- x",
    "tags: [\n  a, # c\n  b\n  ]",
]
TITLES = [
    "title: C# and #12",
    "title: 'it''s' # c",
    "title: >\n  folded\n  text",
    "title:\n  below",
    "title: #12",
    "title: a\n  b",
]
ROWS = [
    "citations:\n- {at: 'a:1', mine: 1} # c\n- {at: 'b:2'}",
    "citations: []",
    "citations:\n  - at: a:1\n    # c\n    mine: x",
]
TEXT = st.text(st.characters(codec="utf-8"), max_size=12)
CHANGES = st.fixed_dictionaries(
    {},
    optional={
        "tags": st.none() | st.lists(st.sampled_from(["auth", "cookies", "a", "b"]) | TEXT, max_size=4),
        "title": st.none() | TEXT,
        "status": st.none() | TEXT,
        "citations": st.lists(
            st.fixed_dictionaries({"at": st.sampled_from(["a:1", "b:2", "c:3"])}, optional={"was": TEXT})
        ),
        "new": TEXT | st.lists(TEXT, max_size=2) | st.dictionaries(st.sampled_from("xyz"), TEXT, max_size=2),
    },
)


@settings(max_examples=250, deadline=None)
@given(
    st.tuples(LINES, *(st.lists(st.sampled_from(one), max_size=1) for one in (TAGS, TITLES, ROWS))).map(
        lambda parts: [entry for part in parts for entry in part]
    ),
    st.randoms(use_true_random=False),
    CHANGES,
    st.binary(max_size=20),
    st.sampled_from(["\n", "\r\n"]),
)
def test_what_was_not_to_change_never_does(
    entries: list[str], random: Any, changes: dict[str, Any], body: bytes, line_end: str
) -> None:
    random.shuffle(entries)
    head = "---\n" + "".join(f"{entry}\n" for entry in entries) + "---\n"
    raw = head.replace("\n", line_end).encode() + body
    after = amend(raw, changes)
    assert after.endswith(f"---{line_end}".encode() + body)
    lines = iter(after.decode("utf-8", "replace").replace("\r\n", "\n").split("\n"))
    for entry in entries:
        if entry.split(":")[0] not in changes:
            for line in entry.split("\n"):
                assert line in lines, "lines stay, in their order"
    block = after[: len(after) - len(body) - 3 - len(line_end)].decode()[3 + len(line_end) :]
    data: dict[str, Any] = YAML(typ="safe", pure=True).load(io.StringIO(block)) or {}
    for key, value in changes.items():
        clean = _clean(value)
        if value is None:
            assert key not in data
        elif key == "citations":
            assert [row["at"] for row in data[key]] == [row["at"] for row in clean]
        elif "#" not in str(value):
            assert data[key] == clean
    assert amend(after, changes) == after


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return value.replace("\0", "\ufffd")
    if isinstance(value, list):
        return [_clean(one) for one in value]
    return {key: _clean(one) for key, one in value.items()} if isinstance(value, dict) else value
