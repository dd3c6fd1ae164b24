"""What takes too much of the machine is ended, says why, and leaves nothing running."""

from __future__ import annotations

import os
import time

import pytest
from waiting import soon

from scoutkit import census, process
from scoutkit.agents.command import Command, CommandReader
from scoutkit.dispatch import bounds, cgroup, disk, sandbox
from scoutkit.model.agents import Invocation
from scoutkit.model.missions import Result

# They make 510 and 400 processes at most, so that a watcher that sleeps does not cost the machine.
DOUBLING = "b() { [ $1 -gt 0 ] && { b $(($1-1)) & b $(($1-1)) & }; sleep 600; }; b 8"
LEAVING = "i=0; while [ $i -lt 400 ]; do setsid sleep 600 & i=$((i+1)); done; sleep 600"


def runs(command):
    return f"""[[step]]\nsay = "# Half"\n[[step]]\nrun = '''{command}'''\n[[step]]\nreport = "# T\\n\\nx"\n"""


def here(isolation):
    if isolation != "none" and not any(one.name == isolation and one.ok for one in sandbox.possible()):
        pytest.skip(f"no {isolation} here")
    return isolation


def alive(play):
    return [one for one in process.family(play.run.id, folder=play.folder) if census.alive(one)]


@pytest.mark.parametrize("isolation", ["none", "landlock", "bwrap"])
@pytest.mark.parametrize("bomb", [DOUBLING, LEAVING])
def test_a_fork_bomb_is_bounded_and_nothing_of_it_is_left(play, bomb, isolation):
    with soon():
        outcome = play(runs(bomb), limits={"processes": 100}, isolation=here(isolation), writable=True, grace=5.0)
    assert outcome.result is Result.BUDGET
    assert "processes, more than 100" in outcome.reason or "started more than 100 processes" in outcome.reason
    assert "watcher" in outcome.reason or "cgroup" in outcome.reason
    assert "--max-processes" in outcome.hint
    assert "Half" in outcome.report
    assert play.journal.get(play.run.id).bounded == bounds.holder(isolation)
    assert not alive(play)


def test_memory_is_bounded(play):
    eats = 'python3 -c "import time; x = bytearray(180_000_000); time.sleep(600)"'
    outcome = play(runs(eats), limits={"memory_bytes": 100_000_000})
    assert outcome.result is Result.BUDGET
    assert "GB of memory, more than 0.1 GB, seen by a watcher" in outcome.reason or "held by a cgroup" in outcome.reason
    assert "--max-memory" in outcome.hint
    assert not alive(play)


@pytest.mark.parametrize("where", [".", "$TMPDIR"])
def test_a_full_disk_is_kept_from(play, where):
    fills = (
        f"i=0; while [ $i -lt 400 ]; do head -c 1000000 /dev/zero >{where}/f$i; i=$((i+1)); sleep 0.01; done; sleep 600"
    )
    outcome = play(runs(fills), limits={"disk_bytes": 20_000_000})
    assert outcome.result is Result.BUDGET
    assert outcome.reason == "it took more than 20 MB of disk"
    assert "--max-disk" in outcome.hint
    assert "Half" in outcome.report


def test_what_was_there_before_does_not_count(play):
    (play.worktree / "large").write_bytes(os.urandom(30_000_000))
    outcome = play(runs("sleep 4; echo x >y"), limits={"disk_bytes": 20_000_000})
    assert outcome.result is Result.DONE


def test_a_daemon_left_behind_is_ended_and_the_run_is_done(play):
    outcome = play(runs("setsid sh -c 'while sleep 0.1; do touch tick; done' >/dev/null 2>&1 &"))
    assert outcome.result is Result.DONE
    assert not alive(play)
    (play.worktree / "tick").unlink(missing_ok=True)
    time.sleep(0.4)
    assert not (play.worktree / "tick").exists()


def test_two_gigabytes_of_output_end_well(play):
    floods = ("/bin/sh", "-c", "echo '# Half'; yes some line or other | head -c 2000000000")
    invocation = Invocation(floods, CommandReader(Command("floods"), to_file=False))
    outcome = play.send(invocation, limits={"output_bytes": 1_000_000})
    assert outcome.result is Result.BUDGET
    assert "wrote more than 1,000,000 bytes" in outcome.reason
    assert outcome.report.startswith("# Half")
    assert sum(path.stat().st_size for path in play.records.iterdir()) < 8_000_000
    assert not alive(play)


