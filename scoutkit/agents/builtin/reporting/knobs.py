"""Which of a tree's settings a question means, with where each is declared and read, and its default."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

from scoutkit.agents.builtin.indexing import terms
from scoutkit.agents.builtin.indexing.paths import Role, role_of
from scoutkit.agents.builtin.ranking.question import Question
from scoutkit.agents.builtin.ranking.rank import Ranking
from scoutkit.agents.builtin.reporting import environment, looks, naming, settings
from scoutkit.agents.builtin.reporting.code import Code
from scoutkit.agents.builtin.reporting.documented import Documented
from scoutkit.agents.builtin.reporting.evidence import Cited, cite
from scoutkit.agents.builtin.reporting.fields import OPTIONS
from scoutkit.agents.builtin.reporting.settings import ENVIRONMENT, Setting

_RANGES, _LINES = 40, 6000  # of the ranking that are searched for what a question calls a setting
_TABLES, _LOOKED_AT = 4, 40  # files
_WORD = 3  # letters of a word that is looked for within others
_NAMES = 40  # are looked at
_LESS, _LEAST = 0.7, 0.35  # of the best setting's score; of the best name's that may be none
_READS = 3  # places that read one
_ASSIGNED = r"(?<![\w$.]){name}(?:\s*:\s*[\w.<>\[\] |&*]+?)?\s*(?::=|=(?!=)|:)\s*([^,;\n{{]{{1,60}})"
_KEPT = re.compile(r"[\"']\s*,[^\"\n;]{0,200}?\b\w+(?:\.|->)(?:\w+\.)*(\w+)\s*,")
_TABLE = re.compile(
    r"(?:^|[/_.-])(?:conf(?:ig(?:uration)?)?|settings?|options?|flags?|defaults?)s?\.\w+$", re.IGNORECASE
)
_KINDS = {
    "flag": re.compile(r"\bflags?\b", re.IGNORECASE),
    ENVIRONMENT: re.compile(r"\benv(?:ironment)?\s+var|环境变量", re.IGNORECASE),
}
_KNOB = re.compile(
    r"max|min|limit|size|timeout|enable|disable|mode|interval|count|retr|path|dir|level|threshold|ttl|default|use|allow"
    r"|strict",
    re.IGNORECASE,
)
_TYPE = re.compile(r"[A-Z]\w*[?!]?|string|number|boolean|bool|int|float|double|long|str|any|object|[iu]\d+|[iu]size")
_FIXED = re.compile(  # what is the same wherever it is written: no variable
    r"^(?:[-+\d\"'.]|[tT]rue\b|[fF]alse\b)|^[A-Z][A-Z0-9_]+\b|^[A-Z]\w*\.\w+|(?i:default)"
)
_NAME = re.compile(r"(?<![\w$-])(?:--)?[A-Za-z_][\w-]{2,50}")


def knobs(
    code: Code,
    question: Question,
    ranking: Ranking,
    asked: Collection[str],
    near: Mapping[str, str],
    *,
    most: int,
) -> list[Setting]:
    """What a question for a setting means: settings, fields and constants in the best ranges whose names say most of
    what was asked, with their defaults and where they are read, and documented fields of which their comments say it;
    those of the kind that it names, if any are. `near`: what the code has instead of words that it has not."""
    wanted = wanted_kind(question.text)
    if wanted == ENVIRONMENT and (known := environment.variables(code, question, ranking, near, most=most)):
        return known
    named = _named(code, ranking, asked, wanted)
    if wanted and any(one.kind == wanted for one in named):
        return named[:most]
    return Documented(code, question, ranking, near).among(named, most=most, instead=bool(wanted))


def _named(code: Code, ranking: Ranking, asked: Collection[str], wanted: str) -> list[Setting]:
    """Those whose names say most of what was asked, the best first."""
    rare = [term for term in ranking.rare if term in asked][:8]
    worth = {term: 1.0 / (1 + at) ** 0.5 for at, term in enumerate(rare)}
    scores: dict[str, float] = {}
    first: dict[str, tuple[str, int, int]] = {}
    left = _LINES
    for at, one in enumerate(ranking.ranges[:_RANGES]):
        lines = code.lines(one.path)
        if role_of(one.path) in naming.TESTS or left < 0:
            continue
        left -= one.place.end - one.place.start
        for number in range(one.place.start, min(one.place.end, len(lines)) + 1):
            for match in _NAME.finditer(lines[number - 1][:1000]):
                name = match.group()
                if name not in scores:
                    scores[name] = _worth(name, worth)
                if scores[name] > 0:
                    first.setdefault(name, (one.path, number, at))
    for name, kept, path, number in _tables(code, ranking, worth):
        scores[name] = max(_worth(name, worth), _worth(kept, worth), _within(name, worth))
        if scores[name] > 0:
            first[name] = (path, number, first.get(name, ("", 0, _RANGES))[2])
    best = max(scores.values(), default=0.0)
    found: list[tuple[float, Setting]] = []
    for name in sorted(first, key=lambda name: (-scores[name], first[name][2]))[:_NAMES]:
        if scores[name] < (_LESS if found and not wanted else _LEAST) * best:
            break
        if knob := _knob(code, name, first[name][0]):
            best = best if found else scores[name]
            found.append((scores[name], knob))
    found = [one for one in found if one[1].kind == wanted] or found
    known = [one for score, one in found if score >= _LESS * found[0][0]]
    rank = {"value": 1}
    known = list({one.name: one for one in reversed(known)}.values())[::-1]
    known.sort(
        key=lambda one: (
            role_of(one.cited.path) is not Role.SOURCE,
            one.kind == "value" or terms.whole(one.name) not in worth,  # the question spells out the others
            -round(max(scores.get(one.name, 0.0), _worth(one.name, worth), _worth(one.kept, worth)), 2),
            min(_beside(name, worth) for name in (one.name, one.kept) if name),
            rank.get(one.kind, 0),
            not one.default,
            first.get(one.kept or one.name, ("", 0, 99))[2],
        )
    )
    told = {one.default for one in known}  # what one is set to is told with it
    known = [one for one in known if one.name not in told]
    real = [one for one in known if one.kind != "value"]
    return real if real and known[0].kind != "value" else known


def wanted_kind(text: str) -> str:
    """The kind of setting that a question names; "" where any will do."""
    return next((kind for kind, said in _KINDS.items() if said.search(text)), "")


def _tables(code: Code, ranking: Ranking, worth: Mapping[str, float]) -> Iterator[tuple[str, str, str, int]]:
    """All settings of files that are named after them, each with the variable that keeps its value, its file and line:
    of a few files, those that hold most of what was asked."""
    paths = [path for path in code.index.paths if _TABLE.search(path) and role_of(path) is Role.SOURCE]
    if len(paths) > _LOOKED_AT:
        paths = [path for path, _ in ranking.files if path in set(paths)]
    held = {path: sum(value for term, value in worth.items() if term.rstrip("i") in code.text(path)) for path in paths}
    for path in sorted(held, key=lambda path: (-held[path], path.count("/"), path))[:_TABLES]:
        lines = code.lines(path)
        for one in settings.written(code, path, 1, min(len(lines), _LINES)):
            kept = _KEPT.match(lines[one.cited.start - 1].partition(one.name)[2])
            yield one.name, kept[1] if kept else "", path, one.cited.start


def _within(name: str, worth: Mapping[str, float]) -> float:
    """As `_worth`, of a name whose words are written together: `appendfsync`, `maxmemory`."""
    return sum(value for term, value in worth.items() if len(term) >= _WORD and term.rstrip("i") in name.lower())


def _beside(name: str, worth: Mapping[str, float]) -> int:
    """How many of a name's words nobody asked for."""
    parts = terms.raw(name.replace("-", " "))
    return sum(not any(term in worth for term in terms.expand(part)) and _within(part, worth) <= 0 for part in parts)


