"""The report: what answers best, what hangs together with it, and what could not be told. Only facts from the code,
each with a citation that verifies.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from pathlib import Path

from scoutkit import git, symbols
from scoutkit.agents.builtin import around
from scoutkit.agents.builtin.around import Found
from scoutkit.agents.builtin.evidence import cite
from scoutkit.agents.builtin.index import Index
from scoutkit.agents.builtin.paths import Role
from scoutkit.agents.builtin.question import Question
from scoutkit.agents.builtin.rank import Range, Ranking
from scoutkit.git import Snapshot
from scoutkit.symbols import language_of

RANGES, PER_FILE, EXCERPT = 8, 4, 6
_TESTS = re.compile(r"(?:^|\.)tests?(?:\.|$)")
_CLOSE = 1.1  # times the second file's score: less is hardly a lead
_BULK = re.compile(
    r"^(?:bump|merge|release|format|\[pre-commit|chore\(deps)|\b(?:dependencies|ruff|black|prettier|lint|typos?)\b",
    re.IGNORECASE,
)


def write(question: Question, ranking: Ranking, index: Index, snapshot: Snapshot, where: Path) -> str:
    """The report as Markdown."""
    shown = list(_shown(question, ranking, snapshot))
    if not shown:
        return "\n\n".join([*_nothing(question, ranking, index, snapshot), *_untold(ranking, index, shown)]) + "\n"
    answers = [Found(one.path, one.place) for one in shown]
    parts = [
        _title(question, shown),
        _description(ranking, index, shown),
        "## Start here",
        *_start(question, shown, snapshot),
        *_together(index, snapshot, answers),
        *_tests(index, snapshot, answers),
        *_settings(snapshot, answers),
        *_recent(snapshot, where, shown),
        *_untold(ranking, index, shown),
    ]
    return "\n\n".join(parts) + "\n"


def _shown(question: Question, ranking: Ranking, snapshot: Snapshot) -> Iterator[Range]:
    """Ranges worth showing: a few a file, none that cannot be cited, none far below the best; tests that stand among
    the code they test only where tests are asked for."""
    counts: dict[str, int] = {}
    best = ranking.ranges[0].score if ranking.ranges else 0.0
    said = 0
    for one in ranking.ranges:
        if counts.get(one.path, 0) >= PER_FILE or one.score < best * 0.35 or said >= RANGES:
            continue
        if _TESTS.search(one.place.qualified) and Role.TEST not in question.means:
            continue
        if one.terms and cite(snapshot, one.path, one.place.start, one.place.end, [one.place.name]):
            counts[one.path] = counts.get(one.path, 0) + 1
            said += 1
            yield one


def _title(question: Question, shown: list[Range]) -> str:
    words = " ".join(list(question.said)[:5])
    first = shown[0].path
    names = list(dict.fromkeys(one.place.name for one in shown if one.path == first and one.place.name))[:2]
    where = f"{' and '.join(names)} in {first}" if names else first
    plain = words.split(" ")[0] not in question.names
    return f"# {words[:1].upper() if plain else words[:1]}{words[1:]}: {where}"


def _description(ranking: Ranking, index: Index, shown: list[Range]) -> str:
    first = shown[0]
    name = f"`{first.place.qualified}`" if first.place.qualified else "a block"
    others = list(dict.fromkeys(one.path for one in shown if one.path != first.path))[:2]
    then = f", then {' and '.join(f'`{path}`' for path in others)}" if others else ""
    lead = (
        "no file stands out, so look at several"
        if ranking.margin < _CLOSE
        else f"its file scores {min(ranking.margin, 9.9):.1f} times the next one"
    )
    return f"Of {len(index.paths):,} files, {name} in `{first.path}` fits the question best{then}; {lead}."


def _start(question: Question, shown: list[Range], snapshot: Snapshot) -> Iterator[str]:
    for one in shown:
        place = one.place
        cited = cite(snapshot, one.path, place.start, place.end, [place.name])
        assert cited
        has = [word for word, found in question.said.items() if one.terms & set(found)]
        said = _said(snapshot, one)
        why = "; ".join(part for part in (said, f"has {', '.join(has)}" if has else "") if part)
        yield f"- {cited}" + (f": {why}" if why else "")
        yield _excerpt(snapshot, one)


def _said(snapshot: Snapshot, one: Range) -> str:
    """The first sentence of what the code itself says of the place."""
    text = snapshot.text(one.path) or ""
    symbol = next(
        (
            s
            for s in symbols.symbols(one.path, text)
            if s.name == one.place.name and one.place.start <= s.start <= one.place.end
        ),
        None,
    )
    doc = " ".join(symbol.doc.split()) if symbol else ""
    sentence = re.split(r"(?<=[.!?])\s", doc, maxsplit=1)[0][:160].rstrip(".")
    return "" if re.search(r"`|[\w/]\.\w+:\d|https?:", sentence) else sentence


def _excerpt(snapshot: Snapshot, one: Range) -> str:
    lines = (snapshot.lines(one.path) or [])[one.place.start - 1 : one.place.end]
    first = [line[:160] for line in lines[:EXCERPT]]
    while first and not first[-1].strip():
        first.pop()
    if len(lines) > len(first):
        first.append(f"… {len(lines) - len(first)} more lines")
    ticks = "`" * max([3, *(len(run) + 1 for line in first for run in re.findall(r"`{3,}", line))])
    body = "\n".join(f"  {line}" for line in first)
    return f"  {ticks}{language_of(one.path) or ''}\n{body}\n  {ticks}"


def _together(index: Index, snapshot: Snapshot, answers: list[Found]) -> Iterator[str]:
    """Callers and callees of the best definitions."""
    lines = []
    for answer in [one for one in answers if one.place.name and one.place.kind not in ("section", "block", "test")][:3]:
        name = answer.place.qualified
        for one in around.callers(index, snapshot, answer, most=4):
            by = f" in `{one.name}`" if one.name else ""
            lines.append(f"- {name} is called at {one.cited}{by}{'' if one.sure else ', by name'}")
        called = itertools.islice(around.callees(index, snapshot, answer, most=5), 5)
        lines.extend(f"- {name} calls {one.cited}{'' if one.sure else ', by name'}" for one in called)
    if lines:
        yield "## How it hangs together"
        yield "\n".join(dict.fromkeys(lines))


def _tests(index: Index, snapshot: Snapshot, answers: list[Found]) -> Iterator[str]:
    names = list(dict.fromkeys(one.place.name for one in answers if one.place.name))[:4]
    tests, documents = around.tests_and_documents(index, snapshot, names, most=4)
    lines = [f"- test: {one.cited}" + (f" in {one.name}" if one.name else "") for one in tests]
    lines += [f"- document: {one.cited}" + (f" under “{one.name}”" if one.name else "") for one in documents]
    if lines:
        yield "## Tests and documents"
        yield "\n".join(lines)


def _settings(snapshot: Snapshot, answers: list[Found]) -> Iterator[str]:
    if found := around.settings(snapshot, answers, most=6):
        yield "## Settings read there"
        yield "\n".join(f"- {cited}" for cited in found)


def _recent(snapshot: Snapshot, where: Path, shown: list[Range]) -> Iterator[str]:
    """Commits that touched the best files, without those that touch everything."""
    paths = list(dict.fromkeys(one.path for one in shown))[:2]
    told = []
    for commit in git.history(where, snapshot.commit, paths, limit=15):
        subject = " ".join(commit.subject.split())[:100].replace("`", "'")
        if not _BULK.match(subject):
            told.append(f"- {commit.when[:10]} {commit.id[:10]} {subject}")
    if told:
        yield f"## Recent changes of {' and '.join(paths)}"
        yield "\n".join(told[:5])


def _untold(ranking: Ranking, index: Index, shown: list[Range]) -> Iterator[str]:
    """Open questions, from facts only."""
    told = []
    if ranking.absent:
        told.append(f"These words of the question are nowhere in the code: {', '.join(ranking.absent)}.")
    if shown and ranking.margin < _CLOSE:
        told.append("The best file is hardly ahead of the second: the answer may be spread out, or elsewhere.")
    unread = {why: paths for why, paths in index.unread.items() if int(paths[0]) and why != "binary"}
    for why, (count, *some) in unread.items():
        told.append(f"Not read ({why}): {count} files, for instance {', '.join(some[:3])}.")
    if index.languages:
        listed = ", ".join(
            f"{name} ({count})" for name, count in sorted(index.languages.items(), key=lambda x: -x[1])[:5]
        )
        told.append(f"Read without knowing their grammar: {listed}.")
    told.append("Calls are matched by name in the code as written: calls made at run time by other names are not seen.")
    yield "## What this does not tell"
    yield "\n".join(f"- {line}" for line in told)


def _nothing(question: Question, ranking: Ranking, index: Index, snapshot: Snapshot) -> Iterator[str]:
    words = ", ".join(ranking.absent or list(question.said)[:6])
    yield f"# Nothing in this code matches{': ' + words if words else ' the question'}"
    yield f"None of the {len(index.paths):,} files holds a word of the question that tells one place from another."
    entries = [path for path in index.paths if re.fullmatch(r"(?i)readme(\.\w+)?|(?:docs?/)?index\.(?:md|rst)", path)]
    lines = []
    for path in entries[:3]:
        text = snapshot.lines(path) or []
        at = next((number for number, line in enumerate(text, 1) if re.search(r"\w{3}", line)), None)
        if at and (cited := cite(snapshot, path, at, at, [])):
            lines.append(f"- {cited}")
    if lines:
        yield "## Where to begin instead"
        yield "\n".join(lines)
