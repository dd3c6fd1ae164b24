"""Reading notes: whatever the bytes, there is a note, and problems say where they are."""

import json
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoutkit.model.found import Problem
from scoutkit.model.notes import Citation, Verdict
from scoutkit.notefile import Parsed, conflict, duplicates, foreign, parse

HOSTILE = Path(__file__).parent.parent / "hostile-notes"
EXPECTED = [json.loads(line) for line in (HOSTILE / "expected.jsonl").read_text("utf-8").splitlines()]
LINES = {  # of the one problem each of them has
    "bad-yaml-colon.md": 4,
    "bad-yaml-tab.md": 4,
    "bad-yaml-windows-path.md": 4,
    "unclosed-front-matter.md": 1,
    "duplicate-id-1.md": 2,
    "duplicate-id-2.md": 2,
    "duplicate-key.md": 5,
    "conflict-in-front-matter.md": 3,
    "latin1.md": 4,
    "nul-byte.md": 7,
    "yaml-list-front-matter.md": 2,
}


def read(front: str, body: str = "Body.\n") -> Parsed:
    return parse(f"---\n{front}\n---\n\n{body}".encode(), "n.md")


def hostile(name: str) -> Parsed:
    return parse((HOSTILE / "notes" / name).read_bytes(), name)


@pytest.mark.parametrize("row", EXPECTED, ids=lambda row: row["file"])
def test_a_hostile_note_is_found_by_its_word_and_its_problem_is_named_with_its_line(row: dict[str, object]) -> None:
    name = str(row["file"])
    parsed = hostile(name)
    others = [hostile(str(other["file"])) for other in EXPECTED if other["file"] != name]
    problems = [*parsed.problems, *(one for one in duplicates([*others, parsed]) if one.path == name)]
    assert [(one.path, one.line) for one in problems] == ([(name, LINES[name])] if row["problem"] else [])
    assert all(one.hint for one in problems)
    if row["word"]:
        assert str(row["word"]) in f"{parsed.note.title}\n{parsed.note.body}"


def test_every_hostile_file_is_expected() -> None:
    files = {path.relative_to(HOSTILE / "notes").as_posix() for path in (HOSTILE / "notes").rglob("*.md")}
    assert files == {row["file"] for row in EXPECTED}


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("hash-in-title.md", "C# and issue #12 both"),
        ("bare-date.md", "2026-01-02"),
        ("numbers-and-bools.md", "3.10"),
        ("nan.md", "nan"),
        ("bom.md", "With a BOM"),
        ("crlf.md", "CRLF"),
        ("latin1.md", "Café"),
        ("no-front-matter.md", "Plain"),
        ("leading-rule.md", "A letterhead rule, no YAML, about quillback."),
        ("empty.md", "empty"),
        ("bad-yaml-colon.md", "Sessions: how they end: badly"),
        ("dots.and.periods.v1.2.md", "Release v1.2.3"),
        ("chinese.md", "会话校验"),
    ],
)
def test_a_title_is_shown_as_it_is_written(name: str, title: str) -> None:
    assert hostile(name).note.title == title


def test_tags_that_yaml_takes_for_something_else_are_text() -> None:
    assert hostile("numbers-and-bools.md").note.tags == ("yes", "1", "null", "2026-01-01")
    assert hostile("numbers-and-bools.md").note.id == "12345678"
    assert hostile("tags-as-string.md").note.tags == ("auth", "cookies")
    assert read("tags: auth cookies").note.tags == ("auth", "cookies")
    assert read('tags: ["#auth", " x  y ", auth, ""]').note.tags == ("auth", "x y")


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("title: Fix #12", "Fix #12"),
        ("title: #12 is broken", "#12 is broken"),
        ("title: Fix #12 # to be reworded", "Fix #12"),
        ("title: Fix it # to be reworded", "Fix it"),
        ("title: Fix it #", "Fix it"),
        ("title: 'Fix it' #12", "Fix it"),
        ("title: a#b", "a#b"),
        ("title: # none yet", "Body."),
        ("title:", "Body."),
        ("title: ~", "Body."),
        ("title: null", "Body."),
        ("title: >-\n  on two\n  lines", "on two lines"),
    ],
)
def test_a_hash_before_a_word_belongs_to_a_title_and_one_before_a_space_starts_a_comment(line: str, title: str) -> None:
    assert read(line).note.title == title
    assert not read(line).problems


