"""Starting and ending processes: whole trees, orphans, the unwilling; nobody else's."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from waiting import FOREVER, PATIENCE, running, sleeper, soon, until

from scoutkit import census, ending, process


@pytest.fixture
def start() -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """Start a process that is gone after the test, whatever happens."""
    started: list[subprocess.Popen[bytes]] = []

    def call(*argv: str, **more: object) -> subprocess.Popen[bytes]:
        options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, **more}
        popen = subprocess.Popen(argv, **options)  # type: ignore[call-overload]
        started.append(popen)
        return popen

    yield call
    for popen in started:
        popen.kill()
        popen.wait()
        if popen.stdout:
            popen.stdout.close()


def first_line(popen: subprocess.Popen[bytes]) -> str:
    assert popen.stdout
    return popen.stdout.readline().decode().strip()


def gone(pid: int) -> bool:
    return until(lambda: census.identify(pid) is None, f"process {pid} ends")


def test_a_timeout_ends_the_whole_tree_and_returns_at_once() -> None:
    sleep = sleeper()
    with soon(), pytest.raises(subprocess.TimeoutExpired):
        process.run(["sh", "-c", f"{sleep} & {sleep}; :"], timeout=0.2)
    assert running(sleep) == []


def test_a_timeout_ends_what_ignores_term_and_lost_its_parent() -> None:
    sleep = sleeper()
    with soon(), pytest.raises(subprocess.TimeoutExpired):
        process.run(["sh", "-c", f"env -i setsid sh -c \"trap '' TERM; {sleep}; {sleep}\" & {sleep}"], timeout=0.3)
    assert running(sleep) == []


def test_run_gives_exit_status_output_and_input() -> None:
    done = process.run(["sh", "-c", "cat; echo no >&2; exit 3"], stdin=b"yes")
    assert (done.code, done.text, done.error) == (3, "yes", "no")


def test_a_marked_process_is_found_though_it_left_session_group_and_parent(
    start: Callable[..., subprocess.Popen[bytes]],
) -> None:
    popen = start(
        "sh",
        "-c",
        "setsid sh -c 'sleep 60 & echo $!; exit' & wait",
        env={**os.environ, process.RUN_MARK: f"m1{os.getpid()}"},
    )
    pid = int(first_line(popen))
    assert popen.wait() == 0
    assert pid in [one.pid for one in process.family(f"m1{os.getpid()}")]
    assert process.family("m1") == []
    assert ending.end(lambda: process.family(f"m1{os.getpid()}")) == []
    assert gone(pid)


def test_members_of_the_session_are_found_though_they_hide_their_mark(
    start: Callable[..., subprocess.Popen[bytes]],
) -> None:
    popen = start("env", "-i", "sh", "-c", "(sleep 60 & echo $!) ; sleep 60", start_new_session=True)
    pid, child = int(first_line(popen)), process.identify(popen.pid)
    assert {pid, popen.pid} <= {one.pid for one in process.family("none", [child])}
    popen.kill()
    assert gone(popen.pid)
    assert pid in [one.pid for one in process.family("none", [child])], (
        "its leader is a zombie: the pid is still its own"
    )
    popen.wait()
    assert process.family("none", [child]) == [], "the leader's pid may be anybody's now"
    os.kill(pid, signal.SIGKILL)


def test_a_later_process_with_the_same_pid_is_not_taken_for_the_root(
    start: Callable[..., subprocess.Popen[bytes]],
) -> None:
    popen = start("sleep", "60", start_new_session=True)
    now = process.identify(popen.pid)
    assert now
    then = type(now)(now.pid, now.start - 100, now.boot, now.host)
    assert process.family("none", [then]) == []
    assert process.tree(then) == []
    assert process.tree(now) == [now]


def test_one_that_works_in_the_folder_is_found_unless_a_person_sits_there(
    start: Callable[..., subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    inside = tmp_path / "in side"
    (inside / "deep").mkdir(parents=True)
    (tmp_path / "in side too").mkdir()
    link = tmp_path / "link"
    link.symlink_to(inside)
    daemon_pid = int(first_line(start("sh", "-c", f"cd '{inside}/deep' && setsid sleep 60 & echo $!")))
    neighbour = start("setsid", "sleep", "60", cwd=tmp_path / "in side too")
    person, terminal = pty.fork()
    if not person:
        os.chdir(inside)
        os.execvp("sleep", ["sleep", "60"])
    try:
        until(lambda: census.works_in(person, str(inside)) and os.getsid(daemon_pid) == daemon_pid)
        until(lambda: os.getsid(neighbour.pid) == neighbour.pid)
        found = [one.pid for one in process.family("none", folder=link)]
        assert daemon_pid in found
        assert person not in found
        assert neighbour.pid not in found
    finally:
        os.kill(person, signal.SIGKILL)
        os.kill(daemon_pid, signal.SIGKILL)
        os.waitpid(person, 0)
        os.close(terminal)


def test_this_process_is_never_of_the_family(tmp_path: Path) -> None:
    script = (
        "import os; from scoutkit import process\n"
        "print(os.getpid() in [one.pid for one in process.family('me', [process.identify()], folder=os.getcwd())])"
    )
    env = {**os.environ, process.RUN_MARK: "me"}
    done = subprocess.run(
        [sys.executable, "-c", script], env=env, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"


def test_what_ignores_term_is_killed_after_the_grace(start: Callable[..., subprocess.Popen[bytes]]) -> None:
    popen = start("sh", "-c", "trap '' TERM; echo; while :; do sleep 0.05; done")
    first_line(popen)
    root = process.identify(popen.pid)
    began = time.monotonic()
    assert ending.end(lambda: process.tree(root), grace=0.4) == []
    assert time.monotonic() - began >= 0.4
    assert popen.wait() == -signal.SIGKILL


def test_what_heeds_term_has_time_to_say_goodbye(start: Callable[..., subprocess.Popen[bytes]]) -> None:
    popen = start("sh", "-c", "trap 'echo bye; exit 7' TERM; echo; while :; do sleep 0.05; done")
    first_line(popen)
    root = process.identify(popen.pid)
    assert ending.end(lambda: process.tree(root), grace=PATIENCE) == []
    assert first_line(popen) == "bye"
    assert popen.wait() == 7


def test_a_stopped_process_is_woken_to_end(start: Callable[..., subprocess.Popen[bytes]]) -> None:
    popen = start("sleep", "60")
    root = process.identify(popen.pid)
    popen.send_signal(signal.SIGSTOP)
    ending.end(lambda: process.tree(root), grace=PATIENCE)
    assert popen.wait() == -signal.SIGTERM


def test_one_that_keeps_starting_others_is_ended_with_them(start: Callable[..., subprocess.Popen[bytes]]) -> None:
    env = {**os.environ, process.RUN_MARK: f"busy{os.getpid()}"}
    popen = start("sh", "-c", "trap '' TERM; echo; while :; do setsid sleep 60 & sleep 0.01; done", env=env)
    first_line(popen)
    assert ending.end(lambda: process.family(f"busy{os.getpid()}"), grace=0.3) == []
    assert process.family(f"busy{os.getpid()}") == []


def test_asking_who_lives_and_collecting_leaves_exit_statuses_to_who_waits(
    start: Callable[..., subprocess.Popen[bytes]],
) -> None:
    plain = start("sh", "-c", "exit 5")
    leader = process.spawn(["sh", "-c", "exit 6"], session=True)
    with leader:
        until(lambda: process.exited(leader))
        assert gone(plain.pid)
        assert gone(leader.pid)
        assert process.identify(leader.pid) is None
        assert process.identify(leader.pid, ended=True), "its pid is held"
        process.collect()
        process.family("x", [process.identify(leader.pid, ended=True)])
        assert (plain.wait(), leader.wait()) == (5, 6)
    assert process.exited(leader)


ADOPT = """
import os, subprocess, sys, time
from scoutkit import census, ending, process
process.adopt_orphans()
script = "setsid sleep 60 & echo $!; setsid true & exec sleep 0.3"
child = process.spawn(["env", "-i", "sh", "-c", script], session=True)
orphan = int(child.stdout.readline())
root = process.identify(child.pid, ended=True)
zombies = lambda: [one for one in census.table().values() if one.zombie and one.parent == os.getpid()]
while census.entry(orphan).parent != os.getpid() or len(zombies()) != 2:  # the child, and what came to us and ended
    time.sleep(0.01)
