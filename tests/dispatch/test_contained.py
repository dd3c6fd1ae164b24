"""Runs inside each isolation: told to end before they are killed, nothing left, nobody's key to be seen."""

from __future__ import annotations

import http.server
import json
import os
import signal
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from waiting import soon, until

from scoutkit import census
from scoutkit.dispatch import sandbox
from scoutkit.errors import Unavailable
from scoutkit.model.agents import Event, EventKind, Invocation
from scoutkit.model.missions import Outcome, Result

HOW = ("none", "landlock", "bwrap")
possible = {one.name: one for one in sandbox.possible()}


@pytest.fixture(params=HOW)
def how(request):
    if request.param != "none" and not possible[request.param].ok:
        pytest.skip(f"{request.param}: {possible[request.param].why}")
    return request.param


@pytest.fixture
def bwrap():
    if not possible["bwrap"].ok:
        pytest.skip(f"bwrap: {possible['bwrap'].why}")
    return "bwrap"


class Text:
    """Every line is text; keeps the exit status it was told."""

    def __init__(self):
        self.lines, self.code = [], "never told"

    def feed(self, line):
        self.lines.append(line)
        return [Event(EventKind.TEXT, line)]

    def finish(self, code, tail, file):
        self.code, report = code, "\n".join(self.lines)
        return Outcome(Result.DONE if code == 0 and report else Result.FAILED, report, f"ended with {code}; {tail}")


def sh(script, **more):
    return Invocation(("/bin/sh", "-c", script), Text(), **more)


def at_work(folder):
    """What works in a folder, wherever it hides."""
    real = os.path.realpath(folder)
    return [pid for pid in census.table() if census.works_in(pid, real)]