def test_a_comment_after_a_value_that_is_no_prose_stays_a_comment() -> None:
    note = read("id: 7k3m9q2d #random\nstatus: draft #unfinished\ncommit: abc  # short\ntags: [a] #x").note
    assert (note.id, note.status, note.commit, note.tags) == ("7k3m9q2d", "draft", "abc", ("a",))


def test_all_fields_are_read() -> None:
    parsed = read(
        "id: 7k3m9q2d\ntype: ask\ntitle: T\ndescription: D\nquestion: Q?\ntags: [a, b]\nstatus: deprecated\n"
        "commit: 3f2a\ngenerated: {by: claude/2.1 (x), at: 2026-11-29T12:00:00+00:00}\n"
        "verified:\n- {by: human:ann, at: 2026-11-30T12:00:00+00:00}\nsupersedes: [abcd1234]\n"
        "citations:\n- {at: 'a:b c.py:3-5', verdict: corrected, symbol: f, was: 'a.py:1'}\n- at: x.py:7\n- y.py\n"
    )
    note = parsed.note
    assert not parsed.problems
    assert (note.type, note.description, note.question, note.status) == ("ask", "D", "Q?", "deprecated")
    assert (note.by, note.at) == ("claude/2.1 (x)", "2026-11-29T12:00:00+00:00")
    assert note.verified == (("human:ann", "2026-11-30T12:00:00+00:00"),)
    assert note.supersedes == ("abcd1234",)
    assert note.citations == (
        Citation("a:b c.py", 3, 5, Verdict.CORRECTED, "f", "a.py:1"),
        Citation("x.py", 7, 7),
        Citation("y.py", 0, 0),
    )


@pytest.mark.parametrize(
    ("front", "line"),
    [
        ("id: x\ntitle: [a, b]", 3),
        ("id: {a: b}", 2),
        ("tags: {a: b}", 2),
        ("tags:\n- a\n- [b]", 4),
        ("citations: yes", 2),
        ("citations:\n- {at: 'a.py:1'}\n- {verdict: supported}", 4),
        ("citations:\n- {at: 'a.py:1', verdict: perfect}", 3),
        ("citations:\n- [a]", 3),
        ("generated: [a]", 2),
        ("verified: true", 2),
        ("verified: [ann]", 2),
        ("supersedes: {a: b}", 2),
    ],
)
def test_a_field_of_the_wrong_shape_is_reported_with_its_line_and_the_rest_is_read(front: str, line: int) -> None:
    parsed = read(f"{front}\nquestion: Why?")
    assert [one.line for one in parsed.problems] == [line]
    assert parsed.note.question == "Why?"
    assert parsed.note.body == "Body."


def test_broken_front_matter_keeps_what_it_plainly_says_and_is_all_body() -> None:
    parsed = parse(b"---\nid: abcd1234 # random\nstatus: 'draft'\ntitle: a: b\ntags: [x\n---\nBody.\n", "n.md")
    assert (parsed.note.id, parsed.note.status, parsed.note.title) == ("abcd1234", "draft", "a: b")
    assert parsed.note.body.startswith("---\nid: abcd1234")
    assert parsed.note.tags == ()


@pytest.mark.parametrize(
    "text",
    [
        "---\nWarning: never do this: zebra.\n\n---\n\nMore.\n",
        "---\nNote to self: zebra\n---\nMore.\n",
        "---\n\nA letterhead about zebra.\n\n---\n",
        "---\nzebra\n---\n",
        "--- zebra\n",
    ],
)
def test_prose_between_rules_is_no_front_matter_and_no_problem(text: str) -> None:
    parsed = parse(text.encode(), "n.md")
    assert not parsed.problems
    assert "zebra" in parsed.note.body


