"""Who is who: one process told from a later one with its pid, from another boot, host or namespace."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import threading
from dataclasses import replace

import pytest
from waiting import until

from scoutkit import census

LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="about /proc")


def test_this_process_lives() -> None:
    me = census.identify()
    assert me
    assert me.pid == os.getpid()
    assert census.alive(me)
    assert census.identify(me.pid) == me


def test_nobody_does_not_live() -> None:
    assert not census.alive(None)
    assert census.identify(2**22 + 5) is None


def test_a_pid_used_again_is_somebody_else() -> None:
    me = census.identify()
    assert me
    assert not census.alive(replace(me, start=me.start - 1))


def test_a_process_that_ended_is_dead_before_and_after_it_is_collected() -> None:
    with subprocess.Popen(["sleep", "60"]) as popen:
        owner = census.identify(popen.pid)
        assert census.alive(owner)
        popen.kill()
        until(lambda: not census.alive(owner))
        zombie = census.entry(popen.pid)
        assert zombie
        assert zombie.zombie
        popen.wait()
        assert not census.alive(owner)


def test_an_earlier_boot_of_this_machine_is_over() -> None:
    me = census.identify()
    assert me
    if me.boot:
        assert not census.alive(replace(me, boot="00000000-0000-0000-0000-000000000000"))


def test_what_cannot_be_seen_from_here_counts_as_alive() -> None:
    me = census.identify()
    assert me
    elsewhere = replace(
        me, pid=2**22 + 5, boot="00000000-0000-0000-0000-000000000000", host="elsewhere/0123abcd/4026531836"
    )
    assert census.alive(elsewhere)
    name = me.host.rpartition("/")[0]
    assert census.alive(replace(me, pid=2**22 + 5, host=f"{name}/1")), "a container of this machine"
    assert census.alive(replace(me, pid=2**22 + 5, boot="")), "written where the kernel names no boots"


@LINUX
def test_a_machine_that_changed_its_name_still_knows_its_processes() -> None:
    me = census.identify()
    assert me
    renamed = replace(me, host="other-name/ffffffff/" + me.host.rpartition("/")[2])
    assert census.alive(renamed)
    assert not census.alive(replace(renamed, start=me.start - 1))


@LINUX
def test_a_process_that_outlives_its_first_thread_lives() -> None:
    script = (
        "import ctypes, threading, time\n"
        "threading.Thread(target=lambda: (time.sleep(0.3), print('on', flush=True), time.sleep(60))).start()\n"
        "ctypes.CDLL(None).pthread_exit(None)"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE) as popen:
        assert popen.stdout
        owner = census.identify(popen.pid)
        assert popen.stdout.readline() == b"on\n"
        assert census.alive(owner)
        popen.kill()


@LINUX
def test_names_with_brackets_and_blanks_do_not_confuse() -> None:
    ready, done = threading.Event(), threading.Event()
    seen = []

    def odd() -> None:
        ctypes.CDLL(None).prctl(15, b"a) Z 1 (b", 0, 0, 0)  # PR_SET_NAME, for this thread
        seen.append(threading.get_native_id())
        ready.set()
        done.wait()

    thread = threading.Thread(target=odd)
    thread.start()
    ready.wait()
    entry = census.entry(seen[0])
    done.set()
    thread.join()
    assert entry
    assert not entry.zombie
    assert entry.session == os.getsid(0)


@LINUX
def test_psutil_and_proc_see_the_same() -> None:
    with subprocess.Popen(["sleep", "60"], start_new_session=True) as popen, subprocess.Popen(["true"]) as ended:
        until(lambda: (entry := census.entry(ended.pid)) and entry.zombie)
        for pid in (popen.pid, ended.pid, os.getpid()):
            one, other = census._from_proc(pid), census._from_psutil(pid)
            assert one
            assert other
            assert one._replace(start=0.0) == other._replace(start=0.0)
        popen.kill()
    assert census._from_psutil(popen.pid) is None


def test_the_mark_is_read_from_the_environment() -> None:
    with subprocess.Popen(["sleep", "60"], env={"XSCOUTKIT_RUN": "no", "SCOUTKIT_RUN": "yes", "A": "b"}) as popen:
        until(lambda: census.mark(popen.pid) == "yes", "it is past exec")
        popen.kill()
    assert census.mark(popen.pid) == ""


def test_the_mark_of_a_process_that_just_becomes_another_program_is_seen() -> None:
    env = {"PATH": os.environ["PATH"], census.RUN_MARK: "r1"}
    for _ in range(60):  # Popen returns in the middle of exec, before the environment is in place
        with subprocess.Popen(["sleep", "600"], env=env) as started:
            seen = census.mark(started.pid)
            started.kill()
        assert seen == "r1"
