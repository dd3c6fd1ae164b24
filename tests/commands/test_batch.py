"""`batch`, end to end with real agents: what is sent, what is not sent again, what a kill leaves."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from waiting import PATIENCE, until

from scoutkit import config

SOURCE = Path(__file__).parents[2] / "benchmarks/batch.py"
spec = importlib.util.spec_from_file_location("batch_kills", SOURCE)
assert spec
assert spec.loader
kills = importlib.util.module_from_spec(spec)
spec.loader.exec_module(kills)

SAYS = "echo '# Found'; echo; echo 'It is in `src/auth/signing.py:12-14`, `sign`.'"
OPTIONS = ("--isolate", "none")


@pytest.fixture
def batch(scoutkit, tmp_path):
    """Send the missions of a text: `batch("a\nb", "--json")`."""

    def call(text: str, *options: str, command: str = SAYS, name: str = "missions.txt"):
        path = tmp_path / name
        path.write_text(text)
        given = () if "--agents" in options or "--agent" in options else ("--agent-cmd", command)
        return scoutkit("batch", path, *given, *OPTIONS, *options)

    return call


def user_agents(**commands: str) -> None:
    path = config.user_config() / "config.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"[agents.{name}]\ncommand = {json.dumps(text)}\n" for name, text in commands.items()))


def states(said) -> list[str]:
    return [one["state"] for one in said.json["missions"]]


def test_every_line_becomes_a_note_and_the_same_question_is_sent_once(batch, repo):
    said = batch("Where is it?\n# no\nWhy?\nwhere IS it\n", "--json")
    assert said.code == 0, said.err
    assert states(said) == ["done", "done"]
    assert [one["mission"]["recall"] for one in plan(repo)["tasks"]] == [True, True]
    assert "missions.txt:4: the same as line 1: sent once" in said.err
    assert len(list((repo / ".claude/notes").glob("*.md"))) == 2
    assert not list((config.user_state() / "runs").iterdir())


def test_a_note_that_answers_is_shown_instead_of_sending(batch, scoutkit):
    batch("Where is it?\n")
    said = batch("where is it\nAnd this?\n", "--json")
    assert states(said) == ["remembered", "done"]
    assert said.json["missions"][0]["run"] is None
    assert said.json["missions"][0]["note"]["status"] == "stable"
    assert states(batch("where is it\n", "--force", "--json")) == ["done"]


def test_a_table_stands_at_the_end(batch):
    said = batch("Where is it?\n")
    assert said.out.splitlines()[0].split() == ["#", "STATE", "AGENT", "TIME", "NOTE", "QUESTION"]
    assert said.out.splitlines()[1].startswith("1  done   command")
    assert "  .claude/notes/" in said.err


def test_tags_and_limits_are_the_missions_own(batch, scoutkit):
    raw = '{"text": "slow", "limits": {"timeout": 3}, "tags": ["late"]}\n{"text": "fast", "tags": ["a", "b"]}\n'
    said = batch(raw, "--json", name="m.jsonl", command=f"{SAYS}; grep -q slow && sleep 600; true")
    assert said.code == 4
    slow, fast = said.json["missions"]
    assert (slow["state"], slow["run"]["result"], slow["note"]["status"]) == ("failed", "timeout", "draft")
    assert (fast["state"], fast["note"]["tags"], slow["note"]["tags"]) == ("done", ["a", "b"], ["late"])
    assert "1 of 2 missions not answered" in said.err
    assert "--resume" in said.err


def test_what_is_urgent_goes_first_and_what_depends_waits(batch, tmp_path):
    log = tmp_path / "order"
    raw = '{"text": "last", "depends_on": ["b"]}\n{"text": "middle", "id": "b"}\n{"text": "first", "priority": 9}\n'
    command = f"grep -oE -m1 'first|middle|last' >> '{log}'; {SAYS}"
    assert batch(raw, "--jobs", "1", command=command, name="m.jsonl").code == 0
    assert log.read_text().split() == ["first", "middle", "last"]


def test_what_depends_on_a_failure_is_not_sent(batch):
    raw = '{"text": "a"}\n{"text": "b", "depends_on": 1}\n{"text": "c", "depends_on": 2}\n{"text": "d"}\n'
    said = batch(raw, "--json", name="m.jsonl", command=f"grep -q '^a$' && exit 3; {SAYS}")
    assert states(said) == ["failed", "blocked", "blocked", "done"]


def test_bad_lines_are_all_named_in_one_go_and_nothing_is_sent(batch, scoutkit, tmp_path):
    rows = [
        {"text": "a", "agent": "clawd", "base": "never"},
        {"text": "b", "base": "nope"},
        {"text": "c"},
        {"txt": "d", "agent": "clawd", "paths": ["scr/*"]},
        {"text": "e", "kind": "research", "repos": [f"{tmp_path}/no", f"{tmp_path}/none"], "template": "no-such"},
        {"text": "g", "paths": ["src", "scr/**"]},
    ]
    said = batch("".join(f"{json.dumps(row)}\n" for row in [*rows, {"text": "f", "tags": [1]}]), name="m.jsonl")
    assert said.code == 2
    lines = [line for line in said.err.splitlines() if re.search(r"/m\.jsonl:\d", line)]
    expected = [
        (1, "no such revision: never"), (1, "unknown agent: clawd"), (2, "no such revision: nope"), (4, "no text"),
        (4, "unknown agent: clawd"), (4, "unknown key 'txt': did you mean text?"),
        (4, "no file of the base matches the path scr/*"),
        (5, f"no such folder: {tmp_path}/no "), (5, f"no such folder: {tmp_path}/none"),
        (5, "no-such"), (6, "no file of the base matches the path scr/** (did you mean src/**?)"),
        (7, "tags must be text, not 1"),
    ]  # fmt: skip
    assert len(lines) == len(expected), lines
    for number, what in expected:
        assert any(f"m.jsonl:{number}: " in line and what in line for line in lines), (number, what, lines)
    assert "6 bad lines" in said.err
    assert scoutkit("runs", "--json").json["runs"] == []
    assert scoutkit("batch", "--list", "--json").json["batches"] == []


@pytest.mark.parametrize(
    "args", [[], ["a", "--list"], ["--resume", "--agent", "builtin"], ["a", "--agents", "x,y", "--agent", "z"], ["no"]]
)
def test_what_cannot_be_meant_is_a_usage_error(scoutkit, args):
    said = scoutkit("batch", *args)
    assert said.code == 2
    assert "hint: " in said.err


def test_several_agents_give_a_second_opinion_and_one_note_compares_them(scoutkit, repo):
    one = "echo '# One'; echo; echo '`sign` is in `src/auth/signing.py:12-14`, and see `README.md:3`.'"
    two = "ls .claude/notes; echo '# Two'; echo; echo '`mac` is in `src/auth/signing.py:13-14`; no `gone.py:4`.'"
    user_agents(one=one, two=two)
    said = scoutkit("batch", "-", "--agents", "one,two", *OPTIONS, "--json", stdin="Where is it signed?\n")
    assert said.code == 0, said.err
    assert [(one["agent"], one["state"]) for one in said.json["missions"]] == [("one", "done"), ("two", "done")]
    assert [one["mission"]["recall"] for one in plan(repo)["tasks"]] == [False, False]  # they are told of no notes
    (made,) = said.json["comparisons"]
    assert [(c["path"], c["start"]) for c in made["note"]["citations"]] == [
        ("src/auth/signing.py", 12),
        ("README.md", 3),
        ("src/auth/signing.py", 13),
    ]
    body = scoutkit("show", made["note"]["id"], "--json").json["note"]["body"]
    assert "- `src/auth/signing.py:12-14` (`SessionSigner.sign`) one; `src/auth/signing.py:13-14`" in body
    assert "## Only one\n\n- `README.md:3`" in body
    assert "- two: `gone.py:4`" in body
    assert scoutkit("check", made["note"]["id"]).code == 0
    again = scoutkit("batch", "-", "--agents", "one,two", *OPTIONS, "--json", stdin="Where is it signed?\n")
    assert states(again) == ["remembered", "remembered"]


def plan(repo: Path) -> dict:
    """Of the only batch."""
    (path,) = (repo / ".git/scoutkit/batches").glob("*/plan.json")
    return json.loads(path.read_bytes())


def test_an_agent_of_the_same_name_does_not_answer_with_the_others_note(scoutkit, tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.toml").write_text(f'[[step]]\nreport = "# {name} says it is in README.md:1"\n')
    agents = f"scripted:{tmp_path}/a.toml,scripted:{tmp_path}/b.toml"
    for states_expected in (["done", "done"], ["remembered", "done"]):
        said = scoutkit("batch", "-", "--agents", agents, *OPTIONS, "--json", stdin="Where?\n")
        assert states(said) == states_expected


def test_a_later_mission_is_told_what_an_earlier_one_found_and_a_second_opinion_is_not(batch, scoutkit, tmp_path):
    def keeps(name: str) -> str:
        said = (
            "echo '# The session cookie is signed by SessionSigner'; echo; echo 'In `src/auth/signing.py:12`, `sign`.'"
        )
        return f"cat >> '{tmp_path}/{name}'; echo NEXT >> '{tmp_path}/{name}'; {said}"

    raw = '{"text": "Where is the session cookie signed?", "id": "a"}\n'
    raw += '{"text": "Who signs the session cookie and verifies it?", "depends_on": "a"}\n'
    said = batch(raw, "--jobs", "1", "--json", command=keeps("told"), name="m.jsonl")
    assert states(said) == ["done", "done"]
    earlier = said.json["missions"][0]["note"]["id"]
    assert f"told what notes say that hold: {earlier}" in said.err
    assert "told what" not in scoutkit("batch", "--resume", said.json["batch"]["id"]).err  # that was heard
    first, second, _ = (tmp_path / "told").read_text().split("NEXT\n")
    assert earlier not in first
    assert earlier in second
    user_agents(one=keeps("untold"), two=keeps("untold"))
    asked = "How is the session cookie signed by SessionSigner?\n"
    said = scoutkit("batch", "-", "--agents", "one,two", "--jobs", "1", *OPTIONS, "--json", stdin=asked)
    assert states(said) == ["done", "done"]
    prompts = (tmp_path / "untold").read_text().split("NEXT\n")[:2]
    assert ["session cookie" in text for text in prompts] == [True, True]
    notes = [hit["id"] for hit in scoutkit("list", "--json").json["hits"]]
    assert len(notes) == 5
    assert not [one for one in notes for text in prompts if one in text]


def test_what_failed_is_sent_once_more_and_what_is_done_is_not(batch, scoutkit, tmp_path, repo):
    mark = tmp_path / "mark"
    command = f"grep -q '^a$' && ! mkdir '{mark}' || {{ grep -q . ; }}; test -d '{mark}/go' || exit 3; {SAYS}"
    said = batch("a\n", "--json", command=command)
    assert states(said) == ["failed"]
    (mark / "go").mkdir(parents=True)
    said = scoutkit("batch", "--resume", "--json")
    assert (said.code, states(said)) == (0, ["done"])
    draft = next((repo / ".claude/notes/drafts").glob("*.md")).read_text()
    assert f"superseded_by: {said.json['missions'][0]['note']['id']}" in draft
    said = scoutkit("batch", "--resume")
    assert said.code == 1
    assert "no batch has anything left to do" in said.err


def test_what_failed_twice_is_sent_again_only_by_force(batch, scoutkit, tmp_path):
    log = tmp_path / "log"
    raw = '{"text": "a"}\n{"text": "b", "depends_on": 1}\n{"text": "c", "depends_on": 2}\n'
    said = batch(raw, name="m.jsonl", command=f"echo x >> '{log}'; exit 3")
    assert "sends once more what failed" in said.err
    made = scoutkit("batch", "--list", "--json").json["batches"][0]
    assert (made["state"], made["failed"]) == ("unfinished", 1)
    for sent in (3, 0):  # nothing is left: what depends on a failure cannot be sent
        said = scoutkit("batch", "--resume", made["id"])
        assert said.code == 4
        assert f": {sent} missions to send" in said.err
        assert "--force tries again" in said.err
        assert log.read_text().count("x") == 2
    assert scoutkit("batch", "--resume").code == 1
    assert scoutkit("batch", "--list", "--json").json["batches"][0]["state"] == "failed"
    scoutkit("batch", "--resume", made["id"], "--force")
    assert log.read_text().count("x") == 3


def start(repo: Path, *args: str) -> subprocess.Popen[bytes]:
    argv = [sys.executable, "-m", "scoutkit", "batch", *args]
    return subprocess.Popen(argv, cwd=repo, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def errands(batch: subprocess.Popen[bytes]) -> list[psutil.Process]:
    """The processes of a batch's runs; it starts git too, which comes and goes."""
    found = []
    for one in psutil.Process(batch.pid).children():
        with contextlib.suppress(psutil.NoSuchProcess):
            found += [one] if "scoutkit.stories.errand" in one.cmdline() else []
    return found


