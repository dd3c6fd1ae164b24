"""Lines that are one part of a tree are never taken for several; most that are several are seen to be."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoutkit import grammars
from scoutkit.anchors import singular

TEXTS = {
    "python": '@wraps(f)\ndef g(\n    x,\n):\n    """Says.\nMore."""\n'
    '    if x:\n        a()\n    else:\n        b("(")\n    return x\n',
    "go": "func f(x int) error {\n\tif x > 1 {\n\t\tg(`a\n)`)\n\t} else {\n\t\th()\n\t}\n"
    "\tswitch x {\n\tcase 1:\n\t\tg()\n\t}\n\treturn nil\n}\n",
    "javascript": "const a = {\n  b: 1,\n  c: [1,\n    2],\n}\nfoo()\n  .then(x => {\n    y(x)\n  })\n  .catch(e => e)\n",
    "c": "int\nmain(void)\n{\n#ifdef X\n  f();\n#endif\n  return 0;\n}\n",
    "java": "@Override\npublic void f() {\n  try {\n    g();\n  } catch (E e) {\n    h();\n  } finally {\n    i();\n  }\n}\n",
    "ruby": "def f(x)\n  if x\n    g\n  else\n    h\n  end\nrescue E\n  i\nend\n",
    "rust": "#[test]\nfn f<'a>(x: &'a str) -> &'a str {\n    match x {\n        \"(\" => x,\n        _ => x,\n    }\n}\n",
}


@pytest.mark.parametrize("language", TEXTS)
def test_every_part_of_a_text_may_be_one(language):
    text = TEXTS[language]
    lines, todo, seen = text.split("\n"), [grammars.parse(language, text)], 0
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
