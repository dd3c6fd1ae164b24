"""Citations that verify: a place and a name that stands in its lines, word for word."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from scoutkit.agents.builtin import terms
from scoutkit.agents.builtin.index import Index
from scoutkit.git import Snapshot

_NAME = re.compile(r"[A-Za-z_$][\w$]{2,}")
_KEYWORDS = frozenset(
    """and break case class const continue def default elif else end enum export extends false final finally for from
    func function impl import include interface let module mut new nil none not null package private protected public
    pub raise require return self static struct super switch this throw true try type use var void while with
    yield""".split()  # noqa: SIM905
)


@dataclass(frozen=True, slots=True)
class Cited:
    """A place with a name or text in its lines, as a report writes them."""

    path: str
    start: int
    end: int
    name: str

    def __str__(self) -> str:
        place = f"{self.path}:{self.start}" if self.start == self.end else f"{self.path}:{self.start}-{self.end}"
        return f"`{place}` `{self.name}`"


def cite(snapshot: Snapshot, path: str, start: int, end: int, names: Iterable[str]) -> Cited | None:
    """The place with the first of `names` that is in its lines, else with another that is; None where there is none."""
    lines = snapshot.lines(path)
    if lines is None or "`" in path or not 1 <= start <= end <= len(lines):
        return None
    text = "\n".join(lines[start - 1 : end])
    for name in names:
        if name and "`" not in name and "\n" not in name and re.search(rf"(?<![\w$]){re.escape(name)}(?![\w$])", text):
            return Cited(path, start, end, name)
    found = [name for name in _NAME.findall(text) if name.lower() not in _KEYWORDS]
    if found:
        return Cited(path, start, end, max(dict.fromkeys(found[:40]), key=len))
    said = next((" ".join(line.split()) for line in text.split("\n") if re.search(r"\w", line)), "")
    return Cited(path, start, end, said[:80]) if said and "`" not in said[:80] else None


def mentions(index: Index, name: str) -> list[str]:
    """Paths of files in which a name is used or defined, in the tree's order."""
    term = terms.whole(name)
    files: set[int] = set()
    for posting in index.postings(term) if term else ():
        base = index.file_bases[posting.piece]
        files.update(base + file for file in posting.files)
    numbers = sorted(number for file in files for number in index.paths_of.get(file, ()))
    return [index.paths[number] for number in numbers]