def transcripts(repo: Path) -> int:
    return sum(b"far" in path.read_bytes() for path in (repo / ".git/scoutkit/runs").glob("*/transcript.txt"))


def test_interrupted_it_keeps_what_was_found_and_goes_on_later(scoutkit, repo, tmp_path):
    (tmp_path / "m.txt").write_text("a\nb\nc\n")
    slow = f"test -e '{tmp_path}/go' || {{ echo so far; sleep 600; }}; {SAYS}"
    going = start(repo, str(tmp_path / "m.txt"), "--jobs", "2", "--agent-cmd", slow, *OPTIONS)
    until(lambda: transcripts(repo) == 2)
    going.send_signal(signal.SIGINT)
    _, err = going.communicate(timeout=PATIENCE)
    assert going.returncode == 130, err
    assert len(list((repo / ".claude/notes/drafts").glob("*.md"))) == 2
    assert not list((config.user_state() / "runs").iterdir())
    (tmp_path / "go").touch()
    said = scoutkit("batch", "--resume", "--json")
    assert states(said) == ["done"] * 3
    assert len(list((repo / ".claude/notes").glob("*.md"))) == 3


def test_a_run_that_outlives_its_batch_is_waited_for_and_not_sent_again(scoutkit, repo, tmp_path):
    (tmp_path / "m.txt").write_text("a\n")
    slow = f"echo so far; while ! test -e '{tmp_path}/go'; do sleep 0.05; done; {SAYS}"
    going = start(repo, str(tmp_path / "m.txt"), "--agent-cmd", slow, *OPTIONS)
    until(lambda: transcripts(repo) == 1)
    os.kill(going.pid, signal.SIGKILL)
    going.communicate()
    again = start(repo, "--resume", "--json")
    time.sleep(0.5)
    (made,) = scoutkit("batch", "--list", "--json").json["batches"]
    (tmp_path / "go").touch()
    out, err = again.communicate(timeout=PATIENCE)
    assert again.returncode == 0, err
    assert made["state"] in {"unfinished", "running"}
    assert [one["state"] for one in json.loads(out)["missions"]] == ["done"]
    assert len(scoutkit("runs", "--json").json["runs"]) == 1


