"""What a file's comments say, sentence by sentence, each with its lines: in every language, read line by line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_SLASHES = (
    "c cpp csharp dart go graphql groovy html java javascript kotlin nix objc php proto rust sass scala scss solidity"
    " svelte swift tsx typescript vue zig"
)
_HASHES = (
    "bash cmake dockerfile elixir graphql ini julia make nix perl php powershell python r ruby tcl toml yaml"  # `#`
)
_BEGINS = {
    "//": _SLASHES,
    "#": _HASHES,
    "--": "haskell lua sql",
    ";": "clojure ini",
    "%": "erlang",
    '"': "vim",
    "!": "fortran",
}
_SCRIPTS = (
    "csharp go java javascript kotlin rust scala swift tsx typescript"  # `# ` stands only in a text there: a script
)
_BLOCKS = {
    ("/*", "*/"): f"{_SLASHES} css sql",
    ("<!--", "-->"): "html markdown svelte vue xml",
    ("{-", "-}"): "haskell",
    ("--[[", "]]"): "lua",
    ("(*", "*)"): "ocaml",
    ("<#", "#>"): "powershell",
    ("=begin", "=end"): "ruby",
    ("=pod", "=cut"): "perl",
    ('"""', '"""'): "elixir julia python",
    ("'''", "'''"): "python",
}
_QUOTED = frozenset({'"""', "'''"})
_ALONE = frozenset({"=begin", "=pod"})  # have their line to themselves
_UNKNOWN = (("//", "#"), (("/*", "*/"),))  # of a language nobody knows
_NOT_SAID = re.compile(r"#\s*(?:include|define|if|ifdef|ifndef|endif|else|elif|pragma|undef)\b|#[\[!]|#\w+\(|\"\"?$")
_MARK = re.compile(r"^(?:/\*+[*!<]?|\*+(?=\s|$)|/{2,}[!<]?|#+[:|]?|--+[|^]?|;+|%+|<!--|\"|!)\s?")
_BEFORE = re.compile(r"\s*(?:[rRuUbBfF]{0,2}|@(?:module|type)?doc\s+(?:~[sS])?)$")  # of a documentation's quotes
_POINT = re.compile(
    r"(?:[-*+•]|\d{1,2}[.)]|\(\d\))\s+|[@\\]\w+|:\w[\w ]*:(?!`)|\.\. \w|(?:NOTE|TODO|FIXME|XXX|HACK)\b|#+ "
)
_ENDS = re.compile(r"(?<=[.!?])(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\betc\.)(?<!\bvs\.)[\"')\]]*\s+(?=[^a-z])|(?<=[。！？])")
LISTED = re.compile(r"^(?:[-*+•]|\d{1,2}[.)])\s+|\.\. (?=\w+::)")  # begins a point of a list
_MARKUP = re.compile(
    r":\w+(?::\w+)?:`~?\.?([^`<]+?)(?:\s*<[^>]*>)?`|\{@\w+\s+#?([^}]+)\}|\[([^\[\]]+)\](?:\([^()\s]*\)|\[[^\[\]]*\])?|</?[a-z]+/?>"
)
_LONGEST = 1_000  # characters of a line
_BLOCK = 40  # lines of a block that begins behind code


@dataclass(frozen=True, slots=True)
class Sentence:
    """What stands in lines `start` to `end` of a comment, which are all of it or less; `first` and `last` are those of
    the whole comment."""

    text: str
    start: int
    end: int
    first: int
    last: int


def sentences(lines: Sequence[str], language: str | None) -> Iterator[Sentence]:
    """Of all comments and documentation in a file, in order."""
    for run in _runs(lines, language):
        yield from split(run)


def paragraphs(lines: Sequence[str]) -> Iterator[Sentence]:
    """The sentences of a text that is written for people, without its headings, tables and code."""
    run: list[tuple[int, str]] = []
    fenced = False
    for number, line in enumerate(lines, 1):
        fence = line.lstrip().startswith(("```", "~~~"))
        fenced ^= fence
        said = line.strip()
        if said and not (fenced or fence) and said[0] not in "#=~`|:<^" and not line.startswith("        "):
            run.append((number, said))
        elif run:
            yield from split(run)
            run = []
    yield from split(run)


def split(run: Sequence[tuple[int, str]]) -> Iterator[Sentence]:
    """The sentences of a comment, from its lines' numbers and what they say: those of a paragraph or a point go on over
    lines."""
    part: list[tuple[int, str]] = []
    for number, said in (*run, (0, "")):
        if part and (not said or _POINT.match(said)):
            yield from _of_part(part, run[0][0], run[-1][0])
            part = []
        if said:
            part.append((number, said))


