"""Who uses what the code does not define: functions of a library."""

import pytest

GO = (
    'package cmd\n\nimport "os"\n\nfunc CheckErr(err error) {\n\tif err != nil {\n\t\tos.Exit(1)\n\t}\n}\n\n'
    "// Exit code: os.Exit is not for tests.\nfunc Quit(p Process) {\n\tp.Exit(2)\n}\n"
)


def test_what_calls_a_librarys_function_is_told_by_its_lines(look, make):
    looked = look(make({"cmd/err.go": GO, "cmd/log.go": "package cmd\n\nfunc Log() {}\n"}), "What calls `os.Exit`?")
    assert looked.doubts == []
    (used,) = looked.found.usages
    assert used.cited is None
    assert [(one.path, one.lines, one.holders) for one in used.files] == [("cmd/err.go", (7,), ("CheckErr",))]
    assert "`os.Exit`, which this code does not define, is used in 1 place of 1 file." in looked.text
    assert "`CheckErr`" in looked.text.split("## Start here")[1]  # what calls it is what there is to read
    assert "is defined once" not in looked.text


@pytest.mark.parametrize(
    "question", ["Who calls requests.get?", "requests.get", "what would break if I replaced requests.get?"]
)
def test_it_is_found_under_the_name_it_is_imported_by(look, make, question):
    files = {
        "a/one.py": "import requests\n\n\ndef load_it(url):\n    return requests.get(url)\n",
        "a/two.py": "from requests import get\n\n\ndef other(url):\n    return get(url)\n",
        "a/three.py": "def third(table):\n    return table.get(1)\n",
    }
    (used,) = look(make(files), question).found.usages
    assert {one.path: one.lines for one in used.files} == {"a/one.py": (5,), "a/two.py": (5,)}


def test_what_the_code_defines_is_no_stranger(look, make):
    files = {
        "src/json.py": "def dumps(it):\n    return it\n",
        "src/use.py": "import json\n\n\ndef go():\n    json.dumps(1)\n",
    }
    (used,) = look(make(files), "What calls json.dumps?").found.usages
    assert used.cited
    assert used.cited.path == "src/json.py"


def test_a_function_in_a_function_is_told_in_its_own_file(look, make):
    inner = "def outer(f):\n    def wrapped_it(x):\n        return x\n\n    return update(wrapped_it, f)\n"
    files = {"src/deco.py": inner, "src/other.py": inner.replace("outer", "second"), "src/use.py": "wrapped_it = 1\n"}
    looked = look(make(files), "What calls `wrapped_it`?")
    assert [[(one.path, one.lines) for one in used.files] for used in looked.found.usages] == [[("src/deco.py", (5,))]]


def test_a_file_name_or_a_word_of_prose_is_no_name(look, make):
    looked = look(make({"src/app.py": "def start():\n    return 1\n"}), "What uses config.json, e.g. settings?")
    assert all(used.cited for used in looked.found.usages)


def test_code_in_a_folder_named_docs_is_code(look, make):
    files = {"internal/docs/man.go": "package docs\n\nfunc renderMan() {\n\tgenMan()\n}\n\nfunc genMan() {}\n"}
    (used,) = look(make(files), "What calls `genMan`?").found.usages
    assert [(one.path, one.lines) for one in used.files] == [("internal/docs/man.go", (4,))]


def test_calls_in_macros_and_by_call_and_apply_count(look, make):
    files = {
        "src/lib.rs": "fn mk_paths() -> u8 {\n    1\n}\n\nfn check() {\n    assert_eq!(1, mk_paths());\n}\n",
        "lib/a.js": "function hasRoute (a) { return a }\n\nfunction other () {\n  return hasRoute.call(this, 1)\n}\n",
        "lib/b.py": "def plugs():\n    return 1\n\n\ndef main():\n    return [*plugs()]\n",
    }
    commit = make(files)
    for name, path, line in (("mk_paths", "src/lib.rs", 6), ("hasRoute", "lib/a.js", 4), ("plugs", "lib/b.py", 6)):
        (used,) = look(commit, f"What calls `{name}`?").found.usages
        assert [(one.path, one.lines) for one in used.files] == [(path, (line,))], name


