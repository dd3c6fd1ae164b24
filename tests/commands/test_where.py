"""where and outline: places and definitions, bare; what missions are told of them."""

from __future__ import annotations

import json
import re
import shlex
import textwrap
from pathlib import Path

import pytest

from scoutkit.stories import hinting

SIGNING = "src/auth/signing.py"


@pytest.fixture
def cache(home):
    """Where the index is kept."""
    return home / ".cache/scoutkit/symbols"


def test_places_are_a_line_each_and_nothing_else_on_stdout(scoutkit, repo):
    said = scoutkit("where", "how", "are", "cookies", "signed?")
    assert said.code == 0
    first, *rest = said.out.splitlines()
    assert first.startswith(f"{SIGNING}:")
    for line in (first, *rest):
        path, _, lines = line.rpartition(":")
        start, end = map(int, lines.split("-"))
        assert 1 <= start <= end <= len((repo / path).read_text().splitlines())
    assert "confidence: " in said.err


def test_json_is_by_the_contract_and_a_place_has_its_symbol(scoutkit):
    found = scoutkit("where", "SessionSigner.sign", "--json").json
    assert found["ranges"][0] == {
        "path": SIGNING,
        "start": 12,
        "end": 14,
        "symbol": "SessionSigner.sign",
        "score": found["ranges"][0]["score"],
    }
    assert found["files"][0]["path"] == SIGNING
    assert found["confidence"] in ("high", "medium", "low")
    assert found["absent"] == []


def test_no_note_and_no_run_comes_of_it(scoutkit, repo):
    scoutkit("where", "cookies")
    assert not (repo / ".claude").exists()
    assert scoutkit("runs", "--json").json["runs"] == []
    assert scoutkit("list", "--json").json["hits"] == []


def test_a_bare_repository_answers_the_same_and_base_says_which_commit(scoutkit, repo, git, tmp_path):
    git(tmp_path, "clone", "-q", "--bare", repo, "bare.git")
    (repo / SIGNING).write_text("")
    git(repo, "commit", "-qam", "emptied")
    here = scoutkit("where", "where is verify?", "--base", "HEAD~1")
    assert here.out == scoutkit("where", "where is verify?", cwd=tmp_path / "bare.git").out
    assert here.out.startswith(f"{SIGNING}:")
    assert SIGNING not in scoutkit("where", "where is verify?").out
    assert scoutkit("where", "x", "--base", "nope").code == 3


def test_a_question_of_nothing_is_a_negative_answer(scoutkit):
    for text, told in (("", "the question is empty"), ("xyzzy", "nowhere in this code: xyzzy"), ("!?", "nothing")):
        said = scoutkit("where", text, "--json")
        assert (said.code, said.json["ranges"], said.json["confidence"]) == (1, [], "low")
        assert told in said.err


