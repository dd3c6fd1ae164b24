"""Lines that are one part of a tree are never taken for several; most that are several are seen to be."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoutkit import grammars
from scoutkit.anchors import singular

TEXTS: dict[str, list[str]] = {
    "python": [
        "@wraps(f)",
        "def g(",
        "    x,",
        "):",
        '    """Says.',
        'More."""',
        "    if x:",
        "        a()",
        "    else:",
        '        b("(")',
        "    return x",
    ],
    "go": [
        "func f(x int) error {",
        "\tif x > 1 {",
        "\t\tg(`a",
        ")`)",
        "\t} else {",
        "\t\th()",
        "\t}",
        "\tswitch x {",
        "\tcase 1:",
        "\t\tg()",
        "\t}",
        "\treturn nil",
        "}",
    ],
    "javascript": [
        "const a = {",
        "  b: 1,",
        "  c: [1,",
        "    2],",
        "}",
        "foo()",
        "  .then(x => {",
        "    y(x)",
        "  })",
        "  .catch(e => e)",
    ],
    "c": [
        "int",
        "main(void)",
        "{",
        "#ifdef X",
        "  f();",
        "#endif",
        "  return 0;",
        "}",
    ],
    "java": [
        "@Override",
        "public void f() {",
        "  try {",
        "    g();",
        "  } catch (E e) {",
        "    h();",
        "  } finally {",
        "    i();",
        "  }",
        "}",
    ],
    "ruby": [
        "def f(x)",
        "  if x",
        "    g",
        "  else",
        "    h",
        "  end",
        "rescue E",
        "  i",
        "end",
    ],
    "rust": [
        "#[test]",
        "fn f<'a>(x: &'a str) -> &'a str {",
        "    match x {",
        '        "(" => x,',
        "        _ => x,",
        "    }",
        "}",
    ],
}


@pytest.mark.parametrize("language", TEXTS)
def test_every_part_of_a_text_may_be_one(language):
    lines, seen = TEXTS[language], 0
    todo = [grammars.parse(language, "\n".join(lines))]
    while todo:
        node = todo.pop()
        todo += node.named_children
        first, last = node.start_point, node.end_point
        whole = not lines[first.row][: first.column].strip() and not lines[last.row].encode()[last.column :].strip()
        if node.parent and whole and node.type not in ("comment", "ERROR"):
            seen += 1
            assert singular.may_be(lines[first.row : last.row + 1], language), (node.type, lines[first.row])
    assert seen > 4


@pytest.mark.parametrize(
    ("language", "lines"),
    [
        ("go", ["\tif err != nil {", "\t\treturn err"]),
        ("go", ["\ta := 1", "\tb := 2"]),
        ("python", ["    return x", "def g():"]),
        ("python", ["x = f(", "    1,"]),
        ("java", ["    }", "    void g() {"]),
        ("json", ['  "a": {', '    "b": 1']),
    ],
)
def test_pieces_and_neighbours_are_seen_to_be_no_part(language, lines):
    assert not singular.may_be(lines, language)


@given(st.lists(st.text(max_size=40)), st.sampled_from(["python", "rust", "go", "sql"]))
def test_no_text_is_too_odd(lines, language):
    assert singular.may_be(lines, language) in (True, False)
