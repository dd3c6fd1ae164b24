"""Packs for prompts: notes that bear on a task, followed to where their lines are now, cut to a budget of tokens."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from scoutkit import git, history
from scoutkit.desk import Desk
from scoutkit.errors import ScoutError
from scoutkit.model import pinned
from scoutkit.model.notes import NO_REPORT, Citation, Note, Region, Verdict, confidence
from scoutkit.model.packs import Dropped, Pack, Wish
from scoutkit.model.pinned import Pinned
from scoutkit.model.places import Repository
from scoutkit.reuse import cutting, tokens, vocabulary
from scoutkit.reuse.forms import Excerpt, Part
from scoutkit.reuse.pack import Candidate, assemble
from scoutkit.search.operators import as_words
from scoutkit.words import plain

if TYPE_CHECKING:
    from scoutkit.anchors.check import Followed
    from scoutkit.anchors.memory import Memory
    from scoutkit.anchors.region import Regions
    from scoutkit.model.found import Hit

_ALIKE = 0.8  # of all the words of two notes that are in both, from which they say the same
_MOST_BESIDE = 10  # caveats without a place in the text
_PLACES = 3  # candidates that are named
_MOST_LINES = 24  # of what changed, or of an excerpt
_WIDEST = 200  # characters of a line
_UNKNOWN = 99_999  # commits, until they are counted


def pack(desk: Desk, wish: Wish) -> Pack:
    """The notes that bear on a task, best first; those that are asked for by id before all others.

    Reads the catalogue as it is: whoever calls this has brought it in step. RepositoryError for a commit that does not
    exist.
    """
    from scoutkit.anchors.memory import Memory
    from scoutkit.anchors.region import Regions

    to = wish.to or ("" if desk.repository.toplevel else git.resolve(desk.repository, "HEAD"))
    named = desk.catalogue.by_ids(wish.notes)
    task = as_words(wish.task)
    found = desk.catalogue.search(task, limit=wish.limit, snippets=False) if task.strip() else []
    with (
        Memory(desk.places.state / "followed.db") as memory,
        Regions(desk.repository, to, notes=desk.settings.notes, elsewhere=_here, memory=memory) as regions,
    ):
        work = _Work(desk, wish, to, regions, memory)
        chosen, dropped = work.sorted_out(named, found)
        if not chosen:
            return Pack("", wish.budget, 0, vocabulary.NAME, (), tuple(dropped))
        candidates = [*map(work.candidate, chosen)]
        made = assemble(wish, candidates, tokens.tokenizer(), dropped, finish=work.dated)
    tokens.remember()
    return made


def _here(source: Pinned) -> Repository | None:
    from scoutkit.dispatch import sources

    return sources.here(source)


class _Said(NamedTuple):
    """What a note says, to know those that say the same."""

    id: str
    asked: str
    words: frozenset[str]

    def like(self, others: Iterable[_Said]) -> str:
        """Which of the others says the same, in words."""
        for other in others:
            if self.asked and self.asked == other.asked:
                return f"asked the same as {other.id}"
            if self.words and len(self.words & other.words) >= _ALIKE * len(self.words | other.words):
                return f"says the same as {other.id}"
        return ""


class _Work:
    """One pack in the making: what is read and followed, each note once."""

    def __init__(self, desk: Desk, wish: Wish, to: str, regions: Regions, memory: Memory) -> None:
        self._desk, self._wish, self._regions, self._memory = desk, wish, regions, memory
        self._to = to
        self._named = frozenset(wish.notes)
        self._taken: list[_Said] = []

    @functools.cached_property
    def _behind(self) -> Callable[[Collection[str]], dict[str, int]]:
        return history.behind(self._desk.where, self._target or "HEAD")  # git works while notes are read

    @functools.cached_property
    def _target(self) -> str:
        return self._to or git.head(self._desk.repository)

    def sorted_out(self, named: Sequence[Hit], found: Sequence[Hit]) -> tuple[list[Hit], list[Dropped]]:
        """The candidates in order, drafts last, and those that are left out at once."""
        hits = {hit.id: hit for hit in [*named, *found]}
        chosen: list[Hit] = []
        drafts: list[Hit] = []
        dropped: list[Dropped] = []
        for hit in hits.values():
            why = self._unwanted(hit)
            if why:
                dropped.append(Dropped(hit.id, hit.path, hit.title, why))
            else:
                (drafts if hit.status == "draft" and hit.id not in self._named else chosen).append(hit)
        return [*chosen, *drafts], dropped

    def _unwanted(self, hit: Hit) -> str:
        if hit.id in self._wish.without:
            return "not wanted"
        if hit.status == "deprecated" and hit.id not in self._named:
            by = self._desk.notebook.read(hit.path).note.superseded_by
            return f"superseded by {by}" if by else "deprecated"
        if hit.status == "draft" and hit.title.startswith(NO_REPORT) and hit.id not in self._named:
            return "its run left no report"
        if self._wish.only_holding and hit.status != "stable":
            return f"{hit.status}, not stable"
        return ""

    def candidate(self, hit: Hit) -> Candidate:
        """A hit, to be read when there is room for it."""
        why = "asked for by name" if hit.id in self._named else "bears on the task"
        return Candidate(hit.id, hit.path, hit.title, hit.score, why, lambda: self._part(hit), hit.length)

    def _part(self, hit: Hit) -> Part | Dropped:
        from scoutkit.anchors import check

        note = self._read(hit)
        said = _Said(note.id, plain(note.question), frozenset(note.body[: cutting.LONGEST].casefold().split()))
        if note.id not in self._named and (why := said.like(self._taken)):
            return Dropped(hit.id, hit.path, hit.title, why)
        if self._wish.only_holding and confidence(note.body) == "low" and not note.verified:
            return Dropped(hit.id, hit.path, hit.title, "says of itself that its confidence is low")
        followed = check.follow(note, self._regions)
        if self._wish.only_holding and not check.hold(followed):
            lost = next(one for one in followed if one.counts and not one.holds)
            return Dropped(hit.id, hit.path, hit.title, f"does not hold: {lost.verdict} {lost.citation.at}")
        if not self._memory.behind(self._target, [note.commit]):
            _ = self._behind
        self._taken.append(said)
        return self._told(note, followed)

    def _read(self, hit: Hit) -> Note:
        from scoutkit.notefile import plainly

        try:
            note = plainly.read(self._desk.notebook.bytes_of(hit.path), hit.path)
        except ScoutError:
            note = None
        return replace(note or self._desk.notebook.read(hit.path).note, id=hit.id, path=hit.path)

    def _told(self, note: Note, followed: Sequence[Followed]) -> Part:
        from scoutkit.knowledge import caveats

        moved = {
            one.citation: one.now
            for one in followed
            if one.verdict is Verdict.MOVED and one.now and not pinned.read(one.base.path)
        }
        said = {one.citation: mark for one in followed if (mark := _caveat(one))}
        whole = caveats.body(note.body, note.citations)
        body = cutting.bounded(whole)
        text, left = caveats.told(body, moved, said, note.citations, (str(self._desk.where),))
        more = [f"and of {len(left) - _MOST_BESIDE} more citations"] if len(left) > _MOST_BESIDE else []
        beside = (f"{one.at}: {said[one] if one in said else f'now {_at(moved[one])}'}" for one in left[:_MOST_BESIDE])
        return Part(
            note,
            text,
            Counter(str(one.verdict) for one in followed),
            _days(note.at),
            _UNKNOWN,
            tuple(self._changes(note, followed)),
            tuple(self._code(followed)) if self._wish.code else (),
            (*beside, *more),
            cut=body != whole,
        )

    def _changes(self, note: Note, followed: Sequence[Followed]) -> Iterator[Excerpt]:
        """What changed in lines that were edited."""
        for one in followed:
            now = one.now
            if one.verdict is not Verdict.EDITED or now is None or pinned.read(now.path):
                continue
            old = self._regions.was(one.base, note.commit)
            new = self._regions.lines(now.path)[now.start - 1 : now.end]
            if old and new:
                from difflib import unified_diff

                lines = [*unified_diff(old, new, n=1, lineterm="")][2:]
                yield Excerpt(
                    _at(now), f"edited since {one.base.path}:{one.base.start}-{one.base.end}", _bounded(lines)
                )

    def _code(self, followed: Sequence[Followed]) -> Iterator[Excerpt]:
        """The cited lines as they are, each once."""
        for now, verdict in {(one.now, one.verdict): None for one in followed}:
            if now and not pinned.read(now.path):
                lines = self._regions.lines(now.path)[now.start - 1 : now.end]
                yield Excerpt(_at(now), str(verdict), "\n".join(lines))

    def dated(self, parts: Sequence[Part]) -> list[Part]:
        """How many commits each note's commit lies behind the target, looked up for all at once."""
        from scoutkit.anchors import check

        asked = {part.note.commit for part in parts if check.is_commit(part.note.commit)}
        behind = self._memory.behind(self._target, asked)
        if unknown := asked - behind.keys():
            counted = self._behind(unknown)
            self._memory.put_behind(self._target, counted)
            behind |= counted
        return [part._replace(commits=behind.get(part.note.commit)) for part in parts]


