"""What stands beside the code that answers: tests and documents that the question finds, or that use what answers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from scoutkit import symbols, words
from scoutkit.agents.builtin.indexing.paths import Role, role_of
from scoutkit.agents.builtin.ranking.rank import Range, Ranking
from scoutkit.agents.builtin.reporting import looks, naming
from scoutkit.agents.builtin.reporting.code import Code
from scoutkit.agents.builtin.reporting.evidence import Cited, begun, cite, holds
from scoutkit.agents.builtin.reporting.naming import Node
from scoutkit.agents.builtin.reporting.spots import held_in

_ENOUGH = 2  # found by the question: then none are looked for by name
_NEAR = 0.6  # of the best one's score
_TITLE = 80  # characters
_LONG = 300  # lines: no single test has them
_FILES = 12  # are read for one name
_TITLED = re.compile(r"""\s*(?:test|it|scenario|describe|@test)\s*[({]?\s*["'{]([^"'{}]{3,100})["'}]""", re.IGNORECASE)
_LINK = re.compile(r"!?\[([^\[\]]*)\](?:\([^()\s]*\)|\[[^\[\]]*\])")


@dataclass(frozen=True, slots=True)
class Beside:
    """`title`: of the test or section, as far as it can be said; `cited`: where that stands, else a word of the
    question; `uses`: the name that it uses, "" where the question's words found it."""

    title: str
    cited: Cited
    uses: str = ""


def tests(code: Code, ranking: Ranking, nodes: Sequence[Node], shown: set[str], *, most: int) -> list[Beside]:
    """One a file. Those that use what answers come first where the names say enough: they are what has to pass."""
    return list(_both(code, ranking.tests, nodes, shown, Role.TEST, most, ranking.rare))


def documents(code: Code, ranking: Ranking, nodes: Sequence[Node], shown: set[str], *, most: int) -> list[Beside]:
    """One a file."""
    return list(_both(code, ranking.documents, nodes, shown, Role.DOCUMENT, most, ranking.rare))


def _both(
    code: Code,
    ranges: Sequence[Range],
    nodes: Sequence[Node],
    shown: set[str],
    role: Role,
    most: int,
    rare: Sequence[str],
) -> Iterator[Beside]:
    best = ranges[0].score if ranges else 0.0
    seen = set(shown)
    found = 0
    for one in ranges:
        if found >= most or one.score < best * _NEAR or len(one.terms) < min(2, len(rare)):
            break
        if one.path in seen or role_of(one.path) is not role:
            continue
        if role is Role.DOCUMENT and not one.terms & set(rare[: (len(rare) + 1) // 2]):
            continue  # it shares only what many files say
        if beside := _found(code, one, role, rare):
            seen.add(one.path)
            found += 1
            yield beside
    if found < _ENOUGH:
        yield from _users(code, nodes, role, seen, most - found)


def _found(code: Code, one: Range, role: Role, rare: Sequence[str]) -> Beside | None:
    """A test that has a name or a title, or a section."""
    place = one.place
    title, start, end = place.name, place.start, place.end
    if role is Role.TEST and place.kind == "block" and not code.symbols(one.path):
        title = _written(code.lines(one.path)[start - 1 : end])
    elif role is Role.TEST and place.kind != "test":
        held = code.unit(one.path, place.start)
        if held is None:
            return None
        if held.kind == "test" or not place.name:  # a callback in a test is told as the test
            title, start, end = held.name, held.start, held.end
    if role is Role.TEST and code.symbols(one.path) and not _is_test(code, one.path, title, start):
        return None
    if role is Role.TEST and end - start > _LONG:
        return None  # a whole suite
    title = plain_title(title)
    cited = cite(code.snapshot, one.path, start, end, [title, *held_in(code, one, rare)])
    return Beside(title, begun(code.snapshot, cited)) if cited and title else None


def _written(lines: Sequence[str]) -> str:
    """The title of a test in a language that is read as plain text."""
    found = (_TITLED.match(line) for line in lines)
    return next((match[1] for match in found if match), "")


def _is_test(code: Code, path: str, title: str, line: int) -> bool:
    """Is it a test, and no helper of one?"""
    unit = code.unit(path, line)
    return (
        bool(title)
        and unit is not None
        and (
            unit.kind == "test"
            or bool(re.search(r"(?i)test|spec|should|when|\bit_|_it_", title))
            or " " in title
            or _annotated(code, path, unit)
        )
    )


def _annotated(code: Code, path: str, unit: symbols.Symbol) -> bool:
    above = code.lines(path)[unit.start - 1 : unit.body_start]
    return any(re.search(r"@\w*Test|#\[(?:\w+::)?test|\[(?:Test|Fact|Theory)", line) for line in above[:8])


def plain_title(title: str) -> str:
    """A heading or a test's title as text: without links and backticks."""
    while (less := _LINK.sub(r"\1", title)) != title:  # a badge is a link around a picture
        title = less
    said = " ".join(title.replace("`", "").split())
    return said if len(said) <= _TITLE else said[:_TITLE].rsplit(" ", 1)[0].strip()


def _users(code: Code, nodes: Sequence[Node], role: Role, seen: set[str], most: int) -> Iterator[Beside]:
    """Where files of a role use one of the names, once a file, each with the test or section that does."""
    for node in nodes[:4]:
        name = node.last
        if most <= 0:
            return
        if not naming.telling(code.index, name) or len(words.split_identifier(name)) < 2:
            continue
        paths = [path for path in naming.mentions(code.index, name) if role_of(path) is role and path not in seen]
        for path in paths[:_FILES]:
            lines = code.lines(path)
            used = (at for at, line in enumerate(lines, 1) if holds(line, name) and not looks.IMPORT.match(line))
            at = next(used, 0)
            cited = cite(code.snapshot, path, at, at, [name]) if at else None
            title = _title(code, path, at) if cited else ""
            if role is Role.TEST and not _is_test(code, path, title, at):
                continue
            if cited and title and most > 0:
                seen.add(path)
                most -= 1
                yield Beside(title, cited, uses=name)


def _title(code: Code, path: str, line: int) -> str:
    held = code.unit(path, line) or code.holder(path, line)
    return plain_title(held.name if held and held.kind in ("test", "section") else held.qualified if held else "")
