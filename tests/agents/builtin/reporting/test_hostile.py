"""Names that a repository may hold and a report may not repeat as they are; and names that it has thousands of."""

import re
import string

import pytest
from markdown_it import MarkdownIt

from scoutkit.agents.builtin.reporting import evidence, sections
from scoutkit.knowledge import citations

CODE = "def cookie_sign(value):\n    return value\n"
ODD = [one for one in string.punctuation if one not in "./"] + [
    " ",
    "\t",
    "\u202e",
    "，",
    "“",
    "\u3000",
]
SHAPES = ["a{}b.py", "{}b.py", "a{}.py", "d{}/b.py", "{}/b.py", "d/{}b.py", "d/b.py{}"]


def read_back(path):
    found = citations.read(f"- `f` calls `cookie_sign` at `{path}:7-9`, defined at `other.py:1`\n", roots=())
    return [(one.path, one.start, one.end) for one in found[:1]] == [(path, 7, 9)]


@pytest.mark.parametrize("odd", ODD)
def test_a_path_that_is_cited_is_read_back_as_it_is(odd):
    for path in (shape.format(odd) for shape in SHAPES):
        if evidence.citable(path) and " " not in path:  # a path with spaces is found in the tree
            assert read_back(path), path


@pytest.mark.parametrize(
    "path",
    [
        "src/app.py",
        "app/[id]/(admin)/page.tsx",
        "a-b_c.d+e@f~1/x%y.py",
        "my dir/my file.py",
        "日本/é.py",
        ".github/a.yml",
    ],
)
def test_paths_that_people_have_are_cited(path):
    assert evidence.citable(path)


@pytest.mark.parametrize(
    "path",
    [
        "!sign.py",
        "a#b.py",
        "a|b.py",
        "<img src=x onerror=alert(1)>.py",
        "a](javascript:alert(1)).py",
        "sign.py:12",
        "-sign.py",
    ],
)
def test_a_file_whose_name_would_not_be_read_back_is_not_cited(look, make, path):
    told = look(make({path: CODE, "src/sign.py": CODE}), "Where is the cookie signed?")
    assert path not in told.text
    assert "`src/sign.py:1-2`" in told.text


def test_a_heading_that_is_markup_is_text_in_the_title(look, make):
    files = {"README.md": "# Sign `a` <script>alert(1)</script> [x](javascript:alert(1))\n\nThe cookie is signed.\n"}
    told = look(make(files), "Where is the cookie signed?")
    tokens = [one for token in MarkdownIt().parse(told.text) for one in (token, *(token.children or ()))]
    assert not [one for one in tokens if one.type.startswith(("html", "link", "image"))]


def test_a_heading_of_signs_alone_is_no_name(look, make):
    files = {"docs/sign.md": "# : '---'\n\nThe cookie is signed here.\n", "src/sign.py": CODE}
    told = look(make(files), "How is the cookie signed?")
    assert "docs/sign.md" in told.text
    assert told.doubts == []


def test_what_turns_text_round_or_ends_a_line_is_not_shown_in_a_block():
    lines = ["a\u202eb", "c\x1b[31md", "e\r```", "f\u2028g", "\tplain é 日本 😀"]
    shown = sections.fenced(lines, "", "  ")
    assert not re.search("[\u202e\x1b\r\u2028]", shown)
    assert "\tplain é 日本 😀" in shown
    assert len(shown.split("\n")) == len(lines) + 2


@pytest.mark.parametrize("asked", ["cookie_sign", "What calls cookie_sign?"])
def test_a_name_with_thousands_of_definitions_reads_each_file_once(look, make, asked, monkeypatch):
    from scoutkit.agents.builtin.indexing.index import Index
    from scoutkit.snapshot import Snapshot

    read = []
    for kind, name in ((Index, "places"), (Snapshot, "lines")):
        real = getattr(kind, name)
        monkeypatch.setattr(kind, name, lambda self, *given, real=real: read.append(given) or real(self, *given))
    look(make({"many.py": "def cookie_sign(a):\n    return cookie_sign(a)\n" * 500}), asked)
    assert len(read) < 200


@pytest.mark.parametrize("path", ['q"q/bake.py', "it's/bake.py", "C#/bake.py", "a,b/bake.py", "bake:12.py", "-bake.py"])
def test_what_cannot_be_cited_is_not_taken_for_something_else(look, make, path):
    files = {path: "def bake_rolls(a):\n    return a\n"}
    found = look(make(files, "alone"), "Where is bake_rolls?")
    told = "Left out, for signs in their paths that no citation can hold: 1 file."
    assert told in found.section("What this does not tell")
    more = {f"src/{name}.py": f"def bake_{name}(rolls):\n    return rolls\n" for name in ("cakes", "buns")}
    for question in ("bake_rolls", "Where is bake_rolls?", "What calls bake_rolls?"):
        looked = look(make({**files, **more}), question)
        assert looked.doubts == []
        assert "the question names `bake_cakes`" not in looked.text
        assert "the question names `bake_buns`" not in looked.text
        assert told in looked.text
