from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoutkit import languages
from scoutkit.calls import calls
from scoutkit.symbols import Symbol, enclosing, has_table, language_of, symbols

# files, a `----`, and the definitions in each as `kind qualified start-end`, `from` where the comment above begins
SAMPLES = {
    path: (text, expected.splitlines())
    for path, text, expected in re.findall(
        r"^==== (.*?)\n(.*?)^----\n(.*?)(?=^====|\Z)",
        Path(__file__).with_name("definitions.txt").read_text(),
        re.DOTALL | re.MULTILINE,
    )
}


def named(path: str, text: str) -> dict[str, Symbol]:
    return {symbol.qualified: symbol for symbol in symbols(path, text)}


@pytest.mark.parametrize("path", SAMPLES)
def test_definitions_are_found_with_their_lines(path: str) -> None:
    text, expected = SAMPLES[path]
    assert [
        f"{one.kind} {one.qualified} {one.start}-{one.end}" + (f" from {one.lead}" if one.lead < one.start else "")
        for one in symbols(path, text)
    ] == expected


def test_a_sample_for_every_table_and_a_grammar_for_every_call_table() -> None:
    assert {language_of(path) for path in SAMPLES} == {*languages.DEFINITIONS, *languages.EMBEDDED}
    for path in SAMPLES:
        if language_of(path) in languages.CALLS:
            calls(path, "")  # the query compiles
    assert set(languages.CALLS) <= set(languages.DEFINITIONS)


def test_range_takes_decorators_and_lead_takes_the_comment_above() -> None:
    add = named("a.py", SAMPLES["a.py"][0])["add"]
    assert (add.lead, add.start, add.body_start, add.end) == (1, 2, 7, 8)
    assert add.signature == "async def add(a: int) -> int"
    assert add.doc == "Sum."
    foo = named("a.rs", SAMPLES["a.rs"][0])["Foo.new"]
    assert (foo.lead, foo.start, foo.doc, foo.parent) == (5, 6, "New.", "Foo")
    foo = named("A.java", SAMPLES["A.java"][0])["Foo"]
    assert (foo.lead, foo.doc) == (2, "Doc")


def test_comment_that_is_a_licence_or_stands_apart_is_not_taken() -> None:
    text = "// Copyright someone.\nfunc F() {}\n"
    assert named("a.go", f"package a\n{text}")["F"].lead == 3
    assert named("a.go", "package a\n\n\n// apart\n\nfunc F() {}\n")["F"].lead == 6


def test_signature_on_many_lines_becomes_one() -> None:
    symbol = named("a.c", "int\nfoo(int a,\n    char *b)\n{\n}\n")["foo"]
    assert (symbol.signature, symbol.start, symbol.body_start) == ("int foo(int a, char *b)", 1, 4)
    symbol = named("a.ex", "def go(a)\n  when a > 1 do\n  a\nend\n")["go"]
    assert (symbol.signature, symbol.body_start) == ("def go(a) when a > 1", 2)


def test_enclosing_names_the_innermost_definition() -> None:
    text = SAMPLES["a.py"][0]
    assert enclosing("a.py", text, 7, 8) == "add"
    assert enclosing("a.py", text, 1, 1) == "add"  # its comment
    assert enclosing("a.py", text, 13, 13) == "A.m.inner"
    assert enclosing("a.py", text, 11, 13) == "A"
    assert enclosing("a.py", text, 8, 12) == ""
    assert enclosing("a.py", text, 0, 0) == ""
    assert enclosing("a.md", SAMPLES["a.md"][0], 3, 3) == "A"
    assert enclosing("a.unknown", text, 7, 8) == ""


@pytest.mark.parametrize(
    ("path", "text", "language"),
    [
        ("x/A.PY", "", "python"),
        ("Gemfile", "", "ruby"),
        ("bin/run", "#!/usr/bin/env python3\n", "python"),
        ("bin/run", "#!/bin/sh -e\n", "bash"),
        ("bin/run", "just text", None),
        ("a.h", "struct s { int a; };\n", "c"),
        ("a.h", "namespace a {\nclass B;\n}\n", "cpp"),
        ("noext", "", None),
        ("a.", "", None),
    ],
)
def test_language_by_name_content_or_shebang(path: str, text: str, language: str | None) -> None:
    assert language_of(path, text) == language


