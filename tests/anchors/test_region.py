"""The engine on real repositories: every way in which lines go somewhere."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from scoutkit import git as scoutkit_git
from scoutkit.anchors.region import Regions
from scoutkit.errors import NotFound, RepositoryError
from scoutkit.model.notes import Region, Verdict

SIGNING = """\
import hmac


class Signer:
    def __init__(self, key):
        self.key = key

    def sign(self, value):
        mac = hmac.new(self.key, value, "sha256")
        return value + b"." + mac.digest()

    def verify(self, cookie):
        value, mac = cookie.rsplit(b".", 1)
        return hmac.compare_digest(self.sign(value), cookie)


def load(settings):
    secret = settings["SECRET_KEY"]
    if not secret:
        raise ValueError("SECRET_KEY is empty")
    return Signer(secret.encode())
"""
SIGN = ("a/signing.py", 8, 10)
OTHER = "".join(f"def task_{n}(queue):\n    return queue.push({n}, retries={n % 7})\n\n\n" for n in range(8))


class Tree:
    """A repository whose files are written, committed and looked for."""

    def __init__(self, root: Path, git) -> None:
        self.root, self._git = root, git
        root.mkdir()
        git(root, "init", "-q")

    def write(self, **files: str | bytes | None) -> None:
        for name, content in files.items():
            self.put(name, content)

    def put(self, name: str, content: str | bytes | None) -> None:
        path = self.root / name
        if content is None:
            path.unlink()
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)

    def commit(self) -> str:
        self._git(self.root, "add", "-A")
        self._git(self.root, "commit", "-q", "--allow-empty", "-m", "x")
        return self._git(self.root, "rev-parse", "HEAD").strip()

    def find(self, place: tuple[object, ...], old: str, new: str = "", **options):
        with Regions(scoutkit_git.discover(self.root), new, **options) as regions:
            return regions.locate(Region(*place), old)

    def moved(self, place: tuple[object, ...], old: str, new: str = ""):
        """Verdict and place."""
        found = self.find(place, old, new)
        assert 0 <= found.score <= 1
        assert (found.region is None) == (found.verdict in (Verdict.GONE, Verdict.AMBIGUOUS))
        return found.verdict, found.region and (found.region.path, found.region.start, found.region.end)


@pytest.fixture
def tree(tmp_path: Path, git) -> Tree:
    return Tree(tmp_path / "tree", git)


@pytest.fixture
def old(tree: Tree) -> str:
    tree.put("a/signing.py", SIGNING)
    tree.put("a/tasks.py", OTHER)
    return tree.commit()


CHANGES = {
    "nothing": (SIGNING, "fresh", 8, 10),
    "lines above": ("# one\n# two\n" + SIGNING, "moved", 10, 12),
    "lines below": (SIGNING + "\n\nEND = 1\n", "fresh", 8, 10),
    "lines above are gone": (SIGNING.removeprefix("import hmac\n\n\n"), "moved", 5, 7),
    "an edited line in the middle": (SIGNING.replace('"sha256"', '"sha512"'), "edited", 8, 10),
    "an edited first line": (SIGNING.replace("def sign(self, value)", "def sign(self, value: bytes)"), "edited", 8, 10),
    "an edited last line": (SIGNING.replace("mac.digest()", "mac.hexdigest().encode()"), "edited", 8, 10),
    "a line more in the middle": (
        SIGNING.replace("        mac = ", "        check(value)\n        mac = "),
        "edited",
        8,
        11,
    ),
    "a line less in the middle": (
        SIGNING.replace('        mac = hmac.new(self.key, value, "sha256")\n', ""),
        "edited",
        8,
        9,
    ),
    "windows line ends": (SIGNING.replace("\n", "\r\n"), "fresh", 8, 10),
    "trailing blanks": (SIGNING.replace("\n", "  \n"), "fresh", 8, 10),
    "another indentation": (SIGNING.replace("    ", "\t"), "fresh", 8, 10),
    "no newline at the end": (SIGNING.rstrip("\n"), "fresh", 8, 10),
    "a byte order mark": ("\ufeff" + SIGNING, "fresh", 8, 10),
    "the class is indented": (
        SIGNING[: SIGNING.index("class")]
        + "if hmac:\n"
        + "".join(f"    {line}\n" if line else "\n" for line in SIGNING[SIGNING.index("class") :].splitlines()),
        "moved",
        9,
        11,
    ),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("target", ["commit", "working tree"])
def test_changes_within_the_file(tree, old, change, target):
    text, verdict, start, end = CHANGES[change]
    tree.put("a/signing.py", text)
    new = tree.commit() if target == "commit" else ""
    assert tree.moved(SIGN, old, new) == (verdict, ("a/signing.py", start, end))


def test_lines_that_were_cut_out_are_gone(tree, old):
    lines = SIGNING.splitlines(keepends=True)
    tree.put("a/signing.py", "".join(lines[:7] + lines[11:]))
    assert tree.moved(SIGN, old, tree.commit()) == ("gone", None)


def test_a_deleted_file_is_gone(tree, old):
    tree.put("a/signing.py", None)
    assert tree.moved(SIGN, old) == ("gone", None)
    assert tree.moved(SIGN, old, tree.commit()) == ("gone", None)


LICENCE = (
    "# Licensed under the Example License, version 3\n# You may not use this file except in compliance with it.\n#\n"
    "# Distributed without warranties or conditions of any kind, either express or implied.\n\n"
)


@pytest.mark.parametrize("now", [LICENCE, LICENCE.replace("version 3", "version 4 or later")])
@pytest.mark.parametrize("rest", ["import os\n", SIGNING])
def test_a_licence_header_that_many_files_have_did_not_go_to_one_of_them(tree, now, rest):
    for name in "abcd":
        tree.put(f"lib/{name}.py", f"{LICENCE}def {name}(queue):\n    return queue.push('{name}')\n")
    tree.put("tools/main.py", LICENCE + rest)
    old = tree.commit()
    tree.put("tools/main.py", None)
    tree.put("lib/new.py", f"{now}def task(queue):\n    return queue.pull(retries=3)\n")
    new = tree.commit()
    assert tree.moved(("tools/main.py", 1, 4), old, new) == ("gone", None)
    tree.put("lib/new.py", None)
    tree.put("lib/main.py", f"{now}{rest}def task(queue):\n    return queue.pull()\n")
    if rest == SIGNING:  # the file itself did
        verdict, place = tree.moved(("tools/main.py", 1, 4), old, tree.commit())
        assert (verdict, place) == ("moved" if now == LICENCE else "edited", ("lib/main.py", 1, 4))


def test_a_file_of_nothing_but_a_licence_did_not_become_one_that_says_more(tree):
    for name in "abcd":
        tree.put(f"lib/{name}/__init__.py", LICENCE)
    old = tree.commit()
    tree.put("lib/d/__init__.py", None)
    tree.put("lib/e/__init__.py", LICENCE + "# And this.\n")
    assert tree.moved(("lib/d/__init__.py", 1, 4), old, tree.commit())[0] in ("gone", "ambiguous")


@pytest.mark.parametrize("lines", [(9, 9), (8, 11)])
def test_a_line_of_a_deleted_function_is_not_the_same_line_of_another_that_was_there(tree, lines):
    find = "func find(name string) *F {\n\tvar flag *F\n\tif has() {\n\t\tflag = look(name)\n\t}\n"
    find += "\tif flag == nil {\n\t\tupdateParents()\n\t\tflag = parents.look(name)\n\t}\n\treturn flag\n}\n\n"
    merge = "func merge() {\n\tupdateParents()\n\tadd(flags)\n\tadd(parents)\n}\n"
    tree.put("a.go", f"package a\n\n{find}{merge}")
    old = tree.commit()
    tree.put("a.go", f"package a\n\n{merge}")
    assert tree.moved(("a.go", *lines), old, tree.commit()) == ("gone", None)


def test_a_file_written_anew_is_gone(tree, old):
    tree.put("a/signing.py", "".join(f"// {n}: nothing that was here before\nint x{n};\n" for n in range(20)))
    assert tree.moved(SIGN, old, tree.commit()) == ("gone", None)


@pytest.mark.parametrize(
    "name", ["a/signer.py", "b/c/signing.py", "with blank.py", 'quo"te\n.py', "äöü.py", "caf\udce9.py"]
)
@pytest.mark.parametrize("target", ["commit", "working tree"])
def test_a_renamed_file(tree, old, name, target):
    (tree.root / name).parent.mkdir(parents=True, exist_ok=True)
    (tree.root / "a/signing.py").rename(tree.root / name)
    new = tree.commit() if target == "commit" else ""
    assert tree.moved(SIGN, old, new) == ("moved", (name, 8, 10))


def test_a_renamed_and_edited_file(tree, old):
    tree.put("a/signing.py", None)
    tree.put("a/signer.py", "# licence\n" + SIGNING.replace("SECRET_KEY", "KEY"))
    assert tree.moved(SIGN, old, tree.commit()) == ("moved", ("a/signer.py", 9, 11))


def test_a_folder_that_moved(tree, old):
    (tree.root / "a").rename(tree.root / "lib")
    assert tree.moved(SIGN, old, tree.commit()) == ("moved", ("lib/signing.py", 8, 10))
    assert tree.moved(("a/tasks.py", 5, 6), old) == ("moved", ("lib/tasks.py", 5, 6))


def test_renamed_twice_and_edited_each_time(tree, old):
    tree.put("a/signing.py", None)
    tree.put("b/signer.py", SIGNING.replace("self.key", "self._key"))
    tree.commit()
    tree.put("b/signer.py", None)
    tree.put("b/cookies.py", "# licence\n" + SIGNING.replace("self.key", "self._key").replace("value", "text"))
    verdict, place = tree.moved(SIGN, old, tree.commit())
    assert (verdict, place) == ("edited", ("b/cookies.py", 9, 11))


def test_a_copy_leaves_the_lines_where_they_are(tree, old):
    tree.put("copy.py", SIGNING)
    assert tree.moved(SIGN, old, tree.commit()) == ("fresh", ("a/signing.py", 8, 10))


def test_a_function_that_moved_to_another_file(tree, old):
    at = SIGNING.index("def load")
    tree.put("a/signing.py", SIGNING[:at].rstrip() + "\n")
    tree.put("a/loading.py", "from a.signing import Signer\n\n\n" + SIGNING[at:])
    tree.commit()
    assert tree.moved(("a/signing.py", 17, 21), old) == ("moved", ("a/loading.py", 4, 8))
    assert tree.moved(SIGN, old) == ("fresh", ("a/signing.py", 8, 10))


def test_a_file_split_in_two(tree, old):
    at = SIGNING.index("def load")
    tree.put("a/signing.py", None)
    tree.put("a/signer.py", SIGNING[:at].rstrip() + "\n")
    tree.put("a/loading.py", "from a.signer import Signer\n\n\n" + SIGNING[at:])
    new = tree.commit()
    assert tree.moved(SIGN, old, new) == ("moved", ("a/signer.py", 8, 10))
    assert tree.moved(("a/signing.py", 17, 21), old, new) == ("moved", ("a/loading.py", 4, 8))


def test_two_functions_that_changed_places(tree):
    one, two = OTHER.split("\n\n\n")[:2]
    tree.put("t.py", f"{one}\n\n\n{two}\n")
    old = tree.commit()
    tree.put("t.py", f"{two}\n\n\n{one}\n")
    new = tree.commit()
    assert tree.moved(("t.py", 1, 2), old, new) == ("moved", ("t.py", 5, 6))
    assert tree.moved(("t.py", 5, 6), old, new) == ("moved", ("t.py", 1, 2))


def test_several_places_that_are_as_good_are_not_guessed_at(tree, old):
    tree.put("a/signing.py", None)
    at = SIGNING.index("def load")
    for name in ("one", "two"):
        tree.put(f"{name}/x.py", f"# {name}\n" + SIGNING[at:])
    found = tree.find(("a/signing.py", 17, 21), old, tree.commit())
    assert found.verdict is Verdict.AMBIGUOUS
    places = [(one.region.path, one.region.start, one.region.end) for one in found.candidates]
    assert sorted(places) == [("one/x.py", 2, 6), ("two/x.py", 2, 6)]


def test_a_binary_file_has_no_lines_and_one_that_became_binary_has_none_any_more(tree, old):
    tree.put("bin", b"\0\1\n" * 5)
    tree.put("a/signing.py", SIGNING.encode() + b"\0")
    new = tree.commit()
    assert tree.moved(SIGN, old, new) == ("gone", None)
    with pytest.raises(NotFound, match="binary"):
        tree.find(("bin", 1, 1), new)


def test_a_symbolic_link_leads_to_the_lines(tree, old):
    (tree.root / "a/signing.py").rename(tree.root / "real.py")
    (tree.root / "a/signing.py").symlink_to("../real.py")
    new = tree.commit()
    assert tree.moved(SIGN, old, new) == ("moved", ("real.py", 8, 10))
    assert tree.moved(SIGN, old) == ("moved", ("real.py", 8, 10))
    assert tree.moved(SIGN, new, old) == ("moved", ("a/signing.py", 8, 10))  # asked through the link
    (tree.root / "out").symlink_to("/etc/hostname")
    with pytest.raises(NotFound):
        tree.find(("out", 1, 1), tree.commit())


def test_what_is_no_file_has_no_lines(tree, old, git):
    git(tree.root, "update-index", "--add", "--cacheinfo", "160000," + "1" * 40 + ",sub")
    git(tree.root, "commit", "-qm", "sub")
    new = git(tree.root, "rev-parse", "HEAD").strip()
    for path, says in (("sub", "submodule"), ("sub/x.py", "submodule"), ("a", "folder"), ("nope", "no such file")):
        with pytest.raises(NotFound, match=says):
            tree.find((path, 1, 1), new)
    with pytest.raises(NotFound, match="no such lines"):
        tree.find(("a/signing.py", 8, 99), new)
    with pytest.raises(RepositoryError, match="no such revision"):
        tree.find(SIGN, "0" * 40)


def test_a_file_that_became_a_folder_or_a_submodule_is_gone(tree, old, git):
    tree.put("a/signing.py", None)
    tree.put("a/signing.py/__init__.py", "x = 1\n")
    assert tree.moved(SIGN, old, tree.commit()) == ("gone", None)
    git(tree.root, "rm", "-rqf", "a/signing.py")
    git(tree.root, "update-index", "--add", "--cacheinfo", "160000," + "1" * 40 + ",a/signing.py")
    git(tree.root, "commit", "-qm", "sub")
    assert tree.moved(SIGN, old, git(tree.root, "rev-parse", "HEAD").strip()) == ("gone", None)


def test_a_change_of_mode_is_none(tree, old):
    (tree.root / "a/signing.py").chmod(0o755)
    assert tree.moved(SIGN, old, tree.commit()) == ("fresh", ("a/signing.py", 8, 10))


def test_the_working_tree_with_what_git_does_not_know(tree, old):
    tree.put(".gitignore", "build/\n")
    tree.put("a/signing.py", None)
    tree.put("build/signing.py", SIGNING)
    assert tree.moved(SIGN, old) == ("gone", None)  # an ignored file is not looked in
    tree.put("new.py", "# untracked\n" + SIGNING)
    assert tree.moved(SIGN, old) == ("moved", ("new.py", 9, 11))


def test_a_file_that_cannot_be_read_is_not_gone(tree, old):
    with (tree.root / "a/signing.py").open("r+b") as file:
        file.truncate(30_000_000)  # a hole: larger than what is read
    with pytest.raises(RepositoryError, match=r"cannot be read: a/signing\.py"):
        tree.find(SIGN, old)


def test_nothing_is_followed_into_the_notes(tree, old):
    tree.put("a/signing.py", None)
    tree.put("notes/answer.py", SIGNING)
    new = tree.commit()
    assert tree.find(SIGN, old, new, notes="notes").verdict is Verdict.GONE
    assert tree.find(SIGN, old, notes="notes").verdict is Verdict.GONE
    tree.put("notes/other.py", SIGNING)
    tree.put("notes/answer.py", None)
    found = tree.find(("notes/answer.py", 8, 10), new, tree.commit(), notes="notes")
    assert found.region
    assert found.region.path == "notes/other.py"  # it was in the notes before


ODD = {
    "empty lines": b"\n\n\n\n",
    "no newline at the end": b"one\ntwo\nthree",
    "one line": b"alone",
    "lone carriage returns": b"one\rtwo\rthree\r",
    "form feeds": b"one\n\x0ctwo\x0b\nthree\n",
    "tabs": b"\tone\n\t\ttwo\n",
    "bytes that are no text": b"\xff\xfe\xe9\ncaf\xe9\n\x80\n",
    "wide characters": "日本語のテキスト\n🎉 = '🎉'\n".encode(),
    "windows line ends": b"one\r\ntwo\r\n",
    "separators that are no line ends": "one\u2028two\u0085\nthree\x1c\n".encode(),
    "a minified line": b"var a=1;" * 125_000 + b"\nlast\n",
    "many lines": b"".join(b"line %d\n" % n for n in range(100_000)),
}


@pytest.mark.parametrize("content", ODD)
def test_odd_files_below_a_new_line(tree, content):
    raw = ODD[content]
    tree.put("odd", raw)
    old = tree.commit()
    end = b"\r" if b"\n" not in raw and b"\r" in raw else b"\n"
    number = raw.count(end) + (not raw.endswith(end))
    assert tree.moved(("odd", 1, number), old) == ("fresh", ("odd", 1, number))
    with pytest.raises(NotFound, match="no such lines"):
        tree.find(("odd", 1, number + 1), old)
    tree.put("odd", b"something new at the top" + end + raw)
    assert tree.moved(("odd", 1, number), old, tree.commit()) == ("moved", ("odd", 2, number + 1))
    tree.put("odd", raw)
    assert tree.moved(("odd", number, number), old) == ("fresh", ("odd", number, number))


def test_an_empty_file_has_one_empty_line(tree):
    tree.put("empty", b"")
    old = tree.commit()
    assert tree.moved(("empty", 1, 1), old) == ("fresh", ("empty", 1, 1))
    with pytest.raises(NotFound):
        tree.find(("empty", 1, 2), old)
    tree.put("empty", None)
    assert tree.moved(("empty", 1, 1), old) == ("gone", None)


def test_a_file_that_became_empty(tree, old):
    tree.put("a/signing.py", b"")
    assert tree.moved(SIGN, old, tree.commit()) == ("gone", None)


def test_columns_count_characters(tree):
    tree.put("x.js", "const 名 = '🎉🎉' + name;\n")
    old = tree.commit()
    tree.put("x.js", "// new\nconst 名 = '🎉🎉' + name;\n")
    found = tree.find(("x.js", 1, 1, 18, 21), old)
    assert found.region == Region("x.js", 2, 2, 18, 21)


NAMES = st.lists(st.sampled_from("abcdefghijklmnop"), unique=True, min_size=2, max_size=10)


def _text(names):
    return "".join(f"{name}_{name} = lookup({name!r}, table_{name})\n" for name in names)


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """One repository for all examples of a property: commits are cheap there through fast-import."""
    root = tmp_path_factory.mktemp("shared") / "r"
    subprocess.run(["git", "init", "-q", "--bare", root], check=True)
    return root


def _commits(root, *texts):
    """Each text as the file f.py of a commit of its own, one after the other."""
    stream = b""
    for number, text in enumerate(texts, 1):
        raw = text.encode()
        stream += b"commit refs/heads/main\nmark :%d\ncommitter A <a@example.org> %d +0000\ndata 1\nx\n" % (
            number,
            number,
        )
        stream += b"from :%d\n" % (number - 1) if number > 1 else b"from refs/heads/main^0\n" if _born(root) else b""
        stream += b"M 100644 inline f.py\ndata %d\n%s\n" % (len(raw), raw)
    stream += b"".join(b"get-mark :%d\n" % (number + 1) for number in range(len(texts)))
    command = ["git", "fast-import", "--quiet", "--force"]
    done = subprocess.run(command, cwd=root, input=stream, capture_output=True, check=True)
    return done.stdout.decode().split()


def _born(root):
    return subprocess.run(["git", "rev-parse", "-q", "--verify", "main"], cwd=root, capture_output=True).returncode == 0


def _locate(root, start, end, old, new):
    with Regions(scoutkit_git.discover(root), new) as regions:
        return regions.locate(Region("f.py", start, end), old)


PROPERTY = settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@PROPERTY
@given(st.data(), NAMES, NAMES)
def test_lines_that_come_in_elsewhere_move_a_region_exactly(shared, data, names, more):
    more = [name.upper() for name in more]
    start = data.draw(st.integers(1, len(names)))
    end = data.draw(st.integers(start, len(names)))
    at = data.draw(st.integers(0, start - 1) | st.integers(end, len(names)))
    old, new = _commits(shared, _text(names), _text(names[:at] + more + names[at:]))
    shift = len(more) if at < start else 0
    forth = _locate(shared, start, end, old, new)
    assert forth.region == Region("f.py", start + shift, end + shift)
    assert forth.verdict == ("moved" if shift else "fresh")
    back = _locate(shared, start + shift, end + shift, new, old)
    assert back.region == Region("f.py", start, end)


@PROPERTY
@given(st.data(), st.text(alphabet="ab \t{}\r\n\x0c", max_size=60))
def test_in_its_own_commit_any_region_is_fresh(shared, data, text):
    (old,) = _commits(shared, text)
    lines = text.replace("\r\n", "\n").replace("\r", "\n" if "\n" not in text else "\r").split("\n")
    number = max(len(lines) - (not lines[-1]), 1)
    start = data.draw(st.integers(1, number))
    end = data.draw(st.integers(start, number))
    found = _locate(shared, start, end, old, old)
    assert (found.verdict, found.region, found.score) == ("fresh", Region("f.py", start, end), 1.0)


@PROPERTY
@given(st.data(), st.text(alphabet="ab{}\n", max_size=40), st.text(alphabet="ab{}\n", max_size=40))
def test_any_two_texts_have_an_answer_inside_the_file(shared, data, before, after):
    assume(before.strip())
    old, new = _commits(shared, before, after)
    number = before.count("\n") + (not before.endswith("\n"))
    start = data.draw(st.integers(1, number))
    found = _locate(shared, start, data.draw(st.integers(start, number)), old, new)
    lines = max(after.count("\n") + (not after.endswith("\n")), 1)
    for place in [found.region, *(one.region for one in found.candidates)]:
        assert place is None or 1 <= place.start <= place.end <= lines