own = process.spawn(["sleep", "60"], session=True)  # ours, and in a session of its own: not an orphan
assert orphan not in [one.pid for one in process.family("x", [root])], "it hides well"
assert [one.pid for one in process.family("x", [root], adopted_since=root.start)] == [orphan]
assert ending.end(lambda: process.family("x", [root], adopted_since=root.start)) == []
assert len(zombies()) == 3, zombies()
process.collect()
assert [one.pid for one in zombies()] == [child.pid]
assert child.wait() == 0
assert own.poll() is None
own.kill()
own.wait()
print("well")
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux hands orphans to another than init")
def test_orphans_without_session_mark_or_parent_come_to_us_and_are_ended_and_collected() -> None:
    done = subprocess.run([sys.executable, "-c", ADOPT], capture_output=True, text=True, timeout=PATIENCE)
    assert (done.stdout, done.stderr) == ("well\n", "")


def test_a_detached_process_outlives_its_starter(tmp_path: Path) -> None:
    script = f"from scoutkit import process; process.detach(['sh', '-c', 'sleep 0.3; touch {tmp_path}/done'])"
    subprocess.run([sys.executable, "-W", "error", "-c", script], check=True)
    until((tmp_path / "done").exists)


def test_what_is_started_to_end_well_is_left_to_do_so(start: Callable[..., subprocess.Popen[bytes]]) -> None:
    script = "trap 'sleep 0.3 && echo saved; exit' TERM; echo; while :; do sleep 0.05; done"
    env = {**os.environ, process.RUN_MARK: f"saver{os.getpid()}"}
    popen = start("sh", "-c", script, env=env)
    first_line(popen)
    ending.end(lambda: process.family(f"saver{os.getpid()}"), grace=PATIENCE)
    assert first_line(popen) == "saved"


