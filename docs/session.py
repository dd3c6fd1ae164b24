"""Record the README's terminal session by running it: real commands in a small repository made on the spot.

What differs from run to run (ids, dates, seconds, commit ids) is replaced by fixed values, so that the recording only
changes when scoutkit does.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

SIGNING = '''"""Signed session cookies."""

import hmac


class SessionSigner:
    """Signs what goes into a session cookie and checks it when it comes back."""

    def __init__(self, key: bytes) -> None:
        self.key = key

    def sign(self, value: bytes) -> bytes:
        """The value with its MAC behind it."""
        return value + b"." + hmac.digest(self.key, value, "sha256").hex().encode()

    def verify(self, cookie: bytes) -> bytes | None:
        """The value of a cookie that we signed, None for any other."""
        value, _, _ = cookie.rpartition(b".")
        return value if hmac.compare_digest(self.sign(value), cookie) else None
'''
MIDDLEWARE = '''"""Every request passes here."""

from auth.signing import SessionSigner


class AuthMiddleware:
    """Turns a session cookie into a user."""

    def __init__(self, app, key: bytes) -> None:
        self.app = app
        self.signer = SessionSigner(key)

    def __call__(self, request):
        request.user = self.signer.verify(request.cookies.get("session", b""))
        return self.app(request)
'''
SESSION = (
    'scoutkit ask "Where is the session cookie signed and verified?"',
    'scoutkit search "cookie signing"',
    "scoutkit about src/auth/signing.py:18",
    "git status --short",
)


def record() -> str:
    """The session as text: each command behind a `$`, then what it prints."""
    with tempfile.TemporaryDirectory() as folder:
        env = {key: value for key, value in os.environ.items() if not key.startswith(("GIT_", "XDG_", "SCOUTKIT_"))}
        env |= {
            "HOME": folder,
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{env['PATH']}",
            "GIT_AUTHOR_NAME": "You",
            "GIT_AUTHOR_EMAIL": "you@example.org",
            "GIT_COMMITTER_NAME": "You",
            "GIT_COMMITTER_EMAIL": "you@example.org",
            "GIT_AUTHOR_DATE": "2026-01-02T03:04:05Z",
            "GIT_COMMITTER_DATE": "2026-01-02T03:04:05Z",
        }
        shop = Path(folder) / "shop"
        (shop / "src/auth").mkdir(parents=True)
        (shop / "src/auth/signing.py").write_text(SIGNING)
        (shop / "src/auth/middleware.py").write_text(MIDDLEWARE)
        for args in (["init", "-q"], ["add", "."], ["commit", "-qm", "Sign session cookies"]):
            subprocess.run(["git", *args], cwd=shop, env=env, check=True)
        lines = []
        for command in SESSION:
            done = subprocess.run(
                command,
                shell=True,
                cwd=shop,
                env=env,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=True,
            )
            lines += [f"$ {command}", done.stdout.rstrip(), ""]
    return _settled("\n".join(lines).rstrip())


def _settled(text: str) -> str:
    """Fixed values for what no two runs share."""
    found = re.search(r"note: (\w{8})  ", text)
    if found:
        text = text.replace(found[1], "7k3m9q2d").replace(f"-{found[1][:4]}.md", "-7k3m.md")
    text = re.sub(r"\d{4}-\d\d-\d\d-", "2026-11-30-", text)
    text = re.sub(r"(?m)^builtin: .*\n", "", text)
    return re.sub(r"\d+\.\d s\b", "0.6 s", text)


if __name__ == "__main__":
    print(record())
