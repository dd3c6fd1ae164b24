"""What Gemini CLI finds in its home for one run: how it logs in, and settings that hold whatever a repository says."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from scoutkit.agents.program import Program, address, private
from scoutkit.model.missions import Mission

PROGRAM = Program(
    name="gemini",
    install="npm install -g @google/gemini-cli",
    keys=(
        *("GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GEMINI_BASE_URL", "GEMINI_MODEL", "GEMINI_CLI_CUSTOM_HEADERS"),
        *("GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_GENAI_USE_GCA", "GOOGLE_VERTEX_BASE_URL", "GOOGLE_GENAI_API_VERSION"),
        *("GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_PROJECT_ID", "GOOGLE_CLOUD_LOCATION", "GOOGLE_APPLICATION_CREDENTIALS"),
    ),
    login=(".gemini/oauth_creds.json", ".gemini/google_accounts.json", ".gemini/gemini-credentials.json"),
    sign_in="run gemini once to log in, or set GEMINI_API_KEY",
    flags=("--output-format", "--approval-mode", "--session-id", "--resume", "--policy", "--model"),
)

KEY, GOOGLE, VERTEX = "gemini-api-key", "oauth-personal", "vertex-ai"  # as its settings call the ways to log in
_HOSTS = {
    KEY: ("generativelanguage.googleapis.com:443",),
    GOOGLE: ("cloudcode-pa.googleapis.com:443", "oauth2.googleapis.com:443", "www.googleapis.com:443"),
    VERTEX: ("aiplatform.googleapis.com:443", "oauth2.googleapis.com:443"),
}
_ATTEMPTS = 4  # of one request: it says nothing while it tries again, up to 30 s each time
_CLOUD_LOGIN = ".config/gcloud/application_default_credentials.json"


def _settings(home: Path) -> dict[str, Any]:
    """What the user has set; nothing where that cannot be read."""
    try:
        text = (home / ".gemini/settings.json").read_text(encoding="utf-8")
        settings = json.loads(re.sub(r"^\s*//.*$", "", text, flags=re.MULTILINE))
    except (OSError, ValueError, RecursionError):
        return {}
    return settings if isinstance(settings, dict) else {}


def _setting(settings: Mapping[str, Any], *path: str) -> str:
    value: Any = settings
    for name in path:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value if isinstance(value, str) else ""


def kept_keys() -> dict[str, str]:
    """What `~/.gemini/.env` has for it: its own file for keys, which it reads in folders it trusts."""
    try:
        text = (Path.home() / ".gemini/.env").read_text(encoding="utf-8")
    except (OSError, ValueError):
        return {}
    found = re.findall(r"""^\s*(?:export\s+)?(\w+)\s*=\s*(?:"([^"\n]*)"|'([^'\n]*)'|([^\s#]*))""", text, re.MULTILINE)
    return {name: "".join(value) for name, *value in found if name in PROGRAM.keys}


def way_in(keys: Mapping[str, str]) -> str:
    """How it logs in, by the variables that say so, what its user chose, and what there is."""
    if keys.get("GOOGLE_GENAI_USE_GCA") == "true":
        return GOOGLE
    if keys.get("GOOGLE_GENAI_USE_VERTEXAI") == "true":
        return VERTEX
    chosen = _setting(_settings(Path.home()), "security", "auth", "selectedType")
    if chosen in (GOOGLE, VERTEX) or keys.get("GEMINI_API_KEY"):
        return chosen if chosen in _HOSTS else KEY
    if chosen != KEY and (Path.home() / PROGRAM.login[0]).is_file():
        return GOOGLE
    return VERTEX if keys.get("GOOGLE_API_KEY") else KEY


def write_settings(home: Path, mission: Mission, way: str) -> None:
    """Nothing of the user's but how to log in and the model. A run that only closes has no limit of turns."""
    model: dict[str, Any] = {}
    if mission.limits.turns is not None:
        model["maxSessionTurns"] = mission.limits.turns
    if name := _setting(_settings(Path.home()), "model", "name"):
        model["name"] = name
    general: dict[str, Any] = {"enableAutoUpdate": False, "enableAutoUpdateNotification": False}
    if mission.limits.retries is not None:
        general["maxAttempts"] = max(1, min(_ATTEMPTS, mission.limits.retries + 1))
    settings = {
        "security": {"auth": {"selectedType": way}, "folderTrust": {"enabled": False}},
        "general": general,
        "privacy": {"usageStatisticsEnabled": False},
        "model": model,
    }
    if not mission.trusted:
        settings["advanced"] = {"ignoreLocalEnv": True}
        settings["hooksConfig"] = {"enabled": False}
    private(home / ".gemini/settings.json", json.dumps(settings, indent=1))


def policy(home: Path, name: str, rules: str) -> Path:
    """A file of rules about tools, for `--policy`."""
    file = home / f"{name}.toml"
    private(file, rules)
    return file


def shown(keys: Mapping[str, str]) -> tuple[Path, ...]:
    """Where it and Node are installed, and the credentials that a variable names."""
    node = shutil.which("node")
    folders = [Path(node).parent, Path(os.path.realpath(node)).parent] if node else []
    file = keys.get("GOOGLE_APPLICATION_CREDENTIALS", "")
    return tuple(dict.fromkeys((*PROGRAM.shown(), *folders, *([Path(file)] if Path(file).is_absolute() else []))))


def hosts(keys: Mapping[str, str], way: str) -> tuple[str, ...]:
    """host:port of its model and of what renews its login."""
    if own := address(keys.get("GOOGLE_VERTEX_BASE_URL" if way == VERTEX else "GOOGLE_GEMINI_BASE_URL", "")):
        return (own, *_HOSTS[way][1:])
    place = keys.get("GOOGLE_CLOUD_LOCATION", "")
    return (*_HOSTS[way], *([f"{place}-aiplatform.googleapis.com:443"] if way == VERTEX and place else []))


def furnish(scratch: Path, mission: Mission, way: str) -> tuple[Path, tuple[tuple[Path, Path], ...]]:
    """The home, with settings and the files of this login alone; and the pairs to put back."""
    login = {KEY: PROGRAM.login[2:], GOOGLE: PROGRAM.login, VERTEX: (_CLOUD_LOGIN,)}[way]
    home, pairs = replace(PROGRAM, login=login).home(scratch)
    write_settings(home, mission, way)
    return home, () if way == VERTEX else pairs  # a cloud's login is not its own to renew
