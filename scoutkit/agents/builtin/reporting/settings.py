"""Settings that code reads: environment variables, flags, configuration keys, and fields and constants that hold one.
Where each is declared and read, and its default, as far as one line or a few say so.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from scoutkit.agents.builtin.indexing import terms
from scoutkit.agents.builtin.indexing.paths import Role, role_of
from scoutkit.agents.builtin.ranking.rank import Ranking
from scoutkit.agents.builtin.reporting import around, looks, naming
from scoutkit.agents.builtin.reporting.code import Code
from scoutkit.agents.builtin.reporting.evidence import Cited, cite

_RANGES, _LINES = 40, 6000  # of the ranking that are searched for what a question calls a setting
_TABLES, _LOOKED_AT = 4, 40  # files
_WORD = 3  # letters of a word that is looked for within others
_NAMES = 40  # are looked at
_LESS, _LEAST = 0.7, 0.35  # of the best setting's score; of the best name's that may be none
_READS = 3  # places that read one
_STATEMENT = 8  # lines of a flag's declaration
_NO_KEY = frozenset(
    {"get", "set", "load", "items", "keys", "values", "update", "copy", "name", "config", "default", "value"}
)
_ENV = r"(?:(?:environ(?:\.get)?|\bENV(?:\.fetch)?)[\[(]|(?:[gG]et_?env(?:_or)?|LookupEnv|env::var(?:_os)?)\()\s*"
_SHORT = r"""(?:["'`]-\w\b[^"'`]{0,4}["'`],\s*)?["'`](?:-\w, )?"""  # what stands before `--long`
_OPTION = rf"""(?:add_argument|[oO]ption|[aA]rg(?:ument)?|long)\([^"'`]{{0,40}}{_SHORT}"""
_RULES = tuple(  # what a group names is one
    (kind, re.compile(rule))
    for kind, rule in (
        ("environment variable", rf"""{_ENV}["'`]([A-Z][A-Z0-9_]{{2,}})"""),
        ("environment variable", r"""process\.env(?:\.|\[["'`])([A-Z][A-Z0-9_]{2,})"""),
        ("flag", r"""[Ff]lags\(\)\.\w+\([^"]{0,60}"([a-z][\w-]{1,40})\""""),
        ("flag", r"""\bflag\.\w+\([^"]{0,60}"([a-z][\w.-]{1,40})"|\.Flag\("([a-z][\w.-]{1,60})\""""),
        ("flag", rf"""{_OPTION}(--[a-z][a-z0-9-]{{2,40}})"""),
        ("flag", r"""["'`](--[a-z][a-z0-9-]{2,40})["'`]"""),
        (
            "system property",
            r"""(?:\bgetProperty|SystemPropertyUtil\.\w+|\.get(?:Integer|Boolean|Long))\(\s*"([\w.-]{3,80})\"""",
        ),
        ("configuration key", r"""create\w*Config\(\s*"([\w-]{3,60})\""""),
        ("configuration key", r"""[Cc]onfig(?:uration)?(?:\.get\w*)?[\[(]\s*["'`]([\w.-]{3,60})["'`]"""),
        ("configuration key", r"""(?:viper|ini|opts|options)\.(?:[Gg]et\w*)\(\s*["'`]([\w.-]{3,60})["'`]"""),
        ("configuration key", r"""\bsettings\.([A-Za-z_]\w{2,40})\b(?!\()"""),
    )
)
_DEFAULTS = (
    re.compile(r"\b[dD]efault(?:_value|Value)?\s*[=:(]\s*([^,)\n;]{1,60})"),
    re.compile(r"(?:\|\||\?\?)\s*([^,;)\n]{1,60})"),
)
_ASSIGNED = r"(?<![\w$.]){name}(?:\s*:\s*[\w.<>\[\] |&*]+?)?\s*(?::=|=(?!=)|:)\s*([^,;\n{{]{{1,60}})"
_TABLE_DEFAULT = re.compile(r"[\"']?\s*,[^\"\n;]{0,200}?\b\w+(?:\.|->)\w+(?:\.\w+)*\s*,\s*([\w.*-]{1,40})\s*,")
_KEPT = re.compile(r"[\"']\s*,[^\"\n;]{0,200}?\b\w+(?:\.|->)(?:\w+\.)*(\w+)\s*,")
_TABLE = re.compile(
    r"(?:^|[/_.-])(?:conf(?:ig(?:uration)?)?|settings?|options?|flags?|defaults?)s?\.\w+$", re.IGNORECASE
)
_KINDS = {
    "flag": re.compile(r"\bflags?\b", re.IGNORECASE),
    "environment variable": re.compile(r"\benv(?:ironment)?\s+var|环境变量", re.IGNORECASE),
}
_OPTIONS = re.compile(r"(?:Options?|Config(?:uration)?|Settings?|Opts|Params)$")
_TYPE = re.compile(r"[A-Z]\w*[?!]?|string|number|boolean|bool|int|float|double|long|str|any|object|[iu]\d+|[iu]size")
_NAME = re.compile(r"(?<![\w$-])(?:--)?[A-Za-z_][\w-]{2,50}")
_NUMBER = re.compile(r"[-+]?[\d._]+\w*\b")
_KNOB = re.compile(
    r"max|min|limit|size|timeout|enable|disable|mode|interval|count|retr|path|dir|level|threshold|ttl|default|use|allow"
    r"|strict",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Setting:
    """`kind`: environment variable, flag, configuration key, or value for a field or constant. `cited`: where it is
    declared or read; `default`: as the code writes it, "" where that is not seen, and what it `means` where that is a
    name; `reads`: other lines that use it; `kept`: the variable that its value is kept in, where that is another.
    """

    name: str
    kind: str
    cited: Cited
    default: str = ""
    means: str = ""
    reads: tuple[Cited, ...] = ()
    kept: str = ""


def settings(code: Code, places: Sequence[tuple[str, int, int]], asked: Collection[str], *, most: int) -> list[Setting]:
    """Those that the places read, those that hold a term that was asked for first; then such in the rest of the first
    file."""
    found: dict[str, tuple[bool, bool, Setting]] = {}
    whole = [(path, 1, len(code.lines(path)), True) for path, _, _ in places[:1]]
    for path, start, end, far in [*((*place, False) for place in places), *whole]:
        for one in _in(code, path, start, end):
            held = around.asked_for(one.name, asked)
            if held or not far:
                found.setdefault(one.name, (far, not held, one))
    spelled = {one.name for *_, one in found.values() if terms.whole(one.name.replace("-", "_").strip("_")) in asked}
    order = sorted(found.values(), key=lambda one: (one[2].name not in spelled, *one[:2]))
    return [one for *_, one in order[:most]]


def _in(code: Code, path: str, start: int, end: int) -> Iterator[Setting]:
    lines = code.lines(path)
    for number in range(max(start, 1), min(end, len(lines)) + 1):
        line = lines[number - 1]
        if len(line) > 2000 or ('"' not in line and "'" not in line and "env" not in line and "settings." not in line):
            continue
        before = lines[number - 2].strip() if number > 1 else ""
        whole = f"{before[-80:]}{line.lstrip()}" if before.endswith("(") else line
        for kind, rule in _RULES:
            for match in rule.finditer(whole):
                name = next(group for group in match.groups() if group)
                cited = cite(code.snapshot, path, number, number, [name]) if name.strip("-") not in _NO_KEY else None
                if cited and cited.name == name:
                    yield Setting(name, kind, cited, _default(lines, number, whole[match.end() :]))


def _default(lines: Sequence[str], number: int, rest: str) -> str:
    """What a flag's or variable's declaration says of its default: an argument after the name, or `default=`."""
    table = _TABLE_DEFAULT.match(rest)  # after the variable that the value is kept in
    if table:
        return _value(table[1])
    second = re.match(r"[\"'`]\s*,\s*([^,()=\n]{1,60})\)", rest)
    if second:
        return _value(second[1])
    statement = [rest]
    for line in lines[number : number + _STATEMENT - 1]:
        if statement[-1].rstrip().endswith((";", ")", "}")) or re.match(
            r"\s*(?:@|def |func |fn |\.?Flag|\w+\.add_argument)", line
        ):
            break
        statement.append(line)
    return next((_value(match[1]) for rule in _DEFAULTS if (match := rule.search("\n".join(statement)))), "")


def _value(text: str) -> str:
    """A default that can be quoted: a literal or a name."""
    text = re.split(r"\s+(?://|#|--)\s?", text.strip(), maxsplit=1)[0].rstrip(",;").strip()
    good = re.fullmatch(r"[-+]?[\w.]+(?:\s*(?:<<|\*)\s*[\w.]+)*|\"[^\"`]{0,40}\"|'[^'`]{0,40}'", text)
    cites = re.search(r":\d|::|#L\d|://|\blines?\s", text)  # it would be read as a citation
    said = good and not cites and text.isprintable() and text not in ("None", "nil", "null", "undefined")
    return text if said else ""


def knobs(code: Code, ranking: Ranking, asked: Collection[str], *, text: str, most: int) -> list[Setting]:
    """What a question for a setting means: settings, fields and constants in the best ranges whose names say most of
    what was asked, with their defaults and where they are read; those of the kind that its `text` names, if any are."""
    wanted = next((kind for kind, said in _KINDS.items() if said.search(text)), "")
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
    return (real if real and known[0].kind != "value" else known)[:most]


def _tables(code: Code, ranking: Ranking, worth: Mapping[str, float]) -> Iterator[tuple[str, str, str, int]]:
    """All settings of files that are named after them, each with the variable that keeps its value, its file and line:
    of a few files, those that hold most of what was asked."""
    paths = [path for path in code.index.paths if _TABLE.search(path) and role_of(path) is Role.SOURCE]
    if len(paths) > _LOOKED_AT:
        paths = [path for path, _ in ranking.files if path in set(paths)]
    held = {path: sum(value for term, value in worth.items() if term.rstrip("i") in code.text(path)) for path in paths}
    for path in sorted(held, key=lambda path: (-held[path], path.count("/"), path))[:_TABLES]:
        lines = code.lines(path)
        for one in _in(code, path, 1, min(len(lines), _LINES)):
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
            if match and text[: match.start(1)].rstrip().endswith(":") and _TYPE.fullmatch(value.rstrip(")")):
                value = ""  # a type
            if (
                _value(value)
                and value != bare
                and (declared is None or (declared.kind == "value" and not declared.default))
            ):
                field = declared is not None and _of_options(code, declared.cited)
                declared = Setting(bare, "value", declared.cited if declared and field else cited, _value(value))
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
    return held is not None and bool(_OPTIONS.search(held.qualified.partition(f".{cited.name}")[0]))


def _declared(code: Code, path: str, number: int, line: str, name: str) -> Setting | None:
    """The flag, variable or key that a line names so, or whose value it keeps under that name."""
    here = list(_in(code, path, number, number))
    same = next((one for one in here if one.name.removeprefix("--") == name), None)
    if same:
        return same
    if re.search(rf"Var\w*\(\s*&[\w.]*\b{re.escape(name)}\b", line):  # Go: where a flag's value is put
        return next(iter([*here, *reversed(list(_in(code, path, number - 2, number - 1)))]), None)
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
            if name in line and len(line) < 400 and (match := given.search(line)) and (value := _value(match[1])):
                return value
    return ""


def _field(line: str, name: str) -> bool:
    """A field that is declared with its type alone."""
    before = r"(?:pub(?:\([^)]*\))?\s+|public\s+|private\s+|readonly\s+|val\s+|var\s+|let\s+)?"
    kind = r"[\w.<>\[\]*&|'\" ]+[,;]?\s*(?://.*|`.*)?"
    return bool(re.fullmatch(rf"\s*{before}{re.escape(name)}\??:?\s+{kind}", line))
