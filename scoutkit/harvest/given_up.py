"""Directions tried and left: edits that were taken back, commits that were given up, commands that never passed."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from scoutkit.harvest.events import Did, Edit
from scoutkit.harvest.shell import families, restored
from scoutkit.model.evidence import Committed, GivenUp, Ran, Touched
from scoutkit.model.notes import Region

MOST = 50
_REVERT = re.compile(r'Revert "(.+)"')

Text = Callable[[str], str | None]  # a file of the base commit


def commands(ran: Sequence[Ran]) -> list[GivenUp]:
    """Families of commands, program and subcommand, of which not one run passed; most tried first."""
    tried: dict[str, list[Ran]] = {}
    passed: set[str] = set()
    for one in ran:
        for family, ok in families(one.command, ok=one.ok):
            if ok:
                passed.add(family)
            else:
                tried.setdefault(family, []).append(one)
    never = [(family, runs) for family, runs in tried.items() if family not in passed]
    found = [
        GivenUp("command", family, next((run.telling[0] for run in reversed(runs) if run.telling), ""), len(runs))
        for family, runs in never
    ]
    return sorted(found, key=lambda one: -one.tries)[:MOST]


def edits(did: Did, touched: Sequence[Touched], base: Text) -> list[GivenUp]:
    """Edits that a later one or git took back, or whose file is in the end as it was at the base."""
    changed = {one.path for one in touched} | {one.was for one in touched}
    by_path: dict[str, list[Edit]] = {}
    for edit in did.edits:
        by_path.setdefault(edit.path, []).append(edit)
    found = []
    for path, every in by_path.items():
        if path.startswith(("/", "../")):
            continue
        text = base(path)
        undone = [
            edit
            for number, edit in enumerate(every)
            if edit.old and edit.new is not None and any(_undoes(later, edit) for later in every[number + 1 :])
        ]
        if path not in changed:
            how = "is as it was at the base" if text is not None else "is not there any more"
            found.append(GivenUp("edit", path, _said(every) or f"it {how}", len(every), _where(path, text, every)))
        elif undone:
            why = _said(every[every.index(undone[0]) + 1 :]) or "a later edit put back what it had replaced"
            found.append(GivenUp("edit", path, why, len(undone), _where(path, text, undone)))
    back = dict.fromkeys(path for ran in did.ran if ran.ok for path in restored(ran.command))
    found += [
        GivenUp("edit", path, "the agent had git put it back", 1, _where(path, text, ()))
        for path in [path for path in back if path not in by_path and path not in changed][:MOST]
        if not path.startswith(("/", "../")) and (text := base(path)) is not None
    ]
    return found[:MOST]


def commits(
    made: Sequence[Committed], moves: Sequence[tuple[str, str, str]], paths: Mapping[str, Sequence[str]], kept: set[str]
) -> list[GivenUp]:
    """Commits that a later one reverts, or that no branch has any more; files that one commit changed and another put
    back. `kept`: files that differ from the base in the end, or on some branch."""
    found: dict[str, GivenUp] = {}
    by_subject = {one.subject: one for one in made}
    for one in made:
        if match := _REVERT.match(one.subject):
            undone = by_subject.get(match[1])
            name = f"{undone.id[:10]} {match[1]}" if undone else match[1]
            found[name] = GivenUp("commit", name, f"reverted by {one.id[:10]}", regions=_whole(paths, undone))
    for one in made:
        if not one.branches:
            name = f"{one.id[:10]} {one.subject}"
            how = next((what for old, _, what in reversed(moves) if old == one.id), "")
            amended = any(what.startswith("commit (amend)") and old == one.id for old, _, what in moves)
            if not amended and name not in found and not how.startswith("rebase"):
                why = f"left behind: {how}" if how else "no branch has it any more"
                found[name] = GivenUp("commit", name, why, regions=_whole(paths, one))
    told = {region.path for one in found.values() for region in one.regions}
    back: dict[str, int] = {}
    for one in made:
        for path in paths.get(one.id, ()) if one.branches else ():
            back[path] = back.get(path, 0) + 1
    for path, times in back.items():
        if path not in kept and path not in told:
            why = "changed by one commit and put back by another"
            found[path] = GivenUp("edit", path, why, times, (Region(path, 0, 0),))
    return list(found.values())[:MOST]


def _whole(paths: Mapping[str, Sequence[str]], commit: Committed | None) -> tuple[Region, ...]:
    return tuple(Region(path, 0, 0) for path in paths.get(commit.id, ())[:5]) if commit else ()


def _undoes(later: Edit, edit: Edit) -> bool:
    if later.old is None or later.new is None:
        return False
    return later.old.strip() == (edit.new or "").strip() and later.new.strip() == (edit.old or "").strip()


def _said(edits: Sequence[Edit]) -> str:
    """What the agent said last of them, in one line."""
    return next((" ".join(edit.said.split())[:200] for edit in reversed(edits) if edit.said), "")


def _where(path: str, text: str | None, edits: Sequence[Edit]) -> tuple[Region, ...]:
    """Where in the base what they replaced stands; the whole file where that cannot be told."""
    if text is None:
        return ()
    found: dict[Region, None] = {}
    for edit in edits:
        at = text.find(edit.old) if edit.old and edit.old.strip() else -1
        if at >= 0 and edit.old:
            start = text.count("\n", 0, at) + 1
            found[Region(path, start, start + edit.old.rstrip("\n").count("\n"))] = None
    return tuple(found)[:3] or (Region(path, 0, 0),)
