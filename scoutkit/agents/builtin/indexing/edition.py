"""The name of the cache that fits what is installed, at the cost of a look at some files.

Working it out takes importing all that reads source code. So it is remembered in the cache folder, with what it was
worked out from: the size and age of the modules that decide, and which versions are installed of what they use.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable
from pathlib import Path

_MODULES = (
    *("symbols", "languages", "grammars"),
    *(f"agents/builtin/indexing/{name}" for name in ("terms", "chunks", "segment", "paths", "store", "cache", "votes")),
)
_USED = ("semble_grammars-", "tree_sitter-", "pystemmer-")
_NAME = "edition"


def edition(folder: Path, version: Callable[[], str]) -> str:
    """What `version` gives, called only where that is not known."""
    stamp = _stamp()
    path = folder / _NAME
    with contextlib.suppress(OSError, ValueError):
        known, found = path.read_text("utf-8").split("\n")
        if stamp and known == stamp and found:
            return found
    found = version()
    fresh = path.with_name(f"{_NAME}.{os.getpid()}")
    with contextlib.suppress(OSError, UnicodeError):  # then it is worked out again
        if stamp:
            fresh.write_text(f"{stamp}\n{found}", "utf-8")
            fresh.replace(path)
    return found


def _stamp() -> str:
    """One line; "" where packages are installed in a way that does not tell."""
    package = Path(__file__).parents[3]
    try:
        known = [package.joinpath(f"{name}.py").stat() for name in _MODULES]
    except OSError:
        return ""
    installed = sorted(
        f"{folder}/{name}"
        for folder in sys.path
        for name in _names(folder)
        if name.endswith("-info") and name.lower().startswith(_USED)
    )
    if any(not any(f"/{used}" in one.lower() for one in installed) for used in _USED):
        return ""
    return repr((installed, [(one.st_size, one.st_mtime_ns) for one in known]))


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)  # noqa: PTH208 - thousands of names, of which three are wanted
    except OSError:
        return []
