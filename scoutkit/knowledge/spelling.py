"""How paths are written in prose: where one begins, which file it means, what cannot be one. Knows no repository."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence

from scoutkit.model import pinned

LONGEST = 512  # characters of a path
SOURCES = frozenset(
    """
    adoc asm astro awk bash bat bazel bzl c cc cfg clj cljs cmake conf cpp cs csproj css csv cts cu cxx d dart
    diff el elm erb erl ex exs f90 fish fs gemspec gleam go gql gradle graphql groovy h hbs hcl hh hpp hrl hs
    html hxx ini inl ipynb java jinja jinja2 jl js json json5 jsonc jsx kt kts less lisp lock lua m mak md mdx
    mjs mk ml mli mm mod mts nim nix patch php pl plist pm pp prisma proto ps1 psm1 py pyi pyx r rake rb rego
    rs rst rust sass sbt scala scm scss sh sol sql styl sum svelte swift tcl tex tf tmpl toml tpl ts tsx twig
    txt v vb vim vue xml yaml yml zig zsh
    """.split()  # noqa: SIM905 - a list of two hundred literals reads worse
)
"""Extensions of source files: a name that ends so is meant as a file even where the tree has none like it."""

_SOURCE = re.compile(rf"(?<![A-Za-z0-9_.@/-]){pinned.PREFIX.pattern}\Z")
_LONGEST_SOURCE = 170  # characters
_STOPS = frozenset(" \t\r\n\f\v\"'`<>|,;:#=!?*^“”‘’«»„，。；：！？（）「」『』【】《》、\u3000\u00a0\ufffd")
_PAIRS = {")": "(", "]": "[", "}": "{"}
_NO_PATH = re.compile(r"[|<>\"'`;=*?:\x00-\x1f\ufffd]|\s-|\$\(|&&")
_GLUED = re.compile(r"[^\x00-\x7f]*[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af](?=[A-Za-z0-9_.@])")
_ELIDED = re.compile(r"(?:\.{3}|…)/+")
_HOST = re.compile(
    r"(?:[\w-]+\.){0,9}(?:localhost|[\w-]+\.(?:com|org|net|io|dev|local|internal|test|example|invalid|edu|gov|co|de|uk|eu))"
)
_EXTENSION = re.compile(r"[^/]\.([A-Za-z][A-Za-z0-9_+-]{0,11})\Z")


def begin(text: str, until: int, low: int, roots: Sequence[str]) -> int:
    """Where the path that ends at `until` begins, not before `low`. Brackets belong to it where they are balanced."""
    at, low = until, max(low, until - LONGEST)
    for root in roots:  # may hold spaces
        known = text.rfind(root + "/", low, until)
        if known >= 0 and not any(character in _STOPS for character in text[known + len(root) : until]):
            return known
    closing: list[int] = []
    while at > low and text[at - 1] not in _STOPS and not text[at - 1].isspace():
        character = text[at - 1]
        if character in _PAIRS:
            closing.append(at - 1)
        elif character in "([{":
            if not closing or _PAIRS[text[closing[-1]]] != character:
                break
            closing.pop()
        at -= 1
    if closing:
        return closing[0] + 1
    if text[at - 1 : at] == ":" and text[at : at + 1] in ("/", "\\") and at - 2 >= low and text[at - 2].isalpha():
        return at if at - 3 >= low and text[at - 3].isalnum() else at - 2  # C:\
    return at


def source(text: str, at: int, low: int) -> int:
    """Where the `name@sha:` begins that says in which repository the path at `at` is; `at` where there is none."""
    if text[at - 1 : at] != ":" or at - 1 < low:
        return at
    found = _SOURCE.search(text, max(low, at - _LONGEST_SOURCE), at)
    return found.start() if found else at


def glued(path: str) -> int:
    """How many characters of a word in a script without spaces stand right before the path: `参见src/a.py` → 2."""
    found = _GLUED.match(path)
    return found.end() if found else 0


def normal(raw: str, roots: Sequence[str]) -> str:
    """A path as git writes it: slashes, no `./`, no root before it, no `…/`. "" for a folder or nothing."""
    path = raw.strip().replace("\\", "/")
    if path.startswith("//"):  # file:///…
        path = "/" + path.lstrip("/")
    root = next((root for root in roots if path.startswith(root + "/")), None)
    path = _ELIDED.sub("", path if root is None else path[len(root) + 1 :], count=1)
    return "" if not path or path.endswith("/") else posixpath.normpath(path)


def possible(path: str) -> bool:
    """Can a normalised path be one? Not without a letter, nor with what only commands and code have."""
    if not any(character.isalpha() for character in path) or len(path) > LONGEST:
        return False
    beyond_drive = path[2:] if path[1:3] == ":/" else path
    return not _NO_PATH.search(beyond_drive) and path[0] != "-" and path[-1] not in ".-"


def is_host(name: str) -> bool:
    """Does a name look like that of a computer?"""
    return bool(_HOST.fullmatch(name))


def extension(path: str) -> str:
    """What a file name ends with, in lower case, without its dot: `py`; or ""."""
    found = _EXTENSION.search(path)
    return found[1].lower() if found else ""


def is_sure(path: str, *, marked: bool) -> bool:
    """Is this meant as a file, whatever the tree holds? `marked`: what follows it is written as only lines are."""
    first, _, rest = path.partition("/")
    ending = extension(path)
    if is_host(first) and (rest or ending not in SOURCES):
        return False
    if rest:
        return bool(ending) or marked or path.rpartition("/")[2].startswith(".")
    return ending in SOURCES or (marked and bool(ending))
