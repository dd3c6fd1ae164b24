import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from waiting import PATIENCE, until

from scoutkit.agents.scenario import read
from scoutkit.agents.scripted import DEMO, Scripted
from scoutkit.errors import UsageError
from scoutkit.model.agents import EventKind
from scoutkit.model.missions import Result, Usage


def test_every_action_does_what_it_says(stage, scenario):
    path = scenario(
        """
        description = "every action"
        [[step]]
        say = ["# Title", "", "text with \\u00e9"]
        [[step]]
        model = "m-1"
        [[step]]
        usage = { input_tokens = 5, output_tokens = 2, cost_usd = 0.25 }
        [[step]]
        event = { kind = "tool_call", text = "read x", data = { tool = "read", path = "x" } }
        [[step]]
        event = { kind = "unheard of", data = { a = 1 } }
        [[step]]
        line = "no JSON at all"
        [[step]]
        write = { path = "new/file.txt", text = "content" }
        [[step]]
        write = { path = "README.md/impossible", text = "" }
        [[step]]
        stderr = "a warning"
        [[step]]
        delay = 0.01
        """
    )

    outcome, events = stage.play(Scripted(str(path)))

    assert outcome.result is Result.DONE
    assert outcome.report == "# Title\n\ntext with é\n"
    assert outcome.usage == Usage(5, 2, 0.25)
    assert outcome.model == "m-1"
    assert (stage.worktree / "new" / "file.txt").read_text() == "content"
    assert [event.kind.value for event in events] == [
        *["text", "text", "text", "status", "usage", "tool_call", "other", "other"],
        *["tool_call", "tool_result", "tool_call", "tool_result", "done"],
    ]
    assert [event.data["ok"] for event in events if event.kind is EventKind.TOOL_RESULT] == [True, False]


def test_a_command_is_told_with_what_it_printed_and_how_it_ended(stage, scenario):
    path = scenario('[[step]]\nrun = "echo out; echo err >&2; exit 3"\n[[step]]\nsay = "# Ran"\n')

    outcome, events = stage.play(Scripted(str(path)))

    told = next(event for event in events if event.kind is EventKind.TOOL_RESULT)
    assert outcome.result is Result.DONE
    assert (told.text, told.data["ok"], told.data["exit"]) == ("out\nerr\n", False, 3)
    assert told.data["input"] == {"command": "echo out; echo err >&2; exit 3"}


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (0, "it left no report: dying"),
        (7, "exit status 7: dying"),
        (-9, "signal 9 (killed): dying"),
        (-15, "signal 15"),
    ],
)
def test_it_ends_as_it_is_told(stage, scenario, status, reason):
    path = scenario(
        f"[[step]]\nignore_term = true\n[[step]]\nstderr = 'dying'\n[[step]]\nexit = {status}\n[[step]]\nsay = 'late'\n"
    )

    outcome, events = stage.play(Scripted(str(path)))

    assert outcome.result is Result.FAILED
    assert outcome.reason.startswith(reason)
    assert events == []


def _started(stage, path):
    invocation = Scripted(str(path)).invocation(stage.mission, "p", stage.worktree, stage.scratch)
    return subprocess.Popen(invocation.argv, cwd=stage.worktree, stdout=subprocess.PIPE, text=True)


@pytest.mark.parametrize(
    ("ignore", "number"), [("", signal.SIGTERM), ("[[step]]\nignore_term = true\n", signal.SIGKILL)]
)
def test_term_ends_it_unless_it_ignores_term(stage, scenario, ignore, number):
    with _started(stage, scenario(f"{ignore}[[step]]\nsay = 'here'\n[[step]]\ndelay = 600\n")) as child:
        child.stdout.readline()
        child.terminate()
        try:
            child.wait(0.3 if ignore else PATIENCE)
        except subprocess.TimeoutExpired:
            child.kill()
        assert child.wait(PATIENCE) == -number


