"""What is around the lines that answer: who calls them, what they call, tests, documents, settings. All by name: the
code is read, not run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from scoutkit import symbols
from scoutkit.agents.builtin.evidence import Cited, cite, mentions
from scoutkit.agents.builtin.index import Index
from scoutkit.agents.builtin.paths import Role, role_of
from scoutkit.agents.builtin.segment import Place
from scoutkit.git import Snapshot

MANY = 8  # a name defined more often than this says nothing about who calls whom
_FILES = 12  # are read for one name
_NOISE = frozenset(
    """__init__ __new__ __call__ __enter__ __exit__ add append as_ref as_str call clone close collect copy create emit
    expect extend find format from get has includes index into iter init insert is join keys len list load log main map
    new next open parse pop print push put read remove require reset run send set setup size sort split start stop str
    test then to_string toString trigger unwrap update use values write""".split()  # noqa: SIM905
)
_SETTING = re.compile(
    r"""(?:environ(?:\.get)?[\[(]\s*|getenv\(\s*|Getenv\(\s*|process\.env\.|env::var\(\s*|ENV(?:\.fetch)?[\[(]\s*)["']?([A-Z][A-Z0-9_]{2,})"""
    r"""|[Cc]onfig(?:\.get)?[\[(]\s*["']([\w.-]{3,60})["']"""
    r"""|["'](--[a-z][a-z0-9-]{2,40})["']"""
)


@dataclass(frozen=True, slots=True)
class Found:
    """A range that answers, with what is defined there."""

    path: str
    place: Place


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A place that has to do with a name. `sure` is False where several definitions share the name."""

    cited: Cited
    name: str
    sure: bool


def telling(index: Index, name: str) -> int:
    """How many definitions a name has, 0 for one that says nothing."""
    if len(name) < 3 or name in _NOISE or not re.fullmatch(r"[^\W\d]\w*", name):
        return 0
    found = len(index.defined(name))
    return found if found <= MANY else 0


def callers(index: Index, snapshot: Snapshot, answer: Found, *, most: int) -> Iterator[Neighbour]:
    """Who calls what is defined in a range, source files first, each calling definition once."""
    name = answer.place.name
    known = telling(index, name)
    if not known:
        return
    said = 0
    paths = mentions(index, name)
    for path in _nearest([path for path in paths if role_of(path) is not Role.TEST] or paths, answer.path):
        text = snapshot.text(path)
        if text is None:
            continue
        seen: set[str] = set()
        for call in symbols.calls(path, text):
            inside = path == answer.path and answer.place.start <= call.line <= answer.place.end
            if call.name != name or inside:
                continue
            holder = symbols.enclosing(path, text, call.line, call.line)
            if holder in seen:
                continue
            seen.add(holder)
            cited = cite(snapshot, path, call.line, call.line, [name])
            if cited:
                yield Neighbour(cited, holder, known == 1)
                said += 1
                if said >= most:
                    return


def callees(index: Index, snapshot: Snapshot, answer: Found, *, most: int) -> Iterator[Neighbour]:
    """The definitions in this tree of what a range calls, in the order of the calls."""
    text = snapshot.text(answer.path)
    if text is None:
        return
    seen = {answer.place.name}
    for call in symbols.calls(answer.path, text, answer.place.start, answer.place.end):
        if call.name in seen:
            continue
        seen.add(call.name)
        known = telling(index, call.name)
        place = _definition(index, call.name, answer.path) if known else None
        if place is None or (place[0] == answer.path and answer.place.start <= place[1].start <= answer.place.end):
            continue
        cited = cite(snapshot, place[0], place[1].start, place[1].end, [call.name])
        if cited:
            yield Neighbour(cited, place[1].qualified, known == 1)
            if len(seen) > most * 4:
                return


def _definition(index: Index, name: str, near: str) -> tuple[str, Place] | None:
    """Where a name is defined, the nearest file first, tests last."""
    found = []
    for chunk in index.defined(name):
        file = index.file_of(chunk)
        places = index.places(file)
        at = chunk - index.first_chunk(file)
        numbers = index.paths_of.get(file, [])
        if numbers and at < len(places):
            found.append((index.paths[numbers[0]], places[at]))
    order = {path: rank for rank, path in enumerate(_nearest([path for path, _ in found], near))}
    return min(found, key=lambda one: order[one[0]]) if found else None


def tests_and_documents(
    index: Index, snapshot: Snapshot, names: list[str], *, most: int
) -> tuple[list[Neighbour], list[Neighbour]]:
    """Tests that use one of the names, and documents that mention one, the first line of each file."""
    tests: dict[str, Neighbour] = {}
    documents: dict[str, Neighbour] = {}
    for name in names:
        if not telling(index, name):
            continue
        word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
        looked = 0
        for path in mentions(index, name):
            role = role_of(path)
            into = tests if role is Role.TEST else documents if role is Role.DOCUMENT else None
            if into is None or path in into or len(into) >= most or looked >= _FILES:
                continue
            looked += 1
            lines = snapshot.lines(path) or []
            at = next(
                (number for number, line in enumerate(lines, 1) if word.search(line) and not _imports(line)), None
            )
            cited = cite(snapshot, path, at, at, [name]) if at else None
            if at and cited:
                into[path] = Neighbour(cited, symbols.enclosing(path, "\n".join(lines), at, at), sure=True)
    return list(tests.values()), list(documents.values())


def settings(snapshot: Snapshot, answers: list[Found], *, most: int) -> list[Cited]:
    """Environment variables, configuration keys and flags that the ranges read, each once."""
    found: dict[str, Cited] = {}
    for answer in answers:
        lines = snapshot.lines(answer.path) or []
        for number in range(answer.place.start, min(answer.place.end, len(lines)) + 1):
            for match in _SETTING.finditer(lines[number - 1]):
                key = next(group for group in match.groups() if group)
                if (
                    key not in found
                    and len(found) < most
                    and (cited := cite(snapshot, answer.path, number, number, [key]))
                ):
                    found[key] = cited
    return list(found.values())


def _imports(line: str) -> bool:
    return bool(re.match(r"\s*(?:import\b|from\s.*\bimport\b|use\s|#include|(?:const|let|var)\b.*\brequire\()", line))


def _nearest(paths: list[str], near: str) -> list[str]:
    """Source files before others, those nearest to `near` first; as many as are worth reading."""
    folders = near.split("/")

    def distance(path: str) -> tuple[bool, int, str]:
        other = path.split("/")
        shared = next((at for at, (a, b) in enumerate(zip(folders, other, strict=False)) if a != b), len(other))
        return role_of(path) is not Role.SOURCE, len(folders) + len(other) - 2 * shared, path

    return sorted(dict.fromkeys(paths), key=distance)[:_FILES]
