"""A list of missions as people write one: plain lines, JSON lines, YAML. Names every bad line at once."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import Any

from scoutkit.errors import UsageError
from scoutkit.model.batches import Wanted
from scoutkit.model.missions import Kind

FORMS = ("lines", "jsonl", "yaml")
LARGEST = 20_000_000  # bytes

_ENDINGS = {".jsonl": "jsonl", ".ndjson": "jsonl", ".yaml": "yaml", ".yml": "yaml", ".json": "yaml", ".txt": "lines"}
_TEXTS = ("text", "id", "kind", "agent", "base", "model", "template")
_LISTS = ("agents", "paths", "tags", "checks", "repos")
_ONLY = {"checks": Kind.SCOUT, "repos": Kind.RESEARCH, "template": Kind.RESEARCH}
_KEYS = (*_TEXTS, *_LISTS, "priority", "depends_on", "limits")
_LIMITS = {
    "timeout": "timeout",
    "idle": "idle",
    "max_turns": "turns",
    "max_tokens": "tokens",
    "max_cost": "cost_usd",
}  # as the options are called: as `Limits` has them
_TIME = re.compile(r"(\d+(?:\.\d+)?)\s*([smh]?)")
_ID = re.compile(r"[\w.-]{1,100}")
_WHOLE = 10**9  # the largest number that is taken

Fields = Mapping[str, tuple[int, Any]]  # key: the line it is at, its value


class BadLines(UsageError):
    """What is wrong with a list of missions: `problems` are `file:line: what`."""

    def __init__(self, name: str, problems: Iterable[tuple[int, str]]) -> None:
        self.problems = tuple(f"{name}:{line}: {what}" for line, what in sorted(problems))
        lines = len({one.split(": ")[0] for one in self.problems})
        super().__init__(f"{lines} bad line{'s' * (lines != 1)} in {name}: nothing was sent", "mend them and try again")


def read(raw: bytes, name: str, form: str = "") -> list[Wanted]:
    """The missions, in order. Raises BadLines for anything that is not understood, all of it at once.

    `form` is one of FORMS; without one, the file's ending tells, or how its text begins.
    """
    if len(raw) > LARGEST:
        raise UsageError(f"{name} has {len(raw):,} bytes: at most {LARGEST:,}", "make several batches of it")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadLines(name, [(raw.count(b"\n", 0, error.start) + 1, "not UTF-8")]) from error
    text = text.replace("\r\n", "\n")
    found = _Found()
    {"lines": _lines, "jsonl": _json_lines, "yaml": _yaml}[form or _form(name, text)](text, found)
    if not found.rows and not found.problems:
        raise UsageError(f"{name} holds no mission: nothing was sent", "write one question a line")
    wanted = [found.mission(line, fields) for line, fields in found.rows]
    result = _linked(wanted, found)
    if found.problems:
        raise BadLines(name, found.problems)
    return result


def _form(name: str, text: str) -> str:
    if by_ending := _ENDINGS.get(PurePosixPath(name).suffix.lower()):
        return by_ending
    first = next((line for line in text.split("\n") if line.strip() and not line.lstrip().startswith("#")), "")
    if first.startswith("{"):
        return "jsonl"
    return "yaml" if re.match(r"---\s*$|(missions|defaults)\s*:\s*$", first) else "lines"


@dataclass
class _Found:
    """What a file holds: a row a mission, and what is wrong."""

    rows: list[tuple[int, Fields]] = field(default_factory=list)
    defaults: Fields = field(default_factory=dict)
    problems: set[tuple[int, str]] = field(default_factory=set)

    def bad(self, line: int, what: str) -> None:
        self.problems.add((line, what))

    def mission(self, line: int, own: Fields) -> Wanted:
        """A row as a mission, with what the defaults say where it is silent."""
        given: dict[str, tuple[int, Any]] = {**self.defaults, **own}
        for one, other in (("agent", "agents"), ("agents", "agent")):
            if one in own and other not in own:
                given.pop(other, None)
        if self.defaults.get("limits") and own.get("limits"):
            ours, theirs = own["limits"][1], self.defaults["limits"][1]
            if isinstance(ours, Mapping) and isinstance(theirs, Mapping):
                given["limits"] = (own["limits"][0], {**theirs, **ours})
        for key, (at, _) in given.items():
            if key not in _KEYS:
                near = difflib.get_close_matches(str(key), _KEYS, 1)
                self.bad(at, f"unknown key {key!r}" + (f": did you mean {near[0]}?" if near else ""))
        texts = {key: self._text(key, *given[key]) for key in _TEXTS if key in given}
        lists = {key: self._texts(key, *given[key]) for key in _LISTS if key in given}
        if not texts.get("text") and ("text" not in texts or isinstance(given["text"][1], str)):
            self.bad(line, "no text: say what is asked")
        if "agent" in texts and "agents" in lists:
            self.bad(given["agents"][0], "agent and agents exclude each other")
        if texts.get("kind") and texts["kind"] not in list(Kind):
            self.bad(given["kind"][0], f"no kind of mission: {texts['kind']!r} (there are {', '.join(Kind)})")
        if texts.get("id") and (not _ID.fullmatch(texts["id"]) or texts["id"].isdigit()):
            self.bad(given["id"][0], f"not an id: {texts['id']!r} (letters, digits, `.`, `_`, `-`, not digits alone)")
        kind = texts.get("kind") or Kind.ASK
        for key, only in _ONLY.items():
            if key in own and kind in list(Kind) and kind != only:
                self.bad(own[key][0], f"{key} is for {only} alone")
        if kind == Kind.RESEARCH and not lists.get("repos"):
            self.bad(line, "research without repos: name the repositories to look at")
        for tag in lists.get("tags", ()):
            if not tag or "," in tag or any(char.isspace() for char in tag):
                self.bad(given["tags"][0], f"not a tag: {tag!r}")
        return Wanted(
            line=line,
            text=texts.get("text", ""),
            id=texts.get("id", ""),
            kind=texts.get("kind", ""),
            agents=lists.get("agents", ()) or ((texts["agent"],) if texts.get("agent") else ()),
            base=texts.get("base", ""),
            paths=lists.get("paths", ()),
            checks=lists.get("checks", ()) if kind == Kind.SCOUT else (),
            repos=lists.get("repos", ()) if kind == Kind.RESEARCH else (),
            template=texts.get("template", "") if kind == Kind.RESEARCH else "",
            tags=tuple(dict.fromkeys(lists.get("tags", ()))),
            priority=self._whole("priority", *given["priority"]) if "priority" in given else 0,
            model=texts.get("model", ""),
            limits=self._limits(*given["limits"]) if "limits" in given else {},
        )

    def _text(self, key: str, line: int, value: Any) -> str:
        if not isinstance(value, str):
            self.bad(line, f"{key} must be text, not {_shown(value)}")
            return ""
        try:
            value.encode()
        except UnicodeEncodeError:
            self.bad(line, f"{key} holds half a character")
        if "\0" in value:
            self.bad(line, f"{key} holds a NUL character")
        return value.strip()

    def _texts(self, key: str, line: int, value: Any) -> tuple[str, ...]:
        if isinstance(value, str):
            value = value.split(",") if key == "agents" else [value]
        if not isinstance(value, list):
            self.bad(line, f"{key} must be a list of texts, not {_shown(value)}")
            return ()
        return tuple(self._text(key, line, one) for one in value)

    def _whole(self, key: str, line: int, value: Any) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or abs(value) > _WHOLE:
            self.bad(line, f"{key} must be a whole number, not {_shown(value)}")
            return 0
        return value

    def _limits(self, line: int, value: Any) -> dict[str, float]:
        if not isinstance(value, Mapping):
            self.bad(line, f"limits must be a mapping, not {_shown(value)}")
            return {}
        limits = {}
        for key, one in value.items():
            if key not in _LIMITS:
                self.bad(line, f"no limit is called {key!r} (there are {', '.join(_LIMITS)})")
            elif (number := _limit(key, one)) is None:
                self.bad(line, f"{key} cannot be {_shown(one)}")
            else:
                limits[_LIMITS[key]] = number
        return limits


def _limit(key: str, value: Any) -> float | None:
    """A limit as a number; None for what is none. Times may be `10m`, money `$0.50`."""
    if isinstance(value, str):
        match = _TIME.fullmatch(value.strip().lower().removeprefix("$" if key == "max_cost" else ""))
        if not match or (match[2] and key not in ("timeout", "idle")):
            return None
        value = float(match[1]) * {"": 1, "s": 1, "m": 60, "h": 3600}[match[2]]
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < float("inf"):
        return None
    if key in ("max_turns", "max_tokens"):
        return int(value) if value == int(value) else None
    return float(value)


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:59]}…"


# The three ways to write them


def _lines(text: str, found: _Found) -> None:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            found.rows.append((number, {"text": (number, line)}))


def _json_lines(text: str, found: _Found) -> None:
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
            found.bad(number, f"a mission is an object or a text, not {_shown(value)}")


def _yaml(text: str, found: _Found) -> None:
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


def _row(loader: Any, node: Any, found: _Found) -> dict[str, tuple[int, Any]]:
    """A mission's fields, or the defaults."""
    import yaml

    if not isinstance(node, yaml.MappingNode):
        return {"text": (node.start_mark.line + 1, _value(loader, node, found))}
    return {key: (one.start_mark.line + 1, _value(loader, one, found)) for key, one in _pairs(node, found)}


