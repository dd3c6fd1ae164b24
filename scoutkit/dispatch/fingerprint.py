"""What the user's repository is like, before a run and after it. Only looks: no byte of it is written, no lock taken.

Git is asked for refs, and for the files of a checkout that are not simply what its commit has. Git's own small files
are read as they are. Content is read up to a cap; beyond it, size and times stand in. What scoutkit itself keeps in
the git directory and new files in the notes folder do not count, nor what is inside ignored folders and submodules.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from scoutkit import git, process
from scoutkit.config import Places
from scoutkit.model.fingerprints import Checkout, Entry, Fingerprint, Seen
from scoutkit.model.places import Repository

LARGEST = 4_000_000  # bytes of a file that is read
ALL = 64_000_000  # bytes that are read of one repository
MOST = 50_000  # files of a checkout that are looked at
Keep = Callable[[str, bytes], object]

_STATE = r"""HEAD|config|config\.worktree|shallow|(MERGE|SQUASH|CHERRY_PICK|REVERT|REBASE|BISECT)_\w+|
    info/(exclude|attributes|sparse-checkout|grafts)|(rebase-merge|rebase-apply|sequencer)/.*|gitdir|commondir|locked"""
_WATCHED = re.compile(
    rf"({_STATE})|worktrees/[^/]+/({_STATE}|index|ORIG_HEAD|logs/HEAD)|hooks/.*|objects/info/alternates|logs/HEAD|logs/refs/(heads/.*|stash)",
    re.DOTALL | re.VERBOSE,
)
_FOLDERS = ("info", "hooks", "worktrees", "rebase-merge", "rebase-apply", "sequencer", "logs", "logs/refs/heads")
STATUS = (
    *("status", "--porcelain=v2", "-z", "--branch", "--no-ahead-behind", "--no-renames"),
    *("--untracked-files=all", "--ignored=matching", "--ignore-submodules=dirty"),
)
_EMPTY = {  # the tree without files
    "sha1": "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "sha256": "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}


@dataclass
class Reader:
    """Reads files up to the caps and hands what it read to `keep`. What has not changed since `known` is not read."""

    keep: Keep | None = None
    left: int = ALL  # 0: sizes and times alone

    def look(self, path: str, known: Seen | None = None) -> Seen | None:
        """What is there; None for nothing. A link is not followed."""
        try:
            status = os.lstat(path)
        except (OSError, ValueError):
            return None
        seen = Seen(_kind(status.st_mode), stat.S_IMODE(status.st_mode), status.st_size, stamp=_stamp(status))
        if known and known.digest and replace(seen, digest=known.digest) == known:
            return known
        try:
            match seen.kind:
                case "link":
                    return self._read(seen, os.fsencode(os.readlink(path)))  # noqa: PTH115 - not followed
                case "file" if seen.size <= min(LARGEST, self.left):
                    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
                    with os.fdopen(handle, "rb", buffering=0) as file:
                        content = file.read(seen.size + 1)
                    return self._read(seen, content) if len(content) == seen.size else seen
        except OSError:
            pass  # not to be read: size and times stand in
        return seen

    def _read(self, seen: Seen, content: bytes) -> Seen:
        self.left -= len(content)
        digest = digest_of(content)
        if self.keep:
            self.keep(digest, content)
        return replace(seen, digest=digest)


def take(
    repository: Repository,
    places: Places,
    *,
    read: bool = True,
    keep: Keep | None = None,
    earlier: Fingerprint | None = None,
    at: int | None = None,
) -> Fingerprint:
    """Look at all of it. Some milliseconds beside one `git status` in each of at most two checkouts.

    `read`: the content of files in the checkout too, not only size and times. `keep` gets what was read, by its
    digest, and index files by `Checkout.index`. With an `earlier` one, what that knew is looked at as well, and read
    only where it changed.
    """
    common = repository.common_dir
    tops = dict.fromkeys(top for top in (repository.main, repository.toplevel) if top and top.is_dir())
    asked = [
        git.begin(common, f"--git-dir={common}", "for-each-ref", "--format=%(objectname)%00%(symref)%00%(refname)"),
        git.begin(common, f"--git-dir={common}", "config", "-z", "--type=path", "--get-all", "core.hooksPath"),
    ]
    states = [git.begin(top, *STATUS) for top in tops]
    now = Fingerprint(at or time.time_ns(), {}, {}, {}, (), 0, {})
    reader = Reader(keep, ALL)
    known = earlier or now
    own = {name: reader.look(f"{common}/{name}", known.own.get(name)) for name in _watched(common)}
    refs, hooks = (one() for one in asked)
    elsewhere = dict.fromkeys(os.path.realpath(path) for path in _outside(hooks, [common, *tops]))
    outside = {path: reader.look(path, known.outside.get(path)) for path in elsewhere}
    if not read:
        reader.left = 0
    checkouts = {}
    unseen = [] if refs.code == 0 else [f"refs: {_last(refs)}"]
    for top, done in zip(tops, states, strict=True):
        listed = done()
        if listed.code:
            unseen.append(f"{top}: {_last(listed)}")
            continue
        before = known.checkouts.get(str(top))
        checkouts[str(top)] = seen = _checkout(_Top(repository, places, top, reader, before), listed.text)
        if len(seen.entries) >= MOST:
            unseen.append(f"{top}: all but {MOST:,} of its untracked and changed files")
    packs, loose = _objects(common / "objects")
    return replace(
        now,
        refs=known.refs if refs.code else _refs(refs),
        own={name: seen for name, seen in own.items() if seen},
        outside={path: seen for path, seen in outside.items() if seen},
        packs=packs,
        loose=loose,
        checkouts=checkouts,
        unseen=tuple(unseen),
    )


def digest_of(content: bytes) -> str:
    """Tells contents apart."""
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def _last(done: process.Completed) -> str:
    return (done.error or f"git ended with {done.code}").splitlines()[-1]


def _refs(listed: process.Completed) -> dict[str, str]:
    found = {}
    for line in listed.text.split("\n")[:-1]:  # a ref's name may hold other line ends
        value, target, name = line.split("\0")
        found[name] = f"ref: {target}" if target else value
    return found


def _watched(common: Path) -> Iterator[str]:
    """Git's own small files that count, by their path in the common directory."""
    for folder in ("", *_FOLDERS):
        deep = folder not in ("", "info", "logs")
        for name in _files(f"{common}/{folder}" if folder else str(common), f"{folder}/" if folder else "", deep=deep):
            if _WATCHED.fullmatch(name):
                yield name
    for name in ("logs/refs/stash", "objects/info/alternates"):
        if (common / name).is_file():
            yield name


