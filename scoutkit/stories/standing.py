"""Whether notes still hold, and moved lines rewritten in them. Only `fix` writes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from scoutkit import git
from scoutkit.anchors import check, touched
from scoutkit.anchors.check import Followed
from scoutkit.anchors.touched import Touched
from scoutkit.desk import Desk
from scoutkit.errors import Refused
from scoutkit.model import pinned
from scoutkit.model.notes import Citation, Note, Region, Verdict

if TYPE_CHECKING:
    from scoutkit.anchors.region import Regions

UNCHECKED = ("deprecated",)
"""States in which a note is only checked when it is named: another one took its place."""
_NAMED = 3  # citations that are named where a note does not hold


@dataclass(frozen=True, slots=True)
class Checkup:
    """A note and what became of its citations. `problem`: why they could not be read, which is no holding."""

    note: Note
    followed: tuple[Followed, ...]
    touched: Mapping[Followed, Touched]
    problem: str = ""

    @property
    def holds(self) -> bool | None:
        """Do all citations that count hold? None where there are none: nothing says that it does or does not."""
        if not self.problem and not any(each.counts for each in self.followed):
            return None
        return not self.problem and check.hold(self.followed)

    @property
    def why(self) -> str:
        """Which citations do not hold, for a person: `src/a.py:1-2 is edited`; "" where all do."""
        broken = [each for each in self.followed if each.counts and not each.holds]
        said = [f"{each.citation.at} is {each.verdict}" for each in broken[:_NAMED]]
        return self.problem or ", ".join(said) + (f", and {len(broken) - _NAMED} more" if len(broken) > _NAMED else "")


def target(desk: Desk, revision: str | None) -> str:
    """What notes are checked against: a commit, or "" for the working tree. Without a revision in a bare repository:
    HEAD. RepositoryError for a revision that does not exist."""
    if revision is not None or desk.repository.toplevel is None:
        return git.resolve(desk.repository, "HEAD" if revision is None else revision)
    return ""


def choose(desk: Desk, *, named: Sequence[Note] = (), since: float | None = None, staged: bool = False) -> list[Note]:
    """The notes to check: those named, else all but deprecated ones, newest first.

    `since`: of these, those that were made or confirmed in so many days. `staged`: those that cite a file of the next
    commit, or are one.
    """
    if named:
        notes = list({note.path: note for note in named}.values())
    else:
        hits = [hit for hit in desk.catalogue.list() if hit.status not in UNCHECKED]
        notes = [replace(desk.notebook.read(hit.path).note, id=hit.id, path=hit.path) for hit in hits]
    if since is not None:
        begin = datetime.now(UTC) - timedelta(days=min(since, 36_500))
        notes = [note for note in notes if any(_after(at, begin) for at in (note.at, *(at for _, at in note.verified)))]
    if staged:
        from scoutkit import difference

        files = set(difference.staged(desk.repository))
        notes = [note for note in notes if files & {note.path, *cited_files(note)}]
    return notes


def _after(at: str, begin: datetime) -> bool:
    try:
        moment = datetime.fromisoformat(at)
    except ValueError:
        return False
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)) >= begin


def left_out(desk: Desk) -> int:
    """How many notes a sparse checkout does not put on disk, where nothing sees them."""
    places, repository = desk.places, desk.repository
    own = repository.git_dir if places.root == repository.toplevel else repository.common_dir
    if not (own / "info/sparse-checkout").is_file():
        return 0
    from scoutkit import difference

    return sum(path.lower().endswith(".md") for path in difference.left_out(places.root, places.notes))


def cited_files(note: Note) -> set[str]:
    """Every file a note cites, by the name it has now and by the one it had."""
    return {path for one in note.citations for path in (one.path, check.base(one).path)}


def survey(desk: Desk, notes: Iterable[Note], to: str, *, staged: bool = False) -> list[Checkup]:
    """What became of the citations of some notes, in order, and what touched them. Writes nothing.

    Without a commit `to`, in the working tree; `staged`: in what is staged.
    """
    from scoutkit.anchors.region import Regions
    from scoutkit.dispatch import sources

    with Regions(desk.repository, to, staged=staged, notes=desk.settings.notes, elsewhere=sources.here) as regions:
        found = [examine(desk, note, regions) for note in notes]
    by_commit: dict[str, list[Followed]] = {}
    for one in found:
        if check.is_commit(one.note.commit):
            own = [each for each in one.followed if not pinned.read(each.base.path)]
            by_commit.setdefault(one.note.commit, []).extend(own)
    counted = {
        commit: touched.count(desk.where, commit, to or "HEAD", followed, uncommitted=not to)
        for commit, followed in by_commit.items()
    }
    return [replace(one, touched=counted.get(one.note.commit, {})) for one in found]


def examine(desk: Desk, note: Note, regions: Regions) -> Checkup:
    """What became of one note's citations."""
    parsed = desk.notebook.read(note.path)
    broken = parsed.broken or (None if parsed.readable else next(iter(parsed.problems), None))
    if broken:
        return Checkup(note, (), {}, f"{broken.path}:{broken.line}: {broken.problem}")
    return Checkup(note, tuple(check.follow(note, regions)), {})