def _pairs(node: Any, found: _Found) -> Iterator[tuple[str, Any]]:
    seen = set()
    for name, value in node.value:
        key = str(name.value)
        if key in seen:
            found.bad(name.start_mark.line + 1, f"{key} is given twice")
        seen.add(key)
        yield key, value


def _value(loader: Any, node: Any, found: _Found) -> Any:
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


# What one mission has to do with another


def _linked(wanted: Sequence[Wanted], found: _Found) -> list[Wanted]:
    """With `depends_on` as places in the file. What names nothing, or leads back to itself, is a problem."""
    places: dict[str, int] = {}
    for number, one in enumerate(wanted, 1):
        if one.id in places:
            found.bad(one.line, f"the id {one.id!r} is that of line {wanted[places[one.id] - 1].line} already")
        elif one.id:
            places[one.id] = number
    linked = []
    for number, (one, (line, fields)) in enumerate(zip(wanted, found.rows, strict=True), 1):
        at, given = fields.get("depends_on", (line, []))
        named = given if isinstance(given, list) else [given]
        needs = []
        for name in named:
            place = _place(name, places, len(wanted))
            if place is None or place == number:
                found.bad(at, f"depends on {_shown(name)}, which is " + ("itself" if place else "no mission here"))
            else:
                needs.append(place)
        linked.append(replace(one, depends_on=tuple(dict.fromkeys(needs))))
    for number in _circular(linked):
        found.bad(linked[number - 1].line, "depends on itself by way of others")
    return linked


