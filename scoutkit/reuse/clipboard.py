"""The clipboard of whoever sits at the terminal: through a program of their desktop, or through the terminal itself."""

from __future__ import annotations

import base64
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from scoutkit import process
from scoutkit.errors import Unavailable

TERMINAL = Path("/dev/tty")
PATIENCE = 5.0  # seconds for a program to take a text
MOST = 100_000  # characters of an escape sequence that terminals take
_PIECE = 240  # characters of it that screen hands on at once
HINT = "install wl-clipboard, xclip or xsel, or take it from stdout: leave out --copy"


def copy(text: str, env: Mapping[str, str] = os.environ, *, platform: str = sys.platform) -> str:
    """Put a text on the clipboard; what did it, in words. Unavailable where nothing here can.

    Over ssh the clipboard is where the terminal is, which comes first there: it is told by an escape sequence (OSC 52).
    """
    remote = bool(env.get("SSH_TTY") or env.get("SSH_CONNECTION"))
    desktop = [*_programs(env, platform)]
    tmux = ["tmux", "load-buffer", "-w", "-"]  # tells the terminal too
    inside = [tmux] if env.get("TMUX") and shutil.which("tmux", path=env.get("PATH")) else []
    failed: list[str] = []
    for argv in inside if remote else [*desktop, *inside]:
        if _fed(argv, text, failed):
            return argv[0]
    if why := _tell_terminal(text, env):
        failed.append(why)
    else:
        return "the terminal (OSC 52)"
    for argv in desktop if remote else ():
        if _fed(argv, text, failed):
            return argv[0]
    raise Unavailable(f"no clipboard here: {'; '.join(failed)}", HINT)


def _programs(env: Mapping[str, str], platform: str) -> Iterator[list[str]]:
    """Those that are installed and have somewhere to put a text, best first."""
    wanted = [["pbcopy"]] if platform == "darwin" else []
    if env.get("WAYLAND_DISPLAY"):
        wanted.append(["wl-copy"])
    if env.get("DISPLAY"):
        wanted += [["xclip", "-selection", "clipboard", "-in"], ["xsel", "--clipboard", "--input"]]
    if platform == "win32" or env.get("WSL_DISTRO_NAME") or env.get("WSL_INTEROP"):
        wanted.append(["clip.exe"])
    yield from (argv for argv in wanted if shutil.which(argv[0], path=env.get("PATH")))


def _fed(argv: list[str], text: str, failed: list[str]) -> bool:
    """Did a program take the text? Why not goes to `failed`."""
    encoding = "utf-16" if argv[0] == "clip.exe" else "utf-8"  # with a mark of its byte order, as Windows wants it
    try:
        code = process.feed(argv, text.encode(encoding, "replace"), timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        failed.append(f"{argv[0]} did not take it within {PATIENCE:.0f} s")
    except OSError as error:
        failed.append(f"{argv[0]}: {error.strerror}")
    else:
        failed += [f"{argv[0]} ended with {code}"] if code else []
        return code == 0
    return False


def _tell_terminal(text: str, env: Mapping[str, str]) -> str:
    """Send the text to the terminal; why that cannot be, or nothing. Whether it took it, a terminal does not say."""
    encoded = base64.b64encode(text.encode("utf-8", "replace")).decode()
    if len(encoded) > MOST:
        return f"{len(encoded):,} characters are more than terminals take ({MOST:,})"
    if env.get("TERM", "dumb") == "dumb":
        return "no terminal that takes escape sequences"
    try:
        with TERMINAL.open("w") as terminal:
            terminal.write(sequence(encoded, screen=bool(env.get("STY"))))
    except OSError as error:
        return f"no terminal: {error.strerror}"
    return ""


def sequence(encoded: str, *, screen: bool) -> str:
    """OSC 52 with a text in base 64; inside GNU screen in pieces that it hands on."""
    whole = f"\x1b]52;c;{encoded}\x07"
    if not screen:
        return whole
    return "".join(f"\x1bP{whole[at : at + _PIECE]}\x1b\\" for at in range(0, len(whole), _PIECE))