@pytest.mark.parametrize("holds", [False, True])
def test_a_spawned_process_outlives_it_in_the_worktree(stage, scenario, holds):
    command = "echo $$ > pid; pwd > where; exec sleep 600"
    step = (
        f"[[step]]\nspawn = {{ command = {command!r}, holds_output = {str(holds).lower()} }}\n[[step]]\ndelay = 0.2\n"
    )
    with _started(stage, scenario(step)) as child:
        assert child.wait(PATIENCE) == 0
        until(lambda: (stage.worktree / "where").exists() and (stage.worktree / "where").read_text())
        pid = int((stage.worktree / "pid").read_text())
        try:
            os.kill(pid, 0)
            assert Path((stage.worktree / "where").read_text().strip()) == stage.worktree
            os.set_blocking(child.stdout.fileno(), False)
            rest = child.stdout.read()
            assert (rest is None) == holds or "done" in rest
        finally:
            os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("[[step]]\nsay = \n", 2, "not valid TOML"),
        ("[[step]]\nsay = 'unended\n", 2, "not valid TOML"),
        ("", 1, "no [[step]]"),
        ("\n\n[step]\nsay = 'x'\n", 3, "no [[step]]"),
        ("\n[[steps]]\nsay = 'x'\n", 2, "no `steps`"),
        ("[[step]]\nsay = 'x'\n\n[[step]]\n# why\nsya = 'x'\n", 6, "unknown action `sya`"),
        ("[[step]]\nsay = 'x'\n\n[[step]]\ndelay = '1s'\n", 5, "`delay` takes seconds"),
        ("[[step]]\ndelay = -1\n", 2, "`delay` takes seconds"),
        ("[[step]]\ndelay = true\n", 2, "`delay` takes seconds"),
        ("[[step]]\nsay = 'x'\ndelay = 1\n", 1, "one action, not 2"),
        ("[[step]]\n[[step]]\nsay = 'x'\n", 1, "one action, not 0"),
        ("[[step]]\nexit = 256\n", 2, "`exit` takes"),
        ("[[step]]\nexit = -99\n", 2, "`exit` takes"),
        ("[[step]]\nwrite = { path = 'x' }\n", 2, "`write` takes"),
        ("[[step]]\nusage = { tokens = 3 }\n", 2, "`usage` takes"),
        ("[[step]]\nevent = { text = 'x' }\n", 2, "`event` takes"),
    ],
)
def test_a_bad_scenario_is_refused_with_file_and_line_before_anything_starts(scenario, text, line, words):
    path = scenario(text)

    with pytest.raises(UsageError) as caught:
        Scripted(str(path))

    assert caught.value.message.startswith(f"{path}:{line}: ")
    assert words in caught.value.message
    assert caught.value.hint


def test_a_scenario_that_cannot_be_read_is_refused(tmp_path, scenario):
    with pytest.raises(UsageError, match="No such file"):
        Scripted(str(tmp_path / "none.toml"))
    path = scenario("")
    path.write_bytes(b"[[step]]\nsay = '\xff'\n")
    with pytest.raises(UsageError, match=r"scenario\.toml:2: .*UTF-8"):
        Scripted(str(path))


def test_what_was_checked_is_what_is_played(stage, scenario):
    path = scenario("[[step]]\nreport = '# Before'\n")
    agent = Scripted(str(path))
    path.write_text("[[step]]\nexit = 1\n")

    assert stage.play(agent)[0].report == "# Before\n"


def test_the_environment_may_name_the_scenario(stage, scenario, monkeypatch):
    path = scenario("[[step]]\nreport = '# From the environment'\n")
    monkeypatch.chdir(path.parent)
    assert not Scripted().availability().ok
    monkeypatch.setenv("SCOUTKIT_SCENARIO", path.name)

    assert Scripted().availability().ok
    assert stage.play(Scripted())[0].report == "# From the environment\n"


def test_it_plays_without_the_rest_of_scoutkit_and_under_a_poor_locale(stage, scenario):
    path = scenario("[[step]]\nline = 'caf\u00e9'\n")

    done = subprocess.run(
        [sys.executable, "-P", "-m", "scoutkit.agents.scripted", path],
        env={"PATH": os.environ["PATH"], "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        cwd=stage.worktree,
        capture_output=True,
    )

    assert done.stdout.decode().splitlines()[0] == "café"
    assert not done.stderr


def test_the_demo_is_a_scenario():
    assert read(DEMO).steps
