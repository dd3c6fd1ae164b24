"""The part of a repository that a task is about: globs, and which files they mean.

`src` and `src/` mean everything below that folder, `*.py` such files in any folder, `src/**/test_*.py` also
`src/test_a.py`.
"""

from __future__ import annotations

import difflib
import fnmatch
import functools
import re
from collections.abc import Collection

_WILD = re.compile(r"[*?\[]")


def within(path: str, glob: str) -> bool:
    """Is a file in the part that a glob means?"""
    return bool(_pattern(glob).match(path))


def cleaned(glob: str) -> str:
    """A glob without what says nothing: `./src/` is `src`, `.` is `**`."""
    return "/".join(part for part in glob.strip().split("/") if part not in ("", ".")) or "**"


def nearest(glob: str, files: Collection[str]) -> str:
    """What may have been meant by a glob that no file matches; "" for nothing that is near.

    The first folder on its way that is not there is taken for a slip of the pen; else its beginning may be missing.
    """
    parts = cleaned(glob).split("/")
    for number, part in enumerate(parts):
        before = "".join(f"{one}/" for one in parts[:number])
        beside = {path[len(before) :].partition("/")[0] for path in files if path.startswith(before)}
        if part not in beside and not _WILD.search(part):
            known = {name.lower(): name for name in sorted(beside)}
            for near in difflib.get_close_matches(part.lower(), known, n=3, cutoff=0.6):
                meant = "/".join([*parts[:number], known[near], *parts[number + 1 :]])
                if any(within(path, meant) for path in files):
                    return meant
            break
    end = "/".join(parts)
    whole = {path[: -len(tail)] + end for path in files if (tail := _tail(path, end))}
    return min(whole, key=lambda one: (len(one), one), default="")


def _tail(path: str, glob: str) -> str:
    """The end of a path that a glob matches, from a folder's name on."""
    at = path.find("/")
    while at >= 0:
        if within(path[at + 1 :], glob):
            return path[at + 1 :]
        at = path.find("/", at + 1)
    return ""


@functools.lru_cache(maxsize=256)
def _pattern(glob: str) -> re.Pattern[str]:
    """`**/` may stand for no folder at all; `*` crosses folders, as it does in git's own pathspecs."""
    parts = re.split(r"(?<![^/])\*\*/", cleaned(glob))
    inner = "(?:.*/)?".join(fnmatch.translate(part)[len("(?s:") : -len(r")\Z")] for part in parts)
    return re.compile(rf"(?s:{inner})(?:/.*)?\Z", re.DOTALL)
