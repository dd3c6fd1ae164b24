from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from waiting import running, sleeper, until

from scoutkit import census
from scoutkit import git as scout
from scoutkit.dispatch import bwrap, sandbox, worktree
from scoutkit.dispatch.sandbox import Room
from scoutkit.errors import Refused, Unavailable
from scoutkit.model.missions import Kind

Git = Callable[..., str]
ROOT = os.geteuid() == 0
HOW = {one.name: one for one in sandbox.possible()}


def needed(name: str) -> str:
    if not HOW[name].ok:
        pytest.skip(f"NOT TESTED on this machine: isolation by {name}: {HOW[name].why}")
    return name


@pytest.fixture(params=["bwrap", "landlock"])
def how(request: pytest.FixtureRequest) -> str:
    return needed(request.param)


@pytest.fixture
def by_bwrap() -> str:
    return needed("bwrap")


@pytest.fixture
def made(repo: Path, home: Path) -> worktree.Checkout:
    """A worktree, and beside it what an agent has no business with."""
    secrets = {".ssh/id": "KEY", ".aws/credentials": "KEY", "other/.git/config": "KEY", ".netrc": "KEY"}
    for name, text in secrets.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(text)
    repository = scout.discover(repo)
    return worktree.borrow(repository, scout.resolve(repository, "HEAD"), "run1")


def room(made: worktree.Checkout, **how: object) -> Room:
    env = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
    return replace(Room(made.worktree, made.shadow, made.scratch, env), **how)


def run(how: str, script: str, room: Room, *, timeout: float = 100) -> subprocess.CompletedProcess[str]:
    """A shell script as it runs inside; all that it says is in stdout."""
    inside = sandbox.wrap(how, ["/bin/sh", "-c", script], room)
    try:
        return subprocess.run(
            inside.argv,
            cwd=room.worktree,
            env=inside.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=timeout,
            start_new_session=True,
        )
    finally:
        inside.close()


# What an agent may see


def test_it_reads_the_worktree_and_git_works(how: str, made: worktree.Checkout, git: Git, repo: Path) -> None:
    done = run(how, "cat README.md; git log --format=%H; git status --porcelain; git grep -l hmac", room(made))
    assert done.stdout == f"# Sessions\n\nCookies are signed.\n{git(repo, 'rev-parse', 'HEAD')}src/auth/signing.py\n"
    assert done.returncode == 0


def test_keys_and_other_repositories_are_not_there(how: str, made: worktree.Checkout, home: Path, repo: Path) -> None:
    files = [home / ".ssh/id", home / ".aws/credentials", home / "other/.git/config", home / ".netrc"]
    files += [repo / "README.md", repo / ".git/config", made.folder / worktree.MARKER]
    assert all(file.exists() for file in files)
    done = run(how, f"cat {' '.join(map(str, files))}; ls -a {home} {repo}", room(made))
    assert "KEY" not in done.stdout
    assert "Sessions" not in done.stdout
    assert not {".ssh", ".aws", "other", "README.md", "src"} & set(done.stdout.split())
    assert done.stdout.count("cat: ") == len(files)


def test_what_only_some_may_read_in_etc_is_hidden_from_root_too(how: str, made: worktree.Checkout) -> None:
    if not ROOT:
        pytest.skip("only root could read them anyway")
    held = [path for path in map(Path, ("/etc/shadow", "/etc/gshadow")) if path.exists() and path.read_text()]
    assert held
    done = run(how, f"cat {' '.join(map(str, held))}; head -c 5 /etc/passwd", room(made))
    assert "root:" not in done.stdout.removesuffix("root:")
    assert done.stdout.endswith("root:")


def test_home_and_temporary_folder_are_the_runs_own(how: str, made: worktree.Checkout) -> None:
    done = run(how, 'echo "$HOME $TMPDIR"; touch ~/a "$TMPDIR/b"; mktemp', room(made))
    assert done.stdout.startswith(f"{made.scratch}/home {made.scratch}/tmp\n")
    assert (made.scratch / "home/a").exists()
    assert (made.scratch / "tmp/b").exists()
    assert done.returncode == 0


