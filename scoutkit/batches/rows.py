"""The three ways in which people write a list of missions: plain lines, JSON lines, YAML. Text becomes rows."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

FORMS = ("lines", "jsonl", "yaml")

_ENDINGS = {".jsonl": "jsonl", ".ndjson": "jsonl", ".yaml": "yaml", ".yml": "yaml", ".json": "yaml", ".txt": "lines"}

Fields = Mapping[str, tuple[int, Any]]  # key: the line it is at, its value


@dataclass
class Rows:
    """What a file holds: a row a mission, and what is wrong."""

    rows: list[tuple[int, Fields]] = field(default_factory=list)
    defaults: Fields = field(default_factory=dict)
    problems: set[tuple[int, str]] = field(default_factory=set)

    def bad(self, line: int, what: str) -> None:
        """Say what is wrong with a line."""
        self.problems.add((line, what))


def read(text: str, name: str, form: str = "") -> Rows:
    """The rows of a file. `form` is one of FORMS; without one, the file's ending tells, or how its text begins."""
    found = Rows()
    {"lines": _lines, "jsonl": _json_lines, "yaml": _yaml}[form or _form(name, text)](text, found)
    return found


def shown(value: Any) -> str:
    """A value in a message."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:59]}…"


def _form(name: str, text: str) -> str:
    if by_ending := _ENDINGS.get(PurePosixPath(name).suffix.lower()):
        return by_ending
    first = next((line for line in text.split("\n") if line.strip() and not line.lstrip().startswith("#")), "")
    if first.startswith("{"):
        return "jsonl"
    return "yaml" if re.match(r"---\s*$|(missions|defaults)\s*:\s*$", first) else "lines"


def _lines(text: str, found: Rows) -> None:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            found.rows.append((number, {"text": (number, line)}))


def _json_lines(text: str, found: Rows) -> None:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            value = json.loads(line)
        except ValueError as error:
            said = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
            found.bad(number, f"not JSON: {said[:1].lower()}{said[1:]}")
            continue
        except RecursionError:
            found.bad(number, "not JSON that can be read: nested too deeply")
            continue
        if isinstance(value, str):
            value = {"text": value}
        if isinstance(value, dict):
            found.rows.append((number, {key: (number, one) for key, one in value.items()}))
        else:
            found.bad(number, f"a mission is an object or a text, not {shown(value)}")


def _yaml(text: str, found: Rows) -> None:
    import yaml

    try:
        loader = yaml.SafeLoader(text)
        root = loader.get_single_node()
    except yaml.YAMLError as error:
        found.bad(_marked(error), f"not YAML: {_said(error)}")
        return
    except RecursionError:
        found.bad(1, "not YAML that can be read: nested too deeply")
        return
    if isinstance(root, yaml.MappingNode):
        parts = dict(_pairs(root, found))
        for key, node in parts.items():
            if key not in ("defaults", "missions"):
                found.bad(node.start_mark.line + 1, f"unknown key {key!r}: there are defaults and missions")
        if "defaults" in parts:
            found.defaults = _row(loader, parts["defaults"], found)
            for key in ("text", "id", "depends_on"):
                if key in found.defaults:
                    found.bad(found.defaults[key][0], f"{key} is for one mission, not a default")
        root = parts.get("missions")
    if root is None:
        return
    if not isinstance(root, yaml.SequenceNode):
        found.bad(root.start_mark.line + 1, "not a list of missions")
        return
    found.rows += [(node.start_mark.line + 1, _row(loader, node, found)) for node in root.value]


def _row(loader: Any, node: Any, found: Rows) -> dict[str, tuple[int, Any]]:
    """A mission's fields, or the defaults."""
    import yaml

    if not isinstance(node, yaml.MappingNode):
        return {"text": (node.start_mark.line + 1, _value(loader, node, found))}
    return {key: (one.start_mark.line + 1, _value(loader, one, found)) for key, one in _pairs(node, found)}


def _pairs(node: Any, found: Rows) -> Iterator[tuple[str, Any]]:
    seen = set()
    for name, value in node.value:
        key = str(name.value)
        if key in seen:
            found.bad(name.start_mark.line + 1, f"{key} is given twice")
        seen.add(key)
        yield key, value


def _value(loader: Any, node: Any, found: Rows) -> Any:
    import yaml

    try:
        return loader.construct_object(node, deep=True)
    except (yaml.YAMLError, ValueError, RecursionError, TypeError) as error:
        line = _marked(error) if isinstance(error, yaml.YAMLError) else node.start_mark.line + 1
        found.bad(line, f"not a value: {_said(error)}")
        return ""


def _marked(error: Any) -> int:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    return mark.line + 1 if mark else 1


def _said(error: Exception) -> str:
    return str(getattr(error, "problem", "") or error).split("\n")[0]