def test_front_matter_of_other_tools_is_front_matter() -> None:
    parsed = read("aliases: [x]\ncssclass: wide")
    assert (parsed.note.body, parsed.note.id, parsed.problems) == ("Body.", "", ())
    assert read("").note.body == "Body."
    assert read("# only a comment").note.body == "Body."


def test_a_note_with_a_byte_order_mark_and_crlf_is_read_like_any_other() -> None:
    parsed = parse(b"\xef\xbb\xbf---\r\nid: x\r\ntags: [a]\r\n---\r\n\r\nOne.\r\n\r\nTwo.\r\n", "n.md")
    assert (parsed.note.id, parsed.note.tags, parsed.note.body) == ("x", ("a",), "One.\r\n\r\nTwo.")
    assert parse("\ufeff# Head\n".encode(), "n.md").note.body == "# Head"


def test_text_in_another_encoding_is_read_and_reported() -> None:
    mixed = parse("---\ntitle: é\n---\nö ".encode() + b"caf\xe9 \x80\x81\n", "n.md")
    assert mixed.note.body == "ö café €\x81"
    assert [(one.line, one.problem) for one in mixed.problems] == [(4, "not UTF-8")]
    wide = parse("---\ntitle: ü\n---\nwide\n".encode("utf-16"), "n.md")
    assert (wide.note.title, wide.note.body, len(wide.problems)) == ("ü", "wide", 1)


def test_a_merge_conflict_is_reported_and_both_sides_are_text() -> None:
    text = "---\nid: x\n---\nA\n<<<<<<< HEAD\nours ```\n=======\ntheirs\n>>>>>>> b\n"
    parsed = parse(text.encode(), "n.md")
    assert [one.line for one in parsed.problems] == [5]
    assert "ours" in parsed.note.body
    assert "theirs" in parsed.note.body
    assert conflict("<<<<<<< HEAD\n---\nid: x\n||||||| base\n=======\n---\nid: y\n>>>>>>> b\n---\n") == 1
    added_twice = parse(b"<<<<<<< HEAD\n---\nid: x\n=======\n---\nid: y\n>>>>>>> b\n---\n", "n.md")
    assert [one.line for one in added_twice.problems] == [1]


@pytest.mark.parametrize(
    "text",
    [
        "Heading\n=======\n\n> quoted\n",
        "~~~\n<<<<<<< a\n=======\n>>>>>>> b\n~~~\n",
        "- ```text\n  x\n  ```\n\n````\n```\n<<<<<<< a\n=======\n>>>>>>> b\n````\n",
        "    <<<<<<< a\n    =======\n    >>>>>>> b\n",
        "<<<<<<< only the first\n",
    ],
)
def test_what_only_looks_like_a_conflict_is_none(text: str) -> None:
    assert conflict(text) == 0


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Intro words.\n\n## The *real* title ##\n", "The *real* title"),
        ("```\n# no heading\n```\n\n# C#\n", "C#"),
        ("\n\n> **Quoted** words first\n", "Quoted** words first"),
        ("#\n\n# \n\n---\n\nwords\n", "words"),
        ("word " * 100, "word word word word word word word word word word word word word word word word…"),
        ("\n---\n***\n", "2026-01-02-name"),
    ],
)
def test_without_a_title_the_first_heading_or_words_or_the_file_name_stand_in(text: str, title: str) -> None:
    assert parse(text.encode(), "sub/2026-01-02-name.md").note.title == title


def test_duplicate_ids_are_reported_at_both_notes() -> None:
    first, second = read("id: x").note, read("title: T\nid: x")
    notes = [Parsed(first, id_line=2), second, read("id: y"), parse(b"no id", "n.md"), parse(b"none", "m.md")]
    assert [one.line for one in duplicates(notes)] == [2, 3]
    assert all("and 97 more" in one.problem for one in duplicates([read("id: x") for _ in range(101)]))


