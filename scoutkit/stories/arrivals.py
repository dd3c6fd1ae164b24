"""What came into a file from others: citations of files that were renamed, or of lines that were moved."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scoutkit import git
from scoutkit.desk import Desk
from scoutkit.errors import ScoutError
from scoutkit.model import pinned
from scoutkit.model.notes import Note

if TYPE_CHECKING:
    from scoutkit.anchors.region import Regions
    from scoutkit.search.citing import Cited

_MOST_LOST = 1_000  # citations of files that are gone, whose lines are looked for in what was asked about
_FEW_LOST = 100  # such files: all may be in a folder that was asked about; of more, those whose name it has
_ALIKE = 0.5  # of the telling lines of a citation that a file must hold for it to be followed there
_RENAMED = 0.3  # of the telling lines of a file that another must hold to be taken for what became of it
_NAMESAKE = 0.1  # the same for one that has its name, in another folder
_WORD = re.compile(r"\w+")
_PATTERN = re.compile(r"[*?\[]")
_TELLING = 4  # letters and digits of a line that tells


def lost(desk: Desk, cited: Sequence[str], *asked: str) -> list[str]:
    """Cited files that are not in the working tree: what they held may be where somebody asks now."""
    top = desk.repository.toplevel
    if top is None:
        return []
    names = {_name(path) for path in asked}
    stems = {name.partition(".")[0] for name in names}
    folders: dict[str, bool] = {"": True}

    def there(path: str) -> bool:
        """Asked once for a folder: of one that is gone, no file is looked for."""
        above = path.rpartition("/")[0]
        if above not in folders:
            folders[above] = there(above)
        return folders[above] and os.path.lexists(f"{top}/{path}")

    near: tuple[list[str], list[str], list[str]] = ([], [], [])
    for path in cited:
        if there(path) or path in asked or pinned.read(path):
            continue
        name = _name(path)
        alike = any(stem and (stem in name or name.partition(".")[0] in stem) for stem in stems)
        near[0 if name in names else 1 if alike else 2].append(path)
    return [path for some in near for path in some]


@dataclass(frozen=True, slots=True)
class Text:
    """What a file holds that was asked about."""

    path: str
    lines: Sequence[str]

    def defines(self, symbols: Mapping[str, Sequence[tuple[str, Sequence[str]]]]) -> set[str]:
        """Which of some functions, classes and sections it has; these are as `by_last_word` gives them."""
        from scoutkit.symbols import symbols as definitions

        if not symbols:
            return set()
        text = "\n".join(self.lines)
        words = set(_WORD.findall(text))
        named = (one for word in words & symbols.keys() for one in symbols[word])
        likely = {symbol for symbol, parts in named if words.issuperset(parts)}
        if not likely:
            return set()  # spares parsing it
        return likely & {one.qualified for one in definitions(self.path, text)}


def by_last_word(symbols: Iterable[str]) -> dict[str, list[tuple[str, Sequence[str]]]]:
    """Names by the last of their words, each with all of these: taken apart once, for many files."""
    found: dict[str, list[tuple[str, Sequence[str]]]] = {}
    for symbol in symbols:
        if parts := _WORD.findall(symbol):
            found.setdefault(parts[-1], []).append((symbol, parts))
    return found


def moved_in(
    desk: Desk, known: Sequence[Cited], lost: Sequence[str], symbols: set[str], texts: Sequence[Text], regions: Regions
) -> tuple[list[Cited], int]:
    """Citations of other files whose lines one of these files seems to hold now: it was renamed, or they were moved
    into it. Also how many notes cite files that are gone and were not looked at."""
    from scoutkit.anchors import check

    asked, texts = texts, [text for text in texts if text.lines]
    if not texts:
        return _under(desk, known, lost, [text.path for text in asked])
    rows, unseen = _citing(desk, lost)
    named = by_last_word(symbols)
    rows += desk.catalogue.defining(sorted(set().union(*(text.defines(named) for text in texts))))
    held = {line.strip() for text in texts for line in text.lines if _tells(line)}
    names = {_name(text.path) for text in texts}
    taken = {(row.note, row.number) for row in known}
    notes: dict[str, Note] = {}
    alike: dict[tuple[str, str], bool] = {}
    found = []
    for row in rows:
        if (row.note, row.number) in taken:
            continue
        taken.add((row.note, row.number))
        if row.note not in notes:
            notes[row.note] = desk.notebook.note(row.note)
        note = notes[row.note]
        if row.number >= len(note.citations):
            continue
        was = check.base(note.citations[row.number])
        lines = then(regions, note, was.path)
        file = (note.commit, was.path)
        if file not in alike:  # renamed, it seems: whatever became of these lines
            least = _NAMESAKE if _name(was.path) in names and was.path in lost else _RENAMED
            alike[file] = _share(lines, held) >= least or (not lines and _name(was.path) in names)
        if alike[file] or _share(lines[max(was.start - 1, 0) : was.end], held) >= _ALIKE:
            found.append(row)
    return found, unseen


def _under(desk: Desk, known: Sequence[Cited], lost: Sequence[str], asked: Sequence[str]) -> tuple[list[Cited], int]:
    """The same for a folder or a pattern: what may be in one of its files now. Whoever follows them sees."""
    top = desk.repository.toplevel
    wide = [path for path in asked if _PATTERN.search(path) or (top and (top / path).is_dir())]
    if not (top and wide and lost):
        return [], 0
    if len(lost) > _FEW_LOST:
        specs = [spec for path in wide for spec in _specs(path)]
        listed = git.output(top, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *specs)
        names = {_name(path) for path in listed.split("\0")}
        lost = [path for path in lost if _name(path) in names]
    rows, unseen = _citing(desk, lost)
    mine = {(row.note, row.number) for row in known}
    return [row for row in rows if (row.note, row.number) not in mine], unseen


def _citing(desk: Desk, lost: Sequence[str]) -> tuple[list[Cited], int]:
    """Citations of files that are gone, in the order of these, and how many notes have none but further ones."""
    rows = list(desk.catalogue.citing(lost[:_MOST_LOST])) if lost else []  # each is cited once at least
    order = {path: number for number, path in enumerate(lost)}
    rows.sort(key=lambda row: order.get(row.path, 0))
    rows, rest = rows[:_MOST_LOST], {row.note for row in rows[_MOST_LOST:]}
    if len(lost) > _MOST_LOST:
        rest |= desk.catalogue.notes_citing(lost[_MOST_LOST:])
    return rows, len(rest - {row.note for row in rows})


def _specs(path: str) -> Sequence[str]:
    """A folder for git, or a pattern, whose * takes what is below as well; a name with a [ in it may be either."""
    return [f":(top,literal){path}", *([f":(top){path}"] if _PATTERN.search(path) else ())]


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def then(regions: Regions, note: Note, path: str) -> Sequence[str]:
    """A file as the note saw it; nothing where that is not here."""
    from scoutkit.anchors import check

    try:
        return regions.lines_at(note.commit, path) if check.is_commit(note.commit) else ()
    except ScoutError:  # a partial clone
        return ()


def _share(lines: Sequence[str], held: set[str]) -> float:
    """How much of what lines say a file holds, 0 to 1."""
    telling = [line.strip() for line in lines if _tells(line)]
    return sum(line in held for line in telling) / len(telling) if telling else 0.0


def _tells(line: str) -> bool:
    return sum(map(str.isalnum, line)) >= _TELLING
