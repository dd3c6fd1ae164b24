"""Fitting scoutkit into a repository's files, and taking it out again. Reads and checks everything before it writes.

Undoing goes by the marks in the files; what it needs the record for is folders that were made.
"""

from __future__ import annotations

import contextlib
import difflib
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from scoutkit import git
from scoutkit.desk import Desk
from scoutkit.errors import Refused, ScoutError
from scoutkit.fitting import parts
from scoutkit.fitting.block import Block
from scoutkit.fitting.parts import Part
from scoutkit.knowledge import durable
from scoutkit.stories.placing import File, Record, Tree, may_make_in, missing, removed, replace

FLAGS = parts.FLAGS
_NOTES = "notes"


@dataclass(frozen=True, slots=True)
class Change:
    """What became of one file, or will. `action`: made, added (to a file), updated, there, left, removed (from a file)
    or deleted. `why` is for people."""

    part: str
    path: str
    action: str
    why: str = ""
    diff: str = ""


def fit(desk: Desk, flags: Sequence[str], *, dry_run: bool = False) -> list[Change]:
    """Put in what the flags name, and make the notes folder. Refused, and nothing written, where one cannot take it."""
    with _alone(desk, dry_run=dry_run):
        tree = Tree(desk)
        changes = [_folder(desk)]
        for part in parts.every(desk.settings.notes, _unignoring(desk) if "gitignore" in flags else ""):
            if part.flag in flags and (why := _unfitting(desk, tree, part)) is None:
                changes.append(_fitted(tree, part))
            elif part.flag in flags and why:
                changes.append(Change(part.flag, part.place, "there", why))
        changed = tree.changed()
        if not dry_run:
            _write(desk, changed, changes)
        return changes


def plan(desk: Desk) -> list[Change]:
    """What each flag would do, and which cannot."""
    found = []
    for flag in FLAGS:
        try:
            found += [change for change in fit(desk, [flag], dry_run=True) if change.part == flag]
        except ScoutError as error:
            found.append(Change(flag, "", "left", f"{error.message} ({error.hint})"))
    return found


def ignored(desk: Desk, paths: Sequence[str]) -> list[str]:
    """Which of these git ignores."""
    places = [path for path in paths if path != parts.GIT_HOOK]
    said = git.git(desk.where, "check-ignore", "-z", "--stdin", stdin="\0".join(places).encode())
    return [path for path in places if path in said.text.split("\0")]


def undo(desk: Desk, flags: Sequence[str] = (), *, dry_run: bool = False) -> list[Change]:
    """Take out what is still as it was written; what somebody changed stays, and is said. No flags: all of it."""
    with _alone(desk, dry_run=dry_run):
        tree = Tree(desk)
        changes = []
        for part in parts.every(desk.settings.notes):
            if part.flag in (flags or FLAGS) and tree.reaches(part.place):
                changes += _taken_out(tree, part, Record.of(desk))
        if not flags and _emptied(desk):
            changes.append(Change(_NOTES, desk.settings.notes, "deleted"))
        if not dry_run:
            _take_out(desk, tree, whole=not flags)
        return changes


def _taken_out(tree: Tree, part: Part, record: Record) -> list[Change]:
    try:
        file = tree.file(part.place)
        if file.now is None or _is_told_of(part, file):
            return []
        fitted = part.piece.unfit(file.now)
    except Refused as error:
        return [Change(part.flag, part.place, "left", error.message)] if tree.mentions_us(part.place) else []
    if fitted.action == "there":
        return []
    found_there = record.files.get(str(file.path)) is False
    file.now = fitted.rest if fitted.raw is None and found_there else fitted.raw
    action = "deleted" if file.now is None else fitted.action
    return [Change(part.flag, part.place, action, fitted.why, _diff(file))]


def _is_told_of(part: Part, file: File) -> bool:
    """Is it a link to another one of these files, which is looked at by its own name?"""
    return file.shown != part.place and file.shown in {"AGENTS.md", "CLAUDE.md"}


def _fitted(tree: Tree, part: Part) -> Change:
    file = tree.file(part.place, part.mode)
    fitted = part.piece.fit(file.now)
    action = "made" if file.now is None else fitted.action
    file.now = fitted.raw
    return Change(part.flag, part.place, action, fitted.why, _diff(file))


