"""Sending agents: well-behaved ones, and every other kind, as real processes."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from waiting import running, sleeper, soon

from scoutkit import ending, process
from scoutkit.dispatch import limits, runner
from scoutkit.dispatch.conversation import Lines
from scoutkit.dispatch.journal import Journal
from scoutkit.dispatch.records import EDGE
from scoutkit.errors import ScoutError
from scoutkit.model.agents import Event, EventKind, Invocation
from scoutkit.model.missions import Kind, Limits, Outcome, Result, Run, State, Usage

SECRET = re.compile(r"hunter\d+")
TURN = """echo 'event {"kind": "turn"}'"""  # one more than none, where `turns=0` is the limit
FAST_PYTHON = (sys.executable, "-S", "-E", "-c")


class PlainReader:
    """What a plain command writes is its report; `event JSON` lines are events of other kinds."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.finished: tuple[int | None, str, str | None] | None = None

    def feed(self, line: str) -> Iterable[Event]:
        if line.startswith("event "):
            said = json.loads(line[6:])
            usage = Usage(**said.pop("usage")) if "usage" in said else None
            yield Event(EventKind(said.pop("kind")), said.pop("text", ""), usage, said)
        else:
            self.lines.append(line)
            yield Event(EventKind.TEXT, line)

    def finish(self, exit_code: int | None, stderr_tail: str, report_file: str | None) -> Outcome:
        self.finished = (exit_code, stderr_tail, report_file)
        report = report_file or "\n".join(self.lines)
        done = exit_code == 0 and bool(report.strip())
        return Outcome(Result.DONE if done else Result.FAILED, report, "" if done else f"exit {exit_code}")


@dataclass
class Field:
    """Where one run takes place."""

    root: Path
    journal: Journal
    run: Run
    interruption: runner.Interruption = field(default_factory=runner.Interruption)
    events: list[Event] = field(default_factory=list)
    reader: PlainReader = field(default_factory=PlainReader)
    pass_env: tuple[str, ...] = ()
    grace: float = 0.5

    @property
    def worktree(self) -> Path:
        return self.root / "run" / "work tree"

    @property
    def records(self) -> Path:
        return self.root / "records"

    def limit(self, **limits: float | None) -> None:
        self.run = replace(self.run, limits=replace(self.run.limits, **limits))

    def send(self, *argv: str, stdin: str = "", env: dict[str, str] | None = None, report_file: str = "") -> Outcome:
        return runner.send(
            Invocation(argv, self.reader, stdin, env or {}, report_file),
            run=self.run,
            worktree=self.worktree,
            scratch=self.root / "run" / "scratch",
            records=self.records,
            journal=self.journal,
            redactor=lambda: lambda text: SECRET.sub("[redacted]", text),
            on_event=self.events.append,
            interruption=self.interruption,
            pass_env=self.pass_env,
            grace=self.grace,
        )

    def sh(self, script: str, **more: str) -> Outcome:
        return self.send("sh", "-c", script, **more)

    def python(self, script: str, **more: str) -> Outcome:
        return self.send(*FAST_PYTHON, script, **more)

    def row(self) -> Run:
        return self.journal.get(self.run.id)

    def read(self, name: str) -> str:
        return (self.records / name).read_text("utf-8")

    def on_disk(self) -> bytes:
        return b"".join(file.read_bytes() for file in self.records.iterdir() if file.is_file())

    def when(self, said: str, what: Callable[[], object]) -> None:
        """Do something as soon as the agent has said so."""
        self.events = type("When", (list,), {"append": lambda _, event: what() if event.text == said else None})()

    def later(self, seconds: float, what: Callable[[], object]) -> threading.Timer:
        timer = threading.Timer(seconds, what)
        timer.start()
        return timer


