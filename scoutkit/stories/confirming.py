"""A person's word that a note is right: it speaks of HEAD from then on. The only place where a baseline moves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from scoutkit import difference, git
from scoutkit.anchors import anchor
from scoutkit.anchors.check import Followed
from scoutkit.desk import Desk
from scoutkit.errors import NotFound, ScoutError
from scoutkit.model import pinned
from scoutkit.model.notes import Anchor, Citation, Note, Region, Verdict
from scoutkit.stories import standing

if TYPE_CHECKING:
    from scoutkit.knowledge.citations import Reference

_SHOWN = 5  # files or citations named in a message


@dataclass(frozen=True, slots=True)
class Confirmed:
    """A note as a person confirmed it. `edited`: citations whose text had changed since; `dropped`: those that were no
    longer in the note's text; `added`: those that were new in it; `missed` as `standing.fix` gives them."""

    note: Note
    edited: tuple[Followed, ...]
    dropped: tuple[Citation, ...]
    added: tuple[Citation, ...]
    missed: tuple[str, ...]


def confirm(desk: Desk, note: Note) -> Confirmed:
    """Write down who has read a note and found it right, and have it speak of HEAD.

    Citations move to where their lines are, in front matter and text, and anchors are made anew; those of other
    repositories stay at their commit. Refused, with nothing
    written, where the lines of one are gone or in several places, and where cited files differ from HEAD.
    """
    from scoutkit.anchors.region import Regions
    from scoutkit.notefile import anchored

    head = git.resolve(desk.repository, "HEAD")
    raw = desk.notebook.bytes_of(note.path)
    standing.check_unchanged(raw, note)
    with Regions(desk.repository, head, notes=desk.settings.notes) as regions:
        checkup = standing.examine(desk, note, regions)
    if checkup.problem:
        raise ScoutError(checkup.problem, "mend the front matter first: scoutkit index shows every problem")
    cited, unknown = _said(desk, note, raw, checkup.followed)
    _check_found(note, cited)
    own = [one for one in cited if not pinned.read(one.base.path)]
    moves = {one.citation: one.now for one in own if one.now and _place(one.now) != _place(one.citation)}
    with desk.snapshot(head) as snapshot:
        from scoutkit.knowledge import capture, verify

        added = capture.cited(verify.check(unknown, snapshot, notes=desk.settings.notes))
        placed = [_at(one.citation, one.now) if one in own else one.citation for one in cited]
        citations = list(
            {(*_place(one), one.symbol if not one.start else ""): one for one in (*placed, *added)}.values()
        )
        _check_committed(desk, head, citations)
        made = (anchor.make(one, snapshot) for one in citations if not pinned.read(one.path))
        kept = (one for one in note.anchors if pinned.read(one.path))
        anchors = list({_place(one): one for one in (*made, *kept) if one}.values())
    text, missed = standing.rewritten(desk, note, raw, moves)
    word = (f"human:{git.user(desk.where)}", datetime.now(UTC).isoformat(timespec="seconds"))
    verified = [{"by": by, "at": at} for by, at in (*note.verified, word)]
    headings, missed_above = standing.retold(desk, note, raw, moves)
    changed = standing.amended(text, note, citations, commit=head, verified=verified, **headings)
    desk.notebook.replace(note.path, raw, anchored(changed, anchors, note.path))
    return Confirmed(
        replace(desk.notebook.read(note.path).note, id=note.id),
        tuple(one for one in own if one.verdict is Verdict.EDITED),
        tuple(one.citation for one in checkup.followed if one not in cited),
        added,
        (*missed_above, *missed),
    )


def _said(desk: Desk, note: Note, raw: bytes, followed: Sequence[Followed]) -> tuple[list[Followed], list[Reference]]:
    """The citations that the note's text still has, and references in it that are none of them.

    A note that was never checked (no commit, no anchors) has none to compare with: all in its text is new.
    """
    from scoutkit import notefile
    from scoutkit.knowledge import citations, mending

    text = raw.decode("utf-8", "surrogateescape")
    found = [
        reference
        for begin, end in notefile.sections(text)
        for reference in citations.read(text[begin:end], roots=(str(desk.where),))
    ]
    if not note.commit and not note.anchors:
        return [], found
    spelled = {way: one for one in reversed(followed) for way in _ways(one)}
    meant = [mending.meaning(reference, list(spelled)) for reference in found]
    said = {spelled[way] for way in meant if way}
    unknown = [reference for reference, way in zip(found, meant, strict=True) if way is None]
    return [one for one in followed if one in said], unknown


def _ways(one: Followed) -> list[Citation]:
    """How a text may name a citation: where it is, where it was (a permalink still says that), as the report had it."""
    from scoutkit.model import reference

    places = [_place(one.citation), _place(one.base), reference.read(one.citation.was) if one.citation.was else None]
    return [Citation(*place, symbol=one.citation.symbol) for place in places if place]


def _check_found(note: Note, cited: Sequence[Followed]) -> None:
    own = [one for one in cited if not pinned.read(one.base.path)]  # what is in another repository names its commit
    lost = [f"{one.citation.at} ({one.verdict})" for one in own if one.counts and one.now is None]
    if lost:
        raise NotFound(
            f"not confirmed, {note.path} cites what cannot be found: {_listed(lost)}",
            f"take it out of the text, or cite where it is now: scoutkit edit {note.id}",
        )


def _check_committed(desk: Desk, head: str, citations: Sequence[Citation]) -> None:
    """A person confirms what they see, and what is stored is HEAD: both must be the same."""
    paths = sorted({one.path for one in citations if one.verdict is not Verdict.WRONG and not pinned.read(one.path)})
    if desk.repository.toplevel and paths and (other := difference.differing(desk.where, head, paths)):
        raise ScoutError(
            f"not confirmed, cited files have changes that are not committed: {_listed(other)}",
            "commit them, or set them aside: git stash",
        )


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"{', '.join(names[:_SHOWN])}{more}"


def _place(one: Region | Citation | Anchor) -> tuple[str, int, int]:
    return one.path, one.start, one.end


def _at(citation: Citation, now: Region | None) -> Citation:
    """A citation where its lines are, which is where its anchor is too."""
    if now is None:  # wrong at birth
        return citation
    return replace(citation, path=now.path, start=now.start, end=now.end, base="")
