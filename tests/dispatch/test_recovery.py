"""Finishing other commands' runs: rebuilding the report, stopping, ending what is left."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from waiting import FOREVER, soon, until

from scoutkit import ending, process
from scoutkit.dispatch import recorded, records, recovery
from scoutkit.dispatch.journal import Journal, abandoned
from scoutkit.dispatch.logins import Logins
from scoutkit.dispatch.records import Records
from scoutkit.errors import ScoutError
from scoutkit.model.agents import Event, EventKind, Invocation
from scoutkit.model.missions import Kind, Outcome, Result, Run, State, Usage


def a_run(folder: Path, run_id: str = "7k3m9q2d") -> Run:
    started = "2026-11-29T12:00:00+00:00"
    return Run(run_id, Kind.ASK, "q", "0" * 40, "x", State.CREATED, "none", started, str(folder))


def a_name() -> str:
    """A run id that no other test has: processes are found by it."""
    return f"r{os.getpid()}x{time.monotonic_ns()}"


def plain() -> records.Redact:
    return lambda text: text.replace("hunter2", "[redacted]")


class Nobody:
    def feed(self, line: str) -> list[Event]:
        return []

    def finish(self, exit_code: int | None, stderr_tail: str, report_file: str | None) -> Outcome:
        return Outcome(Result.DONE)


def kept(folder: Path, *events: Event, report_file: str = "", worktree: Path = Path("/nowhere")) -> Path:
    book = Records(folder / "records", plain)
    if report_file:
        book.invocation(Invocation(("x",), Nobody(), report_file=report_file), worktree)
    for event in events:
        book.did(event)
    book.close()
    return folder / "records"


# Rebuilding


def test_texts_make_up_the_report_of_a_run_that_was_killed(tmp_path: Path) -> None:
    folder = kept(
        tmp_path,
        Event(EventKind.STATUS, "looking", data={"model": "m-1", "version": "2"}),
        Event(EventKind.TEXT, "one"),
        Event(EventKind.USAGE, usage=Usage(10, 1, None)),
        Event(EventKind.TOOL_CALL, "Model", data={"model": "no model of ours"}),
        Event(EventKind.TEXT, "two"),
        Event(EventKind.USAGE, usage=Usage(25, 4, 0.5)),
    )
    with (folder / "events.jsonl").open("a") as file:
        file.write('null\n[]\n{"kind": "sneeze"}\n{"kind": "text", "usage": {"input_tok')
    outcome = recorded.salvage(folder, a_run(tmp_path), plain)
    reason = "scoutkit was killed while the agent worked"
    assert outcome == Outcome(Result.KILLED, "one\ntwo\n", reason, "", Usage(25, 4, 0.5), "m-1", "2")


def test_the_last_report_replaces_all_text(tmp_path: Path) -> None:
    said = [Event(EventKind.TEXT, "draft"), Event(EventKind.REPORT, "first"), Event(EventKind.REPORT, "last")]
    assert recorded.salvage(kept(tmp_path, *said), a_run(tmp_path), plain).report == "last\n"


def test_a_report_file_comes_first_redacted_and_nothing_is_said_twice(tmp_path: Path) -> None:
    worktree = tmp_path / "run" / "tree"
    worktree.mkdir(parents=True)
    (worktree / "out.md").write_text("# Found\n\nhunter2\nsaid\n")
    run = a_run(tmp_path / "run")
    folder = kept(tmp_path / "a", Event(EventKind.TEXT, "log"), report_file="out.md", worktree=worktree)
    assert recorded.salvage(folder, run, plain).report == "# Found\n\n[redacted]\nsaid\n\nlog\n"
    folder = kept(tmp_path / "b", Event(EventKind.REPORT, "said"), report_file="out.md", worktree=worktree)
    assert recorded.salvage(folder, run, plain).report == "# Found\n\n[redacted]\nsaid\n"
    elsewhere = a_run(tmp_path / "other")
    assert recorded.salvage(folder, elsewhere, plain).report == "said\n", "only the run's own folder is read"


def test_a_run_without_records_left_nothing(tmp_path: Path) -> None:
    outcome = recorded.salvage(tmp_path / "none", a_run(tmp_path), plain)
    assert (outcome.result, outcome.report) == (Result.KILLED, "")


def test_a_run_that_was_done_comes_back_as_it_ended(tmp_path: Path) -> None:
    folder = kept(tmp_path, Event(EventKind.TEXT, "raw"), Event(EventKind.USAGE, usage=Usage(1, 2, 3.0)))
    records.write_durably(folder / "report.md", "judged")
    run = replace(a_run(tmp_path), state=State.EXITED, result=Result.DONE, model="m")
    assert recorded.salvage(folder, run, plain) == Outcome(Result.DONE, "judged", "", "", Usage(1, 2, 3.0), "m", "")
    (folder / "report.md").unlink()
    assert recorded.salvage(folder, run, plain).report == "raw\n"


def test_a_run_that_was_done_without_an_answer_comes_back_without_one(tmp_path: Path) -> None:
    folder = kept(tmp_path, Event(EventKind.REPORT, "nothing fits", data={"unanswered": "nothing fits"}))
    records.write_durably(folder / "report.md", "nothing fits")
    run = replace(a_run(tmp_path), state=State.EXITED, result=Result.DONE)
    assert recorded.salvage(folder, run, plain).unanswered == "nothing fits"


def test_records_are_not_left_half_written(tmp_path: Path) -> None:
    path = tmp_path / "report.md"
    records.write_durably(path, "old")
    records.write_durably(path, "new")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["home", "report.md"]
    assert path.read_text() == "new"


# A command that is killed, and what others then do


COMMAND = """
import json, sys
from pathlib import Path
from scoutkit.dispatch import runner
from scoutkit.dispatch.journal import Journal
from scoutkit.model.agents import *
from scoutkit.model.missions import *

