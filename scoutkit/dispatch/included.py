"""Files that git ignores and an agent needs all the same: those that `.worktreeinclude` names, copied from the user's
worktree. Only what git ignores there and what is not in the worktree yet is copied."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from scoutkit import git
from scoutkit.dispatch import records, reflink
from scoutkit.errors import RepositoryError
from scoutkit.model.places import Repository

NAME = ".worktreeinclude"
MOST = 2_000_000_000  # bytes that take disk; shared blocks take none
_FILE = "included.json"  # among a run's records


@dataclass(slots=True)
class Included:
    """What was copied. `paths` are relative to either worktree; `said` are lines for a person."""

    source: Path
    paths: list[str] = field(default_factory=list)
    taken: int = 0
    said: list[str] = field(default_factory=list)

    @property
    def files(self) -> list[Path]:
        """Where they come from."""
        return [self.source / path for path in self.paths]


def copy(repository: Repository, tree: Path, shadow: Path, *, most: int = MOST) -> Included:
    """Copy what the `.worktreeinclude` of the user's main worktree names into `tree`, a worktree of `shadow`.

    What git in `tree` would not ignore is put on the shadow's own list, so that it is no change of the agent's. A file
    that cannot be copied is said, and does not stop the others. Nothing happens where there is no such file.
    """
    source = repository.main or repository.toplevel
    if source is None or not (source / NAME).is_file():
        return Included(source or tree)
    found = Included(Path(os.path.realpath(source)))
    refused: dict[str, list[str]] = {}
    for path in _named(found.source, found.said):
        try:
            why = _place(found, tree, path, most)
        except OSError as error:
            why = f"more than {most:,} bytes in all" if error.errno == errno.EFBIG else error.strerror or str(error)
        if why:
            refused.setdefault(why, []).append(path)
        else:
            found.paths.append(path)
    _ignore(tree, shadow, found.paths)
    if found.paths:
        copied = f", {found.taken:,} bytes" if found.taken else ""
        found.said.insert(0, f"{NAME}: copied {some(found.paths)}{copied}")
    found.said += [f"{NAME}: not copied, {why}: {some(paths)}" for why, paths in refused.items()]
    return found


def remember(folder: Path, found: Included) -> None:
    """Keep among a run's records what was copied: whoever finishes the run has to know what is secret in it."""
    if found.paths:
        folder.mkdir(parents=True, mode=0o700, exist_ok=True)
        text = json.dumps({"source": str(found.source), "paths": found.paths})
        records.write_durably(folder / _FILE, f"{text}\n")


def remembered(folder: Path) -> Included:
    """What `remember` kept; nothing where it kept nothing."""
    try:
        kept = json.loads((folder / _FILE).read_bytes())
        return Included(Path(kept["source"]), [str(path) for path in kept["paths"]])
    except (OSError, ValueError, KeyError, TypeError):
        return Included(folder)


def _named(source: Path, said: list[str]) -> list[str]:
    """What the file names and git ignores. Both are git's own answers: nobody else knows its patterns well enough."""
    listed = git.output(source, "ls-files", "-z", "--others", "--ignored", f"--exclude-from={NAME}").split("\0")
    if nested := [path for path in listed if path.endswith("/")]:
        said.append(f"{NAME}: not copied, repositories of their own: {some(nested)}")
    named = [path for path in listed if path and not path.endswith("/")]
    ignored = set(_ignored(source, named))
    if tracked := [path for path in named if path not in ignored]:
        said.append(f"{NAME}: not copied, git does not ignore them: {some(tracked)}")
    return [path for path in named if path in ignored]


def _ignored(where: Path, paths: Iterable[str]) -> list[str]:
    given = b"".join(os.fsencode(path) + b"\0" for path in paths)
    done = git.git(where, "check-ignore", "-z", "--stdin", stdin=given) if given else None
    if done and done.code not in (0, 1):
        raise RepositoryError(f"git cannot tell what it ignores in {where}: {done.error}", "try git status there")
    return [path for path in done.text.split("\0") if path] if done else []


def _place(found: Included, tree: Path, path: str, most: int) -> str:
    """Copy one; why not, if so."""
    old, new = found.source / path, tree / path
    if not Path(os.path.realpath(old.parent)).is_relative_to(found.source):
        return "links that lead out"
    if os.path.realpath(new.parent) != os.path.normpath(new.parent):
        return "the commit has a link on the way there"
    new.parent.mkdir(parents=True, exist_ok=True)
    if os.path.lexists(new):
        return "the commit has them"
    if old.is_symlink():
        target = os.readlink(old)  # noqa: PTH115 - a path would lose a trailing slash
        leads = Path(os.path.realpath(old)).is_relative_to(found.source)
        if os.path.isabs(target) or not leads or _escapes(path, target):  # noqa: PTH117
            return "links that lead out"
        new.symlink_to(target)
        return ""
    try:
        found.taken += reflink.copy(old, new, room=most - found.taken)
    except reflink.NotPlain:
        return "neither files nor links"
    return ""


def _escapes(path: str, target: str) -> bool:
    """Does a relative link lead out at any step, even if only to come back by the folder's name?"""
    depth = path.count("/")
    for part in target.split("/"):
        depth += -1 if part == ".." else part not in ("", ".")
        if depth < 0:
            return True
    return False


def _ignore(tree: Path, shadow: Path, paths: list[str]) -> None:
    known = set(_ignored(tree, paths))
    rest = [path for path in paths if path not in known]
    if not rest:
        return
    (shadow / "info").mkdir(exist_ok=True)
    with (shadow / "info" / "exclude").open("ab") as file:
        file.writelines(b"/" + _pattern(path) + b"\n" for path in rest)


def _pattern(path: str) -> bytes:
    r"""That path alone, as a pattern (gitignore(5)). None can name a path with a newline; `?` comes nearest."""
    escaped = "".join(f"\\{one}" if one in "\\*?[!# " else one for one in path)
    return os.fsencode(escaped.replace("\n", "?"))


def some(paths: list[str], most: int = 3) -> str:
    """The first few, printable on one line."""
    shown = ["".join(one if one.isprintable() else "?" for one in path) for path in paths[:most]]
    return ", ".join(shown) + (f" and {len(paths) - most:,} more" if len(paths) > most else "")