def _files(folder: str, prefix: str, *, deep: bool) -> Iterator[str]:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        name = f"{prefix}{entry.name}"
        if not entry.is_dir(follow_symlinks=False):
            yield name
        elif deep and entry.name != "modules":  # of a linked worktree
            yield from _files(entry.path, f"{name}/", deep=True)


def _outside(hooks: process.Completed, inside: Iterable[Path]) -> Iterator[str]:
    """What git obeys that is elsewhere: the user's own settings, and hooks in a folder that settings name."""
    home, config = os.path.expanduser("~"), os.environ.get("XDG_CONFIG_HOME", "")  # noqa: PTH111 - a text
    user = config if os.path.isabs(config) else f"{home}/.config"  # noqa: PTH117
    named = os.environ.get("GIT_CONFIG_GLOBAL")
    yield from [f"{home}/.gitconfig", *(f"{user}/git/{name}" for name in ("config", "ignore", "attributes"))]
    if named:
        yield os.path.abspath(named)  # noqa: PTH100
    values = hooks.text.split("\0")[:-1]
    for value in values[-2:-1]:  # the last one is our own, by which no hook runs
        tops = [top for top in inside if top.name != ".git"]
        folder = os.path.join(str(tops[0]) if tops else "/", value)  # noqa: PTH118
        yield from (f"{folder}/{name}" for name in _files(folder, "", deep=False))


def _objects(folder: Path) -> tuple[tuple[str, ...], int]:
    """The packs, and how many objects are in none."""
    packs, loose = list[str](), 0
    with contextlib.suppress(OSError):
        packs = sorted(name for name in os.listdir(folder / "pack") if name.endswith(".pack"))  # noqa: PTH208
    with contextlib.suppress(OSError):
        for entry in os.scandir(folder):
            if len(entry.name) == 2 and entry.is_dir():
                loose += len(os.listdir(entry.path))  # noqa: PTH208
    return tuple(packs), loose


