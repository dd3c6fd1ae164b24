"""runs, run, index, clean, doctor, agents, completion."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from waiting import PATIENCE, until

from scoutkit import config

HOSTILE = Path(__file__).parent.parent / "hostile-notes"


def test_runs_and_run_show_tell_what_happened(ask, scoutkit):
    note = ask("Where?", "--json").json["note"]
    run = scoutkit("runs", "--json").json["runs"][0]
    assert (run["text"], run["note"], run["result"]) == ("Where?", note["id"], "done")
    assert "Where?" in scoutkit("runs").out
    shown = scoutkit("run", "show", run["id"][:4], "--json").json["run"]
    assert shown["base"] == note["commit"]
    assert note["id"] in scoutkit("run", "show", run["id"]).out


def test_logs_are_what_the_agent_wrote(scoutkit):
    scoutkit("ask", "q", "--agent-cmd", "echo '# T'; echo; echo text; echo trouble >&2")
    run = scoutkit("runs", "--json").json["runs"][0]["id"]
    assert scoutkit("run", "logs", run).out == "# T\n\ntext\ntrouble\n"
    assert scoutkit("run", "logs", run, "--raw").out == "# T\n\ntext\ntrouble\n"
    events = [json.loads(line) for line in scoutkit("run", "logs", run, "--events").out.splitlines()]
    assert events


def test_an_unknown_run_is_exit_1(scoutkit):
    for command in ("show", "logs", "stop"):
        said = scoutkit("run", command, "nope")
        assert said.code == 1
        assert said.err.startswith("error: ")


def test_stopping_a_run_keeps_what_it_found(repo, scoutkit):
    command = "echo '# Half'; echo; echo a finding; sleep 600"
    asking = subprocess.Popen(
        [sys.executable, "-m", "scoutkit", "ask", "q", "--agent-cmd", command],
        cwd=repo,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    kept = repo / ".git/scoutkit/runs"
    said = until(lambda: [one for one in kept.glob("*/transcript.txt") if "a finding" in one.read_text()])
    assert scoutkit("run", "stop", said[0].parent.name).code == 0
    asking.communicate(timeout=PATIENCE)
    assert asking.returncode == 4
    assert scoutkit("runs", "--json").json["runs"][0]["result"] == "stopped"
    assert "a finding" in next((repo / ".claude/notes/drafts").glob("*.md")).read_text()


@pytest.fixture
def hostile(repo: Path) -> list[dict[str, object]]:
    """The notes that break other tools, in the repository; what is expected of each."""
    shutil.copytree(HOSTILE / "notes", repo / ".claude/notes")
    return [json.loads(line) for line in (HOSTILE / "expected.jsonl").read_text().splitlines()]


def test_hostile_notes_are_listed_found_reported_and_unchanged(scoutkit, repo, hostile):
    folder = repo / ".claude/notes"
    before = {path: path.read_bytes() for path in folder.rglob("*.md")}
    answer = scoutkit("index", "--json")
    assert answer.code == 0
    assert answer.json["notes"] == len(hostile)
    problems = {}
    for row in answer.json["problems"]:
        problems.setdefault(row["path"].removeprefix(".claude/notes/"), []).append(row["line"])
        lines = (repo / row["path"]).read_bytes().count(b"\n") + 1
        assert 1 <= row["line"] <= lines
    assert sorted(problems) == sorted(one["file"] for one in hostile if one["problem"])
    listed = {hit["path"].removeprefix(".claude/notes/") for hit in scoutkit("list", "--json").json["hits"]}
    assert listed == {one["file"] for one in hostile}
    for one in hostile:
        if one["word"]:
            hits = scoutkit("search", str(one["word"]), "--json").json["hits"]
            assert [hit["path"] for hit in hits] == [f".claude/notes/{one['file']}"], one
    assert {path: path.read_bytes() for path in folder.rglob("*.md")} == before


def test_problems_are_said_once_when_their_number_changes(scoutkit, hostile):
    assert "problems in the notes" in scoutkit("list").err
    assert "problems" not in scoutkit("list").err


def test_rebuilding_the_index_loses_nothing(scoutkit, ask):
    note = ask("q", "--json").json["note"]
    assert scoutkit("index", "--rebuild", "--json").json["notes"] == 1
    assert scoutkit("search", "cookies", "--json").json["hits"][0]["id"] == note["id"]
    assert scoutkit("runs", "--json").json["runs"]


def test_a_broken_catalogue_is_rebuilt_from_the_notes(scoutkit, ask, repo):
    note = ask("q", "--json").json["note"]
    catalogue = repo / ".git/scoutkit/scoutkit.db"
    catalogue.write_bytes(b"not a database at all, sorry" * 400)
    said = scoutkit("search", "cookies", "--json")
    assert said.json["hits"][0]["id"] == note["id"]


def test_clean_removes_folders_that_no_run_owns(scoutkit, repo):
    scoutkit("list")
    runs = config.user_state() / "runs"
    (runs / "not-ours").mkdir(parents=True)
    assert scoutkit("clean", "--dry-run", "--json").json["removed"] == []
    assert (runs / "not-ours").exists()


def test_doctor_is_content_with_a_sane_repository(scoutkit):
    said = scoutkit("doctor", "--json")
    assert said.code == 0
    checks = {check["name"]: check for check in said.json["checks"]}
    assert checks["git"]["ok"]
    assert checks["agent builtin"]["ok"]
    assert all(check["hint"] for check in checks.values() if not check["ok"])


def test_doctor_names_what_fails(scoutkit, tmp_path, repo):
    (repo / ".gitignore").write_text(".claude\n")
    said = scoutkit("doctor")
    assert said.code == 0
    assert "git ignores them" in said.out
    assert scoutkit("doctor", cwd=tmp_path).code == 1


def test_doctor_tells_how_an_agent_is_logged_in(scoutkit, tmp_path, monkeypatch):
    program = tmp_path / "programs/claude"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho 2.9.0\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    monkeypatch.delenv("ANTHROPIC_AUTH_TOKEN", raising=False)
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    assert "ok  agent claude: 2.9.0, not logged in" in scoutkit("doctor").out
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    assert "ok  agent claude: 2.9.0, key in ANTHROPIC_API_KEY" in scoutkit("doctor").out


def test_agents_are_listed_with_what_they_need(scoutkit, tmp_path):
    rows = {row["name"]: row for row in scoutkit("agents", "--json").json["agents"]}
    assert rows["builtin"]["ok"]
    assert scoutkit("agents", cwd=tmp_path).code == 0


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script(scoutkit, shell):
    said = scoutkit("completion", shell)
    assert said.code == 0
    assert "_SCOUTKIT_COMPLETE" in said.out


def test_completion_offers_note_ids(scoutkit, ask, repo):
    note = ask("q", "--json").json["note"]
    done = subprocess.run(
        [sys.executable, "-m", "scoutkit"],
        cwd=repo,
        env={
            **__import__("os").environ,
            "_SCOUTKIT_COMPLETE": "bash_complete",
            "COMP_WORDS": "scoutkit show ",
            "COMP_CWORD": "2",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert note["id"] in done.stdout


def test_clean_removes_what_it_may_and_names_what_is_not_surely_a_runs(scoutkit, repo):
    runs = config.user_state() / "runs"
    for name in ("aaaa1111", "bbbb2222.old", "cccc3333"):
        (runs / name).mkdir(parents=True)
        marked = {"run": name.removesuffix(".old"), "repository": str((repo / ".git").resolve())}
        (runs / name / "scoutkit-run.json").write_text(json.dumps(marked))
    said = scoutkit("clean")
    assert said.code == 6
    assert "bbbb2222.old: its name is no run id" in said.err
    assert [path.name for path in runs.iterdir()] == ["bbbb2222.old"]


def test_clean_takes_old_batches_away_and_their_notes_stay(scoutkit, repo, tmp_path):
    for text in ("Where?", "Why?"):
        assert scoutkit("batch", "-", "--agent-cmd", "echo '# Found'; echo; echo in README.md:1", stdin=text).code == 0
    fresh, old = (one["id"] for one in scoutkit("batch", "--list", "--json").json["batches"])
    for path in (repo / ".git/scoutkit/batches" / old).iterdir():
        os.utime(path, (0, 0))
    for option, left in (("--dry-run", [fresh, old]), ("--json", [fresh])):
        said = scoutkit("clean", option, "--json")
        assert [Path(path).name for path in said.json["removed"]] == [old]
        assert [one["id"] for one in scoutkit("batch", "--list", "--json").json["batches"]] == left
    assert len(list((repo / ".claude/notes").glob("*.md"))) == 2