@pytest.fixture
def at(tmp_path: Path) -> Iterator[Field]:
    root = tmp_path / "field"
    (root / "run" / "work tree").mkdir(parents=True)
    (root / "run" / "scratch").mkdir()
    run = Run(
        id=f"r{os.getpid()}x{time.monotonic_ns()}",
        kind=Kind.ASK,
        text="q",
        base="0" * 40,
        agent="x",
        state=State.CREATED,
        isolation="none",
        started="2026-11-29T12:00:00+00:00",
        folder=str(root / "run"),
        limits=Limits(timeout=100.0),
    )
    (root / "run" / "scoutkit-run.json").write_text(json.dumps({"run": run.id, "repository": "/x"}))
    with Journal(tmp_path / "journal.db") as journal:
        journal.create(run)
        yield Field(root, journal, run)
    left = process.family(run.id, folder=root)
    ending.end(lambda: process.family(run.id, folder=root), grace=0)
    assert left == [], "nothing of a run outlives it"


# What it is told and what is kept


def test_a_plain_agent_reads_the_prompt_and_its_report_comes_back(at: Field) -> None:
    outcome = at.sh("cat; echo; echo two; echo careful >&2", stdin="the prompt")
    assert outcome == Outcome(Result.DONE, "the prompt\ntwo")
    assert at.reader.finished == (0, "careful\n", None)
    assert [event.text for event in at.events] == ["the prompt", "two"]
    assert at.read("transcript.txt") == "the prompt\ntwo\n"
    assert at.read("stderr.txt") == "careful\n"
    assert at.read("report.md") == "the prompt\ntwo"
    row = at.row()
    assert (row.state, row.result, row.exit, row.reason) == (State.EXITED, Result.DONE, 0, "")
    assert row.seconds
    assert row.seconds > 0
    assert row.child
    assert row.child.pid != os.getpid()
    assert not process.alive(row.child)


def test_events_are_kept_with_their_time_and_all_they_hold(at: Field) -> None:
    at.sh(
        """echo 'event {"kind": "tool_call", "text": "Read", "path": ["a", {"b": 1.5}], "usage": {"cost_usd": 0.5}}'"""
    )
    line = json.loads(at.read("events.jsonl"))
    assert line.pop("at").startswith("20")
    usage = {"input_tokens": None, "output_tokens": None, "cost_usd": 0.5}
    assert line == {"kind": "tool_call", "text": "Read", "usage": usage, "data": {"path": ["a", {"b": 1.5}]}}


def test_records_are_there_while_the_agent_still_works_and_belong_to_the_user(at: Field) -> None:
    seen: list[tuple[str, str, State]] = []

    def look(event: Event) -> None:
        seen.append((at.read("transcript.txt"), at.read("events.jsonl"), at.row().state))

    at.events = type("Looking", (list,), {"append": lambda _, event: look(event)})()
    at.sh("echo found; sleep 0.2; echo more")
    transcript, events, state = seen[0]
    assert transcript == "found\n"
    assert json.loads(events)["text"] == "found"
    assert state is State.RUNNING
    assert {file.stat().st_mode & 0o777 for file in at.records.iterdir()} == {0o600}
    assert at.records.stat().st_mode & 0o777 == 0o700


def test_no_secret_reaches_the_disk_or_the_screen(at: Field) -> None:
    data = r"""{"kind": "tool_result", "text": "\u0068unter4", "hunter5": ["\u0068unter6", {"a": "hunter7"}]}"""
    outcome = at.sh(
        f"echo hunter1; echo hunter2 >&2; echo hunter3 > r.md; printf '%s\\n' 'event {data}'; exit 1 # hunter8",
        report_file="r.md",
    )
    assert b"hunter" not in at.on_disk()
    assert "hunter" not in repr((outcome, at.events, at.row()))
    assert outcome.report == "[redacted]\n"
    assert at.reader.finished == (1, "[redacted]\n", "hunter3\n"), "the reader itself is not kept from anything"


