"""Where research works: an empty git repository of its own, and other people's repositories beside it to read.

`proof/` is the agent's, `sources/NAME/` are checkouts that borrow the objects of a mirror. Both are in the run's folder
and go with it.
"""

from __future__ import annotations

import os
import posixpath
import shutil
from collections.abc import Sequence
from pathlib import Path

from scoutkit import git, process
from scoutkit.complaints import failure
from scoutkit.dispatch import shadow, sources, worktree
from scoutkit.dispatch.worktree import Checkout
from scoutkit.errors import Refused, UsageError
from scoutkit.model.pinned import Pinned
from scoutkit.model.places import Repository

PROOF = "proof"
SOURCES = "sources"
_PLAIN = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}  # no filters
_FILES, _BYTES = 20_000, 500_000_000  # of a template


def lend(
    repository: Repository, run_id: str, shown: Sequence[Pinned], template: str = "", *, guarded: bool
) -> Checkout:
    """A scratch repository and the sources, in a run's folder; nothing of the user's repository is in it.

    `guarded`: isolation keeps the agent from writing to the sources. Else their files lose the permission to.
    """

    def fill(folder: Path) -> Checkout:
        mark = {process.RUN_MARK: run_id}
        tree, own = folder / PROOF, folder / worktree.SHADOW
        git.output(folder, "init", "--quiet", "--template=", f"--separate-git-dir={own}", tree, env=mark)
        settings = [
            ("user.name", git.user(repository.toplevel or repository.git_dir)),
            ("user.email", "scoutkit@localhost"),
            ("commit.gpgsign", "false"),
            ("gc.auto", "0"),
        ]
        with (own / "config").open("ab") as config:
            config.write(shadow.written(settings))
        if template:
            _copy(Path(template), tree)
        borrowed = [_check_out(one, folder / SOURCES / one.name, mark) for one in shown]
        if not guarded:
            _lock(folder / SOURCES)
        scratch = folder / worktree.SCRATCH
        return Checkout(run_id, folder, own, tree, scratch, (), (folder / SOURCES, *dict.fromkeys(borrowed)))

    return worktree.lend(repository, run_id, fill)


def _check_out(source: Pinned, tree: Path, mark: dict[str, str]) -> Path:
    """A checkout of a source at its commit; gives the folder of objects that it borrows."""
    kept = sources.mirror(source) / ".git"
    env = {**mark, **_PLAIN}
    tree.parent.mkdir(mode=0o700, exist_ok=True)
    clone = ("clone", "--quiet", "--shared", "--no-checkout", "--template=", "--", kept, tree)
    done = git.git(tree.parent, *clone, env=env)
    for args in (
        ("config", "remote.origin.url", source.origin),
        ("checkout", "--quiet", "--detach", "--no-recurse-submodules", source.commit),
    ):
        if done.code == 0:
            done = git.git(tree, *args, env=env)
    if done.code or git.output(tree, "rev-parse", "HEAD").strip() != source.commit:
        raise failure(tree, done.error)
    return Path(os.path.realpath(kept / "objects"))


def _lock(folder: Path) -> None:
    """Take the permission to write from everything in a folder. Files are the run's own: none is a hard link."""
    for where, folders, files in os.walk(folder, topdown=False):
        for name in (*folders, *files):
            path = Path(where) / name
            if not path.is_symlink():
                path.chmod(path.stat().st_mode & ~0o222)


def altered(checkout: Checkout, shown: Sequence[Pinned]) -> list[str]:
    """Lines for a person on sources whose files are not as their commit has them: without isolation an agent may have
    written there. The note's citations are checked against the commit all the same."""
    said = []
    for one in shown:
        tree = checkout.folder / SOURCES / one.name
        repository = (f"--git-dir={sources.mirror(one) / '.git'}", f"--work-tree={tree}", "-c", "core.bare=false")
        env = {**_PLAIN, "GIT_INDEX_FILE": str(checkout.scratch / f"{one.name}.index")}
        if not tree.is_dir():
            said.append(f"{one.name}: the agent took the whole checkout away")
            continue
        git.output(tree, *repository, "read-tree", one.commit, env=env)
        git.git(tree, *repository, "update-index", "-q", "--refresh", env=env)
        changed = git.output(tree, *repository, "diff-files", "--name-only", "-z", "--ignore-submodules", env=env)
        added = git.output(tree, *repository, "ls-files", "--others", "-z", env=env)
        if names := sorted({*changed.split("\0"), *added.split("\0")} - {""}):
            more = f" and {len(names) - 1} more" if len(names) > 1 else ""
            said.append(f"{one.name}: the agent changed {names[0]!r}{more} in its copy of the source")
    return said


def check_template(template: str, start: Path = Path()) -> str:
    """A template's absolute path, taken from `start`, after a look at all that is in it. UsageError or Refused for one
    that cannot be."""
    root = start / Path(template).expanduser()
    if not root.is_dir():
        raise UsageError(f"no such folder: {template}", "--template takes a folder that the scratch folder starts as")
    root = Path(os.path.realpath(root))
    taken = 0
    for number, (path, name) in enumerate(_entries(root)):
        if path.is_symlink():
            target = path.readlink()
            lexical = posixpath.normpath(posixpath.join(posixpath.dirname(name), target))
            inside = Path(os.path.realpath(path)).is_relative_to(root)
            if target.is_absolute() or not inside or lexical.split("/")[0] == "..":
                raise Refused(
                    f"the template has a link that leads out of it: {name}", "take it out, or put the file there"
                )
        elif not path.is_file():
            raise Refused(f"the template holds something that is no file: {name}", "take it out")
        taken += path.lstat().st_size
        if number >= _FILES or taken > _BYTES:
            raise UsageError(
                f"the template {template} is too large: at most {_FILES:,} files and {_BYTES:,} bytes",
                "name a smaller folder",
            )
    return str(root)


def _entries(root: Path) -> list[tuple[Path, str]]:
    """All files and links of a template but for a repository's own, each with its path in it."""
    found = []
    for where, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if name != ".git")
        links = [name for name in folders if (Path(where) / name).is_symlink()]
        found += [Path(where) / name for name in sorted([*files, *links]) if name != ".git"]
        if len(found) > _FILES:
            break
    return [(path, path.relative_to(root).as_posix()) for path in found]


def _copy(root: Path, tree: Path) -> None:
    """Looked at again: it may have changed since it was checked."""
    check_template(str(root))
    for path, name in _entries(root):
        new = tree / name
        new.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, new, follow_symlinks=False)
