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