def test_a_batch_that_goes_on_is_not_taken_up_twice(scoutkit, repo, tmp_path):
    (tmp_path / "m.txt").write_text("a\n")
    going = start(repo, str(tmp_path / "m.txt"), "--agent-cmd", "echo so far; sleep 600", *OPTIONS)
    until(lambda: transcripts(repo) == 1)
    (made,) = scoutkit("batch", "--list", "--json").json["batches"]
    said = scoutkit("batch", "--resume", made["id"])
    assert made["state"] == "running"
    assert (said.code, "is going on already" in said.err) == (1, True)
    going.send_signal(signal.SIGTERM)
    assert going.wait(PATIENCE) == 130


def test_two_batches_at_once_are_each_done_and_every_note_is_there_once(scoutkit, repo, tmp_path):
    going = []
    for mine, other in (("a", "b"), ("b", "a")):
        (tmp_path / mine).write_text(f"{mine} 0\n{mine} 1\n")
        meets = f"touch '{tmp_path}/{mine}-began'; while ! test -e '{tmp_path}/{other}-began'; do sleep 0.02; done"
        args = ("--jobs", "2", "--json", "--agent-cmd", f"{meets}; {SAYS}", *OPTIONS)
        going.append(start(repo, str(tmp_path / mine), *args))
    for one in going:
        out, err = one.communicate(timeout=PATIENCE)
        assert one.returncode == 0, err
        assert [mission["state"] for mission in json.loads(out)["missions"]] == ["done"] * 2
        assert b"error" not in err
        assert b"lock" not in err
    texts = sorted(run["text"] for run in scoutkit("runs", "--json").json["runs"])
    assert texts == ["a 0", "a 1", "b 0", "b 1"]
    assert len(list((repo / ".claude/notes").rglob("*.md"))) == 4
    assert [one["state"] for one in scoutkit("batch", "--list", "--json").json["batches"]] == ["done"] * 2
    assert not list((config.user_state() / "runs").iterdir())