def plain(text: str) -> str:
    """A sentence without markup that a report would take for its own."""
    said = _MARKUP.sub(lambda found: next((group for group in found.groups() if group), ""), text)
    said = LISTED.sub("", said.strip(), count=1).replace("versionchanged:: ", "versionchanged ")
    said = re.sub(r"\s+", " ", said.replace("``", "").replace("`", "").replace("**", ""))
    return said.strip()


def _of_part(part: Sequence[tuple[int, str]], first: int, last: int) -> Iterator[Sentence]:
    text, begins = "", []
    for _, said in part:
        begins.append(len(text))
        text += f"{said} "
    at = 0
    for end in (*(match.end() for match in _ENDS.finditer(text)), len(text)):
        if text[at:end].strip():
            held = [number for (number, _), begin in zip(part, begins, strict=True) if begin < end]
            left = [number for (number, _), begin in zip(part, begins, strict=True) if begin <= at]
            yield Sentence(text[at:end].strip(), left[-1], held[-1], first, last)
        at = end


def _syntax(language: str | None) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    if not any(language in names.split() for names in (*_BEGINS.values(), *_BLOCKS.values())):
        return _UNKNOWN
    begins = tuple(mark for mark, names in _BEGINS.items() if language in names.split())
    begins += ("# ",) if language in _SCRIPTS.split() else ()
    return begins, tuple(marks for marks, names in _BLOCKS.items() if language in names.split())


def _runs(lines: Sequence[str], language: str | None) -> Iterator[list[tuple[int, str]]]:
    """Comments as their lines' numbers and what each says; lines of one kind below each other are one comment."""
    begins, blocks = _syntax(language)
    trailing = [mark for mark in begins if mark in ("//", "#", "--")]
    run: list[tuple[int, str]] = []
    until = ""  # what ends the block or the text that a line is in
    telling = False
    for number, full in enumerate(lines, 1):
        line = full[:_LONGEST].strip()
        if until:
            inside, ended, _ = line.partition(until)
            if telling:
                run.append((number, _said(inside)))
            if ended:
                until = ""
                if run:
                    yield run
                run = []
            continue
        opened = next((one for one in blocks if _opens(line, one[0])), None)
        if opened:
            if run:
                yield run
            run, telling = [], True
            rest = line.partition(opened[0])[2]
            inside, ended, after = rest.partition(opened[1])
            run.append((number, _said(inside)))
            until = "" if ended else opened[1]
            if ended:
                if not after.strip(" ;,)") or opened[0] not in _QUOTED:
                    yield run
                run = []
            continue
        if line.startswith(begins) and not _NOT_SAID.match(line):
            run.append((number, _said(line)))
            continue
        if run:
            yield run
            run = []
        quotes = next((mark for mark, _ in blocks if mark in _QUOTED and line.count(mark) % 2), "")
        if quotes:  # a text that is no documentation
            until, telling = quotes, False
        elif line and (said := _trailing(line, trailing, blocks)):
            text, until = said
            if until and not any(until in one for one in lines[number : number + _BLOCK]):
                text, until = "", ""  # it only looked like one
            telling = bool(until)
            if until:
                run = [(number, _said(text))]
            elif text:
                yield [(number, _said(text))]
    if run:
        yield run


def _opens(line: str, mark: str) -> bool:
    if mark in _QUOTED:
        before, found, _ = line.partition(mark)
        return bool(found) and bool(_BEFORE.fullmatch(before))
    return line.startswith(mark) and (mark not in _ALONE or not line[len(mark) :].strip())


def _trailing(line: str, marks: Sequence[str], blocks: Sequence[tuple[str, str]]) -> tuple[str, str] | None:
    """What a comment behind code says, and what ends it, "" where its line does."""
    if ("/*", "*/") in blocks and " /* " in f"{line} " and not _in_text(line, at := line.index("/*")):
        inside, ended, after = line[at + 2 :].partition("*/")
        return None if after.strip() else (inside, "" if ended else "*/")
    for mark in marks:
        at = line.find(f"{mark} ", 1)
        if at > 0 and line[at - 1].isspace() and not _in_text(line, at):
            return line[at:], ""
    return None


def _in_text(line: str, at: int) -> bool:
    before = line[:at].replace("\\\\", "").replace('\\"', "")
    return before.count('"') % 2 == 1 or before.count("`") % 2 == 1


def _said(line: str) -> str:
    """A line of a comment without its marks."""
    return _MARK.sub("", line.strip()).rstrip("*").strip() if line.strip(" */#-=~_;%") else ""
