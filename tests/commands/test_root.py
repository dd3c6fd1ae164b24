"""The root command: what it shows, and how errors look."""

from __future__ import annotations

import importlib
import os
import pty
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import click
import pytest

from scoutkit.commands.root import COMMANDS, FIRST, cli

PYTHON = shlex.quote(sys.executable)  # a checkout may lie in a folder with a blank in its name


def test_alone_it_shows_the_few_commands_that_matter(scoutkit):
    said = scoutkit()
    assert said.code == 0
    assert [name for name in COMMANDS if f"\n  {name} " in said.out.split("Commands:")[1].split("More:")[0]] == list(
        FIRST
    )


@pytest.mark.parametrize("name", COMMANDS)
def test_the_table_tells_what_the_command_takes(name):
    where, usage, _ = COMMANDS[name]
    module, attribute = where.split(":")
    command = getattr(importlib.import_module(f"scoutkit.commands.{module}"), attribute)
    assert command.name == name
    takes = isinstance(command, click.Group) or any(isinstance(one, click.Argument) for one in command.params)
    assert bool(usage) == takes


@pytest.mark.parametrize(
    "name", [[], *([name] for name in COMMANDS), ["run", "show"], ["run", "logs"], ["run", "stop"]]
)
def test_every_command_has_help(scoutkit, name):
    said = scoutkit(*([name] if isinstance(name, str) else name), "--help")
    assert said.code == 0
    assert "Usage: scoutkit" in said.out
    assert not said.err


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["serch"], "did you mean search?"),
        (["search"], "missing argument 'QUERY...'"),
        (["search", "--nope", "x"], "--nope"),
        (["list", "--type", "poem"], "poem"),
        (["list", "--limit", "0"], "0 is not in the range"),
        (["ask", "q", "--timeout", "soon"], "'soon' is not a time"),
        (["ask", "q", "--isolate", "magic"], "magic"),
        (["ask", " "], "the question is empty"),
        (["ask", "q", "--agent", "nobody"], "nobody"),
        (["completion", "tcsh"], "tcsh"),
        (["import", "missing.md"], "missing.md"),
        (["run"], "scoutkit run needs a command"),
        (["about", "README.md:0"], "no such lines"),
        (["about", "README.md:10-5"], "no such lines"),
    ],
)
def test_a_mistyped_command_line_is_one_line_a_hint_and_exit_2(scoutkit, args, says):
    said = scoutkit(*args)
    assert said.code == 2
    assert not said.out
    lines = said.err.splitlines()
    assert lines[0].startswith("error: ")
    assert says in lines[0]
    assert lines[1].startswith("hint: ")
    assert len(lines) == 2


def test_an_option_without_its_value_points_to_the_help_of_its_command(scoutkit):
    assert "hint: see scoutkit prompt --help" in scoutkit("prompt", "implement", "--var").err
    assert "hint: see scoutkit --help" in scoutkit("-C").err


def test_outside_a_repository_it_says_so(scoutkit, tmp_path):
    said = scoutkit("list", cwd=tmp_path)
    assert said.code == 3
    assert said.err.startswith("error: not in a git repository")
    assert "\nhint: " in said.err


def test_in_a_folder_that_does_not_exist_it_says_so(scoutkit):
    said = scoutkit("-C", "no/such", "list")
    assert said.code == 3
    assert "no/such" in said.err


@pytest.mark.parametrize(("args", "code"), [(["ask", "q"], 3), (["list"], 0), (["search", "x"], 1), (["doctor"], 0)])
def test_a_repository_without_a_commit(scoutkit, git: Callable[..., str], tmp_path: Path, args, code):
    (tmp_path / "empty").mkdir()
    git(tmp_path / "empty", "init", "-q")
    said = scoutkit(*args, cwd=tmp_path / "empty")
    assert said.code == code
    assert "Traceback" not in said.err
    if code == 3:
        assert "no commit yet" in said.err


def test_an_unknown_base_is_exit_3_and_leaves_nothing(scoutkit, repo: Path):
    said = scoutkit("ask", "q", "--base", "nope")
    assert said.code == 3
    assert "no such revision: nope" in said.err
    assert not (repo / ".claude").exists()


def test_help_and_no_op_commands_import_nothing_heavy(repo: Path):
    heavy = {
        "yaml",
        "ruamel",
        "rich",
        "whoosh",
        "sqlite_utils",
        "markdown_it",
        "tree_sitter",
        "git",
        "jinja2",
        "psutil",
    }
    script = (
        "import sys; from scoutkit import commands; commands.run(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"
    )
    subprocess.run([sys.executable, "-m", "scoutkit", "list"], cwd=repo, check=True, capture_output=True)
    for args in (["--help"], ["list"], ["search", "x"], ["about", "README.md"]):
        done = subprocess.run(
            [sys.executable, "-c", script, *args], cwd=repo, capture_output=True, text=True, check=True
        )
        loaded = {name.split(".")[0] for name in done.stderr.split()}
        assert not loaded & (heavy - ({"whoosh"} if args[0] == "search" else set())), args


