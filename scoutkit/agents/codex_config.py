"""Codex's settings: what of the user's it needs to reach its model, the keys for that, and nothing else of them."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scoutkit.agents.program import Program, address, table

CARRIED = (  # no servers, hooks, notify, rules
    *("model", "model_provider", "model_providers", "model_reasoning_effort", "model_reasoning_summary"),
    *("model_verbosity", "model_context_window", "model_max_output_tokens", "openai_base_url", "chatgpt_base_url"),
    *("preferred_auth_method", "forced_login_method", "oss_provider"),
)


def carried() -> dict[str, Any]:
    """What of the user's config.toml says which model answers, and how it is reached."""
    import tomllib

    moved = os.environ.get("CODEX_HOME", "")
    try:
        every = tomllib.loads(((Path(moved) if moved else Path.home() / ".codex") / "config.toml").read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    profiles = every.get("profiles")
    profile = profiles.get(str(every.get("profile"))) if isinstance(profiles, dict) else None
    every |= profile if isinstance(profile, dict) else {}
    return {name: every[name] for name in CARRIED if name in every}


def provider(config: Mapping[str, Any]) -> Mapping[str, Any]:
    """The user's own model provider; empty for OpenAI."""
    providers = config.get("model_providers")
    one = providers.get(str(config.get("model_provider"))) if isinstance(providers, dict) else None
    return one if isinstance(one, dict) else {}


def keys(program: Program, config: Mapping[str, Any]) -> dict[str, str]:
    """Its provider's variables where the user has one of their own, else OpenAI's."""
    own = provider(config)
    headers = own.get("env_http_headers")
    names = [own.get("env_key"), *(headers.values() if isinstance(headers, dict) else ())]
    theirs = {name: os.environ[name] for name in names if isinstance(name, str) and name in os.environ}
    return theirs | (program.environment() if not own or own.get("requires_openai_auth") else {})


def hosts(config: Mapping[str, Any], given: Mapping[str, str], login: Path | None) -> tuple[str, ...]:
    """host:port of its model."""
    if own := address(str(provider(config).get("base_url") or config.get("openai_base_url") or "")):
        return (own,)
    subscribed = ("chatgpt.com:443", "auth.openai.com:443") if login and table(login).get("tokens") else ()
    return (*subscribed, "api.openai.com:443") if given or not subscribed else subscribed


def written(config: Mapping[str, Any]) -> str:
    """As a file."""
    return "".join(f"{name} = {_toml(value)}\n" for name, value in config.items())


def _toml(value: object) -> str:
    """A value that TOML can have, as TOML."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_toml(str(name))} = {_toml(one)}' for name, one in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return str(value).lower() if isinstance(value, bool) else str(value)