def test_languages_without_a_table_have_no_symbols() -> None:
    assert language_of("a.nix") == "nix"
    assert not has_table("nix")
    assert symbols("a.nix", "{ a = 1; }\n") == []


def test_comments_of_every_style_are_read() -> None:
    for path, name, doc in (
        ("a.html", "app", "What one sees first."),
        ("a.scss", "rounded", "Rounded corners."),
        ("pyproject.toml", "tool.ruff", "How code is laid out."),
        (".github/workflows/ci.yml", "jobs.test", "The tests."),
        ("more.ex", "A.f", "Doc."),
        ("schema.sql", "app.users", "People."),
    ):
        assert named(path, SAMPLES[path][0])[name].doc == doc


def test_bodies_begin_where_they_do_in_kotlin() -> None:
    symbol = named("a.kt", "fun f(\n  a: Int,\n): Int {\n  return a\n}\n")["f"]
    assert (symbol.signature, symbol.body_start) == ("fun f( a: Int, ): Int", 3)


def test_as_many_keys_as_there_are_on_four_levels_and_no_more() -> None:
    nested = "".join(f"{'  ' * level}k{level}:\n" for level in range(40))
    assert [one.name for one in symbols("a.yml", nested)] == ["k0", "k1", "k2", "k3"]
    wide = '{"a": {' + ", ".join(f'"k{number}": {{"x":\n{number}}}' for number in range(5000)) + "}}"
    assert len(symbols("a.json", wide)) == 10_001


@pytest.mark.parametrize(
    "text",
    [
        *(
            "(" * 100_000,
            "\n".join(["((((" * 20] * 5000),
            "function a(){\n" * 3000,
            "if (a) {\n" * 3000,
            "x.\n" * 30_000,
        ),
        *("\ud800 def é(): pass\n", "\0" * 1000, "def \r\n f(\r):\r pass", "class\n" * 2000, "def f(:\n  )" * 500),
        *("<script " * 50_000, "<script>\n" * 20_000, '{"a":\n' * 5000, "".join(f"{' ' * n}a:\n" for n in range(900))),
    ],
)
@pytest.mark.parametrize("path", ["a.py", "a.js", "a.cpp", "a.rb", "a.md", "a.yml", "a.json", "a.css", "a.html"])
def test_hostile_text_neither_raises_nor_hangs(path: str, text: str) -> None:
    begin = time.thread_time()
    for symbol in symbols(path, text):
        assert 1 <= symbol.lead <= symbol.start <= symbol.end <= text.count("\n") + 1
    calls(path, text)
    assert time.thread_time() - begin < 20


def test_huge_and_minified_texts_are_left_alone() -> None:
    assert symbols("a.py", "def f(): pass\n" * 80_000) == []
    assert symbols("a.js", "function f(){};" * 2000) == []


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(SAMPLES)), st.data())
def test_damaged_source_never_raises(path: str, data: st.DataObject) -> None:
    text = SAMPLES[path][0]
    cut = data.draw(st.integers(0, len(text)))
    text = text[:cut] + data.draw(st.text(max_size=20)) + text[data.draw(st.integers(cut, len(text))) :]
    for symbol in symbols(path, text):
        assert 1 <= symbol.lead <= symbol.start <= symbol.end <= text.count("\n") + 1
        assert symbol.name
    enclosing(path, text, 1, 2)
    calls(path, text)


def test_several_processes_may_unpack_a_grammar_at_once(tmp_path: Path) -> None:
    env = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    code = "from scoutkit.symbols import symbols; print(len(symbols('a.py', 'def f(): pass')))"
    started = [subprocess.Popen([sys.executable, "-c", code], env=env, stdout=subprocess.PIPE) for _ in range(4)]
    assert [process.communicate()[0] for process in started] == [b"1\n"] * 4
    unpacked = [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]
    assert len(unpacked) == 1
    assert unpacked[0].is_relative_to(tmp_path / "cache" / "scoutkit")


def test_symbols_work_where_the_cache_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file, not a folder")
    env = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache"), "TMPDIR": str(tmp_path)}
    code = "from scoutkit.symbols import symbols; print(len(symbols('a.py', 'def f(): pass')))"
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, check=True)
    assert done.stdout == b"1\n"
    assert not list(tmp_path.glob("scoutkit-grammars-*"))