def _caveat(one: Followed) -> str:
    """What a reader of a citation has to know; "" where it holds."""
    if one.verdict is Verdict.EDITED and one.located and one.now:
        now, was = one.now, one.citation
        place = "" if (now.path, now.start, now.end) == (was.path, was.start, was.end) else f", now {_at(now)}"
        percent = int(100 * one.located.similarity)
        return f"edited since{place}: {f'{percent} % the same' if percent < 100 else 'text added to it'}"
    if one.verdict is Verdict.AMBIGUOUS and one.located:
        places = [_at(candidate.region) for candidate in one.located.candidates][:_PLACES]
        return f"ambiguous now: may be {' or '.join(places)}" if places else "ambiguous now: in several places"
    if one.verdict is Verdict.GONE:
        return f"gone: {one.why}" if one.why else "gone: these lines are not there any more"
    if one.verdict is Verdict.WRONG:
        return "wrong from the start: no such lines"
    if one.verdict is Verdict.UNCHECKED:
        return f"not checked: {one.why}"
    return ""


def _days(at: str) -> int | None:
    try:
        moment = datetime.fromisoformat(at)
    except ValueError:
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max((datetime.now(UTC) - moment).days, 0)


def _at(region: Region) -> str:
    return Citation(region.path, region.start, region.end).at


def _bounded(lines: Iterable[str]) -> str:
    shown = [line[:_WIDEST] for line in lines]
    more = len(shown) - _MOST_LINES
    return "\n".join([*shown[:_MOST_LINES], *([f"[{more} more lines]"] if more > 0 else [])])
