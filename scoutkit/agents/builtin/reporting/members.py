"""What declares a field of a type in which language, line by line: rules, and how far a type and a declaration go, by
indentation. Nothing is parsed.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

LONGEST = 400  # characters of a line
_BODY = 3_000  # lines of a type
_LINES = 12  # of a field's declaration
_OPEN = re.compile(r"[\[({<:=&|,]\s*$")
_MODIFIED = (
    r"(?:(?:@\w[\w.]*(?:\([^)]*\))?|public|private|protected|internal|static|final|volatile|transient|readonly|override"
    r"|abstract|virtual|required|lateinit|open|const|declare|export|mutable|inline|var|val|let|case)\s+)*"
)
_KIND = r"[A-Za-z_][\w.:]*(?:<[^;={}]*>)?(?:\[\])*[?*&]*"  # a type of Java and C#
_OF_GO = r"(?:[\w*\[\].<-]+|func\(.*|map\[.*|chan\s.*|interface\{.*|struct\s?\{.*)"
_OF_C = r"(?:(?:const|unsigned|struct|enum|volatile)\s+)*[A-Za-z_][\w:]*(?:<[^;={}]*>)?(?:\s+\w+)?[\s*&]+"
_SET = r"(?:=\s*(?P<value>[^;]+?))?"
_FIELDS = {
    "python": r"(?P<name>[A-Za-z]\w*)\s*(?::\s*(?P<kind>[^=#]+?))?\s*(?:=\s*(?P<value>[^=].*))?$",
    "go": rf"(?P<name>[A-Za-z]\w*)(?:,\s*\w+)*\s+{_OF_GO}(?:[\s`].*)?$",
    "rust": r"(?:pub(?:\([^)]*\))?\s+)?(?:r#)?(?P<name>[a-z_]\w*)\s*:\s*\S.*$",
    "typescript": (
        rf"{_MODIFIED}[\"']?(?P<name>[A-Za-z_$][\w$-]*)[\"']?[?!]?\s*"
        r"(?:(?P<call>[(<])|:|=\s*(?P<value>.+?);?$).*$"
    ),
    "kotlin": rf"{_MODIFIED}(?:va[lr])\s+(?P<name>\w+)\s*(?::\s*[^=]+?)?(?:=\s*(?P<value>.+?))?,?$",
    "swift": (
        r"(?:[a-z@]\w*(?:\([^)]*\))?\s+)*(?:let|var)\s+(?P<name>\w+)\s*(?::\s*[^={]+?)?"
        r"(?:=\s*(?P<value>[^{]+?))?(?:\s*\{.*)?$"
    ),
    "csharp": rf"{_MODIFIED}{_KIND}\s+(?P<name>[A-Za-z_]\w*)\s*(?:\{{.*?\}})?\s*{_SET}(?:;|\{{?$).*$",
    "java": rf"{_MODIFIED}{_KIND}\s+(?P<name>[A-Za-z_]\w*)\s*{_SET};.*$",
    "c": rf"{_OF_C}(?P<name>[A-Za-z_]\w*)(?:\[[^\]]*\])*\s*(?::\s*\d+)?\s*{_SET};.*$",
    "php": (
        r"(?:public|protected|private|static|readonly|var|\s)*\s*\??[\w|\\]*\s*\$(?P<name>\w+)\s*"
        r"(?:=\s*(?P<value>[^;]+?))?[;,].*$"
    ),
}
_LIKE = {"tsx": "typescript", "vue": "typescript", "svelte": "typescript", "cpp": "c", "scala": "kotlin"}
_RULES = {language: re.compile(rule) for language, rule in _FIELDS.items()}
_NO_FIELD = frozenset(
    re.findall(
        r"\w+",
        """
    as async await break case class const constructor def default delete elif else enum except export fn for from func
    function get goto if impl import in interface let match new package pass private protected public raise return self
    set static struct super switch this throw try type typedef use using var where while with yield""",
    )
)
_STATEMENT = re.compile(r"(?:class|def|from|friend|goto|import|raise|return|throw|typedef|using|yield)\s")
_CONSTANT = re.compile(  # of a type, which nobody sets
    r".*\b(?:static\s+(?:final|const|readonly|let)|final\s+static|constexpr|const\s+val"
    r"|(?:public|private|internal)\s+const)\s|.*:\s*(?:\w+\.)?(?:Final|ClassVar)\b"
)
_MADE = ("valueOf", "newInstance")  # a constant that is an option by itself, as Netty has them


@dataclass(frozen=True, slots=True)
class Member:
    """A field's name, the first and last line of its declaration, and what that sets it to, as it is written."""

    name: str
    line: int
    end: int
    value: str


