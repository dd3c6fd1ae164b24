"""Tells the user that something long is over: by a command of theirs, or a notification of their desktop.

What is run comes from the user's own settings alone (`config.Settings.notify`), never from a repository's.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence

from scoutkit import process

PATIENCE = 30.0  # seconds
_LONGEST = 1000  # characters that a desktop shows at most


def notify(how: str | bool, title: str, summary: str) -> str:
    """Run `how` by `sh -c` with the summary on stdin, or show it on the desktop where `how` is True. Never raises.

    What went wrong, as one line; nothing where all went well or nothing is wanted.
    """
    if not how:
        return ""
    try:
        argv = ["/bin/sh", "-c", how] if isinstance(how, str) else desktop(title, summary)
        if not argv:
            return "nobody was notified: neither notify-send nor osascript is on PATH (set notify to a command)"
        done = process.run(argv, stdin=summary.encode("utf-8", "replace"), timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return f"notify: it did not end within {PATIENCE:.0f} s and was stopped: {_shown(how)}"
    except (OSError, ValueError) as error:
        return f"notify: {_shown(how)} could not be run: {error}"
    if done.code:
        said = " ".join(done.err.decode("utf-8", "replace").split())
        return f"notify: {_shown(how)} ended with {done.code}" + (f": {said[:200]}" if said else "")
    return ""


def desktop(title: str, summary: str, *, platform: str = sys.platform) -> Sequence[str]:
    """The command that shows a notification on this desktop; empty where there is none."""
    text = summary if len(summary) <= _LONGEST else f"{summary[: _LONGEST - 1]}…"
    if platform == "darwin" and shutil.which("osascript"):
        return ["osascript", "-e", f"display notification {_apple(text)} with title {_apple(title)}"]
    return ["notify-send", "--app-name=scoutkit", "--", title, text] if shutil.which("notify-send") else []


def _apple(text: str) -> str:
    """As AppleScript writes text."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _shown(how: str | bool) -> str:
    return f"`{' '.join(how.split())}`" if isinstance(how, str) else "the desktop's notification"
