"""What the user's repository is like, before a run and after it. Only looks: no byte of it is written, no lock taken.

Git is asked for refs; its own small files are read as they are. What scoutkit itself keeps in the git directory does
not count.
"""

from __future__ import annotations

import contextlib
import os
import re
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from scoutkit import git, process
from scoutkit.config import Places
from scoutkit.dispatch.checkout import MOST, STATUS, Top, look
from scoutkit.dispatch.seen import ALL, Keep, Reader
from scoutkit.model.fingerprints import Fingerprint
from scoutkit.model.places import Repository

_STATE = r"""HEAD|config|config\.worktree|shallow|(MERGE|SQUASH|CHERRY_PICK|REVERT|REBASE|BISECT)_\w+|
    info/(exclude|attributes|sparse-checkout|grafts)|(rebase-merge|rebase-apply|sequencer)/.*|gitdir|commondir|locked"""
_WATCHED = re.compile(
    rf"({_STATE})|worktrees/[^/]+/({_STATE}|index|ORIG_HEAD|logs/HEAD)|hooks/.*|objects/info/alternates|logs/HEAD|logs/refs/(heads/.*|stash)",
    re.DOTALL | re.VERBOSE,
)
_FOLDERS = ("info", "hooks", "worktrees", "rebase-merge", "rebase-apply", "sequencer", "logs", "logs/refs/heads")


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
        checkouts[str(top)] = seen = look(Top(repository, places, top, reader, before), listed.text)
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
