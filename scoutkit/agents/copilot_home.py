"""What Copilot finds in its home for one run: who is logged in, and nothing else of what its user has set.

A repository's hooks, servers and skills are left alone unless its folder is trusted, which is the program's own way;
which folders its user trusts is not copied, for a worktree may lie in one of them.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scoutkit.agents.program import Program, address, private

_TOKENS = ("COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN")  # the first that is set counts
PROVIDER = "COPILOT_PROVIDER_BASE_URL"
PROGRAM = Program(
    name="copilot",
    install="npm install -g @github/copilot",
    keys=(
        *_TOKENS,
        PROVIDER,
        *(f"COPILOT_PROVIDER_{name}" for name in ("API_KEY", "API_KEY_COMMAND", "BEARER_TOKEN", "HEADERS", "TYPE")),
        *(f"COPILOT_PROVIDER_{name}" for name in ("WIRE_API", "WIRE_MODEL", "MODEL_ID", "TRANSPORT")),
        *(f"COPILOT_PROVIDER_{name}" for name in ("AZURE_API_VERSION", "MAX_PROMPT_TOKENS", "MAX_OUTPUT_TOKENS")),
        *("COPILOT_MODEL", "COPILOT_OFFLINE", "COPILOT_GH_HOST", "GH_HOST"),
    ),
    login=(),  # a part of its config.json, see copy_login
    sign_in="run copilot once and /login, or set COPILOT_GITHUB_TOKEN",
    flags=("--output-format", "--available-tools", "--usage-output-file", "--continue", "--model"),
)
_LOGIN_KEYS = re.compile(r"logged_?in|token|^(?:host|login)$", re.IGNORECASE)
_HOSTS = (
    *("api.github.com:443", "github.com:443", "api.githubcopilot.com:443", "api.individual.githubcopilot.com:443"),
    *("api.business.githubcopilot.com:443", "api.enterprise.githubcopilot.com:443"),
)


def _json(file: Path) -> dict[str, Any]:
    """Its settings files: JSON with lines of comment."""
    try:
        found = json.loads(re.sub(r"^\s*//.*$", "", file.read_text(encoding="utf-8"), flags=re.MULTILINE))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _folder() -> Path:
    return Path(os.environ.get("COPILOT_HOME") or Path.home() / ".copilot")


def settings() -> dict[str, Any]:
    """What its user has set."""
    return {**_json(_folder() / "config.json"), **_json(_folder() / "settings.json")}


def _login() -> dict[str, Any]:
    """What of its config.json says who is logged in. Not which folders are trusted, nor plugins, nor servers."""
    return {
        name: value for name, value in _json(_folder() / "config.json").items() if _LOGIN_KEYS.search(name) and value
    }


def copy_login(home: Path) -> None:
    """Into a home for one run."""
    folder = home / ".copilot"
    folder.mkdir(mode=0o700, exist_ok=True)
    if login := _login():
        private(folder / "config.json", json.dumps(login))


def keys() -> dict[str, str]:
    """Its provider's variables if there is a provider, else the one token that counts."""
    given = PROGRAM.environment()
    token = "" if given.get(PROVIDER) else next((name for name in _TOKENS if given.get(name)), "")
    return {name: value for name, value in given.items() if name not in _TOKENS or name == token}


def logged_in() -> str:
    """By what its user is logged in; "" where they are not."""
    given = keys()
    if given.get(PROVIDER):
        return f"provider in {PROVIDER}"
    if token := next((name for name in _TOKENS if given.get(name)), ""):
        return f"token in {token}"
    return f"login in {_folder() / 'config.json'}" if _login() else ""


def hosts(given: Mapping[str, str]) -> tuple[str, ...]:
    """Where its models and its login are."""
    if provider := address(given.get(PROVIDER, "")):
        return (provider,)
    own = given.get("COPILOT_GH_HOST") or given.get("GH_HOST")
    return (*_HOSTS, *((f"{own}:443", f"api.{own}:443", f"copilot-api.{own}:443") if own else ()))