def _unfitting(desk: Desk, tree: Tree, part: Part) -> str | None:
    """Why a part does not apply here; blank where nobody need know, None where it does."""
    if part.place == "CLAUDE.md":
        file = tree.file(part.place)
        if file.before is None or file.shown != "CLAUDE.md":
            return "" if file.before is None else f"it is {file.shown}"
        return "it imports AGENTS.md" if parts.imports(file.before.decode("utf-8", "replace"), "AGENTS.md") else None
    if part.flag == "pre_commit":
        configured = (tree.root / parts.PRE_COMMIT).is_file()
        return None if configured == (part.place == parts.PRE_COMMIT) else ""
    if isinstance(part.piece, Block) and not part.piece.lines:
        return f"git does not ignore {desk.settings.notes}"
    return None


def _unignoring(desk: Desk) -> str:
    """Lines for .gitignore that the notes folder needs; none where git does not ignore it."""
    if not desk.notes_ignored():
        return ""
    folders = [str(path) for path in reversed(Path(desk.settings.notes).parents) if path != Path()]
    folders.append(desk.settings.notes)
    found = git.git(desk.places.root, "check-ignore", "--no-index", *(f"{folder}/" for folder in folders)).text
    ignored = {line.strip('"').rstrip("/") for line in found.splitlines()}
    return parts.unignoring([(folder, folder in ignored) for folder in folders])


def _folder(desk: Desk) -> Change:
    there = desk.places.notes.is_dir()
    may_make_in(desk.places.notes, desk.settings.notes)
    return Change(_NOTES, desk.settings.notes, "there" if there else "made")


def _write(desk: Desk, changed: Sequence[File], changes: Sequence[Change]) -> None:
    record = Record.of(desk)
    updated = {change.path for change in changes if change.action == "updated"}
    new = [
        str(one) for folder in (*(file.path.parent for file in changed), desk.places.notes) for one in missing(folder)
    ]
    record.folders += [folder for folder in dict.fromkeys(new) if folder not in record.folders]
    for file in changed:
        if file.shown not in updated:  # what is updated was written here before, or in another clone
            record.files[str(file.path)] = file.before is None
    record.write()  # before anything is made: a run that is cut short is undone, too
    desk.places.notes.mkdir(parents=True, exist_ok=True)
    for file in changed:
        replace(file)


def _emptied(desk: Desk) -> bool:
    """Is the notes folder one that we made, with nothing in it?"""
    notes = desk.places.notes
    return str(notes) in Record.of(desk).folders and notes.is_dir() and not any(notes.iterdir())


def _take_out(desk: Desk, tree: Tree, *, whole: bool) -> None:
    record = Record.of(desk)
    made = set(record.folders)
    emptied = {desk.places.notes: made} if whole else {}
    for file in tree.changed():
        replace(file)
        recorded = record.files.pop(str(file.path), None)
        if file.now is None:
            folder = file.path.parent
            known = made if recorded or file.shown == parts.GIT_HOOK else {str(one) for one in _within(folder, tree)}
            emptied[folder] = emptied.get(folder, set()) | known
    for folder in sorted(emptied, key=lambda one: -len(one.parts)):
        for one in (folder, *folder.parents):
            if str(one) not in emptied[folder] or not removed(one):
                break
            record.folders = [kept for kept in record.folders if kept != str(one)]
    record.write()


def _within(folder: Path, tree: Tree) -> list[Path]:
    """The folder and those around it, up to the root of the worktree: what may go where there is no record."""
    root = Path(os.path.realpath(tree.root))
    return [one for one in (folder, *folder.parents) if one.is_relative_to(root) and one != root]


def _diff(file: File) -> str:
    if file.now == file.before:
        return ""
    before, now = (_lines(raw) for raw in (file.before, file.now))
    old = "/dev/null" if file.before is None else f"a/{file.shown}"
    new = "/dev/null" if file.now is None else f"b/{file.shown}"
    lines = difflib.unified_diff(before, now, old, new)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _lines(raw: bytes | None) -> list[str]:
    return re.findall(r"[^\n]*\n|[^\n]+", (raw or b"").decode("utf-8", "backslashreplace"))


@contextlib.contextmanager
def _alone(desk: Desk, *, dry_run: bool) -> Iterator[None]:
    """Two that write wait for each other. Who only looks needs no folder to write a lock into."""
    with contextlib.nullcontext() if dry_run else durable.locked(desk.places.state / "init.lock"):
        yield