def test_the_environment_is_narrow(at: Field, monkeypatch: pytest.MonkeyPatch) -> None:
    given = {
        "AWS_SECRET_ACCESS_KEY": "no", "GIT_DIR": "/no", "GIT_SSH_COMMAND": "no", "SSH_AUTH_SOCK": "no",
        "PYTHONPATH": "no", "LC_ALL": "C", "https_proxy": "http://localhost:1", "ACME_TOKEN": "yes", "ACME_URL": "yes",
        "TZ": "UTC",
        "PATH": f".:node_modules/.bin::{os.environ['PATH']}",
    }  # fmt: skip
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    at.pass_env = ("ACME_*", "GIT_SSH_COMMAND", "NOT_THERE")
    at.send("env", "-0", env={"MODEL": "m"})
    env = dict(pair.split("=", 1) for pair in "\n".join(at.reader.lines).split("\0") if pair)
    for name in ("AWS_SECRET_ACCESS_KEY", "GIT_DIR", "GIT_SSH_COMMAND", "SSH_AUTH_SOCK", "PYTHONPATH", "NOT_THERE"):
        assert name not in env
    for name in ("LC_ALL", "https_proxy", "ACME_TOKEN", "ACME_URL", "TZ", "HOME"):
        assert env[name] == os.environ[name]
    assert env["PATH"] == os.environ["PATH"].split("::", 1)[1]
    assert env["MODEL"] == "m"
    assert env["TMPDIR"] == str(at.root / "run" / "scratch" / "tmp")
    assert Path(env["TMPDIR"]).stat().st_mode & 0o777 == 0o700
    assert env["GIT_CEILING_DIRECTORIES"] == os.path.realpath(at.root / "run")
    assert env["SCOUTKIT_RUN"] == at.run.id
    assert env["PWD"] == str(at.worktree)


def test_it_works_in_the_worktree_in_a_session_of_its_own(at: Field) -> None:
    at.python("import os; print(os.getcwd()); print(os.getsid(0) == os.getpid() == os.getpgrp())")
    assert at.reader.lines == [os.path.realpath(at.worktree), "True"]


def test_a_prompt_larger_than_any_pipe_does_not_deadlock(at: Field) -> None:
    prompt = "0123456789abcdef" * 200_000
    outcome = at.sh("head -c 100000 /dev/zero | tr '\\0' x; echo; exec cat", stdin=prompt)
    assert outcome.result is Result.DONE
    assert outcome.report == "x" * 100_000 + "\n" + prompt


@pytest.mark.parametrize("script", ["echo deaf", "exec 0<&-; sleep 0.1; echo deaf", "sleep 0.2; echo deaf"])
def test_an_agent_that_does_not_read_its_prompt_is_heard_all_the_same(at: Field, script: str) -> None:
    assert at.sh(script, stdin="x" * 1_000_000) == Outcome(Result.DONE, "deaf")


def test_a_prompt_that_is_no_unicode_arrives_as_the_bytes_it_was(at: Field) -> None:
    at.python("import sys; print(sys.stdin.buffer.read())", stdin=os.fsdecode(b"\xff\n"))
    assert at.reader.lines == [r"b'\xff\n'"]


def test_the_report_file_is_read_and_named_in_the_records(at: Field) -> None:
    outcome = at.sh("echo log; echo '# Found' > out.md", report_file="out.md")
    assert outcome.report == "# Found\n"
    record = json.loads(at.read("invocation.json"))
    assert record == {
        "argv": ["sh", "-c", "echo log; echo '# Found' > out.md"],
        "report_file": str(at.worktree / "out.md"),
    }


@pytest.mark.parametrize(
    "script", ["ln -s /etc/passwd out.md", "mkfifo out.md", "mkdir out.md", ":", "ln -s out.md out.md"]
)
def test_a_report_file_that_is_no_file_of_the_agents_own_is_not_read(at: Field, script: str) -> None:
    at.sh(f"echo said; {script}", report_file="out.md")
    assert at.reader.finished == (0, "", None)


# What agents write


def test_garbage_is_text_with_replacement_characters(at: Field) -> None:
    outcome = at.python("import os; os.write(1, bytes(range(256)) * 200 + b'\\nend')")
    assert outcome.result is Result.DONE
    assert outcome.report.endswith("\nend")
    assert "\ufffd" in outcome.report


def test_a_lone_surrogate_can_be_kept_and_printed(at: Field) -> None:
    at.sh("""echo 'event {"kind": "report", "text": "a\\ud800b", "c": "\\udfff"}'""")
    event = at.events[0]
    assert (event.text, event.data["c"]) == ("a?b", "?")
    json.loads(at.read("events.jsonl"))


