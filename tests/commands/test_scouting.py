"""`scout`, end to end with scripted agents: what is in the note, and that nothing but the note is left."""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from waiting import running, sleeper, until

from scoutkit import config
from scoutkit.dispatch import sandbox

TASK = "Make the signer take text"
SIGN = "src/auth/signing.py"
EDIT = "sed -i \"s/'sha256'/'sha512'/\" src/auth/signing.py"
SECTIONS = ("Where it got hard", "What worked", "Dead ends", "First next time", "Open questions")
REPORT = """# Text needs an encoding in `SessionSigner.sign`

It can be done; the digest is the hard part.

## Where it got hard

`SessionSigner.sign` calls `hmac.new` (`src/auth/signing.py:13`).

## What worked

Nothing else.

## Dead ends

None.

## First next time

Begin there.

## Open questions

None.
"""


def steps(*actions: tuple[str, object]) -> str:
    """A scenario of these actions."""
    return "\n".join(f"[[step]]\n{name} = {_toml(value)}\n" for name, value in actions)


def _toml(value: object) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{name} = {_toml(one)}" for name, one in value.items()) + " }"
    return json.dumps(value)


@pytest.fixture
def scout(scoutkit, tmp_path):
    """Scout with an agent that does these steps; without isolation, unless told otherwise."""

    def call(*actions: tuple[str, object], options: tuple[str | Path, ...] = (), isolate: str = "none"):
        scenario = tmp_path / "scenario.toml"
        scenario.write_text(steps(*actions))
        return scoutkit("scout", TASK, "--agent", f"scripted:{scenario}", "--isolate", isolate, *options)

    return call


def the_note(repo: Path) -> str:
    """The one note there is."""
    found = list((repo / ".claude/notes").rglob("*.md"))
    assert len(found) == 1, found
    return found[0].read_text()


def section(note: str, title: str, level: int = 2) -> str:
    """What stands under a heading."""
    return note.split(f"\n{'#' * level} {title}\n", 1)[1].split(f"\n{'#' * level} ", 1)[0]


def test_a_try_that_worked_leaves_a_note_with_its_report_and_what_the_run_shows(scout, repo):
    said = scout(("say", "I change the digest."), ("run", EDIT), ("report", REPORT), options=("--json",))
    assert said.code == 0, said.err
    answer = said.json
    assert (answer["note"]["type"], answer["note"]["status"]) == ("scout", "stable")
    assert answer["note"]["title"] == "Text needs an encoding in SessionSigner.sign"
    assert all(one["verdict"] == "supported" for one in answer["note"]["citations"]), answer["note"]["citations"]
    note = the_note(repo)
    for title in SECTIONS:
        assert note.count(f"\n## {title}\n") == 1
    assert "`src/auth/signing.py` | modified | +1 -1" in section(note, "What the run shows by itself")
    assert "hmac.new(self.key, value, 'sha256')" in section(note, "What the run shows by itself")


def test_an_agent_that_says_nothing_leaves_a_useful_draft(scout, repo):
    said = scout(("run", EDIT), ("run", "make build"), ("run", "make build -j2"), ("exit", 0))
    assert said.code == 4
    note = the_note(repo)
    assert "status: draft" in note
    hard = section(note, "Where it got hard")
    assert "in `SessionSigner.sign`" in hard
    assert f"`{SIGN}:13` ✓" in hard
    assert "`make build` never passed, tried 2 times" in hard
    assert "make build" in section(note, "Dead ends")
    assert "make build" in section(note, "First next time")
    for title in SECTIONS:
        assert f"\n## {title}\n" in note


def test_a_report_without_the_sections_stands_at_the_end_its_headings_below_ours(scout, repo):
    report = "# The digest is the hard part\n\nIt is.\n\n## More\n\nSee `SessionSigner` at `src/auth/signing.py:6`.\n"
    assert scout(("run", EDIT), ("report", report)).code == 0
    note = the_note(repo)
    own = note.split("\n## The agent's report\n")[1]
    assert "### The digest is the hard part" in own
    assert "#### More" in own
    assert "`src/auth/signing.py:6` ✓" in own
    assert note.index("## Where it got hard") < note.index("## The agent's report")


