"""An agent program on this machine: where it is, which version, whether its user is logged in, a home for one run."""

from __future__ import annotations

import itertools
import json
import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from scoutkit import config, process
from scoutkit.errors import Unavailable
from scoutkit.model.agents import END_OF_REPORT, Availability

_VERSION = re.compile(r"\d+\.\d+[\w.+-]*")
_PATIENCE = 20.0  # seconds for `--version`: a Node program on a busy machine

STOP = (
    "Stop now: there is no more time to look at anything, and you have no tools. Write your whole report from what you "
    "know so far, in the form that was asked for, and say in it what you did not get to. Its last line, alone: "
    f"{END_OF_REPORT}\n"
)
"""The prompt that has an agent close its work."""
NOTICE = (
    "Little is left of what you may use. Stop exploring, and write your whole report now from what you know, in the "
    "form that was asked for."
)
"""What an agent is told while it works, where its program has a way to tell it."""


@dataclass(frozen=True, slots=True)
class Program:
    """What there is to know of a program before it is started. Paths in `login` are relative to the user's home."""

    name: str  # on PATH
    install: str  # a hint
    keys: tuple[str, ...]  # variables that hold a key or say where its model is: passed on to it alone
    login: tuple[str, ...]  # files it keeps its login in, as a private home needs them
    sign_in: str  # a hint
    oldest: str = ""  # the first version whose flags these are
    flags: tuple[str, ...] = ()
    home_variable: str = ""  # names the folder that stands for `~/<first part of login>`, where the program knows one

    @property
    def path(self) -> str:
        """Absolute, links not followed; "" where it is not installed. A relative entry of PATH names nothing of the
        user's: in a repository it would be a program of the repository's."""
        entries = os.environ.get("PATH", os.defpath).split(os.pathsep)
        return shutil.which(self.name, path=os.pathsep.join(one for one in entries if Path(one).is_absolute())) or ""

    def availability(self) -> Availability:
        """Starts no model and spends nothing; the version is asked for once per installed file."""
        if not self.path:
            return Availability(ok=False, hint=f"{self.name} is not on PATH: {self.install}", flags=self.flags)
        (version, trouble), login = self._look(), self.logged_in()
        if self.oldest and version and _numbers(version) < _numbers(self.oldest):
            trouble = f"{self.name} {version} is too old, {self.oldest} or newer is needed"
        hint = f"{trouble}: {self.install}" if trouble else ""
        return Availability(
            ok=not trouble,
            version=version,
            path=self.path,
            hint=hint or ("" if login else self.sign_in),
            login=login or "not logged in",
            flags=self.flags,
        )

    def logged_in(self) -> str:
        """How, as far as can be seen without asking anybody; "" where there is no sign of it."""
        if key := next((name for name in self.keys if name.endswith(("KEY", "TOKEN")) and os.environ.get(name)), ""):
            return f"key in {key}"
        file = next((file for file in self._files() if file.is_file()), None)
        return f"login in {_tilde(file)}" if file else ""

    def version(self) -> str:
        """As it tells it; "" where it tells none."""
        return self._look()[0]

    def _look(self) -> tuple[str, str]:
        """Its version, and what is wrong with it where it cannot even tell that."""
        real = os.path.realpath(self.path)
        try:
            status = os.stat(real)  # noqa: PTH116
        except OSError:
            return "", ""  # gone meanwhile
        # by the time of the change: installers set the other one to that of the release, or to none
        seen = {"path": real, "size": status.st_size, "time": status.st_ctime_ns}
        cache = config.user_cache() / "programs" / f"{self.name}.json"
        try:
            known = json.loads(cache.read_bytes())
            if {**known, "version": ""} == {**seen, "version": ""}:
                return str(known["version"]), ""
        except (OSError, ValueError, KeyError, TypeError):
            pass  # not asked yet
        version, trouble = self._ask_version()
        if version:
            try:
                cache.parent.mkdir(parents=True, exist_ok=True)
                fresh = cache.with_suffix(f".{os.getpid()}")
                fresh.write_text(json.dumps({**seen, "version": version}))
                fresh.replace(cache)
            except OSError:
                pass  # asked again the next time
        return version, trouble

    def _ask_version(self) -> tuple[str, str]:
        import subprocess
        import tempfile

        cache = config.user_cache() / "programs"  # where scoutkit may be killed without littering
        try:
            cache.mkdir(parents=True, exist_ok=True)
        except OSError:
            cache = Path(tempfile.gettempdir())
        with tempfile.TemporaryDirectory(prefix="asking-", dir=cache) as home:
            env = {"PATH": os.environ.get("PATH", os.defpath), "HOME": home, "TMPDIR": home, "NO_COLOR": "1"}
            try:
                done = process.run([self.path, "--version"], cwd=Path(home), env=env, timeout=_PATIENCE)
            except subprocess.TimeoutExpired:
                if packaged := self._packaged():
                    return packaged, ""
                late = f"{self.name} --version does not answer within {_PATIENCE:g} s"
                return "", f"{late}; try again if this machine is busy, else"
            except OSError as error:
                return "", f"{self.path} cannot be started ({error.strerror})"
        if found := _VERSION.search(done.text):
            return found[0], ""
        if done.code == 0:
            return "", ""
        how = f"exit status {done.code}" if done.code > 0 else f"signal {-done.code}"
        said = " ".join(done.error.splitlines()[-1:])[:200]
        return "", f"{self.name} --version fails ({how}{said and f', {said}'})"

    def _packaged(self) -> str:
        """The version of the npm package that it is a program of, without starting it; "" for one of no package."""
        folders = Path(os.path.realpath(self.path)).parents
        if any(folder.name == "node_modules" for folder in folders):
            for folder in itertools.takewhile(lambda one: one.name != "node_modules", folders):
                found = table(folder / "package.json")
                if found.get("bin") and isinstance(found.get("version"), str):
                    return str(found["version"])
        return ""

    def needed(self) -> str:
        """The program's path. Unavailable where it is not installed."""
        if path := self.path:
            return path
        raise Unavailable(f"{self.name} is not on PATH", self.install)

    def environment(self) -> dict[str, str]:
        """The user's keys for this program, and no others."""
        return {name: os.environ[name] for name in self.keys if name in os.environ}

    def home(self, scratch: Path) -> tuple[Path, tuple[tuple[Path, Path], ...]]:
        """A home folder for one run, with a copy of the login and nothing else, and the pairs to put back.

        Raises Unavailable for a login that cannot be read.
        """
        home = scratch / "home"
        home.mkdir(mode=0o700, exist_ok=True)
        pairs = []
        for file, relative in zip(self._files(), self.login, strict=True):
            copy = home / relative
            copy.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            if file.is_file():
                private(copy, "")
                try:
                    shutil.copyfile(file, copy)
                except OSError as error:
                    what = f"the login of {self.name} cannot be read: {file}: {error.strerror}"
                    raise Unavailable(what, "check its permissions") from error
                pairs.append((file, copy))
        return home, tuple(pairs)

    def shown(self) -> tuple[Path, ...]:
        """Where it is installed: its own folder, and that of its package when PATH has only a link to it."""
        real = Path(os.path.realpath(self.path))
        package = next((parent for parent in real.parents if parent.name == "node_modules"), None)
        return tuple(dict.fromkeys((Path(self.path).parent, package or real.parent)))

    def _files(self) -> list[Path]:
        moved = os.environ.get(self.home_variable, "") if self.home_variable else ""
        return [
            Path(moved) / Path(*Path(one).parts[1:]) if moved and len(Path(one).parts) > 1 else Path.home() / one
            for one in self.login
        ]


def temporary(scratch: Path) -> dict[str, str]:
    """Where a run's temporary files go: beside its home, since some programs refuse a home inside that folder."""
    folder = scratch / "tmp"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return dict.fromkeys(("TMPDIR", "TMP", "TEMP"), str(folder))


def private(file: Path, text: str) -> None:
    """Write a file that only its user may read."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as out:
        out.write(text)


def address(url: str) -> str:
    """host:port of a URL; "" where it is none."""
    try:
        parts = urlsplit(url)
        port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    except ValueError:
        return ""
    return f"{parts.hostname}:{port}" if parts.hostname and port else ""


def table(file: Path) -> Mapping[str, object]:
    """A JSON object in a file of the program's; empty for what is none."""
    try:
        found = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _tilde(file: Path) -> str:
    home = Path.home()
    return f"~/{file.relative_to(home)}" if file.is_relative_to(home) else str(file)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:3])
