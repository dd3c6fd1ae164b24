"""Datasette's 1.0 alpha, installed beside the one that scoutkit has: once a machine, into a cache folder.

`python tests/browse/alpha.py` installs it before the tests do.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from pathlib import Path

VERSION = "1.0a41"
FOLDER = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "scoutkit-test-datasette" / VERSION


def install() -> Path:
    """The folder it is in; it goes first in PYTHONPATH."""
    FOLDER.parent.mkdir(parents=True, exist_ok=True)
    with (FOLDER.parent / f"{VERSION}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (FOLDER / "done").exists():
            command = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(FOLDER)]
            subprocess.run([*command, f"datasette=={VERSION}"], check=True)
            (FOLDER / "done").touch()
    return FOLDER


if __name__ == "__main__":
    install()
