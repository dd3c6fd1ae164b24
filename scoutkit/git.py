"""The only module that runs git.

Every call has an environment without `GIT_*` (a hook or alias must not redirect us), never waits for a terminal, takes
no optional lock, runs no hook and no fsmonitor, and passes paths as bytes the file system knows.
"""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, Self

from scoutkit import process
from scoutkit.complaints import failure
from scoutkit.errors import RepositoryError, Unavailable
from scoutkit.model.places import Repository

QUIET = ("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false")
# How git reaches files and remotes; none of these says which repository, index or objects to use.
KEPT = (
    *("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_EXEC_PATH"),
    *("GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM"),
    *("GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT", "GIT_ASKPASS", "GIT_SSL_CAINFO", "GIT_SSL_NO_VERIFY"),
)
_KEPT = 1_000  # last lines of what git said while it worked


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """This process's environment without git's own variables, but for `KEPT`."""
    env = {key: value for key, value in os.environ.items() if not key.startswith("GIT_") or key in KEPT}
    return {
        **env,
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_LFS_SKIP_SMUDGE": "1",
        "LC_ALL": "C",
        **(extra or {}),
    }


def git(
    where: Path,
    *args: str | Path,
    stdin: bytes = b"",
    env: Mapping[str, str] | None = None,
    timeout: float | None = None,
) -> process.Completed:
    """Run git in `where` and capture. An exit status is the caller's to judge; Unavailable when git is missing."""
    with _starting(where):
        return process.run(["git", *QUIET, *args], cwd=where, env=environment(env), stdin=stdin, timeout=timeout)


@contextlib.contextmanager
def _starting(where: Path) -> Iterator[None]:
    try:
        yield
    except (FileNotFoundError, NotADirectoryError) as error:
        if not where.is_dir():
            raise RepositoryError(f"no such folder: {where}", "go to a folder that exists") from error
        raise Unavailable("git is not installed", "install git 2.30 or newer") from error
    except PermissionError as error:
        raise RepositoryError(f"cannot enter {where}: {error.strerror}", "check its permissions") from error


def _spawn(
    where: Path, *args: str | Path, env: Mapping[str, str] | None = None, stderr: int = subprocess.PIPE
) -> subprocess.Popen[bytes]:
    with _starting(where):
        return process.spawn(["git", *QUIET, *args], cwd=where, env=environment(env), stderr=stderr)


def begin(where: Path, *args: str | Path, env: Mapping[str, str] | None = None) -> Callable[[], process.Completed]:
    """Start git, and give what waits for its end: for two that may run at the same time."""
    popen = _spawn(where, *args, env=env)

    def finish() -> process.Completed:
        out, err = popen.communicate()
        return process.Completed(popen.returncode, out, err)

    return finish


def heard(where: Path, *args: str | Path, hear: Callable[[str], object]) -> process.Completed:
    """Run git and hear its stderr as it comes, line by line (a carriage return ends one too). Not for much output: it
    is read at the end. Whatever is raised meanwhile ends git and what it started."""
    popen = _spawn(where, *args)
    assert popen.stdin
    assert popen.stderr
    popen.stdin.close()
    popen.stdin = None
    lines: list[str] = []
    rest = b""
    try:
        while chunk := os.read(popen.stderr.fileno(), 1 << 14):
            *whole, rest = re.split(rb"[\r\n]", rest + chunk)
            for line in (one.decode("utf-8", "replace") for one in whole if one):
                lines.append(line)
                del lines[:-_KEPT]
                hear(line)
        out, _ = popen.communicate()
    except BaseException:
        process.stop(popen)
        raise
    return process.Completed(popen.returncode, out, "\n".join([*lines, rest.decode("utf-8", "replace")]).encode())


def output(where: Path, *args: str | Path, stdin: bytes = b"", env: Mapping[str, str] | None = None) -> str:
    """stdout of a git command that must succeed; ScoutError with git's own last line otherwise."""
    done = git(where, *args, stdin=stdin, env=env)
    if done.code:
        raise failure(where, done.error)
    return done.text