def language_known(language: str | None) -> str:
    """The language whose rules hold for one; "" where its types have no fields, or nobody knows them."""
    like = _LIKE.get(language or "", language or "")
    return like if like in _RULES else ""


def body(lines: Sequence[str], at: int, own: int) -> tuple[int, int]:
    """The first and last line of a type's body, by indentation."""
    last = at
    for number in range(at + 1, min(len(lines), at + _BODY) + 1):
        line = lines[number - 1]
        if not line.strip() or indent(line) > own:
            continue
        if not re.match(r"\s*[){]", line) or not (_OPEN.search(line) or line.strip() in ")("):
            break  # not what ends a head of several lines
        last = number
    else:
        number = min(len(lines), at + _BODY) + 1
    return at + 1, max(last, number - 1)


def members(
    lines: Sequence[str], language: str, first: int, last: int, own: int, aside: Collection[int], *, methods: bool
) -> Iterator[Member]:
    """The fields that lines `first` to `last` declare, the body of a type that begins `own` columns in; `aside`: lines
    that a comment or a text goes on in. Methods are fields where `methods`: an interface's may be given too."""
    inside = (line for line in lines[first - 1 : last] if line.strip(" \t\r\n(){};,"))
    level = min((at for line in inside if (at := indent(line)) > own), default=own + 1)
    found: dict[str, tuple[int, str]] = {}
    for number in range(first, last + 1):
        line = lines[number - 1]
        if number in aside or len(line) > LONGEST or not line.strip() or indent(line) != level:
            continue
        if (match := _match(line, language)) and (methods or not match.groupdict().get("call")):
            value = (match.groupdict().get("value") or "").strip()
            if not _CONSTANT.match(line) or value.startswith(_MADE):
                found[match["name"]] = (number, value)
    begun = sorted(number for number, _ in found.values())
    for name, (number, value) in found.items():
        until = next((other for other in begun if other > number), last + 1) - 1
        yield Member(name, number, _end(lines, number, until, level), value)


def _match(line: str, language: str) -> re.Match[str] | None:
    bare = _bare(line, language)
    if not bare or bare[0] in "#*/<)}]{(" or _STATEMENT.match(bare):
        return None
    match = _RULES[language].match(bare)
    if match is None or match["name"] in _NO_FIELD:
        return None
    untyped = language == "python" and not (match["kind"] or match["value"])
    called = language == "rust" and "(" in bare.partition(":")[0].replace("pub(", "")
    return None if untyped or called else match


def _bare(line: str, language: str) -> str:
    """A line without the comment behind it."""
    mark = r"\s+#\s.*$" if language == "python" else r"\s+//.*$|\s+/\*.*?(?:\*/|$)"
    line = re.sub(mark, "", line.strip())
    return re.sub(r"^\s*(?:#\[[^\]]*\]|/\*.*?\*/)\s*", "", line)


def _end(lines: Sequence[str], number: int, until: int, level: int) -> int:
    """The last line of a declaration that begins on a line."""
    end = number
    for at in range(number + 1, min(until, number + _LINES) + 1):
        line = lines[at - 1]
        if not line.strip() or (indent(line) <= level and not re.match(r"\s*[)\]}]", line)):
            break
        end = at
    return end


def indent(line: str) -> int:
    """How many columns a line is indented."""
    return len(line.expandtabs(4)) - len(line.expandtabs(4).lstrip())