@pytest.mark.parametrize(
    ("actions", "options", "words"),
    [
        ([("run", EDIT), ("stderr", "it broke"), ("exit", 3)], (), "The agent failed"),
        ([("run", EDIT), ("run", "sleep 600")], ("--timeout", "5"), "The agent ran out of time"),
        (
            [("run", EDIT), ("usage", {"input_tokens": 5, "output_tokens": 5, "cost_usd": 9.0}), ("delay", 600)],
            ("--max-cost", "1"),
            "The agent ran out of its budget",
        ),
        ([("run", EDIT), ("exit", -9)], (), "The run was killed"),
    ],
    ids=["failure", "timeout", "budget", "crash"],
)
def test_however_it_ends_the_note_tells_what_was_done(scout, repo, git, actions, options, words):
    before = git(repo, "for-each-ref") + git(repo, "status", "--porcelain")
    said = scout(*actions, options=options)
    assert said.code == 4
    note = the_note(repo)
    assert words in note
    assert "status: draft" in note
    assert f"`{SIGN}` | modified | +1 -1" in note
    assert git(repo, "for-each-ref") + git(repo, "status", "--porcelain", ":!.claude") == before
    assert not list((config.user_state() / "runs").iterdir())


def test_what_ran_when_time_was_over_is_named(scout, repo):
    scout(("run", "sleep 600"), options=("--timeout", "4"))
    assert "`sleep 600` was running when the agent ended" in section(the_note(repo), "Open questions")


def test_commits_on_any_branch_a_stash_and_those_given_up_are_told(scout, repo, git):
    refs = git(repo, "for-each-ref")
    scout(
        ("run", "git checkout -q -b topic && echo a > a.txt && git add a.txt && git commit -qm 'Add a'"),
        ("run", "git checkout -q --detach HEAD~1 && echo b > b.txt && git add b.txt && git commit -qm 'Add b'"),
        ("run", "git reset -q --hard HEAD~1"),
        ("run", "echo c >> README.md && git stash -q"),
        ("report", "# Done\n\nYes.\n"),
    )
    note = the_note(repo)
    commits = section(note, "Commits")
    assert "| Add a | topic |" in commits
    assert "| Add b | none |" in commits
    assert "stash" in commits
    assert "Add b" in section(note, "Dead ends")
    assert "`a.txt` | added | +1 -0" in section(note, "Files touched")
    assert git(repo, "for-each-ref") == refs


def test_an_edit_that_was_taken_back_is_a_dead_end_with_its_place(scout, repo):
    old = "return hmac.compare_digest(self.sign(value), cookie)"
    data = {"tool": "Edit", "id": "1", "input": {"file_path": SIGN, "old_string": old, "new_string": "return True"}}
    back = {"tool": "Edit", "id": "2", "input": {"file_path": SIGN, "old_string": "return True", "new_string": old}}
    scout(
        ("event", {"kind": "tool_call", "text": "Edit", "data": data}),
        ("event", {"kind": "tool_result", "text": "", "data": {"ok": True, "id": "1"}}),
        ("say", "That let every cookie through."),
        ("event", {"kind": "tool_call", "text": "Edit", "data": back}),
        ("event", {"kind": "tool_result", "text": "", "data": {"ok": True, "id": "2"}}),
        ("exit", 0),
    )
    note = the_note(repo)
    hard = section(note, "Where it got hard")
    assert f"`{SIGN}` was edited 2 times and taken back: That let every cookie through." in hard
    assert f"`{SIGN}:18` ✓" in hard
    assert SIGN in section(note, "Dead ends")


def test_nested_repositories_and_submodules_are_told_and_not_looked_into(scout, repo, git, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    (other / "x").write_text("x")
    git(other, "add", ".")
    git(other, "commit", "-qm", "x")
    git(repo, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other), "lib")
    git(repo, "commit", "-qam", "with lib")
    scout(
        ("run", "git init -q inner && echo 1 > inner/file && git -C inner add . && git -C inner commit -qm inner"),
        ("run", "echo edited > lib/x"),
        ("exit", 0),
    )
    open_questions = section(the_note(repo), "Open questions")
    assert "`inner` is a repository (1 file in it)" in open_questions
    assert "`lib` is a submodule (1 file in it)" in open_questions


def test_checks_are_run_before_and_after_and_one_that_hangs_is_a_result(scout, repo):
    scout(
        ("run", EDIT),
        ("report", "# Done\n\nYes.\n"),
        options=("--check", "grep -q sha512 src/auth/signing.py", "--check", "sleep 600", "--timeout", "4"),
    )
    checks = section(the_note(repo), "Checks")
    assert "| `grep -q sha512 src/auth/signing.py` | exit 1 | passed |" in checks
    assert checks.count("hung: stopped at its time limit") == 2
    first = section(the_note(repo), "First next time")
    assert "sha512" not in first  # it failed at the base, which is what the task is for
    assert "Look at the check `sleep 600` first" in first


