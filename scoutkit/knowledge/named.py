"""Which values are secret by the name they go by: those of an environment, and of files that a login is kept in."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from urllib.parse import quote

_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSW(?:OR)?D|PASSPHRASE|CREDENTIAL|_PASS$", re.IGNORECASE)
_LONG = 16  # characters of a secret in a login file: shorter ones are settings
_SHORTEST = 8  # characters: a shorter value is a word that stands in innocent places too


def values_of(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Values of variables whose name says secret, longest first, also as JSON and URLs write them.

    The lines of a longer text count one by one. A path that exists is no secret.
    """
    found: set[str] = set()
    for name, value in environment.items():
        if not _SECRET_NAME.search(name) or (value.startswith("/") and _exists(value)):
            continue
        for piece in [value] if "\n" not in value else map(str.strip, value.split("\n")):
            if len(piece) >= _SHORTEST and not piece.isspace():
                found |= {piece, json.dumps(piece)[1:-1], json.dumps(piece, ensure_ascii=False)[1:-1]}
                found.add(quote(piece, safe="", errors="replace"))
    return tuple(sorted(found, key=lambda value: (-len(value), value)))


def in_logins(files: Iterable[Path]) -> dict[str, str]:
    """The secrets in files that programs keep their login in (JSON, or lines `NAME=value`), named so that a Redactor
    takes them for such. What cannot be read has none."""
    found: dict[str, str] = {}
    for file in files:
        try:
            text = file.read_text("utf-8", "replace")
        except OSError:
            continue
        try:
            pairs = list(leaves(json.loads(text)))
        except (ValueError, RecursionError):
            pairs = [
                (name, value.strip("\"' ")) for name, _, value in (line.partition("=") for line in text.splitlines())
            ]
        secret = (value for name, value in pairs if _SECRET_NAME.search(name.strip()) and len(value) >= _LONG)
        found |= {f"LOGIN_TOKEN_{len(found) + number}": value for number, value in enumerate(secret)}
    return found


def is_secret_name(name: str) -> bool:
    """Does a variable of this name hold a secret?"""
    return bool(_SECRET_NAME.search(name.strip()))


def leaves(value: object, name: str = "") -> Iterator[tuple[str, str]]:
    """The texts in what JSON holds, each with the name that it goes by."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, str(key))
    elif isinstance(value, list):
        for inner in value:
            yield from leaves(inner, name)
    elif isinstance(value, str):
        yield name, value


def _exists(value: str) -> bool:
    try:
        return Path(value).exists()
    except (OSError, ValueError):
        return False
