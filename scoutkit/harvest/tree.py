"""What a run left in its worktree and its shadow repository: files against the base, commits, what is nested."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from scoutkit.harvest.ground import Ground, Seen, inside
from scoutkit.model.evidence import Committed, Touched
from scoutkit.model.notes import Region

MOST = 500  # files, and commits, that are told one by one
REGIONS = 40  # of one file
_NEAR = 2  # lines between two changes that count as one
_HOW = {"A": "added", "M": "modified", "D": "deleted", "R": "renamed", "T": "modified"}
_HUNK = re.compile(rb"^@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@", re.MULTILINE)
_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_STASHED = re.compile(r"(?:index on|untracked files on) ")


def touched(ground: Ground, tree: str) -> list[Touched]:
    """The files in which a tree differs from the base, as the agent left them: not what it began with."""
    start = ground.start
    if start == tree:
        return []
    found = _compared(ground, ground.base, tree)
    if start:
        since = _compared(ground, start, tree, regions=False)
        own = {one.path for one in since} | {one.was for one in since if one.was}
        return [one for one in found if one.path in own or one.was in own]
    return found


def elsewhere(ground: Ground, tips: Sequence[tuple[str, str]], known: Sequence[Touched]) -> list[Touched]:
    """Files that only commits on other branches (name, id), or in the stash, have changed."""
    paths = {one.path for one in known}
    found = []
    for name, tip in tips[:20]:
        for one in _compared(ground, ground.base, tip):
            if one.path not in paths:
                paths.add(one.path)
                found.append(replace(one, where=name))
    return found


def _compared(ground: Ground, old: str, new: str, *, regions: bool = True) -> list[Touched]:
    raw = ("-r", "-z", "-M", "--no-ext-diff", "--no-textconv", "--ignore-submodules=none")
    listed = ground.git("diff-tree", *raw, "--raw", "--numstat", old, new)
    found = sorted(_listed(listed.text), key=lambda one: one.how == "added")  # many new files hide no change
    if not regions or not found:
        return found
    changed = [one for one in found if one.how in ("modified", "renamed", "deleted") and one.added is not None]
    return [replace(one, regions=_regions(ground, old, new, one)) if one in changed[:100] else one for one in found]


def _listed(text: str) -> Iterator[Touched]:
    """`git diff-tree -z --raw --numstat`: all raw records, then all counts."""
    fields = iter(text.split("\0"))
    rows: dict[str, tuple[str, str]] = {}  # path: (how, was)
    for field in fields:
        if field.startswith(":"):
            old, new, *_, status = field[1:].split(" ")
            how = "submodule" if "160000" in (old, new) else _HOW.get(status[:1], "modified")
            first = next(fields, "")
            path = next(fields, "") if status[:1] in "RC" else first
            rows[path] = (how, first if path != first else "")
        elif field:
            added, removed, path = [*field.split("\t"), "", ""][:3]
            if not path:  # a rename: `added removed <empty> NUL old NUL new`
                next(fields, "")
                path = next(fields, "")
            how, was = rows.get(path, ("modified", ""))
            binary = added == "-" or how == "submodule"
            yield Touched(path, how, None if binary else int(added), None if binary else int(removed), was)


def _regions(ground: Ground, old: str, new: str, one: Touched) -> tuple[Region, ...]:
    """The lines of the old side that were changed; where lines were only added, the one they came behind."""
    flags = ("-p", "-r", "-U0", "-M", "--no-ext-diff", "--no-textconv", "--no-color")
    paths = [f":(top,literal){path}" for path in (one.path, one.was) if path]
    patch = ground.git("diff-tree", *flags, old, new, "--", *paths).out
    spans: list[list[int]] = []
    for match in _HUNK.finditer(patch):
        count = int(match[2]) if match[2] else 1
        start = max(int(match[1]), 1)
        end = start + max(count, 1) - 1
        if spans and start - spans[-1][1] <= _NEAR:
            spans[-1][1] = max(end, spans[-1][1])
        else:
            spans.append([start, end])
    path = one.was or one.path
    if one.how == "deleted":
        return (Region(path, 1, spans[-1][1]),) if spans else ()
    return tuple(Region(path, start, end) for start, end in spans[:REGIONS])


def nested(ground: Ground, seen: Seen) -> list[Touched]:
    """Repositories inside the worktree: those that are new, and submodules that were filled or edited."""
    found = []
    for path in seen.nested:
        count = sum(1 for _ in inside(ground.worktree / path, 2001))
        found.append(Touched(path.rstrip("/"), "repository", None, None, why=_files(count)))
    listed = ground.git("ls-tree", "-r", "-z", "--full-tree", ground.base).text
    for line in listed.split("\0"):
        if line.startswith("160000 "):
            path = line.partition("\t")[2]
            if count := sum(1 for _ in inside(ground.worktree / path, 2001)):
                found.append(Touched(path, "submodule", None, None, why=_files(count)))
    return found


def _files(count: int) -> str:
    return "more than 2,000 files in it" if count > 2000 else f"{count} file{'s' * (count != 1)} in it"


@dataclass(frozen=True, slots=True)
class Refs:
    """What a shadow repository's refs and reflogs say, read as text: git is not asked in somebody else's settings."""

    branches: dict[str, str]  # name (`main`, `tags/v1`, `stash`): id; HEAD as the worktree's
    moves: tuple[tuple[str, str, str], ...]  # of HEAD: from, to, what was done


def refs(shadow: Path) -> Refs:
    """Loose refs, packed ones, HEAD and its reflog of a shadow repository; whatever cannot be read is not there."""
    found: dict[str, str] = {}
    for line in _text(shadow / "packed-refs").splitlines():
        name = line.partition(" ")[2]
        if _ID.fullmatch(line.partition(" ")[0]) and name:
            found[name] = line.partition(" ")[0]
    for path in inside(shadow / "refs", 20_000):
        if _ID.fullmatch(text := _text(path).strip()):
            found[path.relative_to(shadow).as_posix()] = text
    moves: list[tuple[str, str, str]] = []
    for head in sorted((shadow / "worktrees").glob("*/HEAD")):
        text = _text(head).strip()
        target = found.get(text.removeprefix("ref: "), "") if text.startswith("ref: ") else text
        if _ID.fullmatch(target):
            found["HEAD"] = target
        for line in _text(head.parent / "logs/HEAD").splitlines():
            who, _, what = line.partition("\t")
            ids = who.split(" ")[:2]
            if len(ids) == 2 and all(_ID.fullmatch(one) for one in ids):
                moves.append((ids[0], ids[1], what))
    short = {re.sub(r"^refs/(?:heads/)?", "", name): commit for name, commit in found.items()}
    return Refs(short, tuple(moves[-5_000:]))


def refs_tree(ground: Ground, name: str) -> str:
    """The commit that a branch of the run has, for reading its files."""
    shadow = ground.path.parent / "shadow.git"
    return refs(shadow).branches.get(name, "")


def commits(ground: Ground, said: Refs) -> list[Committed]:
    """Commits that are new in this run, on branches, detached, stashed or given up; newest first."""
    ids = {*said.branches.values(), *(to for _, to, _ in said.moves)}
    known = ground.git("rev-list", "--all", "--max-count=200000").text.split() if len(ids) > 1 else []
    fresh = sorted(ids - {ground.base, *known})
    if not fresh:
        return []
    asked = "\n".join([*fresh, f"^{ground.base}", ""]).encode()
    log = ("log", "--stdin", "--ignore-missing", "--topo-order", f"--max-count={MOST}", "--format=%H%x00%s%x00")
    listed = ground.git(*log, "--not", "--all", stdin=asked)
    fields = [field.strip("\n") for field in listed.text.split("\0")]
    pairs = list(zip(fields[::2], fields[1::2], strict=False))
    names: dict[str, list[str]] = {}
    for name, tip in said.branches.items():
        if tip in {one for one, _ in pairs}:
            for one in ground.git("rev-list", "--max-count=500", tip, "--not", "--all", f"^{ground.base}").text.split():
                names.setdefault(one, []).append(name)
    return [
        Committed(one, _printable(subject)[:200], tuple(sorted(names.get(one, ()))))
        for one, subject in pairs
        if _ID.fullmatch(one) and not _STASHED.match(subject)
    ]


def paths_of(ground: Ground, commit: str) -> tuple[str, ...]:
    """The files that one commit changed against its first parent."""
    listed = ground.git("diff-tree", "-r", "-z", "--name-only", "--no-renames", "--root", f"{commit}^!")
    return tuple(path for path in listed.text.split("\0")[:MOST] if path and not _ID.fullmatch(path))


def text_at(ground: Ground, tree: str, path: str, *, most: int = 2_000_000) -> str | None:
    """A file of a tree or commit as text; None for one that is not there, large or binary."""
    size = ground.git("cat-file", "-s", f"{tree}:{path}")
    if size.code or not size.text.strip().isdigit() or int(size.text) > most:
        return None
    raw = ground.git("cat-file", "blob", f"{tree}:{path}")
    return None if raw.code or b"\0" in raw.out[:8192] else raw.out.decode("utf-8", "replace")


def patch(ground: Ground, tree: str, paths: Sequence[str] = ()) -> bytes:
    """All of a tree against the base, such that `git apply` takes it, binary files included; only some files of it."""
    flags = ("-p", "-r", "--binary", "--full-index", "-M", "--no-ext-diff", "--no-textconv", "--no-color")
    return ground.git("diff-tree", *flags, ground.base, tree, "--", *(f":(top,literal){path}" for path in paths)).out


def _text(path: Path, most: int = 5_000_000) -> str:
    """A small text file that an agent may have put anything in the place of."""
    with contextlib.suppress(OSError, ValueError):
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(handle, "rb") as file:
            return file.read(most).decode("utf-8", "replace")
    return ""


def _printable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
