"""Real git in a temporary folder, and a home of its own for every test."""

from __future__ import annotations

import fcntl
import gc
import json
import os
import signal
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path

import hypothesis
import pytest
import semble_grammars

from scoutkit import config, grammars, languages

GIT_ENV = {
    "GIT_AUTHOR_NAME": "A",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "A",
    "GIT_COMMITTER_EMAIL": "a@example.org",
}
AT_HAND = ["bash", "c", "go", "java", "javascript", "json", "markdown", "python", "rust", "toml", "typescript", "yaml"]
FILES = {
    "README.md": "# Sessions\n\nCookies are signed.\n",
    "src/auth/signing.py": (
        '"""Signing."""\n\nimport hmac\n\n\nclass SessionSigner:\n    """Signs session cookies."""\n\n'
        "    def __init__(self, key):\n        self.key = key\n\n"
        "    def sign(self, value):\n        mac = hmac.new(self.key, value, 'sha256')\n"
        "        return value + b'.' + mac.digest()\n\n"
        "    def verify(self, cookie):\n        value, mac = cookie.rsplit(b'.', 1)\n"
        "        return hmac.compare_digest(self.sign(value), cookie)\n"
    ),
    "src/auth/middleware.py": (
        "from auth.signing import SessionSigner\n\n\ndef check_cookie(request, key):\n"
        "    signer = SessionSigner(key)\n    return signer.verify(request.cookie)\n"
    ),
    "tests/test_signing.py": (
        "from auth.signing import SessionSigner\n\n\ndef test_sign():\n    assert SessionSigner(b'k').sign(b'v')\n"
    ),
}


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if terminalreporter.config.option.markexpr == "not agents":
        left = "tests that drive Gemini, Copilot and llm, and Claude and Codex in every isolation"
        terminalreporter.write_line(f"left out: {left}; `make test-agents` runs them")


def pytest_configure() -> None:
    """Ctrl-C works in what tests start, also where they themselves run in the background of a shell that ignores it.

    Compiled modules are kept, whatever the environment says: hundreds of processes would each compile scoutkit anew,
    at 0.6 s each.
    """
    hypothesis.settings.register_profile("scoutkit", deadline=None)  # a busy machine is no fault of the code
    hypothesis.settings.load_profile("scoutkit")
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The browser's tests come first: a worker without work takes the last tests of another, so that one worker has all
    of them, and one browser is started. The contract's, which take longest, come evenly: none is left for the end."""
    first = [item for item in items if item.path.name == "test_browser.py"]
    long = [item for item in items if item.path.parent.name == "contract"]
    rest = [item for item in items if item not in {*first, *long}]
    every = len(rest) // (len(long) + 1) + 1
    for at, item in enumerate(long):
        rest.insert(at * (every + 1), item)
    items[:] = [*first, *rest]


def pytest_collection_finish() -> None:
    """What stands for the thousands of tests stays: the garbage collector need not look through it again and again."""
    gc.collect()
    gc.freeze()


def pytest_xdist_auto_num_workers() -> int:
    """More than cores: many tests wait for processes and for what they may take."""
    return max(6, os.cpu_count() or 1)


@pytest.fixture(scope="session")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What scoutkit keeps of its libraries in a user's cache folder: grammars, and the vocabulary. Made once for all
    workers: it takes a process 0.2 s to unpack one grammar, and as long to unpack all. To read only."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    made = folder / "scoutkit-cache"
    with Path(f"{made}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            env = {**os.environ, "XDG_CACHE_HOME": f"{made}.new"}
            subprocess.run([sys.executable, "-m", "scoutkit.reuse.vocabulary"], env=env, check=True)
            (manifest,) = Path(semble_grammars.__file__).parent.glob("grammars/*/manifest.json")
            known = json.loads(manifest.read_text())
            wanted = {known["languages"][name]["file"] for name in languages.DEFINITIONS}
            folder = Path(f"{made}.new/scoutkit/grammars") / str(semble_grammars.__version__) / known["platform"]
            folder.mkdir(parents=True)
            with tarfile.open(manifest.parent / known["archive"]) as archive:
                for one in archive:
                    if one.name in wanted and (grammar := archive.extractfile(one)):
                        (folder / one.name).write_bytes(grammar.read())
            Path(f"{made}.new/scoutkit").rename(made)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(config, "user_cache", lambda: made)
        for name in languages.DEFINITIONS:  # this process needs none of a home
            grammars.parse(name, "")
    return made


@pytest.fixture(scope="session")
def fill(unpacked: Path) -> Callable[[Path], None]:
    """Give a home's cache folder what is unpacked, as links to the files: `fill(home / ".cache/scoutkit")`."""
    there = [path.relative_to(unpacked) for path in unpacked.rglob("*") if path.suffix in (".so", ".db")]
    files = [path for path in there if path.suffix == ".db" or path.stem.removeprefix("libtree_sitter_") in AT_HAND]

    def call(folder: Path) -> None:
        for name in files:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).hardlink_to(unpacked / name)

    return call


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fill: Callable[[Path], None]) -> Path:
    """A home folder that is nobody's, with no settings, no GIT_* and no colour."""
    for name in list(os.environ):
        if name.startswith(("GIT_", "XDG_", "SCOUTKIT_")):
            monkeypatch.delenv(name)
    folder = tmp_path / "home"
    folder.mkdir()
    fill(folder / ".cache/scoutkit")
    monkeypatch.setenv("HOME", str(folder))
    # each home has its own cache: every mission would index
    monkeypatch.setattr("scoutkit.stories.hinting.PATIENCE", 0)
    (folder / ".gitconfig").write_text("[user]\n\tname = A\n\temail = a@example.org\n[init]\n\tdefaultBranch = main\n")
    return folder


@pytest.fixture
def git(tmp_path: Path) -> Callable[..., str]:
    """Run git in a folder as a person would: `git(folder, "commit", "-m", "x")` gives stdout."""

    def call(where: Path, *args: str | Path) -> str:
        done = subprocess.run(["git", *args], cwd=where, env={**os.environ, **GIT_ENV}, capture_output=True, check=True)
        return os.fsdecode(done.stdout)

    return call


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small repository that `repo` is a copy of. To read only."""
    folder = tmp_path_factory.mktemp("small") / "repo"
    folder.mkdir()
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    nobody = {**GIT_ENV, "PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1"}
    for args in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-q", "-m", "first"]):
        subprocess.run(["git", *args], cwd=folder, env=nobody, check=True)
    for sample in (folder / ".git/hooks").glob("*.sample"):
        if sample.name != "pre-commit.sample":
            sample.unlink()
    return folder


@pytest.fixture
def repo(tmp_path: Path, small: Path, git: Callable[..., str]) -> Path:
    """A small repository with one commit: a signing module, its user, a test and a README."""
    folder = tmp_path / "repo"
    subprocess.run(["cp", "-R", small, folder], check=True)
    git(folder, "update-index", "-q", "--refresh")
    return folder
