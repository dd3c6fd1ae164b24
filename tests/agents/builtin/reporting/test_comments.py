"""What comments say in each language, sentence by sentence, with their lines."""

import pytest

from scoutkit.agents.builtin.reporting.comments import paragraphs, sentences
from scoutkit.languages import _BY_NAME, _EXTENSIONS

ONE = "Orders wait, since the bank is slow."
LINE = {
    "//": "c cpp csharp dart go java javascript kotlin php rust scala scss solidity svelte swift tsx typescript vue",
    "#": "bash cmake dockerfile elixir graphql ini julia make perl powershell python r ruby tcl toml yaml",
    "--": "haskell lua sql",
    ";": "clojure ini",
    "%": "erlang",
    '"': "vim",
}
BLOCK = {
    ("/*", " */"): "c css cpp go java javascript kotlin php rust scss sql swift typescript",
    ("<!--", "-->"): "html vue xml",
    ("{-", "-}"): "haskell",
    ("--[[", "]]"): "lua",
    ("(*", "*)"): "ocaml",
    ("<#", "#>"): "powershell",
    ("=begin", "=end"): "ruby",
    ('"""', '"""'): "julia python",
    ('@doc """', '"""'): "elixir",
    ("'''", "'''"): "python",
}


def said(text, language):
    return [(one.text, one.start, one.end) for one in sentences(text.split("\n"), language)]


@pytest.mark.parametrize(("mark", "language"), [(mark, one) for mark, names in LINE.items() for one in names.split()])
def test_lines_of_a_comment(mark, language):
    text = f"code(1)\n{mark} Nothing here.\n{mark} Orders wait,\n{mark}   since the bank is slow.\ncode(2)\n"
    assert said(text, language) == [("Nothing here.", 2, 2), (ONE, 3, 4)]


@pytest.mark.parametrize(
    ("marks", "language"), [(marks, one) for marks, names in BLOCK.items() for one in names.split()]
)
def test_a_block(marks, language):
    text = f"code(1)\n{marks[0]}\n   Orders wait,\n   since the bank is slow.\n{marks[1]}\ncode(2)\n"
    assert said(text, language) == [(ONE, 3, 4)]


def test_every_language_that_has_comments_has_its_marks():
    without = {"asciidoc", "json", "markdown", "rst"}
    marks = ("// {}", "# {}", "-- {}", "; {}", "% {}", '" {}', "! {}", "/* {} */", "<!-- {} -->", "(* {} *)")
    for language in {*_EXTENSIONS, *_BY_NAME.values()} - without:
        assert any(said(mark.format(ONE), language) == [(ONE, 1, 1)] for mark in marks), language


@pytest.mark.parametrize(
    ("line", "language", "found"),
    [
        ("    lock()  // the bank is slow", "go", "the bank is slow"),
        ("    lock();  /* the bank is slow */", "c", "the bank is slow"),
        ("    lock()  # the bank is slow", "python", "the bank is slow"),
        ('    get("http://bank // slow")', "go", ""),
        ("    f(a /* the first */, b)", "c", ""),
        ("#include <bank.h>", "c", ""),
        ("#[derive(Bank)]", "rust", ""),
        ('    text = "no # comment"', "python", ""),
    ],
)
def test_behind_code(line, language, found):
    assert said(line, language) == ([(found, 1, 1)] if found else [])


def test_a_text_in_quotes_of_three_is_no_comment():
    text = 'PAGE = """\n# no comment\n"""\n# One.\ndef f():\n    """Two."""\n    return 1\n'
    assert said(text, "python") == [("One.", 4, 4), ("Two.", 6, 6)]


def test_points_and_abbreviations():
    text = "// Reads e.g. Orders. Then:\n// - the first\n// - the\n//   second\n// @param bank who pays\n"
    assert said(text, "go") == [
        ("Reads e.g. Orders.", 1, 1),
        ("Then:", 1, 1),
        ("- the first", 2, 2),
        ("- the second", 3, 4),
        ("@param bank who pays", 5, 5),
    ]


def test_prose_without_headings_tables_and_code():
    text = "# Why\n\nOne is\nread. Two.\n\n```\ncode here\n```\n| a | b |\n"
    assert [(one.text, one.start, one.end) for one in paragraphs(text.split("\n"))] == [
        ("One is read.", 3, 4),
        ("Two.", 4, 4),
    ]