def test_what_checks_and_set_up_leave_is_not_the_agents(scout, repo):
    scout(("run", EDIT), ("report", "# Done\n\nYes.\n"), options=("--check", "echo made > made.txt"))
    assert "made.txt`" not in section(the_note(repo), "Files touched")


def test_dependencies_before_and_after_are_told(scout, repo, git):
    (repo / "package.json").write_text('{"dependencies": {"left-pad": "1.0.0"}}\n')
    git(repo, "add", ".")
    git(repo, "commit", "-qm", "package")
    changed = '{"dependencies": {"left-pad": "2.0.0"}, "devDependencies": {"turbo": "^2"}}\n'
    scout(("write", {"path": "package.json", "text": changed}), ("exit", 0))
    told = section(the_note(repo), "Dependencies")
    assert "| `left-pad` | `1.0.0` | `2.0.0` | `package.json` |" in told
    assert "| `turbo` | none | `^2` | `package.json` |" in told


def test_files_outside_the_part_that_the_task_is_about_are_named(scout, repo):
    scout(("run", EDIT), ("run", "echo more >> README.md"), ("exit", 0), options=("--path", "src/**"))
    outside = section(the_note(repo), "Outside the part that the task is about")
    assert "README.md" in outside
    assert SIGN not in outside


def test_progress_is_asked_for_outside_the_tree_and_is_in_the_note(scoutkit, repo):
    command = "cd .; file=$(grep -o '/[^`]*progress.md' | head -1); echo 'tried sha512: too long' >> $file; exit 1"
    said = scoutkit("scout", TASK, "--agent-cmd", command, "--isolate", "none")
    assert said.code == 4
    assert "tried sha512: too long" in section(the_note(repo), "Progress, as the agent kept it")
    assert not list(repo.glob("**/progress.md"))


def test_secrets_in_what_is_harvested_are_blotted_out(scout, repo):
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    scout(("run", f"git checkout -q -b t && git commit -q --allow-empty -m 'use {token}'"), ("run", f"false {token}"))
    assert token not in the_note(repo)
    for path in (repo / ".git/scoutkit/runs").rglob("*.json"):
        assert token not in path.read_text()


@pytest.mark.parametrize("report", ["# Long\n\n", REPORT])
def test_a_report_of_any_length_leaves_room_for_what_the_run_shows(scout, repo, monkeypatch, report):
    from scoutkit.knowledge import capture

    monkeypatch.setattr(capture, "LONGEST", 20_000)
    said = "yes 'some line of text' | head -c 300000"
    scout(("run", EDIT), ("say", [report, *["some line of text"] * 9000]), ("run", said))
    note = the_note(repo)
    assert len(note) < 20_000
    assert "`src/auth/signing.py` | modified | +1 -1" in note
    assert note.count("Cut here; ") == 1


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("-rw-r--r-- 1 root root 656 Nov 30 12:02 src/auth/signing.py", ""),
        (" create mode 100644 src/auth/signing.py", ""),
        ("\tmodified:   src/auth/signing.py", ""),
        ("- src/auth/signing.py: the digest had to be longer", "src/auth/signing.py: the digest had to be longer"),
    ],
)
def test_why_a_file_was_touched_is_what_somebody_said_and_no_listing(scout, repo, line, why):
    scout(("run", EDIT), ("report", f"# Done\n\n{line}\n"))
    assert f"`src/auth/signing.py` | modified | +1 -1 | {why} |" in the_note(repo)


def test_an_agent_that_cannot_is_told_with_one_that_can(scoutkit, repo):
    said = scoutkit("scout", TASK)
    assert said.code == 5
    assert "agent builtin cannot scout" in said.err
    assert "--agent claude, or --agent-cmd CMD" in said.err


def test_logs_tell_why_a_command_failed(scout, scoutkit):
    said = scout(("run", "echo fine"), ("run", "echo a; echo 'error: no such key' >&2; exit 3"), options=("--json",))
    log = scoutkit("run", "logs", said.json["run"]["id"]).out.splitlines()
    assert log[-1] == "(it failed: error: no such key)"
    assert sum("it failed" in line for line in log) == 1


