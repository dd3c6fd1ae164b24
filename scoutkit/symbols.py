"""Definitions in source text.

No text makes these functions raise; text that is too large, minified or in a language without a table has no symbols.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scoutkit import grammars, languages
from scoutkit.languages import language_of

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["Symbol", "enclosing", "has_table", "language_of", "scripts", "symbols"]

VERSION = 2  # of what is made of a file beside what languages.py says: raised when ranges, names or comments change
_HOLDERS = frozenset({"class", "interface", "struct", "enum", "trait", "impl"})
_BODIES = frozenset({"function_body", "class_body", "enum_class_body", "do_block"})
_UNSAID = frozenset({"prototype", "exports", "module", "this", "self"})  # owners that say nothing
_OWNER = re.compile(r"::|->|[.:\\]")
_GENERIC = re.compile(r"<[^<>]*>|\[[^\[\]]*\]")
_QUOTES = re.compile(r"[\"`\[\]]")
_BRACE = re.compile(r"(?<!#)\{")
_SCRIPT = re.compile(r"<script\b([^>]{0,500})>", re.IGNORECASE)
_SCRIPT_END = re.compile(r"</script", re.IGNORECASE)
_NO_SCRIPT = re.compile(
    r"""\btype\s*=\s*["']?(?!module|(?:text|application)/(?:java|ecma|type)script)""", re.IGNORECASE
)
_MARKER = re.compile(r"^\s*(?:/\*+!?|\*+/|\*(?!\*)|//[/!]?|#+!?|--+(?:\[\[)?|;+|%+|<!--+)?\s?|\s*(?:\*+/|--+>)\s*$")
_OPERATOR = re.compile(r"\boperator\b")
_EXPORTED = re.compile(r"\b(class|struct)(\s+)([A-Z][A-Z0-9_]+)(?=\s+(?!final\b)\w+\s*(?:final\s*)?[:{])")
_COMMENT_LINE = re.compile(r"\n\s*(?:#|//|/\*|--)")
_LICENSE = re.compile(r"copyright|licen[cs]e|spdx", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Symbol:
    """A definition. Lines are 1-based and inclusive; `start` is that of its first decorator, `lead` that of the comment
    right above it (`start` where there is none), `body_start` the line its body begins on (`start` where it has none).

    `qualified` is `Class.method`; `kind` a capture name of languages.py, or `section` in Markdown and RST; `parent`
    the qualified name of what it is defined in, or "".
    """

    name: str
    qualified: str
    kind: str
    start: int
    end: int
    body_start: int
    lead: int
    signature: str
    doc: str
    parent: str


@dataclass(slots=True)
class _Found:
    """A definition as the query matched it: bytes, rows (0-based) and nodes."""

    begin: int
    until: int
    first: int
    last: int
    kind: str
    raw: str
    receiver: str
    node: Node
    rank: int  # of the query's pattern: where two match the same node, the first is the more precise


def has_table(language: str | None) -> bool:
    """Are a language's definitions known?"""
    return language in languages.DEFINITIONS or language in languages.EMBEDDED


def symbols(path: str, text: str) -> list[Symbol]:
    """Every definition in a file, in order, outer before inner. Never raises on any text."""
    return list(_symbols(language_of(path, text), text))


def enclosing(path: str, text: str, start: int, end: int) -> str:
    """The qualified name of the innermost definition that holds lines `start` to `end`, its comment included; or ""."""
    holders = [symbol for symbol in symbols(path, text) if symbol.lead <= start and end <= symbol.end]
    return min(holders, key=lambda symbol: symbol.end - symbol.lead).qualified if holders and start > 0 else ""


@functools.lru_cache(maxsize=8)
def _symbols(language: str | None, text: str) -> tuple[Symbol, ...]:
    own = _parsed(language, text)
    if language not in languages.EMBEDDED or grammars.unfit(text):
        return own
    inner = _parsed(languages.EMBEDDED[language], scripts(text))
    return tuple(sorted((*own, *inner), key=lambda one: (one.start, -one.end))) if inner else own


def scripts(text: str) -> str:
    """The scripts of a page, each on its own lines, and nothing else."""
    parts, at = [], 0
    while begin := _SCRIPT.search(text, at):
        end = _SCRIPT_END.search(text, begin.end())
        until = end.start() if end else len(text)
        parts.append("\n" * text.count("\n", at, begin.end()) + " ")
        parts.append(
            "\n" * text.count("\n", begin.end(), until) if _NO_SCRIPT.search(begin[1]) else text[begin.end() : until]
        )
        at = until
    return "".join(parts)


def _parsed(language: str | None, text: str) -> tuple[Symbol, ...]:
    if language not in languages.DEFINITIONS or grammars.unfit(text):
        return ()
    lines = text.split("\n")
    if language == "cpp":  # `class API_EXPORT Name`: the grammar takes the macro for the name
        text = _EXPORTED.sub(lambda found: found[1] + found[2] + " " * len(found[3]), text)
    root = grammars.parse(language, text)
    if root is None:
        return ()
    if language in ("markdown", "rst"):
        headings = grammars.cursor(language, "definitions").captures(root).get("heading", [])
        return tuple(_sections(sorted(headings, key=lambda node: node.start_byte), lines))
    source = text.encode("utf-8", "replace")  # a node's own `text` copies 64 kB each time
    found, beside, docstrings = _match(language, root, source, lines)
    return tuple(_nest(language, found, beside, docstrings, source, lines))


def _match(
    language: str, root: Node, source: bytes, lines: list[str]
) -> tuple[list[_Found], dict[int, tuple[int, bool]], dict[int, str]]:
    """Definitions in order; decorators and comments that have their lines to themselves, by last row, as (first row,
    is it a decorator); docstrings by the byte their block begins at."""
    found: dict[int, _Found] = {}
    wraps: dict[tuple[int, int], Node] = {}
    beside: dict[int, tuple[int, bool]] = {}
    docstrings: dict[int, str] = {}
    for rank, match in grammars.cursor(language, "definitions").matches(root):
        if "name" not in match:
            if "wrap" in match:
                inner = match["inner"][0]
                wraps[inner.start_byte, inner.end_byte] = match["wrap"][0]
            elif "docstring" in match:
                docstrings[match["docstring"][0].start_byte] = _text(source, match["docstring"][0])
            else:
                node = (match.get("comment") or match["attribute"])[0]
                row, column = node.start_point
                if not lines[row].encode("utf-8", "replace")[:column].strip():
                    beside[_last_row(node)] = (row, "attribute" in match)
            continue
        name = match["name"][0]
        kind = next(label for label in match if label not in ("name", "receiver", "_f"))
        node = match[kind][0]
        known = found.get(name.start_byte)
        if known and (known.until - known.begin, -known.rank) >= (node.end_byte - node.start_byte, -rank):
            continue
        receiver = _text(source, match["receiver"][0]) if "receiver" in match else ""
        rows = (node.start_point.row, _last_row(node))
        raw = _text(source, name)[:300]
        found[name.start_byte] = _Found(node.start_byte, node.end_byte, *rows, kind, raw, receiver, node, rank)
    for definition in found.values():
        while wrap := wraps.pop((definition.begin, definition.until), None):
            definition.begin, definition.until = wrap.start_byte, wrap.end_byte
            definition.first, definition.last = wrap.start_point.row, _last_row(wrap)
    return sorted(found.values(), key=lambda one: (one.begin, -one.until)), beside, docstrings


def _nest(
    language: str,
    found: Iterable[_Found],
    beside: dict[int, tuple[int, bool]],
    docstrings: dict[int, str],
    source: bytes,
    lines: list[str],
) -> Iterator[Symbol]:
    """Definitions as symbols, each knowing what it is defined in."""
    stack: list[tuple[int, Symbol]] = []
    for one in found:
        while stack and stack[-1][0] < one.until:
            stack.pop()
        holder = next((symbol for _, symbol in reversed(stack) if symbol.kind != "test"), None)
        owner, name = _split(language, one)
        if not name:
            continue
        if stack and one.kind in _HOLDERS and stack[-1][1].name == name and stack[-1][1].start == one.first + 1:
            continue  # `typedef struct client { … } client`
        kind = "method" if one.kind == "function" and (owner or (holder and holder.kind in _HOLDERS)) else one.kind
        parent = ".".join(part for part in (holder.qualified if holder else "", owner) if part)
        first, lead = _above(one.first, beside, lines)
        last = _ending(one, beside, lines) if one.kind == "key" else one.last
        body = _body(one.node)
        doc = docstrings.get(body.start_byte, "") if body is not None and docstrings else ""
        symbol = Symbol(
            name=name,
            qualified=f"{parent}{' ' if kind == 'rule' else '.'}{name}" if parent and kind != "test" else name,
            kind=kind,
            start=first + 1,
            end=last + 1,
            body_start=(body.start_point.row if body is not None else one.first) + 1,
            lead=lead + 1,
            signature=name if kind == "rule" else _signature(source, one.node, body, kind),
            doc=_docstring(doc) if doc else _comment(lines[lead:first]),
            parent=parent,
        )
        stack.append((one.until, symbol))
        yield symbol


def _split(language: str, one: _Found) -> tuple[str, str]:
    """Owner and name: `Reply.prototype.send` → Reply, send."""
    raw = one.raw.strip("\"' \t\n")
    if one.kind == "rule":
        return "", " ".join(_BRACE.split(raw, maxsplit=1)[0].split())
    if one.kind in ("test", "element") or language in ("bash", "css", "scss") or _whole(language, one):
        return "", " ".join(raw.split())
    raw = _QUOTES.sub("", raw) if language == "sql" else raw.lstrip(":") if language == "ruby" else raw
    operator = _OPERATOR.search(raw) if language == "cpp" else None
    raw, signs = (raw[: operator.start()], raw[operator.start() :]) if operator else (raw, "")
    if language in ("c", "cpp"):
        raw = raw.partition("(")[0].strip() or raw  # a macro stands between the name and its parameters
    if one.kind == "impl" or language == "cpp":
        shorter = ""
        while shorter != raw:
            shorter, raw = raw, _GENERIC.sub("", raw)
        raw = raw if one.kind != "impl" else raw.split("::")[-1]
    raw += signs
    parts = [part.strip() for part in _OWNER.split(raw)] if raw[:1].isalpha() or raw[:1] in "_$~" else [raw]
    if one.receiver:
        parts[:0] = re.findall(r"\w+", _GENERIC.sub("", one.receiver))[-1:]
    said = [part for part in parts[:-1] if part and (part not in _UNSAID or parts == ["module", "exports"])]
    return ".".join(said), parts[-1] or raw


def _whole(language: str, one: _Found) -> bool:
    """Is a key one name, dots and all? TOML's are not, unless they are quoted."""
    return one.kind == "key" and (language != "toml" or one.raw[:1] in "\"'")


def _ending(one: _Found, beside: dict[int, tuple[int, bool]], lines: list[str]) -> int:
    """The last row of a key's value: a table of TOML takes in what stands above the next."""
    last = one.last
    while last > one.first and (last in beside or not lines[last].strip()):
        last = beside[last][0] - 1 if last in beside else last - 1
    return max(last, one.first)


def _above(row: int, beside: dict[int, tuple[int, bool]], lines: list[str]) -> tuple[int, int]:
    """The first row of a definition's decorators, and of the comment above them."""
    first = lead = row
    while (above := beside.get(lead - 1)) is not None:
        lead = above[0]
        first = lead if above[1] else first
    if lead < first and lead < 3 and any(_LICENSE.search(line) for line in lines[lead:first]):
        return first, first
    return first, lead


def _body(node: Node) -> Node | None:
    body = node.child_by_field_name("body")
    for field in () if body is not None else ("value", "right", "type"):
        part = node.child_by_field_name(field)
        body = part.child_by_field_name("body") if body is None and part is not None else body
    if body is None:  # the grammars of Kotlin and Elixir name no fields for it
        body = next((part for part in node.named_children if part.type in _BODIES), None)
    return body


def _signature(source: bytes, node: Node, body: Node | None, kind: str) -> str:
    """The declaration up to its body on one line, at most 300 characters; of a long bodiless one, its first line."""
    until = min(node.start_byte + 1200, node.end_byte) if body is None else body.start_byte
    raw = source[node.start_byte : until]
    text = _COMMENT_LINE.split(raw.decode("utf-8", "replace"), maxsplit=1)[0]
    if body is None and (kind not in ("function", "method") or len(text) > 300):
        text = re.split(r"\n" if kind == "key" else r"\{|\n", text, maxsplit=1)[0]
    return " ".join(text[:1000].split()).rstrip("{:=[ ," if kind == "key" else "{:= ")[:300]


def _docstring(literal: str) -> str:
    found = re.fullmatch(r"[A-Za-z]*(\"\"\"|'''|\"|')(.*)\1", literal, re.DOTALL)
    return "\n".join(line.strip() for line in (found[2] if found else literal)[:4000].strip().splitlines())


def _comment(lines: list[str]) -> str:
    """The words of a comment, without its markers and without decorators."""
    words = (_MARKER.sub("", line).strip() for line in lines if not re.match(r"\s*(?:@|#\[|\"\"\")", line))
    return "\n".join(words).strip()[:4000]


def _sections(headings: list[Node], lines: list[str]) -> Iterator[Symbol]:
    """Headings of Markdown and RST as nested sections; the level of RST's is the order their underlines appear in."""
    styles: list[str] = []
    marks: list[tuple[int, int, str]] = []
    for node in headings:
        row = node.start_point.row
        line = lines[row].strip()
        below = lines[row + 1].strip() if row + 1 < len(lines) else ""
        if node.type == "title":
            style = below[:1]
            styles += [style] if style not in styles else []
            level = styles.index(style) + 1
        elif node.type == "setext_heading":
            level = 1 if lines[_last_row(node)].strip().startswith("=") else 2
        else:
            level = len(line) - len(line.lstrip("#"))
        marks.append((row, level, " ".join(line.strip("# \t").split())[:300] or line))
    path: list[tuple[int, str]] = []
    for at, (row, level, title) in enumerate(marks):
        end = next((later for later, other, _ in marks[at + 1 :] if other <= level), len(lines) - (not lines[-1]))
        path = [(other, name) for other, name in path if other < level]
        parent = path[-1][1] if path else ""
        path.append((level, title))
        yield Symbol(title, title, "section", row + 1, max(end, row + 1), row + 1, row + 1, title, "", parent)


def _last_row(node: Node) -> int:
    row, column = node.end_point
    return row - 1 if column == 0 and row > node.start_point.row else row


def _text(source: bytes, node: Node) -> str:
    return source[node.start_byte : node.end_byte].decode("utf-8", "replace")
