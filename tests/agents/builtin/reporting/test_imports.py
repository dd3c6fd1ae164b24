"""Which module a name in a file stands for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoutkit.agents.builtin.reporting.imports import among, imported

SAID = [
    ("a/b.py", "from .sign import sign as made, check  # both\n", {"made": "a/sign:sign", "check": "a/sign:check"}),
    ("a/b/c.py", "from ..d import (\n    e,  # one\n    f as g,\n)\n", {"e": "a/d:e", "g": "a/d:f"}),
    ("a.py", "import os.path as way, flask\nimport a.b\n", {"way": "os/path", "flask": "flask", "b": "a/b"}),
    ("a.go", 'import (\n\tview "x.test/r/v2/pkg/gist/view"\n\t"x.test/r/v2"\n\t_ "x.test/n"\n)\n',
     {"view": "x.test/r/v2/pkg/gist/view", "r": "x.test/r/v2"}),
    ("src/a.ts", "import one, { two as three, type Four } from '../lib/m.js'\n",
     {"one": "lib/m", "three": "lib/m", "Four": "lib/m"}),
    ("src/a.ts", "import * as all from './m'\nexport { x } from '@/y'\n", {"all": "src/m", "x": "y"}),
    ("a.js", "const { one, two: other } = require('./lib/m')\nvar m = require('m')\n",
     {"one": "lib/m", "other": "lib/m", "m": "m"}),
    ("a.rs", "use crate::flags::{parse, doc as text};\npub use super::x::Y;\n",
     {"parse": "flags:parse", "text": "flags:doc", "Y": "x:Y"}),
    ("A.kt", "import okhttp3.internal.Job as Work\nimport okhttp3.Call\n",
     {"Work": "okhttp3/internal/Job", "Call": "okhttp3/Call"}),
    ("a.sh", "import x\n", {}),
]  # fmt: skip


@pytest.mark.parametrize(("path", "text", "said"), SAID, ids=[path for path, *_ in SAID])
def test_a_name_stands_for_the_module_it_is_imported_from(path, text, said):
    assert imported(path, text) == said


def test_files_are_found_whichever_of_the_two_names_more_folders():
    files = [
        "pkg/gist/view/view.go",
        "pkg/issue/view/view.go",
        "src/flask/helpers.py",
        "lib/m/index.js",
        "src/flask/app.py",
    ]
    assert among(files, "x.test/r/v2/pkg/gist/view") == {"pkg/gist/view/view.go"}
    assert among(files, "flask/helpers:url_for") == {"src/flask/helpers.py"}
    assert among(files, "flask:helpers") == {
        "src/flask/helpers.py"
    }  # the module itself before the others of its package
    assert among(files, "flask:Flask") == {"src/flask/helpers.py", "src/flask/app.py"}
    assert among(files, "lib/m") == {"lib/m/index.js"}
    assert among(files, "ask/helpers") == set()


@given(st.sampled_from(["a.py", "a.go", "a.ts", "a.rs", "A.java"]), st.text(max_size=200))
def test_any_text_has_imports_or_none(path, text):
    for name, module in imported(path, f"import {text}\nfrom . import {text}\nuse a::{{{text}}};\n").items():
        assert name
        assert isinstance(among(["a/b.py", "c.go"], module), set)
