"""Which of a repository's own commands may run here: the user's word for it, and the only place where that is kept.

Two things are trusted apart. Hooks and servers that a repository brings for agent programs, as they are and will be: by
the user's setting `trusted`. Set-up commands, as they are now: by `scoutkit init --trust`, which keeps a fingerprint.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from scoutkit import config
from scoutkit.desk import Desk
from scoutkit.errors import NotFound, Refused

_FOLDER = "trust"  # in the user's state folder: no repository can write there


def hooks(desk: Desk) -> bool:
    """Did the user's own settings name this repository as one whose hooks and servers may run?"""
    main = desk.repository.main or desk.repository.toplevel
    return main is not None and main.resolve() in {Path(one).expanduser().resolve() for one in desk.settings.trusted}


def setup(desk: Desk) -> tuple[str, ...]:
    """The set-up commands. Refused where they are the repository's and nobody trusted them as they are now."""
    commands = desk.settings.setup
    if not commands or standing(desk) in ("yours", "trusted"):
        return commands
    changed = " changed since they were trusted" if standing(desk) == "changed" else " nobody here trusted yet"
    raise Refused(
        f"{config.SETTINGS} has set-up commands that{changed}: {commands[0]}",
        "read them, then: scoutkit init --trust; or set your own, see scoutkit init",
    )


def standing(desk: Desk) -> str:
    """Of the set-up commands: `none`, `yours`, `trusted`, `changed` since, or `untrusted`."""
    where = desk.settings.setup_from
    if not desk.settings.setup or where is None:
        return "none"
    if where.parent == config.user_config():
        return "yours"
    kept = _kept(desk)
    return "untrusted" if not kept else "trusted" if kept == _fingerprint(where) else "changed"


def grant(desk: Desk) -> None:
    """Trust the repository's set-up commands as they are now. NotFound where it has none."""
    where = desk.settings.setup_from
    if where is None or standing(desk) in ("none", "yours"):
        raise NotFound(f"{config.SETTINGS} has no set-up commands to trust", 'they are written setup = ["…"]')
    from scoutkit.dispatch import records

    path = _path(desk)
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    kept = {"repository": str(desk.repository.common_dir), "settings": _fingerprint(where)}
    records.write_durably(path, json.dumps(kept) + "\n")


def revoke(desk: Desk) -> None:
    """Trust the repository's set-up commands no longer."""
    _path(desk).unlink(missing_ok=True)


def _kept(desk: Desk) -> str:
    try:
        kept = json.loads(_path(desk).read_bytes())
        return str(kept["settings"]) if kept["repository"] == str(desk.repository.common_dir) else ""
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def _path(desk: Desk) -> Path:
    name = hashlib.sha256(str(desk.repository.common_dir).encode("utf-8", "surrogateescape")).hexdigest()[:32]
    return config.user_state() / _FOLDER / f"{name}.json"


def _fingerprint(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
