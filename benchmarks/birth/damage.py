"""Damages right citations, each in one known way, and writes them into reports of several shapes."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from truth import Repository, Truth

NONSENSE = ("quux", "frobnicate", "zorble", "wibble", "splork", "grommet")


@dataclass(frozen=True)
class Case:
    """A citation as the report writes it, and the place that is right (None for an invented one)."""

    kind: str
    truth: Truth
    path: str
    start: int
    end: int
    right: tuple[str, int, int] | None
    unique: bool


def right(one: Truth) -> Case:
    return Case("right", one, one.path, one.start, one.end, (one.path, one.start, one.end), one.unique)


def shifted(one: Truth, repository: Repository, chance: random.Random) -> Case | None:
    """Same length, elsewhere in the file: no overlap, and none of the names or the quote in the lines."""
    lines, size = repository.lines[one.path], one.end - one.start + 1
    last = len(lines) - size + 1
    near = [*range(one.start - size - 25, one.start - size + 1), *range(one.end + 1, one.end + 26)]
    starts = [at for at in (near if chance.random() < 0.5 else range(1, last + 1)) if 1 <= at <= last]
    chance.shuffle(starts)
    for start in starts[:60]:
        end = start + size - 1
        if start <= one.end and one.start <= end:
            continue
        if not holds("\n".join(lines[start - 1 : end]), one):
            return replace(right(one), kind="shifted", start=start, end=end)
    return None


def holds(text: str, one: Truth) -> bool:
    """Any name, its last part, or the quote."""
    parts = [part for name in one.names for part in (name, re.split(r"\.|::", name)[-1])]
    return any(re.search(rf"(?<!\w){re.escape(part)}(?!\w)", text) for part in parts) or bool(
        one.quote and one.quote in text
    )


def overlapping(one: Truth, repository: Repository, chance: random.Random) -> Case | None:
    """Off by less than its length."""
    size = one.end - one.start + 1
    by = chance.choice([-1, 1]) * chance.randint(1, max(size // 2, 1))
    start, end = one.start + by, one.end + by
    if size < 2 or start < 1 or end > len(repository.lines[one.path]):
        return None
    return replace(right(one), kind="overlapping", start=start, end=end)


def folder(one: Truth, repository: Repository, chance: random.Random) -> Case | None:
    """Before the file was moved: another folder, the same lines."""
    parts = one.path.split("/")
    path = "/".join(
        [chance.choice(NONSENSE), parts[-1]] if len(parts) < 3 else [*parts[:-2], "old" + parts[-2], parts[-1]]
    )
    return _renamed(one, repository, path, "folder")


def basename(one: Truth, repository: Repository, chance: random.Random) -> Case | None:
    """Before the file was renamed."""
    head, slash, name = one.path.rpartition("/")
    return _renamed(one, repository, f"{head}{slash}{chance.choice(NONSENSE)}_{name}", "basename")


def _renamed(one: Truth, repository: Repository, path: str, kind: str) -> Case | None:
    if path in repository.snapshot.entries:
        return None
    unique = one.unique if one.quote else one.alone
    return replace(right(one), kind=kind, path=path, unique=unique)


def short(one: Truth, repository: Repository, chance: random.Random) -> Case | None:
    """The file's name alone, where several have it."""
    del chance
    name = one.path.rpartition("/")[2]
    if name == one.path or sum(path.endswith("/" + name) for path in repository.snapshot.entries) < 2:
        return None
    return replace(right(one), kind="short", path=name, unique=one.alone)


def beyond(one: Truth, repository: Repository, chance: random.Random) -> Case | None:
    """Past the end of the file."""
    by = len(repository.lines[one.path]) - one.end + chance.randint(1, 300)
    return replace(right(one), kind="beyond", start=one.start + by, end=one.end + by)


def invented(one: Truth, repository: Repository, chance: random.Random) -> Case | None:
    """A name that is nowhere, in a file that is there or is not."""
    del repository
    name = f"{chance.choice(NONSENSE)}_{chance.choice(NONSENSE)}{chance.randrange(1000)}"
    if chance.random() < 0.4:
        name = f"{one.names[0].split('.')[0]}.{name}"
    path = one.path if chance.random() < 0.5 else f"src/{chance.choice(NONSENSE)}/{chance.choice(NONSENSE)}.py"
    kind = "definition" if one.kind == "document" else one.kind
    quote = f"{name}(1)" if one.quote else ""
    truth = replace(one, names=(name,), quote=quote, words="Does what is asked of it.", kind=kind)
    return Case("invented", truth, path, one.start, one.end, None, False)


def swapped(first: Truth, second: Truth) -> list[Case]:
    """Two citations of one sentence, exchanged."""
    return [
        replace(right(first), kind="swapped", path=second.path, start=second.start, end=second.end),
        replace(right(second), kind="swapped", path=first.path, start=first.start, end=first.end),
    ]


def written(case: Case, chance: random.Random) -> str:
    """One passage that holds just this citation."""
    at, said = _place(case, chance), _said(case)
    if case.truth.quote:
        quote = case.truth.quote
        return chance.choice(
            [
                f"Here `{case.truth.names[0]}` is called, as `{quote}` ({at}).",
                f"- {at}: `{quote}`",
                f"The call stands in {at}:\n\n```\n{quote}\n```",
                f"| call | where |\n|---|---|\n| `{quote}` | {at} |",
            ]
        )
    name = case.truth.names[0]
    if case.truth.kind == "document":
        return chance.choice([f"{said.rstrip('.')} ({at}).", f"- {said} See {at}.", f"{said}\n({at})"])
    return chance.choice(
        [
            f"`{name}`: {said} ({at})",
            f"- `{name}` ({at}): {said}",
            f"- **`{name}`** – {said} {at}",
            f"In {at}, `{name}` is defined. {said}",
            f"| symbol | where | what |\n|---|---|---|\n| `{name}` | {at} | {said} |",
            f"### {at}\n\n`{name}`: {said}",
            f"1. {said} This is `{name}()`, see {at}.",
        ]
    )


def together(cases: Sequence[Case], chance: random.Random) -> str:
    """One sentence with two citations."""
    (first, second), (one, other) = [case.truth.names[0] for case in cases], [_plain(case) for case in cases]
    return chance.choice(
        [
            f"`{first}` (`{one}`) works with `{second}` (`{other}`).",
            f"The two are `{first}` at {one} and `{second}` at {other}.",
            f"| a | at | b | at |\n|---|---|---|---|\n| `{first}` | {one} | `{second}` | {other} |",
            f"At {one} is `{first}`, at {other} is `{second}`.",
        ]
    )


def _said(case: Case) -> str:
    return case.truth.words


def _plain(case: Case) -> str:
    return f"{case.path}:{case.start}" + (f"-{case.end}" if case.end > case.start else "")


def _place(case: Case, chance: random.Random) -> str:
    plain = _plain(case)
    end = f"-L{case.end}" if case.end > case.start else ""
    lines = f"lines {case.start}-{case.end}" if case.end > case.start else f"line {case.start}"
    shapes = [plain, f"`{plain}`", f"`{plain}`", f"{case.path}#L{case.start}{end}", f"`{case.path}`, {lines}"]
    if " " not in case.path and "(" not in case.path:
        shapes.append(f"[{case.path.rpartition('/')[2]}]({case.path}#L{case.start}{end})")
    return chance.choice(shapes)
