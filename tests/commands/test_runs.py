"""What each run cost, lasted and yielded; following one; sending one again."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest
from waiting import PATIENCE, until

SCENARIO = """
[[step]]
event = { kind = "tool_call", text = "read README.md", data = { tool = "read" } }
[[step]]
usage = { input_tokens = 10, output_tokens = 2, cost_usd = 0.25 }
[[step]]
report = '''
# Signed by SessionSigner

`SessionSigner.sign` makes the MAC: `src/auth/signing.py:12-14`. And `nope.py:3`.
'''
"""


@pytest.fixture
def scripted(tmp_path):
    path = tmp_path / "scenario.toml"
    path.write_text(SCENARIO)
    return f"scripted:{path}"


def seen(repo: Path, columns: int, *args: str) -> list[str]:
    """What a command prints on a terminal so wide, without colours."""
    main, sub = pty.openpty()
    fcntl.ioctl(sub, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    env = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    with subprocess.Popen(
        [sys.executable, "-m", "scoutkit", *args], cwd=repo, stdout=sub, env={**env, "NO_COLOR": "1"}
    ) as popen:
        os.close(sub)
        out = b""
        while True:
            try:
                out += os.read(main, 65536) or b""
            except OSError:
                break
        assert popen.wait() == 0
    os.close(main)
    return out.decode().replace("\r\n", "\n").splitlines()


@pytest.mark.parametrize("columns", [80, 120])
def test_the_table_says_what_a_run_cost_and_yielded_and_fits(scoutkit, repo, scripted, columns):
    scoutkit("ask", "Where is the cookie signed, and by whom, and why in that place?" * 2, "--agent", scripted)
    scoutkit("ask", "another", "--agent-cmd", "exit 3")
    header, failed, done = seen(repo, columns, "runs")
    assert all(len(line) <= columns for line in (header, failed, done))
    for name, first, second in (("RESULT", "failed", "done"), ("COST", "- ", "$0.25"), ("CITED", "0/0", "1/2")):
        at = header.index(name)
        assert failed[at:].startswith(first), (name, failed)
        assert done[at:].startswith(second), (name, done)
    assert done[header.index("QUESTION") :].startswith("Where")
    assert ("ISOLATION" in header) == (columns == 120)
    narrow, _, done = seen(repo, 60, "runs")
    at = narrow.index("NOTE")
    assert (len(done[at:].split()[0]), "COST" in narrow, len(narrow) <= 60) == (8, False, True)


def test_json_of_runs_is_as_it_was(scoutkit, scripted):
    scoutkit("ask", "q", "--agent", scripted)
    run = scoutkit("runs", "--json").json["runs"][0]
    assert run["cost"] == {"usd": 0.25}
    assert set(run) >= {
        *("id", "kind", "agent", "state", "result", "isolation", "text", "started", "seconds", "usage", "cost", "note")
    }


def test_a_run_is_followed_line_by_line_until_it_ends(scoutkit, repo):
    command = "echo '# First'; echo; echo two words; sleep 1; echo last"
    asking = subprocess.Popen(
        [sys.executable, "-m", "scoutkit", "ask", "q", "--agent-cmd", command], cwd=repo, stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )  # fmt: skip
    run = until(lambda: list((repo / ".git/scoutkit").glob("runs/*/events.jsonl")))[0].parent.name
    said = scoutkit("run", "logs", "-f", run)
    assert asking.wait(PATIENCE) == 0
    asking.communicate()
    assert said.code == 0, said.err
    assert [line for line in said.out.splitlines() if line][-3:] == ["# First", "two words", "last"]
    assert f"run {run} ended, done" in said.err
    again = scoutkit("run", "logs", "-f", run)
    assert again.out == said.out


def test_a_mission_is_sent_again_on_the_same_terms(scoutkit, repo, git, scripted):
    first = scoutkit("ask", "q", "--agent", scripted, "--isolate", "none", "--timeout", "77", "--json").json["run"]
    (repo / "README.md").write_text("more\n")
    git(repo, "commit", "-qam", "later")
    said = scoutkit("run", "retry", first["id"], "--json")
    assert said.code == 0, said.err
    run = said.json["run"]
    assert run["id"] != first["id"]
    assert f"run: {run['id']}, for {first['id']} again" in said.err
    shown = [scoutkit("run", "show", one, "--json").json["run"] for one in (first["id"], run["id"])]
    for name in ("base", "text", "agent", "isolation", "kind"):
        assert shown[0][name] == shown[1][name]


def test_a_failed_command_is_sent_again(scoutkit):
    said = scoutkit("ask", "q", "--agent-cmd", "exit 3")
    run = scoutkit("runs", "--json").json["runs"][0]["id"]
    said = scoutkit("run", "retry", run)
    assert said.code == 4
    assert f"for {run} again" in said.err
    assert len(scoutkit("runs", "--json").json["runs"]) == 2


def test_a_live_run_is_not_sent_again(scoutkit, repo):
    asking = subprocess.Popen(
        [sys.executable, "-m", "scoutkit", "ask", "q", "--agent-cmd", "echo '# T'; sleep 600"], cwd=repo,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    run = until(lambda: list((repo / ".git/scoutkit").glob("runs/*/events.jsonl")))[0].parent.name
    for command in ("retry", "undo"):
        said = scoutkit("run", command, run)
        assert said.code == 6
        assert "going on" in said.err
    assert scoutkit("run", "stop", run).code == 0
    asking.wait(PATIENCE)


def test_a_mission_with_a_secret_is_not_kept_and_not_sent_again(scoutkit, repo, monkeypatch):
    monkeypatch.setenv("DEPLOY_TOKEN", "hunter2hunter2hunter2")
    scoutkit("ask", "q", "--agent-cmd", "echo hunter2hunter2hunter2 >/dev/null; echo '# T'")
    run = scoutkit("runs", "--json").json["runs"][0]["id"]
    assert b"hunter2" not in (repo / f".git/scoutkit/runs/{run}/mission.json").read_bytes()
    said = scoutkit("run", "retry", run)
    assert said.code == 2
    assert "secret" in said.err
