"""What tokens cost, for programs that give no cost: a small dated table of list prices, and the user's own on top."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

AS_OF = "2026-11-30"  # when the table was taken from its source; prices change, so the user's settings count more

# USD per million tokens: input, read from a cache, output, written to a cache (0: as input). For prompts of usual
# length: what a vendor adds for very long ones is left out. Source: the table of models and prices in GitHub's public
# documentation, data/tables/copilot/models-and-pricing.yml of github.com/github/docs.
_TABLE = """
    gpt-5-mini         0.25  0.025   2      0
    gpt-5.3-codex      1.75  0.175  14      0
    gpt-5.4            2.5   0.25   15      0
    gpt-5.4-mini       0.75  0.075   4.5    0
    gpt-5.4-nano       0.2   0.02    1.25   0
    gpt-5.5            5     0.5    30      0
    gpt-5.6-luna       0.2   0.02    1.2    0.25
    gpt-5.6-sol        5     0.5    30      6.25
    gpt-5.6-terra      2     0.2    12      2.5
    claude-haiku-4-5   1     0.1     5      1.25
    claude-sonnet-4    3     0.3    15      3.75
    claude-sonnet-4-5  3     0.3    15      3.75
    claude-sonnet-4-6  3     0.3    15      3.75
    claude-sonnet-5    2     0.2    10      2.5
    claude-opus-4-5    5     0.5    25      6.25
    claude-opus-4-6    5     0.5    25      6.25
    claude-opus-4-7    5     0.5    25      6.25
    claude-opus-4-8    5     0.5    25      6.25
    claude-opus-5      5     0.5    25      6.25
    claude-fable-5    10     1      50     12.5
    gemini-3.1-pro     2     0.2    12      0
    gemini-3.5-flash   1.5   0.15    9      0
    gemini-3.6-flash   0.75  0.075   3.75   0
    gemini-3.7-flash   0.75  0.075   3.75   0
"""
# A name's first part may be who serves it, its last a date or `latest`; anything else in it is another model.
_DRESSED = re.compile(r"(?:.*/)?(?P<name>[^/@]+?)(?:[-@](?:\d{8}|\d{4}-\d{2}-\d{2}|\d{2}-\d{4}|latest|preview))*")


@dataclass(frozen=True, slots=True)
class Tokens:
    """What a run used. `input` is all that the model read: `cached` and `written`, to a cache, are parts of it."""

    input: int = 0
    output: int = 0
    cached: int = 0
    written: int = 0


@dataclass(frozen=True, slots=True)
class Price:
    """USD per million tokens. What comes from or goes to a cache costs as much as other input where it is not told."""

    input: float
    output: float
    cached: float | None = None
    written: float | None = None


def cost(model: str, tokens: Tokens, overrides: Mapping[str, Any] | None = None) -> float | None:
    """USD; None for a model whose price is not known. `overrides` is the settings' table `[prices]`."""
    price = _theirs(model, overrides or {}) or _listed(model)
    if price is None:
        return None
    cached = min(tokens.cached, tokens.input)
    written = min(tokens.written, tokens.input - cached)
    parts = (
        (tokens.input - cached - written, price.input),
        (cached, price.input if price.cached is None else price.cached),
        (written, price.input if price.written is None else price.written),
        (tokens.output, price.output),
    )
    return round(sum(count * each for count, each in parts) / 1e6, 9)


def _theirs(model: str, overrides: Mapping[str, Any]) -> Price | None:
    """The user's price for a model, by its full name or its plain one. One that lacks a number says nothing."""
    for name in (model, plain(model)):
        table = overrides.get(name)
        if not isinstance(table, Mapping):
            continue
        numbers = {key: _money(table.get(key)) for key in ("input", "output", "cached")}
        if numbers["input"] is not None and numbers["output"] is not None:
            return Price(numbers["input"], numbers["output"], numbers["cached"])
    return None


def _listed(model: str) -> Price | None:
    name = plain(model)
    row = next((row for line in _TABLE.splitlines() if (row := line.split()) and row[0] == name), None)
    if row is None:
        return None
    given, cached, out, written = (float(part) for part in row[1:])
    return Price(given, out, cached, written or None)


def plain(model: str) -> str:
    """A model's name without who serves it and without a date: `openai/gpt-5.5-2026-04-01` is `gpt-5.5`."""
    match = _DRESSED.fullmatch(model.strip().lower())
    return match["name"] if match else ""


def _money(value: object) -> float | None:
    good = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e9
    return float(value) if good and isinstance(value, int | float) else None
