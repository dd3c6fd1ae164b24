"""Whether a run left the user's repository alone: a look before it, a look after it, and what to say of the two.

A difference need not be the run's doing: the user may be working. What isolation keeps away cannot be.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from scoutkit import git
from scoutkit.config import Places
from scoutkit.dispatch import copies, fingerprint
from scoutkit.dispatch.difference import differences, same_content
from scoutkit.dispatch.seen import digest_of
from scoutkit.model.fingerprints import Difference, Fingerprint
from scoutkit.model.places import Repository

SHOWN = 12  # differences that are told; `run undo --dry-run` tells all
HEADING = "Changed while it ran"
_WHOLE = ("bwrap", "docker", "podman")  # isolations in which nothing of the user's can be changed


def before(repository: Repository, places: Places, records: Path, isolation: str) -> None:
    """Look, and keep what restoring would take, where the run might change anything."""
    loose = isolation == "none"
    with copies.Copies(records) as kept:
        seen = fingerprint.take(repository, places, read=loose, keep=kept.add if loose else None, at=kept.began)
        copies.save(records, seen, kept.seal())


def after(repository: Repository, places: Places, records: Path, isolation: str) -> tuple[Difference, ...]:
    """What is not as it was before. May be called again: the first time counts. Nothing where nobody looked before."""
    if told := copies.changed(records):
        return told[0]
    try:
        looked = copies.load(records)
    except ValueError:
        damaged = Difference("not looked at", "any of it", "", "", why_not="what it was like before is damaged")
        return copies.settle(records, [damaged], {})
    if looked is None:
        return ()
    earlier, kept = looked
    now = fingerprint.take(repository, places, read=isolation == "none", earlier=earlier)
    found = [finer for one in differences(earlier, now, kept) if (finer := _finer(repository, records, kept, now, one))]
    for line in now.unseen if isolation == "none" else ():
        why = "git cannot read it: see git status"
        found.append(Difference("not looked at", line, "", "", why_not=why))
    return copies.settle(records, found, kept)


def suspected(found: Sequence[Difference], isolation: str) -> list[Difference]:
    """Those that the run may have caused. Landlock has no right that says who may change a mode, nor, before Linux
    6.2, who may empty a file."""
    if isolation in _WHOLE:
        return []
    if isolation == "landlock":
        return [one for one in found if _mode_alone(one) or _emptied(one)]
    return list(found)


def said(found: Sequence[Difference], isolation: str, run_id: str) -> list[str]:
    """Lines for a person: loud where the run may have done it, one where it cannot."""
    if not found:
        return []
    loud = suspected(found, isolation)
    rest = len(found) - len(loud)
    lines = []
    if loud:
        lines.append("CHANGED WHILE THE AGENT WORKED, by it or by you:")
        lines += [f"  {told(one)}" for one in loud[:SHOWN]]
        if len(loud) > SHOWN:
            lines.append(f"  and {len(loud) - SHOWN} more")
        lines.append(f"what can be restored: scoutkit run undo {run_id} --dry-run")
    if rest:
        lines.append(f"changed meanwhile, not by the agent, which was isolated ({isolation}): {_counted(found, loud)}")
    return lines


def section(found: Sequence[Difference], isolation: str, run_id: str) -> str:
    """The same for the note, without values: a note is read by others. "" where the run cannot have done it."""
    loud = suspected(found, isolation)
    if not loud:
        return ""
    lines = [f"- {one.what}: {_code(one.where)}" for one in loud[:SHOWN]]
    if len(loud) > SHOWN:
        lines.append(f"- and {len(loud) - SHOWN} more")
    return (
        f"## {HEADING}\n\nThis in the repository is not as it was before the agent worked. It need not be its "
        f"doing. `scoutkit run undo {run_id} --dry-run` says what can be restored.\n\n" + "\n".join(lines) + "\n"
    )


def told(one: Difference) -> str:
    """One difference on one line."""
    change = f": {one.was} → {one.now}" if one.was or one.now else ""
    return f"{one.what} {shown(one.where)}{change}" + (f"  (not restorable: {one.why_not})" if one.why_not else "")


def shown(name: str) -> str:
    """A name on one line, whatever bytes are in it."""
    return name if name.isprintable() else repr(name)[1:-1]


def _code(name: str) -> str:
    name = shown(name)
    return name if "`" in name else f"`{name}`"


def _counted(found: Sequence[Difference], loud: Sequence[Difference]) -> str:
    counts: dict[str, int] = {}
    for one in found:
        if one not in loud:
            counts[one.what] = counts.get(one.what, 0) + 1
    return ", ".join(f"{count} {what}" for what, count in counts.items())


def _mode_alone(one: Difference) -> bool:
    old, new = one.before, one.after
    if new and one.blob:
        return bool(new.mode & 0o100) != (one.mode == "100755")
    return bool(old and new and old.kind == new.kind and old.mode != new.mode and same_content(old, new))


def _emptied(one: Difference) -> bool:
    return bool(one.after and one.after.kind == "file" and not one.after.size and (one.before or one.blob))


def _finer(
    repository: Repository,
    records: Path,
    kept: Mapping[str, tuple[int, int]],
    now: Fingerprint,
    one: Difference,
) -> Difference | None:
    """A difference with what it says in words; None where a closer look finds none."""
    try:
        return _closer(repository, records, kept, now, one)
    except OSError:
        return one  # a copy is damaged


def _closer(
    repository: Repository,
    records: Path,
    kept: Mapping[str, tuple[int, int]],
    now: Fingerprint,
    one: Difference,
) -> Difference | None:
    if one.what == "index" and (one.old in kept or not one.old):
        git_dir, new = now.checkouts[one.root].git_dir, listing(repository, now.checkouts[one.root].git_dir)
        old = digest_of(b"")
        if one.old:
            old = listing(repository, git_dir, records, copies.content(records, kept[one.old]))
        return None if old == new else replace(one, new=new)
    if one.what in ("HEAD", "config") and one.before and one.before.digest in kept:
        old_text = copies.content(records, kept[one.before.digest])
        path = Path(one.where) if one.where.startswith("/") else repository.common_dir / one.where
        try:
            new_text = path.read_bytes()
        except OSError:
            return one
        if one.what == "HEAD":
            return replace(one, was=_line(old_text), now=_line(new_text))
        keys = _keys(repository, old_text), _keys(repository, new_text)
        other = sorted({key.split("\n")[0] for key in keys[0] ^ keys[1]})
        return replace(one, now=f"{one.now}; {', '.join(other[:6])}" if other else one.now)
    return one


def listing(repository: Repository, git_dir: str, folder: Path | None = None, content: bytes | None = None) -> str:
    """What an index holds, as one word; that of `git_dir` unless another's content is given, with a folder for it."""
    env = {}
    if folder and content is not None:
        path = folder / "index"
        path.write_bytes(content)
        env = {"GIT_INDEX_FILE": str(path)}
    done = git.git(repository.common_dir, f"--git-dir={git_dir}", "ls-files", "--stage", "-z", env=env)
    if folder:
        (folder / "index").unlink(missing_ok=True)
    return digest_of(done.out) if done.code == 0 else ""


def _keys(repository: Repository, text: bytes) -> set[str]:
    done = git.git(repository.common_dir, "config", "--file", "-", "--list", "-z", stdin=text)
    return set(done.text.split("\0"))


def _line(text: bytes) -> str:
    return shown(text.decode("utf-8", "replace").strip())[:120]