def test_data_nested_without_end_is_dropped_and_the_run_goes_on(at: Field) -> None:
    depth = 900
    at.python(f"print('event {{\"kind\": \"status\", \"a\": ' + '[' * {depth} + ']' * {depth} + '}}'); print('on')")
    assert at.events[-1].text == "on"
    assert at.row().result is Result.DONE


def test_a_line_without_end_is_cut_and_half_a_secret_with_it() -> None:
    lines = Lines(longest=10)
    assert list(lines.feed(b"123")) == []
    assert list(lines.feed(b"4567890ab")) == [("1234567890", True)]
    assert list(lines.feed(b"cdef")) == []
    assert list(lines.feed(b"gh\nnext\r\n\nla")) == [("next", False), ("", False)]
    assert list(lines.feed("st ü".encode()[:-1])) == []
    assert list(lines.feed("ü".encode()[1:])) == []
    assert list(lines.rest()) == [("last ü", False)]
    assert list(lines.feed(b"x" * 25 + b"\ny")) == [("xxxxxxxxxx", True)]
    assert list(lines.rest()) == [("y", False)]


def test_a_hundred_megabytes_in_one_line_take_bounded_memory(at: Field) -> None:
    at.limit(output_bytes=200_000_000)
    script = (
        "import os\nfor _ in range(100): os.write(1, b'x' * 1_000_000)\nos.write(1, b'\\nend\\n')"
    )  # fmt: skip
    before = peak_memory()
    outcome = at.python(script)
    assert outcome.result is Result.DONE
    assert outcome.report.endswith("x\nend")
    assert len(outcome.report) == 4_000_004
    assert at.read("transcript.txt") == "x" * (4_000_000 - EDGE) + "… [line cut]\nend\n"
    assert peak_memory() - before < 60_000


def peak_memory() -> int:
    """In kB."""
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def test_more_output_than_allowed_ends_the_run_with_what_there_is(at: Field) -> None:
    at.limit(output_bytes=300_000)
    outcome = at.sh("echo first; exec yes 0123456789012345678901234567890123456789012345678901234567890123456789")
    assert outcome.result is Result.BUDGET
    assert "300,000 bytes" in outcome.reason
    assert outcome.hint
    assert outcome.report.startswith("first\n0123456789")
    assert len(at.read("transcript.txt")) < 400_000


def test_lines_count_however_short_they_are(at: Field, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "LINES", 2_000)
    outcome = at.sh("echo first; exec yes")
    assert (outcome.result, outcome.reason) == (Result.BUDGET, "it wrote more than 2,000 lines")
    assert outcome.report.startswith("first\ny\n")
    assert len(at.read("transcript.txt")) < 40_000


def test_stderr_counts_too_and_its_tail_is_kept_small(at: Field) -> None:
    at.limit(output_bytes=100_000)
    assert at.sh("echo x; yes 01234567890123456789 >&2").result is Result.BUDGET
    assert at.reader.finished
    assert len(at.reader.finished[1]) <= 4096


# How they end


def test_an_exit_status_is_the_readers_to_judge(at: Field) -> None:
    outcome = at.sh("echo some; exit 7")
    assert (outcome.result, outcome.reason, outcome.report) == (Result.FAILED, "exit 7", "some")
    assert at.row().exit == 7


def test_an_agent_killed_by_somebody_else_is_killed(at: Field) -> None:
    outcome = at.sh("echo some; kill -9 $$")
    assert (outcome.result, outcome.report) == (Result.KILLED, "some")
    assert at.row().exit == -9


def test_an_agent_that_says_it_is_done_and_dies_of_a_signal_is_believed(at: Field) -> None:
    at.reader.finish = lambda code, tail, file: Outcome(Result.DONE, "all of it")  # type: ignore[method-assign]
    assert at.sh("kill -TERM $$").result is Result.DONE


