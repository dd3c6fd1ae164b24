"""`scoutkit browse` as a person starts it: a process that serves until Ctrl-C."""

from __future__ import annotations

import contextlib
import re
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from waiting import PATIENCE, until

from scoutkit.commands import browse


@contextlib.contextmanager
def browsing(repo: Path, *options: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The address that it prints, once it answers."""
    command = [sys.executable, "-m", "scoutkit", "browse", "--no-open", "--port", "0", *options]
    with subprocess.Popen(command, cwd=repo, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as server:
        assert server.stdout
        try:
            yield server.stdout.readline().strip(), server
        finally:
            if server.poll() is None:
                server.kill()


def test_it_serves_until_ctrl_c_and_ends_well(repo):
    with browsing(repo) as (address, server):
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", address)
        with urllib.request.urlopen(address) as answer:
            assert answer.status == 200
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(f"{address}nowhere")
        server.send_signal(signal.SIGINT)
        out, err = server.communicate(timeout=PATIENCE)
        assert (server.returncode, "Traceback" in out + err) == (0, False)


def test_with_a_token_the_address_has_it_and_nothing_answers_without(repo):
    with browsing(repo, "--host", "0.0.0.0", "--token", "-") as (address, _):
        keeping = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        assert keeping.open(address).status == 200
        with pytest.raises(urllib.error.HTTPError, match="403"):
            urllib.request.urlopen(address.split("?")[0])


def test_a_port_that_is_taken_is_one_line(scoutkit):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        said = scoutkit("browse", "--no-open", "--port", str(taken.getsockname()[1]))
    assert said.code == 5
    assert "cannot listen on 127.0.0.1" in said.err
    assert "hint: " in said.err


@pytest.mark.parametrize(
    ("options", "says"),
    [(["--host", "0.0.0.0"], "--token is needed"), (["--token", "short"], "can be guessed")],
)
def test_others_are_let_in_with_a_token_only(scoutkit, options, says):
    said = scoutkit("browse", "--no-open", *options)
    assert (said.code, says in said.err) == (2, True)


def test_outside_of_a_repository_it_says_so(scoutkit, tmp_path):
    (tmp_path / "none").mkdir()
    assert scoutkit("browse", cwd=tmp_path / "none").code == 3


@pytest.fixture
def opener(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A desktop's program that opens addresses; gives the file it writes them to."""
    monkeypatch.setattr("sys.platform", "linux")
    program = tmp_path / "xdg-open"
    program.write_text(f'#!/bin/sh\nprintf %s "$1" > {tmp_path}/part && mv {tmp_path}/part {tmp_path}/opened\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path / "opened"


def test_the_desktop_opens_the_address(opener: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    assert browse._opened("http://127.0.0.1:8765/?token=x")
    until(opener.exists)
    assert opener.read_text() == "http://127.0.0.1:8765/?token=x"


def test_where_there_is_no_desktop_nothing_is_started(opener: Path) -> None:
    assert not browse._opened("http://127.0.0.1:8765/?token=x")
    assert not opener.exists()
