"""All evidence of a run, bounded in time and size. What cannot be read is told in it, and stops nothing."""

from __future__ import annotations

import contextlib
import os
import re
import stat
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from scoutkit.errors import ScoutError
from scoutkit.harvest import checks, dependencies, events, given_up, ground, part, tree
from scoutkit.harvest.events import Did
from scoutkit.harvest.ground import Ground
from scoutkit.harvest.shell import families
from scoutkit.model.evidence import Dependency, Evidence, GivenUp, Touched
from scoutkit.model.notes import Region

SECONDS = 60.0
PROGRESS = "tmp/progress.md"  # in the scratch folder: what every agent program may write to
_LONGEST = 100_000  # characters of progress that are kept
_PLACE = re.compile(r"([\w./-]+\.\w{1,8}):(\d{1,6})\b|\bFile \"([^\"]+)\", line (\d{1,6})")
_LISTED = re.compile(
    r"\s*(?:[-dlbcps][-rwxsStT]{9}[.+@]?\s|(?:create|delete) mode \d{6} |mode change \d{6} |(?:rename|copy) .* => "
    r"|(?:modified|new file|deleted|renamed|copied|both modified|both added|typechange): )"
)
"""Lines in which `ls`, `git commit` and `git status` name a file: that is no reason for a change."""
_BULLET = re.compile(r"^(?:[-*+]|\d+[.)])\s+")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a run's things are. `objects`: those of the user's repository; `roots`: the worktree as the agent names
    it."""

    records: Path
    folder: Path
    worktree: Path
    shadow: Path
    scratch: Path
    objects: Path
    base: str
    roots: tuple[str, ...] = ()


@dataclass(slots=True)
class _Gathering:
    """What is known so far."""

    evidence: Evidence = field(default_factory=Evidence)
    left_out: list[str] = field(default_factory=list)
    tree: str = ""
    ground: Ground | None = None

    @contextlib.contextmanager
    def trying(self, what: str) -> Iterator[None]:
        """What an agent left may break anything that reads it; then that is told, and the rest goes on."""
        try:
            yield
        except ground.OutOfTime:
            self.left_out.append(f"{what}: it took too long to look at")
        except ScoutError as error:
            self.left_out.append(f"{what}: {error.message}")
        except (OSError, ValueError, IndexError, KeyError, TypeError, RecursionError, MemoryError) as error:
            self.left_out.append(f"{what}: {type(error).__name__}: {error}"[:200])


def prepare(place: Place) -> str:
    """Before the agent starts: remember what it begins with. Why that was not possible, or ""."""
    gathering = _Gathering()
    with gathering.trying("what it begins with"):
        until = time.monotonic() + SECONDS
        ground.prepare(place.folder, place.worktree, place.shadow, place.base, objects=place.objects, until=until)
    return "".join(gathering.left_out)


def gather(
    place: Place,
    *,
    report: str = "",
    paths: Sequence[str] = (),
    asked: Sequence[str] = (),
    redact: Callable[[str], str] = str,
    seconds: float = SECONDS,
) -> tuple[Evidence, Ground | None, str]:
    """The evidence of a run; and where its code can be had, the ground and the tree.

    `report`: the agent's, where it says why; `paths`: globs of the part that the task is about; `asked`: the checks.
    Never raises for what an agent left.
    """
    found, did = _Gathering(), Did()
    until = time.monotonic() + seconds
    with found.trying("the events"):
        did = events.read(place.records, roots=place.roots)
        if did.cut:
            found.left_out.append(f"more than {events.MOST:,} commands")
        found.evidence = replace(found.evidence, ran=tuple(did.ran))
    with found.trying("the checks"):
        found.evidence = replace(found.evidence, checks=checks.read(place.records, asked))
    with found.trying("the progress file"):
        found.evidence = replace(found.evidence, progress=_progress(place.scratch))
    if not place.worktree.is_dir():
        found.left_out.append("its worktree is not there")
    else:
        with found.trying("the worktree"):
            opened = ground.opened
            found.ground = opened(
                place.folder, place.worktree, place.shadow, place.base, objects=place.objects, until=until
            )
            _worktree(found, found.ground, place, did)
    lines = [*found.evidence.progress.splitlines(), *report.splitlines(), *did.words]
    touched = tuple(_explained(one, did, lines) for one in found.evidence.touched)
    outside = [one.path for one in touched if paths and not any(part.within(one.path, glob) for glob in paths)]
    dead = tuple(given_up.commands(did.ran))
    with found.trying("what failed"):
        dead = tuple(_pointed(found.ground, one, did, touched, place.roots) for one in dead)
    evidence = replace(
        found.evidence,
        touched=touched,
        outside=tuple(outside),
        given_up=(*found.evidence.given_up, *dead),
        left_out=tuple(found.left_out),
    )
    blotted = _blotted(evidence, redact)
    assert isinstance(blotted, Evidence)
    return blotted, found.ground if found.tree else None, found.tree


def _worktree(found: _Gathering, here: Ground, place: Place, did: Did) -> None:
    found.tree, seen = ground.written(here)
    found.left_out += seen.troubles
    found.left_out += [f"{path}: {size:,} bytes, too large to compare" for path, size in seen.large]
    found.left_out += [f"{path}/: {count:,} untracked files, not compared" for path, count in seen.made]
    touched = list[Touched]()
    with found.trying("the files"):
        touched += tree.touched(here, found.tree) if found.tree else []
        if len(touched) > tree.MOST:
            found.left_out.append(f"{len(touched) - tree.MOST:,} more files that differ, most of them new")
            touched = touched[: tree.MOST]
        known = {one.path for one in touched}
        touched += [Touched(path, "added", None, None) for path, _ in seen.large if path not in known]
    with found.trying("nested repositories"):
        inner = {one.path: one for one in tree.nested(here, seen)}
        touched = [one for one in touched if one.path not in inner] + list(inner.values())
    found.evidence = replace(found.evidence, touched=tuple(touched))
    with found.trying("the commits"):
        said = tree.refs(place.shadow)
        made = tree.commits(here, said)
        tips = {one.id for one in made if one.branches}
        branches = [(name, tip) for name, tip in said.branches.items() if tip in tips and name != "HEAD"]
        touched += tree.elsewhere(here, branches, touched)
        found.evidence = replace(found.evidence, commits=tuple(made), touched=tuple(touched))
        changed = {one.id: tree.paths_of(here, one.id) for one in made[:100]}
        kept = {one.path for one in touched} | {one.was for one in touched}
        taken = given_up.commits(made, said.moves, changed, kept)
        found.evidence = replace(found.evidence, given_up=tuple(taken))
    with found.trying("edits that were taken back"):
        taken = given_up.edits(did, touched, lambda path: tree.text_at(here, here.base, path))
        told = {region.path for one in found.evidence.given_up for region in one.regions}
        taken = [one for one in taken if one.what not in told]
        found.evidence = replace(found.evidence, given_up=(*taken, *found.evidence.given_up))
    with found.trying("the dependencies"):
        found.evidence = replace(found.evidence, dependencies=tuple(_dependencies(found, here, touched)))


def _dependencies(found: _Gathering, here: Ground, touched: Sequence[Touched]) -> Iterator[Dependency]:
    for one in touched:
        if dependencies.manifest(one.path) and one.how not in ("submodule", "repository"):
            after = tree.refs_tree(here, one.where) if one.where else found.tree
            old = tree.text_at(here, here.base, one.was or one.path)
            new = tree.text_at(here, after or found.tree, one.path)
            try:
                yield from dependencies.compared(one.path, old, new)
            except ValueError as error:
                found.left_out.append(f"{one.path}: it cannot be read: {error}"[:200])


def _explained(one: Touched, did: Did, lines: Sequence[str]) -> Touched:
    """With how often it was edited, and why in a line of the agent's own."""
    edits = [edit for edit in did.edits if edit.path in (one.path, one.was)]
    name = one.path.rpartition("/")[2]
    said = next((line for line in lines if one.path in line and _tells(line, one.path)), "")
    said = said or next((line for line in lines if f"`{name}`" in line and _tells(line, name)), "")
    said = said or next((edit.said for edit in reversed(edits) if edit.said), "")
    why = _BULLET.sub("", " ".join(said.split()))[:200] if said else one.why
    return replace(one, edits=len(edits), why=why)