def test_a_time_limit_ends_a_stalled_agent_and_keeps_what_it_said(at: Field) -> None:
    at.limit(timeout=3)
    began = time.monotonic()
    with soon():
        outcome = at.sh(f"echo found; {sleeper()}")
    assert time.monotonic() - began >= 3
    assert (outcome.result, outcome.report) == (Result.TIMEOUT, "found")
    assert outcome.reason == "it took longer than 3 s"
    assert at.row().exit == -signal.SIGTERM
    assert at.row().result is Result.TIMEOUT


def test_an_agent_that_ignores_term_is_killed_and_its_last_words_are_kept(at: Field) -> None:
    at.limit(turns=0)
    at.grace = 4
    outcome = at.sh(
        f"trap 'head -c 300000 /dev/zero | tr \"\\0\" w; echo; echo no' TERM; echo;{TURN}; while :; do sleep 0.05; done"
    )
    assert outcome.result is Result.BUDGET
    assert outcome.report.splitlines()[-2:] == ["w" * 300_000, "no"]
    assert at.row().exit == -signal.SIGKILL


def test_a_closed_stdout_is_not_the_end(at: Field) -> None:
    began = time.monotonic()
    outcome = at.sh("echo said; exec >&- 2>&-; sleep 0.6; exit 3")
    assert time.monotonic() - began >= 0.6
    assert (outcome.report, outcome.reason) == ("said", "exit 3")


def test_a_daemon_that_holds_stdout_does_not_hold_the_run(at: Field) -> None:
    with soon():
        outcome = at.sh("setsid sleep 600 & echo done")
    assert outcome == Outcome(Result.DONE, "done")


def test_what_still_writes_after_the_agents_end_is_heard(at: Field) -> None:
    assert at.sh("(sleep 0.15; echo late; sleep 0.15; echo later) & echo soon").report == "soon\nlate\nlater"


ESCAPES = {
    "in the session": "(trap '' TERM HUP; exec SLEEP) >/dev/null 2>&1 &",
    "in a session of its own": "setsid sh -c 'trap \"\" TERM; SLEEP; :' >/dev/null 2>&1 &",
    "without its mark": "env -i setsid SLEEP >/dev/null 2>&1 &",
    "without its mark, working elsewhere": "(cd /; env -i setsid sh -c 'SLEEP & exit' >/dev/null 2>&1) &",
}


@pytest.mark.parametrize("how", ESCAPES)
@pytest.mark.parametrize("end", ["echo done", "sleep 0.4; echo done", f"{TURN}; exec sleep 600"])
def test_whatever_an_agent_leaves_behind_is_ended(at: Field, how: str, end: str) -> None:
    at.limit(turns=0)
    at.grace = 0.2
    sleep = sleeper()
    outcome = at.sh(f"{ESCAPES[how].replace('SLEEP', sleep)} sleep 0.1; {end}")
    assert outcome.result is (Result.BUDGET if TURN in end else Result.DONE)
    assert running(sleep) == []


@pytest.mark.parametrize(
    ("argv", "reason"),
    [
        (("no-such-agent",), "there is no program 'no-such-agent'"),
        (("./here/no",), "there is no program './here/no'"),
        (("./plain.txt",), "./plain.txt may not be run"),
        (("./binary",), "./binary cannot be started: Exec format error"),
        (("sh", "-c", "x" * 3_000_000), "sh cannot be started: Argument list too long"),
        (("sh\0",), "'sh\\x00' cannot be started: embedded null byte"),
    ],
)
def test_an_agent_that_cannot_be_started_is_an_outcome(at: Field, argv: tuple[str, ...], reason: str) -> None:
    (at.worktree / "plain.txt").write_text("text")
    (at.worktree / "binary").write_bytes(b"\x7fELF nonsense")
    (at.worktree / "binary").chmod(0o755)
    outcome = at.send(*argv)
    assert (outcome.result, outcome.reason) == (Result.FAILED, reason)
    assert outcome.hint
    assert (at.row().state, at.row().result, at.row().exit) == (State.EXITED, Result.FAILED, None)


def test_a_worktree_that_is_gone_is_named(at: Field) -> None:
    at.worktree.rmdir()
    assert str(at.worktree) in at.sh("echo x").reason


# Being stopped