def _worth(name: str, worth: Mapping[str, float]) -> float:
    """How much of what was asked a name says."""
    held = {term for word in terms.raw(name.replace("-", " ")) for term in terms.expand(word)}
    return sum(worth.get(term, 0.0) for term in held)


def _knob(code: Code, name: str, path: str) -> Setting | None:
    """A name as a setting: as the code reads one, or as a field or constant that is given a value. Nothing for a
    function or a variable on its way through."""
    bare = name.removeprefix("--")
    files = [other for other in naming.mentions(code.index, bare) if role_of(other) not in naming.TESTS]
    files = [path, *(other for other in naming.nearest(files, path) if other != path)]
    declared: Setting | None = None
    uses: list[Cited] = []
    given = re.compile(_ASSIGNED.format(name=re.escape(bare)))
    word = re.compile(rf"(?<![\w$])(?<!\w-){re.escape(bare)}(?![\w$-])")
    for other in files[:12]:
        if bare not in code.text(other) or role_of(other) in (Role.DOCUMENT, Role.RECORD, Role.GENERATED):
            continue
        for number, text in enumerate(code.lines(other), 1):
            if bare not in text or len(text) > 1000 or not word.search(text):
                continue
            real = _declared(code, other, number, text, bare)
            if real and (declared is None or declared.kind == "value"):
                declared = real
                continue
            cited = cite(code.snapshot, other, number, number, [bare])
            if cited is None or cited.name != bare or looks.IMPORT.match(text) or looks.COMMENT.match(text):
                continue
            match = given.search(text)
            value = match[1].strip() if match and "?" not in text[: match.start()] else ""  # no choice between two
            value = value if _FIXED.search(value) else ""
            if match and text[: match.start(1)].rstrip().endswith(":") and _TYPE.fullmatch(value.rstrip(")")):
                value = ""  # a type
            if (
                settings.value(value)
                and value != bare
                and (declared is None or (declared.kind == "value" and not declared.default))
            ):
                field = declared is not None and _of_options(code, declared.cited)
                declared = Setting(
                    bare, "value", declared.cited if declared and field else cited, settings.value(value)
                )
            elif _field(text, bare) and (declared is None or (declared.kind == "value" and _of_options(code, cited))):
                declared = Setting(bare, "value", cited, declared.default if declared else "")
            else:
                uses.append(cited)
    if declared is None:
        return None
    if declared.kind == "value" and not (
        _of_options(code, declared.cited) or (_KNOB.search(bare) and (declared.default or uses))
    ):
        return None
    whole = declared.name if declared.name.startswith("--") else ""  # what is said of a line must be in it
    uses = [one for one in uses if one != declared.cited and whole in code.lines(one.path)[one.start - 1]]
    means = _meaning(code, declared.default, declared.cited.path)
    kept = bare if declared.name.removeprefix("--") != bare else ""
    return replace(declared, means=means, reads=tuple(uses[:_READS]), kept=kept)


