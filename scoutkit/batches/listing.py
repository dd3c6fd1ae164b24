"""A list of missions as people write one: every mission as what it says, and everything that is wrong with the list."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from scoutkit.batches import needs, rows
from scoutkit.batches.rows import Fields, Rows, shown
from scoutkit.errors import UsageError
from scoutkit.model.batches import Wanted
from scoutkit.model.missions import Kind

LARGEST = 20_000_000  # bytes

_TEXTS = ("text", "id", "kind", "agent", "base", "model", "template")
_LISTS = ("agents", "paths", "tags", "checks", "repos")
_ONLY = {"checks": Kind.SCOUT, "repos": Kind.RESEARCH, "template": Kind.RESEARCH}
_KEYS = (*_TEXTS, *_LISTS, "priority", "depends_on", "limits")
_SECONDS, _COUNT, _DOLLARS, _BYTES = "seconds", "count", "dollars", "bytes"
_LIMITS = {
    "timeout": ("timeout", _SECONDS),
    "idle": ("idle", _SECONDS),
    "max_turns": ("turns", _COUNT),
    "max_tokens": ("tokens", _COUNT),
    "max_cost": ("cost_usd", _DOLLARS),
    "max_disk": ("disk_bytes", _BYTES),
    "max_memory": ("memory_bytes", _BYTES),
    "max_processes": ("processes", _COUNT),
}  # as the options are called: as `Limits` has them
_AMOUNTS: dict[str, tuple[str, dict[str, float]]] = {
    _SECONDS: (r"([smh]?)", {"": 1, "s": 1, "m": 60, "h": 3600}),
    _COUNT: (r"()", {"": 1}),
    _DOLLARS: (r"()", {"": 1}),
    _BYTES: (r"([kmgt]?)i?b?", {"": 1, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12}),
}  # what may follow a number, and what that makes of it
_ID = re.compile(r"[\w.-]{1,100}")
_WHOLE = 10**9  # the largest number that is taken


class Listed(NamedTuple):
    """The missions of a list, in order, without what is wrong in them; and all that is wrong: at which line, and what.

    Only a list without problems may be sent.
    """

    missions: list[Wanted]
    problems: set[tuple[int, str]]


class BadLines(UsageError):
    """What is wrong with a list of missions: `problems` are `file:line: what`."""

    def __init__(self, name: str, problems: Iterable[tuple[int, str]]) -> None:
        said = sorted(set(problems))
        self.problems = tuple(f"{name}:{line}: {what}" for line, what in said)
        lines = len({line for line, _ in said})
        super().__init__(f"{lines} bad line{'s' * (lines != 1)} in {name}: nothing was sent", "mend them and try again")


def read(raw: bytes, name: str, form: str = "") -> Listed:
    """What a file says. UsageError, or BadLines, where there is nothing in it to look at.

    `form` is one of rows.FORMS; without one, the file's ending tells, or how its text begins.
    """
    if len(raw) > LARGEST:
        raise UsageError(f"{name} has {len(raw):,} bytes: at most {LARGEST:,}", "make several batches of it")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadLines(name, [(raw.count(b"\n", 0, error.start) + 1, "not UTF-8")]) from error
    found = rows.read(text.replace("\r\n", "\n"), name, form)
    if not found.rows:
        if found.problems:
            raise BadLines(name, found.problems)
        raise UsageError(f"{name} holds no mission: nothing was sent", "write one question a line")
    wanted = [_mission(found, line, fields) for line, fields in found.rows]
    return Listed(needs.linked(wanted, found), found.problems)


def _mission(found: Rows, line: int, own: Fields) -> Wanted:
    """A row as a mission, with what the defaults say where it is silent."""
    given = _with_defaults(found.defaults, own)
    for key, (at, _) in given.items():
        if key not in _KEYS:
            near = difflib.get_close_matches(str(key), _KEYS, 1)
            found.bad(at, f"unknown key {key!r}" + (f": did you mean {near[0]}?" if near else ""))
    texts = {key: _text(found, key, *given[key]) for key in _TEXTS if key in given}
    lists = {key: _texts(found, key, *given[key]) for key in _LISTS if key in given}
    if "text" not in given or (isinstance(given["text"][1], str) and not given["text"][1].strip()):
        found.bad(line, "no text: say what is asked")
    agents = lists.get("agents", ()) or ((texts["agent"],) if "agent" in texts else ())
    if not all(agents):
        found.bad(line, "no agent: name one")
    if "agent" in texts and "agents" in lists:
        found.bad(given["agents"][0], "agent and agents exclude each other")
    if texts.get("id") and (not _ID.fullmatch(texts["id"]) or texts["id"].isdigit()):
        found.bad(given["id"][0], f"not an id: {texts['id']!r} (letters, digits, `.`, `_`, `-`, not digits alone)")
    kind = texts.get("kind") or Kind.ASK
    if kind not in list(Kind):
        found.bad(given["kind"][0], f"no kind of mission: {kind!r} (there are {', '.join(Kind)})")
        kind = ""
    for key, only in _ONLY.items():
        if key in own and kind and kind != only:
            found.bad(own[key][0], f"{key} is for {only} alone")
    if kind == Kind.RESEARCH and not lists.get("repos"):
        found.bad(line, "research without repos: name the repositories to look at")
        kind = ""
    for tag in lists.get("tags", ()):
        if not tag or "," in tag or any(char.isspace() for char in tag):
            found.bad(given["tags"][0], f"not a tag: {tag!r}")
    return Wanted(
        line=line,
        text=texts.get("text", ""),
        id=texts.get("id", ""),
        kind=kind if texts.get("kind") else "",
        agents=tuple(filter(None, agents)),
        base=texts.get("base", ""),
        paths=lists.get("paths", ()),
        checks=lists.get("checks", ()) if kind == Kind.SCOUT else (),
        repos=lists.get("repos", ()) if kind == Kind.RESEARCH else (),
        template=texts.get("template", "") if kind == Kind.RESEARCH else "",
        tags=tuple(dict.fromkeys(lists.get("tags", ()))),
        priority=_whole(found, "priority", *given["priority"]) if "priority" in given else 0,
        model=texts.get("model", ""),
        limits=_limits(found, *given["limits"]) if "limits" in given else {},
    )


def _with_defaults(defaults: Fields, own: Fields) -> dict[str, tuple[int, Any]]:
    given: dict[str, tuple[int, Any]] = {**defaults, **own}
    for one, other in (("agent", "agents"), ("agents", "agent")):
        if one in own and other not in own:
            given.pop(other, None)
    if defaults.get("limits") and own.get("limits"):
        ours, theirs = own["limits"][1], defaults["limits"][1]
        if isinstance(ours, Mapping) and isinstance(theirs, Mapping):
            given["limits"] = (own["limits"][0], {**theirs, **ours})
    return given


def _text(found: Rows, key: str, line: int, value: Any) -> str:
    if not isinstance(value, str):
        found.bad(line, f"{key} must be text, not {shown(value)}")
        return ""
    try:
        value.encode()
    except UnicodeEncodeError:
        found.bad(line, f"{key} holds half a character")
        return ""
    if "\0" in value:
        found.bad(line, f"{key} holds a NUL character")
        return ""
    return value.strip()


def _texts(found: Rows, key: str, line: int, value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        value = value.split(",") if key == "agents" else [value]
    if not isinstance(value, list):
        found.bad(line, f"{key} must be a list of texts, not {shown(value)}")
        return ()
    texts = [(one, _text(found, key, line, one)) for one in value]
    return tuple(text for one, text in texts if isinstance(one, str))


def _whole(found: Rows, key: str, line: int, value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) > _WHOLE:
        found.bad(line, f"{key} must be a whole number, not {shown(value)}")
        return 0
    return value


def _limits(found: Rows, line: int, value: Any) -> dict[str, float]:
    if not isinstance(value, Mapping):
        found.bad(line, f"limits must be a mapping, not {shown(value)}")
        return {}
    limits = {}
    for key, one in value.items():
        if key not in _LIMITS:
            found.bad(line, f"no limit is called {key!r} (there are {', '.join(_LIMITS)})")
            continue
        name, unit = _LIMITS[key]
        if (number := _amount(unit, one)) is None:
            found.bad(line, f"{key} cannot be {shown(one)}")
        else:
            limits[name] = number
    return limits


def _amount(unit: str, value: Any) -> float | None:
    """A limit as a number; None for what is none. Times may be `10m`, money `$0.50`, sizes `500MB`."""
    if isinstance(value, str):
        after, times = _AMOUNTS[unit]
        text = value.strip().lower().removeprefix("$" if unit == _DOLLARS else "")
        match = re.fullmatch(rf"(\d+(?:\.\d+)?)\s*{after}", text)
        if not match:
            return None
        value = float(match[1]) * times[match[2]]
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf:
        return None
    if unit == _COUNT:
        return int(value) if value == int(value) else None
    if unit == _BYTES:
        return int(value) or None
    return float(value)
