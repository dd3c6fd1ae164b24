"""Fields of types that say by their names that they hold options, each with what its comment says, in the languages
whose types have fields. Read line by line, by indentation: nothing is parsed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from scoutkit.agents.builtin.reporting import comments, members
from scoutkit.agents.builtin.reporting.comments import Sentence

OPTIONS = re.compile(r"(?:Options?|Config(?:uration|Dict)?|Settings?|Opts|Params)$")  # what such a type's name ends in
_SNAKE = re.compile(r"[a-z0-9]_(?:options?|config(?:uration)?|settings?|opts|params)$")  # of a struct in C
_LAST = (
    r"(?:Options?|Config(?:uration|Dict)?|Settings?|Opts|Params|_(?:options?|config(?:uration)?|settings?|opts|params))"
)
_TYPE = re.compile(
    r"^(\s*)(?:[\w@]\S*\s+){0,6}?(?:class|struct|interface|type|record|object)\s+"
    rf"(\w*{_LAST}|options?|config|settings?|opts|params)(?![\w$])([^;]*)$"
)
_GROUPED = re.compile(rf"^(\s+)(\w*{_LAST})\s+struct\s*(\{{)\s*$")  # Go: in `type (…)`
_ABOVE = re.compile(r"\s*(?:@|#\[|\[\w)")  # what may stand between a comment and its field

_NO_SENTENCE = re.compile(r"@|TODO|FIXME|XXX|no(?:lint|qa)\b|type:|eslint|pylint:|pragma|(?:\.\. )?version-?\w+\b")
_DOCUMENTATION = ("/**", "///", '"""')
_WORDS, _FEW = 3, 2  # of a sentence at least, and in what can be nothing but documentation
_VALUE = re.compile(r"^=?\s*\S{1,20}(?: \(\S+\))?\s+//\s+(?=\w)")  # that a comment begins with: `// = 5.0f // Seconds.`
_TAGS = re.compile(
    r"[@\\](?:property|param)\s+(?:\w+\s*-\s*)?(?P<name>\w+)\s+(?P<said>\S.*)", re.DOTALL
)  # KDoc, records
_IVAR = re.compile(r":(?:ivar|param|var|cvar)\s+(?:[\w.\[\], |]+\s)?(?P<name>\w+):\s*(?P<said>\S.*)", re.DOTALL)
_ATTRIBUTE = re.compile(r"(?P<name>[a-z]\w*)(?:\s*\([^)]*\))?\s*:\s+(?P<said>\S.*)")  # of Google's `Attributes:`
_HELP = re.compile(r"""\b(?:description|help|doc|title)\s*["']?\s*[=:]\s*\(?\s*(?:[rRfF]?)(["'])(?P<said>.{8,}?)\1""")


@dataclass(frozen=True, slots=True)
class Field:
    """`owner`: the type that it is a field of; `value`: what its declaration sets it to, as it is written; `says`: the
    first sentence of its comment, in lines `first` to `last`, and `more` what follows it; `text`: its declaration."""

    name: str
    owner: str
    line: int
    value: str
    says: str
    first: int
    last: int
    more: str
    text: str


def holds_options(name: str) -> bool:
    """Does a type's name say that it holds options?"""
    return bool(OPTIONS.search(name) or _SNAKE.search(name))


def documented(lines: Sequence[str], language: str | None) -> Iterator[Field]:
    """All of a file that a comment tells of, in order."""
    language = members.language_known(language)
    heads = [at for at, line in enumerate(lines, 1) if len(line) < members.LONGEST and _head(line)] if language else []
    if not heads:
        return
    told = _Comments(lines, language)
    for at in heads:
        yield from _of_type(lines, language, at, told)


def _head(line: str) -> re.Match[str] | None:
    if not any(word in line for word in ("ption", "onfig", "etting", "pts", "arams")):
        return None
    found = _TYPE.match(line) or _GROUPED.match(line)
    return found if found and holds_options(found[2]) else None


