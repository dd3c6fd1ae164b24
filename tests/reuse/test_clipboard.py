"""A text goes to the clipboard by what is there: a desktop's program, tmux, the terminal; else there is an error."""

from __future__ import annotations

import base64
import os
import pty
from pathlib import Path

import pytest

from scoutkit.errors import Unavailable
from scoutkit.reuse import clipboard


@pytest.fixture
def program(tmp_path):
    """A program on a PATH of its own that keeps what it is given, and ends as it is told."""

    def make(name: str, code: int = 0) -> Path:
        kept = tmp_path / f"{name}.kept"
        file = tmp_path / "bin" / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"#!/bin/sh\n/bin/cat > '{kept}'\n/bin/sleep 60 &\nexit {code}\n")  # its keeper goes on
        file.chmod(0o755)
        return kept

    return make


@pytest.fixture
def env(tmp_path, monkeypatch):
    monkeypatch.setattr(clipboard, "TERMINAL", tmp_path / "no terminal" / "tty")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    return {"PATH": str(tmp_path / "bin"), "TERM": "xterm"}


@pytest.mark.parametrize(
    ("name", "more", "platform"),
    [
        ("wl-copy", {"WAYLAND_DISPLAY": "wayland-0", "DISPLAY": ":0"}, "linux"),
        ("xclip", {"DISPLAY": ":0"}, "linux"),
        ("xsel", {"DISPLAY": ":0"}, "linux"),
        ("pbcopy", {}, "darwin"),
        ("clip.exe", {"WSL_DISTRO_NAME": "Debian"}, "linux"),
        ("tmux", {"TMUX": "/tmp/tmux", "SSH_TTY": "/dev/pts/1"}, "linux"),
    ],
)
def test_the_program_of_the_desktop_gets_the_text_and_is_named(program, env, name, more, platform):
    kept = program(name)
    assert clipboard.copy("Größe 会话\n", {**env, **more}, platform=platform) == name
    assert kept.read_bytes().decode("utf-16" if name == "clip.exe" else "utf-8") == "Größe 会话\n"


def test_one_that_fails_is_followed_by_the_next(program, env):
    program("xclip", 1)
    kept = program("xsel")
    assert clipboard.copy("text", {**env, "DISPLAY": ":0"}) == "xsel"
    assert kept.read_text() == "text"


def test_without_any_it_is_an_error_with_a_way_out(program, env):
    program("xclip", 1)
    with pytest.raises(Unavailable) as raised:
        clipboard.copy("text", {**env, "DISPLAY": ":0"})
    assert raised.value.message.startswith("no clipboard here: xclip ended with 1; no terminal: ")
    assert "wl-clipboard" in raised.value.hint


def test_over_ssh_the_terminal_is_told_before_a_display_is_tried(program, env, monkeypatch):
    program("xclip")
    main, end = pty.openpty()
    monkeypatch.setattr(clipboard, "TERMINAL", Path(os.ttyname(end)))
    said = clipboard.copy("Größe", {**env, "DISPLAY": ":0", "SSH_CONNECTION": "a 1 b 2"})
    assert said == "the terminal (OSC 52)"
    sent = os.read(main, 1000)
    os.close(main)
    os.close(end)
    assert sent.startswith(b"\x1b]52;c;")
    assert base64.b64decode(sent.removeprefix(b"\x1b]52;c;").removesuffix(b"\x07")).decode() == "Größe"


def test_more_than_terminals_take_is_not_sent_to_one(env):
    with pytest.raises(Unavailable, match="more than terminals take"):
        clipboard.copy("x" * clipboard.MOST, env)


def test_screen_gets_it_in_pieces_that_it_hands_on():
    whole = clipboard.sequence("A" * 500, screen=True)
    pieces = [piece.removeprefix("\x1bP") for piece in whole.split("\x1b\\")]
    assert "".join(pieces) == clipboard.sequence("A" * 500, screen=False)
    assert len(pieces) > 2