root = Path(sys.argv[1])
class Reader:
    def feed(self, line): return [Event(EventKind.TEXT, line)]
    def finish(self, code, tail, file): return Outcome(Result.DONE, "all")
day = "2026-11-29T12:00:00+00:00"
run = Run(sys.argv[3], Kind.ASK, "q", "0" * 40, "x", State.CREATED, "none", day, str(root / "run"))
(root / "run" / "tree").mkdir(parents=True)
(root / "run" / "scoutkit-run.json").write_text(json.dumps({"run": run.id, "repository": "/x"}))
journal = Journal(root / "journal.db")
journal.create(run)
with runner.Interruption.listen() as interruption:
    outcome = runner.send(
        Invocation(("sh", "-c", sys.argv[2]), Reader()), run=run, worktree=root / "run" / "tree", scratch=root / "run",
        records=root / "records", journal=journal, redactor=lambda: str, interruption=interruption, grace=0.5,
        on_event=lambda event: print(event.text, flush=True))
journal.advance(run.id, State.HARVESTED)
journal.advance(run.id, State.REMOVED)
print("result", outcome.result, flush=True)
"""

AGENT = """
trap '' TERM
setsid sleep 600 >/dev/null 2>&1 &
env -i setsid sleep 600 >/dev/null 2>&1 &
echo one; sleep 0.1; echo two; while :; do sleep 0.1; done
"""


class Command:
    """A scoutkit that runs an agent, in a process of its own."""

    def __init__(self, root: Path, agent: str) -> None:
        self.run_id = a_name()
        argv = [sys.executable, "-c", COMMAND, str(root), agent, self.run_id]
        self.popen = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)
        self.records = root / "records"
        self.journal = Journal(root / "journal.db")

    def heard(self, line: str) -> None:
        assert self.popen.stdout
        for said in self.popen.stdout:
            if said == f"{line}\n":
                return
        raise AssertionError(f"never heard {line!r}")


@pytest.fixture
def command(tmp_path: Path) -> Iterator[Command]:
    made = Command(tmp_path, AGENT)
    yield made
    made.popen.kill()
    with made.popen:
        pass
    ending.end(lambda: process.family(made.run_id, folder=tmp_path), grace=0)
    made.journal.close()


def test_kill_9_of_the_command_loses_nothing_said_and_leaves_nothing_running(command: Command, tmp_path: Path) -> None:
    command.heard("two")
    (run,) = command.journal.unfinished()
    assert abandoned([run]) == [], "while it works nobody else may finish it"
    command.popen.kill()
    command.popen.wait()
    assert abandoned(command.journal.unfinished()) == [run]
    assert run.state is State.RUNNING
    assert process.alive(run.child), "the agent does not notice"
    me = process.identify()
    assert me
    assert command.journal.claim(run, me)
    assert recovery.reap(run, grace=0.3) == []
    assert not process.alive(run.child)
    assert process.family(run.id, [run.child], folder=tmp_path) == []
    outcome = recorded.salvage(command.records, run, plain)
    assert (outcome.result, outcome.report) == (Result.KILLED, "one\ntwo\n")


def test_kill_9_of_both_leaves_nothing_running(command: Command, tmp_path: Path) -> None:
    command.heard("one")
    (run,) = command.journal.unfinished()
    assert run.child
    command.popen.kill()
    os.killpg(run.child.pid, signal.SIGKILL)
    command.popen.wait()
    assert recovery.reap(run, grace=0.3) == []
    assert process.family(run.id, [run.child], folder=tmp_path) == []
    assert recorded.salvage(command.records, run, plain).report.startswith("one\n")


def test_kill_9_of_the_agent_alone_is_an_outcome(command: Command) -> None:
    command.heard("one")
    run = command.journal.get(command.run_id)
    assert run.child
    os.kill(run.child.pid, signal.SIGKILL)
    command.heard("result done")  # its reader says so whatever happens
    assert command.journal.get(run.id).exit == -9


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_stops_agent_and_command_in_good_order(command: Command, number: signal.Signals) -> None:
    command.heard("two")
    command.popen.send_signal(number)
    command.heard("result interrupted")
    run = command.journal.get(command.run_id)
    assert (run.state, run.result, run.reason) == (State.REMOVED, Result.INTERRUPTED, f"interrupted by {number.name}")
    assert (command.records / "report.md").read_text() == "all"


def test_a_run_is_stopped_from_another_process(command: Command) -> None:
    command.heard("one")
    ended = recovery.stop(command.journal.get(command.run_id), command.journal, command.records)
    assert (ended.state, ended.result) == (State.REMOVED, Result.STOPPED)
    assert ended.reason == "stopped with scoutkit run stop"
    assert process.family(ended.id, [ended.child]) == []
    command.heard("result stopped")
    with soon():
        assert recovery.stop(ended, command.journal, command.records, patience=FOREVER) == ended


def test_stopping_a_run_whose_command_died_returns_it_to_be_recovered(command: Command) -> None:
    command.heard("one")
    command.popen.kill()
    command.popen.wait()
    run = recovery.stop(command.journal.get(command.run_id), command.journal, command.records)
    assert run.state is State.RUNNING
    assert abandoned([run]) == [run]


def test_a_command_that_does_not_stop_is_named(command: Command) -> None:
    command.heard("one")
    command.popen.send_signal(signal.SIGSTOP)
    run = command.journal.get(command.run_id)
    with pytest.raises(ScoutError, match=f"process {command.popen.pid} on ") as caught:
        recovery.stop(run, command.journal, command.records, patience=0.2)
    assert caught.value.hint


def test_a_run_asked_to_stop_before_its_agent_began_starts_none(tmp_path: Path) -> None:
    records.ask_to_stop(tmp_path / "records")
    made = Command(tmp_path, "touch started")
    with made.popen:
        made.heard("result stopped")
    assert not (tmp_path / "run" / "tree" / "started").exists()
    made.journal.close()


def test_reaping_takes_marked_children_of_the_time_before_the_agent(tmp_path: Path) -> None:
    name = a_name()
    env = {**os.environ, process.RUN_MARK: name}
    with subprocess.Popen(["sh", "-c", "sleep 600 & wait"], env=env, cwd="/", start_new_session=True) as git:
        collector = threading.Thread(target=git.wait)
        collector.start()
        assert recovery.reap(a_run(tmp_path, name)) == []
        collector.join()
    assert process.family(name) == []


@pytest.mark.parametrize("marker", [None, "", "{}", '{"run": "another", "repository": "/x"}', "nonsense"])
def test_a_folder_without_the_runs_own_marker_is_not_searched(tmp_path: Path, marker: str | None) -> None:
    """A folder that is not the run's may be anybody's: a home, a checkout, `/`."""
    folder = tmp_path / "somebodys"
    folder.mkdir()
    if marker is not None:
        (folder / "scoutkit-run.json").write_text(marker)
    with subprocess.Popen(["setsid", "sleep", "600"], cwd=folder) as bystander:
        until(lambda: os.getsid(bystander.pid) == bystander.pid)
        assert recovery.reap(a_run(folder, a_name())) == []
        assert recovery.reap(replace(a_run(folder, a_name()), folder="")) == []
        assert bystander.poll() is None
        bystander.kill()


def test_what_is_kept_reads_back(tmp_path: Path) -> None:
    said = [
        Event(EventKind.TOOL_CALL, "Read", Usage(1), {"path": "a\u2028b", "n": [1, None, True, 0.5]}),
        Event(EventKind.TEXT, "Zeile ü 用户\0"),
        Event(EventKind.OTHER, data={"nan": float("nan"), "odd": {3: object}}),
    ]
    folder = kept(tmp_path, *said)
    back = list(recorded.events(folder))
    assert back[:2] == said[:2]
    assert back[2].data == {"nan": None, "odd": {"3": "<class 'object'>"}}
    lines = (folder / "events.jsonl").read_bytes().decode().split("\n")
    assert [json.loads(line)["kind"] for line in lines if line] == ["tool_call", "text", "other"]


def test_reaping_removes_a_container_that_outlived_its_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name, asked = a_name(), tmp_path / "asked"
    (tmp_path / "podman").write_text(f'#!/bin/sh\necho "$@" >> {asked}\n')
    (tmp_path / "podman").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    (tmp_path / "scoutkit-run.json").write_text(json.dumps({"run": name, "repository": "/x"}))
    run = replace(a_run(tmp_path, name), isolation="podman")
    assert recovery.reap(run) == []
    assert asked.read_text() == f"rm --force scoutkit-{name}\n"
    asked.unlink()
    recovery.reap(replace(run, isolation="bwrap"))
    assert not asked.exists()


def test_reaping_gives_a_renewed_login_back(tmp_path: Path) -> None:
    name, theirs, copy = a_name(), tmp_path / "theirs", tmp_path / "copy"
    for file in (theirs, copy):
        file.write_text("token 1")
    (tmp_path / "scoutkit-run.json").write_text(json.dumps({"run": name, "repository": "/x"}))
    Logins.lend([(theirs, copy)], tmp_path)
    copy.write_text("token 2")
    recovery.reap(a_run(tmp_path, name))
    assert theirs.read_text() == "token 2"
