"""The journal: forward only, durable, one finisher, clear about what it cannot read."""

from __future__ import annotations

import contextlib
import os
import signal
import sqlite3
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoutkit import process
from scoutkit.dispatch import pulse
from scoutkit.dispatch.journal import Journal, abandoned
from scoutkit.errors import NotFound, ScoutError
from scoutkit.model.missions import Kind, Limits, Owner, Result, Run, State, Usage

ORDER = list(State)


def a_run(run_id: str = "7k3m9q2d") -> Run:
    return Run(
        id=run_id,
        kind=Kind.ASK,
        text="Where is the cookie signed?",
        base="3f2a" * 10,
        agent="scripted",
        state=State.CREATED,
        isolation="none",
        started="2026-11-29T12:00:00+00:00",
        folder=f"/nowhere/{run_id}",
        limits=Limits(timeout=None, output_bytes=7),
    )


def somebody_dead() -> Owner:
    """A process of this machine that was, and is not."""
    with subprocess.Popen(["sleep", "60"]) as popen:
        owner = process.identify(popen.pid)
        popen.kill()
    assert owner
    return owner


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with Journal(tmp_path / "state" / "journal.db") as opened:
        yield opened


def disown(journal: Journal, run_id: str, owner: Owner) -> Run:
    return journal.note(run_id, owner=owner)


def test_reading_a_journal_that_is_not_there_finds_nothing_and_makes_nothing(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "state" / "journal.db")
    assert journal.runs() == []
    assert journal.unfinished() == []
    with pytest.raises(NotFound, match="no run 'x'"):
        journal.get("x")
    assert not (tmp_path / "state").exists()


def test_a_run_comes_back_as_it_was_written(journal: Journal) -> None:
    made = journal.create(replace(a_run(), state=State.WRITTEN))
    assert made.state is State.CREATED
    assert made.owner == process.identify()
    assert journal.get(made.id) == made
    ended = journal.advance(
        made.id,
        State.EXITED,
        child=Owner(5, 1.25, "b", "h"),
        result=Result.BUDGET,
        exit=-9,
        reason="too much",
        seconds=1.5,
        usage=Usage(1, None, 0.25),
        model="m",
        version="v",
        note_id="n",
        note_path="p\0q",
    )
    with Journal(journal.path) as other:
        assert other.get(made.id) == ended
    assert (ended.result, ended.usage, ended.limits.timeout) == (Result.BUDGET, Usage(1, None, 0.25), None)


@given(text=st.text(st.characters(), max_size=20), folder=st.binary(min_size=1, max_size=20))
@settings(max_examples=20, deadline=None)
def test_any_text_and_any_path_survive(tmp_path_factory: pytest.TempPathFactory, text: str, folder: bytes) -> None:
    run = replace(a_run(), text=text + "\ud800", folder=os.fsdecode(folder), reason=text)
    with Journal(tmp_path_factory.mktemp("any") / "journal.db") as journal:
        journal.create(run)
        assert replace(journal.get(run.id), owner=None) == run


@given(st.lists(st.sampled_from(ORDER), max_size=8))
@settings(max_examples=20, deadline=None)
def test_a_run_only_ever_goes_forward(tmp_path_factory: pytest.TempPathFactory, steps: list[State]) -> None:
    with Journal(tmp_path_factory.mktemp("forward") / "journal.db") as journal:
        at = journal.create(a_run()).state
        for number, state in enumerate(steps):
            if ORDER.index(state) > ORDER.index(at):
                at = journal.advance("7k3m9q2d", state, reason=str(number)).state
                assert at is state
                assert journal.get("7k3m9q2d").reason == str(number)
            else:
                before = journal.get("7k3m9q2d")
                with pytest.raises(ScoutError, match=f"is {at} already"):
                    journal.advance("7k3m9q2d", state, reason="never")
                assert journal.get("7k3m9q2d") == before
            assert [run.id for run in journal.unfinished()] == ([] if at is State.REMOVED else ["7k3m9q2d"])


def test_each_step_has_its_time_and_is_synced(journal: Journal) -> None:
    journal.create(a_run())
    journal.advance("7k3m9q2d", State.RUNNING)
    db = sqlite3.connect(journal.path)
    created, running, exited = db.execute("SELECT created_at, running_at, exited_at FROM runs").fetchone()
    assert created <= running
    assert exited is None
    assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    db.close()
    assert journal._db
    assert journal._db.execute("PRAGMA synchronous").fetchone() == (2,), "FULL"


