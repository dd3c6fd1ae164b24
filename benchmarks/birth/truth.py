"""Right citations out of a repository: what its documentation and code say, and where that stands."""

from __future__ import annotations

import ast
import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from scoutkit import symbols
from scoutkit.snapshot import Snapshot

MOST_FILES = 1500
_KINDS = frozenset({"function", "method", "class", "interface", "struct", "enum", "trait", "type"})
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]{3,40}\Z")
_SENTENCE = re.compile(r"[^.\n`]{0,80}`([A-Za-z_][\w.:]{3,60})(?:\(\))?`[^.\n`]{10,160}\.")
_CODE = re.compile(r"\.(?:py|js|mjs|ts|tsx|go|rs|java|c|h|cc|cpp|hpp|rb|php|cs|kt)\Z")
_TEXT = re.compile(r"\.(?:md|rst|txt)\Z|CHANGE|HISTORY|NEWS")


@dataclass(frozen=True)
class Truth:
    """Something said of a place that is right. `names` in the order they are said; `quote` is verbatim or empty.

    `unique`: no other place of the file defines the name, or holds the quote; `alone`: nor any other file.
    """

    path: str
    start: int
    end: int
    names: tuple[str, ...]
    quote: str
    words: str
    kind: str  # definition, head, use, document
    unique: bool
    alone: bool


@dataclass
class Definition:
    path: str
    start: int
    end: int
    name: str
    qualified: str
    doc: str


@dataclass
class Repository:
    """What was read of a commit."""

    snapshot: Snapshot
    definitions: list[Definition] = field(default_factory=list)
    lines: dict[str, list[str]] = field(default_factory=dict)
    often: Counter[str] = field(default_factory=Counter)  # definitions of a name in the tree
    here: Counter[tuple[str, str]] = field(default_factory=Counter)  # in a file


def read(snapshot: Snapshot, chance: random.Random) -> Repository:
    """Parse up to MOST_FILES source files: Python with `ast`, the rest with scoutkit's grammars."""
    found = Repository(snapshot)
    paths = sorted(path for path in snapshot.entries if _CODE.search(path))
    if len(paths) > MOST_FILES:
        paths = sorted(chance.sample(paths, MOST_FILES))
    for path in paths:
        text = snapshot.text(path)
        lines = snapshot.lines(path)
        if text is None or not lines or len(text) > 400_000:
            continue
        found.lines[path] = lines
        for one in _python(path, text) if path.endswith(".py") else _other(path, text):
            found.often[one.name] += 1
            found.here[path, one.name] += 1
            found.definitions.append(one)
    return found


def _python(path: str, text: str) -> Iterator[Definition]:
    try:
        root = ast.parse(text)
    except (SyntaxError, ValueError):
        return

    def walk(node: ast.AST, owner: str) -> Iterator[Definition]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                qualified = f"{owner}.{child.name}" if owner else child.name
                doc = ast.get_docstring(child) or ""
                yield Definition(path, child.lineno, child.end_lineno or child.lineno, child.name, qualified, doc)
                yield from walk(child, qualified if isinstance(child, ast.ClassDef) else owner)
            else:
                yield from walk(child, owner)

    yield from walk(root, "")


def _other(path: str, text: str) -> Iterator[Definition]:
    for one in symbols.symbols(path, text):
        if one.kind in _KINDS and _IDENTIFIER.match(one.name):
            yield Definition(path, one.start, one.end, one.name, one.qualified, one.doc)


def truths(repository: Repository, chance: random.Random, most: int) -> list[Truth]:
    """Up to `most` of each kind."""
    kinds = [_definitions(repository), _uses(repository, chance, most), _documents(repository)]
    found: list[Truth] = []
    for kind in kinds:
        listed = list(kind)
        chance.shuffle(listed)
        found += listed[:most]
    return [_head(one) if one.kind == "definition" and chance.random() < 0.2 else one for one in found]


def _definitions(repository: Repository) -> Iterator[Truth]:
    for one in repository.definitions:
        words = re.split(r"(?<=[.!?])\s", " ".join(one.doc.split()), maxsplit=1)[0][:200].replace("`", "").strip()
        if len(words) > 15 and _IDENTIFIER.match(one.name) and "|" not in words:
            yield _of(repository, one, words, "definition", one.qualified)


def _of(repository: Repository, one: Definition, words: str, kind: str, name: str) -> Truth:
    unique = repository.here[one.path, one.name] == 1
    alone = repository.often[one.name] == 1
    return Truth(one.path, one.start, one.end, (name,), "", words, kind, unique, alone)


def _head(one: Truth) -> Truth:
    """Only the first line, as many write it."""
    return Truth(one.path, one.start, one.start, one.names, one.quote, one.words, "head", one.unique, one.alone)


def _uses(repository: Repository, chance: random.Random, most: int) -> Iterator[Truth]:
    """A line that calls something defined in this repository, quoted."""
    paths = sorted(repository.lines)
    for _ in range(20 * most):
        path = chance.choice(paths) if paths else ""
        lines = repository.lines.get(path, [])
        if not lines:
            continue
        number = chance.randrange(len(lines))
        line = lines[number].strip()
        called = re.search(r"\b([A-Za-z_]\w{3,40})\(", line)
        if not called or "`" in line or not 20 <= len(line) <= 100 or line[0] in "#/*" or "|" in line:
            continue
        name = called[1]
        if repository.here[path, name] or not repository.often[name]:
            continue
        count = sum(other.strip() == line for other in lines)
        inside = sum(line in other for other in lines)
        yield Truth(path, number + 1, number + 1, (name,), line, "is called", "use", count == inside == 1, False)


def _documents(repository: Repository) -> Iterator[Truth]:
    """Sentences of the repository's own documentation about something that is defined once."""
    by_name: dict[str, Definition] = {}
    for one in repository.definitions:
        if repository.often[one.name] == 1:
            by_name[one.name] = one
    for path in sorted(path for path in repository.snapshot.entries if _TEXT.search(path))[:300]:
        text = repository.snapshot.text(path) or ""
        for found in _SENTENCE.finditer(text[:300_000]):
            name = re.split(r"\.|::", found[1])[-1]
            if name in by_name and "|" not in found[0]:
                one = by_name[name]
                words = " ".join(found[0].split())
                yield _of(repository, one, words, "document", name)