def test_an_alias_bomb_and_deep_nesting_cost_nothing() -> None:
    bomb = "a: &a [x]\n" + "".join(f"k{n}: &k{n} [*a{', *a' * 9}]\na: &a *k{n}\n" for n in range(3))
    layers = "l0: &l0 [x, x]\n" + "".join(f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]\n" for n in range(1, 30))
    begin = time.process_time()
    for front in (bomb, f"{layers}tags: *l29\ncitations: *l29", "tags: " + "[" * 50_000, "? " * 50_000, "id: &a [*a]"):
        assert read(f"title: T\n{front}").note.title == "T"
    assert time.process_time() - begin < 20


@pytest.mark.parametrize(
    "text",
    [
        "---\nid: x\n---\n" + "word " * 2_000_000 + "zebra",
        "---\nid: x\n---\n" + "a line of words\n" * 600_000 + "zebra",
        "---\nid: x\nbody: |\n" + "  a line of words\n" * 500_000 + "  zebra\n---\n",
        "---\nid: x\ntags: [" + "a," * 260_000 + "]\n---\nzebra",
        "---\n" + "- a\n" * 130_000 + "---\nzebra",
        "# " + " " * 5_000_000 + "zebra",
        " " * 5_000_000 + "\n\n" * 1_000_000 + "zebra",
        "<!-- scoutkit:anchors\n" * 400_000 + "zebra",
        "```\n" + "<!-- scoutkit:anchors\n-->\n" * 150_000 + "```\nzebra",
        "<<<<<<< a\n" * 500_000 + "zebra",
        "- > " * 1_000_000 + "zebra",
        "zebra\n<!-- scoutkit:anchors\n" + '"' * 5_000_000 + "\n-->\n",
    ],
    ids=range(12),
)
def test_ten_megabytes_are_read_in_linear_time(text: str) -> None:
    raw = text.encode()
    begin = time.process_time()
    note = parse(raw, "n.md").note
    assert time.process_time() - begin < 20
    assert "zebra" in note.body


@settings(max_examples=150, deadline=None)
@given(st.binary())
def test_any_bytes_are_a_note(raw: bytes) -> None:
    parsed = parse(raw, "n.md")
    assert parsed.note.title
    assert all(isinstance(one, Problem) and one.line >= 1 for one in parsed.problems)


YAML = ("---\n", "id: x\n", "title: ", "tags: ", "citations:\n", "- ", "{at: ", "'a:1'", "}", "[", "]", ": ", "#", "\n")
ODD_YAML = (
    "&a ",
    "*a",
    "!!x ",
    "|\n",
    ">",
    "'",
    '"',
    "\\",
    "%",
    "? ",
    "null",
    "\t",
    " ",
    "\r\n",
    "\0",
    "\x85",
    "\u2028",
)
MARKDOWN = (
    "```\n",
    "<!-- scoutkit:anchors\n",
    "-->\n",
    "<<<<<<< a\n",
    "=======\n",
    ">>>>>>> b\n",
    "\ufeff",
    "a.py:1-2 text=",
)
PIECES = st.sampled_from(YAML + ODD_YAML + MARKDOWN)


@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES, max_size=40).map("".join))
def test_any_jumble_of_note_syntax_is_a_note(text: str) -> None:
    parsed = parse(f"---\n{text}".encode(), "n.md")
    lines = text.count("\n") + 2
    assert parsed.note.title
    assert all(1 <= one.line <= lines for one in parsed.problems)
    parsed.note.body.encode()


def test_paths_and_checks_are_those_of_a_scout_and_else_somebody_elses() -> None:
    keys = "paths: ['src/**', b]\nchecks: [make, 'a: b']\n"
    note = parse(f"---\ntype: scout\n{keys}---\n".encode(), "").note
    assert (note.paths, note.checks) == (("src/**", "b"), ("make", "a: b"))
    other = parse(f"---\ntype: note\n{keys}---\n".encode(), "")
    assert (other.note.paths, other.note.checks, other.problems) == ((), (), ())
    odd = parse(b"---\ntype: scout\npaths: 'src/**'\nchecks: {a: b}\n---\n", "")
    assert (odd.note.paths, odd.note.checks, odd.problems) == ((), (), ())
    for written in ("paths: 'src/**'\n", "paths: [a]\nchecks:\n  # why\n  - b\n"):
        assert foreign.lines(f"---\ntitle: T\n{written}---\n") == written