def fix(desk: Desk, one: Checkup) -> tuple[Checkup, tuple[str, ...]]:
    """Rewrite what a note says of lines that moved, in its text and its front matter; its commit and anchors stay.

    Gives the note as it is then, and references that are spelled so that they stay as they were (`path:line: text`).
    Citations of other repositories stay: they name the commit. Nothing is written where nothing moved, or where another
    scoutkit has rewritten it since. Refused where the note was changed otherwise since it was looked at.
    """
    moves = {
        each.citation: each.now
        for each in one.followed
        if each.verdict is Verdict.MOVED and each.now and not pinned.read(each.base.path)  # those speak of one commit
    }
    if not moves:
        return one, ()
    raw = desk.notebook.bytes_of(one.note.path)
    new = {was: _moved(was, now) for was, now in moves.items()}
    citations = tuple(new.get(each, each) for each in one.note.citations)
    missed: tuple[str, ...] = ()
    if _said_now(raw, one.note).citations != citations:
        check_unchanged(raw, one.note)
        text, below = rewritten(desk, one.note, raw, moves)
        headings, above = retold(desk, one.note, raw, moves)
        missed = (*above, *below)
        desk.notebook.replace(one.note.path, raw, amended(text, one.note, citations, **headings))
    followed = [
        replace(each, citation=new[each.citation], verdict=Verdict.FRESH) if each.citation in new else each
        for each in one.followed
    ]
    note = replace(_said_now(desk.notebook.bytes_of(one.note.path), one.note), citations=citations)
    return Checkup(note, tuple(followed), one.touched), missed


def check_unchanged(raw: bytes, note: Note) -> None:
    """Refused where a note's file is not what it was when its lines were followed: they would be moved twice."""
    if _said_now(raw, note) != note:
        raise Refused(f"{note.path} changed meanwhile, nothing was changed", "look at it, then try again")


def _said_now(raw: bytes, note: Note) -> Note:
    from scoutkit import notefile

    return replace(notefile.parse(raw, note.path).note, id=note.id, path=note.path)


def _moved(was: Citation, now: Region) -> Citation:
    """A citation at its new place, which remembers where its anchor is."""
    from scoutkit.model import reference

    base = check.base(was)
    same = (base.path, base.start, base.end) == (now.path, now.start, now.end)
    remembered = "" if same else reference.write(base.path, base.start, base.end)
    return replace(was, path=now.path, start=now.start, end=now.end, base=remembered)


def rewritten(desk: Desk, note: Note, raw: bytes, moves: Mapping[Citation, Region]) -> tuple[bytes, tuple[str, ...]]:
    """A note's file with its text pointing to new places, and references in it that stayed as they were."""
    from scoutkit import notefile
    from scoutkit.knowledge.mending import mend

    text = raw.decode("utf-8", "surrogateescape")
    missed: list[str] = []
    for begin, end in reversed(notefile.sections(text)):
        done = mend(text[begin:end], moves, note.citations, (str(desk.where),))
        above = text.count("\n", 0, begin)
        missed += [f"{note.path}:{above + one.line}: {one.written}" for one in done.missed]
        text = text[:begin] + done.text + text[end:]
    missed += [line for line in _unseen(text, note, moves) if line not in missed]
    return text.encode("utf-8", "surrogateescape"), tuple(missed)


def _unseen(text: str, note: Note, moves: Mapping[Citation, Region]) -> Iterator[str]:
    """Where a rewritten text still says the old place, because its path is one that references are not read with."""
    from scoutkit import notefile
    from scoutkit.notefile.text import unfenced

    now = {Citation(place.path, place.start, place.end).at for place in moves.values()}
    old = sorted({was.at for was in moves if was.start} - now - {one.at for one in note.citations if one not in moves})
    if not old:
        return
    either = re.compile(rf"(?<![\w./\\-])(?:{'|'.join(map(re.escape, old))})(?!\d|[-–,:]\d)")
    for begin, end in notefile.sections(text):
        above = text.count("\n", 0, begin)
        for number, line in unfenced(text[begin:end]):
            yield from (f"{note.path}:{above + number}: {found[0]}" for found in either.finditer(line))


def retold(
    desk: Desk, note: Note, raw: bytes, moves: Mapping[Citation, Region]
) -> tuple[dict[str, str], tuple[str, ...]]:
    """A note's title and description where they cite lines that moved, and references in them that stayed as they were.

    Only what its front matter has. The question stays: it is what somebody asked.
    """
    from scoutkit.knowledge.mending import mend
    from scoutkit.notefile.frontmatter import examine

    front = examine(raw.decode("utf-8", "surrogateescape"), note.path)
    said = {"title": note.title, "description": note.description}
    done = {
        key: mend(text, moves, note.citations, (str(desk.where),)) for key, text in said.items() if key in front.fields
    }
    changed = {key: one.text for key, one in done.items() if one.text != said[key]}
    missed = [f"{note.path}:{front.line(key)}: {each.written}" for key, one in done.items() for each in one.missed]
    return changed, tuple(missed)


def amended(raw: bytes, note: Note, citations: Sequence[Citation], **changes: object) -> bytes:
    """A note's file with these citations in its front matter, and other keys changed."""
    from scoutkit import notefile

    rows = notefile.front_matter(replace(note, citations=tuple(citations)))["citations"]
    return notefile.amend(raw, {**changes, "citations": rows}, note.path)
