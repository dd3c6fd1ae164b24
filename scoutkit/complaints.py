"""What git complains of, as errors that a person can act on. The only module that reads git's messages."""

from __future__ import annotations

import re
from pathlib import Path

from scoutkit.errors import RepositoryError, ScoutError


def failure(where: Path, error: str) -> ScoutError:
    """What git said, as an error a person can act on."""
    if found := re.search(r"dubious ownership in repository at '(.*?)'\n", error, re.DOTALL):
        import shlex

        return RepositoryError(
            f"git does not trust {found[1]}: it belongs to another user",
            f"if you do: git config --global --add safe.directory {shlex.quote(found[1])}",
        )
    if found := re.search(r"(?:not a git|not point to a valid) repository: (.+)", error, re.DOTALL):
        return RepositoryError(
            f"{where} belongs to a repository that is not there: {found[1]}",
            "if it has moved, run there: git worktree repair, with the path of this worktree",
        )
    if "not a git repository" in error:
        return RepositoryError(f"not in a git repository: {where}", "run it inside one, or make one: git init")
    if found := re.search(r"cannot use bare repository '(.*)' \(safe\.bareRepository", error, re.DOTALL):
        return RepositoryError(
            f"git may not use the bare repository {found[1]}: safe.bareRepository is explicit",
            "run it in one of its worktrees, or: git config --global safe.bareRepository all",
        )
    if not error:
        return RepositoryError(
            f"git gave no usable answer in {where}", "scoutkit needs git 2.30 or newer: git --version"
        )
    return RepositoryError(f"git failed in {where}: {complaint(error)}", "run git status there to see what git says")


def complaint(error: str) -> str:
    """What git complained of first, which is the cause, in one line and without the advice that follows it."""
    first = re.search(
        r"^(?:fatal|error): (.*?)(?=\n\n|\n(?:fatal|error|warning|hint): |\Z)", error, re.DOTALL | re.MULTILINE
    )
    return " ".join((first[1] if first else error.split("\n\n")[0]).split())