def read(where: Path, *args: str | Path, most: int) -> tuple[bytes, bool]:
    """stdout of git, and whether that is all: it is stopped after so many bytes. What it complains of is not told."""
    popen = _spawn(where, *args, stderr=subprocess.DEVNULL)
    with popen:
        assert popen.stdin
        assert popen.stdout
        popen.stdin.close()
        found = popen.stdout.read(most + 1)
        whole = len(found) <= most
        if not whole:
            popen.kill()
    return found, whole


def discover(cwd: Path) -> Repository:
    """The repository `cwd` is in. RepositoryError when there is none or git refuses to open it."""
    done = git(
        cwd,
        *("rev-parse", "--is-bare-repository", "--absolute-git-dir", "--is-inside-git-dir", "--git-common-dir"),
        *("--is-inside-work-tree", "--show-prefix", "--show-object-format", "--is-bare-repository", "--show-toplevel"),
    )
    # true/false between the paths, since a path may hold a newline
    shape = r"(true|false)\n(.+)\n(true|false)\n(.+)\n(true|false)\n(.*)\n(sha1|sha256)\n(?:true|false)\n(?:(.+)\n)?"
    found = re.fullmatch(shape, done.text, re.DOTALL)
    if not found:
        raise failure(cwd, done.error)
    bare, git_dir, _, common, inside, prefix, object_format, top = found.groups()
    common_dir = Path(os.path.realpath(cwd / common))
    toplevel = Path(top) if inside == "true" and top else None
    absolute = Path(os.path.realpath(git_dir))
    main = _main_worktree(absolute, common_dir, toplevel)
    return Repository(absolute, common_dir, toplevel, main, bare == "true" and main is None, prefix, object_format)


def _main_worktree(git_dir: Path, common_dir: Path, toplevel: Path | None) -> Path | None:
    """The worktree that owns the common directory, or None in a bare repository."""
    if git_dir == common_dir and toplevel:
        return toplevel
    values: dict[str, str] = {}
    for name in ("config", "config.worktree"):  # the second, where it is used, speaks for the main worktree alone
        if (common_dir / name).exists():
            query = ("config", "--file", common_dir / name, "-z", "--get-regexp", r"^core\.(bare|worktree)$")
            entries = git(common_dir, *query).text.split("\0")
            values |= dict(entry.split("\n", 1) for entry in entries if "\n" in entry)
    if "core.worktree" in values:  # a submodule's repository, or one with a separate git directory
        main = Path(os.path.realpath(common_dir / values["core.worktree"]))
        return main if main.is_dir() else None
    if values.get("core.bare") == "true":
        return None
    return common_dir.parent if common_dir.name == ".git" else None


def head(repository: Repository) -> str:
    """The commit at HEAD, read from git's files. "" where only git can tell, or history is cut off or replaced."""
    common = repository.common_dir
    try:
        named = (repository.git_dir / "HEAD").read_text("ascii").strip()
        if (common / "shallow").exists() or (common / "refs/replace").exists():
            return ""
        if named.startswith("ref: refs/heads/"):
            name = named.removeprefix("ref: ")
            loose = common / name
            packed = "" if loose.is_file() else (common / "packed-refs").read_text("utf-8", "surrogateescape")
            found = re.search(rf"^([0-9a-f]+) {re.escape(name)}$", packed, re.MULTILINE)
            named = found[1] if found else loose.read_text("ascii").strip()
    except (OSError, UnicodeError):
        return ""
    return named if re.fullmatch(r"[0-9a-f]{40}|[0-9a-f]{64}", named) else ""