def test_what_is_started_and_left_alone_meanwhile_is_told_too(start: Callable[..., subprocess.Popen[bytes]]) -> None:
    script = "trap 'setsid sleep 600 & exit' TERM; echo; while :; do sleep 0.05; done"
    popen = start("sh", "-c", script, env={**os.environ, process.RUN_MARK: f"leaver{os.getpid()}"})
    first_line(popen)
    with soon():
        ending.end(lambda: process.family(f"leaver{os.getpid()}"), grace=FOREVER)
    assert process.family(f"leaver{os.getpid()}") == []


def test_what_is_spared_hears_no_term_and_goes_with_what_it_started(
    start: Callable[..., subprocess.Popen[bytes]],
) -> None:
    inner = "trap 'echo inner; exit' TERM; echo; while :; do sleep 0.05; done"
    popen = start("sh", "-c", f"trap 'echo outer' TERM; sh -c \"{inner}\" & wait $!; echo over")
    first_line(popen)
    root = process.identify(popen.pid)
    steps = ending.steps(lambda: process.tree(root), grace=lambda: PATIENCE, spared=lambda: {popen.pid})
    for pause in steps:
        time.sleep(pause)
    assert (first_line(popen), first_line(popen), popen.wait()) == ("inner", "over", 0)


def test_what_is_spared_and_stays_is_killed_in_the_end(start: Callable[..., subprocess.Popen[bytes]]) -> None:
    popen = start("sleep", "60")
    root = process.identify(popen.pid)
    for pause in ending.steps(lambda: process.tree(root), grace=lambda: 0.3, spared=lambda: {popen.pid}):
        time.sleep(pause)
    assert popen.wait() == -signal.SIGKILL


def test_collecting_where_nothing_ended_leaves_everything(start: Callable[..., subprocess.Popen[bytes]]) -> None:
    popen = start("sleep", "60")
    process.collect()
    assert popen.poll() is None
