"""The grammar of citations: what is one, what is not, and what its sentence says."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoutkit.knowledge.citations import Reference, read

PERMALINK = "https://github.com/o/r/blob/3f2a9c0e"


def places(markdown: str, *roots: str) -> list[str]:
    return [f"{one.path}:{one.start}-{one.end}" for one in read(markdown, roots=roots) if one.sure]


def one(markdown: str) -> Reference:
    (reference,) = read(markdown)
    return reference


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("src/a.py:12", ["src/a.py:12-12"]),
        ("`src/a.py:12`", ["src/a.py:12-12"]),
        ("**src/a.py:12**", ["src/a.py:12-12"]),
        ("(src/a.py:12).", ["src/a.py:12-12"]),
        ('"src/a.py:12"', ["src/a.py:12-12"]),
        ("src/a.py:12-40", ["src/a.py:12-40"]),
        ("src/a.py:12–40", ["src/a.py:12-40"]),
        ("src/a.py:12—40", ["src/a.py:12-40"]),
        ("src/a.py:12—which signs", ["src/a.py:12-12"]),
        ("src/a.py:12-20,44-50", ["src/a.py:12-20", "src/a.py:44-50"]),
        ("src/a.py:12-20, 44-50", ["src/a.py:12-20", "src/a.py:44-50"]),
        ("src/a.py:12, 44 callers", ["src/a.py:12-12"]),
        ("`src/a.py:12, 44`", ["src/a.py:12-12", "src/a.py:44-44"]),
        ("src/a.py:12:5", ["src/a.py:12-12"]),
        ("src/a.py:12:5-14:8", ["src/a.py:12-14"]),
        ("src/a.py#L12", ["src/a.py:12-12"]),
        ("src/a.py#L12-L40", ["src/a.py:12-40"]),
        ("src/a.py#L12C3-L40C9", ["src/a.py:12-40"]),
        ("[x](src/a.py#L3-L9)", ["src/a.py:3-9"]),
        ("[x](src/a.py:3-9)", ["src/a.py:3-9"]),
        ("[`src/a.py:3-9`](src/a.py#L3-L9)", ["src/a.py:3-9"]),
        ("[a.py:3](src/a.py)", ["src/a.py:3-3"]),
        ("[x](<src/my file.py#L3>)", ["src/my file.py:3-3"]),
        ("[x](src/my%20file.py#L3)", ["src/my file.py:3-3"]),
        ("see [x][1]\n\n[1]: src/a.py#L3", ["src/a.py:3-3"]),
        ("nothing uses it\n\n[1]: src/a.py#L3", ["src/a.py:3-3"]),
        ("a footnote[^1]\n\n[^1]: src/a.py:3 signs", ["src/a.py:3-3"]),
        (f"{PERMALINK}/src/a.py#L3-L9", ["src/a.py:3-9"]),
        (f"<{PERMALINK}/src/a.py?plain=1#L3>", ["src/a.py:3-3"]),
        (f"[x]({PERMALINK}/src/a%20b.py#L3-L9)", ["src/a b.py:3-9"]),
        ("https://gitlab.com/o/r/-/blob/main/src/a.py#L3-9", ["src/a.py:3-9"]),
        ("https://bitbucket.org/o/r/src/3f2a9c0/src/a.py#lines-3:9", ["src/a.py:3-9"]),
        ("src/a.py, lines 12-40", ["src/a.py:12-40"]),
        ("src/a.py (lines 12–40)", ["src/a.py:12-40"]),
        ("src/a.py line 12", ["src/a.py:12-12"]),
        ("`src/a.py`, lines 12, 14 and 20 to 22.", ["src/a.py:12-12", "src/a.py:14-14", "src/a.py:20-22"]),
        ("`src/a.py`:12-40", ["src/a.py:12-40"]),
        ("**`src/a.py`** (line 12)", ["src/a.py:12-12"]),
        ("./src/a.py:12", ["src/a.py:12-12"]),
        ("src\\a.py:12", ["src/a.py:12-12"]),
        ("…/src/a.py:12", ["src/a.py:12-12"]),
        ("/srv/tree/src/a.py:12", ["src/a.py:12-12"]),
        ("/a b/tree/src/a.py:12", ["src/a.py:12-12"]),
        ("file:///srv/tree/src/a.py#L12", ["src/a.py:12-12"]),
        ("`src/my dir/a.py:12`", ["src/my dir/a.py:12-12"]),
        ("`src/a.py:12 -> src/b.py:13`", ["src/a.py:12-12", "src/b.py:13-13"]),
        ("src/flask/__init__.py:12", ["src/flask/__init__.py:12-12"]),
        (r"src/\_\_init\_\_.py:12", ["src/__init__.py:12-12"]),
        ("app/[slug]/(group)/page.tsx:12", ["app/[slug]/(group)/page.tsx:12-12"]),
        (".github/workflows/ci.yml:12", [".github/workflows/ci.yml:12-12"]),
        ("参见src/a.py:12。", ["src/a.py:12-12"]),
        ("HEAD:src/a.py:12", ["src/a.py:12-12"]),
        ("src/a.py:12: def sign(self)", ["src/a.py:12-12"]),
        ("src/a.py:0", ["src/a.py:0-0"]),
        ("src/a.py:40-12", ["src/a.py:40-12"]),
        ("| where | what |\n|---|---|\n| `src/a.py:12` | x |", ["src/a.py:12-12"]),
        ("## src/a.py:12 ##", ["src/a.py:12-12"]),
        ("> - src/a.py:12\n>   src/b.py:13", ["src/a.py:12-12", "src/b.py:13-13"]),
        ("<details>\nsrc/a.py:12\n</details>", ["src/a.py:12-12"]),
    ],
)
def test_accepts(written: str, expected: list[str]) -> None:
    assert places(written, "/srv/tree", "/a b/tree/") == expected


@pytest.mark.parametrize(
    "written",
    [
        "localhost:8000",
        "http://localhost:8000/src/a.py:12",
        "https://example.com/src/a.py:12",
        "https://example.com/page#L12",
        "127.0.0.1:80",
        "example.com:443",
        "[::1]:8080",
        "fe80::1",
        "2001:db8::ff00:42",
        "at 12:30",
        "10:45:12",
        "2026-01-02T12:30:00+00:00",
        "16:9",
        "image:1.25",
        "python:3",
        "docker.io/library/x.y:12",
        "team/app:12",
        "git@host.example:22/x",
        "C:\\",
        "C:\\Users",
        "std::vector",
        "a::b",
        "Foo::Bar.new",
        ":100: :+1:",
        "key:1 {`port`:8080}",
        '`{"port":8080}`',
        "`items[1:2]`",
        "v1.2:3",
        "src/a.py:12.5",
        "src/a.py:12abc",
        "src/a.py:12/13",
        "src/a.py",
        "[x](src/a.py)",
        "[x](#L12)",
        "the line 12",
        "<!-- src/a.py:12 -->",
        "![x](src/a.py#L3)",
        "```\nsrc/a.py:12\n```",
        "~~~console\n$ grep x\nsrc/a.py:12: x\n~~~",
        "- x\n\n  ```\n  src/a.py:12\n  ```",
        "    src/a.py:12 in an indented block",
        "```src/a.py:12\nx\n```",
    ],
)
def test_is_no_citation(written: str) -> None:
    assert places(written) == []


def test_what_only_the_tree_can_tell_is_read_as_not_sure() -> None:
    unsure = read("Makefile:12, bin/tool:7 and redis:6379, `std::vector`")
    assert [(one.path, one.start, one.symbol, one.sure) for one in unsure] == [
        ("Makefile", 12, "", False),
        ("bin/tool", 7, "", False),
        ("redis", 6379, "", False),
        ("std", 0, "vector", False),
    ]


def test_a_symbol_is_read_with_its_owner() -> None:
    assert [(one.path, one.symbol) for one in read("tests/t.py::TestX::test_y[a-b] and `src/a.rs::Foo.bar()`")] == [
        ("tests/t.py", "TestX.test_y"),
        ("src/a.rs", "Foo.bar"),
    ]


def test_other_readings_of_a_path_are_kept() -> None:
    assert one("`see src/a.py:12`").also == ("see src/a.py",)
    assert one("`src/my dir/a.py:12`").also == ("dir/a.py",)
    assert one("@types/x.d.ts:12").also == ("types/x.d.ts",)


def test_says_where_it_stands() -> None:
    text = "# Title\r\n\r\nText\r\n\r\n- `sign`: src/a.py:12-20,44-50\r\n"
    first, second = read(text)
    assert (first.line, text[first.offset :][: len(first.written)]) == (5, "src/a.py:12-20")
    assert (second.line, text[second.offset :][: len(second.written)]) == (5, "44-50")


def test_names_and_quotes_are_those_of_the_sentence() -> None:
    first, second = read(
        'Before, `other`. `Signer.sign()` reads `"a.key"` and runs `x = f(y)` (src/a.py:12). `verify` is src/a.py:20.'
    )
    assert (first.names, first.quotes) == (("Signer.sign", "a.key"), ("x = f(y)",))
    assert first.sentence.startswith("`Signer.sign()`")
    assert second.names == ("verify",)


@pytest.mark.parametrize(
    ("code", "names", "quotes"),
    [
        ("--base-ref", ("--base-ref",), ()),
        ("sign(value, key)", ("sign",), ("sign(value, key)",)),
        ("def sign(self)", ("sign",), ("def sign(self)",)),
        ("func (s *Server) Handle(w)", ("Handle",), ("func (s *Server) Handle(w)",)),
        ("(*Server).Handle", ("Server.Handle",), ()),
        ("Map<K, V>", ("Map",), ("Map<K, V>",)),
        ("@app.route", ("@app.route",), ()),
        ("+=", (), ()),
        ("while (x < y)", (), ("while (x < y)",)),
    ],
)
def test_code_is_a_name_or_a_quote(code: str, names: tuple[str, ...], quotes: tuple[str, ...]) -> None:
    reference = one(f"`{code}` at src/a.py:12")
    assert (reference.names, reference.quotes) == (names, quotes)


def test_a_row_speaks_as_a_whole_and_only_for_itself() -> None:
    rows = "| what | where |\n|---|---|\n| `sign` | src/a.py:12 |\n| `verify` | src/a.py:20 |\n"
    assert [one.names for one in read(rows)] == [("sign",), ("verify",)]


def test_a_sentence_that_only_cites_belongs_to_the_one_before() -> None:
    assert one("The mac is made by `sign`. (See src/a.py:12.)").names == ("sign",)


def test_a_list_item_without_names_speaks_through_the_item_around_it() -> None:
    assert one("- `sign` makes it\n  - in src/a.py:12, at the end\n").names == ("sign",)
    assert one("- It is made here: src/a.py:12. That is `sign`.\n").names == ("sign",)


def test_a_heading_that_only_cites_speaks_through_what_follows() -> None:
    assert one("### src/a.py:12-20\n\n`sign` makes it.\n").names == ("sign",)


def test_a_code_block_right_after_a_citation_is_its_quote() -> None:
    report = "It starts in src/a.py:12. The end, src/a.py:20:\n\n```py\nreturn mac\n```\n\nElsewhere src/b.py:1.\n"
    assert [one.quotes for one in read(report)] == [(), ("return mac\n",), ()]


def test_the_citation_itself_is_no_name() -> None:
    assert one("`src/a.py:12` and [`src/b.py`](docs/x.md)").names == ("src/b.py",)
    assert one("`src/a.py`, lines 12-14").names == ()


FRAGMENTS = st.sampled_from(
    [
        *(
            "src/a.py:12",
            "`src/a.py:3-9,20`",
            "[x](src/a.py#L3)",
            f"{PERMALINK}/a.py#L1",
            "a.py, lines 1 and 2",
            "x::y",
        ),
        *(
            "`",
            "``",
            "```\n",
            "[",
            "](",
            ")",
            "|",
            "\n|-|-|\n",
            "> ",
            "- ",
            "\n\n",
            "\r\n",
            "\r",
            "\t",
            "    ",
            "<!--",
            "-->",
        ),
        *(
            "\\",
            "\0",
            "\ud800",
            "#L1",
            ":1",
            "::",
            "lines 3",
            "[1]: a.py#L1\n",
            "会话",
            "。",
            "*",
            "__",
            "<pre>",
            "![",
            "&#0;",
        ),
    ]
)


@settings(max_examples=150, deadline=None)
@given(st.lists(FRAGMENTS | st.text(max_size=8), max_size=25).map("".join))
def test_never_raises_and_places_what_it_finds(markdown: str) -> None:
    seen = markdown.replace("\0", "\ufffd")
    found = read(markdown, roots=("/a b", "", "/"))
    assert [one.offset for one in found] == sorted(one.offset for one in found)
    for reference in found:
        assert seen[reference.offset : reference.offset + len(reference.written)] == reference.written
        assert reference.path
        assert reference.line >= 1


@pytest.mark.parametrize(
    "unit",
    [
        "`sign` is src/a.py:12 and [x](src/a.py#L3). ",
        "- `a` src/a.py:1\n",
        "[" * 50 + "a.py:1 ",
        "[a.py:1](",
        "`a.py:1 `` ",
        "a:1",
        "a.py:1,",
        "(((((((a.py:1",
        "https://h/o/blob/x/",
        "<a <!-- a.py:1 ",
        ".",
        "a.py, lines 1, 2 and 3 ",
        "> a.py:1\n",
        "a.py:1" + " " * 2000,
    ],
)
@pytest.mark.timeout(60)
def test_hostile_text_takes_linear_time(unit: str) -> None:
    """50,000 characters take less than a second; one quadratic step in Python would take minutes."""
    read(unit * (50_000 // len(unit)))
