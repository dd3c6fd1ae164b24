"""Moved lines in a note's text: every spelling is kept, nothing else changes, what is not safe is left and named."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoutkit.knowledge import citations
from scoutkit.knowledge.mending import Mended, meaning, mend
from scoutkit.model.notes import Citation, Region

HOST = "https://github.com/o/r/blob"
ROOT = "/srv/my repo"


def cited(path: str, start: int, end: int = 0, symbol: str = "") -> Citation:
    return Citation(path, start, end or start, symbol=symbol)


KNOWN = [
    cited("src/a.py", 12),
    cited("src/a.py", 12, 14),
    cited("src/a.py", 20, 22),
    cited("src/a.py", 1),
    cited("src/a.py", 50, 52, "Signer.sign"),
    cited("src/b.py", 12),
    cited("Makefile", 7),
    cited("docs/my file.md", 3),
    cited("app/[id]/page.tsx", 3),
    cited("src/größe.py", 3),
]
SHIFTED = {one: Region(one.path, one.start + 100, one.end + 100) for one in KNOWN if one.start not in (1, 20)}
RENAMED = {one: Region("lib/z.py", one.start + 100, one.end + 100) for one in SHIFTED}


def shifted(text: str) -> Mended:
    return mend(text, SHIFTED, KNOWN, [ROOT])


def renamed(text: str, path: str = "lib/z.py") -> Mended:
    return mend(text, {one: Region(path, now.start, now.end) for one, now in RENAMED.items()}, KNOWN, [ROOT])


@pytest.mark.parametrize(
    ("written", "moved", "elsewhere"),
    [
        ("src/a.py:12", "src/a.py:112", "lib/z.py:112"),
        ("src/a.py:12-14", "src/a.py:112-114", "lib/z.py:112-114"),
        ("src/a.py:12–14", "src/a.py:112–114", "lib/z.py:112–114"),
        ("src/a.py:12:5", "src/a.py:112:5", "lib/z.py:112:5"),
        ("src/a.py:12:12", "src/a.py:112:12", "lib/z.py:112:12"),
        ("src/a.py:12:5-14:8", "src/a.py:112:5-114:8", "lib/z.py:112:5-114:8"),
        ("src/a.py:L12-L14", "src/a.py:L112-L114", "lib/z.py:L112-L114"),
        ("src/a.py#L12", "src/a.py#L112", "lib/z.py#L112"),
        ("src/a.py#L12-L14", "src/a.py#L112-L114", "lib/z.py#L112-L114"),
        ("src/a.py#L12-14", "src/a.py#L112-114", "lib/z.py#L112-114"),
        ("src/a.py#L12C3-L14C9", "src/a.py#L112C3-L114C9", "lib/z.py#L112C3-L114C9"),
        ("src/a.py lines 12-14", "src/a.py lines 112-114", "lib/z.py lines 112-114"),
        ("src/a.py, line 12", "src/a.py, line 112", "lib/z.py, line 112"),
        ("src/a.py (lines 12 to 14)", "src/a.py (lines 112 to 114)", "lib/z.py (lines 112 to 114)"),
        ("`src/a.py` at line 12", "`src/a.py` at line 112", "`lib/z.py` at line 112"),
        ("`src/a.py:12`", "`src/a.py:112`", "`lib/z.py:112`"),
        ("`src/a.py`:12", "`src/a.py`:112", "`lib/z.py`:112"),
        ("**src/a.py** line 12", "**src/a.py** line 112", "**lib/z.py** line 112"),
        ("<src/a.py#L12>", "<src/a.py#L112>", "<lib/z.py#L112>"),
        ("src/a.py::Signer.sign", "src/a.py::Signer.sign", "lib/z.py::Signer.sign"),
        ("`src/a.py::sign()`", "`src/a.py::sign()`", "`lib/z.py::sign()`"),
        ("Makefile:7", "Makefile:107", "lib/z.py:107"),
        ("./src/a.py:12", "./src/a.py:112", "./lib/z.py:112"),
        ("@src/a.py:12", "@src/a.py:112", "@lib/z.py:112"),
        ("/src/a.py:12", "/src/a.py:112", "/lib/z.py:112"),
        (r"src\a.py:12", r"src\a.py:112", r"lib\z.py:112"),
        (r"app/\[id\]/page.tsx:3", r"app/\[id\]/page.tsx:103", "lib/z.py:103"),
        ("app/[id]/page.tsx:3", "app/[id]/page.tsx:103", "lib/z.py:103"),
        (f"{ROOT}/src/a.py:12", f"{ROOT}/src/a.py:112", f"{ROOT}/lib/z.py:112"),
        ("src/./a.py:12", "src/./a.py:112", "lib/z.py:112"),
        ("SRC/A.py:12-14", "SRC/A.py:112-114", "lib/z.py:112-114"),
        ("参见src/a.py:12。", "参见src/a.py:112。", "参见lib/z.py:112。"),
        ("src/größe.py:3", "src/größe.py:103", "lib/z.py:103"),
        ("`docs/my file.md:3`", "`docs/my file.md:103`", "`lib/z.py:103`"),
        ("src/a.py:12-14,20-22", "src/a.py:112-114,20-22", "lib/z.py:112-114, src/a.py:20-22"),
        ("src/a.py:20-22,12-14", "src/a.py:20-22,112-114", "src/a.py:20-22, lib/z.py:112-114"),
        ("`src/a.py:12, 20-22`", "`src/a.py:112, 20-22`", "`lib/z.py:112, src/a.py:20-22`"),
        ("src/a.py:12-14,L20-L22", "src/a.py:112-114,L20-L22", "lib/z.py:112-114, src/a.py:20-22"),
        ("src/a.py:12-14,77-78", "src/a.py:112-114,77-78", "lib/z.py:112-114, src/a.py:77-78"),
        ("src/a.py lines 12-14 and 20-22", "src/a.py lines 112-114 and 20-22",
         "lib/z.py lines 112-114 and src/a.py:20-22"),
        ("[x](src/a.py#L12)", "[x](src/a.py#L112)", "[x](lib/z.py#L112)"),
        ("[12](src/a.py#L12)", "[12](src/a.py#L112)", "[12](lib/z.py#L112)"),
        ("[src/a.py:12](src/a.py#L12)", "[src/a.py:112](src/a.py#L112)", "[lib/z.py:112](lib/z.py#L112)"),
        ("[`a.py:12`](src/a.py#L12)", "[`a.py:112`](src/a.py#L112)", "[`lib/z.py:112`](lib/z.py#L112)"),
        ("[a.py#L12](src/a.py:12)", "[a.py#L112](src/a.py:112)", "[lib/z.py#L112](lib/z.py:112)"),
        ("[`sign`, lines 12-14](src/a.py#L12-L14)", "[`sign`, lines 112-114](src/a.py#L112-L114)",
         "[`sign`, lines 112-114](lib/z.py#L112-L114)"),
        ("[L12-L14](src/a.py#L12-L14)", "[L112-L114](src/a.py#L112-L114)", "[L112-L114](lib/z.py#L112-L114)"),
        ("[src/a.py](src/a.py#L12)", "[src/a.py](src/a.py#L112)", "[lib/z.py](lib/z.py#L112)"),
        ("[a.py:12](src/a.py)", "[a.py:112](src/a.py)", "[lib/z.py:112](lib/z.py)"),
        ("[`a.py`](src/a.py), lines 12-14", "[`a.py`](src/a.py), lines 112-114",
         "[`lib/z.py`](lib/z.py), lines 112-114"),
        ("[x](src/a.py#L12 'src/a.py:12')", "[x](src/a.py#L112 'src/a.py:112')", "[x](lib/z.py#L112 'lib/z.py:112')"),
        ("[x](<docs/my file.md#L3>)", "[x](<docs/my file.md#L103>)", "[x](<lib/z.py#L103>)"),
        ("[x](docs/my%20file.md#L3)", "[x](docs/my%20file.md#L103)", "[x](lib/z.py#L103)"),
        ("[x](src/gr%C3%B6%C3%9Fe.py#L3)", "[x](src/gr%C3%B6%C3%9Fe.py#L103)", "[x](lib/z.py#L103)"),
        ("[x][1]\n\n[1]: src/a.py#L12", "[x][1]\n\n[1]: src/a.py#L112", "[x][1]\n\n[1]: lib/z.py#L112"),
        ("[1]\n\n[1]: <src/a.py#L12> 'a.py:12'\n", "[1]\n\n[1]: <src/a.py#L112> 'a.py:112'\n",
         "[1]\n\n[1]: <lib/z.py#L112> 'lib/z.py:112'\n"),
        ("[a.py:12][1], [y][1]\n\n> [1]:\n> src/a.py#L12", "[a.py:112][1], [y][1]\n\n> [1]:\n> src/a.py#L112",
         "[lib/z.py:112][1], [y][1]\n\n> [1]:\n> lib/z.py#L112"),
        ("[a.py:12][], [x][a.py:12]\n\n[a.py:12]: src/a.py#L12",
         "[a.py:112][], [x][a.py:112]\n\n[a.py:112]: src/a.py#L112",
         "[lib/z.py:112][], [x][lib/z.py:112]\n\n[lib/z.py:112]: lib/z.py#L112"),
        ("no link uses it\n\n[1]: src/a.py#L12", "no link uses it\n\n[1]: src/a.py#L112",
         "no link uses it\n\n[1]: lib/z.py#L112"),
        (f"{HOST}/main/src/a.py#L12-L14", f"{HOST}/main/src/a.py#L112-L114", f"{HOST}/main/lib/z.py#L112-L114"),
        (f"<{HOST}/main/src/a.py?plain=1#L12>", f"<{HOST}/main/src/a.py?plain=1#L112>",
         f"<{HOST}/main/lib/z.py?plain=1#L112>"),
        ("https://bitbucket.org/o/r/src/main/src/a.py#lines-12:14",
         "https://bitbucket.org/o/r/src/main/src/a.py#lines-112:114",
         "https://bitbucket.org/o/r/src/main/lib/z.py#lines-112:114"),
        ("| a | src/a.py:12 |\n|---|---|\n| b | `src/a.py:20-22` |",
         "| a | src/a.py:112 |\n|---|---|\n| b | `src/a.py:20-22` |",
         "| a | lib/z.py:112 |\n|---|---|\n| b | `src/a.py:20-22` |"),
        ("# About src/a.py:12 #", "# About src/a.py:112 #", "# About lib/z.py:112 #"),
        ("> - see src/a.py:12\n>   - `src/a.py:12-14`", "> - see src/a.py:112\n>   - `src/a.py:112-114`",
         "> - see lib/z.py:112\n>   - `lib/z.py:112-114`"),
        ("<p>src/a.py:12-14,20-22</p>", "<p>src/a.py:112-114,20-22</p>", "<p>lib/z.py:112-114, src/a.py:20-22</p>"),
        ("src/a.py:12, src/a.py:12", "src/a.py:112, src/a.py:112", "lib/z.py:112, lib/z.py:112"),
        ("src/a.py:1 and src/a.py:12", "src/a.py:1 and src/a.py:112", "src/a.py:1 and lib/z.py:112"),
        ("`src/a.py:12` ✓", "`src/a.py:112` ✓", "`lib/z.py:112` ✓"),
        ("src/a.py:12 **[corrected, was :9]**", "src/a.py:112 **[corrected, was :9]**",
         "lib/z.py:112 **[corrected, was :9]**"),
        ("a\r\nsrc/a.py:12\r\n", "a\r\nsrc/a.py:112\r\n", "a\r\nlib/z.py:112\r\n"),
    ],
)  # fmt: skip
def test_a_moved_citation_keeps_its_spelling(written, moved, elsewhere):
    assert shifted(written) == Mended(moved)
    assert renamed(written) == Mended(elsewhere)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("see src/a.py:12", "see `my dir/z.py`:112"),
        ("see (src/a.py lines 12-14)", "see (`my dir/z.py` lines 112-114)"),
        ("`src/a.py:12`", "`my dir/z.py:112`"),
        ("src/a.py:20-22,12-14", "src/a.py:20-22, `my dir/z.py`:112-114"),
        ("src/a.py::sign", "`my dir/z.py`::sign"),
        ("[a.py:12](src/a.py#L12)", "[my dir/z.py:112](my%20dir/z.py#L112)"),
        ("[a.py:12](<src/a.py#L12>)", "[my dir/z.py:112](<my dir/z.py#L112>)"),
        ("[x][1]\n\n[1]: src/a.py#L12", "[x][1]\n\n[1]: my%20dir/z.py#L112"),
        (f"{HOST}/main/src/a.py#L12", f"{HOST}/main/my%20dir/z.py#L112"),
    ],
)
def test_a_path_that_needs_marks_gets_those_that_its_place_has(written, expected):
    assert renamed(written, "my dir/z.py") == Mended(expected)


@pytest.mark.parametrize(
    "text",
    [
        f"{HOST}/3f2a9c0e/src/a.py#L12",
        f"[src/a.py:12]({HOST}/3f2a9c0e/src/a.py#L12)",
        f"[src/a.py:12][1]\n\n[1]: {HOST}/3f2a9c0e/src/a.py#L12",
        "```\nsrc/a.py:12\n```\n",
        "> ~~~\n> src/a.py:12",
        "    src/a.py:12\n",
        "<!-- src/a.py:12 -->",
        "![src/a.py:12](src/a.py#L12)",
        "src/a.py:1 and src/b.py:120 and other/a.py:12",
        "## Citation check\n\n- wrong: src/a.py:12, no such line",
        "",
    ],
)
def test_what_is_no_citation_of_moved_lines_stays_and_is_not_named(text):
    assert shifted(text) == Mended(text)
    assert renamed(text) == Mended(text)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (f"{HOST}/v2.1/src/a.py#L12", [f"{HOST}/v2.1/src/a.py#L12"]),
        ("the file a.py:12 of one of them", []),
        ("in <src/a.py#L12> alone", ["src/a.py#L12"]),
        ("`see src/a.py:12`", ["src/a.py:12"]),
        ("<p>src/a.py:12</p>", ["src/a.py:12"]),
        ("[x](src/a.py#L12-L14,L20-L22)", ["src/a.py#L12-L14"]),
        ("[src/a.py][1] line 12\n\n[1]: src/a.py", ["[src/a.py][1] line 12"]),
        ("[src/a.py:12][1]\n\n[1]: src/a.py", ["src/a.py:12"]),
    ],
)
def test_what_cannot_be_rewritten_safely_stays_and_is_named(text, named):
    done = renamed(text, "my dir/z.py")
    if named:
        assert done.text == text
    assert [one.written for one in done.missed] == named


def test_one_that_cannot_be_rewritten_keeps_no_other_from_it():
    done = renamed("a src/a.py:12\n\n<p>src/a.py:12</p>\n\n- `src/a.py:12`\n", "my dir/z.py")
    assert done.text == "a `my dir/z.py`:112\n\n<p>src/a.py:12</p>\n\n- `my dir/z.py:112`\n"
    assert [(one.written, one.line) for one in done.missed] == [("src/a.py:12", 3)]


def test_a_path_that_would_mean_two_files_is_written_in_full():
    one, other = cited("src/a.py", 12), cited("lib/a.py", 112)
    done = mend("a.py:12", {one: Region("src/a.py", 112, 112)}, [one, other])
    assert done == Mended("src/a.py:112")


def test_a_name_that_means_two_files_is_named_when_one_of_them_moved():
    one, other = cited("src/a.py", 12), cited("lib/a.py", 12)
    done = mend("a.py:12 and src/a.py:12", {one: Region("src/a.py", 112, 112)}, [one, other])
    assert done.text == "a.py:12 and src/a.py:112"
    assert [each.written for each in done.missed] == ["a.py:12"]


def test_lines_that_change_places_do_so_in_the_text():
    one, other = cited("a.py", 12), cited("a.py", 20)
    moves = {one: Region("a.py", 20, 20), other: Region("a.py", 12, 12)}
    text = "a.py:12, a.py:20 and [a.py:12] [a.py:20]\n\n[a.py:12]: a.py#L12\n[a.py:20]: a.py#L20\n"
    swapped = "a.py:20, a.py:12 and [a.py:20] [a.py:12]\n\n[a.py:20]: a.py#L20\n[a.py:12]: a.py#L12\n"
    assert mend(text, moves, [one, other]) == Mended(swapped)


def test_a_line_that_is_several_now_and_the_other_way_round():
    one, other = cited("a.py", 12), cited("a.py", 20, 22)
    moves = {one: Region("a.py", 5, 6), other: Region("a.py", 9, 9)}
    text = "a.py:12 a.py:20-22 a.py#L12 a.py#L20-L22 https://h.org/o/r/src/main/a.py#lines-12 a.py, lines 20 to 22"
    after = "a.py:5-6 a.py:9 a.py#L5-L6 a.py#L9 https://h.org/o/r/src/main/a.py#lines-5:6 a.py, lines 9"
    assert mend(text, moves, [one, other]) == Mended(after)


def test_a_symbol_is_followed_where_it_can_be_one_only():
    sign, other = cited("a.py", 5, 7, "Signer.sign"), cited("a.py", 15, 17, "Other.sign")
    moves = {sign: Region("b.py", 5, 7)}
    done = mend("`a.py::Signer.sign` `a.py::Other.sign` `a.py::sign`", moves, [sign, other])
    assert done.text == "`b.py::Signer.sign` `a.py::Other.sign` `a.py::sign`"
    assert [one.written for one in done.missed] == ["a.py::sign"]


def test_what_was_left_before_is_named_again_when_its_lines_move_again():
    one = Citation("src/a.py", 40, 40, base="src/a.py:12")
    done = mend("<p>src/a.py:12</p>", {one: Region("src/a.py", 50, 50)}, [one])
    assert done.text == "<p>src/a.py:12</p>"
    assert [each.written for each in done.missed] == ["src/a.py:12"]


def to(lines: tuple[int, int], dash: str = "-") -> str:
    return f"{lines[0]}{dash}{lines[1]}" if lines[1] > lines[0] else str(lines[0])


SPELLED = [
    lambda path, lines: f"{path}:{to(lines)}",
    lambda path, lines: f"`{path}:{to(lines, '–')}`",
    lambda path, lines: f"{path}:{to(lines, ':5-')}:5",
    lambda path, lines: f"{path}#L{to(lines, '-L')}",
    lambda path, lines: f"<{path}#L{to(lines)}>",
    lambda path, lines: f"{path}, lines {to(lines, ' to ')}",
    lambda path, lines: f"`{path}`:{to(lines)}",
    lambda path, lines: f"[{path}:{to(lines)}]({path}#L{to(lines, '-L')})",
    lambda path, lines: f"[x](<./{path}#L{to(lines)}> 'at {path}:{to(lines)}')",
    lambda path, lines: f"[`{path}`]({path}), line {to(lines)}",
    lambda path, lines: f"{HOST}/main/{path}#L{to(lines, '-L')}",
    lambda path, lines: f"**{ROOT}/{path}:{to(lines)}** ✓",
]
PLAIN = ["{}", "see ({}).", "# {} #", "- {}", "> 1. {}", "| a | {} |\n|---|---|\n| b | c |"]
AROUND = [*PLAIN, "<p>{}</p>", "    {}", "```\n{}\n```", "*{}*"]
NOISE = st.text(st.sampled_from(" \n\r\t`*_[]()<>|#-:.,0123456789aé✓~\\!L/\ufeff\u3000"), max_size=12)


@st.composite
def moving(draw: st.DrawFn) -> tuple[list[Citation], dict[Citation, Region]]:
    """Citations of few lines and files, so that new places are often old ones of others."""
    line = st.integers(1, 15)
    places = st.tuples(st.sampled_from(["a.py", "src/a.py", "src/ü.py"]), line, st.sampled_from([0, 2]))
    known = draw(st.lists(places, min_size=1, max_size=5, unique_by=lambda one: one[:2]))
    found = [Citation(path, start, start + more) for path, start, more in known]
    moves = {}
    for one in found:
        if draw(st.booleans()):
            start = draw(line)
            path = draw(st.sampled_from([one.path, one.path, "src/a.py", "lib/z.py"]))
            moves[one] = Region(path, start, start + one.end - one.start)
    return found, moves


def said(spell, one: Citation | Region) -> str:
    return spell(one.path, (one.start, one.end))


def pattern(spell, one: Citation, now: Citation | Region) -> str:
    """A citation of which each path and number is as it was or as it is now: noise before it may have cut it short."""
    ways = {str(one.start): now.start, str(one.end): now.end, one.path: now.path}
    pieces = re.split(f"({'|'.join(map(re.escape, sorted(ways, key=len, reverse=True)))})", said(spell, one))
    return "".join(f"(?:{re.escape(part)}|{re.escape(str(ways.get(part, part)))})" for part in pieces)


def joined(moves, parts, end: str) -> tuple[str, str, str]:
    """A text with citations, the text that it is to be, and a pattern of what may change."""
    text = after = shape = ""
    for number, spell, around, noise in parts:
        one = moves[0][number % len(moves[0])]
        now = moves[1].get(one, one)
        before, behind = (part.replace("\n", end) for part in f"{noise}{around}\n\n".split("{}"))
        text += before + said(spell, one) + behind
        after += before + said(spell, now) + behind
        shape += re.escape(before) + pattern(spell, one, now) + re.escape(behind)
    return text, after, shape


def are_read(moves, text: str, done: Mended) -> None:
    """Every reference is read as its new place, and nothing is left to do."""
    known, places = moves
    now = [Citation(at.path, at.start, at.end) if (at := places.get(one)) else one for one in known]
    assert mend(done.text, {at: Region(at.path, at.start, at.end) for at in now}, now, [ROOT]).text == done.text
    left = {one.offset for one in done.missed}
    for one, at in zip(citations.read(text, roots=[ROOT]), citations.read(done.text, roots=[ROOT]), strict=True):
        was = meaning(one, known)
        if one.offset not in left and was in places:
            assert meaning(at, now) == now[known.index(was)]


NUMBER = st.integers(0, 99)
ENDS = st.sampled_from(["\n", "\r\n"])


@settings(max_examples=100, deadline=None)
@given(
    moving(),
    st.lists(st.tuples(NUMBER, st.sampled_from(SPELLED), st.sampled_from(PLAIN), st.just("")), max_size=6),
    ENDS,
)
def test_a_text_is_as_if_it_had_been_written_of_the_new_places(moves, parts, end):
    text, after, _ = joined(moves, parts, end)
    done = mend(text, moves[1], moves[0], [ROOT])
    assert done == Mended(after)
    are_read(moves, text, done)


@settings(max_examples=150, deadline=None)
@given(
    moving(), st.lists(st.tuples(NUMBER, st.sampled_from(SPELLED), st.sampled_from(AROUND), NOISE), max_size=6), ENDS
)
def test_nothing_but_moved_citations_changes_whatever_is_around(moves, parts, end):
    text, _, shape = joined(moves, parts, end)
    done = mend(text, moves[1], moves[0], [ROOT])
    assert re.fullmatch(shape, done.text)
    are_read(moves, text, done)