def test_for_an_empty_question_nothing_is_indexed(scoutkit, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for text in ("", "  \n"):
        assert scoutkit("where", text).code == 1
    assert not [*tmp_path.rglob("symbols")]
    scoutkit("where", "cookie")
    assert [*tmp_path.rglob("symbols")]


def test_a_question_may_come_from_stdin_also_a_traceback(scoutkit):
    trace = f'Traceback:\n  File "/srv/app/{SIGNING}", line 17, in verify\n    value, mac = cookie.rsplit\nValueError'
    said = scoutkit("where", "-", stdin=trace)
    assert said.out.splitlines()[0] == f"{SIGNING}:16-18"


def test_words_outside_ascii_are_found_or_named(scoutkit, repo, git):
    (repo / "会话.py").write_text("def 签名会话(значение):\n    return значение\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "second")
    found = scoutkit("where", "会话签名在哪里? 🦀 значение ñandú", "--json").json
    assert found["ranges"][0]["path"] == "会话.py"
    assert found["unasked"] == ["🦀"]
    assert "ñandú" in found["absent"]
    long = "ش" * 70
    assert scoutkit("where", long, "--json").json["unasked"] == [long]


def test_a_path_that_is_no_text_stays_on_its_line(scoutkit, repo, git):
    (repo / "odd\nname.py").write_text("def oddity(): pass\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "second")
    assert scoutkit("where", "oddity").out.splitlines() == ["odd\\nname.py:1-1"]
    assert scoutkit("where", "oddity", "--json").json["ranges"][0]["path"] == "odd\nname.py"


def test_a_file_that_only_its_path_speaks_for_has_a_place(scoutkit, repo, git):
    (repo / "jar.py").write_text("def shelf():\n    return 1\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "second")
    assert scoutkit("where", "jar").out == "jar.py:1-2\n"


def test_limit_holds_for_places_and_files(scoutkit):
    found = scoutkit("where", "session cookie sign", "--limit", "1", "--json").json
    assert (len(found["ranges"]), len(found["files"])) == (1, 1)


def test_few_places_of_a_file_come_first_while_others_have_some(scoutkit, repo, git):
    (repo / "many.py").write_text("".join(f"def teapot_{n}():\n    teapot\n\n\n" for n in range(9)))
    (repo / "one.py").write_text("def pour():\n    # a teapot among other things\n    return 1\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "second")
    paths = [one["path"] for one in scoutkit("where", "teapot", "--json").json["ranges"]]
    assert paths[:4] == ["many.py"] * 4
    assert paths[4] == "one.py"
    assert paths.count("many.py") > 4, "with room left, the rest follows"


def test_what_the_cache_is_called_is_remembered_and_mended(scoutkit, cache):
    before = scoutkit("where", "cookies").out
    remembered = (cache / "edition").read_text()
    for broken in ("", "\n", "x\ny", remembered.replace("\n", "")):
        (cache / "edition").write_text(broken)
        assert scoutkit("where", "cookies").out == before
        assert (cache / "edition").read_text() == remembered
    assert len(list(cache.glob("*.db"))) == 1


def test_the_page_shows_what_is_printed(scoutkit):
    text = (Path(__file__).parents[2] / "docs/where.md").read_text("utf-8")
    shown = re.findall(r"^    \$ scoutkit (.*)\n((?:^    [^$\s].*\n)+)", text, re.MULTILINE)
    assert len(shown) == 3
    for line, printed in shown:
        assert scoutkit(*shlex.split(line)).out == textwrap.dedent(printed), line


def test_an_outline_of_a_file_has_all_definitions_with_their_lines(scoutkit):
    said = scoutkit("outline", SIGNING)
    assert said.out == (
        "6-18   class SessionSigner\n"
        "9-10     def __init__(self, key)\n"
        "12-14    def sign(self, value)\n"
        "16-18    def verify(self, cookie)\n"
    )
    found = scoutkit("outline", SIGNING, "--json").json
    assert (found["language"], found["known"], found["lines"]) == ("python", True, 18)
    assert found["symbols"][1]["symbol"] == "SessionSigner.__init__"
    assert found["symbols"][1]["parent"] == "SessionSigner"


def test_an_outline_of_a_folder_has_its_files_and_what_they_define(scoutkit, repo):
    assert scoutkit("outline", "src/auth").out == (
        "src/auth/middleware.py  check_cookie\nsrc/auth/signing.py  SessionSigner\n"
    )
    found = scoutkit("outline", ".", "--json").json
    assert found["folders"] == [{"path": "src/", "files": 2}, {"path": "tests/", "files": 1}]
    assert [one["name"] for one in found["files"][0]["symbols"]] == ["Sessions"]
    assert scoutkit("outline", "..", cwd=repo / "src").out == scoutkit("outline", ".").out
    assert scoutkit("outline", "signing.py", cwd=repo / "src/auth").out == scoutkit("outline", SIGNING).out


def test_an_outline_says_where_there_is_none(scoutkit, repo, git):
    (repo / "notes.zzz").write_text("some\nlines\n")
    (repo / "empty.py").write_text("")
    (repo / "picture.png").write_bytes(b"\0\1")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "second")
    said = scoutkit("outline", "notes.zzz")
    assert (said.code, said.out) == (1, "")
    assert "no grammar knows its language" in said.err
    assert "nothing is defined in it" in scoutkit("outline", "empty.py").err
    for path in ("picture.png", "nope.py", "../elsewhere", "/etc/passwd", ""):
        assert scoutkit("outline", path).code == 2, path


def test_an_outline_follows_links_inside_the_repository(scoutkit, repo, git):
    (repo / "docs").mkdir(exist_ok=True)
    for link, target in (("to.py", SIGNING), ("docs/up", "../src"), ("out", "../x"), ("one", "two"), ("two", "one")):
        (repo / link).symlink_to(target)
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "links")
    assert scoutkit("outline", "to.py").out == scoutkit("outline", SIGNING).out
    assert scoutkit("outline", "docs/up").out == scoutkit("outline", "src").out
    assert [scoutkit("outline", link).code for link in ("out", "one")] == [2, 2]


def test_an_outline_is_of_the_commit_also_in_a_bare_repository(scoutkit, repo, git, tmp_path):
    git(tmp_path, "clone", "-q", "--bare", repo, "bare.git")
    (repo / SIGNING).write_text("def later(): pass\n")
    assert "later" not in scoutkit("outline", SIGNING).out
    assert scoutkit("outline", SIGNING).out == scoutkit("outline", SIGNING, cwd=tmp_path / "bare.git").out


def ask(scoutkit, tmp_path, *options):
    """The prompt that an agent got, and what was told."""
    prompt = tmp_path / "prompt.txt"
    answer = f"cat > '{prompt}'; echo '# Signed'; echo; echo yes"
    said = scoutkit("ask", "Where are cookies signed?", "--agent-cmd", answer, "--isolate", "none", *options)
    assert said.code == 0, said.err
    return prompt.read_text(), said.err


@pytest.fixture
def patient(monkeypatch):
    monkeypatch.setattr(hinting, "PATIENCE", 100.0)


def test_an_agent_is_told_of_likely_places_as_data(scoutkit, tmp_path, patient):
    prompt, _ = ask(scoutkit, tmp_path)
    assert f"\n```text\n{SIGNING}:" in prompt
    assert "may be wrong" in prompt


def test_no_hints_and_the_setting_tell_it_none(scoutkit, tmp_path, repo, patient):
    assert f"\n{SIGNING}:" not in ask(scoutkit, tmp_path, "--no-hints")[0]
    settings = repo / ".claude/scoutkit/config.toml"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text("hints = false\n")
    assert f"\n{SIGNING}:" not in ask(scoutkit, tmp_path, "--force")[0]
    settings.write_text('hints = "no"\n')
    assert scoutkit("list").code == 2


def test_a_mission_does_not_wait_for_a_large_index(scoutkit, tmp_path, patient, monkeypatch):
    monkeypatch.setattr(hinting, "READ", 10)
    prompt, told = ask(scoutkit, tmp_path)
    assert f"\n{SIGNING}:" not in prompt
    assert "no hints for the agent: this commit is not indexed yet" in told
    scoutkit("where", "cookies")
    prompt, told = ask(scoutkit, tmp_path, "--force")
    assert f"\n{SIGNING}:" in prompt, "once it is indexed, however large"
    assert json.loads(scoutkit("runs", "--json").out)["runs"]
