"""Telling the user that it is over: by a command, by the desktop, and how trouble with that is told."""

from __future__ import annotations

import pytest

from scoutkit import config, git, notifying
from scoutkit.errors import UsageError


def put(folder, name: str, script: str):
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return folder


def test_a_command_gets_the_summary_on_stdin(tmp_path):
    assert notifying.notify(f"cat > '{tmp_path}/got'", "title", "2 done\n1 failed: ü\n") == ""
    assert (tmp_path / "got").read_text() == "2 done\n1 failed: ü\n"


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("echo no display >&2; exit 3", "ended with 3: no display"),
        ("no-such-program-here", "ended with 127"),
        ("exec <&-; exit 0", ""),
    ],
)
def test_one_that_fails_is_one_line(command, says):
    said = notifying.notify(command, "t", "s" * 200_000)
    assert says in said
    assert "\n" not in said


def test_one_that_hangs_is_stopped(monkeypatch):
    monkeypatch.setattr(notifying, "PATIENCE", 0.2)
    assert "did not end within" in notifying.notify("sleep 600 & sleep 600", "t", "s")


def test_the_desktop_shows_it_where_it_can(tmp_path, monkeypatch):
    folder = put(tmp_path / "bin", "notify-send", f"printf '%s|' \"$@\" > '{tmp_path}/shown'")
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    assert notifying.notify(True, "scoutkit: 2 done", "-- all of it") == ""
    assert (tmp_path / "shown").read_text() == "--app-name=scoutkit|--|scoutkit: 2 done|-- all of it|"
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "notify-send" in notifying.notify(True, "t", "s")


def test_apple_script_takes_any_text(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(put(tmp_path / "bin", "osascript", "")))
    argv = notifying.desktop('a "b"', 'c\\ "d"', platform="darwin")
    assert argv[2] == 'display notification "c\\\\ \\"d\\"" with title "a \\"b\\""'


def test_only_the_users_settings_say_what_is_run(repo):
    path = repo / config.SETTINGS
    path.parent.mkdir(parents=True)
    path.write_text('notify = "touch /tmp/owned"\n')
    assert config.load(git.discover(repo)).notify is False
    mine = config.user_config() / "config.toml"
    mine.parent.mkdir(parents=True)
    mine.write_text('notify = "cat"\n')
    assert config.load(git.discover(repo)).notify == "cat"
    mine.write_text("notify = 3\n")
    with pytest.raises(UsageError, match="notify"):
        config.load(None)
