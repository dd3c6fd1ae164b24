"""A run as a row of SQLite, and back: which columns there are and how a field is stored in one."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable
from typing import Any

from scoutkit.model.missions import Kind, Limits, Owner, Result, Run, State, Usage

FIELDS = tuple(field.name for field in dataclasses.fields(Run))
_NOUNS = {"owner": Owner, "child": Owner, "usage": Usage, "limits": Limits}


def settable(fields: dict[str, Any]) -> dict[str, Any]:
    """The fields, all of which a run has and may be given later. TypeError otherwise."""
    if unknown := fields.keys() - set(FIELDS) | fields.keys() & {"id", "state"}:
        raise TypeError(f"not to be set so: {', '.join(sorted(unknown))}")
    return fields


def pack(fields: dict[str, Any]) -> dict[str, Any]:
    """As SQLite takes them: nouns as JSON, text that is no Unicode (paths may be any bytes) as a blob."""
    packed: dict[str, Any] = {}
    for name, value in fields.items():
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            packed[name] = json.dumps(dataclasses.asdict(value))
        elif isinstance(value, str):
            packed[name] = _storable(str(value))
        else:
            packed[name] = value
    return packed


def _storable(text: str) -> str | bytes:
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text


def unpack(row: Iterable[Any]) -> Run:
    """From the values of FIELDS. ValueError, KeyError or TypeError for what `pack` cannot have made."""
    values: dict[str, Any] = dict(zip(FIELDS, row, strict=True))
    for name, value in values.items():
        if isinstance(value, bytes):
            values[name] = value.decode(errors="surrogatepass")
        elif name in _NOUNS and value is not None:
            values[name] = _NOUNS[name](**json.loads(value))
    values["kind"], values["state"] = Kind(values["kind"]), State(values["state"])
    values["result"] = values["result"] and Result(values["result"])
    return Run(**values)