def test_a_run_whose_process_dies_leaves_a_draft_and_is_sent_again_by_resume(scoutkit, repo, tmp_path):
    (tmp_path / "m.txt").write_text("a\n")
    slow = f"test -e '{tmp_path}/go' || {{ echo so far; sleep 600; }}; {SAYS}"
    going = start(repo, str(tmp_path / "m.txt"), "--agent-cmd", slow, *OPTIONS)
    until(lambda: transcripts(repo) == 1)
    (errand,) = errands(going)
    errand.kill()
    _, err = going.communicate(timeout=PATIENCE)
    assert going.returncode == 4, err
    assert "so far" in next((repo / ".claude/notes/drafts").glob("*.md")).read_text()
    assert not list((config.user_state() / "runs").iterdir())
    (tmp_path / "go").touch()
    for times in (1, 2):
        said = scoutkit("batch", "--resume", made_id(scoutkit), "--json")
        assert (said.code, states(said)) == (0, ["done"]), times


def test_runs_that_are_cut_short_with_their_batch_are_sent_again_by_one_resume(scoutkit, repo, tmp_path):
    (tmp_path / "m.txt").write_text("a\nb\nc\n")
    slow = f"test -e '{tmp_path}/go' || {{ echo so far; sleep 600; }}; {SAYS}"
    going = start(repo, str(tmp_path / "m.txt"), "--jobs", "2", "--agent-cmd", slow, *OPTIONS)
    until(lambda: transcripts(repo) == 2)
    for one in [psutil.Process(going.pid), *psutil.Process(going.pid).children(recursive=True)]:
        with contextlib.suppress(psutil.NoSuchProcess):
            one.kill()
    going.communicate()
    (tmp_path / "go").touch()
    said = scoutkit("batch", "--resume", "--json")
    assert (said.code, states(said)) == (0, ["done"] * 3)
    assert len(list((repo / ".claude/notes").glob("*.md"))) == 3
    drafts = [path.read_text() for path in (repo / ".claude/notes/drafts").glob("*.md")]
    assert [("so far" in text, "status: deprecated" in text) for text in drafts] == [(True, True)] * 2
    assert len(scoutkit("runs", "--json").json["runs"]) == 5