def resolve(repository: Repository, revision: str) -> str:
    """A revision as a full commit id. RepositoryError when it does not exist, or there is no commit yet."""
    where = repository.toplevel or repository.git_dir
    unknown = RepositoryError(
        f"no such revision: {revision}", "name a branch, tag or commit that exists: git log --oneline --all"
    )
    if "\0" in revision:
        raise unknown
    name = revision if revision.startswith(":/") else f"{revision}^{{commit}}"  # `:/text` takes all that follows
    done = git(where, "rev-parse", "--verify", "--end-of-options", name)
    commit = done.text.strip()
    if done.code == 0 and re.fullmatch(r"[0-9a-f]{40}|[0-9a-f]{64}", commit):
        return commit
    if "dubious ownership" in done.error:
        raise failure(where, done.error)
    if "object ID" in done.error and "is ambiguous" in done.error:
        raise RepositoryError(f"more than one object is called {revision}", "give more digits of the commit id")
    if "expected commit type" in done.error:
        raise RepositoryError(f"not a commit: {revision}", "name a branch, tag or commit: git log --oneline --all")
    if git(where, "rev-parse", "--verify", "--quiet", "HEAD^{commit}").code:
        if not git(where, "rev-list", "--all", "--max-count=1").text.strip():
            raise RepositoryError("the repository has no commit yet", "make a first commit: git commit")
        if revision in ("HEAD", "@"):
            raise RepositoryError("HEAD points to no commit", "name one with --base, say a branch: git branch -a")
    raise unknown


def user(where: Path) -> str:
    """Who git says we are: `user.name`, else the login name."""
    import getpass

    return git(where, "config", "user.name").text.strip() or getpass.getuser()


class Entry(NamedTuple):
    """A file of a commit. `mode` tells links (120000) and submodules (160000) from files (100644, 100755)."""

    path: str
    mode: str
    blob: str


def tree(where: Path, commit: str) -> list[Entry]:
    """Every entry of a commit, in git's order; paths decoded with surrogateescape."""
    listing = output(where, "ls-tree", "-r", "-z", "--full-tree", commit)
    entries = []
    for line in listing.split("\0"):
        if line:
            meta, path = line.split("\t", 1)
            mode, _, blob = meta.split(" ")
            entries.append(Entry(path, mode, blob))
    return entries


class Object(NamedTuple):
    """An object of the store: its name, `blob`, `tree` or `commit`, and its bytes."""

    id: str
    kind: str
    content: bytes


class Blobs:
    """One long-lived `git cat-file --batch`: the contents of objects, cheaply, many times. A context manager."""

    def __init__(self, where: Path, env: Mapping[str, str] | None = None) -> None:
        self._where = where
        self._env = env
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process; reading again starts a new one."""
        if self._process:
            for stream in (self._process.stdin, self._process.stdout):
                if stream:
                    with contextlib.suppress(BrokenPipeError):  # it is dead, and what it was last asked is not sent
                        stream.close()
            self._process.wait()
            self._process = None

    def read(self, spec: str) -> bytes | None:
        """A blob by object name, or by `commit:path`. None when there is none, or it is no blob."""
        found = self.get(spec)
        return found.content if found and found.kind == "blob" else None

    def get(self, spec: str) -> Object | None:
        """Any object, by its name or anything `git rev-parse` understands. None when there is none."""
        if "\n" in spec:  # the batch protocol is one name a line
            named = git(self._where, "rev-parse", "--verify", "--quiet", "--end-of-options", spec)
            if named.code:
                return None
            spec = named.text.strip()
        for _ in range(2):  # git may have been killed, or have died on what it was asked before
            try:
                return self._ask(spec)
            except (EOFError, BrokenPipeError):
                self.close()
        return None  # it dies of this object, for instance of a corrupt one

    def _ask(self, spec: str) -> Object | None:
        """One question. EOFError or BrokenPipeError where git is dead, or dies over it."""
        if self._process is None:
            self._process = process.spawn(
                ["git", *QUIET, "cat-file", "--batch"],
                cwd=self._where,
                env=environment(self._env),
                stderr=subprocess.DEVNULL,
            )
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(os.fsencode(spec) + b"\n")
        self._process.stdin.flush()
        header = self._process.stdout.readline().rstrip(b"\n")
        fields = header.rsplit(b" ", 2)
        if not header:
            raise EOFError
        if len(fields) != 3 or not fields[2].isdigit():
            return None
        size = int(fields[2])
        content = self._process.stdout.read(size + 1)
        if len(content) <= size:
            raise EOFError
        return Object(fields[0].decode(), fields[1].decode(), content[:size])