def test_code_is_kept_for_some_days_if_asked_and_then_cleaned_away(scout, scoutkit, repo, git):
    binary = "head -c 300 /dev/zero > blob.bin; printf 'new\\n' > new.txt"
    scout(("run", EDIT), ("run", binary), ("report", "# Done\n\nYes.\n"), options=("--keep-code", "3"))
    patch = next((repo / ".git/scoutkit/runs").glob("*/code.patch"))
    assert str(patch.relative_to(repo)) in section(the_note(repo), "The code")
    git(repo, "apply", "--check", patch)
    git(repo, "apply", patch)
    assert (repo / "new.txt").read_text() == "new\n"
    assert (repo / "blob.bin").stat().st_size == 300
    assert scoutkit("clean").code == 0
    assert patch.exists()
    patch.with_name("code.json").write_text('{"until": "2020-01-01T00:00:00+00:00"}')
    assert "code.patch" in scoutkit("clean", "--dry-run").out
    assert patch.exists()
    assert "code.patch" in scoutkit("clean").out
    assert not patch.exists()


def test_without_being_asked_no_code_is_kept(scout, repo):
    scout(("run", EDIT), ("exit", 0))
    assert not list((repo / ".git/scoutkit").rglob("*.patch"))


def test_what_git_filters_an_agent_sets_up_are_not_run_by_the_harvest(scout, repo, tmp_path):
    mark = tmp_path / "ran"
    evil = f"sh -c 'touch {mark}; cat'"
    scout(
        ("run", f'git config filter.evil.clean "{evil}" && git config core.fsmonitor "{evil}"'),
        ("run", "echo '*.py filter=evil' > .gitattributes"),
        ("run", EDIT),
        ("run", f"rm -f {mark}"),
        ("exit", 0),
    )
    assert f"`{SIGN}` | modified | +1 -1" in the_note(repo)
    assert not mark.exists()


def test_a_worktree_that_the_agent_took_apart_still_gives_a_note(scout, repo):
    said = scout(("run", "echo x > x.txt; mkfifo pipe; ln -s /etc outside; rm -rf .git; git init -q"), ("exit", 0))
    assert said.code == 4
    assert "Traceback" not in said.err
    note = the_note(repo)
    assert "`x.txt` | added" in note
    assert "passwd" not in note


def test_afterwards_everything_of_the_run_is_gone(scout, repo, git):
    def held() -> int:
        """Bytes. What is being deleted meanwhile does not count."""
        total = 0
        for folder, _, names in os.walk(config.user_state()):
            for name in names:
                with contextlib.suppress(FileNotFoundError):
                    total += (Path(folder) / name).lstat().st_size
        return total

    count, sleep = git(repo, "count-objects", "-v"), sleeper()
    scout(
        ("run", "head -c 3000000 /dev/urandom > big && git checkout -q -b b && git add . && git commit -qm big"),
        ("spawn", sleep),
        ("report", "# Done\n\nYes.\n"),
    )
    until(lambda: held() == 0, "the trash is emptied")
    assert git(repo, "count-objects", "-v") == count
    assert running(sleep) == []


