"""What an agent may know of this process's environment, and where its home and its temporary files are."""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from scoutkit import process

_WHERE = ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME")  # where HOME's contents really are
PASSED = (
    *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "LC_*", "TERM", "COLORTERM", "NO_COLOR", "TZ"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"),
    *("*_PROXY", "*_proxy"),
    *_WHERE,
)


def environment(
    run_id: str,
    worktree: Path,
    scratch: Path,
    *,
    pass_env: Sequence[str] = (),
    extra: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """PASSED, the names or globs of `pass_env`, and `extra`, which counts most.

    Never git's variables. `PATH` loses its relative entries, which would name programs of the repository. Temporary
    files go to `scratch/tmp`, which is made: no home is in it, since some programs refuse one there. With a home that
    `extra` names, the user's XDG folders are none of the agent's: they belong to the user's home.
    """
    extra = extra or {}
    env = {
        name: value
        for name, value in os.environ.items()
        if any(fnmatch.fnmatchcase(name, glob) for glob in (*PASSED, *pass_env)) and not name.startswith("GIT_")
    }
    if "HOME" in extra:
        env = {name: value for name, value in env.items() if name not in _WHERE}
    path = env.get("PATH", os.defpath).split(os.pathsep)
    temporary = scratch / "tmp"
    temporary.mkdir(mode=0o700, parents=True, exist_ok=True)
    return env | {
        "PATH": os.pathsep.join(entry for entry in path if os.path.isabs(entry)),  # noqa: PTH117 - "" is no path here
        "PWD": str(worktree),
        **dict.fromkeys(("TMPDIR", "TMP", "TEMP"), str(temporary)),
        "GIT_CEILING_DIRECTORIES": os.path.realpath(worktree.parent),
        **extra,
        process.RUN_MARK: run_id,
    }