def test_an_agent_is_told_when_little_is_left(play):
    waits = 'while [ ! -e "$SCOUTKIT_NOTICE" ]; do sleep 0.1; done; cat "$SCOUTKIT_NOTICE"'
    outcome = play(
        f"[[step]]\nusage = {{ input_tokens = 850, output_tokens = 0 }}\n{runs(waits)}", limits={"tokens": 1000}
    )
    assert outcome.result is Result.DONE
    assert any(event.text.startswith("Little is left of your tokens") for event in play.events)
    assert sum("told to write its report" in event.text for event in play.events) == 1


def test_an_agent_with_enough_left_is_told_nothing(play):
    play(f"[[step]]\nusage = {{ input_tokens = 700, output_tokens = 0 }}\n{runs('sleep 0.3')}", limits={"tokens": 1000})
    assert not any("told to write its report" in event.text for event in play.events)


def test_it_gives_way_to_the_users_own_programs(play):
    if bounds.holder("none") != "watcher":
        pytest.skip("a cgroup gives it less of the processor here")
    play(runs("nice"))
    niceness = os.getpriority(os.PRIO_PROCESS, 0) + bounds.NICE
    assert any(event.text.strip() == str(min(19, niceness)) for event in play.events)


def test_looking_at_the_disk_does_not_hold_up_the_conversation(tmp_path, monkeypatch):
    for number in range(40):
        folder = tmp_path / f"d{number}"
        folder.mkdir()
        (folder / "file").touch()
    monkeypatch.setattr(disk, "SLICE", 0.0)  # as for a folder that is as large as it likes
    looking = disk.Disk(tmp_path, 10**9)
    assert [looking.look(time.monotonic()) for _ in range(21)] == [""] * 21
    assert looking._walk, "one folder a time, and more of them than looks"
    while looking._walk:
        assert looking.look(time.monotonic()) == ""


class Groups:
    """Files as the kernel has them for cgroups: what cannot be made here is written to and read from here."""

    def __init__(self, root):
        self.root, self.table = root / "cgroup", root / "table"
        self.own = self.root / "user/app/shell"
        self.own.mkdir(parents=True)
        self.table.write_text("1:name=systemd:/\n0::/user/app/shell\n")
        for folder in (self.root, self.root / "user", self.root / "user/app", self.own):
            (folder / "cgroup.procs").touch()
            (folder / "cgroup.subtree_control").write_text("")
        (self.root / "cgroup.controllers").write_text("cpu memory pids\n")

    def parent(self):
        return cgroup.parent(self.root, self.table)


@pytest.fixture
def groups(tmp_path):
    return Groups(tmp_path)


def test_a_group_is_made_below_the_nearest_that_hands_its_controllers_on(groups):
    (groups.root / "user/app/cgroup.subtree_control").write_text("cpu memory pids\n")
    assert groups.parent() == (groups.root / "user/app", "")


def test_why_there_is_none_is_said(groups, tmp_path):
    assert groups.parent()[0] is None
    assert "hands no memory, pids on" in groups.parent()[1]
    assert "no cgroup v2 is mounted" in cgroup.parent(tmp_path / "none", groups.table)[1]
    groups.table.write_text("4:memory:/x\n")
    assert "in no group" in groups.parent()[1]


def test_its_limits_are_written_and_what_the_kernel_enforced_is_read(groups, tmp_path):
    made = cgroup.Cgroup.make(groups.root, "r1", 100, 2_000_000_000)
    assert made
    assert made.folder == groups.root / "scoutkit-r1"
    assert (made.folder / "pids.max").read_text() == "100"
    assert (made.folder / "memory.max").read_text() == "2000000000"
    assert made.broken() == ""
    (made.folder / "pids.events").write_text("max 3\n")
    assert made.broken() == "it started more than 100 processes"
    (made.folder / "memory.events").write_text("low 0\nmax 8\noom 1\noom_kill 1\n")
    assert made.broken() == "it used more than 2 GB of memory"


def test_a_command_is_in_the_group_before_it_begins(groups):
    made = cgroup.Cgroup.make(groups.root, "r1", 100, None)
    assert made
    done = process.run([*made.entering(["sh", "-c", 'echo "$$ $1"', "x", "a b"])])
    assert done.text == f"{(made.folder / 'cgroup.procs').read_text().strip()} a b\n"
    assert made.holds()


def test_where_none_can_be_made_there_is_none(groups, tmp_path):
    assert cgroup.Cgroup.make(tmp_path / "nowhere", "r1", 100, None) is None
