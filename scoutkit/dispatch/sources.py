"""Sources: `SRC[@REV]` as a person writes it, pinned to one commit of one repository that a run is shown."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from scoutkit import git
from scoutkit.dispatch import mirrors, records
from scoutkit.errors import RepositoryError, UsageError
from scoutkit.model.agents import Narrator
from scoutkit.model.pinned import Pinned
from scoutkit.model.places import Repository

MOST = 20  # of one run
_FILE = "sources.json"
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://|(?:[^/\s@:]+@)?[^/\s:]+:(?!//)")
_SECRET = re.compile(r"^([A-Za-z][A-Za-z0-9+.-]*://)(?:([^/@:]*)(:[^/@]*)?@)")


class Asked(NamedTuple):
    """A source as it was asked for: a path or an address, and a revision."""

    where: str
    revision: str

    @property
    def is_address(self) -> bool:
        return bool(_URL.match(self.where)) and not Path(self.where).exists()  # a path may hold a colon


def read(text: str, start: Path = Path()) -> Asked:
    """`SRC[@REV]` in its parts, REV being HEAD where it is left out; a path is taken from `start`. UsageError for what
    is neither.

    The last `@` divides, unless all of it is a path that exists or what follows is the rest of an address
    (`git@host:x`, `https://me@host/x`).
    """
    where, at, revision = text.rpartition("@")
    within = ":" in revision or re.fullmatch(r"[A-Za-z][A-Za-z0-9+.-]*://[^/]*", where)
    if not at or within or (start / Path(text).expanduser()).exists():
        where, revision = text, "HEAD"
    if not where.strip() or not revision.strip() or where.startswith("-") or "\0" in text:
        raise UsageError(f"not a repository: {text!r}", "--repo PATH, --repo URL, either with @REV")
    here = start / Path(where).expanduser()
    return Asked(where if _URL.match(where) and not here.exists() else str(here), revision)


def pin(texts: Sequence[str], *, start: Path = Path(), tell: Narrator) -> tuple[Pinned, ...]:
    """The sources, each with a name of its own, fetched and pinned; one that is asked for twice is there once.

    Paths are taken from `start`. RepositoryError where one cannot be had.
    """
    if len(texts) > MOST:
        raise UsageError(f"{len(texts)} sources: at most {MOST}", "ask several questions")
    found: dict[tuple[str, str], Pinned] = {}
    for asked in [read(text, start) for text in texts]:
        name = _free(_name(asked.where), [one.name for one in found.values()])
        origin, address, known = _remote(asked) if asked.is_address else _local(asked)
        _, commit = mirrors.bring(origin, address, name, asked.revision, known=known, tell=tell)
        found.setdefault((origin, commit), Pinned(name, origin, commit))
    return tuple(found.values())


def _remote(asked: Asked) -> tuple[str, str, str]:
    return public(asked.where), asked.where, ""


def public(address: str) -> str:
    """An address without what is secret in it: over HTTP a user's name may be a token."""
    found = _SECRET.match(address)
    if not found:
        return address
    user = "" if found[1].lower().startswith("http") or not found[2] else f"{found[2]}@"
    return f"{found[1]}{user}{address[found.end() :]}"


def _local(asked: Asked) -> tuple[str, str, str]:
    """A repository on this machine. The revision is looked up there, where every one is known; the working tree is
    never read."""
    path = Path(asked.where)
    if not path.is_dir():
        raise RepositoryError(f"no such folder: {asked.where}", "--repo takes the path or the address of a repository")
    try:
        repository = git.discover(path)
    except RepositoryError as error:
        if "not in a git repository" not in error.message:
            raise
        raise RepositoryError(f"not a git repository: {asked.where}", "name its root, or its address") from error
    roots = _roots(repository)
    if os.path.realpath(path) not in roots:
        raise RepositoryError(
            f"{asked.where} is a folder in the repository {roots[0]}, not its root", f"name that: --repo {roots[0]}"
        )
    try:
        commit = git.resolve(repository, asked.revision)
    except RepositoryError as error:
        raise RepositoryError(f"{asked.where}: {error.message}", error.hint) from error
    origin = os.path.realpath(repository.toplevel or repository.git_dir)
    return origin, origin, commit


def _roots(repository: Repository) -> list[str]:
    """The folders that stand for a repository, real paths; its worktree first, if there is one."""
    places = (repository.toplevel, repository.git_dir, repository.common_dir)
    return [os.path.realpath(one) for one in places if one]


def _name(where: str) -> str:
    """The last part of a path or an address, as a note can write it."""
    parts = [part for part in re.split(r"[/\\:]", where.rstrip("/\\")) if part not in ("", ".git")]
    last = parts[-1] if parts else ""
    if last in (".", ".."):
        last = Path(os.path.realpath(where)).name
    return re.sub(r"[^A-Za-z0-9._-]+", "-", last.removesuffix(".git")).strip(".-")[:60] or "source"


def _free(name: str, taken: Collection[str]) -> str:
    """A name that no other source of the run has, whatever its case: `lib`, `lib-2`."""
    lower = {one.lower() for one in taken}
    numbered = (f"{name}-{number}" for number in range(2, len(lower) + 3))
    return name if name.lower() not in lower else next(one for one in numbered if one.lower() not in lower)


def remember(folder: Path, sources: Iterable[Pinned], template: str = "") -> None:
    """Keep among a run's records what it was shown, and what its scratch folder began as: for whoever finishes it."""
    folder.mkdir(parents=True, mode=0o700, exist_ok=True)
    rows = [{"name": one.name, "origin": one.origin, "commit": one.commit} for one in sources]
    records.write_durably(folder / _FILE, f"{json.dumps({'sources': rows, 'template': template})}\n")


def remembered(folder: Path) -> tuple[Pinned, ...]:
    """What `remember` kept; nothing where it kept nothing."""
    try:
        rows = json.loads((folder / _FILE).read_bytes())["sources"]
        return tuple(Pinned(str(row["name"]), str(row["origin"]), str(row["commit"])) for row in rows)
    except (OSError, ValueError, KeyError, TypeError):
        return ()


def template(folder: Path) -> str:
    """The template that `remember` kept; "" for none."""
    try:
        return str(json.loads((folder / _FILE).read_bytes())["template"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def ready(source: Pinned, tell: Narrator) -> None:
    """Have a source's commit in its mirror: it may have been taken away since it was pinned."""
    mirrors.bring(source.origin, source.origin, source.name, source.commit, known=source.commit, tell=tell)


def mirror(source: Pinned) -> Path:
    """A folder in which git answers for a source's commit. RepositoryError where its mirror is gone."""
    path = mirrors.find(source.origin)
    if path is None:
        raise RepositoryError(f"the copy of {source.origin} is gone", "send the research again")
    return path


def here(source: Pinned) -> Repository | None:
    """The repository of a source, if it is at hand: where it was on this machine, else its mirror."""
    if os.path.isabs(source.origin):  # noqa: PTH117 - an address is no path
        try:
            found = git.discover(Path(source.origin))
        except RepositoryError:
            found = None  # it has moved; what is known of it is in the mirror
        if found and source.origin in _roots(found):  # not a folder of another one
            return found
    path = mirrors.find(source.origin)
    return mirrors.repository(path) if path else None
