"""What a worktree lacks that the user's checkout has: hooks not run, filters not applied, submodules not filled."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from scoutkit import git, process
from scoutkit.dispatch.shadow import Setting, Shadow
from scoutkit.model.places import Repository

_POINTER = b"version https://git-lfs.github.com/spec/"


def hooks(
    repository: Repository, settings: Sequence[Setting], tree: Path, base: str, *, run: bool, env: Mapping[str, str]
) -> list[str]:
    """Run the repository's post-checkout hook as `git worktree add` would, or say that it was not run."""
    monitor = [item for item in settings if item.key == "core.fsmonitor"]
    lines = [f"core.fsmonitor is off: {monitor[-1].value}"] if monitor and monitor[-1].is_text else []
    set_to = [item.value for item in settings if item.key == "core.hookspath"]
    folder = set_to[-1] if set_to else str(repository.common_dir / "hooks")
    hook = tree / Path(folder).expanduser() / "post-checkout"  # a relative one starts at the worktree
    if not os.access(hook, os.X_OK) or not hook.is_file():
        return lines
    if not run:
        return [*lines, "hooks are off: post-checkout did not run (--run-hooks turns it on)"]
    # By hand: `git hook run` is not in git before 2.36. The shell takes a script without a first line that names one.
    argv: list[str | Path] = ["sh", "-c", 'exec "$0" "$@"', hook, "0" * len(base), base, "1"]
    done = process.run(argv, cwd=tree, env={**git.environment(env), "LC_ALL": os.environ.get("LC_ALL", "")})
    if done.code == 0:
        return lines
    how = f"exit {done.code}" if done.code > 0 else f"signal {-done.code}"
    said = f": {done.error.splitlines()[-1]}" if done.error else ""
    return [*lines, f"the post-checkout hook failed ({how}){said}"]


def contents(shadow: Shadow, tree: Path, *, env: Mapping[str, str]) -> list[str]:
    """Files and folders of the tree that are not what a checkout by the user would have made of them."""
    lines = []
    for name in _filters_named(shadow, tree, env):
        if name != "lfs" and name not in shadow.drivers():
            continue  # nobody here runs that filter, so nothing is missing
        listed = _listed(tree, f":(attr:filter={name})", env=env)
        files = [path for path in listed if (tree / path).is_file() and not (tree / path).is_symlink()]
        if name == "lfs":
            files = [path for path in files if _starts_with(tree / path, _POINTER)]
        if files and name == "lfs":
            lines.append(f"Git LFS is off; pointers instead of contents: {_some(files)}")
        elif files:
            lines.append(f"filter {name} is off; as stored, not as in your checkout: {_some(files)}")
    if (tree / ".gitmodules").is_file():
        stages = _listed(tree, "--stage", env=env)
        if empty := [line.split("\t", 1)[1] for line in stages if line.startswith("160000 ")]:
            lines.append(f"submodules are left empty: {_some(empty)}")
    return lines


def _filters_named(shadow: Shadow, tree: Path, env: Mapping[str, str]) -> list[str]:
    """Names after `filter=` in the attributes files that git reads here. Cheap, so that most trees cost one listing."""
    paths = [tree / path for path in _listed(tree, "*.gitattributes", env=env) if Path(path).name == ".gitattributes"]
    set_to = [item.value for item in shadow.settings if item.key == "core.attributesfile"]
    default = Path(os.environ.get("XDG_CONFIG_HOME") or "~/.config") / "git" / "attributes"
    found: set[str] = set()
    for path in (*paths, Path(set_to[-1] if set_to else default).expanduser()):
        if path.is_file() and (not path.is_symlink() or path not in paths):  # git follows no link in a tree here
            text = path.read_bytes().decode("utf-8", "replace")
            found |= set(re.findall(r"\bfilter=([\w-]+)", text))
    return sorted(found)


def _listed(tree: Path, *args: str, env: Mapping[str, str]) -> list[str]:
    return [entry for entry in git.output(tree, "ls-files", "-z", *args, env=env).split("\0") if entry]


def _starts_with(path: Path, start: bytes) -> bool:
    with path.open("rb") as file:
        return file.read(len(start)) == start


def _some(names: Sequence[str], most: int = 3) -> str:
    """The first few, printable on one line."""
    shown = [re.sub(r"[\x00-\x1f\x7f]|[\udc80-\udcff]", "?", name) for name in names[:most]]
    return ", ".join(shown) + (f" and {len(names) - most} more" if len(names) > most else "")