class _Comments:
    """A file's comments, by the lines that they are found by."""

    def __init__(self, lines: Sequence[str], language: str) -> None:
        self.lines = lines
        runs: dict[tuple[int, int], list[Sentence]] = {}
        for one in comments.sentences(lines, language):
            runs.setdefault((one.first, one.last), []).append(one)
        self.inside = {line for first, last in runs for line in range(first + 1, last + 1)}
        self.ending: dict[int, list[Sentence]] = {}
        self.beginning: dict[int, list[Sentence]] = {}
        for (first, last), said in runs.items():
            self.ending[last] = self.beginning[first] = said

    def above(self, line: int) -> list[Sentence]:
        """That has the lines right above to itself."""
        at = line - 1
        while at > 0 and at not in self.ending and _ABOVE.match(self.lines[at - 1]):
            at -= 1
        said = self.ending.get(at, [])
        mark = self.lines[said[0].first - 1].lstrip() if said else ""
        return said if mark.startswith(("//", "/*", "*", "#", "--")) and not mark.startswith("#[") else []

    def beside(self, line: int, last: int) -> list[Sentence]:
        """That stands behind it on its line, or on the last of its declaration."""
        for at in (line, last):
            said = self.beginning.get(at, [])
            if said and not self.lines[at - 1].lstrip().startswith(("//", "/*", "#", '"', "'")):
                return said
        return []

    def below(self, last: int) -> list[Sentence]:
        """A text below it, as Python has it."""
        said = self.beginning.get(last + 1, [])
        return said if said and re.match(r"""\s*[rRuU]?(?:\"\"\"|''')""", self.lines[last]) else []


def _of_type(lines: Sequence[str], language: str, at: int, told: _Comments) -> Iterator[Field]:
    head = _head(lines[at - 1])
    assert head
    first, last = members.body(lines, at, own := members.indent(lines[at - 1]))
    listed = _listed(told, language, at, first)
    methods = re.search(r"\bclass\s", lines[at - 1]) is None
    for one in members.members(lines, language, first, last, own, told.inside, methods=methods):
        said = told.below(one.end) if language == "python" else []
        said = said or told.beside(one.line, one.end) or told.above(one.line) or listed.get(one.name, [])
        begins = _begins(lines, said)
        text = "\n".join(lines[one.line - 1 : one.end])
        if begins is not None:
            begun, more = said[begins], " ".join(other.text for other in said[begins + 1 :])
            says = _VALUE.sub("", begun.text)
            yield Field(one.name, head[2], one.line, one.value, says, begun.start, begun.end, more, text)
        elif told_in := _help(lines, one):
            number, says = told_in
            yield Field(one.name, head[2], one.line, one.value, says, number, number, "", text)


def _begins(lines: Sequence[str], said: Sequence[Sentence]) -> int | None:
    """Which of a comment's sentences is the first that says something."""
    clear = bool(said) and lines[said[0].first - 1].lstrip().startswith(_DOCUMENTATION)
    for number, one in enumerate(said):
        if not _NO_SENTENCE.match(one.text) and len(one.text.split()) >= (_FEW if clear else _WORDS):
            return number
    return None


def _help(lines: Sequence[str], one: members.Member) -> tuple[int, str] | None:
    """What a declaration itself says of its field, and on which line: `Field(description="…")`."""
    found = ((number, _HELP.search(lines[number - 1])) for number in range(one.line, one.end + 1))
    return next(((number, match["said"]) for number, match in found if match), None)


def _listed(told: _Comments, language: str, at: int, first: int) -> Mapping[str, list[Sentence]]:
    """What the comment of a type says of its fields one by one."""
    python = language == "python"
    below = next((told.beginning[number] for number in range(first, first + 3) if number in told.beginning), [])
    comment = below if python and below else told.above(at)
    found: dict[str, list[Sentence]] = {}
    name = ""
    for one in comment:
        if match := (_IVAR if python else _TAGS).match(one.text):
            name = match["name"]
            found.setdefault(name, []).append(Sentence(match["said"], one.start, one.end, one.first, one.last))
        elif name and one.start == found[name][-1].end:
            found[name].append(one)
        else:
            name = ""
    return (_attributes(told.lines, comment[0].first, comment[0].last) if python and comment else {}) | found


def _attributes(lines: Sequence[str], first: int, last: int) -> dict[str, list[Sentence]]:
    """As Google's style lists them: each goes on in lines that are indented further."""
    runs: dict[str, list[tuple[int, str]]] = {}
    name, begun = "", 0
    for number in range(first, last + 1):
        line = lines[number - 1]
        if name and members.indent(line) > begun:
            runs[name].append((number, line.strip()))
        elif match := _ATTRIBUTE.match(line.strip()):
            name, begun = match["name"], members.indent(line)
            runs[name] = [(number, match["said"])]
        else:
            name = ""
    return {name: list(comments.split(run)) for name, run in runs.items()}