def made_id(scoutkit) -> str:
    return scoutkit("batch", "--list", "--json").json["batches"][0]["id"]


def test_with_here_it_goes_on_in_the_worktree_that_it_was_begun_in(scoutkit, repo, git, tmp_path):
    git(repo, "worktree", "add", "-q", "--detach", tmp_path / "linked")
    (tmp_path / "m.txt").write_text("a\n")
    fails = f"test -e '{tmp_path}/go' || exit 3; {SAYS}"
    args = ("--here", "batch", tmp_path / "m.txt", "--agent-cmd", fails, *OPTIONS)
    assert scoutkit(*args, cwd=tmp_path / "linked").code == 4
    (tmp_path / "go").touch()
    assert scoutkit("batch", "--resume").code == 0
    assert list((tmp_path / "linked/.claude/notes").glob("*.md"))
    assert not list((repo / ".claude").glob("notes/*.md"))


@pytest.mark.parametrize("seed", range(2))
def test_killed_at_random_moments_every_mission_has_one_note_and_nothing_is_left(tmp_path, fill, seed):
    folder = tmp_path / "kills"
    fill(folder / ".cache/scoutkit")
    repo, env = kills.prepare(folder)
    chance = random.Random(seed)
    wrong, _ = kills.play(repo, env, missions=4, jobs=2, kills=2, whole=seed % 2, chance=chance, within=2.0)
    assert not wrong


def test_the_end_is_told_by_the_users_command(batch, tmp_path):
    path = config.user_config() / "config.toml"
    path.parent.mkdir(parents=True)
    path.write_text(f"notify = \"cat > '{tmp_path}/told'; exit 3\"\n")
    said = batch("a\nb\n", command=f"grep -q '^a$' && exit 3; {SAYS}")
    told = (tmp_path / "told").read_text().splitlines()
    assert "1 done, 1 failed" in told[0]
    assert told[1].startswith("1 command failed: a: ")
    assert "ended with 3" in said.err
    assert said.code == 4


def test_scouts_and_research_are_missions_as_any_other(batch, repo, scoutkit):
    raw = json.dumps({"text": "try it", "kind": "scout", "checks": ["test -e new"], "paths": ["src/**"]}) + "\n"
    raw += json.dumps({"text": "can it be?", "kind": "research", "repos": [f"{repo}"]}) + "\n"
    raw += json.dumps({"text": "where?", "paths": ["src/auth"]}) + "\n"
    command = "touch new; echo '# Tried'; echo; echo 'In `src/auth/signing.py:12`: `sign`.'"
    said = batch(raw, "--json", name="m.jsonl", command=command)
    assert said.code == 0, said.err
    assert [one["note"]["type"] for one in said.json["missions"]] == ["scout", "research", "ask"]
    assert said.json["missions"][2]["text"] == "where?\n\nIt is about `src/auth`."
    body = scoutkit("show", said.json["missions"][0]["note"]["id"], "--json").json["note"]["body"]
    assert "test -e new" in body
