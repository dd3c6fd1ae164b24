from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from scoutkit.dispatch import landlock

SCRIPT = landlock.__file__


def confined(policy: dict[str, object], *command: str) -> subprocess.CompletedProcess[str]:
    if landlock.missing():
        pytest.skip(f"NOT TESTED on this machine: Landlock: {landlock.missing()}")
    argv = [os.path.realpath(sys.executable), "-I", "-S", SCRIPT, json.dumps(policy), "--", *command]
    return subprocess.run(argv, capture_output=True, text=True, timeout=100)


def policy(*change: Path, network: bool = True) -> dict[str, object]:
    look = ["/usr", "/bin", "/lib", "/lib64", "/etc", "/proc", os.path.realpath(sys.base_prefix)]
    return {"look": look, "change": [str(path) for path in change], "network": network}


def test_what_is_not_listed_can_be_neither_read_nor_written(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("KEY")
    (tmp_path / "mine").mkdir()
    script = f"cat {tmp_path}/secret; echo x > {tmp_path}/new; echo y > {tmp_path}/mine/new; ls {tmp_path}"
    done = confined(policy(tmp_path / "mine"), "/bin/sh", "-c", script)
    assert (done.stdout, done.stderr.count("denied")) == ("", 3)
    assert (tmp_path / "mine/new").read_text() == "y\n"
    assert not (tmp_path / "new").exists()


def test_a_file_that_may_be_read_cannot_be_cut_or_replaced(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("whole")
    (tmp_path / "mine").mkdir()
    listed = policy(tmp_path / "mine")
    listed["look"] = [*listed["look"], str(tmp_path)]  # type: ignore[misc]
    script = (
        f"truncate -s 0 {tmp_path}/file; mv {tmp_path}/file {tmp_path}/mine; rm {tmp_path}/file; cat {tmp_path}/file"
    )
    done = confined(listed, "/bin/sh", "-c", script)
    assert done.stdout == "whole"
    assert (tmp_path / "file").read_text() == "whole"


def test_the_environment_of_other_processes_is_closed() -> None:
    with subprocess.Popen(["sleep", "60"], env={"KEY": "s3cret"}) as other:
        done = confined(
            policy(), "/bin/sh", "-c", f"cat /proc/{other.pid}/environ; cat /proc/{other.pid}/fd/0; kill {other.pid}"
        )
        alive = other.poll() is None
        other.kill()
    assert "s3cret" not in done.stdout
    assert done.stderr.count("Permission denied") == 2
    if landlock.abi() >= 6:
        assert alive


@pytest.mark.parametrize(
    ("network", "family", "refused"),
    [(True, "AF_INET", False), (True, "AF_UNIX", True), (False, "AF_INET", True), (False, "AF_INET6", True)],
)
def test_which_sockets_can_be_made(network: bool, family: str, refused: bool) -> None:
    code = f"import socket; socket.socket(socket.{family}, socket.SOCK_DGRAM); print('made')"
    done = confined(policy(network=network), os.path.realpath(sys.executable), "-c", code)
    assert (done.stdout == "") is refused
    assert ("PermissionError" in done.stderr) is refused


def test_io_uring_makes_no_sockets_past_it() -> None:
    code = "import ctypes; c = ctypes.CDLL(None, use_errno=True); print(c.syscall(425, 1, 0), ctypes.get_errno())"
    assert confined(policy(), os.path.realpath(sys.executable), "-c", code).stdout == "-1 38\n"


def test_a_program_that_is_missing() -> None:
    done = confined(policy(), "/usr/bin/not-there")
    assert done.returncode == 1
    assert done.stderr == "scoutkit-landlock: execvp /usr/bin/not-there: No such file or directory\n"


def test_the_fewest_paths_that_leave_out_what_is_hidden(tmp_path: Path) -> None:
    tmp_path /= "etc"
    for name in ("a/one", "a/two", "b/c/key", "b/c/open", "b/d/any", "shut/any"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    hidden = {f"{tmp_path}/b/c/key", f"{tmp_path}/shut"}
    assert sorted(landlock._parts(str(tmp_path), hidden)) == [f"{tmp_path}/{name}" for name in ("a", "b/c/open", "b/d")]
    assert list(landlock._parts(f"{tmp_path}/a", hidden)) == [f"{tmp_path}/a"]
