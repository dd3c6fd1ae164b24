"""Frames of another version of the code: the function that a frame names, not what its line is in now."""

import pytest

KOTLIN = (
    "class Codec {\n  class Source {\n    fun read(count: Long): Long {\n      return count\n    }\n  }\n\n"
    "  fun write(count: Long) {\n    flush(count)\n  }\n}\n"
)
TYPESCRIPT = "export function patchKeyed(a: number) {\n  return a\n}\n\nexport function other() {\n  return 1\n}\n"
PYTHON = "def load(path):\n    return open(path)\n\n\ndef store(path):\n    return path\n"


@pytest.mark.parametrize(
    ("text", "path", "name", "place"),
    [
        ("java.io.IOException: closed\n\tat shop.Codec$Source.read(Codec.kt:9)\n", "src/Codec.kt", "read", "3-5"),
        (
            "TypeError: a is null\n    at patchKeyed (core.esm-bundler.js:1234:5)\n    at run (x.js:1:2)\n",
            "src/patch.ts",
            "patchKeyed",
            "1-3",
        ),
        (
            'Traceback (most recent call last):\n  File "/x/src/load.py", line 6, in load\n    gone\nOSError: no\n',
            "src/load.py",
            "load",
            "1-2",
        ),
    ],
)
def test_a_line_of_another_version_gives_way_to_the_name(look, make, text, path, name, place):
    looked = look(make({"src/Codec.kt": KOTLIN, "src/patch.ts": TYPESCRIPT, "src/load.py": PYTHON}), text)
    assert looked.doubts == []
    assert f"Confidence: the frame says `{name}`, which is at `{path}:{place}` here" in looked.text
    assert looked.found.ranking.ranges[0].path == path
    assert looked.found.ranking.ranges[0].place.name == name


def test_a_frame_that_fits_names_the_place_itself(look, make):
    text = 'Traceback (most recent call last):\n  File "/x/src/load.py", line 2, in load\n    gone\nOSError: no\n'
    assert "Confidence: the traceback itself names the place." in look(make({"src/load.py": PYTHON}), text).text


@pytest.mark.parametrize(
    ("declared", "body", "error"),
    [
        ("src/ops.ts", "export interface Ops {\n  insert(a: number): void\n}\n", "TypeError: a is null\n    at insert"),
        (
            "src/Ops.java",
            "interface Ops {\n  void insert(int a);\n}\n",
            "java.io.IOException: closed\n\tat made.Ops.insert",
        ),
        (
            "src/Ops.kt",
            "interface Ops {\n  fun insert(a: Int)\n}\n",
            "java.io.IOException: closed\n\tat made.Ops.insert",
        ),
    ],
)
def test_nothing_comes_from_what_is_only_declared(look, make, declared, body, error):
    text = f"{error} (dom.bundle.js:12:5)\n    at patchKeyed (core.bundle.js:34:5)\n    at other (core.bundle.js:9:1)\n"
    files = {declared: body, "src/patch.ts": TYPESCRIPT}
    looked = look(make(files), text)
    assert looked.doubts == []
    assert "comes through `patchKeyed`, at `src/patch.ts:1-3`, which called what was not found here." in looked.text
    assert declared not in looked.section("The traceback")
    written = {"src/dom.ts": "export class Dom {\n  insert(a: number) {\n    return a\n  }\n}\n"}
    looked = look(make({**files, **written}), text)
    assert "comes from `insert`, at `src/dom.ts:2-4`." in looked.text  # the only one that has a body


def test_a_library_at_the_end_is_not_taken_for_this_code(look, make):
    text = (
        'Traceback (most recent call last):\n  File "/x/src/load.py", line 2, in load\n    return open(path)\n'
        '  File "/usr/lib/python3.11/codecs.py", line 322, in decode\n    (result, consumed) = self._decode(data)\n'
        "UnicodeDecodeError: invalid start byte\n"
    )
    looked = look(make({"src/load.py": PYTHON}), text)
    assert looked.doubts == []
    assert "comes through `load`, at `src/load.py:2`" in looked.text
    here = text[: text.index('  File "/usr')] + "UnicodeDecodeError: invalid start byte\n"
    assert "comes from `load`, at `src/load.py:2`" in look(make({"src/load.py": PYTHON}), here).text
