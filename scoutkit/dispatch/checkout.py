"""The files of a checkout that are not simply what its commit has, as git tells of them and as they are. Only looks.

New files in the notes folder do not count, nor what is inside ignored folders and submodules.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from scoutkit import git
from scoutkit.config import Places
from scoutkit.dispatch.seen import Reader, digest_of
from scoutkit.model.fingerprints import Checkout, Entry
from scoutkit.model.places import Repository

MOST = 50_000  # files of a checkout that are looked at
STATUS = (
    *("status", "--porcelain=v2", "-z", "--branch", "--no-ahead-behind", "--no-renames"),
    *("--untracked-files=all", "--ignored=matching", "--ignore-submodules=dirty"),
)
_EMPTY = {  # the tree without files
    "sha1": "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "sha256": "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}


@dataclass(frozen=True)
class Top:
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


def look(one: Top, listed: str) -> Checkout:
    """What there is in one of which `git status` says `listed`."""
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


def _notes(one: Top) -> str:
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


def _moved(one: Top, old: str, new: str) -> Mapping[str, tuple[str, str]]:
    """Files that differ between two commits, with blob and mode in the older one; "" where it has none."""
    empty = _EMPTY[one.repository.object_format]
    done = git.git(one.top, "diff-tree", "-r", "-z", "--no-renames", old or empty, new or empty)
    fields = done.text.split("\0")
    found = {}
    for meta, path in zip(fields[0::2], fields[1::2], strict=False):
        mode, _, blob, _, _ = meta.removeprefix(":").split(" ")
        found[path] = ("", "") if mode == "000000" else (blob, mode)
    return found


def _index(one: Top) -> str:
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
