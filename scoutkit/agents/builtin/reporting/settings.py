"""Settings that code reads: environment variables, flags, configuration keys, and fields and constants that hold one.
Where each is declared and read, and its default, as far as one line or a few say so.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from scoutkit.agents.builtin.indexing import terms
from scoutkit.agents.builtin.reporting import around
from scoutkit.agents.builtin.reporting.code import Code
from scoutkit.agents.builtin.reporting.evidence import Cited, cite

ENVIRONMENT = "environment variable"  # a setting's kind
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
        (ENVIRONMENT, rf"""{_ENV}["'`]([A-Z][A-Z0-9_]{{2,}})"""),
        (ENVIRONMENT, r"""process\.env(?:\.|\[["'`])([A-Z][A-Z0-9_]{2,})"""),
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
_TABLE_DEFAULT = re.compile(r"[\"']?\s*,[^\"\n;]{0,200}?\b\w+(?:\.|->)\w+(?:\.\w+)*\s*,\s*([\w.*-]{1,40})\s*,")


@dataclass(frozen=True, slots=True)
class Setting:
    """`kind`: environment variable, flag, configuration key, or value for a field or constant. `cited`: where it is
    declared or read; `default`: as the code writes it, "" where that is not seen, and what it `means` where that is a
    name; `reads`: other lines that use it; `kept`: the variable that its value is kept in, where that is another;
    `said`: what a help text or comment says that it is for, and where that is `told`; `owner`: the type that it is a
    field of, where that is told of.
    """

    name: str
    kind: str
    cited: Cited
    default: str = ""
    means: str = ""
    reads: tuple[Cited, ...] = ()
    kept: str = ""
    said: str = ""
    told: Cited | None = None
    owner: str = ""

    @property
    def shown(self) -> str:
        """Its name as a report writes it: as code where its lines have it as a word. A help text has `%sNAME` too."""
        return f"`{self.name}`" if self.cited.name.removeprefix("--") == self.name.removeprefix("--") else self.name

    @property
    def of(self) -> str:
        """The type that it belongs to, as a report writes it behind the name."""
        return f" of `{self.owner}`" if self.owner else ""

    @property
    def place(self) -> str:
        """Where it is cited, with what its lines hold."""
        return self.cited.place if self.shown[0] == "`" else f"{self.cited.place} (`{self.cited.name}`)"


def settings(code: Code, places: Sequence[tuple[str, int, int]], asked: Collection[str], *, most: int) -> list[Setting]:
    """Those that the places read, those that hold a term that was asked for first; then such in the rest of the first
    file."""
    found: dict[str, tuple[bool, bool, Setting]] = {}
    whole = [(path, 1, len(code.lines(path)), True) for path, _, _ in places[:1]]
    for path, start, end, far in [*((*place, False) for place in places), *whole]:
        for one in written(code, path, start, end):
            held = around.asked_for(one.name, asked)
            if held or not far:
                found.setdefault(one.name, (far, not held, one))
    spelled = {one.name for *_, one in found.values() if terms.whole(one.name.replace("-", "_").strip("_")) in asked}
    order = sorted(found.values(), key=lambda one: (one[2].name not in spelled, *one[:2]))
    return [one for *_, one in order[:most]]


def written(code: Code, path: str, start: int, end: int) -> Iterator[Setting]:
    """Those that lines `start` to `end` of a file name."""
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
                    yield Setting(name, kind, cited, default(lines, number, whole[match.end() :]))


def environment(line: str) -> list[str]:
    """The environment variables that a line of code names where it reads them."""
    return [match[1] for kind, rule in _RULES if kind == ENVIRONMENT for match in rule.finditer(line)]


def default(lines: Sequence[str], number: int, rest: str) -> str:
    """What a flag's or variable's declaration says of its default: an argument after the name, or `default=`."""
    table = _TABLE_DEFAULT.match(rest)  # after the variable that the value is kept in
    if table:
        return value(table[1])
    second = re.match(r"[\"'`]\s*,\s*([^,()=\n]{1,60})\)", rest)
    if second:
        return value(second[1])
    statement = [rest]
    for line in lines[number : number + _STATEMENT - 1]:
        if statement[-1].rstrip().endswith((";", ")", "}")) or re.match(
            r"\s*(?:@|def |func |fn |\.?Flag|\w+\.add_argument)", line
        ):
            break
        statement.append(line)
    return next((value(match[1]) for rule in _DEFAULTS if (match := rule.search("\n".join(statement)))), "")


def value(text: str) -> str:
    """A default that can be quoted: a literal or a name."""
    text = re.split(r"\s+(?://|#|--)\s?", text.strip(), maxsplit=1)[0].rstrip(",;").strip()
    good = re.fullmatch(r"[-+]?[\w.]+(?:\s*(?:<<|\*)\s*[\w.]+)*|\"[^\"`]{0,40}\"|'[^'`]{0,40}'", text)
    cites = re.search(r":\d|::|#L\d|://|\blines?\s", text)  # it would be read as a citation
    said = good and not cites and text.isprintable() and text not in ("None", "nil", "null", "undefined")
    return text if said else ""
