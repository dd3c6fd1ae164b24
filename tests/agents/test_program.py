import json
import os
import stat

import pytest

from scoutkit import config
from scoutkit.agents.program import Program, address, table, temporary
from scoutkit.errors import Unavailable

TOOL = Program(
    name="some-tool",
    install="get it",
    keys=("TOOL_KEY", "TOOL_URL"),
    login=(".tool/login.json", ".tool/more/x.json"),
    sign_in="run some-tool login",
    oldest="1.5",
    home_variable="TOOL_HOME",
)


@pytest.fixture
def tool(tmp_path, monkeypatch):
    """Writes `some-tool` on PATH; it counts how often it is asked."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")

    def write(says="some-tool 1.10.2-beta"):
        file = folder / "some-tool"
        file.unlink(missing_ok=True)
        file.write_text(f"#!/bin/sh\necho asked >> {folder}/asked\necho '{says}'\n")
        file.chmod(0o755)
        return file

    return write


def asked(file):
    log = file.parent / "asked"
    return len(log.read_text().splitlines()) if log.exists() else 0


def test_what_is_not_installed_says_how_to_get_it():
    here = TOOL.availability()

    assert (here.ok, here.hint) == (False, "some-tool is not on PATH: get it")
    with pytest.raises(Unavailable):
        TOOL.needed()


def test_a_relative_entry_of_path_names_nothing_of_the_users(tool, monkeypatch):
    file = tool()
    monkeypatch.chdir(file.parent)
    monkeypatch.setenv("PATH", os.pathsep.join([".", "", "bin", "/usr/bin", "/bin"]))

    assert TOOL.path == ""


def test_the_version_is_asked_for_once_per_installed_file(tool):
    file = tool()

    assert TOOL.availability().version == "1.10.2-beta"
    assert TOOL.version() == "1.10.2-beta"
    assert asked(file) == 1

    status = file.stat()
    tool("some-tool 1.10.3-beta")  # as long, and installers give files the time of the release
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert TOOL.version() == "1.10.3-beta"


def test_one_that_is_too_slow_to_tell_its_version_has_that_of_its_npm_package(tool, monkeypatch, tmp_path):
    monkeypatch.setattr("scoutkit.agents.program._PATIENCE", 0.2)
    package = tmp_path / "lib/node_modules/@vendor/some-tool"
    (package / "dist").mkdir(parents=True)
    (tmp_path / "lib/package.json").write_text('{"version": "9.9", "bin": "x"}')
    link = tool()
    link.unlink()
    link.symlink_to(package / "dist/cli.js")
    (package / "dist/cli.js").write_text("#!/bin/sh\nsleep 600\n")
    (package / "dist/cli.js").chmod(0o755)

    assert (TOOL.availability().ok, TOOL.version()) == (False, "")
    (package / "dist/package.json").write_text('{"type": "module", "version": "0.0"}')
    (package / "package.json").write_text('{"version": "1.4", "bin": {"some-tool": "dist/cli.js"}}')
    assert TOOL.availability().hint == "some-tool 1.4 is too old, 1.5 or newer is needed: get it"
    assert TOOL.version() == "1.4"


def test_a_cache_that_cannot_be_read_is_asked_anew(tool):
    file = tool()
    cache = config.user_cache() / "programs/some-tool.json"
    cache.parent.mkdir(parents=True)

    for text in ("", "[]", '{"version": 1}', "{"):
        cache.write_text(text)
        assert TOOL.version() == "1.10.2-beta"
    assert asked(file) == 4


def test_a_version_is_compared_by_number(tool):
    tool("1.4.99")
    assert (TOOL.availability().ok, "1.4.99 is too old, 1.5 or newer" in TOOL.availability().hint) == (False, True)
    tool("1.10.0")
    assert TOOL.availability().ok
    tool("no number")
    assert TOOL.availability().ok


def test_the_version_is_asked_for_in_no_home_of_the_users(tool, home, monkeypatch):
    monkeypatch.setenv("TOOL_KEY", "k")
    file = tool()
    file.write_text('#!/bin/sh\ntouch $HOME/litter; echo 2.0; [ -z "$TOOL_KEY" ] || echo 9.9\n')

    assert TOOL.version() == "2.0"
    assert not (home / "litter").exists()


def test_how_it_is_logged_in(tool, home, monkeypatch, tmp_path):
    tool()
    here = TOOL.availability()
    assert (here.ok, here.login, here.hint) == (True, "not logged in", "run some-tool login")

    (home / ".tool/more").mkdir(parents=True)
    (home / ".tool/more/x.json").write_text("{}")
    assert TOOL.availability().login == "login in ~/.tool/more/x.json"

    monkeypatch.setenv("TOOL_HOME", str(tmp_path / "moved"))
    assert TOOL.availability().login == "not logged in"

    monkeypatch.setenv("TOOL_URL", "u")
    monkeypatch.setenv("TOOL_KEY", "k")
    assert TOOL.availability().login == "key in TOOL_KEY"
    assert TOOL.environment() == {"TOOL_KEY": "k", "TOOL_URL": "u"}


def test_a_runs_home_is_private_and_has_a_copy_of_the_login_alone(tool, home, tmp_path):
    (home / ".tool").mkdir()
    login = home / ".tool/login.json"
    login.write_text("secret")
    login.chmod(0o644)
    (home / ".tool/hooks.json").write_text("x")

    scratch = tmp_path / "scratch"
    scratch.mkdir()
    private, pairs = TOOL.home(scratch)

    copy = private / ".tool/login.json"
    assert pairs == ((login, copy),)
    assert copy.read_text() == "secret"
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert stat.S_IMODE(private.stat().st_mode) == 0o700
    assert sorted(file.name for file in private.rglob("*")) == [".tool", "login.json", "more"]
    assert TOOL.home(scratch)[1] == pairs  # once more, over what is there


def test_a_login_that_cannot_be_read_is_said(tool, home, tmp_path):
    (home / ".tool").mkdir()
    (home / ".tool/login.json").symlink_to("/proc/self/mem")

    scratch = tmp_path / "scratch"
    scratch.mkdir()

    with pytest.raises(Unavailable, match=r"login\.json: Input/output error"):
        TOOL.home(scratch)


def test_where_it_is_installed_is_its_package_too(tool, tmp_path):
    package = tmp_path / "lib/node_modules/@some/tool/bin/tool.js"
    package.parent.mkdir(parents=True)
    package.write_text("x")
    package.chmod(0o755)
    link = tool()
    link.unlink()
    link.symlink_to(package)

    assert TOOL.shown() == (link.parent, tmp_path / "lib/node_modules")
    assert TOOL.path == str(link)


def test_temporary_files_are_beside_the_home(tmp_path):
    assert set(temporary(tmp_path).values()) == {str(tmp_path / "tmp")}
    assert (tmp_path / "tmp").is_dir()


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://api.example/v1", "api.example:443"),
        ("http://[::1]:81/x", "::1:81"),
        ("http://a", "a:80"),
        ("a:b", ""),
        ("http://a:x", ""),
        ("http://[", ""),
        ("", ""),
    ],
)
def test_addresses(url, host):
    assert address(url) == host


def test_a_file_that_is_no_table_is_an_empty_one(tmp_path):
    file = tmp_path / "x.json"
    assert table(file) == {}
    for text in ("[]", "{", "[" * 100_000):
        file.write_text(text)
        assert table(file) == {}
    file.write_text(json.dumps({"a": 1}))
    assert table(file) == {"a": 1}


def test_a_program_that_cannot_tell_its_version_is_broken(tool, monkeypatch):
    file = tool()
    file.write_text("#!/bin/sh\necho working; echo 'libfoo is missing' >&2; exit 3\n")
    here = TOOL.availability()
    assert (here.ok, here.version) == (False, "")
    assert here.hint == "some-tool --version fails (exit status 3, libfoo is missing): get it"

    file.write_text("#!/bin/sh\nkill -9 $$\n")
    assert TOOL.availability().hint == "some-tool --version fails (signal 9): get it"

    file.write_text("#!/nonexistent/shell\n")
    assert TOOL.availability().hint == f"{file} cannot be started (No such file or directory): get it"

    file.write_text("#!/bin/sh\nsleep 600\n")
    late = "some-tool --version does not answer within 0.3 s"
    with monkeypatch.context() as hasty:
        hasty.setattr("scoutkit.agents.program._PATIENCE", 0.3)
        assert TOOL.availability().hint == f"{late}; try again if this machine is busy, else: get it"

    file.write_text("#!/bin/sh\necho 1.9; exit 1\n")
    assert (TOOL.availability().ok, TOOL.availability().version) == (True, "1.9")
