"""What Claude Code finds in its home for one run: who its user is, how it gets a key, and one hook of ours."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scoutkit.agents.clouds import CLOUDS, Cloud, on
from scoutkit.agents.program import NOTICE, Program, address, private, table

PROGRAM = Program(
    name="claude",
    install="npm install -g @anthropic-ai/claude-code",
    keys=(
        *("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN", "ANTHROPIC_BASE_URL"),
        *("ANTHROPIC_CUSTOM_HEADERS", "ANTHROPIC_BETAS", "ANTHROPIC_MODEL", "ANTHROPIC_SMALL_FAST_MODEL"),
        *(f"ANTHROPIC_DEFAULT_{one}_MODEL" for one in ("OPUS", "SONNET", "HAIKU", "FABLE")),
        *("CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY"),
    ),
    login=(".claude/.credentials.json",),
    sign_in="run claude once and /login, or set ANTHROPIC_API_KEY",
    oldest="2.1.0",
    flags=(
        *("--print", "--output-format", "--verbose", "--tools", "--permission-mode", "--setting-sources"),
        *("--strict-mcp-config", "--model", "--max-turns", "--max-budget-usd", "--resume"),
    ),
    home_variable="CLAUDE_CONFIG_DIR",
)

_LOGIN = ("oauthAccount", "primaryApiKey", "customApiKeyResponses", "hasCompletedOnboarding", "userID")
_SETTINGS = ("apiKeyHelper", "awsAuthRefresh", "awsCredentialExport", "model")
# After a tool it is told once that little is left, if a notice was given meanwhile (code.claude.com/docs/en/hooks).
_TOLD = {"hookEventName": "PostToolUse", "additionalContext": NOTICE}
_TELL = f"""if mv "$SCOUTKIT_NOTICE" "$SCOUTKIT_NOTICE.told" 2>/dev/null; then
printf '%s' '{json.dumps({"hookSpecificOutput": _TOLD})}'; fi"""
_HOOKS = {"hooks": {"PostToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": _TELL}]}]}}
_HOST, _RENEWS = "api.anthropic.com:443", "platform.claude.com:443"


def user(name: str) -> Mapping[str, Any]:
    """A file of the user's own settings: nothing where it cannot be read."""
    moved = os.environ.get("CLAUDE_CONFIG_DIR", "")
    folder = Path(moved) if moved else Path.home() if name == ".claude.json" else Path.home() / ".claude"
    return table(folder / name)


def given() -> dict[str, str]:
    """The user's variables for it, of the environment or else of its settings; a cloud's only where it is turned on."""
    env = user("settings.json").get("env")
    every = {name: value for name, value in (env.items() if isinstance(env, dict) else ()) if isinstance(value, str)}
    every |= os.environ
    wanted = [*PROGRAM.keys, *(name for one in CLOUDS if on(every, one) for name in CLOUDS[one].keys)]
    return {name: every[name] for name in wanted if name in every}


def furnish(home: Path) -> None:
    """What of the user's settings says who they are, and how to get a key: no hooks, servers, permissions, projects."""
    for name, wanted, ours in ((".claude.json", _LOGIN, {}), ("settings.json", _SETTINGS, _HOOKS)):
        theirs = user(name)
        if kept := {key: theirs[key] for key in wanted if key in theirs} | ours:
            private(home / ".claude" / name, json.dumps(kept))


def hosts(keys: Mapping[str, str], cloud: Cloud | None, *, renews: bool) -> tuple[str, ...]:
    """Where its model is, and with `renews` where it has its login renewed."""
    if base := address(keys.get(cloud.base if cloud else "ANTHROPIC_BASE_URL", "")):
        return (base,)
    if cloud is None:
        return (_HOST, _RENEWS) if renews else (_HOST,)
    known = {name: keys.get(name) or keys.get("AWS_DEFAULT_REGION", "") for name in cloud.keys}
    return tuple(host.format_map(known) for host in cloud.hosts)
