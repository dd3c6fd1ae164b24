"""What lies between commits: who touched what, by which way one leads to another, and what differs."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from scoutkit import git
from scoutkit.complaints import failure
from scoutkit.errors import RepositoryError
from scoutkit.model.places import Repository
from scoutkit.model.regions import Region


class Commit(NamedTuple):
    """A commit in a history: when (ISO 8601), who and its subject line."""

    id: str
    when: str
    author: str
    subject: str


def newest(where: Path, commit: str, paths: Sequence[str], *, limit: int) -> Iterator[Commit]:
    """The newest commits up to `commit` that touched any of `paths`, through GitPython.

    ScoutError when git cannot tell, for instance for want of objects.
    """
    import git as gitpython

    repository = gitpython.Repo(where)
    try:
        for found in repository.iter_commits(commit, paths=[f":(literal){path}" for path in paths], max_count=limit):
            yield Commit(found.hexsha, found.committed_datetime.isoformat(), str(found.author.name), str(found.summary))
    except (gitpython.GitCommandError, ValueError) as error:  # the second: an object that is not there
        raise failure(where, str(getattr(error, "stderr", "") or error)) from error
    finally:
        repository.close()


def before(where: Path, commit: str, moment: str) -> str:
    """The last commit of the main line that was there at a moment (ISO 8601); "" where there was none yet."""
    done = git.git(where, "rev-list", "-1", "--first-parent", f"--before={moment}", "--end-of-options", commit)
    return done.text.strip()


def mainline(where: Path, old: str, new: str) -> list[str]:
    """The commits between two, from the old to the new, both included: by first parents where those lead from one to
    the other, else by whichever do; back to what they share and on from there where neither comes from the other.
    Only what is here; [old, new] where that is nothing."""
    whole = {"GIT_FLUSH": "0"}  # in one go, not commit by commit
    done = git.git(where, "rev-list", "--parents", "--first-parent", f"{old}..{new}", env=whole)  # mostly that is it
    line = [row.split() for row in done.text.splitlines()] if done.code == 0 else []
    if line and line[-1][1:2] == [old]:
        return [old, *(ids[0] for ids in reversed(line))]
    for one, other, step in ((old, new, -1), (new, old, 1)):
        done = git.git(where, "rev-list", "--parents", "--ancestry-path", f"{one}..{other}")
        if done.code == 0 and done.text:
            return _path(other, one, done.text)[::step]
    done = git.git(where, "rev-list", "--first-parent", "--left-right", f"{old}...{new}")
    marked = done.text.split() if done.code == 0 else []
    back = [line[1:] for line in marked if line.startswith("<")]
    forth = [line[1:] for line in reversed(marked) if line.startswith(">")]
    return list(dict.fromkeys([old, *back, *forth, new]))


def _path(young: str, old: str, listed: str) -> list[str]:
    """From a commit down to one it comes from; `listed`: each commit between, then its parents."""
    parents = {(ids := line.split())[0]: ids[1:] for line in listed.splitlines()}
    path = [young]
    while path[-1] != old and path[-1] in parents:
        above = parents[path[-1]]
        path.append(next((one for one in above if one in parents or one == old), old))
    return path


def behind(where: Path, target: str) -> Callable[[Collection[str]], dict[str, int]]:
    """Begins to look at a history; what is given says how many commits the target has that each of some commits has
    not. One process where history is a line, two more elsewhere. Commits that git cannot tell of are left out."""
    listing = git.begin(where, "rev-list", "--parents", f"--max-count={_LINE}", target, "--")

    def count(commits: Collection[str]) -> dict[str, int]:
        listed = listing()
        counts = _in_line(listed.text, commits) if listed.code == 0 else {}
        if len({*commits} - counts.keys()) > 1:
            counts |= _in_graph(where, target, {*commits} - counts.keys())
        for commit in {*commits} - counts.keys():
            done = git.git(where, "rev-list", "--count", "--end-of-options", f"{commit}..{target}", "--")
            if done.code == 0 and done.text.strip().isdecimal():
                counts[commit] = int(done.text)
        return counts

    return count


def _in_graph(where: Path, target: str, commits: Collection[str]) -> dict[str, int]:
    """Of commits that have one in common with the target, and are among those it comes from."""
    shared = git.git(where, "merge-base", "--octopus", target, *sorted(commits))
    if shared.code:
        return {}
    listed = git.git(where, "rev-list", "--parents", f"{shared.text.strip()}..{target}", "--")
    parents = {ids[0]: ids[1:] for line in listed.text.splitlines() if (ids := line.split())}
    known = {*commits} & {*parents, shared.text.strip()} if listed.code == 0 else ()
    return {commit: len(parents) - _ancestors(commit, parents) for commit in known}


_LINE = 500


def _in_line(listed: str, commits: Collection[str]) -> dict[str, int]:
    """The places of commits in a history, as far as no merge is in it."""
    counts: dict[str, int] = {}
    for number, line in enumerate(listed.splitlines()):
        commit, *parents = line.split()
        if commit in commits:
            counts[commit] = number
        if len(parents) > 1:
            break
    return counts


def _ancestors(commit: str, parents: Mapping[str, Sequence[str]]) -> int:
    """How many of the commits of a listing a commit comes from, itself among them."""
    seen = {commit} & parents.keys()
    todo = [*seen]
    for one in todo:
        for above in parents[one]:
            if above in parents and above not in seen:
                seen.add(above)
                todo.append(above)
    return len(seen)


def patches(where: Path, old: str, new: str, paths: Sequence[str]) -> str | None:
    """What the commits since `old`, up to `new`, did to some files: `git log -p`, oldest first, without context lines,
    decoded with surrogateescape. None where git cannot tell, for instance because `old` is not here.

    Each commit begins with NUL, id, parents (those in the answer, or before it), author and moment, each ended by NUL.
    A merge shows what it brought to its first parent.
    """
    done = git.git(
        where,
        *("-c", "core.quotePath=false", "log", "--reverse", "--topo-order", "--parents", "--no-show-signature"),
        *("--format=%x00%H%x00%P%x00%aN%x00%aI%x00", "-p", "-U0", "--diff-merges=first-parent", "-M", "--no-color"),
        *("--no-ext-diff", "--no-textconv", "--src-prefix=a/", "--dst-prefix=b/", "--end-of-options"),
        *(f"{old}..{new}", "--"),
        *(f":(top,literal){path}" for path in paths),
        env={"GIT_NO_LAZY_FETCH": "1"},
    )
    return os.fsdecode(done.out) if done.code == 0 else None


def staged(repository: Repository) -> list[str]:
    """The files that the next commit changes or removes; paths from the repository's root.

    A hook of `git commit -a` or `git commit FILE` is told of another index by GIT_INDEX_FILE.
    """
    where, env = repository.toplevel or repository.git_dir, _index(repository)
    born = git.git(where, "rev-parse", "--verify", "--quiet", "HEAD^{commit}").code == 0
    against = () if born else (git.output(where, "hash-object", "-t", "tree", "--stdin").strip(),)  # the empty tree
    listing = git.output(where, "diff", "--cached", "--name-only", "--no-renames", "-z", *against, env=env)
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


def difference(repository: Repository, revision: str = "", *, staged: bool = False) -> Difference:
    """What differs between a revision and the working tree, or between two (`main..topic`; `main...topic`: since they
    parted), or between HEAD and what is staged. RepositoryError for a revision that does not exist."""
    where, env = repository.toplevel or repository.git_dir, None
    if staged:
        env = _index(repository)
        born = git.git(where, "rev-parse", "--verify", "--quiet", "HEAD^{commit}").code == 0
        old, new = git.resolve(repository, "HEAD") if born else "", ""
        sides = ["--cached", old or git.output(where, "hash-object", "-t", "tree", "--stdin").strip()]  # the empty tree
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


def differing(where: Path, commit: str, paths: Sequence[str]) -> list[str]:
    """Those of some files that the working tree does not hold as a commit does."""
    listing = git.output(
        where,
        *("diff", "--name-only", "--no-renames", "-z", commit, "--"),
        *(f":(top,literal){path}" for path in paths),
    )
    return [path for path in listing.split("\0") if path]