def test_a_scout_that_is_killed_leaves_what_it_did_to_the_next_command(scoutkit, repo, tmp_path):
    scenario = tmp_path / "scenario.toml"
    scenario.write_text(steps(("run", EDIT), ("run", "make nothing"), ("say", "waiting here"), ("delay", 600)))
    argv = [sys.executable, "-m", "scoutkit", "scout", TASK, "--agent", f"scripted:{scenario}", "--isolate", "none"]
    sent = subprocess.Popen(argv, cwd=repo, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    kept = ".git/scoutkit/runs/*/events.jsonl"
    until(lambda: any("waiting here" in one.read_text() for one in repo.glob(kept)))
    os.kill(sent.pid, 9)
    sent.communicate()
    assert "cut short" in scoutkit("list").err
    note = the_note(repo)
    assert "The run was killed" in note
    assert f"`{SIGN}` | modified | +1 -1" in note
    assert "`make nothing` never passed" in note
    assert list(repo.glob(".git/scoutkit/runs/*/evidence.json"))
    assert not list((config.user_state() / "runs").iterdir())


def test_without_isolation_it_is_refused(scoutkit, repo, tmp_path, monkeypatch):
    monkeypatch.setattr(sandbox, "_missing", lambda name: "not here")
    said = scoutkit("scout", TASK, "--agent", "scripted:demo")
    assert said.code == 6
    assert "hint:" in said.err
    assert not (repo / ".git/scoutkit/runs").exists()


@pytest.mark.skipif(not sandbox.possible()[0].ok, reason="no bwrap here")
@pytest.mark.parametrize(("command", "told"), [("{tool}", True), ("sh {tool}; exit 127", True), ("exit 3", False)])
def test_a_program_that_isolation_hides_is_told_with_the_way_out(scoutkit, tmp_path, command, told):
    tool = tmp_path / "my-agent"
    tool.write_text("#!/bin/sh\necho Yes.\n")
    tool.chmod(0o755)
    said = scoutkit("ask", "q", "--isolate", "bwrap", "--agent-cmd", command.replace("{tool}", str(tool)))
    assert said.code == 4
    assert ("it sees its worktree and the folders on PATH: --isolate none" in said.err) is told


@pytest.mark.skipif(not sandbox.possible()[0].ok, reason="no bwrap here")
def test_in_isolation_it_is_the_same(scout, repo):
    said = scout(
        ("run", EDIT),
        ("run", "git checkout -q -b topic && git commit -qam 'In there'"),
        ("run", "ls /root/.ssh || ls $HOME/.ssh"),
        ("report", "# Done\n\nYes.\n"),
        isolate="bwrap",
        options=("--check", "grep -q sha512 src/auth/signing.py"),
    )
    assert said.code == 0, said.err
    note = the_note(repo)
    assert "| In there |" in section(note, "Commits")
    assert "| exit 1 | passed |" in section(note, "Checks")
    assert f"`{SIGN}` | modified | +1 -1" in note


AT_STATE = """
import os, signal, sys
from scoutkit import commands
from scoutkit.dispatch.journal import Journal
state, when, argv = sys.argv[1], sys.argv[2], sys.argv[3:]
advance = Journal.advance
def killed(self, run_id, to, **fields):
    if when == "before" and to == state:
        os.kill(os.getpid(), signal.SIGKILL)
    row = advance(self, run_id, to, **fields)
    if when == "after" and to == state:
        os.kill(os.getpid(), signal.SIGKILL)
    return row
Journal.advance = killed
sys.exit(commands.run(argv))
"""


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("state", ["exited", "harvested", "written", "removed"])
def test_killed_at_any_step_it_ends_in_the_same_note(scoutkit, repo, tmp_path, state, when):
    scenario = tmp_path / "scenario.toml"
    scenario.write_text(steps(("run", EDIT), ("run", "make nothing"), ("report", REPORT)))
    argv = ["scout", TASK, "--agent", f"scripted:{scenario}", "--isolate", "none", "--keep-code", "2"]
    done = subprocess.run([sys.executable, "-c", AT_STATE, state, when, *argv], cwd=repo, capture_output=True)
    assert done.returncode == -9
    scoutkit("list")
    note = the_note(repo)
    assert f"`{SIGN}` | modified | +1 -1" in note
    assert "`make nothing` never passed" in note
    assert "Text needs an encoding" in note
    assert len(list(repo.glob(".git/scoutkit/runs/*/code.patch"))) == 1
    assert not list((config.user_state() / "runs").iterdir())


def test_places_in_commands_and_output_are_no_citations(scout, repo):
    said = scout(
        ("run", "sed -i 1i# src/auth/signing.py"),
        ("run", "make src/auth/signing.py:900"),
        (
            "run",
            "pytest tests/test_signing.py::test_sign; python -c 'raise SystemExit(\"src/auth/signing.py:1: Error\")'",
        ),
        ("report", "# Done\n\nYes.\n"),
        options=("--json", "--check", "sh -c 'echo README.md:3: error; exit 1' README.md:1"),
    )
    places = [(one["path"], one["end"]) for one in said.json["note"]["citations"]]
    assert (SIGN, 1) in places  # what was changed
    assert not {*places} - {(SIGN, 1), ("tests/test_signing.py", 1)}  # where pytest, if it is here, found it wanting
    assert "README.md:3: error" in section(the_note(repo), "Checks")


def test_checks_get_no_key_of_the_agents(scout, repo, monkeypatch):
    monkeypatch.setenv("MY_KEY", "hidden-from-checks")
    settings = config.user_config() / "config.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text('pass_env = ["MY_KEY"]\n')
    look = 'test -n "$MY_KEY"'
    scout(("run", look), ("report", "# Done\n\nYes.\n"), options=("--check", look))
    note = the_note(repo)
    assert f"| `{look}` | exit 1 | exit 1 |" in section(note, "Checks")
    assert re.search(rf"^passed +[\d.]+ s  {re.escape(look)}$", section(note, "Commands"), re.MULTILINE)


def test_the_same_task_is_answered_from_memory_and_a_question_is_not(scout, scoutkit, repo):
    scout(("run", EDIT), ("report", REPORT))
    said = scout(("exit", 3), options=("--json",))
    assert said.code == 0
    assert said.json["from_memory"] is True
    assert said.json["run"] is None
    assert scoutkit("ask", TASK, "--agent-cmd", "exit 1", "--isolate", "none").code == 4


def test_memory_answers_for_the_same_part_and_checks_alone(scout, repo, monkeypatch):
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    asked = ("--path", "./src/", "--check", "true", "--check", f"test {token} != ''", "--json")
    note = scout(("run", EDIT), ("report", REPORT), options=asked).json["note"]
    head = (repo / note["path"]).read_text().split("---\n")[1]
    assert "\npaths: [src]\nchecks: ['true'," in head
    assert token not in head
    again = ("--check", f"test {token} != ''", "--check", "true", "--path", "src", "--json")
    assert scout(("exit", 3), options=again).json["from_memory"] is True
    for other in (again[2:], again[:4], (*again, "--path", "tests")):
        assert scout(("exit", 3), options=other).code == 4


@pytest.mark.parametrize(
    ("options", "message", "hint"),
    [
        (("--check", " "), "a check is empty", "leave it out"),
        (("--path", ""), "a path is empty", "leave it out"),
        (("--path", "scr/**"), "no file of the base matches the path scr/**", "did you mean src/**?"),
        (("--path", "new/**"), "no file of the base matches the path new/**", "name the folder that it goes into"),
    ],
)
def test_what_no_scout_can_be_asked_is_a_usage_error(scout, repo, options, message, hint):
    said = scout(("exit", 0), options=options)
    assert said.code == 2
    assert f"error: {message}\nhint: " in said.err
    assert hint in said.err
    assert not (repo / ".git/scoutkit/runs").exists()


def test_paths_are_taken_from_where_one_stands_else_from_the_root(scoutkit, repo, tmp_path):
    scenario = tmp_path / "scenario.toml"
    scenario.write_text(steps(("run", "echo more >> README.md"), ("report", REPORT)))
    for glob in ("auth/*.py", "src/auth/*.py", str(repo / "src/auth/*.py")):
        argv = ("scout", TASK, "--agent", f"scripted:{scenario}", "--isolate", "none", "--path", glob)
        said = scoutkit(*argv, cwd=repo / "src")
        assert said.code == 0, said.err
    assert "\npaths: [src/auth/*.py]\n" in the_note(repo)  # one note: the others were answered by it


@pytest.mark.parametrize(("command", "noun"), [("scout", "task"), ("research", "question"), ("ask", "question")])
def test_an_empty_task_is_called_by_its_name(scoutkit, command, noun):
    said = scoutkit(command, " ", *(("--repo", ".") if command == "research" else ()))
    assert said.code == 2
    assert f"the {noun} is empty" in said.err


def test_no_path_of_the_discarded_worktree_stays_in_the_note(scoutkit, repo):
    report = 'echo "# In $PWD/src"; echo "See $PWD/src/auth/signing.py:12-14, \\`sign\\`; kept in $TMPDIR/log."'
    wrong = "echo $PWD/src/auth/signing.py:3: error: bad >&2; exit 1"
    command = f"{report}; echo 'It stopped.'; echo lost in $PWD/src >&2; exit 3"
    said = scoutkit("scout", TASK, "--agent-cmd", command, "--isolate", "none", "--check", wrong)
    assert said.code == 4
    note = the_note(repo)
    assert "See src/auth/signing.py:12-14 ✓, `sign`; kept in ‹scratch›/tmp/log." in note
    assert "src/auth/signing.py:3: error: bad" in section(note, "Checks")
    assert "lost in src" in note
    assert str(config.user_state()) not in note
    kept = next((repo / ".git/scoutkit/runs").glob("*/evidence.json")).read_text()
    assert str(config.user_state()) not in kept


def test_verdicts_are_where_citations_are_said_and_not_in_tables(scout, repo):
    why = f"- `{SIGN}` needs another digest (`{SIGN}:13`, `hmac.new`)"
    scout(("run", EDIT), ("report", f"# Done\n\n{why}\n"))
    row = section(the_note(repo), "Files touched")
    assert f"needs another digest (`{SIGN}`, `hmac.new`) |" in row
    assert "✓" not in row
