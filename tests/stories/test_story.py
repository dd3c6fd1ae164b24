"""A run that is killed anywhere is finished by the next command: nothing found is lost, nothing is left."""

from __future__ import annotations

import importlib.util
import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from waiting import PATIENCE, until

from scoutkit import config

SOURCE = Path(__file__).parents[2] / "benchmarks/kills.py"
spec = importlib.util.spec_from_file_location("kills", SOURCE)
assert spec
assert spec.loader
kills = importlib.util.module_from_spec(spec)
spec.loader.exec_module(kills)


@pytest.mark.parametrize("seed", range(12))
def test_kill_9_loses_no_finding_and_leaves_nothing(tmp_path, fill, seed):
    fill(tmp_path / ".cache/scoutkit")
    repo, env = kills.prepare(tmp_path)
    label, wrong = kills.round_of(repo, env, random.Random(seed), seed)
    assert not wrong, label


def start(repo: Path, command: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "scoutkit", "ask", "q", "--agent-cmd", command],
        cwd=repo,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def until_it_says(repo: Path, text: str) -> None:
    kept = repo / ".git/scoutkit"
    until(lambda: any(text in path.read_text() for path in kept.glob("runs/*/transcript.txt")), f"somebody says {text}")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_stops_the_agent_keeps_what_it_found_and_exits_130(repo, number):
    asking = start(repo, "echo '# Half'; echo; echo a finding; sleep 600")
    until_it_says(repo, "a finding")
    asking.send_signal(number)
    _, err = asking.communicate(timeout=PATIENCE)
    assert asking.returncode == 130, err
    assert b"Traceback" not in err
    assert "a finding" in next((repo / ".claude/notes/drafts").glob("*.md")).read_text()
    assert not list((config.user_state() / "runs").iterdir())


def test_a_run_whose_owner_lives_is_left_alone(repo):
    asking = start(repo, "echo '# T'; echo; echo waiting; while [ ! -e enough ]; do sleep 0.05; done; echo done")
    until_it_says(repo, "waiting")
    for _ in range(3):
        done = subprocess.run(
            [sys.executable, "-m", "scoutkit", "runs", "--json"], cwd=repo, capture_output=True, text=True, check=True
        )
        assert json.loads(done.stdout)["runs"][0]["state"] == "running"
        assert "cut short" not in done.stderr
    (tree,) = (config.user_state() / "runs").glob("*/*/.git")
    (tree.parent / "enough").touch()
    assert asking.communicate(timeout=PATIENCE)
    assert asking.returncode == 0
    assert "done" in next((repo / ".claude/notes").glob("*.md")).read_text()


def test_of_many_commands_one_finishes_a_dead_run(repo):
    asking = start(repo, "echo '# T'; echo; echo found; sleep 600")
    until_it_says(repo, "found")
    os.kill(asking.pid, signal.SIGKILL)
    asking.communicate()
    argv = [sys.executable, "-m", "scoutkit", "list"]
    others = [subprocess.Popen(argv, cwd=repo, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(6)]
    said = [other.communicate(timeout=PATIENCE)[1] for other in others]
    assert [other.returncode for other in others] == [0] * len(others)
    assert sum(b"cut short" in err for err in said) == 1, said
    assert len(list((repo / ".claude/notes/drafts").glob("*.md"))) == 1