def test_tmp_is_not_everybodys(how: str, made: worktree.Checkout) -> None:
    mark = Path("/tmp") / f"scoutkit-test-{os.getpid()}"
    mark.write_text("KEY")
    try:
        done = run(how, f"cat {mark}; echo x > /tmp/scoutkit-inside-{os.getpid()}; ls /tmp", room(made))
    finally:
        mark.unlink()
    assert "KEY" not in done.stdout
    assert not (mark.parent / f"scoutkit-inside-{os.getpid()}").exists()


def test_a_program_in_the_home_folder_can_be_shown_without_the_rest(
    how: str, made: worktree.Checkout, home: Path
) -> None:
    package = home / ".local/share/tool/1.0"
    package.mkdir(parents=True)
    (package / "tool").write_text("#!/bin/sh\ncat $(dirname $(readlink -f $0))/data\n")
    (package / "tool").chmod(0o755)
    (package / "data").write_text("its data\n")
    (home / ".local/bin").mkdir()
    (home / ".local/bin/tool").symlink_to("../share/tool/1.0/tool")
    (home / ".local/share/diary").write_text("KEY")
    env = {"PATH": f"{home}/.local/bin:{os.environ['PATH']}"}
    inside = room(made, env=env, shown=(home / ".local/bin", package))
    done = run(how, f"tool; cat {home}/.local/share/diary {home}/.ssh/id", inside)
    assert done.stdout.startswith("its data\n")
    assert "KEY" not in done.stdout


def test_a_home_folder_is_never_shown_whole(how: str, made: worktree.Checkout, home: Path) -> None:
    env = {"PATH": f"{home}:{home}/.ssh:{home.parent}:{os.environ['PATH']}"}
    inside = room(made, env=env, shown=(home, home / ".local", home.parent, Path("/")))
    assert "KEY" not in run(how, f"cat {home}/.ssh/id {home}/.netrc", inside).stdout


def test_a_program_that_lies_in_the_home_folder_itself(how: str, made: worktree.Checkout, home: Path) -> None:
    (home / "tool").write_text(f"#!/bin/sh\necho here; cat {home}/.netrc\n")
    (home / "tool").chmod(0o755)
    inside = sandbox.wrap(how, [str(home / "tool")], room(made))
    done = subprocess.run(inside.argv, cwd=made.worktree, env=inside.env, capture_output=True, text=True)
    assert (done.stdout, "KEY" in done.stdout) == ("here\n", False)