def _place(name: Any, places: Mapping[str, int], count: int) -> int | None:
    if isinstance(name, str) and name.strip() in places:
        return places[name.strip()]
    if isinstance(name, str) and name.strip().isdecimal() and len(name) < 10:
        name = int(name)
    return name if isinstance(name, int) and not isinstance(name, bool) and 1 <= name <= count else None


def _circular(wanted: Sequence[Wanted]) -> list[int]:
    """Those that wait for each other: what is left when all that can go have gone."""
    left = {number: set(one.depends_on) for number, one in enumerate(wanted, 1)}
    waiting: dict[int, list[int]] = {}
    for number, needs in left.items():
        for need in needs:
            waiting.setdefault(need, []).append(number)
    ready = [number for number, needs in left.items() if not needs]
    while ready:
        gone = ready.pop()
        del left[gone]
        for number in waiting.get(gone, ()):
            left[number].discard(gone)
            if not left[number]:
                ready.append(number)
    return [number for number in left if _returns(number, left)]


def _returns(start: int, left: Mapping[int, set[int]]) -> bool:
    """Is it on a circle, and not only behind one?"""
    seen, todo = set[int](), list(left[start])
    while todo:
        number = todo.pop()
        if number == start:
            return True
        if number not in seen:
            seen.add(number)
            todo.extend(left.get(number, ()))
    return False
