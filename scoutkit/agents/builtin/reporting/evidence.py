"""Citations that verify: a place and a name that stands in its lines, word for word."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from scoutkit.agents.builtin.indexing import terms
from scoutkit.snapshot import Snapshot
from scoutkit.symbols import language_of

_NO_PATH = re.compile(
    r"[`<>\"'|,;:#=!?*^\\“”‘’«»„，。；：！？（）「」『』【】《》、]|^[-~/ ]|[-. ]$|\s-|[^\S ]|  |\$\(|&&|\]\("
)  # what a reader of citations takes for the end of a path, or for something else than one
_NAME = re.compile(r"(?<![\w$])[^\W\d][\w$]{2,}")
_READ = re.compile(r"[\w$.:>#@?!-]+")  # as a name; `Order.total=` is read as a text
_HASH = re.compile(r"(?=[a-f]*\d)[0-9a-f]{7,}", re.IGNORECASE)  # of a commit or a file
_KEYWORDS = frozenset(
    re.findall(
        r"\w+",
        """
    abstract and async await bool break case catch char class const continue def default defer del elif else end enum
    export extends extern false final finally float for foreach from func function goto if impl import include int
    interface let long match module mut new nil none not null package private protected pub public raise require return
    self short static string struct super switch this throw true try type typedef union unless unsigned use using var
    virtual void when while with yield""",
    )
)


@dataclass(frozen=True, slots=True)
class Cited:
    """A place, and a name or text that its lines hold."""

    path: str
    start: int
    end: int
    name: str

    @property
    def place(self) -> str:
        """As a report writes it."""
        lines = f"{self.start}" if self.start == self.end else f"{self.start}-{self.end}"
        return f"`{self.path}:{lines}`"


def cite(snapshot: Snapshot, path: str, start: int, end: int, names: Iterable[str]) -> Cited | None:
    """The place with the first of `names` that is in its lines, else with another that is; None where there is none, or
    where the path cannot be written in a report."""
    lines = snapshot.lines(path)
    if lines is None or not citable(path) or not 1 <= start <= end <= len(lines):
        return None
    text = "\n".join(lines[start - 1 : end])
    for name in names:
        if _is_file(snapshot, name):
            continue  # it would say where, not what
        owner, dot, last = name.rpartition(".") if " " not in name else ("", "", "")
        if holds(text, name) or (dot and holds(text, last) and holds("\n".join(lines), owner.rpartition(".")[2])):
            return Cited(path, start, end, name if not dot or _READ.fullmatch(name) else last)
    found = [name for name in _NAME.findall(text[:20_000]) if _says(name) and len(name) <= 80]
    return Cited(path, start, end, max(dict.fromkeys(found[:40]), key=len)) if found else None


def begun(snapshot: Snapshot, cited: Cited) -> Cited:
    """The first of the lines that has the name. Of what only stands beside an answer it is enough where it begins: a
    note need not be read again because a test got another assertion."""
    lines = (snapshot.lines(cited.path) or [])[cited.start - 1 : cited.end]
    at = next((at for at, line in enumerate(lines, cited.start) if holds(line, cited.name)), None)
    return cited if at is None else replace(cited, start=at, end=at)


def _says(name: str) -> bool:
    return name.lower() not in _KEYWORDS and not _HASH.fullmatch(name)


def citable(path: str) -> bool:
    """Can a path stand in backticks and be read back from there as this path, and be nothing but text in a title?"""
    return path.isprintable() and not _NO_PATH.search(path) and not _unbalanced(path)


def _unbalanced(path: str) -> bool:
    """Has it a bracket without the other? `app/[id]/(admin)/page.tsx` has none."""
    open_: list[str] = []
    for one in path:
        if one in "([{":
            open_.append({"(": ")", "[": "]", "{": "}"}[one])
        elif one in ")]}" and (not open_ or open_.pop() != one):
            return True
    return bool(open_)


def _is_file(snapshot: Snapshot, name: str) -> bool:
    named = "." in name and " " not in name and language_of(name) is not None
    return named and any(path == name or path.endswith(f"/{name}") for path in snapshot.entries)


def holds(text: str, name: str) -> bool:
    """Can `name` be written in backticks, and is it in the text as a word of its own?"""
    plain = (
        any(one.isalnum() or one == "_" for one in name)
        and name == " ".join(name.split())
        and "`" not in name
        and name.isprintable()
    )
    return plain and bool(re.search(rf"(?<![\w$]){re.escape(name)}(?![\w$])", text))


def words_held(text: str, wanted: Sequence[str], *, beside: str, most: int) -> list[str]:
    """Identifiers in a text that hold one of the `wanted` terms each, in the order of those."""
    found: dict[str, str] = {}
    for name in dict.fromkeys(_NAME.findall(text[:100_000])):
        if name != beside and len(name) <= 40 and _says(name):
            for term in terms.expand(name):
                if term not in found or len(name) < len(found[term]):
                    found[term] = name
    held = dict.fromkeys(found[term] for term in wanted if term in found)
    return list(held)[:most]


_ODD = re.compile(r"`|[\w/]\.\w+:\d|:L?\d|::\w|#L\d|\blines?\s+\d|\w://|[<>\[\]|{}\\]|[*_~]{2}|[^\W\d_]@[0-9a-f]{6}")


def sayable(text: str, most: int = 160) -> str:
    """A text of somebody else's as a report can say it: one line, and nothing where some of it could be taken for a
    citation, a link or markup."""
    said = " ".join(text.split())
    if len(said) > most:
        said = said[:most].rsplit(" ", 1)[0].rstrip(" ,;:-") + " …"
    return "" if _ODD.search(said) or not said.isprintable() else said


def first_sentence(doc: str) -> str:
    """What a comment says first, as a report can say it; nothing where that is no sentence."""
    paragraph = re.split(r"\n\s*\n|\n\s*[-*@:]", doc, maxsplit=1)[0]
    sentence = re.split(r"(?<=[.!?])\s", " ".join(paragraph.split()), maxsplit=1)[0]
    return sayable(sentence).rstrip(".: ") if len(re.findall(r"\w{2,}", sentence)) >= 3 and sentence[0] != "@" else ""