def test_a_request_to_stop_is_heeded_at_once_and_the_first_reason_stands(at: Field) -> None:

    def stop() -> None:
        at.interruption.request(Result.INTERRUPTED, "interrupted by SIGINT")
        at.interruption.request(Result.STOPPED, "too late")

    at.when("found", stop)
    at.grace = 600
    with soon():
        outcome = at.sh("echo found; sleep 600")
    assert (outcome.result, outcome.reason, outcome.report) == (Result.INTERRUPTED, "interrupted by SIGINT", "found")
    assert at.row().result is Result.INTERRUPTED


def test_urgency_takes_the_grace_away(at: Field) -> None:
    at.grace = 600

    def stop() -> None:
        at.interruption.request(Result.INTERRUPTED, "once")
        at.later(0.4, lambda: setattr(at.interruption, "urgent", True))

    at.when("found", stop)
    with soon():
        outcome = at.sh("trap 'echo never' TERM INT HUP; echo found; while :; do sleep 0.05; done")
    assert outcome.result is Result.INTERRUPTED
    assert outcome.report.startswith("found")


def test_a_run_that_was_stopped_before_it_began_starts_nothing(at: Field) -> None:
    at.interruption.request(Result.INTERRUPTED, "early")
    outcome = at.sh("touch started")
    assert (outcome.result, outcome.report, outcome.reason) == (Result.INTERRUPTED, "", "early")
    assert not (at.worktree / "started").exists()
    assert at.row().state is State.EXITED


def test_a_stop_after_the_agent_ended_well_does_not_spoil_its_report(at: Field) -> None:
    at.grace = 2.5
    at.when("done", lambda: at.later(1.0, lambda: at.interruption.request(Result.INTERRUPTED, "late")))
    outcome = at.sh("setsid sh -c \"trap '' TERM; sleep 60; :\" >/dev/null 2>&1 & echo done")
    assert outcome == Outcome(Result.DONE, "done")


SIGNALS = """
import os, signal, sys, threading, time
from scoutkit.dispatch.runner import Interruption
before = signal.getsignal(signal.SIGTERM)
with Interruption.listen() as interruption:
    for name in sys.argv[1:]:
        os.kill(os.getpid(), getattr(signal, name))
        time.sleep(0.01)
    print(interruption.result, interruption.reason, interruption.urgent)
print(signal.getsignal(signal.SIGTERM) is before)
"""


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["SIGINT"], "interrupted interrupted by SIGINT False"),
        (["SIGINT", "SIGINT"], "interrupted interrupted by SIGINT True"),
        (["SIGTERM", "SIGHUP"], "interrupted interrupted by SIGTERM False"),
        (["SIGHUP", "SIGINT"], "interrupted interrupted by SIGHUP True"),
        ([], "None  False"),
    ],
)
def test_signals_ask_to_stop_and_a_second_ctrl_c_is_urgent(names: list[str], said: str) -> None:
    done = subprocess.run([sys.executable, "-c", SIGNALS, *names], capture_output=True, text=True, check=True)
    assert done.stdout == f"{said}\nTrue\n"


def test_an_ignored_signal_stays_ignored() -> None:
    command = [sys.executable, "-c", SIGNALS, "SIGHUP"]
    done = subprocess.run(
        ["sh", "-c", 'trap "" HUP; exec "$@"', "sh", *command], capture_output=True, text=True, check=True
    )
    assert done.stdout == "None  False\nTrue\n"


# What breaks on our side


def test_a_reader_that_raises_costs_neither_the_run_nor_what_was_said(at: Field) -> None:
    def feed(line: str) -> Iterable[Event]:
        if line == "two":
            raise KeyError("usage")
        return [Event(EventKind.TEXT, line)]

    at.reader.feed = feed  # type: ignore[method-assign]
    outcome = at.sh("echo one; echo two; echo three")
    assert outcome.result is Result.FAILED
    assert outcome.reason == "the agent's adapter broke: KeyError('usage')"
    assert outcome.report == "one"
    assert at.read("transcript.txt") == "one\ntwo\nthree\n"
    assert [event.kind for event in at.events] == [EventKind.TEXT, EventKind.ERROR]