def test_objects_that_are_borrowed_twice_over(how: str, repo: Path, git: Git, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", "--shared", repo, clone)
    repository = scout.discover(clone)
    made = worktree.borrow(repository, scout.resolve(repository, "HEAD"), "run2")
    assert run(how, "git show HEAD:README.md", room(made)).stdout == "# Sessions\n\nCookies are signed.\n"


def test_python_runs_scoutkit_inside(how: str, made: worktree.Checkout) -> None:
    done = run(how, f"{sys.executable} -c 'import scoutkit.agents.scripted, click, psutil; print(7)'", room(made))
    assert done.stdout == "7\n"


# What it may change


def files(*folders: Path) -> dict[Path, bytes]:
    """Every file below, with what is in it."""
    return {path: path.read_bytes() for folder in folders for path in sorted(folder.rglob("*")) if path.is_file()}


def test_an_ask_changes_nothing(how: str, made: worktree.Checkout, home: Path, repo: Path) -> None:
    before = files(home, repo)
    targets = [made.worktree / "new", made.worktree / "README.md", made.shadow / "config", made.shadow / "refs/x"]
    targets += [repo / ".git/objects/new", Path("/usr/new"), Path("/etc/new"), Path("/new")]
    script = "".join(f"(echo x >> {path}) 2>/dev/null && echo wrote {path}\n" for path in targets)
    script += "".join(f"(echo x > {path}/new) 2>/dev/null\n" for path in (made.folder, home, home / ".ssh", repo))
    done = run(
        how, f"{script} rm -rf {made.worktree}/src {made.shadow}/HEAD; git commit --allow-empty -m x", room(made)
    )
    assert "wrote" not in done.stdout
    assert files(home, repo) == before


def test_a_scout_changes_files_and_commits_but_nothing_else(
    how: str, made: worktree.Checkout, home: Path, repo: Path, git: Git
) -> None:
    before = files(repo, home / ".ssh", home / "other")
    script = f"""echo more >> README.md && git checkout -qb try && git commit -qam tried && git log --format=%s
        git rm -rq tests && git mv README.md READ && git stash -q && git config a.b c
        for place in {home} {repo} {repo}/.git {made.folder}; do (echo x > $place/new) 2>/dev/null; done
        for place in {repo}/.git/objects /usr /etc; do (echo x > $place/new) 2>/dev/null && echo wrote $place; done
        true"""
    done = run(how, script, room(made, writable=True))
    assert (done.stdout, done.returncode) == ("tried\nfirst\n", 0)
    assert git(made.shadow, "log", "-1", "--format=%s", "try") == "tried\n"
    assert files(repo, home / ".ssh", home / "other") == before
    assert not (home / "new").exists()
    assert not (made.folder / "new").exists()


def test_moving_something_out_does_not_help(how: str, made: worktree.Checkout, home: Path) -> None:
    run(how, f"cp README.md a; mv README.md {home}/; ln a {home}/hard; ln -s a {home}/soft", room(made, writable=True))
    assert not {"README.md", "hard", "soft"} & {path.name for path in home.iterdir()}


def test_a_link_in_the_worktree_leads_nowhere(how: str, made: worktree.Checkout, home: Path) -> None:
    (made.worktree / "out").symlink_to(home)
    done = run(how, "cat out/.ssh/id; echo x > out/new", room(made, writable=True))
    assert "KEY" not in done.stdout
    assert not (home / "new").exists()


# Power and processes


@pytest.fixture
def nobody(made: worktree.Checkout, tmp_path: Path) -> Iterator[int]:
    """A user without rights, whose run it is; the test's own user where that is one."""
    if not ROOT:
        yield os.geteuid()
        return
    for folder in (tmp_path, *tmp_path.parents[:3]):
        folder.chmod(0o755)
    for folder, _, names in os.walk(tmp_path):
        for path in (Path(folder), *(Path(folder, name) for name in names)):
            os.chown(path, 65534, 65534, follow_symlinks=False)
    yield 65534


def test_it_is_the_same_for_a_user_without_rights(how: str, made: worktree.Checkout, nobody: int, home: Path) -> None:
    script = f"id -u; git log --format=%s; (echo x > new) 2>/dev/null || echo denied; cat {home}/.ssh/id; exit 3"
    try:
        os.seteuid(nobody)
        inside = sandbox.wrap(how, ["/bin/sh", "-c", script], room(made))
    finally:
        os.seteuid(os.getuid())
    argv = list(inside.argv)
    if how == "landlock" and ROOT:  # this Python may be where only root can read it: it changes users once it is loaded
        code = """import __future__, ctypes, errno, functools, json, os, stat, struct, sys, typing, collections.abc
text = open(sys.argv[1]).read(); sys.argv[:] = sys.argv[1:]; os.setgroups([]); os.setgid(65534); os.setuid(65534)
exec(compile(text, '', 'exec'))"""
        argv[argv.index("-S") + 1 : argv.index("-S") + 1] = ["-c", code]
    who = {"user": nobody, "group": nobody, "extra_groups": []} if ROOT and how == "bwrap" else {}
    done = subprocess.run(argv, cwd=made.worktree, env=inside.env, capture_output=True, text=True, **who)
    assert (done.stdout, done.returncode) == (f"{nobody}\nfirst\ndenied\n", 3), done.stderr
    assert "id:" in done.stderr


def test_root_has_no_power_inside(how: str, made: worktree.Checkout) -> None:
    done = run(how, "grep -E 'CapEff|NoNewPrivs' /proc/self/status", room(made))
    assert done.stdout.split() == ["CapEff:", "0000000000000000", "NoNewPrivs:", "1"]


def test_the_kernels_settings_cannot_be_opened_for_writing(how: str, made: worktree.Checkout) -> None:
    """Nothing is written: a file that opens is enough to fail."""
    script = """for name in kernel/core_pattern kernel/hostname vm/overcommit_memory; do
        (exec 3>>/proc/sys/$name) 2>/dev/null && echo open $name; done; true"""
    assert run(how, script, room(made, writable=True)).stdout == ""


@pytest.mark.parametrize(("script", "code"), [("exit 0", 0), ("exit 7", 7), ("exit 145", 145), ("kill -9 $$", -9)])
def test_exit_statuses_come_through(how: str, made: worktree.Checkout, script: str, code: int) -> None:
    assert sandbox.exit_status(how, run(how, script, room(made)).returncode) == code


def test_a_status_that_is_no_signal_stays() -> None:
    assert [sandbox.exit_status("bwrap", code) for code in (None, -9, 1, 145, 244, 143)] == [None, -9, 1, 145, 244, -15]
    assert sandbox.exit_status("none", 143) == 143


def test_what_left_its_session_dies_with_the_agent_under_bwrap(by_bwrap: str, made: worktree.Checkout) -> None:
    sleep = sleeper()
    done = run(by_bwrap, f"setsid {sleep} >/dev/null 2>&1 & sleep 0.2; echo left", room(made))
    assert done.stdout == "left\n"
    until(lambda: not running(sleep))


def test_killing_the_outermost_kills_all_under_bwrap(by_bwrap: str, made: worktree.Checkout) -> None:
    sleep = sleeper()
    inside = sandbox.wrap(by_bwrap, ["/bin/sh", "-c", f"setsid {sleep} & {sleep}; :"], room(made))
    with subprocess.Popen(inside.argv, cwd=made.worktree, env=inside.env, start_new_session=True) as popen:
        until(lambda: len([pid for pid in running(sleep) if bwrap.comm(pid) == "sleep"]) == 2)
        popen.kill()
    until(lambda: not running(sleep))


def test_an_agent_that_is_told_to_end_can_still_say_so(by_bwrap: str, made: worktree.Checkout) -> None:
    """The supervisors are not told: TERM to them would be a KILL to the agent."""
    script = "trap 'echo bye; exit 3' TERM; echo ready; while :; do sleep 0.05; done"
    inside = sandbox.wrap(by_bwrap, ["/bin/sh", "-c", script], room(made))
    with subprocess.Popen(
        inside.argv, cwd=made.worktree, env=inside.env, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as popen:
        assert popen.stdout
        assert popen.stdout.readline() == "ready\n"
        apart = sandbox.supervisors(popen.pid)
        assert len(apart) == 2
        told = [pid for pid in descendants(popen.pid) if pid not in apart]
        assert told
        for pid in told:
            with contextlib.suppress(ProcessLookupError):  # a sleep of the loop that ended meanwhile
                os.kill(pid, signal.SIGTERM)
        assert popen.stdout.read() == "bye\n"
    assert popen.returncode == 3
    assert sandbox.supervisors(popen.pid) == frozenset()


def test_only_bwrap_has_supervisors(made: worktree.Checkout) -> None:
    with subprocess.Popen(["sleep", "60"]) as popen:
        assert sandbox.supervisors(popen.pid) == frozenset()
        popen.kill()


def test_the_agent_dies_with_whoever_started_it(how: str, made: worktree.Checkout) -> None:
    sleep = sleeper()
    inside = sandbox.wrap(how, ["/bin/sh", "-c", f"exec {sleep}"], room(made))
    starter = "import subprocess, sys, time; subprocess.Popen(sys.argv[1:]); time.sleep(600)"
    with subprocess.Popen([sys.executable, "-c", starter, *inside.argv], cwd=made.worktree, env=inside.env) as popen:
        until(lambda: [pid for pid in running(sleep) if bwrap.comm(pid) == "sleep"])
        popen.kill()
    until(lambda: not running(sleep))


def descendants(pid: int) -> list[int]:
    table, found = census.table(), [pid]
    for one in found:
        found += [entry.pid for entry in table.values() if entry.parent == one]
    return found


# Network


REACH = """import socket, sys
for address in sys.argv[1:]:
    try:
        if address.startswith("/"):
            socket.socket(socket.AF_UNIX).connect(address)
        else:
            socket.create_connection(("127.0.0.1", int(address)), 5)
        print("reached")
    except OSError as error:
        print("no:", error)
"""


@pytest.fixture
def doors(tmp_path: Path) -> Iterator[tuple[str, str]]:
    """A port and a unix socket of this machine that somebody listens at."""
    with socket.create_server(("127.0.0.1", 0)) as port, socket.socket(socket.AF_UNIX) as door:
        door.bind(str(tmp_path / "door"))
        door.listen()
        yield str(port.getsockname()[1]), str(tmp_path / "door")


def test_the_full_network_has_no_unix_sockets_of_others(
    how: str, made: worktree.Checkout, doors: tuple[str, str]
) -> None:
    (made.scratch / "reach.py").write_text(REACH)
    done = run(how, f"{sys.executable} {made.scratch}/reach.py {' '.join(doors)}", room(made))
    first, second = done.stdout.splitlines()
    assert first == "reached"
    assert second.startswith("no:")


def test_no_network_at_all(how: str, made: worktree.Checkout, doors: tuple[str, str]) -> None:
    (made.scratch / "reach.py").write_text(REACH)
    done = run(how, f"{sys.executable} {made.scratch}/reach.py {' '.join(doors)}", room(made, network="none"))
    assert [line[:3] for line in done.stdout.splitlines()] == ["no:", "no:"]


def test_child_processes_talk_to_each_other_without_a_network(how: str, made: worktree.Checkout) -> None:
    """A pair of sockets is how Node and others hold their children's pipes."""
    pair = "import socket; a, b = socket.socketpair(); a.send(b'hi'); print(b.recv(2))"
    assert run(how, f'{sys.executable} -c "{pair}"', room(made, network="none")).stdout == "b'hi'\n"


@pytest.mark.parametrize("name", ["landlock", "docker", "none"])
def test_model_only_needs_bwrap(name: str, made: worktree.Checkout) -> None:
    with pytest.raises(Unavailable, match="--network model is not possible") as raised:
        sandbox.wrap(name, ["true"], room(made, network="model", hosts=("h:1",)))
    assert "bubblewrap" in raised.value.hint


def test_model_only_needs_to_know_the_model(made: worktree.Checkout) -> None:
    with pytest.raises(Unavailable, match="not known where"):
        sandbox.wrap("bwrap", ["true"], room(made, network="model"))


def test_no_network_needs_isolation(made: worktree.Checkout) -> None:
    with pytest.raises(Unavailable, match="--network none is not possible without isolation"):
        sandbox.wrap("none", ["true"], room(made, network="none"))


# Environment


def test_a_key_in_the_environment_is_on_no_command_line(how: str, made: worktree.Checkout) -> None:
    inside = sandbox.wrap(how, ["/bin/sh", "-c", "echo $KEY"], room(made, env={"KEY": "s3cret", "PATH": os.defpath}))
    assert "s3cret" not in " ".join(inside.argv)
    done = subprocess.run(inside.argv, cwd=made.worktree, env=inside.env, capture_output=True, text=True)
    assert done.stdout == "s3cret\n"


def test_nothing_is_changed_without_isolation(made: worktree.Checkout) -> None:
    inside = sandbox.wrap("none", ["true", "x"], room(made, env={"HOME": "/h"}))
    assert (inside.argv, inside.env) == (("true", "x"), {"HOME": "/h"})
    assert not (made.scratch / "home").exists()


# Which


def test_every_kind_says_whether_it_is_possible_and_why() -> None:
    assert [one.name for one in sandbox.possible()] == ["bwrap", "landlock", "docker", "podman"]
    assert all(one.why for one in sandbox.possible())


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., None]:
    """Programs on PATH that are there or not."""

    def has(**programs: str) -> None:
        folder = tmp_path / "programs"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for name, script in programs.items():
            (folder / name).write_text(f"#!/bin/sh\n{script}\n")
            (folder / name).chmod(0o755)
        monkeypatch.setenv("PATH", str(folder))

    return has


def test_bwrap_comes_first(machine: Callable[..., None]) -> None:
    machine(bwrap="exit 0")
    assert {sandbox.choose("auto", kind) for kind in Kind} == {"bwrap"}


def test_without_bwrap_it_is_landlock(machine: Callable[..., None]) -> None:
    needed("landlock")
    machine()
    assert sandbox.choose("auto", Kind.SCOUT) == "landlock"


def test_a_bwrap_that_does_not_work_is_none(machine: Callable[..., None]) -> None:
    machine(bwrap="echo bwrap: No permissions to create a new namespace >&2; exit 1")
    assert sandbox.choose("auto", Kind.ASK) in ("landlock", "none")
    with pytest.raises(Unavailable, match="no isolation by bwrap: bwrap: No permissions"):
        sandbox.choose("bwrap", Kind.ASK)


def test_without_any_only_an_ask_goes(machine: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> None:
    machine()
    monkeypatch.setattr(sys, "platform", "darwin")
    assert sandbox.choose("auto", Kind.ASK) == "none"
    for kind in (Kind.SCOUT, Kind.RESEARCH):
        with pytest.raises(Refused, match=f"a {kind} changes files") as raised:
            sandbox.choose("auto", kind)
        assert "--isolate none" in raised.value.hint
        assert sandbox.choose("none", kind) == "none"


def test_a_named_one_that_is_missing_says_how_to_get_it(machine: Callable[..., None]) -> None:
    machine()
    for name in ("bwrap", "docker", "podman"):
        with pytest.raises(Unavailable, match=f"no isolation by {name}: {name} is not on PATH") as raised:
            sandbox.choose(name, Kind.ASK)
        assert "install" in raised.value.hint
    with pytest.raises(Unavailable, match="no isolation is called 'jail'"):
        sandbox.choose("jail", Kind.ASK)


def test_a_network_that_the_isolation_cannot_have_is_refused_beforehand(machine: Callable[..., None]) -> None:
    machine(bwrap="case $* in *--unshare-net*) echo 'bwrap: loopback: Failed RTM_NEWADDR' >&2; exit 1;; esac")
    assert sandbox.choose("auto", Kind.ASK, "full") == "bwrap"
    for network in ("model", "none"):
        with pytest.raises(Unavailable, match="bwrap cannot take the network away here: bwrap: loopback"):
            sandbox.choose("auto", Kind.ASK, network)
        with pytest.raises(Unavailable, match=f"--network {network} is not possible without isolation"):
            sandbox.choose("none", Kind.ASK, network)
    with pytest.raises(Unavailable, match="no network is called 'lan'"):
        sandbox.choose("none", Kind.ASK, "lan")


# When it does not start


def test_a_program_that_is_not_inside_is_told_apart(how: str, made: worktree.Checkout) -> None:
    inside = sandbox.wrap(how, ["/nonexistent/agent"], room(made))
    done = subprocess.run(inside.argv, cwd=made.worktree, env=inside.env, capture_output=True, text=True)
    assert done.returncode
    what, hint = sandbox.trouble(how, done.stderr)
    assert what.startswith(f"inside {how} there is no program /nonexistent/agent")
    assert hint


def test_what_an_agent_says_itself_is_no_trouble_of_the_isolation() -> None:
    assert sandbox.trouble("bwrap", "agent: no such model\n") == ("", "")
    assert sandbox.trouble("none", "bwrap: x\n") == ("", "")
    assert sandbox.trouble("bwrap", "bwrap: Creating new namespace failed\n")[0].startswith("bwrap did not start it")


@pytest.mark.parametrize("name", ["a b", "a\nb", "-x", "ä", os.fsdecode(b"\xff")])
def test_folders_with_any_name(how: str, tmp_path: Path, name: str) -> None:
    for part in ("tree", "shadow", "scratch"):
        (tmp_path / name / part).mkdir(parents=True)
    (tmp_path / name / "tree/file").write_text("read\n")
    run_folder = tmp_path / name
    here = Room(run_folder / "tree", run_folder / "shadow", run_folder / "scratch", {"PATH": os.defpath})
    done = run(how, 'cat file; echo x > "$HOME/new"; (echo x > new) 2>/dev/null || echo denied', here)
    assert done.stdout == "read\ndenied\n"
    assert (run_folder / "scratch/home/new").exists()