def command_line(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


# What is left

STAYS = '[[step]]\nevent = { kind = "turn" }\n[[step]]\ndelay = 600\n'  # until its limit of turns ends it


@pytest.mark.parametrize("end", ["", STAYS, "[[step]]\nexit = -9\n", "[[step]]\nexit = 3\n"])
def test_nothing_that_an_agent_leaves_behind_works_on(play, how, end):
    leave = (
        "[[step]]\nspawn = \"trap '' TERM HUP; sleep 600; sleep 600\"\n"
        '[[step]]\nspawn = { command = "sleep 600", holds_output = true }\n'
        '[[step]]\nsay = "left them"\n[[step]]\ndelay = 0.3\n'
    )
    outcome = play(leave + end, isolation=how, limits={"turns": 0})
    assert outcome.report == "left them\n", outcome
    assert at_work(play.folder) == []
    assert play.left() == []


def test_what_writes_the_report_at_the_end_leaves_nothing_either(play, how):
    last = "[[step]]\nspawn = \"trap '' TERM; sleep 600; :\"\n[[step]]\nreport = '# End'\n"
    outcome = play(STAYS, limits={"turns": 0}, closing=last, isolation=how)
    assert (outcome.result, outcome.report) == (Result.BUDGET, "# End\n")
    assert at_work(play.folder) == []


SEND = """
import sys
import threading
sys.path.insert(0, sys.argv[1])
from pathlib import Path
import conftest
from scoutkit.dispatch.journal import Journal
play = conftest.Play(Path(sys.argv[2]), Journal(Path(sys.argv[2]) / "journal.db"))
play.events = type("Said", (list,), {"append": lambda _, event: print(event.text, flush=True)})()
play(sys.argv[4], isolation=sys.argv[3])
"""


@pytest.mark.parametrize("isolation", ["bwrap", "landlock"])
def test_with_scoutkit_killed_no_agent_goes_on(tmp_path, isolation):
    if not possible[isolation].ok:
        pytest.skip(f"{isolation}: {possible[isolation].why}")
    root = tmp_path / "field"
    root.mkdir()
    spawn = '[[step]]\nspawn = "sleep 600; :"\n' if isolation == "bwrap" else ""
    scenario = spawn + '[[step]]\nsay = "working"\n[[step]]\ndelay = 600\n'
    command = [sys.executable, "-c", SEND, str(Path(__file__).parent), str(root), isolation, scenario]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as sending:
        assert sending.stdout.readline() == b"working\n"
        until(lambda: at_work(root))
        sending.kill()
    until(lambda: not at_work(root), "nobody goes on")


# How it is ended


def stop(play):
    return lambda: play.interruption.request(Result.INTERRUPTED, "enough")


PATIENT = 'trap "echo bye; exit 7" TERM; echo ready; while :; do sleep 0.05; done'


def test_an_agent_is_told_to_end_before_it_is_killed(play, how):
    invocation = sh(PATIENT)
    play.when("ready", stop(play))
    with soon():
        outcome = play.send(invocation, isolation=how, grace=600.0)
    assert outcome.report == "ready\nbye"
    assert (outcome.result, invocation.reader.code) == (Result.INTERRUPTED, 7)


def test_what_an_agent_starts_to_end_well_may_do_so(play, how):
    play.when("ready", stop(play))
    ends = 'trap "sleep 0.3 && echo saved; exit" TERM; echo ready; while :; do sleep 0.05; done'
    outcome = play.send(sh(ends), isolation=how, grace=80.0)
    assert outcome.report == "ready\nsaved"


def test_an_agent_that_will_not_end_is_killed(play, how):
    invocation = sh('trap "" TERM; echo ready; while :; do sleep 0.05; done')
    play.when("ready", stop(play))
    play.send(invocation, isolation=how, grace=0.5)
    assert invocation.reader.code == -signal.SIGKILL
    assert play.journal.get(play.run.id).exit == -signal.SIGKILL


@pytest.mark.parametrize(
    ("end", "code"), [("exit 3", 3), ("kill -TERM $$", -15), ("kill -SEGV $$", -11), ("exit 173", 173)]
)
def test_an_exit_status_reads_the_same_in_each_isolation(play, how, end, code):
    invocation = sh(f"echo said; {end}")
    outcome = play.send(invocation, isolation=how)
    assert invocation.reader.code == code
    assert outcome.result is (Result.KILLED if code < 0 else Result.FAILED)


def test_a_user_in_a_hurry_does_not_wait_for_a_grace(play, how):
    def rush():
        play.interruption.request(Result.INTERRUPTED, "twice")
        play.interruption.urgent = True

    play.when("ready", rush)
    with soon():
        assert play.send(sh(PATIENT), isolation=how, grace=600.0).result is Result.INTERRUPTED


# What it is given


def test_an_agent_that_reads_for_ever_finds_an_end(play, how):
    assert play.send(sh("cat; cat; echo end"), isolation=how).report == "end"


def test_a_prompt_larger_than_any_pipe_arrives_whole(play, how):
    assert play.send(sh("wc -c", stdin="x" * 1_000_000), isolation=how).report.strip() == "1000000"


def test_inside_it_has_a_home_of_its_own_and_outside_the_users(play, how, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", "/somewhere/else")
    outcome = play.send(
        sh('echo "$HOME"; echo "$TMPDIR"; echo "$XDG_CONFIG_HOME"; touch "$TMPDIR/x" && echo ok'), isolation=how
    )
    theirs, own = (os.environ["HOME"], "/somewhere/else"), (str(play.scratch / "home"), "")
    home, config = theirs if how == "none" else own
    assert outcome.report.splitlines() == [home, str(play.scratch / "tmp"), config, "ok"]
    assert (play.scratch / "tmp" / "x").exists()


def test_a_home_that_the_agent_chose_stays_its_own(play, how, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", "/somewhere/else")
    home = play.scratch / "mine"
    home.mkdir()
    outcome = play.send(sh('echo "$HOME,$XDG_CONFIG_HOME"; touch "$HOME/x"', env={"HOME": str(home)}), isolation=how)
    assert outcome.report == f"{home},"
    assert (home / "x").exists()


def test_scoutkits_own_is_not_contained(play, bwrap):
    outcome = play.send(replace(sh('echo "$HOME"; touch ../x && echo ok'), contained=False), isolation=bwrap)
    assert outcome.report == f"{os.environ['HOME']}\nok"


def test_the_worktree_can_be_written_when_that_is_asked_for(play, how):
    write = "for file in x ../shadow.git/x; do touch $file 2>/dev/null && echo wrote || echo refused; done"
    outcome = play.send(sh(write), isolation=how, writable=False)
    assert outcome.report == ("wrote\nwrote" if how == "none" else "refused\nrefused")


def test_a_command_that_is_to_leave_its_report_in_the_worktree_can(play, how):
    invocation = replace(sh("echo '# Found' > answer.md; echo log"), report_file="answer.md")
    invocation.reader.finish = lambda code, tail, file: Outcome(Result.DONE if file else Result.FAILED, file or tail)
    assert play.send(invocation, isolation=how, writable=False).report == "# Found\n"


def test_the_worktree_of_a_scout_can_be_written(play, how):
    assert play.send(sh("touch x ../shadow.git/x && echo wrote"), isolation=how, writable=True).report == "wrote"


def test_a_program_that_is_not_there_inside_is_named_with_a_hint(play, how):
    outcome = play.send(Invocation(("/no/such-agent",), Text()), isolation=how)
    assert outcome.result is Result.FAILED
    assert "there is no program" in outcome.reason
    assert "/no/such-agent" in outcome.reason
    assert outcome.hint


def test_a_network_that_cannot_be_had_is_an_error_before_anything_starts(play):
    with pytest.raises(Unavailable):
        play.send(sh("touch started"), isolation="none", network="none")
    assert not (play.worktree / "started").exists()


# Secrets

KEY = "sk-test-0123456789-not-a-real-one"


def test_no_key_is_in_the_records_or_on_any_command_line(play, how):
    seen = []

    def look(event):
        if event.text == "ready":
            seen.extend(one.pid for one in play.left())
            seen.append([KEY.encode() in command_line(pid) for pid in census.table()])
            (play.worktree / "looked").touch()

    play.events = type("Looking", (list,), {"append": lambda _, event: look(event)})()
    waits = '[ -n "$ACME_API_KEY" ] && echo ready; while [ ! -e looked ]; do sleep 0.05; done; echo done'
    outcome = play.send(sh(waits, env={"ACME_API_KEY": KEY}), isolation=how)
    assert outcome.report == "ready\ndone"
    *pids, lines = seen
    assert pids, "it was there to be looked at"
    assert not any(lines)
    assert KEY.encode() not in b"".join(file.read_bytes() for file in play.records.iterdir())
    assert json.loads(play.read("invocation.json"))["argv"][0] == "/bin/sh"


# The network

FETCH = """
import sys, urllib.request
for host in sys.argv[1:]:
    try:
        print(urllib.request.urlopen(f"http://{host}/", timeout=80).read().decode())
    except OSError as error:
        print("refused")
"""


@pytest.fixture
def servers():
    class Answer(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"hello")

        def log_message(self, *_):
            pass

    both = [http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer) for _ in range(2)]
    for one in both:
        threading.Thread(target=one.serve_forever, daemon=True).start()
    yield [one.server_address[1] for one in both]
    for one in both:
        one.shutdown()
        one.server_close()


@pytest.mark.parametrize(
    ("network", "said"),
    [("full", "hello\nhello"), ("model", "hello\nrefused\nrefused"), ("none", "refused\nrefused")],
)
def test_a_run_reaches_what_its_network_allows_and_tells_what_it_did_not(play, bwrap, servers, network, said):
    model, other = (f"127.0.0.1:{port}" for port in servers)
    more = ["elsewhere.invalid:80"] if network == "model" else []
    argv = (sys.executable, "-I", "-c", FETCH, model, other, *more)
    before = threading.active_count()
    outcome = play.send(Invocation(argv, Text(), hosts=(model,)), isolation=bwrap, network=network)
    assert outcome.report == said
    told = [f"it asked for {host}, which is not its model: refused" for host in more]
    assert [text for text in play.said if "asked for" in text] == told
    until(lambda: threading.active_count() <= before, "the proxy goes with the run")
