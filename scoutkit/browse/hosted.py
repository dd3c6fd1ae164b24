"""Addresses of lines at a hosting service, from the address that the repository is fetched from. Asks nobody."""

from __future__ import annotations

import re
from urllib.parse import quote

from scoutkit import git
from scoutkit.desk import Desk

_REMOTE = re.compile(
    r"(?:https?://(?:[^@/]*@)?|ssh://(?:[^@/]*@)?|(?:[\w.-]+@))([\w.-]+)(?::\d+)?[:/](.+?)(?:\.git)?/*"
)
_FORMS = (  # a part of the host's name, and how it writes lines; others are taken to write them as the last does
    ("gitlab", "-/blob/{commit}/{path}#L{start}-{end}"),
    ("bitbucket", "src/{commit}/{path}#lines-{start}:{end}"),
    ("codeberg", "src/commit/{commit}/{path}#L{start}-L{end}"),
    ("gitea", "src/commit/{commit}/{path}#L{start}-L{end}"),
    ("", "blob/{commit}/{path}#L{start}-L{end}"),
)


def home(desk: Desk) -> str:
    """Where people look at the repository, from its remote `origin` or the only one; "" where that is no such place."""
    names = git.git(desk.where, "remote").text.split()
    name = "origin" if "origin" in names else names[0] if len(names) == 1 else ""
    found = _REMOTE.fullmatch(git.git(desk.where, "remote", "get-url", name).text.strip()) if name else None
    return f"https://{found[1]}/{found[2]}" if found and "." in found[1] else ""


def permalink(home: str, commit: str, path: str, start: int, end: int) -> str:
    """Lines of a file at a commit; "" without a home."""
    if not home or not commit:
        return ""
    host = home.split("/")[2]
    form = next(form for name, form in _FORMS if name in host)
    return f"{home}/{form.format(commit=commit, path=quote(path), start=start, end=end)}"