def test_a_cold_look_for_lines_imports_nothing_it_does_not_need(repo: Path):
    """Half of the time is Python's start: what an answer does not need is not waited for."""
    script = (
        "import sys; from scoutkit import commands; commands.run(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, "locate", "README.md:1", "--from", "HEAD", "--to", "HEAD"],
        cwd=repo, capture_output=True, text=True, check=True,
    )  # fmt: skip
    unneeded = {"dataclasses", "hashlib", "json", "rapidfuzz", "shutil", "sqlite3", "tempfile", "tree_sitter", "zlib"}
    unneeded |= {"scoutkit.history", "scoutkit.model.notes", "scoutkit.notefile", "scoutkit.anchors.structure"}
    assert not unneeded & set(done.stderr.split())


def test_a_reader_that_has_enough_is_no_error(repo: Path):
    command = f"{PYTHON} -m scoutkit list --json | true"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], cwd=repo, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0
    assert not done.stderr


def test_the_group_lists_all_commands():
    assert cli.list_commands(click.Context(cli)) == list(COMMANDS)


STREAMS = ("list <&-", "list >&-", "--help >&-", "list <&- >&- 2>&-", "ask q --agent-cmd 'echo hi' <&-", "new T <&-")


@pytest.mark.parametrize("command", [*STREAMS, "ask q --agent-cmd 'echo hi' 2>/dev/full"])
def test_streams_that_are_closed_or_full_stop_nothing(repo: Path, command: str):
    line = f"{PYTHON} -m scoutkit {command}"
    done = subprocess.run(["sh", "-c", line], cwd=repo, capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr
    assert "fault" not in done.stderr
    assert done.returncode == 0


@pytest.mark.parametrize("command", ["agents --json", "ask q --agent-cmd 'echo hi'"])
def test_an_answer_that_cannot_be_written_is_an_error(repo: Path, command: str):
    line = f"{PYTHON} -m scoutkit {command} >/dev/full"
    done = subprocess.run(["sh", "-c", line], cwd=repo, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-2:] == [
        "error: cannot write the answer: No space left on device",
        "hint: make room where stdout leads",
    ]


def test_an_answer_that_cannot_be_written_is_told_whatever_the_answer_is(repo: Path):
    (repo / "src/auth/signing.py").unlink()
    line = f"{PYTHON} -m scoutkit locate src/auth/signing.py:12-14 --from HEAD"
    done = subprocess.run(["sh", "-c", line], cwd=repo, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.split()[0], done.stderr) == (1, "gone", "")
    done = subprocess.run(["sh", "-c", f"{line} >/dev/full"], cwd=repo, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("error: cannot write the answer: No space left on device\nhint: ")


def test_a_folder_that_was_deleted_is_no_repository(repo: Path):
    line = f"mkdir gone; cd gone; rmdir ../gone; {PYTHON} -P -m scoutkit list"
    done = subprocess.run(["sh", "-c", line], cwd=repo, capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert done.stderr.startswith("error: the folder you are in is gone\nhint: ")


@pytest.mark.parametrize("keys", [b"", b"\x03", b"\x03\x03"])
def test_on_a_terminal_an_agent_is_watched_and_can_be_interrupted(repo: Path, home: Path, keys: bytes):
    agent = "echo found; sleep 600" if keys else "echo found; sleep 0.3"
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(repo)
        os.environ.update(HOME=str(home), TERM="xterm")
        os.execv(sys.executable, [sys.executable, "-m", "scoutkit", "ask", "q", "--agent-cmd", agent])
    shown = b""
    while b"found" not in shown:
        shown += _read(terminal)
    for key in keys:
        os.write(terminal, bytes([key]))
    while chunk := _read(terminal):
        shown += chunk
    os.close(terminal)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    assert code == (130 if keys else 0), shown.decode(errors="replace")
    assert len(list((repo / ".claude/notes").rglob("*.md"))) == 1
    assert not list((home / ".local/state/scoutkit/runs").iterdir())


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 4096)
    except OSError:  # as Linux says that nobody is at the other end
        return b""


@pytest.mark.parametrize("home", [None, "", "here", "./here"])
def test_a_home_that_is_no_path_from_the_root_is_none(scoutkit, repo, monkeypatch, home):
    """Nothing is written where the command happens to be called."""
    theirs = os.environ["HOME"]
    monkeypatch.setattr("pwd.getpwuid", lambda _: SimpleNamespace(pw_dir=theirs))  # this user's own is left alone
    monkeypatch.setenv("HOME", home) if home is not None else monkeypatch.delenv("HOME")
    assert scoutkit("agents").code == 0
    assert os.environ["HOME"] == theirs
    assert not (repo / "here").exists()


def test_a_user_without_any_home_is_told(scoutkit, monkeypatch):
    monkeypatch.delenv("HOME")
    monkeypatch.setattr("os.getuid", lambda: 4_000_000_000)
    said = scoutkit("agents")
    assert said.code == 1
    assert "user 4000000000 has no home folder" in said.err
    assert "hint: set HOME" in said.err
