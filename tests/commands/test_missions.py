"""`ask`, end to end with real agents: what is answered, written, left behind."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from waiting import running, sleeper

from scoutkit import config


def state_of(repo: Path, git: Callable[..., str]) -> dict[str, str]:
    """All of a repository that a run must not change."""
    calls = {
        "status": ("status", "--ignored", "--porcelain", "-uall"),
        "worktrees": ("worktree", "list", "--porcelain"),
        "config": ("config", "--list", "--local"),
        "refs": ("for-each-ref",),
        "stash": ("stash", "list"),
        "head": ("rev-parse", "HEAD"),
    }
    return {name: git(repo, *args) for name, args in calls.items()}


def test_ask_leaves_one_note_and_nothing_else(ask, repo, git):
    (repo / "dirty.txt").write_text("mine")
    git(repo, "stash", "push", "-q", "-u")
    (repo / "README.md").write_text("changed and not committed\n")
    before = state_of(repo, git)
    said = ask()
    assert said.code == 0, said.err
    after = state_of(repo, git)
    note = next((repo / ".claude/notes").glob("*.md"))
    assert after.pop("status") == before.pop("status") + f"?? {note.relative_to(repo)}\n"
    assert after == before
    assert [path.name for path in (repo / ".git").iterdir() if path.name == "scoutkit"]
    assert not list((config.user_state() / "runs").iterdir())


def test_the_report_goes_to_stdout_and_the_narration_to_stderr(ask):
    said = ask()
    assert said.out.startswith("# Cookies are signed by SessionSigner")
    assert "citations: 1 supported" in said.err
    assert "  .claude/notes/" in said.err


def test_json_tells_all_of_it(ask, repo, git):
    answer = ask("Where is the cookie signed?", "--json").json
    note, run = answer["note"], answer["run"]
    assert note["title"] == "Cookies are signed by SessionSigner"
    assert note["commit"] == git(repo, "rev-parse", "HEAD").strip()
    assert note["citations"] == [
        {"path": "src/auth/signing.py", "start": 12, "end": 14, "verdict": "supported", "symbol": "SessionSigner.sign"}
    ]
    assert (run["state"], run["result"], run["exit"], run["agent"]) == ("removed", "done", 0, "command")
    assert (repo / note["path"]).exists()
    assert answer["report"].startswith("# Cookies")


def test_a_wrong_citation_is_kept_and_shown_as_wrong(ask):
    answer = ask("q", "--json", report="# It is there\n\nSee `nope.py:3` and `src/auth/signing.py:900`.\n")
    assert answer.code == 0
    assert [(one["path"], one["start"], one["verdict"]) for one in answer.json["note"]["citations"]] == [
        ("nope.py", 3, "wrong"),
        ("src/auth/signing.py", 900, "wrong"),
    ]
    assert "2 wrong" in answer.err


def test_the_same_question_is_answered_from_memory_also_from_stdin(ask, scoutkit):
    first = ask("Where is the cookie signed?", "--json").json
    again = ask("where is  the COOKIE signed", "--json").json
    assert again["run"] is None
    assert again["from_memory"] is True
    assert again["note"]["id"] == first["note"]["id"]
    piped = ask("-", "--json", stdin="Where is the cookie signed?\n").json
    assert piped["note"]["id"] == first["note"]["id"]
    assert "the question is empty" in scoutkit("ask", "-", stdin=" \n").err
    assert ask("Where is the cookie signed?", "--json", "--force").json["run"]
    assert ask("Where is the cookie verified?", "--json").json["run"]


def test_memory_does_not_answer_for_code_that_changed(ask, repo, git):
    ask()
    path = repo / "src/auth/signing.py"
    path.write_text(path.read_text().replace("hmac.new(self.key, value, 'sha256')", "blake2b(value, key=self.key)"))
    git(repo, "commit", "-qam", "another mac")
    assert ask("Where is the cookie signed?", "--json").json["run"]


def test_memory_does_not_answer_with_a_citation_that_nobody_checked(ask, repo):
    note = repo / ask("q", "--json").json["note"]["path"]
    text = note.read_text()
    note.write_text(text.replace("citations:\n", "citations:\n- {at: 'nope.py:1'}\n"))
    assert ask("q", "--json").json["run"]


def test_memory_answers_in_the_place_of_an_agent_that_is_not_here(scoutkit, tmp_path):
    tool = tmp_path / "tool"
    tool.write_text("#!/bin/sh\necho '# Found'\n")
    tool.chmod(0o755)
    assert scoutkit("ask", "q", "--agent-cmd", str(tool), "--isolate", "none").code == 0
    tool.unlink()
    assert scoutkit("ask", "q", "--agent-cmd", str(tool), "--json").json["from_memory"] is True
    assert scoutkit("ask", "another", "--agent-cmd", str(tool)).code == 5


def test_a_failed_agent_leaves_a_draft_with_what_it_said(scoutkit, repo):
    said = scoutkit("ask", "q", "--agent-cmd", "echo 'half a finding in `src/auth/signing.py:9`'; exit 3")
    assert said.code == 4
    assert "hint: " in said.err
    draft = next((repo / ".claude/notes/drafts").glob("*.md"))
    assert "half a finding" in draft.read_text()
    assert scoutkit("list", "--status", "draft", "--json").json["hits"][0]["status"] == "draft"
    assert not list((config.user_state() / "runs").iterdir())


@pytest.mark.parametrize("command", ["true", "echo; echo '   '", "exit 7", "kill -9 $$"])
def test_an_agent_that_says_nothing_is_exit_4_with_a_hint(scoutkit, command):
    said = scoutkit("ask", "q", "--agent-cmd", command)
    assert said.code == 4
    assert "Traceback" not in said.err
    lines = said.err.splitlines()
    error = next(number for number, line in enumerate(lines) if line.startswith("error: "))
    assert lines[error + 1].startswith("hint: ")


def test_an_agent_command_that_does_not_exist_is_exit_5(scoutkit):
    said = scoutkit("ask", "q", "--agent-cmd", "no-such-program-here")
    assert said.code == 5
    assert "no-such-program-here" in said.err


def test_a_timeout_stops_the_agent_and_its_children(scoutkit):
    sleep = sleeper()
    said = scoutkit("ask", "q", "--timeout", "2", "--agent-cmd", f"echo found; setsid {sleep} & {sleep}")
    assert said.code == 4
    assert running(sleep) == []
    assert scoutkit("runs", "--json").json["runs"][0]["result"] == "timeout"


def test_the_agent_gets_the_prompt_the_commit_and_a_narrow_environment(scoutkit, repo, monkeypatch, git):
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    monkeypatch.setenv("MY_API_KEY", "s3cr3t-value-of-mine")
    (repo / "README.md").write_text("not committed\n")
    said = scoutkit("ask", "Why?", "--agent-cmd", "cat; echo; cat README.md; env; git rev-parse HEAD; pwd", "--json")
    report = said.json["report"]
    assert "Why?" in report
    assert "Cookies are signed." in report
    assert "not committed" not in report
    assert "GIT_DIR" not in report
    assert "s3cr3t" not in report
    monkeypatch.delenv("GIT_DIR")
    assert git(repo, "rev-parse", "HEAD").strip() in report


def test_an_agent_can_commit_branch_and_configure_without_touching_the_repository(scoutkit, repo, git):
    before = state_of(repo, git)
    wild = (
        "git config user.name x; git config user.email x@example.org; git branch mine; git checkout -q -b other; "
        "echo x > README.md; git commit -qam wild; echo y > new; git stash -u -q; git tag v9; git gc -q; "
        "git worktree prune; git branch -D mine -q; echo '# Done'; echo; echo it is all here"
    )
    said = scoutkit("ask", "q", "--agent-cmd", wild)
    assert said.code == 0, said.err
    after = state_of(repo, git)
    before.pop("status")
    after.pop("status")
    assert after == before


def test_a_secret_in_the_report_never_reaches_the_disk(scoutkit, repo, monkeypatch):
    monkeypatch.setenv("DEPLOY_TOKEN", "hunter2hunter2hunter2")
    scoutkit("ask", "q", "--agent-cmd", "echo '# Found'; echo; echo the token is hunter2hunter2hunter2")
    written = [path for path in repo.rglob("*") if path.is_file() and b"hunter2hunter2" in path.read_bytes()]
    assert not written


def test_works_from_a_sub_folder_and_a_linked_worktree(ask, scoutkit, repo, git, tmp_path):
    git(repo, "worktree", "add", "-q", "--detach", tmp_path / "linked")
    said = scoutkit("ask", "q", "--agent-cmd", "echo '# T'; echo; echo text", cwd=tmp_path / "linked")
    assert said.code == 0, said.err
    assert list((repo / ".claude/notes").glob("*.md"))
    assert not (tmp_path / "linked/.claude").exists()
    said = scoutkit("--here", "ask", "q2", "--agent-cmd", "echo '# T'; echo; echo text", cwd=tmp_path / "linked")
    assert said.code == 0, said.err
    assert list((tmp_path / "linked/.claude/notes").glob("*.md"))
    assert scoutkit("ask", "q3", "--agent-cmd", "echo '# T'; echo; echo text", cwd=repo / "src/auth").code == 0


def test_works_in_a_bare_repository(scoutkit, repo, git, tmp_path):
    git(tmp_path, "clone", "-q", "--bare", repo, "bare.git")
    said = scoutkit("ask", "q", "--agent-cmd", "echo '# T'; echo; echo text", "--json", cwd=tmp_path / "bare.git")
    assert said.code == 0, said.err
    assert "scoutkit/notes" in said.err
    assert list((tmp_path / "bare.git/scoutkit/notes").glob("*.md"))
    assert scoutkit("search", "text", "--json", cwd=tmp_path / "bare.git").json["hits"]


def test_ignored_notes_are_said(ask, repo):
    (repo / ".gitignore").write_text(".claude/\n")
    assert "git ignores .claude/notes (.gitignore:1:.claude/)" in ask().err


def test_a_repository_may_override_the_prompt(ask, scoutkit, repo):
    folder = repo / ".claude/scoutkit/prompts"
    folder.mkdir(parents=True)
    (folder / "ask.md").write_text("Tell me of {{ question }}!")
    assert "Tell me of squids!" in scoutkit("ask", "squids", "--agent-cmd", "cat", "--json").json["report"]
    (folder / "ask.md").write_text("{{ nothing_such }}")
    said = ask("again")
    assert said.code == 2
    assert "nothing_such" in said.err
    assert not list((config.user_state() / "runs").iterdir())


def test_a_repository_may_not_define_commands(ask, repo):
    path = repo / config.SETTINGS
    path.parent.mkdir(parents=True)
    path.write_text('[agents.mine]\ncommand = "touch /tmp/owned"\n')
    said = ask()
    assert said.code == 6
    assert "defines agents" in said.err


def test_no_answer_is_a_draft_and_exit_status_1(scoutkit, repo):
    said = scoutkit("ask", "zygomorphic sesion kooky", "--agent", "builtin", "--json")
    assert said.code == 1
    assert "no answer: nothing in the code fits the question; the note is a draft" in said.err
    assert (said.json["note"]["status"], said.json["run"]["result"]) == ("draft", "done")
    assert said.json["note"]["path"].startswith(".claude/notes/drafts/")
    text = (repo / said.json["note"]["path"]).read_text()
    assert "Did you mean “session” for “sesion”?" in text
    assert "This is a draft: nothing in the code fits the question." in text
    assert scoutkit("check").code == 0
    assert scoutkit("ask", "zygomorphic sesion kooky", "--agent", "builtin").code == 1  # no answer from memory


def test_builtin_answers_with_supported_citations_only(scoutkit):
    said = scoutkit("ask", "Where is the session cookie signed and verified?", "--json")
    assert said.code == 0, said.err
    note = said.json["note"]
    assert note["citations"]
    assert {one["verdict"] for one in note["citations"]} == {"supported"}
    assert any(one["path"] == "src/auth/signing.py" for one in note["citations"])
    facts = said.json["facts"]
    assert facts["kind"] == "where"
    assert facts["ranges"][0]["path"] == "src/auth/signing.py"
    assert scoutkit("run", "show", said.json["run"]["id"], "--json").json["facts"] == facts


def test_an_agent_that_tells_no_facts_leaves_them_out(scoutkit, ask):
    said = ask("q", "--json")
    assert "facts" not in said.json
    assert "facts" not in scoutkit("run", "show", said.json["run"]["id"], "--json").json


def test_many_at_once_all_succeed(repo, home):
    commands = [
        ["python3", "-m", "scoutkit", "ask", f"question {number}", "--json", "--agent-cmd", "echo '# A'; echo; echo b"]
        for number in range(5)
    ]
    import sys

    asking = [
        subprocess.Popen([sys.executable, *command[1:]], cwd=repo, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for command in commands
    ]
    answers = [process.communicate() for process in asking]
    assert [process.returncode for process in asking] == [0] * len(commands), [err for _, err in answers]
    assert len({json.loads(out)["note"]["path"] for out, _ in answers}) == len(commands)


@pytest.mark.parametrize("notes", ["README.md", "README.md/x", "n" * 300, ".git"])
def test_no_agent_is_sent_where_its_note_could_not_be_kept(scoutkit, ask, repo, notes):
    (repo / config.SETTINGS).parent.mkdir(parents=True)
    (repo / config.SETTINGS).write_text(f'notes = "{notes}"\n')
    said = ask()
    assert said.code in (1, 6)
    assert "error: " in said.err
    assert "hint: " in said.err
    assert scoutkit("runs", "--json").json["runs"] == []


def test_no_agent_is_sent_where_a_file_stands_in_place_of_the_notes_folder(scoutkit, ask, repo):
    (repo / ".claude").write_text("a file\n")
    assert ask().code == 1
    assert (repo / ".claude").read_text() == "a file\n"
    assert scoutkit("runs", "--json").json["runs"] == []


def test_a_repository_that_is_moved_away_meanwhile_is_not_made_anew(scoutkit, ask, repo):
    away = repo.parent / "moved"
    move = f"mv '{repo}/.git' '{away}'; sleep 0.2; echo found"
    said = scoutkit("ask", "Where?", "--agent-cmd", move, "--isolate", "none")
    assert said.code != 0
    assert "error: " in said.err
    assert not (repo / ".git").exists()
    assert (away / "scoutkit/journal.db").exists()


def test_a_report_of_more_citations_than_a_note_can_hold_is_cut_and_says_so(scoutkit, repo):
    many = "for i in $(seq 700); do echo src/auth/signing.py:$i src/auth/middleware.py:$i; done"
    said = scoutkit("ask", "Where?", "--json", "--agent-cmd", many).json
    assert 500 < len(said["note"]["citations"]) <= 1000
    assert "more characters: scoutkit run logs" in (repo / said["note"]["path"]).read_text()
    assert not list((config.user_state() / "runs").iterdir())


def test_a_question_longer_than_a_note_repeats_is_a_usage_error(ask, scoutkit, repo):
    said = ask("x" * 100_001)
    assert said.code == 2
    assert "100,001 characters" in said.err
    assert scoutkit("runs", "--json").json["runs"] == []


@pytest.mark.parametrize("sign", ["*", "`", " ", "\n", "\t", "x", ".", "-", "|", "_", "#", "![", "a.b", "é🎉x"])
def test_a_long_run_of_one_sign_is_a_note_at_once(scoutkit, repo, tmp_path, sign):
    (tmp_path / "said").write_text(f"Found.\n\na{sign * 30_000}b")
    began = time.process_time()
    scoutkit("ask", "Where?", "--agent-cmd", f"cat '{tmp_path}/said'", "--isolate", "none")
    assert scoutkit("search", "Found", "--json").json["hits"]
    assert time.process_time() - began < 10  # a rule that is quadratic takes minutes
    assert len(list((repo / ".claude/notes").glob("*.md"))) == 1


def test_an_agent_sees_its_worktree_and_nothing_else_of_the_users(scoutkit, repo, home):
    (home / ".ssh").mkdir()
    (home / ".ssh" / "id_ed25519").write_text("private")
    look = f"echo found; cat '{home}/.ssh/id_ed25519'; ls '{repo}'; echo no > new.py; ls; echo $HOME"
    said = scoutkit("ask", "Where?", "--json", "--agent-cmd", look).json
    assert said["run"]["isolation"] in {"bwrap", "landlock"}
    assert "private" not in said["report"]
    assert "new.py" not in said["report"]
    assert "README.md" in said["report"]
    assert str(repo) not in said["report"]
    assert [run["isolation"] for run in scoutkit("runs", "--json").json["runs"]] == [said["run"]["isolation"]]


def test_without_isolation_one_loud_line_is_said_unless_it_was_asked_for(scoutkit, monkeypatch):
    from scoutkit.dispatch import sandbox

    monkeypatch.setattr(sandbox, "_missing", lambda name: f"no {name}")
    said = scoutkit("ask", "Where?", "--agent-cmd", "echo found")
    assert said.code == 0
    assert "runs WITHOUT ISOLATION, with your rights" in said.err
    said = scoutkit("ask", "Where?", "--agent-cmd", "echo found", "--isolate", "none", "--force")
    assert "ISOLATION" not in said.err
    said = scoutkit("ask", "Where?", "--agent-cmd", "echo found", "--isolate", "bwrap", "--force")
    assert said.code == 5
    assert "hint: install bubblewrap" in said.err


def test_limits_end_a_run_with_a_draft_that_says_how_to_allow_more(scoutkit, tmp_path):
    scenario = tmp_path / "long.toml"
    step = """[[step]]
event = { kind = "turn" }
[[step]]
say = "so far"
"""
    scenario.write_text('description = "goes on"\n' + step * 4 + "[[step]]\ndelay = 600\n")
    said = scoutkit("ask", "Where?", "--agent", f"scripted:{scenario}", "--max-turns", "2", "--isolate", "none")
    assert said.code == 4
    assert "more than 2 turns" in said.err
    assert "--max-turns 4" in said.err
    assert "so far" in said.out


def test_a_run_says_what_held_it_and_which_limit_it_broke(scoutkit, repo):
    command = "echo '# Half'; i=0; while [ $i -lt 60 ]; do sleep 600 & i=$((i+1)); done; sleep 600"
    said = scoutkit("ask", "q", "--agent-cmd", command, "--isolate", "none", "--max-processes", "20", "--json")
    assert said.code == 4
    assert "more than 20" in said.err
    assert said.json["run"]["bounded"] in ("watcher", "cgroup")
    assert scoutkit("runs", "--json").json["runs"][0]["bounded"] == said.json["run"]["bounded"]