def test_a_verdict_that_raises_costs_not_what_was_said(at: Field) -> None:
    def finish(exit_code: int | None, stderr_tail: str, report_file: str | None) -> Outcome:
        raise ZeroDivisionError

    at.reader.finish = finish  # type: ignore[method-assign]
    outcome = at.sh("echo one; echo two")
    assert (outcome.result, outcome.report) == (Result.FAILED, "one\ntwo")
    assert "ZeroDivisionError" in outcome.reason


def test_whoever_watches_and_raises_leaves_no_agent_behind(at: Field) -> None:
    def burst(event: Event) -> None:
        raise BrokenPipeError

    at.events = type("Broken", (list,), {"append": lambda _, event: burst(event)})()
    with pytest.raises(BrokenPipeError):
        at.sh("echo one; sleep 600")
    assert process.family(at.run.id) == []
    assert at.row().state is State.RUNNING
    assert at.read("transcript.txt") == "one\n"


def test_a_journal_that_cannot_be_written_leaves_no_agent_behind(at: Field) -> None:
    at.journal.advance(at.run.id, State.RUNNING)
    with pytest.raises(ScoutError, match="is running already"):
        at.sh("sleep 600")
    assert process.family(at.run.id) == []


def test_records_that_cannot_be_made_are_an_error_before_anything_starts(at: Field) -> None:
    at.records.write_text("in the way")
    with pytest.raises(ScoutError, match="cannot keep the records") as caught:
        at.sh("touch started")
    assert caught.value.hint
    assert not (at.worktree / "started").exists()


FULL = """
import resource, sys
from pathlib import Path
from scoutkit.dispatch import runner
from scoutkit.dispatch.journal import Journal
from scoutkit.model.agents import *
from scoutkit.model.missions import *
import signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
root = Path(sys.argv[1])
run = Run("full", Kind.ASK, "q", "0" * 40, "x", State.CREATED, "none", "2026-11-29T12:00:00+00:00", str(root / "run"))
journal = Journal(root / "journal.db")
journal.create(run)
class Reader:
    def feed(self, line): return [Event(EventKind.TEXT, line[:9])]
    def finish(self, code, tail, file): return Outcome(Result.DONE, "short")
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
outcome = runner.send(Invocation(("sh", "-c", "echo x; yes 1234567890123456789 | head -n 100000; sleep 600"), Reader()),
    run=run, worktree=root, scratch=root, records=root / "records", journal=journal, redactor=lambda: str,
    on_event=lambda event: None, interruption=runner.Interruption(), grace=0.2)
print(outcome.result, outcome.reason, outcome.report, journal.get("full").state)
"""


def test_a_full_disk_stops_the_agent_and_is_the_reason(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    done = subprocess.run([sys.executable, "-c", FULL, str(tmp_path)], capture_output=True, text=True, timeout=100)
    assert done.stderr == ""
    assert done.stdout == "failed its records cannot be kept: File too large short exited\n"


def test_what_the_worktrees_making_left_running_is_ended_too(at: Field) -> None:
    env = {**os.environ, process.RUN_MARK: at.run.id}
    with subprocess.Popen(["setsid", "sleep", "60"], env=env, stdout=subprocess.DEVNULL) as hook:
        collector = threading.Thread(target=hook.wait)
        collector.start()
        assert at.sh("echo done").result is Result.DONE
        collector.join()
        assert hook.returncode == -signal.SIGTERM


def test_two_runs_at_once_leave_each_other_alone(at: Field, tmp_path: Path) -> None:
    other = Field(
        tmp_path / "other", at.journal, replace(at.run, id=f"{at.run.id}b", folder=str(tmp_path / "other" / "run"))
    )
    (other.root / "run" / "work tree").mkdir(parents=True)
    (other.root / "run" / "scratch").mkdir()
    at.journal.create(other.run)
    answers: list[Outcome] = []
    thread = threading.Thread(target=lambda: answers.append(other.sh("env -i setsid sleep 0.5 & wait; echo slow")))
    thread.start()
    time.sleep(0.1)
    assert at.sh("echo quick").report == "quick"
    thread.join()
    assert answers == [Outcome(Result.DONE, "slow")]
