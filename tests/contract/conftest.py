"""Real agent programs against a scripted model. Where a program is not installed, its tests say so and are skipped;
with CI=true they fail."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import install
import pytest
from model_server import ModelServer
from stage import Stage

CACHE = install.cache().absolute()  # before a test gets a home of its own
IN_CI = os.environ.get("CI") == "true"
FIRST = ("claude", "codex")
MORE = ("gemini", "copilot", "llm")
USUAL = {"claude": ("bwrap",), "codex": ("landlock", "none"), **dict.fromkeys(MORE, ())}
BY_SIGNAL = {
    signal.SIGKILL: ("bwrap", "landlock", "none"),
    signal.SIGTERM: ("landlock",),
    signal.SIGINT: ("bwrap",),
    None: (),
}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that takes `agent` is one of every program; those of `MORE` have the marker `agents`."""
    if "agent" in metafunc.fixturenames and not any(
        "agent" in str(mark.args[0]) for mark in metafunc.definition.iter_markers("parametrize")
    ):
        more = [pytest.param(name, marks=pytest.mark.agents) for name in MORE]
        metafunc.parametrize("agent", [*FIRST, *more])


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Of each program with each isolation every run has those that differ most; `make test-agents` has all. That what a
    repository brings is not run, those that differ most show in the same repository where they try to write."""
    for item in items:
        given = getattr(item, "callspec", None)
        if given is None or "isolation" not in given.params:
            continue
        how = given.params.get("how")
        usual = USUAL[given.params["agent"]] if "agent" in given.params else BY_SIGNAL[how]
        if (given.params["isolation"] in usual) is ("repository_brings" in item.name):
            item.add_marker(pytest.mark.agents)


def _missing(what: str, way: str) -> None:
    """Skips the test, or fails it in CI."""
    said = f"{what}: {way}"
    if IN_CI:
        pytest.fail(said)
    pytest.skip(said)


@pytest.fixture
def programs(request: pytest.FixtureRequest) -> Path:
    """The folder for PATH, with the programs that the test needs in it."""
    needed = [request.getfixturevalue("agent")] if "agent" in request.fixturenames else FIRST
    for name in needed:
        if not install.installed(name, CACHE):
            _missing(f"{name} is not in {CACHE}", f"python3 tests/contract/install.py {name}")
    return CACHE / "bin"


@pytest.fixture
def bwrap() -> None:
    """The test needs bubblewrap."""
    if not shutil.which("bwrap"):
        _missing("bwrap is not installed", "install the package bubblewrap")


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture
def stage(tmp_path: Path, programs: Path, server: ModelServer, fill: Callable[[Path], None]) -> Stage:
    place = tmp_path / "stage"
    place.mkdir()
    stage = Stage(place, programs, server)
    fill(stage.home / ".cache/scoutkit")
    return stage
