"""The lines of a file that call, hand on or only name a definition."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from scoutkit.agents.builtin.reporting.code import Code
from scoutkit.agents.builtin.reporting.looks import REFERS, bare, defines, handing, lines_with, may_call
from scoutkit.agents.builtin.reporting.meaning import (
    OWNED,
    class_of,
    extended,
    in_class,
    means,
    means_another,
    means_own,
    owner_of,
    parts,
    receiver_of,
)
from scoutkit.agents.builtin.reporting.naming import (
    TYPES,
    Node,
    common,
)
from scoutkit.symbols import language_of

_TYPED = r"(?<![\w$])NAME\s*<[^()=;]{1,80}>\s*\("
_MACRO = r"^(?=\s*#\s*define\s|.*\\$).*(?<![\w$])NAME\s*\("
_APPLIED = r"(?<![\w$])NAME\.(?:call|apply|bind)\("
_BESIDE = {  # calls that no grammar tells as such, or that stand in what a macro is given or stands for
    "c": (_MACRO,),
    "cpp": (_MACRO, _TYPED),
    "csharp": (_TYPED, r"\?\.\s*NAME\s*\("),
    "javascript": (_APPLIED,),
    "php": (r"\?->\s*NAME\s*\(",),
    "rust": (r"(?<![\w$])NAME\s*(?:::<[^<>()]{0,80}>)?\(",),
    "scala": (r"(?<![\w$])NAME\[[^()=;]{1,80}\]\s*\(",),
    "tsx": (_APPLIED,),
    "typescript": (_APPLIED,),
}
_SIGNED = frozenset({"ruby", "elixir"})  # `empty?` is not `empty`


def sites(
    code: Code,
    target: Node,
    path: str,
    others: Sequence[Node],
    *,
    parse: bool = True,
    shared: bool = False,
    every: bool = False,
) -> Iterator[tuple[int, bool]]:
    """The lines of a file that call a definition (or name it: a type, and with `every` a constant or module), each with
    whether that is sure. `others`: all definitions of its name. Calls that mean another one, as far as can be told, are
    left out; `shared`: only those that rather mean another. Without `parse`, what looks like a call is one."""
    name = target.last
    text, typed = code.text(path), target.kind in TYPES or (every and _telling(target))
    if name not in text or not (typed or may_call(text, name, language_of(path))):
        return
    lines = code.lines(path)
    called, seen = (set[int](), _naming(lines, name, path)) if typed else _calling(code, target, path, parse=parse)
    heads = {one.start for one in others if one.path == path}
    others = list(dict.fromkeys(others))  # overloads are one
    above = extended(code, target, others)
    told: dict[str | None, bool | None] = {}  # by what a call stands behind: a generated file has thousands of calls
    for number in sorted({*called, *seen}):
        line = lines[number - 1] if number <= len(lines) else ""
        inside = path == target.path and target.start <= number <= target.end
        if inside or (number not in called and (number in heads or defines(line, name, language_of(path)))):
            continue
        if common(name) and target.owner != "String" and re.search(rf"[\"'`]\.{re.escape(name)}\b", line):
            continue  # a text's own
        receiver = receiver_of(line, name)
        own = owner_of(code, path, number, receiver)
        if own is not None:
            sure = means_own(target, others, path, own)
            rest = (one for one in others if one != target)
            if sure is None and shared and not any(means_own(one, others, path, own) for one in rest):
                sure = False
        elif receiver is None and in_class(code, target, path, number):
            sure = True
        else:
            if receiver not in told:
                told[receiver] = means(code, target, others, path, receiver, above)
                if shared and told[receiver] is None and not means_another(code, target, others, path, receiver):
                    told[receiver] = False
            sure = told[receiver]
        if sure is None and above and (own or (receiver is None and class_of(code, path, number))) in above:
            sure = False  # of what the target overrides
        if sure is not None:
            yield number, sure


def _telling(target: Node) -> bool:
    """Is it a constant or a module by a name that is no word?"""
    word = target.last.islower() and len(parts(target.last)) < 2
    return target.kind in ("constant", "module", "property") and not word


def _naming(lines: Sequence[str], name: str, path: str) -> list[int]:
    word = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])")
    found = lines_with(lines, name, word, language_of(path))
    return [at for at in found if word.search(bare(lines[at - 1], name, language_of(path)))]


def _calling(code: Code, target: Node, path: str, *, parse: bool) -> tuple[set[int], list[int]]:
    """Lines of a file with what the grammar calls a call of the name, and those that look like one."""
    name, language, lines = re.escape(target.last), language_of(path), code.lines(path)
    known = code.calls(path) if parse else None
    after = r"(?![\w$?!])" if language in _SIGNED and target.last[-1].isalnum() else r"(?![\w$])"
    looks = [one.replace("NAME", name) for one in _BESIDE.get(language or "", ())]
    if known is None:
        looks = [rf"(?<![\w$]){name}{after}\s*(?:<[^<>()]{{0,80}}>)?\s*[({{!]"]
    found = [at for one in looks for at in lines_with(lines, target.last, re.compile(one), language)]
    if len(parts(target.last)) > 1 or language in REFERS:
        found += lines_with(lines, target.last, handing(target.last, language), language)
    return {call.line for call in known or () if call.name == target.last}, found


def named(code: Code, path: str, others: Sequence[Node]) -> list[tuple[int, bool]]:
    """The lines of a file that only name a function, as `hooks.configure.call()` and `sorted(key=_order)` do. `others`:
    all definitions of it. A name of one word must stand as code, and a method's behind something."""
    name, language = others[0].last if others else "", language_of(path)
    if common(name) or name not in code.text(path):
        return []
    word, method = len(parts(name)) == 1, language in OWNED and all(one.kind == "method" for one in others)
    before = r"\.\s*" if word and method else r"[.(,=]\s*" if word else r"(?<![\w$])"
    before = r"(?:::|[\"'])" if language in REFERS else before  # a field may have a method's name there
    after = r"(?![\w$?!])" if language in _SIGNED else r"(?![\w$])"
    after += r"(?=\s*[.)\],;:=]|$)" if word else ""
    heads = {one.start for one in others if one.path == path}
    lines = code.lines(path)
    found = lines_with(lines, name, re.compile(rf"{before}{re.escape(name)}{after}"), language)
    return [
        (at, False)
        for at in found
        if at not in heads and not defines(lines[at - 1], name, language) and not _documents(code, path, at)
    ]


def _documents(code: Code, path: str, number: int) -> bool:
    """Is a line of what is said about a definition?"""
    held = code.holder(path, number)
    return held is not None and code.lines(path)[number - 1].strip() in held.doc


def mentions(code: Code, path: str, owner: str, name: str) -> list[int]:
    """The lines of a file with a name that nothing here defines, behind its `owner` where it has one, or what the file
    imports that as; or bare, where it is imported from it."""
    if name not in code.text(path):
        return []
    before, imported = r"(?<![\w$])", set[str]()
    if owner:
        known = {alias: re.split(r"[/:.]+", module) for alias, module in code.imports(path).items()}
        imported = {alias for alias, of in known.items() if owner in of and name in (of[-1], alias)}
        owners = {owner} | {alias for alias, of in known.items() if of[-1] == owner}
        before += rf"(?:{'|'.join(map(re.escape, sorted(owners)))})(?:\?\.|\.|->|::)"
    wanted = [before + re.escape(name), *(rf"(?<![\w$.]){re.escape(one)}" for one in imported)]
    pattern = re.compile(rf"(?:{'|'.join(wanted)})(?![\w$])")
    return lines_with(code.lines(path), name if imported <= {name} else "", pattern, language_of(path))
