"""What a line looks like: a comment, an import, a definition, a call; where nothing parses it, or what is parsed says
too little."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from scoutkit.symbols import language_of

BRACKETS = frozenset({"c", "cpp", "csharp", "go", "java", "javascript", "python", "rust", "tsx", "typescript"})
_TYPED = frozenset({"c", "cpp", "csharp", "java"})  # a definition has its type before its name there
_TAGGED = frozenset({"c", "cpp"})
_RESULT = re.compile(r"[\w\s:.<>,\[\]*&?@]*(?:\w|[\w>*?\]]>|\])\??[\s*&]+")  # `public List<String> `: no operator
_STATEMENT = re.compile(r"\b(?:assert|await|case|co_\w+|delete|do|else|goto|in|new|not|return|throw|yield)\b|&&|\w:\s")
_FAMILY = {
    language: at
    for at, languages in enumerate(
        ("java kotlin scala", "javascript typescript tsx vue svelte", "python", "ruby", "go", "php", "csharp")
    )
    for language in languages.split()
}  # C, Rust and pages of HTML are called from and call all of them
_PROSE = frozenset({"markdown", "rst"})
_HASHED = frozenset({"bash", "elixir", "python", "ruby", "toml", "yaml"})
REFERS = frozenset({"java", "kotlin"})  # `x.f` is a property there: a method is handed on as `x::f`
IMPORT = re.compile(
    r"\s*(?:import\b|from\s.*\bimport\b|(?:pub\s+)?use\s|using\s|#\s*include|package\s|export\s.*\bfrom\b"
    r"|(?:const|let|var)\b.*\brequire\()"
)
COMMENT = re.compile(  # `*at = made()` is none
    r"\s*(?://|#(?!include|define|\[)|/\*|\*(?!\*?\w[\w.>\[\]-]*\s*=[^=])|--|<!--|\"\"\"|///)"
)
_TEXT = re.compile(
    r"(?i)(?:^|/)(?:authors|change-?logs?|copying|faq|install|licen[cs]e|news|notes|readme|todo)(?:\.(?:html|in|txt))?$"
)
_BEGUN = re.compile(r"(?:^|\s)/\*(?:[\s*!](?!.*\*/).*)?$")
_QUOTES = re.compile(r"\"\"\"|'''")


def lines_with(lines: Sequence[str], name: str, wanted: re.Pattern[str], language: str | None = None) -> list[int]:
    """The lines in which a name stands so, but for comments and imports."""
    found = [at for at, line in enumerate(lines, 1) if name in line and wanted.search(line[:1000])]
    found = [at for at in found if not IMPORT.match(lines[at - 1]) and not COMMENT.match(lines[at - 1])]
    aside = set(_aside(lines, language)) if found else ()
    return [at for at in found if at not in aside]


def _aside(lines: Sequence[str], language: str | None) -> Iterator[int]:
    """The lines that a comment of several lines goes on in, or a text in Python."""
    if language == "python":
        inside = ""
        for at, line in enumerate(lines, 1):
            if inside:
                yield at
            for quotes in _QUOTES.findall(line) if '"""' in line or "'''" in line else ():
                inside = "" if inside == quotes else inside or quotes
    elif language not in (None, *_HASHED):
        begun = False
        for at, line in enumerate(lines, 1):
            if begun:
                yield at
                begun = "*/" not in line
            else:
                begun = "/*" in line and bool(_BEGUN.search(line))


def bare(line: str, name: str, language: str | None) -> str:
    """A line without the comment that ends it, and where a name is a word, without what it says in quotes."""
    if name.isalpha() and name.islower():
        line = re.sub(r"\"[^\"\\]*\"", '""', line)
    return re.sub(r"\s#\s.*" if language in _HASHED else r"^(?:(?!/\*).)*\*/|/\*.*?(?:\*/|$)|(?<!:)//\s.*", "", line)


def related(path: str, other: str) -> bool:
    """Can the code of one file call the other's? Where the languages say nothing, it can."""
    one, two = _FAMILY.get(language_of(path) or ""), _FAMILY.get(language_of(other) or "")
    return one is None or two is None or one == two


def prose(path: str) -> bool:
    """Is a file written for people, not run?"""
    return language_of(path) in _PROSE or bool(_TEXT.search(path))


def may_call(text: str, name: str, language: str | None) -> bool:
    """Is there anything like a call? Parsing a file that only mentions a name would be for nothing."""
    return language not in BRACKETS or bool(
        re.search(rf"(?<![\w$]){re.escape(name)}\s*(?:[(<!{{`,;)\]}}]|\.(?:call|apply|bind)\(|$)", text, re.MULTILINE)
    )


def defines(line: str, name: str, language: str | None) -> bool:
    """Does a line define a name, or declare it?"""
    name, line = re.escape(name), line[:500]
    if re.search(rf"\b(?:def|define|func|fun|fn|function)\s+(?:\([^)]*\)\s*)?(?:[\w.]+[.:])*{name}(?![\w$])", line):
        return True
    own = r"\s*(?:final\s*)?(?:[:{;]|$)" if language in _TAGGED else ""  # `struct client *made` only uses it
    if re.search(
        rf"\b(?:class|struct|interface|type|enum|trait|impl|module|namespace)\s+(?:[\w.]+[.:])*{name}(?![\w$]){own}",
        line,
    ):
        return True
    found = re.search(rf"(?:\w+::)*~?(?<![\w$]){name}\s*\(", line) if language in _TYPED else None
    before = line[: found.start()] if found else ""
    return bool(_RESULT.fullmatch(before)) and not _STATEMENT.search(before)


def called(line: str, name: str, path: str) -> bool:
    """Is a function called on a line, and not only named? In languages whose calls have brackets."""
    call = rf"(?<![\w$]){re.escape(name)}\s*(?:(?:::)?<[^<>]*>)?\s*(?:[(!`]|\?\.\()"
    return language_of(path) not in BRACKETS or bool(re.search(call, line))


def handing(name: str, language: str | None) -> re.Pattern[str]:
    """Where a function is named to be called by somebody else; not where a variable of its name is set."""
    if language in REFERS:
        return re.compile(rf"::{re.escape(name)}(?![\w$])")
    return re.compile(rf"(?:[(,\[]|(?<![=!<>])=|:)\s*(?:&|this\.|self\.|\w+\.)?{re.escape(name)}\s*(?:[,)\]}};]|$)")
