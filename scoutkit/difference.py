"""What differs: between commits, the working tree and what is staged. Asks git, and writes nothing."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from scoutkit import git
from scoutkit.complaints import failure
from scoutkit.errors import RepositoryError
from scoutkit.model.places import Repository
from scoutkit.model.regions import Region


def staged(repository: Repository) -> list[str]:
    """The files that the next commit changes or removes; paths from the repository's root.

    A hook of `git commit -a` or `git commit FILE` is told of another index by GIT_INDEX_FILE.
    """
    where, env = repository.toplevel or repository.git_dir, _index(repository)
    against = _head(where) or _empty(where)
    listing = git.output(where, "diff", "--cached", "--name-only", "--no-renames", "-z", against, env=env)
    return [path for path in listing.split("\0") if path]


def entries(repository: Repository) -> dict[str, tuple[str, str]]:
    """What the next commit holds, as far as it is staged: mode and blob of each path from the repository's root."""
    where = repository.toplevel or repository.git_dir
    listing = git.output(where, "ls-files", "-z", "-s", "--", ":(top)", env=_index(repository))
    pairs = (entry.split("\t", 1) for entry in listing.split("\0") if entry)  # `mode blob stage<tab>path`
    return {path: (mode, blob) for meta, path in pairs for mode, blob, _ in [meta.split(" ")]}


def left_out(where: Path, folder: Path) -> list[str]:
    """Files below a folder that a sparse checkout does not put on disk."""
    listing = git.output(where, "ls-files", "-z", "-t", "--", f":(literal){folder}")  # `S path`
    paths = (entry[2:] for entry in listing.split("\0") if entry.startswith("S "))
    return [path for path in paths if not os.path.lexists(where / path)]


def differing(where: Path, commit: str, paths: Sequence[str]) -> list[str]:
    """Those of some files that the working tree does not hold as a commit does."""
    listing = git.output(
        where,
        *("diff", "--name-only", "--no-renames", "-z", commit, "--"),
        *(f":(top,literal){path}" for path in paths),
    )
    return [path for path in listing.split("\0") if path]


class Hunk(NamedTuple):
    """Lines that differ, numbered from 1: of the old file `old_size` from `old_start`, of the new one `size` from
    `start`. Where there are none of a side, its number is that of the line before. A side without the file has no path.
    """

    old_path: str
    old_start: int
    old_size: int
    path: str
    start: int
    size: int

    def takes(self, region: Region | None) -> int:
        """How many lines of a region of the old side differ."""
        return _common(region, self.old_path, self.old_start, self.old_size)

    def gives(self, region: Region | None) -> int:
        """How many lines of a region of the new side differ."""
        return _common(region, self.path, self.start, self.size)


class Difference(NamedTuple):
    """What differs between a commit (`old`; "" for nothing) and another (`new`), the working tree (""), or with
    `staged` what is staged."""

    old: str
    new: str
    staged: bool
    hunks: tuple[Hunk, ...]


_PATCH = ("--no-color", "--no-ext-diff", "--no-textconv", "--no-relative", "--ignore-submodules", "-M")


def between(repository: Repository, revision: str = "", *, staged: bool = False) -> Difference:
    """What differs between a revision and the working tree, or between two (`main..topic`; `main...topic`: since they
    parted), or between HEAD and what is staged. RepositoryError for a revision that does not exist."""
    where, env = repository.toplevel or repository.git_dir, None
    if staged:
        env = _index(repository)
        old, new = _head(where), ""
        sides = ["--cached", old or _empty(where)]
    else:
        old, new = _sides(repository, revision)
        sides = [old, new] if new else [old]
    text = git.output(where, "diff", "--patch-with-raw", "-z", "-U0", *_PATCH, *sides, "--", env=env)
    return Difference(old, new, staged, tuple(_hunks(text)))


def patch(repository: Repository, revision: str, *, beside: str = "") -> tuple[str, int]:
    """The same of a revision or two as a unified diff for people, and how many new files git does not track, which are
    not in it; those in the folder `beside` are not counted. Bytes that are no UTF-8 are replaced."""
    where = repository.toplevel or repository.git_dir
    old, new = _sides(repository, revision)
    prefixes = ("--src-prefix=a/", "--dst-prefix=b/")
    done = git.git(where, "-c", "core.quotePath=false", "diff", *_PATCH, *prefixes, old, *([new] if new else []), "--")
    if done.code:
        raise failure(where, done.error)
    others = () if new else git.output(where, "ls-files", "-z", "--others", "--exclude-standard").split("\0")
    new_files = [path for path in others if path and not (beside and path.startswith(f"{beside.rstrip('/')}/"))]
    return done.out.decode("utf-8", "replace"), len(new_files)


def _head(where: Path) -> str:
    """The commit that the next one comes after; "" before the first."""
    return git.git(where, "rev-parse", "--verify", "--quiet", "HEAD^{commit}").text.strip()


def _empty(where: Path) -> str:
    """The tree without files."""
    return git.output(where, "hash-object", "-t", "tree", "--stdin").strip()


def _sides(repository: Repository, revision: str) -> tuple[str, str]:
    """The commits that a person means; "" for the working tree."""
    if parts := re.fullmatch(r"(.*?)(\.{2,3})(.*)", revision, re.DOTALL):
        old, new = (git.resolve(repository, part or "HEAD") for part in (parts[1], parts[3]))
        if parts[2] == "...":
            where = repository.toplevel or repository.git_dir
            done = git.git(where, "merge-base", old, new)
            if done.code:
                raise RepositoryError(f"nothing in common: {revision}", "compare the two as they are: A..B")
            old = done.text.strip()
        return old, new
    return git.resolve(repository, revision), "" if repository.toplevel else git.resolve(repository, "HEAD")


_RAW = re.compile(r":\d+ \d+ [0-9a-f]+ [0-9a-f]+ ([A-Z])\d*\0([^\0]+)\0")
_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


def _hunks(text: str) -> Iterator[Hunk]:
    """`git diff --patch-with-raw -z`: the files with their paths as they are, then a patch for each, in that order.
    Lines of content are counted, not looked at."""
    at, files = 0, []
    while found := _RAW.match(text, at):
        kind, path, at = found[1], found[2], found.end()
        new = path
        if kind in "RC":
            new, _, _ = text[at:].partition("\0")
            at += len(new) + 1
        if kind == "T":  # a file that became a link, or the reverse: one patch for each
            files += [(path, ""), ("", path)]
        elif kind != "U":
            files.append(("" if kind == "A" else path, "" if kind == "D" else new))
    lines, number = iter(text[at:].split("\n")), -1
    for line in lines:
        number += line.lstrip("\0").startswith("diff --git ")
        if hunk := _HUNK.match(line):
            old, old_size, start, size = (int(value or 1) for value in hunk.groups())
            yield Hunk(files[number][0], old, old_size, files[number][1], start, size)
            for _ in range(old_size + size):
                if next(lines, "").startswith("\\"):  # "no newline at end of file"
                    next(lines, "")


def _common(region: Region | None, path: str, start: int, size: int) -> int:
    if region is None or region.path != path or not size:
        return 0
    return max(min(region.end, start + size - 1) - max(region.start, start) + 1, 0)


def _index(repository: Repository) -> dict[str, str] | None:
    where = repository.toplevel or repository.git_dir
    index = Path(os.path.realpath(where / os.environ.get("GIT_INDEX_FILE", "")))
    return {"GIT_INDEX_FILE": str(index)} if index.is_relative_to(repository.git_dir) and index.is_file() else None
