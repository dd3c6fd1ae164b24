"""What lies between commits: who touched what, and by which way one leads to another. Reads history, no file."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from scoutkit import git
from scoutkit.complaints import failure


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