def test_a_plain_word_is_a_name_where_it_is_all_that_is_asked_about(look, make):
    files = {
        "src/words.c": "char *copied(char *a)\n{\n    return strdup(a);\n}\n",
        "src/words_test.c": "int copied_words(void)\n{\n    return copied(0) != 0;\n}\n",
        "src/run.c": "int run(char *a)\n{\n    return copied(a) == a;\n}\n",
    }
    commit = make(files)
    for question in (
        "Who uses copied?",
        "Where is copied called?",
        "What would break if I renamed copied?",
        "谁调用 copied？",
    ):
        (used,) = look(commit, question).found.usages
        assert used.node.last == "copied", question
        assert ("src/run.c", (3,)) in [(one.path, one.lines) for one in used.files]
    (used,) = look(commit, "What calls strdup?").found.usages
    assert (used.cited, [(one.path, one.lines) for one in used.files]) == (None, [("src/words.c", (3,))])
    assert all(used.node.last != "words" for used in look(commit, "What uses words?").found.usages)


def test_what_stands_behind_a_type_or_a_module_is_not_somebody_elses_of_that_name(look, make):
    files = {
        "lib/rails.rb": "module Rails\n  class << self\n    attr_accessor :logger\n  end\nend\n",
        "lib/rack.rb": "module Rack\n  def logger\n    Rails.logger\n  end\nend\n",
        "lib/use.rb": "def go(it)\n  it.logger\nend\n",
        "web/a.js": "import { readFileSync } from 'node:fs'\nimport f from 'fs'\n\n"
        "export const one = readFileSync(f.readFileSync(1))\n",
        "web/b.js": "export function readFileSync (a) { return a }\n\nexport const two = readFileSync(2)\n",
        "src/A.java": "import static java.util.Objects.requireNonNull;\n\n"
        "class A {\n  void a(Object o) { requireNonNull(o); }\n}\n",
        "src/B.java": "import java.util.Objects;\n\nclass B {\n  void b(Object o) { Objects.requireNonNull(o); }\n}\n",
        "app.py": "class App:\n    def route(self):\n        return 1\n",
        "use.py": "def go(app):\n    return app.route()\n",
    }
    commit = make(files)
    for name, found in (
        ("Rails.logger", {"lib/rack.rb": (3,)}),
        ("fs.readFileSync", {"web/a.js": (4,)}),
        ("Objects.requireNonNull", {"src/A.java": (4,), "src/B.java": (4,)}),
        ("app.route", {"use.py": (2,)}),
    ):
        (used,) = look(commit, f"Who uses {name}?").found.usages
        assert {one.path: one.lines for one in used.files} == found, name
        assert (used.cited is None) == (name != "app.route"), name


@pytest.mark.parametrize(
    "asked", ["Where is bake_rolls2 used?", "What calls bake_rolls2?", "what would break if I changed bakeRolls2?"]
)
def test_nothing_is_said_of_the_users_of_what_was_not_asked_about(look, make, asked):
    looked = look(make({"src/bakery.py": 'def bake_cakes(a):\n    """Rolls, two of them."""\n    return a\n'}), asked)
    assert looked.doubts == []
    assert looked.found.usages == ()
    assert "othing uses" not in looked.text
    assert "is used in" not in looked.text


def test_without_a_name_the_users_of_what_fits_best_are_told(look, make):
    code = 'def settle(a):\n    """Pays an invoice."""\n    return a\n\n\ndef run():\n    return settle(1)\n'
    assert "`settle`, defined at" in look(make({"src/pay.py": code}), "What calls the code that pays an invoice?").text


def test_code_comes_before_data_that_has_the_name(look, make):
    files = {
        "a.json": '{"b": "MOST_ROWS"}\n',
        "b.yml": "a: MOST_ROWS\n",
        "src/z.py": "import os\n\nx = os.environ['MOST_ROWS']\n",
    }
    (used,) = look(make(files), "where is MOST_ROWS used?").found.usages
    assert [one.path for one in used.files] == ["src/z.py", "a.json", "b.yml"]
