from __future__ import annotations

import csv
import json
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from scoutkit.dispatch import container, sandbox
from scoutkit.dispatch.room import Room
from scoutkit.errors import Unavailable
from scoutkit.model.missions import Kind


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Calls]:
    """Makes a program that records how it is called, and answers as told; gives what it was called with."""

    def make(name: str, says: str = "27.1", code: int = 0) -> Calls:
        folder = tmp_path / "engines"
        folder.mkdir(exist_ok=True)
        calls = tmp_path / "calls"
        code_ = f"""#!{sys.executable}
import json, os, sys
with open({str(calls)!r}, "a") as file:
    file.write(json.dumps(sys.argv[1:]) + "\\n")
print({says!r}, file=sys.stderr if {code} else sys.stdout)
sys.exit({code})
"""
        (folder / name).write_text(code_)
        (folder / name).chmod(0o755)
        monkeypatch.setenv("PATH", str(folder))
        calls.touch()
        return Calls(calls)

    return make


class Calls:
    def __init__(self, path: Path) -> None:
        self.path = path

    def now(self) -> list[list[str]]:
        return [json.loads(line) for line in self.path.read_text().splitlines()]


@pytest.fixture
def room(tmp_path: Path) -> Room:
    for name in ("tree", "shadow/objects/info", "scratch", "user/objects"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "shadow/objects/info/alternates").write_text(f"{tmp_path}/user/objects\n")
    env = {"KEY": "s3cret", "PATH": "/host/bin"}
    return Room(tmp_path / "tree", tmp_path / "shadow", tmp_path / "scratch", env, run_id="r1")


def after(argv: tuple[str, ...], flag: str) -> list[str]:
    return [argv[at + 1] for at, word in enumerate(argv) if word == flag]


def mounts(argv: tuple[str, ...]) -> dict[str, bool]:
    """Where, and whether it may be written."""
    found = {}
    for mount in after(argv, "--mount"):
        fields = next(csv.reader([mount]))
        values = dict(field.partition("=")[::2] for field in fields)
        assert values["type"] == "bind"
        assert values["source"] == values["target"]
        found[values["target"]] = "readonly" not in values
    return found


def test_an_engine_that_answers_can_be_chosen(engine: Callable[..., Calls]) -> None:
    calls = engine("docker")
    assert sandbox.choose("docker", Kind.SCOUT) == "docker"
    assert calls.now() == [["version", "--format", "{{.Server.Version}}"]]
    assert next(one for one in sandbox.possible() if one.name == "docker") == sandbox.Possibility(
        "docker", True, "27.1"
    )


def test_an_engine_that_is_not_running_says_so(engine: Callable[..., Calls]) -> None:
    engine("docker", "Cannot connect to the Docker daemon", 1)
    with pytest.raises(Unavailable, match="no isolation by docker: Cannot connect"):
        sandbox.choose("docker", Kind.ASK)


def test_what_the_engine_is_told(engine: Callable[..., Calls], room: Room) -> None:
    calls = engine("docker")
    inside = sandbox.wrap("docker", ["/host/bin/claude", "-p"], room)
    argv = inside.argv
    assert argv[1:5] == ("run", "--rm", "--pull", "never")
    assert argv[-3:] == ("scoutkit-agents", "claude", "-p")
    for flag, value in {
        "--memory": "4g",
        "--cpus": "2",
        "--pids-limit": "512",
        "--tmpfs": "/tmp",
        "--cap-drop": "ALL",
        "--security-opt": "no-new-privileges",
        "--user": f"{os.geteuid()}:{os.getegid()}",
        "--workdir": str(room.worktree),
        "--name": "scoutkit-r1",
    }.items():
        assert after(argv, flag) == [value]
    assert "--read-only" in argv
    assert "--network" not in argv
    inside.close()
    assert calls.now() == [["rm", "--force", "scoutkit-r1"]]


def test_what_it_mounts(engine: Callable[..., Calls], room: Room, tmp_path: Path) -> None:
    engine("docker")
    own = {str(room.worktree), str(room.shadow)}
    for writable in (False, True):
        seen = mounts(sandbox.wrap("docker", ["x"], replace(room, writable=writable)).argv)
        assert {path for path, may in seen.items() if may} == {str(room.scratch), *(own if writable else ())}
        package = str(Path(container.__file__).parent.parent)
        assert set(seen) == {*own, str(room.scratch), f"{tmp_path}/user/objects", package}


def test_values_of_variables_stay_off_the_command_line(engine: Callable[..., Calls], room: Room) -> None:
    engine("docker")
    inside = sandbox.wrap("docker", ["x"], room)
    assert "s3cret" not in " ".join(inside.argv)
    assert set(after(inside.argv, "--env")) == {"KEY", "HOME", "TMPDIR", "TMP", "TEMP"}  # PATH is the image's
    assert inside.env["KEY"] == "s3cret"


def test_no_network(engine: Callable[..., Calls], room: Room) -> None:
    engine("podman")
    assert after(sandbox.wrap("podman", ["x"], replace(room, network="none")).argv, "--network") == ["none"]


def test_a_path_with_commas_and_quotes(engine: Callable[..., Calls], room: Room, tmp_path: Path) -> None:
    engine("docker")
    (tmp_path / 'a,b"c').mkdir()
    seen = mounts(sandbox.wrap("docker", ["x"], replace(room, worktree=tmp_path / 'a,b"c')).argv)
    assert seen[f'{tmp_path}/a,b"c'] is False


def test_this_python_is_the_images(engine: Callable[..., Calls], room: Room) -> None:
    engine("docker")
    assert sandbox.wrap("docker", [sys.executable, "-m", "x"], room).argv[-3:] == ("python3", "-m", "x")


def test_an_image_that_is_missing_says_how_to_make_it() -> None:
    docker = (
        "docker: Error response from daemon: No such image: scoutkit-agents:latest.\n\nRun 'docker run --help' for more"
    )
    for name, said in (("docker", docker), ("podman", "Error: scoutkit-agents: image not known\n")):
        what, hint = sandbox.trouble(name, said)
        assert what == f"{name} has no image scoutkit-agents"
        assert hint.startswith(f"build it: {name} build -t scoutkit-agents ")
        assert (Path(hint.rpartition(" ")[2]) / "Dockerfile").is_file()