def test_a_note_takes_no_step(journal: Journal) -> None:
    journal.create(a_run())
    assert journal.note("7k3m9q2d", model="m").model == "m"
    assert journal.get("7k3m9q2d").state is State.CREATED
    for wrong in ({"state": State.REMOVED}, {"id": "x"}, {"colour": "red"}):
        with pytest.raises(TypeError):
            journal.note("7k3m9q2d", **wrong)
    with pytest.raises(NotFound):
        journal.note("other", model="m")


def test_the_file_is_the_users_alone(journal: Journal) -> None:
    journal.create(a_run())
    for file in journal.path.parent.iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600, file
    assert stat.S_IMODE(journal.path.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize("name", ["\udcff", "é", "\0", ""])
def test_a_name_that_no_run_can_have_is_not_found(journal: Journal, name: str) -> None:
    journal.create(a_run("abc1"))
    with pytest.raises(NotFound, match="no run"):
        journal.get(name)


def test_a_run_is_found_by_a_prefix_that_is_its_alone(journal: Journal) -> None:
    for name in ("abc1", "abc2", "abd", "ab"):
        journal.create(a_run(name))
    assert journal.get("abd").id == "abd"
    assert journal.get("ab").id == "ab", "a whole id is no prefix"
    with pytest.raises(NotFound, match="may be any of several runs: abc1, abc2") as caught:
        journal.get("abc")
    assert caught.value.hint
    for nothing in ("", "%", "_bc1", "abc11", "' OR 1"):
        with pytest.raises(NotFound):
            journal.get(nothing)


def test_an_id_is_given_once(journal: Journal) -> None:
    journal.create(a_run())
    with pytest.raises(ScoutError, match="already a run 7k3m9q2d"):
        journal.create(a_run())
    assert len(journal.runs()) == 1


def test_runs_are_listed_newest_first(journal: Journal) -> None:
    for name in ("one", "two", "three"):
        journal.create(a_run(name))
    journal.advance("two", State.REMOVED)
    assert [run.id for run in journal.runs()] == ["three", "two", "one"]
    assert [run.id for run in journal.runs(limit=2)] == ["three", "two"]
    assert [run.id for run in journal.runs(newest_first=False, limit=1)] == ["one"]
    assert [run.id for run in journal.unfinished()] == ["one", "three"]


# Who finishes a run


def test_a_run_is_abandoned_once_its_owner_died(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    mine, lost = journal.create(a_run("mine")), journal.create(a_run("lost"))
    lost = disown(journal, lost.id, somebody_dead())
    assert abandoned(journal.unfinished()) == [lost]
    monkeypatch.setenv(process.RUN_MARK, "lost")
    assert abandoned([mine, lost]) == [], "an agent's own scoutkit is part of that run"


def test_only_the_run_of_a_dead_owner_can_be_claimed(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    run = journal.create(a_run())
    me = process.identify()
    assert me
    assert run.owner
    assert not journal.claim(run, me), "its owner lives"
    far = disown(journal, run.id, replace(run.owner, pid=2**22 + 1, boot="another", host="elsewhere/1/2"))
    assert not journal.claim(far, me), "nobody here can tell whether its owner lives"
    lost = disown(journal, run.id, somebody_dead())
    assert not journal.claim(far, me), "it has changed hands"
    monkeypatch.setenv(process.RUN_MARK, run.id)
    assert not journal.claim(lost, me), "this process is part of it"
    monkeypatch.delenv(process.RUN_MARK)
    assert journal.claim(lost, me)
    assert journal.get(run.id).owner == me
    assert not journal.claim(lost, me), "it was claimed"


def test_a_finished_run_is_not_claimed(journal: Journal) -> None:
    journal.create(a_run())
    lost = disown(journal, "7k3m9q2d", somebody_dead())
    journal.advance("7k3m9q2d", State.REMOVED)
    me = process.identify()
    assert me
    assert not journal.claim(lost, me)


CLAIM = """
import sys, time
from pathlib import Path
from scoutkit import process
from scoutkit.dispatch.journal import Journal, abandoned
journal = Journal(Path(sys.argv[1]))
lost = abandoned(journal.unfinished())
print("ready", flush=True)
sys.stdin.readline()
print(*[run.id for run in lost if journal.claim(run, process.identify())], flush=True)
sys.stdin.readline()  # live on: a claimer that died could be robbed
"""


def test_of_many_claimers_one_gets_each_run(journal: Journal) -> None:
    names = [f"run{number}" for number in range(12)]
    dead = somebody_dead()
    for name in names:
        journal.create(a_run(name))
        disown(journal, name, dead)
    pipe = subprocess.PIPE
    argv = [sys.executable, "-c", CLAIM, str(journal.path)]
    racers = [subprocess.Popen(argv, stdin=pipe, stdout=pipe, text=True) for _ in range(5)]
    for racer in racers:
        assert racer.stdout
        assert racer.stdout.readline() == "ready\n"
    for racer in racers:
        assert racer.stdin
        racer.stdin.write("go\n")
        racer.stdin.flush()
    taken = [name for racer in racers if racer.stdout for name in racer.stdout.readline().split()]
    for racer in racers:
        racer.communicate("done\n")
        assert racer.returncode == 0
    assert sorted(taken) == sorted(names)


CREATE = """
import sys
from pathlib import Path
from scoutkit.dispatch.journal import Journal
from scoutkit.model.agents import *
from scoutkit.model.missions import *
sys.stdin.readline()
for number in range(5):
    name = f"{sys.argv[2]}-{number}"
    run = Run(name, Kind.ASK, "q", "0" * 40, "x", State.CREATED, "none", "2026-11-29T12:00:00+00:00", "/x")
    journal = Journal(Path(sys.argv[1]))
    journal.create(run)
    journal.advance(name, State.RUNNING)
    journal.close()
"""


def test_many_commands_at_once_may_make_the_journal(tmp_path: Path) -> None:
    path = tmp_path / "state" / "journal.db"
    argv = [sys.executable, "-c", CREATE, str(path)]
    racers = [subprocess.Popen([*argv, str(number)], stdin=subprocess.PIPE) for number in range(6)]
    for racer in racers:
        assert racer.stdin
        racer.stdin.write(b"go\n")
        racer.stdin.flush()
    for racer in racers:
        racer.communicate()
        assert racer.returncode == 0
    with Journal(path) as journal:
        assert len(journal.runs()) == 30
        assert {run.state for run in journal.runs()} == {State.RUNNING}


STEPS = """
import sys
from pathlib import Path
from scoutkit.dispatch.journal import Journal
from scoutkit.model.agents import *
from scoutkit.model.missions import *
journal = Journal(Path(sys.argv[1]))
number = 0
while True:
    number += 1
    name = f"{sys.argv[2]}-{number}"
    journal.create(Run(name, Kind.ASK, "q", "0" * 40, "x", State.CREATED, "none", "2026-11-29T12:00:00+00:00", "/x"))
    for state in list(State)[1:]:
        journal.advance(name, state, reason=state)
        print(name, state, flush=True)
"""


def test_what_was_said_to_be_done_outlives_kill_9(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    for trial in range(4):
        with subprocess.Popen([sys.executable, "-c", STEPS, str(path), str(trial)], stdout=subprocess.PIPE) as popen:
            assert popen.stdout
            popen.stdout.readline()
            time.sleep(0.01 + trial * 0.013)
            popen.send_signal(signal.SIGKILL)
            said = [line.split() for line in popen.stdout.read().decode().splitlines() if line.count(" ") == 1]
        with Journal(path) as journal:
            for name, state in dict(said).items():
                assert ORDER.index(journal.get(name).state) >= ORDER.index(State(state))
            assert all(run.reason in {"", run.state} for run in journal.runs()), "a step and its fields go together"
    db = sqlite3.connect(path)
    assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    db.close()


def test_threads_may_share_a_journal(journal: Journal) -> None:
    def work(number: int) -> None:
        journal.create(a_run(f"t{number}"))
        journal.advance(f"t{number}", State.REMOVED)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [run.state for run in journal.runs()] == [State.REMOVED] * 8


def test_a_forked_child_opens_its_own(journal: Journal) -> None:
    journal.create(a_run())
    pid = os.fork()
    if not pid:
        code = 1
        try:
            code = journal.advance("7k3m9q2d", State.RUNNING).state is not State.RUNNING
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert journal.advance("7k3m9q2d", State.EXITED).state is State.EXITED


# What it cannot read


def one_line(error: ScoutError, path: Path) -> None:
    assert str(path) in error.message
    assert "\n" not in error.message
    assert error.hint


def test_a_newer_journal_is_left_alone(journal: Journal) -> None:
    journal.create(a_run())
    journal.close()
    db = sqlite3.connect(journal.path)
    db.execute("PRAGMA user_version = 99")
    db.close()
    with pytest.raises(ScoutError, match="newer scoutkit") as caught:
        journal.runs()
    one_line(caught.value, journal.path)
    assert "update" in caught.value.hint


@pytest.mark.parametrize("content", [b"this is no database " * 400, b"SQLite format 3\0" + b"\xff" * 8000])
def test_a_corrupt_journal_is_named_and_kept(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "journal.db"
    path.write_bytes(content)
    for ask in (Journal(path).unfinished, Journal(path).runs, lambda: Journal(path).create(a_run())):
        with pytest.raises(ScoutError) as caught:
            ask()
        one_line(caught.value, path)
    assert path.read_bytes() == content


def test_a_journal_cut_in_half_is_named(journal: Journal) -> None:
    for number in range(60):
        journal.create(replace(a_run(f"r{number}"), text="x" * 2000))
    journal.close()
    os.truncate(journal.path, journal.path.stat().st_size // 2)
    with pytest.raises(ScoutError) as caught:
        journal.runs()
    one_line(caught.value, journal.path)


def test_a_row_that_scoutkit_did_not_write_is_named(journal: Journal) -> None:
    journal.create(a_run())
    journal.close()
    db = sqlite3.connect(journal.path)
    db.execute("UPDATE runs SET state = 'asleep'")
    db.commit()
    db.close()
    with pytest.raises(ScoutError, match="asleep") as caught:
        journal.unfinished()
    one_line(caught.value, journal.path)


def test_an_empty_file_left_by_a_crash_is_taken_up(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    path.touch()
    with Journal(path) as journal:
        assert journal.unfinished() == []
        journal.create(a_run())
        assert len(journal.unfinished()) == 1


def test_a_folder_in_its_place_or_a_file_in_its_folders_place_is_named(tmp_path: Path) -> None:
    (tmp_path / "journal.db").mkdir()
    (tmp_path / "state").write_text("no folder")
    for path in (tmp_path / "journal.db", tmp_path / "state" / "journal.db"):
        with pytest.raises(ScoutError) as caught:
            Journal(path).create(a_run())
        one_line(caught.value, path)


def test_a_journal_that_is_busy_for_too_long_is_named(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    journal.create(a_run())
    journal.close()
    monkeypatch.setattr("scoutkit.dispatch.journal.BUSY", 0.1)
    other = sqlite3.connect(journal.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(ScoutError, match="locked") as caught:
        journal.advance("7k3m9q2d", State.RUNNING)
    one_line(caught.value, journal.path)
    assert len(journal.runs()) == 1, "reading goes on"
    other.close()
    assert journal.advance("7k3m9q2d", State.RUNNING).state is State.RUNNING


def test_a_journal_that_was_deleted_is_made_anew(journal: Journal) -> None:
    journal.create(a_run("old"))
    for file in journal.path.parent.iterdir():
        file.unlink()
    journal.create(a_run("new"))
    with Journal(journal.path) as other:
        assert [run.id for run in other.runs()] == ["new"]


def test_a_journal_damaged_so_that_sqlites_message_is_no_text_is_named(journal: Journal) -> None:
    journal.create(a_run())
    with contextlib.closing(sqlite3.connect(journal.path)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    journal.close()
    journal.path.write_bytes(journal.path.read_bytes().replace(b"CREATE TABLE ", b"\x92\x93EATE TABLE "))
    assert pulse.unfinished(journal.path)
    with pytest.raises(ScoutError, match=r"journal\.db cannot be used") as caught:
        journal.runs()
    assert caught.value.hint.startswith("move the file away")


def test_a_run_is_found_by_the_note_it_made(journal: Journal) -> None:
    for name, note in (("abc1", "n0te1"), ("abc2", "n0te2"), ("n0", "other")):
        journal.create(replace(a_run(name), note_id=note))
    assert journal.get("n0te2").id == "abc2"
    assert journal.get("oth").id == "n0"
    assert journal.get("n0").id == "n0", "a run's own id comes first"
    with pytest.raises(NotFound, match="may be any of several runs: abc1, abc2"):
        journal.get("n0t")
