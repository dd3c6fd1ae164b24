"""What `doctor` looks at, one function a thing."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from dataclasses import dataclass
from pathlib import Path

import click

from scoutkit import config, git
from scoutkit.commands import say
from scoutkit.desk import Desk
from scoutkit.errors import ScoutError


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at. A check that is not required is advice."""

    name: str
    ok: bool
    message: str
    hint: str = ""
    required: bool = False


def examine(ctx: click.Context) -> list[Check]:
    """Every check that can be made here; those about a repository only inside one."""
    checks = [_git(), _sqlite(), *map(_folder, (config.user_state(), config.user_cache()))]
    from scoutkit.commands.session import open_desk

    try:
        desk = open_desk(ctx, sync=False)
    except ScoutError as error:
        return [*checks, Check("repository", ok=False, message=error.message, hint=error.hint, required=True)]
    return [*checks, *_repository(desk), *_notes(desk), *_agents(desk), *_leftovers(desk)]


def _git() -> Check:
    try:
        found = git.output(Path("/"), "version").split()[2]
    except ScoutError as error:
        return Check("git", ok=False, message=error.message, hint=error.hint, required=True)
    enough = tuple(int(part) for part in found.split(".")[:2] if part.isdigit()) >= (2, 31)
    return Check("git", ok=enough, message=found, hint="install git 2.31 or newer", required=True)


def _sqlite() -> Check:
    version = sqlite3.sqlite_version
    try:
        with sqlite3.connect(":memory:") as db:
            db.execute("create virtual table t using fts5(x, tokenize = 'porter unicode61')")
    except sqlite3.OperationalError as error:
        hint = "use a Python whose SQLite has FTS5"
        return Check("sqlite", ok=False, message=f"{version}: {error}", hint=hint, required=True)
    return Check("sqlite", ok=True, message=f"{version} with FTS5", required=True)


def _folder(path: Path) -> Check:
    """Can scoutkit write there? The folder, or the nearest one above it that exists."""
    existing = next(parent for parent in (path, *path.parents) if parent.exists())
    ok = existing.is_dir() and os.access(existing, os.W_OK)
    hint = f"make {existing} writable for you"
    return Check(f"folder {path}", ok=ok, message="writable" if ok else "not writable", hint=hint, required=True)


def _repository(desk: Desk) -> list[Check]:
    checks = [Check("repository", ok=True, message=str(desk.where), required=True), _folder(desk.places.state)]
    try:
        commit = git.resolve(desk.repository, "HEAD")
        checks.append(Check("commit", ok=True, message=commit[:10]))
    except ScoutError as error:
        checks.append(Check("commit", ok=False, message=error.message, hint=error.hint))
    return checks


def _notes(desk: Desk) -> list[Check]:
    step = desk.sync()
    ignored = desk.notes_ignored()
    problems = [
        Check("note", ok=False, message=f"{one.path}:{one.line}: {one.problem}", hint=one.hint) for one in step.problems
    ]
    return [
        _folder(desk.places.notes),
        Check(
            "notes kept",
            ok=not ignored,
            message=f"git ignores them ({ignored}): they are not committed" if ignored else "git sees them",
            hint="let git see them: scoutkit init --gitignore --dry-run; or set `notes` to another folder",
        ),
        _catalogue(desk),
        _fulltext(desk),
        *problems,
    ]


def _catalogue(desk: Desk) -> Check:
    damage = desk.catalogue.damage()
    uncited = desk.catalogue.uncited()
    notes = say.count(desk.catalogue.count(), "note") + (f" ({uncited:,} without citations)" if uncited else "")
    message = "; ".join(damage) if damage else f"{notes}, in step with the files"
    return Check("catalogue", ok=not damage, message=message, hint="scoutkit index --rebuild")


def _fulltext(desk: Desk) -> Check:
    with contextlib.suppress(ScoutError):
        desk.fulltext.update()
    difference = desk.fulltext.difference()
    message = difference or "in step with the catalogue; both engines find the same notes"
    return Check("full text", ok=not difference, message=message, hint="scoutkit index --rebuild")


def _agents(desk: Desk) -> list[Check]:
    from scoutkit.agents import registry

    checks = []
    for name in registry.names(desk.settings):
        one = registry.describe(name, desk.settings)
        known = ", ".join(filter(None, (one.version or one.path, one.login)))
        message = known or "here" if one.ok else "not usable here"
        checks.append(Check(f"agent {name}", ok=one.ok, message=message, hint=one.hint, required=name == "builtin"))
    return [*checks, *_isolation()]


def _isolation() -> list[Check]:
    """Every kind there is here; one is enough."""
    from scoutkit.dispatch import bounds, sandbox

    holder, why = bounds.possible()
    found = sandbox.possible()
    chosen = next((one.name for one in found if one.ok and one.name in ("bwrap", "landlock")), "")
    message = f"{chosen} is used unless --isolate says otherwise" if chosen else "none: agents run with your rights"
    return [
        Check("isolation", ok=bool(chosen), message=message, hint="install bubblewrap"),
        *(
            Check(f"isolation by {one.name}", ok=one.ok, message=one.why, hint="not needed where another one works")
            for one in found
        ),
        Check(
            "bounds for processes and memory",
            ok=holder == "cgroup",
            message="a cgroup for each run" if holder == "cgroup" else f"a watcher of the process tree: {why}",
            hint="it ends a run that breaks them some tenths of a second late",
        ),
    ]


def _leftovers(desk: Desk) -> list[Check]:
    from scoutkit.stories import leftovers

    found = leftovers.tidy(desk, dry=True)
    message = f"{len(found)} folders left by dead runs" if found else "nothing left behind"
    return [Check("leftovers", ok=not found, message=message, hint="scoutkit clean")]
