"""What an isolated agent gets to see and to write: one list for every kind of isolation. Only looks.

A whitelist: what is not in it is not there. Of `/etc` it has what every user may read.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix", "/gnu", "/snap")
_CONFIDENTIAL = (("/etc", 9), ("/usr/local/etc", 9), ("/opt", 2))  # looked through this deep: /opt may be large
_FILES = (
    "/etc/resolv.conf",
    "/etc/hosts",
    "/etc/nsswitch.conf",
    "/etc/localtime",
    "/etc/ssl/certs",
    "/etc/ssl/ca-bundle.pem",
)
_CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
_BROAD = (
    "",
    ".local",
    ".local/share",
    ".local/state",
    ".config",
    ".cache",
    ".ssh",
    ".aws",
    ".gnupg",
    ".kube",
    ".docker",
)
_BESIDE = ("lib", "libexec", "Cellar", "opt")  # where the links in a `bin` lead to
_ALTERNATES = 6  # git follows no deeper chain


@dataclass(frozen=True, slots=True)
class Room:
    """One run's surroundings. Absolute real paths; `env` is all that the agent's environment would hold outside."""

    worktree: Path
    shadow: Path
    scratch: Path  # always writable
    env: Mapping[str, str]
    writable: bool = False  # worktree and shadow repository; an `ask` only reads
    shown: tuple[Path, ...] = ()  # read-only besides: where the program is installed
    beside: tuple[Path, ...] = ()  # read-only besides: what the run was given with its worktree
    network: str = "full"  # full, model or none
    hosts: tuple[str, ...] = ()  # host:port, all there is with `model`
    home: Path | None = None  # inside `scratch`; `scratch/home` when left out
    run_id: str = ""
    image: str = "scoutkit-agents"  # containers only, as the next three
    memory: str = "4g"
    cpus: str = "2"
    pids: int = 512

    @property
    def own_home(self) -> Path:
        """What HOME is inside."""
        return self.home or self.scratch / "home"

    @property
    def temporary(self) -> Path:
        """What TMPDIR is inside: beside HOME, since some programs refuse a home in it."""
        named = self.env.get("TMPDIR", "")
        return Path(named) if self._own(named) and Path(named) != self.scratch else self.scratch / "tmp"

    def environment(self) -> dict[str, str]:
        """The agent's environment inside: the home and the temporary folder are the run's own."""
        env = {name: value for name, value in self.env.items() if not name.startswith("XDG_") or self._own(value)}
        temporary = dict.fromkeys(("TMPDIR", "TMP", "TEMP"), str(self.temporary))
        return {**env, **temporary, "HOME": str(self.own_home)}

    def _own(self, path: str) -> bool:
        return Path(path).is_relative_to(self.scratch)

    def furnish(self) -> None:
        """Make the folders that `environment` names."""
        for folder in (self.own_home, self.temporary):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)


@dataclass(frozen=True, slots=True)
class View:
    """What is there inside: real paths, each at its own place, and links that lead to them."""

    system: tuple[Path, ...]  # folders, read-only
    hidden: tuple[Path, ...]  # what in them only some users may read
    read: tuple[Path, ...]
    write: tuple[Path, ...]
    links: tuple[tuple[str, Path], ...]  # target as it is written, where the link is


def view(room: Room, program: str = "") -> View:
    """What `room` shows to `program`, an absolute path. Nothing that would show a home folder whole."""
    system = [Path(name) for name in (*SYSTEM, "/etc") if Path(name).is_dir() and not Path(name).is_symlink()]
    write = [room.scratch, *((room.worktree, room.shadow) if room.writable else ())]
    wanted = [*_wanted(room, program), *objects(room.shadow), *(() if room.writable else (room.worktree, room.shadow))]
    broad = {Path(os.path.realpath(Path.home() / name)) for name in _BROAD}
    broad |= {above for folder in tuple(broad) for above in folder.parents}
    read: dict[Path, None] = {}
    links = {Path(name): str(Path(name).readlink()) for name in SYSTEM if Path(name).is_symlink()}
    for path in wanted:
        real = Path(os.path.realpath(path))
        if path.is_absolute() and _is(real.exists) and not (real in broad and _is(real.is_dir)):
            links.update(_ways(path))
            read[real] = None
    kept = [path for path in read if not _inside(path, [*system, *(one for one in read if one != path)])]
    shown = [*system, *kept, *write]
    return View(
        system=tuple(system),
        hidden=tuple(path for folder, depth in _CONFIDENTIAL for path in private(Path(folder), depth)),
        read=tuple(kept),
        write=tuple(write),
        links=tuple((target, link) for link, target in links.items() if not _inside(link, shown)),
    )


def _wanted(room: Room, program: str) -> Iterator[Path]:
    yield from map(Path, _FILES)  # links to elsewhere, on some systems
    yield from (Path(room.env[name]) for name in _CERTIFICATES if room.env.get(name))
    yield from python()
    yield from room.beside
    yield from room.shown
    for entry in map(Path, room.env.get("PATH", "").split(os.pathsep)):
        if entry.name == "shims":  # pyenv, rbenv, asdf: they start what is beside them
            yield entry.parent
        elif not _is((entry / ".git").exists):
            yield entry
            if entry.name == "bin" and entry.parent != Path.home():
                yield from (entry.parent / name for name in _BESIDE)
    if program:
        yield Path(program)


def python() -> list[Path]:
    """What this Python needs to run scoutkit: its own folders, where packages are, and the package itself."""
    packages = [path for path in sys.path if Path(path).name in ("site-packages", "dist-packages")]
    here = Path(__file__).parent.parent
    return [*map(Path, (sys.base_prefix, sys.prefix, *packages)), here, here.parent / "templates"]


def _ways(path: Path) -> Iterator[tuple[Path, str]]:
    """The links on the way to a path, each with its target."""
    for part in reversed((path, *path.parents)):
        if _is(part.is_symlink):
            target = str(part.readlink())
            yield part, target
            yield from _ways(Path(os.path.normpath(part.parent / target)) / path.relative_to(part))
            return


def _is(asked: Callable[[], bool]) -> bool:
    """What may not be looked at is not there."""
    try:
        return asked()
    except OSError:
        return False


def _inside(path: Path, folders: Sequence[Path]) -> bool:
    return any(path.is_relative_to(folder) for folder in folders)


def objects(shadow: Path) -> tuple[Path, ...]:
    """The folders of objects that a repository borrows from, by objects/info/alternates, nested ones too."""
    found: dict[Path, None] = {}
    todo: list[tuple[Path, int]] = [(shadow / "objects", 0)]
    for folder, depth in todo:  # grows meanwhile
        try:
            lines = (folder / "info" / "alternates").read_bytes().split(b"\n") if depth < _ALTERNATES else []
        except OSError:
            continue
        for line in lines:
            if line and not line.startswith(b"#"):
                path = Path(os.path.normpath(folder / os.fsdecode(_unquoted(line))))
                if path not in found:
                    found[path] = None
                    todo.append((path, depth + 1))
    return tuple(found)


def _unquoted(line: bytes) -> bytes:
    """C-style quotes off (gitrepository-layout(5), objects/info/alternates)."""
    if not (line.startswith(b'"') and line.endswith(b'"')):
        return line
    return line[1:-1].decode("unicode_escape").encode("latin-1")


def private(folder: Path, depth: int = 9) -> Iterator[Path]:
    """What in a folder not everybody may read: passwords, host keys. A private folder stands for its contents."""
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return
    for entry in entries:
        try:
            mode = entry.stat(follow_symlinks=False).st_mode
        except OSError:
            continue
        if stat.S_ISDIR(mode):
            if mode & 0o005 != 0o005:
                yield Path(entry.path)
            elif depth > 1:
                yield from private(Path(entry.path), depth - 1)
        elif stat.S_ISREG(mode) and not mode & 0o004:
            yield Path(entry.path)