def _of_options(code: Code, cited: Cited) -> bool:
    """Is it a field of what says by its name that it holds options?"""
    held = code.holder(cited.path, cited.start)
    return held is not None and bool(OPTIONS.search(held.qualified.partition(f".{cited.name}")[0]))


def _declared(code: Code, path: str, number: int, line: str, name: str) -> Setting | None:
    """The flag, variable or key that a line names so, or whose value it keeps under that name."""
    here = list(settings.written(code, path, number, number))
    same = next((one for one in here if one.name.removeprefix("--") == name), None)
    if same:
        return same
    if re.search(rf"Var\w*\(\s*&[\w.]*\b{re.escape(name)}\b", line):  # Go: where a flag's value is put
        return next(iter([*here, *reversed(list(settings.written(code, path, number - 2, number - 1)))]), None)
    kept = (
        rf"\b{re.escape(name)}\b[\s:\w*]*=(?!=)|[\"'][^\"'\n;]*(?:\.|->){re.escape(name)}\s*,"  # or in a table of them
    )
    return here[0] if len(here) == 1 and re.search(kept, line) else None


def _meaning(code: Code, name: str, path: str) -> str:
    """What a default that is a name is set to, where one line says so."""
    if not re.fullmatch(r"[A-Za-z_]\w{4,}", name):
        return ""
    given = re.compile(_ASSIGNED.format(name=re.escape(name)))
    for other in naming.nearest([path, *naming.mentions(code.index, name)], path)[:4]:
        for line in code.lines(other):
            if (
                name in line
                and len(line) < 400
                and (match := given.search(line))
                and (value := settings.value(match[1]))
            ):
                return value
    return ""


def _field(line: str, name: str) -> bool:
    """A field that is declared with its type alone."""
    before = r"(?:pub(?:\([^)]*\))?\s+|public\s+|private\s+|readonly\s+|val\s+|var\s+|let\s+)?"
    kind = r"[\w.<>\[\]*&|'\" ]+[,;]?\s*(?://.*|`.*)?"
    return bool(re.fullmatch(rf"\s*{before}{re.escape(name)}\??:?\s+{kind}", line))
