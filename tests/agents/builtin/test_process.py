"""The agent's process, as the runner starts it."""

import json
import os
import signal
import subprocess
import sys
import time

import psutil
import pytest
from waiting import until

from scoutkit import __version__
from scoutkit.agents.builtin.agent import Builtin
from scoutkit.agents.builtin.indexing import tree
from scoutkit.agents.builtin.indexing.store import Store
from scoutkit.model.missions import Kind, Mission

FILES = {
    "src/signing.py": "def sign_cookie(value):\n    return value\n",
    "src/user.py": "def login():\n    return sign_cookie(1)\n",
}
ARGV = (sys.executable, "-P", "-m", "scoutkit.agents.builtin")


def test_it_only_asks_and_needs_no_files(tmp_path):
    agent = Builtin()
    mission = Mission(Kind.ASK, "Where? 会", "0" * 40, "builtin")
    invocation = agent.invocation(mission, "a prompt", tmp_path, tmp_path)

    assert (agent.name, agent.kinds, agent.needs_checkout) == ("builtin", {Kind.ASK}, False)
    assert agent.availability().version == __version__
    assert invocation.argv == ARGV
    assert json.loads(invocation.stdin) == {"question": "Where? 会", "commit": "0" * 40}


def test_a_worktree_without_files_is_answered_from_gits_objects(make, ask, git, tmp_path):
    git(make(FILES), "worktree", "add", "-q", "--detach", "--no-checkout", tmp_path / "work tree")

    answer = ask(tmp_path / "work tree", "Where are cookies signed?")

    assert answer.code == 0, answer.stderr
    assert "`src/signing.py:1-2` `sign_cookie`" in answer.report
    assert "`login` calls `sign_cookie` at `src/user.py:2`" in answer.report
    assert answer.statuses
    assert list((tmp_path / "work tree").iterdir()) == [tmp_path / "work tree" / ".git"]


def test_the_folders_modules_are_not_imported(make, ask):
    where = make({**FILES, "json.py": "raise SystemExit(9)\n", "scoutkit/__init__.py": "raise SystemExit(9)\n"})
    assert ask(where, "sign cookie").code == 0


def test_a_commit_that_is_not_there_is_an_error_with_a_hint_not_a_traceback(make, cache):
    asked = json.dumps({"question": "sign", "commit": "1" * 40})
    done = subprocess.run(ARGV, cwd=make(FILES), input=asked, capture_output=True, text=True)

    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 1
    assert events[-1]["kind"] == "error"
    assert events[-1]["data"]["hint"]
    assert "Traceback" not in done.stderr


def test_progress_is_told_a_few_times_a_second_at_most(make, ask):
    where = make({f"src/m{number}.py": f"def sign{number}(): pass\n" * 50 for number in range(150)})

    began = time.monotonic()
    answer = ask(where, "Where is sign7?")

    assert answer.code == 0
    assert len(answer.statuses) <= 5 + 3 * (time.monotonic() - began)


def test_names_that_are_no_utf8_do_not_break_the_stream(make, ask):
    where = make({os.fsdecode(b"src/sign_caf\xe9.py"): "def sign_cookie(): pass\n", **FILES})

    answer = ask(where, "Where are cookies signed?")

    assert answer.code == 0, answer.stderr
    assert answer.report.encode("utf-8")


@pytest.mark.parametrize("question", ["Where are cookies signed?", "会话", "\0\ud800", ""])
def test_the_environment_says_nothing_about_encodings(make, ask, question):
    assert ask(make(FILES), question, LC_ALL="C", PYTHONIOENCODING="ascii").code == 0


def test_without_a_cache_folder_it_answers_and_says_so(make, ask, tmp_path):
    (tmp_path / "taken").write_text("a file")

    answer = ask(make(FILES), "Where are cookies signed?", XDG_CACHE_HOME=str(tmp_path / "taken"))

    assert answer.code == 0, answer.stderr
    assert "`src/signing.py:1-2`" in answer.report
    assert any("cannot be written" in status for status in answer.statuses)


def test_several_at_once_on_a_cold_cache_all_answer_and_those_that_wait_say_so(make, head, cache):
    where = make({**FILES, **{f"src/m{number}.py": f"def work{number}(): pass\n" * 9 for number in range(50)}})
    asked = json.dumps({"question": "Where are cookies signed?", "commit": head(where)})
    started = [
        subprocess.Popen(ARGV, cwd=where, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(4)
    ]
    with Store() as store, store.builder(tree._objects(where), lambda: None):  # until all of them are there
        for child in started:
            assert child.stdin
            child.stdin.write(asked)
            child.stdin.close()
            child.stdin = None
        for child in started:
            assert any("waiting for it" in line for line in child.stdout)
    said = [child.communicate(timeout=100)[0] for child in started]

    assert [child.returncode for child in started] == [0] * 4
    reports = {json.loads(line)["text"] for one in said for line in one.splitlines() if '"report"' in line}
    assert len(reports) == 1


def test_killed_with_its_workers_it_leaves_no_process_behind(make, head, cache, monkeypatch):
    where = make({f"src/m{number}.py": f"def work{number}(): pass\n" * 3000 for number in range(110)})
    child = subprocess.Popen(ARGV, cwd=where, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert child.stdin
    assert child.stdout
    child.stdin.write(json.dumps({"question": "work", "commit": head(where)}).encode())
    child.stdin.close()
    started = psutil.Process(child.pid)
    workers = until(lambda: [one.pid for one in started.children() if b"builtin.indexing.reading" in _command(one.pid)])
    child.send_signal(signal.SIGKILL)
    child.wait()
    until(lambda: not any(_command(pid) for pid in workers), "the workers end")
    child.stdout.close()


def _command(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:  # noqa: PTH123
            return file.read()
    except OSError:
        return b""
