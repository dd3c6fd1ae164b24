"""Clouds that serve Claude's models: their variables, login files and hosts, as Claude Code documents them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Cloud:
    """Somebody else who serves its models. Whatever else uses these variables and files, it gets them for this only."""

    keys: tuple[str, ...]
    login: tuple[str, ...] = ()
    base: str = ""  # the variable with its URL
    hosts: tuple[str, ...] = ()  # with names of variables in braces


CLOUDS = {
    "CLAUDE_CODE_USE_BEDROCK": Cloud(
        keys=(
            *("AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE", "AWS_BEARER_TOKEN_BEDROCK", "AWS_ACCESS_KEY_ID"),
            *("AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "CLAUDE_CODE_SKIP_BEDROCK_AUTH"),
            *("ANTHROPIC_BEDROCK_BASE_URL", "ANTHROPIC_SMALL_FAST_MODEL_AWS_REGION"),
        ),
        login=(".aws/credentials", ".aws/config"),
        base="ANTHROPIC_BEDROCK_BASE_URL",
        hosts=("bedrock-runtime.{AWS_REGION}.amazonaws.com:443", "bedrock.{AWS_REGION}.amazonaws.com:443"),
    ),
    "CLAUDE_CODE_USE_VERTEX": Cloud(
        keys=(
            *("CLOUD_ML_REGION", "ANTHROPIC_VERTEX_PROJECT_ID", "ANTHROPIC_VERTEX_BASE_URL", "GOOGLE_CLOUD_PROJECT"),
            *("GOOGLE_APPLICATION_CREDENTIALS", "CLAUDE_CODE_SKIP_VERTEX_AUTH"),
        ),
        login=(".config/gcloud/application_default_credentials.json",),
        base="ANTHROPIC_VERTEX_BASE_URL",
        hosts=(
            "{CLOUD_ML_REGION}-aiplatform.googleapis.com:443",
            *("aiplatform.googleapis.com:443", "oauth2.googleapis.com:443"),
        ),
    ),
    "CLAUDE_CODE_USE_FOUNDRY": Cloud(
        keys=(
            *("ANTHROPIC_FOUNDRY_API_KEY", "ANTHROPIC_FOUNDRY_RESOURCE", "ANTHROPIC_FOUNDRY_BASE_URL"),
            *("CLAUDE_CODE_SKIP_FOUNDRY_AUTH", "AZURE_CLIENT_ID", "AZURE_CLIENT_SECRET", "AZURE_TENANT_ID"),
        ),
        base="ANTHROPIC_FOUNDRY_BASE_URL",
        hosts=("{ANTHROPIC_FOUNDRY_RESOURCE}.services.ai.azure.com:443", "login.microsoftonline.com:443"),
    ),
}
"""By the variable that turns it on."""


def on(keys: Mapping[str, str], switch: str) -> bool:
    """Is it turned on?"""
    return keys.get(switch, "").lower() not in ("", "0", "false", "no", "off")
