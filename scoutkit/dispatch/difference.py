"""How two fingerprints of a repository differ, one thing at a time. Compares values; looks at nothing.

A branch that was packed, an index whose times were refreshed and a reflog that grew are no differences: nothing that
a person has is another.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import PurePosixPath

from scoutkit.model.fingerprints import Checkout, Difference, Entry, Fingerprint, Seen

STASH = "refs/stash"
_STASHED = f"logs/{STASH}"
LOGS = "logs/"
_TOO_LARGE = "its content was not kept: it is large, or there was too much in all"


def differences(before: Fingerprint, after: Fingerprint, kept: Collection[str] = ()) -> tuple[Difference, ...]:
    """What is not as it was, in the order in which it has to be restored. `kept`: contents that there are copies of."""
    found = [
        *_own(before, after, kept),
        *_outside(before, after, kept),
        *_refs(before, after),
        *_stash(before, after, kept),
        *_objects(before, after),
    ]
    for root in before.checkouts.keys() & after.checkouts.keys():
        found += _checkout(root, before.at, before.checkouts[root], after.checkouts[root], kept)
    files = {f"{one.root}/{one.where}" for one in found if one.what == "file"}
    return tuple(one for one in found if one.root or one.where not in files)


def same(one: Seen | None, other: Seen | None) -> bool:
    """The same content, kind and permissions, as far as both were looked at."""
    if one is None or other is None:
        return one is other
    if (one.kind, one.mode) != (other.kind, other.mode):
        return False
    return same_content(one, other)


def same_content(one: Seen, other: Seen) -> bool:
    """The same bytes; where they were not read, the same size and time."""
    if one.kind == "folder":
        return True
    if one.digest and other.digest:
        return one.digest == other.digest
    return (one.size, one.stamp[1]) == (other.size, other.stamp[1])


def _own(before: Fingerprint, after: Fingerprint, kept: Collection[str]) -> Iterator[Difference]:
    for name in sorted(before.own.keys() | after.own.keys()):
        old, new = before.own.get(name), after.own.get(name)
        if name == _STASHED or same(old, new):
            continue
        what = _what(name)
        if what == "reflog" and (old is None or (new is not None and new.size >= old.size)):
            continue  # it grew, as it does
        if what == "worktree" and name.endswith(("/index", "/ORIG_HEAD")) and new is not None:
            continue  # whoever works there changes it
        yield Difference(what, name, _size(old), _size(new), why_not=_copied(old, new, kept), before=old, after=new)


def _what(name: str) -> str:
    parts = PurePosixPath(name).parts
    within = parts[2:] if parts[0] == "worktrees" else parts
    match within[0] if within else "":
        case "HEAD":
            return "HEAD"
        case "config" | "config.worktree":
            return "config"
        case "hooks":
            return "hook"
        case "logs":
            return "reflog"
    return "worktree" if parts[0] == "worktrees" else "git file"


def _outside(before: Fingerprint, after: Fingerprint, kept: Collection[str]) -> Iterator[Difference]:
    for path in sorted(before.outside.keys() | after.outside.keys()):
        old, new = before.outside.get(path), after.outside.get(path)
        if not same(old, new):
            what = "config" if path.endswith(("config", "/ignore", "/attributes")) else "hook"
            why = _copied(old, new, kept)
            yield Difference(what, path, _size(old), _size(new), why_not=why, before=old, after=new)


def _refs(before: Fingerprint, after: Fingerprint) -> Iterator[Difference]:
    """Those that are new first: `a/b` may stand where `a` was."""
    names = before.refs.keys() | after.refs.keys()
    for name in sorted(names, key=lambda name: (name in before.refs, name)):
        old, new = before.refs.get(name, ""), after.refs.get(name, "")
        if old != new and name != STASH:
            yield Difference("ref", name, _short(old), _short(new), old=old, new=new)


def _stash(before: Fingerprint, after: Fingerprint, kept: Collection[str]) -> Iterator[Difference]:
    old, new = before.refs.get(STASH, ""), after.refs.get(STASH, "")
    log, left = before.own.get(_STASHED), after.own.get(_STASHED)
    if old != new or (old and not same(log, left)):
        why = _copied(log, left, kept) if old else ""
        if old and log is None:
            why = "its list is not in a file"
        yield Difference("stash", STASH, _stashed(old), _stashed(new), "", why, log, left, old, new)


def _stashed(value: str) -> str:
    return f"newest {value[:10]}" if value else "empty"


def _objects(before: Fingerprint, after: Fingerprint) -> Iterator[Difference]:
    """More objects are no difference: whoever commits or fetches leaves some."""
    if set(before.packs) - set(after.packs) or after.loose < before.loose:
        old, new = (f"{len(one.packs)} packs, {one.loose} loose" for one in (before, after))
        why = "what branches, tags and stashes reach is still there; what nothing reached may be gone"
        yield Difference("objects", "objects", old, new, why_not=why)


def _checkout(root: str, since: int, before: Checkout, after: Checkout, kept: Collection[str]) -> Iterator[Difference]:
    if before.index != after.index and (before.head, before.staged) != (after.head, after.staged):
        why = "" if before.index in kept or not before.index else _TOO_LARGE
        was, now = (f"{one.staged.split(' ')[0]} staged on {one.head[:10] or 'no commit'}" for one in (before, after))
        yield Difference("index", "index", was, now, root, why, old=before.index, new=after.index)
    paths = before.entries.keys() | after.entries.keys()
    for path in sorted(paths, key=lambda path: (after.entries.get(path, _NONE).seen is None, path)):
        old, new = before.entries.get(path), after.entries.get(path)
        if old is not None:
            yield from _changed(root, path, old.seen, new.seen if new else None, kept)
        elif new is not None:
            yield from _appeared(root, path, since, before, after, new)


_NONE = Entry("", None)


def _changed(root: str, path: str, old: Seen | None, new: Seen | None, kept: Collection[str]) -> Iterator[Difference]:
    """A file that was untracked, ignored or changed already."""
    if not same(old, new):
        yield Difference("file", path, _size(old), _size(new), root, _copied(old, new, kept), old, new)


def _appeared(root: str, path: str, since: int, before: Checkout, after: Checkout, new: Entry) -> Iterator[Difference]:
    """A file that was as its commit has it, or was not there."""
    if before.head == after.head and new.seen and (not new.blob or "?" in new.status) and new.seen.stamp[2] < since:
        return  # it was there, and git did not list it
    if not new.blob and new.seen is None:
        return
    why = "" if new.mode.startswith(("100", "120")) or not new.mode else "a submodule is a repository of its own"
    if not new.blob and new.seen and new.seen.kind not in ("file", "link"):
        why = "a folder that is a repository of its own, or that git ignores"
    was = f"as in {before.head[:10]}" if new.blob else "not there"
    yield Difference("file", path, was, _size(new.seen), root, why, None, new.seen, blob=new.blob, mode=new.mode)


def _copied(old: Seen | None, new: Seen | None, kept: Collection[str]) -> str:
    """Why the old content cannot be had, if it cannot and is needed."""
    if old is None or old.digest in kept or (new and old.kind == new.kind == "file" and same_content(old, new)):
        return ""
    return "what is in it was not looked at" if old.kind not in ("file", "link") else _TOO_LARGE


def _size(seen: Seen | None) -> str:
    if seen is None:
        return "not there"
    if seen.kind != "file":
        return seen.kind
    size = f"{seen.size:,} bytes" if seen.size != 1 else "1 byte"
    return f"{size}, {seen.mode & 0o777:o}"


def _short(value: str) -> str:
    return value[:10] if value and not value.startswith("ref: ") else value or "not there"