@dataclass(frozen=True)
class _Top:
    """A checkout that is being looked at."""

    repository: Repository
    places: Places
    top: Path
    reader: Reader
    before: Checkout | None

    @property
    def git_dir(self) -> Path:
        repository = self.repository
        return repository.common_dir if self.top == repository.main else repository.git_dir


def _checkout(one: _Top, listed: str) -> Checkout:
    head, staged, listed_files = _status(listed)
    before = one.before
    if before and before.head != head:
        moved = _moved(one, before.head, head)
        for path, (blob, mode) in moved.items():
            status = listed_files.get(path, Entry("", None)).status
            listed_files[path] = Entry(status, None, blob, mode)
    if before:
        for path, entry in before.entries.items():
            listed_files.setdefault(path, Entry("", None, entry.blob, entry.mode))
    notes = _notes(one)
    known = before.entries if before else {}
    entries = dict[str, Entry]()
    for path, entry in listed_files.items():
        if len(entries) >= MOST:
            break
        if notes and path.startswith(notes) and path.endswith(".scoutkit-new"):  # a note that another run is writing
            continue
        if before and path not in known and notes and path.startswith(notes) and not entry.blob:
            continue
        earlier = known.get(path)
        seen = one.reader.look(f"{one.top}/{path}".rstrip("/"), earlier.seen if earlier else None)
        entries[path] = replace(entry, seen=seen)
    return Checkout(str(one.git_dir), head, _index(one), staged, entries)


def _notes(one: _Top) -> str:
    """The notes folder as a path in this checkout, with its slash."""
    notes = one.places.notes
    return f"{notes.relative_to(one.top).as_posix()}/" if notes.is_relative_to(one.top) else ""


def _status(listed: str) -> tuple[str, str, dict[str, Entry]]:
    """HEAD's commit, what is staged, and the files: git-status(1), porcelain format version 2."""
    head, files = "", dict[str, Entry]()
    staged = []
    for line in listed.split("\0"):
        match line[:1]:
            case "#":
                if line.startswith("# branch.oid "):
                    head = line.removeprefix("# branch.oid ").replace("(initial)", "")
            case "1":
                _, status, _, mode, staged_mode, _, blob, staged_blob, path = line.split(" ", 8)
                there = mode != "000000"
                files[path] = Entry(status, None, blob if there else "", mode if there else "")
                if status[0] != ".":
                    staged.append(f"{path}\0{staged_mode}\0{staged_blob}")
            case "u":
                files[line.split(" ", 10)[10]] = Entry(line[2:4], None)
                staged.append(line)
            case "?" | "!":
                path = line[2:]
                files[path] = replace(files.get(path, Entry("", None)), status=line[0] * 2)
    return head, f"{len(staged)} {digest_of(os.fsencode(chr(1).join(staged)))}", files


def _moved(one: _Top, old: str, new: str) -> Mapping[str, tuple[str, str]]:
    """Files that differ between two commits, with blob and mode in the older one; "" where it has none."""
    empty = _EMPTY[one.repository.object_format]
    done = git.git(one.top, "diff-tree", "-r", "-z", "--no-renames", old or empty, new or empty)
    fields = done.text.split("\0")
    found = {}
    for meta, path in zip(fields[0::2], fields[1::2], strict=False):
        mode, _, blob, _, _ = meta.removeprefix(":").split(" ")
        found[path] = ("", "") if mode == "000000" else (blob, mode)
    return found


def _index(one: _Top) -> str:
    """What tells one index file from another: its closing checksum, its time where it has none."""
    path = one.git_dir / "index"
    try:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            file.seek(max(0, size - 32))
            last = file.read(32)
            name = f"{size} {last.hex()}"
            if not any(last[-20:]):  # index.skipHash
                name += f" {os.fstat(file.fileno()).st_mtime_ns}"
            if one.reader.keep and size <= one.reader.left:
                file.seek(0)
                one.reader.keep(name, file.read())
            return name
    except OSError:
        return ""


def _kind(mode: int) -> str:
    if stat.S_ISREG(mode):
        return "file"
    return "link" if stat.S_ISLNK(mode) else "folder" if stat.S_ISDIR(mode) else "other"


def _stamp(status: os.stat_result) -> tuple[int, int, int]:
    return status.st_ino, status.st_mtime_ns, status.st_ctime_ns
