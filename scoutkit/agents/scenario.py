"""A scenario: a TOML file that says what the scripted agent does, step by step. Reads and checks one.

Every step is a `[[step]]` table with one action in it; `ACTIONS` lists them. docs/agents.md shows each.
"""

from __future__ import annotations

import re
import signal
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scoutkit.errors import UsageError

_NAMES = ("step", "description")


@dataclass(frozen=True, slots=True)
class Step:
    """One action and what it is given, already checked. `line` is where it stands in the file."""

    action: str
    value: Any
    line: int


@dataclass(frozen=True, slots=True)
class Scenario:
    """What the scripted agent does. `source` is the file as it was read."""

    path: Path
    source: bytes
    steps: tuple[Step, ...]


def read(path: Path) -> Scenario:
    """Raises UsageError with file and line for anything that cannot be played."""
    try:
        source = path.read_bytes()
        text = source.decode("utf-8-sig")
    except OSError as error:
        hint = "name a scenario file, or one that ships, such as `demo`"
        raise UsageError(f"cannot read the scenario {path}: {error.strerror}", hint) from error
    except UnicodeDecodeError as error:
        line = source.count(b"\n", 0, error.start) + 1
        raise UsageError(f"{path}:{line}: the scenario is not UTF-8", "save it as UTF-8") from error
    import tomllib

    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        where = re.search(r"at line (\d+)", str(error))
        line = int(where[1]) if where else text.rstrip().count("\n") + 1
        what = re.sub(r" \(at .*\)$", "", str(error))
        raise UsageError(
            f"{path}:{line}: not valid TOML: {what}", "a scenario is a TOML file of [[step]] tables"
        ) from error
    return Scenario(path, source, tuple(_steps(table, path, text.splitlines())))


def _steps(table: Mapping[str, Any], path: Path, lines: list[str]) -> list[Step]:
    for name in table:
        if name not in _NAMES:
            line = _find(lines, rf"\s*\[*\s*{re.escape(name)}\b")
            raise UsageError(f"{path}:{line}: a scenario has no `{name}`", "write what it does as [[step]] tables")
    given = table.get("step")
    headers = [number for number, line in enumerate(lines, 1) if re.match(r"\s*\[\[\s*step\s*\]\]", line)]
    if not isinstance(given, list) or not given:
        raise UsageError(
            f"{path}:{_find(lines, r'.*step')}: the scenario has no [[step]]", 'begin with [[step]] say = "…"'
        )
    steps = []
    for number, one in enumerate(given):
        line = headers[number] if len(headers) == len(given) else _find(lines, r"\s*step\b")
        action, value = next(iter(one.items())) if isinstance(one, dict) and len(one) == 1 else ("", one)
        if not action:
            raise UsageError(f"{path}:{line}: a step has one action, not {len(one)}", f"one of: {', '.join(ACTIONS)}")
        end = headers[number + 1] - 1 if headers[number + 1 :] else len(lines)
        line += _find(lines[line:end], rf"\s*{re.escape(action)}\b", missing=0)
        if action not in ACTIONS:
            raise UsageError(f"{path}:{line}: unknown action `{action}`", f"one of: {', '.join(ACTIONS)}")
        wanted, fits = ACTIONS[action]
        if not fits(value):
            raise UsageError(f"{path}:{line}: `{action}` takes {wanted}, not {value!r}", "see docs/agents.md")
        steps.append(Step(action, value, line))
    return steps


def _find(lines: list[str], pattern: str, *, missing: int = 1) -> int:
    """The number of the first line that begins so."""
    return next((number for number, line in enumerate(lines, 1) if re.match(pattern, line)), missing)


def _is(*kinds: type) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, kinds) and not isinstance(value, bool)


def _texts(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and all(isinstance(one, str) for one in value))


def _table(required: Mapping[str, type], optional: Mapping[str, type | tuple[type, ...]]) -> Callable[[Any], bool]:
    def fits(value: Any) -> bool:
        if not isinstance(value, dict) or not required.keys() <= value.keys() <= required.keys() | optional.keys():
            return False
        return all(isinstance(one, {**required, **optional}[name]) for name, one in value.items())

    return fits


_USAGE = _table({}, {"input_tokens": int, "output_tokens": int, "cost_usd": (int, float)})
_EVENT = _table({"kind": str}, {"text": str, "data": dict, "usage": dict})

ACTIONS: Mapping[str, tuple[str, Callable[[Any], bool]]] = {
    "say": ("text, or a list of texts", _texts),
    "report": ("text", _is(str)),
    "event": ("a table of kind, and text, data, usage if wanted", _EVENT),
    "usage": ("a table of input_tokens, output_tokens, cost_usd", _USAGE),
    "model": ("text", _is(str)),
    "write": ("a table of path and text", _table({"path": str, "text": str}, {})),
    "run": ("a shell command", _is(str)),
    "delay": ("seconds, not negative", lambda value: _is(int, float)(value) and 0 <= value < 1e6),
    "stderr": ("text", _is(str)),
    "line": ("text", _is(str)),
    "spawn": (
        "a command, or a table of command and holds_output",
        lambda value: isinstance(value, str) or _table({"command": str}, {"holds_output": bool})(value),
    ),
    "ignore_term": ("true", lambda value: value is True),
    "exit": (
        "an exit status, or a negative signal number",
        lambda value: _is(int)(value) and (0 <= value < 256 or -value in signal.valid_signals()),
    ),
}
"""Each action: what it takes, in words, and whether a value is that."""
