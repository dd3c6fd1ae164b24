"""The environment variables of a tree, and which of them a question means: where code reads them, by name or through a
constant, and what help texts, comments and documents say of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from scoutkit.agents.builtin.indexing import terms
from scoutkit.agents.builtin.indexing.paths import Role, role_of
from scoutkit.agents.builtin.ranking.question import Question
from scoutkit.agents.builtin.ranking.rank import Ranking
from scoutkit.agents.builtin.reporting import looks, settings, weighing
from scoutkit.agents.builtin.reporting.code import Code
from scoutkit.agents.builtin.reporting.evidence import cite, sayable
from scoutkit.agents.builtin.reporting.settings import ENVIRONMENT, Setting
from scoutkit.agents.builtin.reporting.weighing import Words, terms_of

_FILES, _LINES = 120, 80_000  # that are read
_WORDS = ("getenv", "environ", "envvar", "lookupenv", "dotenv", "env", "environ")  # terms of files that read some
_READ = frozenset({Role.SOURCE, Role.TOOL, Role.OLD, Role.DOCUMENT, Role.EXAMPLE})
_NAME = r"[A-Z][A-Z0-9]+(?:_[A-Z0-9]+)*"
_LITERAL = re.compile(rf"""["'`]({_NAME})["'`]""")
_ENV = re.compile(
    r"(?i:(?:get|set|put)_?env|environ|env_?var)|(?<![a-z])env(?![a-z])|(?<![A-Za-z])Env(?![a-z])|[a-z]Env(?![a-z])"
    r"|_?ENV(?![A-Z])"
)
_ARGUMENT = re.compile(r"(?i)env(?:_?vars?|iron(?:ment)?)?")  # `envvar="NAME"`: no constant
_THROUGH = re.compile(
    r"(?:[gG]et_?[eE]nv\w*|LookupEnv|environ(?:\.get)?|env::var(?:_os)?|[bB]indEnv|ENV(?:\.fetch)?)[(\[]\s*([A-Za-z_]\w{2,60})\s*[,)\]]"
)
_GIVEN = re.compile(rf"""(?<![\w$])(\w+)\s*(?::?=|:\s*&?\w[\w' ]*=|\s)\s*["'`]({_NAME})["'`]""")
_MARKS = re.compile(r"%\[\d\]s|%[sq]|\{\}")  # of a help text
_SAYS = re.compile(r"environment\s+var|\benv\s?vars?\b|envvar|环境变量", re.IGNORECASE)
_TOLD = re.compile(
    rf"^[\s*`\"'$#/|:.+=-]*(?:envvar::\s*|export\s+)?[\s`$\"'*]*({_NAME})(?=[`\"'*]*\s*(?:[,:=(|`\"'—–-]|$|\s))"
)
_TOLD_IN_CODE = re.compile(
    rf"^[\s*`\"'/|.+-]*({_NAME})(?=[`\"'*]*\s*[,:(|—–]|[`\"'*]*\s+- |\s{{2,}}\w)"
)  # it is not set there
_SOME = re.compile(rf"(?<![\w$])\$?({_NAME})(?![\w$])")
_WIDE = 1_000  # characters of a line
_BELOW, _ABOVE = 5, 3  # lines that say what one is for
_FROM, _FROM_CODE = 200, 80  # lines below a line that speaks of environment variables
_IN_NAME, _IN_WORDS, _NEARBY = 1.0, 0.65, 0.4  # what a word of the question is worth there
_LEAST = 0.34  # of the question, for one that is told at all
_CLOSE = 0.7  # of the best one's score
_OWN, _OWN_SHARE = 3, 5  # variables that begin alike, at least; and a fifth of all
_OFF = re.compile(
    r"(?i)\b(?:turns?(?:ed)?\b.{0,30}?\boff|disabl\w*|suppress\w*|skip\w*|hid\w*|silenc\w*|without|prevent\w*|stops?)\b|关闭|禁用"
)
_OFF_WORTH = 0.6
_NO = ("no", "disabl", "skip", "suppress", "off", "hide", "avoid", "prevent", "never")
_ASKS = frozenset(
    re.findall(
        r"\w+",
        """
    choose chooses contain contains disable disabled disables enable enables environment give gives hold holds name
    names pick read reads say says set sets skip skips specifies specify suppress suppresses tell tells turn turned
    turns variable variables what which""",
    )
)


@dataclass(slots=True)
class _Variable:
    """`reads` and `told`: path and line; `declared`: where its name is a constant's."""

    name: str
    reads: list[tuple[str, int]] = field(default_factory=list)
    declared: list[tuple[str, int]] = field(default_factory=list)
    told: list[tuple[str, int]] = field(default_factory=list)
    constants: set[tuple[str, str]] = field(default_factory=set)  # that hold its name: in which file, and their own
    words: set[str] = field(default_factory=set)  # of what is said of it
    nearby: set[str] = field(default_factory=set)  # of the code around it


def variables(code: Code, question: Question, ranking: Ranking, near: Mapping[str, str], *, most: int) -> list[Setting]:
    """Those that a question means, the best first; none where none has enough of its words. `near`: what the code has
    instead of words that it has not."""
    found = _all(code, ranking)
    asked = _asked(question, near, found)
    total = sum(asked.values())
    if not total:
        return []
    scores = {
        one.name: sum(worth * _held(held, one) for held, worth in asked.items()) / total for one in found.values()
    }
    if not _OFF.search(question.text):
        scores |= {name: 0.8 * score for name, score in scores.items() if not terms_of(name).isdisjoint(_NO)}
    known = {term for held in asked for term in held}
    begins = Counter(name.partition("_")[0] for name in found)
    own = {begin for begin, times in begins.items() if times >= max(_OWN, len(found) // _OWN_SHARE)}
    order = sorted(
        found.values(),
        key=lambda one: (
            -round(scores[one.name], 2),
            not (one.reads or one.declared),
            one.name.partition("_")[0] not in own,  # the program's own before what others read too
            sum(not known & set(terms.expand(part)) for part in one.name.split("_") if part not in own),
            -len(one.told) - len(one.reads),
            one.name,
        ),
    )
    best = scores[order[0].name] if order else 0.0
    if best < _LEAST:
        return []
    kept = [one for one in order if scores[one.name] >= _CLOSE * best]
    return [one for one in (_setting(code, one, found, known) for one in kept[: 2 * most]) if one][:most]


def _asked(question: Question, near: Mapping[str, str], found: Mapping[str, _Variable]) -> dict[Words, float]:
    """The question's words, each worth the more the fewer variables have it."""

    def worth(held: Words) -> float:
        return weighing.worth(len(found), sum(_held(held, one) > 0 for one in found.values()))

    groups = {held: worth(held) for held in weighing.asked(question, near, _ASKS)}
    no = weighing.alike(_NO) if _OFF.search(question.text) else ()
    there = any(_held(no, one) for one in found.values()) if no else False
    return groups | ({no: worth(no) * (_OFF_WORTH if there else 1.0)} if no else {})


def _held(held: Words, one: _Variable) -> float:
    own = weighing.own_terms(one.name)
    if weighing.in_name(held, own, one.name):
        return _IN_NAME
    if any(term in one.words for term in held):
        return _IN_WORDS
    return _NEARBY if any(term in one.nearby for term in held) else 0.0


def _all(code: Code, ranking: Ranking) -> dict[str, _Variable]:
    """Every variable of the files that speak of an environment."""
    found: dict[str, _Variable] = {}
    left = _LINES
    constants: dict[str, list[tuple[str, str, int]]] = {}  # by name: value, file and line
    through: list[tuple[str, str, int]] = []  # what is read by a constant's name
    for path in _paths(code, ranking)[:_FILES]:
        lines = code.lines(path)
        if len(lines) > left:
            continue
        left -= len(lines)
        prose, until = looks.prose(path), 0
        for number, line in enumerate(lines, 1):
            if len(line) > _WIDE:
                continue
            named: set[str] = set()
            if not prose:
                given = {match[2]: match[1] for match in _GIVEN.finditer(line)}
                for value, name in given.items():
                    constants.setdefault(name, []).append((value, path, number))
                if _ENV.search(line):
                    named = _named(found, path, number, line, given)
                    through += [(name, path, number) for name in _THROUGH.findall(line)]
            if says := bool(_SAYS.search(line)):
                until = number + (_FROM if prose else _FROM_CODE)
            if number <= until:
                for name in _told(line, prose=prose, says=says) - named:
                    _of(found, name).told.append((path, number))
    for name, path, number in through:
        known = constants.get(name, [])
        for value, where, at in [one for one in known if one[1] == path] or known[:1]:
            one = _of(found, value)
            one.declared.append((where, at))
            one.constants.add((where, name))
            one.reads.append((path, number))
    return _described(code, {name: one for name, one in found.items() if _real(one, found)})


def _named(found: dict[str, _Variable], path: str, number: int, line: str, given: Mapping[str, str]) -> set[str]:
    """The variables that a line of code names which has to do with the environment."""
    names = {*settings.environment(line), *_LITERAL.findall(line)}
    for name in names:
        if name in given and _ENV.search(given[name]) and not _ARGUMENT.fullmatch(given[name]):
            _of(found, name).declared.append((path, number))
            _of(found, name).constants.add((path, given[name]))
        else:
            _of(found, name).reads.append((path, number))
    return names


def _told(line: str, *, prose: bool, says: bool) -> set[str]:
    """The variables that a line of a help text, comment or document tells of; `says`: it says that they are some."""
    plain = _MARKS.sub("`", line)
    first = (_TOLD if prose else _TOLD_IN_CODE).match(plain)
    names = {first[1]} if first and (prose or not _ENV.search(line)) else set()
    return names | {name for name in _SOME.findall(plain) if "_" in name} if names or says else set()


def _real(one: _Variable, every: Iterable[str]) -> bool:
    """Is it read, or told of by a name that can be nothing else? The end of another's name is none of its own."""
    part = one.declared and not one.told and any(other.endswith(f"_{one.name}") for other in every)
    return not part and (bool(one.reads or one.declared) or "_" in one.name)


def _of(found: dict[str, _Variable], name: str) -> _Variable:
    return found.setdefault(name, _Variable(name))


def _described(code: Code, found: dict[str, _Variable]) -> dict[str, _Variable]:
    for one in found.values():
        for path, number in one.told[:6]:
            one.words |= terms_of(_said(code, path, number, found))
        for path, number in dict.fromkeys([*one.declared[:3], *one.reads[:6]]):
            lines = code.lines(path)
            near = lines[max(0, number - 1 - _ABOVE) : number + 2]
            holder = code.unit(path, number)
            one.nearby |= terms_of("\n".join((*near, holder.qualified if holder else "")))
        for path, name in sorted(one.constants)[:2]:
            lines = code.lines(path)
            using = [at for at, line in enumerate(lines) if name in line][:8]
            one.nearby |= terms_of("\n".join(line for at in using for line in lines[max(0, at - 1) : at + 2]))
    return found


def _said(code: Code, path: str, number: int, found: Mapping[str, _Variable]) -> str:
    """What stands beside a variable's name in a help text or a document, up to the next one's."""
    lines = code.lines(path)
    said = [_MARKS.sub("`", lines[number - 1])]
    for line in lines[number : number + _BELOW]:
        plain = _MARKS.sub("`", line)
        match = _TOLD.match(plain)
        if (match and match[1] in found) or (not line.strip() and len(" ".join(said)) > 60):
            break
        said.append(plain)
    return "\n".join(said)


def _setting(code: Code, one: _Variable, found: Mapping[str, _Variable], known: set[str]) -> Setting | None:
    """Where it is read or declared, else where it is told of."""
    places = list(dict.fromkeys([*one.reads, *one.declared, *one.told]))
    places.sort(key=lambda place: (place not in one.reads, _role(place[0])))
    told = [(path, number, _purpose(_said(code, path, number, found))) for path, number in one.told[:12]]
    told = sorted((row for row in told if row[2]), key=lambda row: (-len(known & terms_of(row[2])), _role(row[0])))
    said = told[0][2] if told else ""
    words = sorted(re.findall(r"[^\W\d_]{4,}", said), key=lambda word: (not known & terms_of(word), -len(word)))
    kept = next((name for _, name in sorted(one.constants)), "")
    names = [one.name, *([kept] if kept else []), *words]
    cited = [place for path, number in places[:12] if (place := cite(code.snapshot, path, number, number, names))]
    named = [place for place in cited if place.name == one.name]
    first = next(iter(named or cited), None)
    if first is None:
        return None
    lines = code.lines(first.path)
    rest = lines[first.start - 1].partition(one.name)[2]
    default = settings.default(lines, first.start, rest) if (first.path, first.start) in one.reads else ""
    others = [other for other in cited if other != first and other.name in (one.name, kept)]
    kept = kept if any(other.name == kept for other in others[:3]) else ""
    help_at = cite(code.snapshot, told[0][0], told[0][1], told[0][1], [one.name, *words]) if told else None
    others = [other for other in others[:3] if other != help_at]
    return Setting(one.name, ENVIRONMENT, first, default, reads=tuple(others), kept=kept, said=said, told=help_at)


def _role(path: str) -> int:
    """Source first, then documents."""
    role = role_of(path)
    return 0 if role is Role.SOURCE else 1 if role is Role.DOCUMENT else 2


def _purpose(text: str) -> str:
    """What a help text says a variable is for; "" where it says it otherwise than after its name."""
    match = re.match(rf"[\W_]*(?:{_NAME}[\s`,]*)+(?:\([^)]*\))?\s*(?:[:—–-]|\s{{2,}})\s*(.+)", text, re.DOTALL)
    sentence = re.split(r"(?<=\w[.])\s", " ".join(match[1].replace("`", "").split()), maxsplit=1)[0] if match else ""
    return sayable(sentence.rstrip("."), 140) if len(sentence.split()) > 2 else ""


def _paths(code: Code, ranking: Ranking) -> list[str]:
    index = code.index
    files: dict[int, None] = {}
    for term in _WORDS:
        for posting in index.postings(term):
            base = index.file_bases[posting.piece]
            files.update(dict.fromkeys(base + file for file in posting.files if base + file in index.paths_of))
    paths = [index.paths[number] for file in files for number in index.paths_of[file][:1]]
    paths = [path for path in paths if role_of(path) in _READ]
    order = {path: at for at, (path, _) in enumerate(ranking.files)}
    return sorted(paths, key=lambda path: (order.get(path, len(order)), role_of(path) is not Role.SOURCE))
