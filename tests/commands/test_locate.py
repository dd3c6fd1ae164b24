"""locate: one place for a person, JSON lines for programs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scoutkit import git as scoutkit_git
from scoutkit.anchors.stream import LONGEST, Stream

SIGNING = "src/auth/signing.py"
KEYS = ["path", "start", "end", "start_col", "end_col", "verdict", "score", "candidates"]
COMMAND = [sys.executable, "-m", "scoutkit", "locate", "--stdin"]


@pytest.fixture
def shift(repo, git):
    """Two lines above everything in the signing module, in a commit of its own."""
    path = repo / SIGNING
    path.write_text("# Copyright\n# All rights reserved\n" + path.read_text())
    git(repo, "commit", "-qam", "licence")


def ask(**more):
    return json.dumps({"path": SIGNING, "start": 12, "end": 14, "from": "HEAD~1", **more}) + "\n"


def answers(said):
    return [json.loads(line) for line in said.out.splitlines()]


def place(answer):
    return answer["path"], answer["start"], answer["end"]


def test_the_working_tree_is_looked_in(scoutkit, shift, repo):
    said = scoutkit("locate", f"{SIGNING}:12-14", "--from", "HEAD~1")
    assert (said.code, said.out.split()[:2], said.err) == (0, [f"{SIGNING}:14-16", "moved"], "")
    (repo / SIGNING).write_text("# one more\n" + (repo / SIGNING).read_text())
    assert scoutkit("locate", f"{SIGNING}:12-14", "--from", "HEAD~1").out.startswith(f"{SIGNING}:15-17  moved")
    assert scoutkit("locate", f"{SIGNING}:12-14", "--from", "HEAD~1", "--to", "HEAD").out.startswith(
        f"{SIGNING}:14-16  moved"
    )


@pytest.mark.parametrize("lines", [":12-14", ":12–14", "#L12-L14", "#L12-14", ":12:5-14:39", "#L12C5-L14C39"])
def test_lines_as_people_write_them(scoutkit, shift, lines):
    document = scoutkit("locate", SIGNING + lines, "--from", "HEAD~1", "--json").json
    assert place(document) == (SIGNING, 14, 16)
    columns = (5, 39) if "C" in lines or lines.count(":") > 1 else (None, None)
    assert (document["start_col"], document["end_col"]) == columns


@pytest.mark.parametrize(
    "typed", ["signing.py", SIGNING, "../auth/signing.py", "./signing.py", f"../../../repo/{SIGNING}"]
)
def test_a_path_is_taken_from_where_one_stands_or_from_the_root(scoutkit, shift, repo, typed):
    (repo / SIGNING).rename(repo / "src/auth/sign.py")  # it counts what the old commit had
    said = scoutkit("locate", f"{typed}:12-14", "--from", "HEAD~1", cwd=repo / "src/auth")
    assert said.out.startswith("src/auth/sign.py:14-16  moved"), said
    absolute = scoutkit("locate", f"{repo / SIGNING}:12-14", "--from", "HEAD~1", cwd=repo / "src")
    assert absolute.out == said.out


@pytest.mark.parametrize("revision", [":/firs", "HEAD^{/firs}", "HEAD~1", "main^", "@~1", "HEAD@{1}"])
def test_a_revision_is_whatever_git_takes_for_one(scoutkit, shift, revision):
    said = scoutkit("locate", "--stdin", stdin=ask(**{"from": revision}) + ask(**{"from": "HEAD", "to": revision}))
    assert (said.code, said.err) == (0, "")
    assert scoutkit("locate", f"{SIGNING}:12-14", "--from", revision).out.startswith(f"{SIGNING}:14-16  moved")


@pytest.mark.parametrize(
    ("columns", "code"), [("12:1-14:1", 0), ("12:27-14:43", 0), ("12:1-14:44", 2), ("12:28-14:1", 2)]
)
def test_columns_may_reach_to_the_end_of_the_line_and_no_further(scoutkit, shift, columns, code):
    assert scoutkit("locate", f"{SIGNING}:{columns}", "--from", "HEAD~1").code == code


def test_what_is_gone_is_a_negative_answer(scoutkit, repo):
    (repo / SIGNING).unlink()
    said = scoutkit("locate", f"{SIGNING}:12-14", "--from", "HEAD")
    assert said.code == 1
    assert said.out.startswith("gone")
    document = scoutkit("locate", f"{SIGNING}:12-14", "--from", "HEAD", "--json").json
    assert place(document) == (None, None, None)


def test_places_that_are_as_good_are_shown(scoutkit, repo, git):
    block = "def total(values):\n    result = sum(values) / len(values)\n    return round(result, 2)\n"
    (repo / "a.py").write_text(block)
    git(repo, "add", "a.py")
    git(repo, "commit", "-qm", "a")
    (repo / "a.py").unlink()
    for name in ("b.py", "c.py"):
        (repo / name).write_text(f"# {name}\n" + block)
    said = scoutkit("locate", "a.py:1-3", "--from", "HEAD")
    assert (said.code, said.out.split()[0]) == (1, "ambiguous")
    assert "  b.py:2-4  " in said.out
    assert "  c.py:2-4  " in said.out


@pytest.mark.parametrize(
    ("args", "code", "says"),
    [
        ([], 2, "needs a place"),
        ([f"{SIGNING}:12"], 2, "needs --from"),
        ([SIGNING, "--from", "HEAD"], 2, f"no lines: {SIGNING}"),
        ([f"{SIGNING}:0", "--from", "HEAD"], 2, "no such lines"),
        ([f"{SIGNING}:9-3", "--from", "HEAD"], 2, "no such lines"),
        ([f"{SIGNING}:5-900", "--from", "HEAD"], 2, "no such lines"),
        (["nope.py:1", "--from", "HEAD"], 2, "no such file: nope.py"),
        (["src:1", "--from", "HEAD"], 2, "src"),
        (["../../up.py:1", "--from", "HEAD"], 2, "../../up.py"),
        (["/etc/passwd:1", "--from", "HEAD"], 2, "/etc/passwd"),
        ([f"{SIGNING}:12:5-14:44", "--from", "HEAD"], 2, "no such columns: src/auth/signing.py:12:5-14:44"),
        ([f"{SIGNING}:12:99-14:1", "--from", "HEAD"], 2, "no such columns: src/auth/signing.py:12:99-14:1"),
        ([f"{SIGNING}:1", "--from", "nope"], 3, "no such revision: nope"),
        ([f"{SIGNING}:1", "--from", "HEAD", "--to", "nope"], 3, "no such revision: nope"),
        ([f"{SIGNING}:1", "--from", ""], 3, "no such revision"),
        ([f"{SIGNING}:1", "--from", "HEAD", "--to", ""], 3, "no such revision"),
        (["--stdin", "--json"], 2, "--stdin"),
        (["--stdin", f"{SIGNING}:1", "--from", "HEAD"], 2, "--stdin"),
    ],
)
def test_what_cannot_be_asked_is_one_line_and_a_hint(scoutkit, args, code, says):
    said = scoutkit("locate", *args)
    assert (said.code, said.out) == (code, "")
    error, hint = said.err.splitlines()
    assert error.startswith("error: ")
    assert says in error
    assert hint.startswith("hint: ")


def test_a_bare_repository_needs_a_target(scoutkit, shift, repo, git, tmp_path):
    git(tmp_path, "clone", "-q", "--bare", repo, "bare.git")
    bare = tmp_path / "bare.git"
    said = scoutkit("locate", f"{SIGNING}:12-14", "--from", "HEAD~1", cwd=bare)
    assert (said.code, said.out) == (3, "")
    assert "hint: name a target: --to REV" in said.err
    said = scoutkit("locate", f"{SIGNING}:12-14", "--from", "HEAD~1", "--to", "HEAD", cwd=bare)
    assert said.out.startswith(f"{SIGNING}:14-16  moved")
    said = scoutkit("locate", "--stdin", stdin=ask() + ask(to="HEAD"), cwd=bare)
    assert said.code == 2
    without, with_target = answers(said)
    assert without["verdict"] == "error"
    assert place(with_target) == (SIGNING, 14, 16)


def test_linked_worktrees_and_sha256(scoutkit, shift, repo, git, tmp_path):
    git(repo, "worktree", "add", "-q", tmp_path / "linked", "HEAD~1")
    assert scoutkit("locate", f"{SIGNING}:12", "--from", "HEAD", cwd=tmp_path / "linked").out.startswith(
        f"{SIGNING}:12  fresh"
    )
    other = tmp_path / "sha256"
    other.mkdir()
    git(other, "init", "-q", "--object-format=sha256")
    (other / "a").write_text("one\ntwo\n")
    git(other, "add", ".")
    git(other, "commit", "-qm", "a")
    (other / "a").write_text("zero\none\ntwo\n")
    assert scoutkit("locate", "a:1-2", "--from", "HEAD", cwd=other).out.startswith("a:2-3  moved")


def test_a_shallow_clone_knows_what_it_has(scoutkit, shift, repo, git, tmp_path):
    git(tmp_path, "clone", "-q", "--depth=1", repo.as_uri(), "shallow")
    said = scoutkit("locate", "--stdin", stdin=ask() + ask(**{"from": "HEAD"}), cwd=tmp_path / "shallow")
    before, now = answers(said)
    assert before == {"verdict": "error", "message": "no such revision: HEAD~1 (name a commit that exists)"}
    assert place(now) == (SIGNING, 12, 14)


def test_json_lines_are_answered_in_order(scoutkit, shift):
    lines = [
        ask(),
        ask(to=None),
        ask(to="HEAD"),
        ask(to="HEAD~1"),
        ask(start_col=5, end_col=39),
        ask(**{"from": "HEAD", "to": "HEAD~1", "start": 14, "end": 16}),
        ask(path="./src/auth/signing.py"),
    ]
    said = scoutkit("locate", "--stdin", stdin="".join(lines).rstrip())
    assert (said.code, said.err) == (0, "")
    found = answers(said)
    assert [list(one) for one in found] == [KEYS] * len(lines)
    assert [(one["start"], one["end"], one["verdict"]) for one in found] == [
        (14, 16, "moved"),
        (14, 16, "moved"),
        (14, 16, "moved"),
        (12, 14, "fresh"),
        (14, 16, "moved"),
        (12, 14, "moved"),
        (14, 16, "moved"),
    ]
    assert [(one["start_col"], one["end_col"]) for one in found] == [
        *[(None, None)] * 4,
        (5, 39),
        *[(None, None)] * 2,
    ]
    assert list(found[0]["candidates"][0]) == ["path", "start", "end", "score"]


BAD = [
    b"",
    b" ",
    b"nonsense",
    b"[1]",
    b"null",
    b'"x"',
    b"[" * 100_000,
    b"1" * 5000,
    b"\xff\xfe",
    b'{"path":"\xe9"}',
    b"{}",
    *(
        json.dumps({"path": SIGNING, "start": 12, "end": 14, "from": "HEAD", **change}).encode()
        for change in (
            {"start": True},
            {"start": 12.0},
            {"start": "12"},
            {"start": None},
            {"start": 0},
            {"start": -3},
            {"start": 15},
            {"end": 10**30},
            {"end": float("nan")},
            {"end": 19},
            {"start_col": 3},
            {"start_col": 0, "end_col": 4},
            {"start": 14, "start_col": 9, "end_col": 4},
            {"start": 12, "start_col": 28, "end_col": 4},
            {"start_col": 2, "end_col": 44},
            {"start_col": 10**30, "end_col": 10**30},
            {"path": None},
            {"path": 3},
            {"path": ""},
            {"path": "."},
            {"path": "src"},
            {"path": "nope"},
            {"path": f"/{SIGNING}"},
            {"path": f"src/../{SIGNING}"},
            {"path": "../repo/" + SIGNING},
            {"path": "a\0b"},
            {"path": "\ud800"},
            {"path": "x" * 10_000},
            {"from": None},
            {"from": ""},
            {"from": 1},
            {"from": "nope"},
            {"from": "HEAD\n"},
            {"from": "HEAD\0"},
            {"from": "\ud800"},
            {"from": "--help"},
            {"from": "HEAD^{tree}"},
            {"from": ":/no commit says so"},
            {"from": f":{SIGNING}"},
            {"to": "nope"},
            {"to": ""},
            {"to": []},
            {"path": "x" * 10_000_000},
        )
    ),
]


def test_a_bad_line_is_an_error_in_its_place(repo):
    good = json.dumps({"path": SIGNING, "start": 12, "end": 14, "from": "HEAD"}).encode()
    stdin = b"".join(line + b"\n" + good + b"\n" for line in BAD)
    done = subprocess.run(COMMAND, cwd=repo, input=stdin, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (2, b"")
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(found) == 2 * len(BAD)
    assert {one["verdict"] for one in found[1::2]} == {"fresh"}
    for line, answer in zip(BAD, found[::2], strict=True):
        assert list(answer) == ["verdict", "message"], line[:200]
        assert answer["verdict"] == "error", line[:200]
        assert answer["message"]


def test_what_is_no_text_file_is_an_error_in_its_place(scoutkit, repo, git):
    (repo / "binary").write_bytes(b"a\0b\n")
    git(repo, "add", "binary")
    git(repo, "update-index", "--add", "--cacheinfo", "160000," + "1" * 40 + ",sub")
    git(repo, "commit", "-qm", "odd")
    said = scoutkit("locate", "--stdin", stdin=ask(path="binary", start=1, end=1, **{"from": "HEAD"}) + ask(path="sub"))
    assert said.code == 2
    assert [one["verdict"] for one in answers(said)] == ["error", "error"]
    assert "binary" in answers(said)[0]["message"]


def test_windows_line_ends_and_a_byte_order_mark(repo):
    line = json.dumps({"path": SIGNING, "start": 12, "end": 14, "from": "HEAD"}).encode()
    done = subprocess.run(
        COMMAND, cwd=repo, input=b"\xef\xbb\xbf" + line + b"\r\n" + line, capture_output=True, check=True
    )
    assert [json.loads(one)["verdict"] for one in done.stdout.splitlines()] == ["fresh", "fresh"]


def test_answers_come_at_once_and_see_what_changed_meanwhile(repo, git):
    with subprocess.Popen(COMMAND, cwd=repo, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as popen:
        assert popen.stdin
        assert popen.stdout

        def asked(**more):
            popen.stdin.write(ask(**{"from": "HEAD", **more}))
            popen.stdin.flush()
            return json.loads(popen.stdout.readline())

        assert asked()["verdict"] == "fresh"
        (repo / SIGNING).write_text("# new\n" + (repo / SIGNING).read_text())
        assert place(asked()) == (SIGNING, 13, 15)
        git(repo, "commit", "-qam", "new")  # HEAD is another commit now
        assert place(asked()) == (SIGNING, 12, 14)
        assert asked(start=19, end=19)["verdict"] == "fresh"  # the old HEAD has 18 lines
        popen.stdin.close()
    assert popen.returncode == 0


def test_a_reader_that_has_enough_ends_the_stream(repo):
    line = ask(**{"from": "HEAD"}).strip()
    command = f"yes '{line}' | {' '.join(COMMAND)} | head -1"
    done = subprocess.run(["bash", "-c", command], cwd=repo, capture_output=True, text=True, check=True, timeout=100)
    assert json.loads(done.stdout)["verdict"] == "fresh"
    assert not done.stderr


def test_interrupted_it_says_so(repo):
    with subprocess.Popen(
        COMMAND, cwd=repo, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as popen:
        assert popen.stdin
        assert popen.stdout
        popen.stdin.write(ask(**{"from": "HEAD"}))
        popen.stdin.flush()
        assert popen.stdout.readline()
        popen.send_signal(2)
        assert popen.wait() == 130


def test_one_git_process_reads_the_objects_of_many_targets(repo, git, tmp_path, home):
    for number in range(12):
        (repo / SIGNING).write_text(f"# {number}\n" + (repo / SIGNING).read_text())
        git(repo, "commit", "-qam", str(number))
    trace = tmp_path / "trace"
    with (home / ".gitconfig").open("a") as config:
        config.write(f"[trace2]\n\teventTarget = {trace}\n")
    lines = "".join(ask(start=13 + n, end=15 + n, **{"from": f"HEAD~{11 - n}", "to": f"HEAD~{n}"}) for n in range(12))
    done = subprocess.run(COMMAND, cwd=repo, input=lines, capture_output=True, text=True, check=True)
    assert [json.loads(line)["start"] for line in done.stdout.splitlines()] == [24 - n for n in range(12)]
    started = [json.loads(line)["argv"] for line in trace.read_text().splitlines() if '"event":"start"' in line]
    assert sum("cat-file" in argv for argv in started) == 1
    assert len(started) <= 3


def test_what_a_partial_clone_lacks_is_never_fetched(scoutkit, shift, repo, git, tmp_path):
    git(repo, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "-q", "--filter=blob:none", repo.as_uri(), "partial")
    partial = tmp_path / "partial"
    objects = sorted(path.name for path in (partial / ".git/objects").rglob("*"))
    lines = ask() + ask(**{"from": "HEAD", "to": "HEAD~1"}) + ask(**{"from": "HEAD"})
    said = scoutkit("locate", "--stdin", stdin=lines, cwd=partial)
    lacks_old, lacks_new, has = answers(said)
    assert "not in this clone" in lacks_old["message"]
    assert "not in this clone" in lacks_new["message"]
    assert has["verdict"] == "fresh"
    assert sorted(path.name for path in (partial / ".git/objects").rglob("*")) == objects


VALUES = st.text() | st.integers() | st.none() | st.floats() | st.sampled_from([SIGNING, "HEAD", 1, 2])
QUESTIONS = st.dictionaries(st.sampled_from([*KEYS, "from", "to"]), VALUES)


@given(st.lists(st.text() | st.binary() | QUESTIONS, max_size=5))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_line_has_one_answer(repo, lines):
    with Stream(scoutkit_git.discover(repo)) as stream:
        for line in lines:
            if isinstance(line, dict):
                line = json.dumps(line)  # noqa: PLW2901
            answer = stream.answer(line if isinstance(line, bytes) else line.encode("utf-8", "surrogatepass"))
            assert list(answer) in (KEYS, ["verdict", "message"])
            assert "\n" not in json.dumps(answer, allow_nan=False)


@given(st.binary(max_size=300))
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_input_has_a_json_line_for_each_line(repo, data):
    done = subprocess.run(COMMAND, cwd=repo, input=data, capture_output=True, check=False)
    assert not done.stderr
    lines = data.split(b"\n")
    number = len(lines) - (not lines[-1])
    assert len(done.stdout.splitlines()) == number
    assert all(json.loads(line)["verdict"] == "error" for line in done.stdout.splitlines())
    assert done.returncode == (2 if number else 0)


def test_a_line_that_is_too_long_is_not_kept(repo):
    line = json.dumps({"path": SIGNING, "start": 12, "end": 14, "from": "HEAD"})
    stdin = line + " " * LONGEST + "\n" + line + "\n"
    done = subprocess.run(COMMAND, cwd=repo, input=stdin, capture_output=True, text=True, check=False)
    long, short = (json.loads(one) for one in done.stdout.splitlines())
    assert long["message"] == "longer than 1,000,000 bytes"
    assert short["verdict"] == "fresh"


def test_names_that_are_no_text(repo, git):
    name = os.fsdecode(b'caf\xe9 "a"\n.txt')
    Path(repo, name).write_text("one\ntwo\nthree\n")
    git(repo, "add", ".")
    git(repo, "commit", "-qm", "odd name")
    line = json.dumps({"path": name, "start": 2, "end": 2, "from": "HEAD"})
    done = subprocess.run(COMMAND, cwd=repo, input=line, capture_output=True, text=True, check=True)
    assert place(json.loads(done.stdout)) == (name, 2, 2)


def test_a_path_with_a_newline_is_shown_on_one_line(scoutkit, repo, git):
    (repo / SIGNING).rename(repo / "two\nlines.py")
    git(repo, "add", "-A")
    said = scoutkit("locate", f"{SIGNING}:12-14", "--from", "HEAD")
    assert said.out.splitlines() == ['"two\\nlines.py":12-14  moved  0.99']
    said = scoutkit("locate", f"{SIGNING}:13:5-14:9", "--from", "HEAD")
    assert said.out.startswith('"two\\nlines.py":13:5-14:9  moved')


def test_the_same_question_has_the_same_answer_every_time(repo, git):
    """More files hold the lines than are looked at; which are does not hang on how Python shuffles its sets."""
    text = (repo / SIGNING).read_text()
    git(repo, "rm", "-q", SIGNING)
    for number in range(30):
        copy = repo / f"lib{number % 7}" / f"part{number}" / "copied.py"
        copy.parent.mkdir(parents=True)
        copy.write_text(f"# {number}\n" * (number + 1) + text[text.index("    def sign") :])
    git(repo, "add", ".")
    git(repo, "commit", "-qm", "copies")
    told = {
        subprocess.run(
            [*COMMAND[:-1], f"{SIGNING}:12-14", "--from", "HEAD~1", "--to", "HEAD", "--json"],
            cwd=repo,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=False,
        ).stdout
        for seed in "1234"
    }
    assert len(told) == 1
    assert json.loads(told.pop())["candidates"]
