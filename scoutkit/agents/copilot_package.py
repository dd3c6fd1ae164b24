"""Copilot's package on this machine: the program in it, its version, and the cache that it is unpacked into."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

from scoutkit import config, process
from scoutkit.agents.program import Program
from scoutkit.agents.verdict import ending
from scoutkit.errors import Unavailable


def native(program: Program) -> Path:
    """The program itself, where what PATH has is its loader."""
    found = Path(os.path.realpath(program.path))
    if found.suffix != ".js":
        return found
    machine = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64"}.get(platform.machine().lower(), platform.machine())
    for system in ("linux", "linuxmusl") if sys.platform.startswith("linux") else (sys.platform,):
        package = f"copilot-{system}-{machine}"
        for folder in (found.parent.parent, found.parent / "node_modules/@github"):
            if (folder / package / "copilot").is_file():
                return folder / package / "copilot"
    return Path(program.path)


def version(program: Program) -> str:
    try:
        return str(json.loads((native(program).parent / "package.json").read_bytes())["version"])
    except (OSError, ValueError, KeyError, TypeError):
        return program.version()


def unpacked(program: Program) -> Path:
    """The cache that holds the program unpacked: its user's own, else one of scoutkit's, which is filled first.

    Unavailable if it cannot be unpacked.
    """
    base = os.environ.get("XDG_CACHE_HOME", "")
    theirs = (Path(base) if Path(base).is_absolute() else Path.home() / ".cache") / "copilot"
    ours, known = config.user_cache() / "copilot", version(program)

    def holds(cache: Path) -> bool:
        return bool(known) and any(cache.glob(f"pkg/*/{known}/index.js"))

    if holds(theirs):
        return theirs
    if holds(ours):
        return ours
    ours.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="scoutkit-") as home:
        env = {"PATH": os.environ.get("PATH", os.defpath), "HOME": home, "TMPDIR": home}
        env |= {"COPILOT_PKG_CACHE_HOME": str(ours), "COPILOT_AUTO_UPDATE": "false"}
        try:
            done = process.run([str(native(program)), "--version"], cwd=Path(home), env=env, timeout=120)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise Unavailable(f"copilot cannot unpack itself into {ours}: {error}", "check that it starts") from error
    if done.code != 0:
        said = f"{ending(done.code)}: {done.error.strip()[-200:]}"
        raise Unavailable(f"copilot cannot unpack itself into {ours}: {said}", "check the disk and its permissions")
    return ours