def _tells(line: str, path: str) -> bool:
    """Does a line say more than the path?"""
    rest = line.replace(path, "").strip("`*-# \t.:")
    return (
        sum(map(str.isalpha, rest)) >= 8
        and not _LISTED.match(line)
        and not line.lstrip().startswith(("#", "|", ">", "diff ", "+", "@@"))
    )


def _pointed(here: Ground | None, one: GivenUp, did: Did, touched: Sequence[Touched], roots: Sequence[str]) -> GivenUp:
    """With the lines of the base that its output names, in files that the agent left as they were."""
    if here is None:
        return one
    changed = {each.path for each in touched}
    regions: dict[Region, None] = {}
    for ran in did.ran:
        if ran.ok is False and any(family == one.what for family, _ in families(ran.command, ok=False)):
            for match in _PLACE.finditer("\n".join(ran.telling)):
                path = events.relative(match[1] or match[3], roots)
                line = int(match[2] or match[4])
                if path in changed or path.startswith(("/", "..")) or len(regions) > 2:
                    continue
                text = tree.text_at(here, here.base, path)
                if text is not None and 0 < line <= text.count("\n") + 1:
                    regions[Region(path, line, line)] = None
    return replace(one, regions=tuple(regions))


def _progress(scratch: Path) -> str:
    """The file that the agent was asked to keep; "" for one that is no plain file of its own."""
    path = scratch / PROGRESS
    try:
        if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(scratch)):
            return ""
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return ""
            return file.read(4 * _LONGEST).decode("utf-8", "replace")[-_LONGEST:]
    except FileNotFoundError:
        return ""


def _blotted(value: object, redact: Callable[[str], str]) -> object:
    """The same with every text in it redacted and printable."""
    from dataclasses import fields, is_dataclass

    if isinstance(value, str):
        return redact(value).encode("utf-8", "replace").decode()
    if isinstance(value, Region):
        return value._replace(path=str(_blotted(value.path, redact)))
    if isinstance(value, tuple):
        return tuple(_blotted(one, redact) for one in value)
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{one.name: _blotted(getattr(value, one.name), redact) for one in fields(value)})
    return value


def code(here: Ground, made: str, touched: Sequence[Touched], *, most: int) -> tuple[bytes, tuple[str, ...]]:
    """The worktree's changes as a patch of at most so many bytes, and the files that are not in it."""
    try:
        whole = tree.patch(here, made)
        if len(whole) <= most:
            return whole, ()
        kept, over = b"", list[str]()
        for one in touched:
            piece = b"" if one.where else tree.patch(here, made, [path for path in (one.path, one.was) if path])
            kept, over = (kept + piece, over) if len(kept) + len(piece) <= most else (kept, [*over, one.path])
        return kept, tuple(over)
    except (ground.OutOfTime, OSError, ScoutError):
        return b"", ()
