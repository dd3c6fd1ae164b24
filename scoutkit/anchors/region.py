"""Where lines are now: given a region of a file at an old commit, its place in another commit or the working tree.

The order of evidence: the same blob; the diff's line map; the same text elsewhere in the file; the syntax tree; lines
that are alike; a renamed file; other files that hold the text. Several places that are as good are `ambiguous`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from types import TracebackType
from typing import Self

from scoutkit.anchors import columns, sameness, score
from scoutkit.anchors.document import Document
from scoutkit.anchors.elsewhere import Elsewhere
from scoutkit.anchors.targets import CommitFiles, Target, WorkingTree
from scoutkit.anchors.within import Guess, Lines, Within
from scoutkit.errors import NotFound, RepositoryError
from scoutkit.model.notes import Anchor, Candidate, Located, Region, Verdict
from scoutkit.model.places import Repository
from scoutkit.objects import Objects

_ENOUGH = 0.5  # of lines that survived where they were: they are not looked for in other files
_SHOWN = 10  # candidates


class Regions:
    """Follows regions to one target. A context manager; reads git's objects through one process.

    `to` is a full commit id, or "" for the working tree. `notes` is a folder that nothing is followed into, but for
    what was in it.
    """

    def __init__(self, repository: Repository, to: str = "", *, notes: str = "") -> None:
        self._repository, self._notes = repository, notes
        self._objects = Objects(repository.toplevel or repository.git_dir)
        self._target = self._files(to) if to else self._disk()
        self._old: dict[str, CommitFiles | None] = {}
        self._within: dict[tuple[str, str], Within] = {}
        self._elsewhere: dict[str, Elsewhere] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._objects.__exit__()

    def locate(self, region: Region, commit: str, anchor: Anchor | None = None) -> Located:
        """Where a region of `commit` is now. Without the commit, from what its anchor stores.

        ScoutError for a file or lines that the commit does not have, and where there is neither commit nor anchor.
        """
        if commit not in self._old:
            found = self._objects.commit(commit)
            self._old[commit] = CommitFiles(self._objects, found[1]) if found else None
        old = self._old[commit]
        if old is None:
            raise RepositoryError(f"no such revision: {commit}", "name a commit that exists: git log --oneline --all")
        path = old.path(region.path)
        lines = self._lines(old, path, region)
        if self._target.id(self._target.path(path)) == old.id(path):
            return _there(replace(region, path=self._target.path(path)), path)
        guesses = list(self._guesses(old, path, lines))
        return self._answer(region, path, lines, guesses)

    def _lines(self, old: CommitFiles, path: str, region: Region) -> Lines:
        document = old.document(path) if path else None
        if document is None:
            what = "a binary file: it has no lines" if path else "no such file"
            raise NotFound(f"{what}: {region.path}", "give the path of a text file, from the repository's root")
        if not 1 <= region.start <= region.end <= max(len(document), 1):
            number = len(document)
            raise NotFound(
                f"no such lines: {region.path}:{region.start}-{region.end}",
                f"the file has {number} line{'s' * (number != 1)}, counted from 1",
            )
        return Lines(document, region.start - 1, region.end - 1, (region.start_col, region.end_col))

    def _guesses(self, old: CommitFiles, path: str, lines: Lines) -> Iterator[Guess]:
        """Every place in question, nearest files first."""
        here = self._target.path(path)
        document = self._target.document(here) if here else None
        best = 0.0
        if document is not None:
            for guess in self._between(lines.document, document).follow(lines):
                best = max(best, guess.survived)
                yield replace(guess, path=here)
            if best >= _ENOUGH or lines.weight < 4:
                return
        if old.tree not in self._elsewhere:
            self._elsewhere[old.tree] = Elsewhere(self._objects, self._target, old.tree, self._notes)
        elsewhere = self._elsewhere[old.tree]
        looked: set[str] = {here}
        if document is None:
            for other, share in elsewhere.renamed(path, lines.document.id, lines.document):
                looked.add(other)
                found = list(self._in(other, lines, share))
                yield from found
                best = max([best, *(guess.survived for guess in found)])
            if best >= _ENOUGH:
                return
        numbers = slice(lines.start, lines.end + 1)
        for other in elsewhere.holding(path, lines.keys, lines.document.lines[numbers]):
            if other not in looked:
                yield from (guess for guess in self._in(other, lines, 0.0) if guess.survived >= _ENOUGH)

    def _in(self, path: str, lines: Lines, share: float) -> Iterator[Guess]:
        document = self._target.document(path)
        if document is not None:
            for guess in self._between(lines.document, document).follow(lines):
                yield replace(guess, path=path, how=f"{'renamed' if share else 'other'} {guess.how}", share=share)

    def _between(self, old: Document, new: Document) -> Within:
        pair = (old.id, new.id)
        if pair not in self._within:
            self._within[pair] = Within(old, new)
        return self._within[pair]

    def _answer(self, region: Region, path: str, lines: Lines, guesses: list[Guess]) -> Located:
        """The clear winner, or none."""
        rated = sorted(((score.of(guess, lines), guess) for guess in guesses), key=lambda pair: -pair[0])
        candidates = tuple(
            Candidate(Region(guess.path, guess.start + 1, guess.end + 1), round(rate, 3))
            for rate, guess in rated[:_SHOWN]
        )
        if not rated or rated[0][0] < score.LEAST:
            return Located(Verdict.GONE, None, score.gone(rated), 0.0, candidates)
        rate, best = rated[0]
        rivals = [other for other, guess in rated[1:] if (guess.path, guess.start) != (best.path, best.start)]
        if rivals and rivals[0] > rate - score.CLEAR:
            return Located(Verdict.AMBIGUOUS, None, rate, best.survived, candidates)
        document = self._target.document(best.path)
        assert document
        now = Lines(document, best.start, best.end)
        first, last = columns.follow(lines, now, kept=best.kept)
        if first < 0:
            return Located(Verdict.GONE, None, rate, 0.0, candidates)
        place = Region(best.path, best.start + 1, best.end + 1, first, last)
        if best.kept or sameness.same(lines, now):
            same = (place.path, place.start, place.end) == (path, region.start, region.end)
            return Located(Verdict.FRESH if same else Verdict.MOVED, place, rate, 1.0, candidates)
        return Located(Verdict.EDITED, place, rate, round(best.survived, 3), candidates)

    def _files(self, commit: str) -> CommitFiles:
        found = self._objects.commit(commit)
        if found is None:
            raise RepositoryError(f"no such revision: {commit}", "name a commit that exists: git log --oneline --all")
        return CommitFiles(self._objects, found[1])

    def _disk(self) -> Target:
        if self._repository.toplevel is None:
            raise RepositoryError("a bare repository has no working tree", "name a target: --to REV")
        return WorkingTree(self._repository, self._objects)


def _there(region: Region, path: str) -> Located:
    verdict = Verdict.FRESH if region.path == path else Verdict.MOVED
    return Located(verdict, region, 1.0, 1.0, (Candidate(region, 1.0),))
