"""Where lines are now: given a region of a file at an old commit, its place in another commit or the working tree.

The order of evidence: the same blob; the diff's line map; the same text elsewhere in the file; the syntax tree; lines
that are alike; a renamed file; other files that hold the text. Several places that are as good are `ambiguous`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, NamedTuple, Self

from scoutkit import git
from scoutkit.anchors import columns, sameness, score
from scoutkit.anchors.document import Document
from scoutkit.anchors.guess import Found, Lines
from scoutkit.anchors.journey import Journey
from scoutkit.anchors.pair import Pair
from scoutkit.anchors.targets import CommitFiles, IndexFiles, Key, Target, WorkingTree
from scoutkit.errors import NotFound, RepositoryError, ScoutError
from scoutkit.model import reference
from scoutkit.model.places import Repository
from scoutkit.model.regions import Candidate, Located, Region, Verdict
from scoutkit.objects import FETCH, FOLDER, SUBMODULE, Item, Objects

if TYPE_CHECKING:
    from scoutkit.anchors.memory import Memory
    from scoutkit.model.notes import Anchor
    from scoutkit.model.pinned import Pinned

_SHOWN = 10  # candidates
_RENAMED = 0.6  # of a file's lines that another must hold to be taken for it at once


class Beside(NamedTuple):
    """Where regions of another repository are followed to: its own HEAD, which is this commit."""

    regions: Regions
    commit: str


class Regions:
    """Follows regions to one target. A context manager; reads git's objects through one process.

    `to` is a full commit id, or "" for the working tree; with `staged` for what is staged. `notes` is a folder that
    nothing is followed into, but for what was in it. `elsewhere` finds the repository of a source. Several may read
    through the same `objects`; whoever made them closes them.
    """

    def __init__(
        self,
        repository: Repository,
        to: str = "",
        *,
        staged: bool = False,
        notes: str = "",
        objects: Objects | None = None,
        elsewhere: Callable[[Pinned], Repository | None] = lambda _: None,
        memory: Memory | None = None,
    ) -> None:
        self._repository, self._notes, self._to = repository, notes, to
        self._where = repository.toplevel or repository.git_dir
        self._own = objects is None
        self._objects = objects or Objects(self._where)
        self._commits: dict[str, CommitFiles | None] = {}
        self._target = self._known(to) if to else self._index() if staged else self._disk()
        self._pairs: dict[tuple[str, int], Pair] = {}
        self._journeys: dict[str, Journey] = {}
        self._elsewhere = elsewhere
        self._memory = memory
        self._beside: dict[str, Beside | None] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for other in self._beside.values():
            if other:
                other.regions.__exit__(kind, error, trace)
        if self._own:
            self._objects.__exit__()

    def beside(self, source: Pinned) -> Beside | None:
        """The same for another repository, as it is at hand now; None where it is not, or has nothing at HEAD."""
        if source.origin not in self._beside:
            repository = self._elsewhere(source)
            other = None
            if repository:
                try:
                    head = git.resolve(repository, "HEAD")
                    other = Beside(Regions(repository, head, elsewhere=self._elsewhere), head)
                except ScoutError:
                    other = None  # nothing there to follow to
            self._beside[source.origin] = other
        return self._beside[source.origin]

    def there(self, path: str) -> bool:
        """Is there such a file at the target?"""
        return bool(self._target.path(path))

    def lines(self, path: str) -> Sequence[str]:
        """A file's lines at the target; none where it is no text, or not there."""
        document = self._target.document(self._target.path(path) or path)
        return document.lines if document else ()

    def lines_at(self, commit: str, path: str) -> Sequence[str]:
        """A file's lines at a commit; none where either is not here."""
        files = self._files(commit) if commit else None
        document = files.document(files.path(path)) if files else None
        return document.lines if document else ()

    def was(self, region: Region, commit: str) -> Sequence[str]:
        """A region's lines as they were at a commit; none where either is not here."""
        known = self._memory.was(commit, region) if self._memory else None
        if known is not None:
            return known
        lines = self.lines_at(commit, region.path)[region.start - 1 : region.end]
        if self._memory:
            self._memory.put_was(commit, region, lines)
        return lines

    def locate(self, region: Region, commit: str, anchor: Anchor | None = None) -> Located:
        """Where a region of `commit` is now. Without the commit, from what its anchor stores.

        ScoutError for a file or lines that the commit does not have, and where there is neither commit nor anchor.
        """
        key = self._key(region, commit) if anchor or self._memory else None
        if anchor and key and self._untouched(key, anchor):
            return Located(Verdict.FRESH, region, 1.0, 1.0, (Candidate(region, 1.0),))
        if self._memory and key and commit and (known := self._memory.get(key)):
            return known
        if anchor and (not commit or self._files(commit) is None):
            return self._recall(region, anchor)
        old = self._known(commit)
        path = old.path(region.path)
        lines = self._lines(old, path, region)
        pair = self._pair(old, self._target)
        left = not self._target.path(path)
        found = direct = pair.find(path, lines, wide=left)
        if direct.guess is None:
            self._readable(path)
        if left and (direct.guess is None or direct.guess.share < _RENAMED):
            found = Found(None, 0.0)  # with the commits between, its way is known better
        alone = not left and score.clear(found)  # no other file and no commit between was asked
        if not score.clear(found):
            found = self._journey(commit).find(path, lines, found)
        if found.guess is None:
            found = direct if left else pair.find(path, lines)
        if found.guess is None:
            self._whole(old.tree)
        answer = self._answer(region, path, lines, found)
        if self._memory and key and commit and alone and answer.region and answer.region.path == region.path:
            self._memory.put(key, answer)
        return answer

    def _key(self, region: Region, commit: str) -> Key | None:
        """What an answer is remembered by, where the file is there under its old name."""
        if region.start_col or self._target.path(region.path) != region.path:
            return None
        blob = self._target.id(region.path)
        return Key(commit, region.path, region.start, region.end, blob) if blob else None

    def _untouched(self, key: Key, anchor: Anchor) -> bool:
        """Is the file byte for byte as it was? Then git need not be asked."""
        if key.blob != anchor.blob:
            return False
        document = self._target.document(key.path)
        return document is not None and 1 <= key.start <= key.end <= len(document)

    def _recall(self, region: Region, anchor: Anchor) -> Located:
        """Without the commit: with the file as it was, if git still has that, else by fingerprints."""
        raw = self._objects.blob(anchor.blob) if anchor.blob else None
        document = Document.read(anchor.blob, anchor.path, raw) if raw is not None else None
        nothing = CommitFiles(self._objects, "")
        if document is not None and anchor.end <= len(document):
            lines = Lines(document, anchor.start - 1, anchor.end - 1)
            return self._answer(region, anchor.path, lines, self._pair(nothing, self._target).find(anchor.path, lines))
        from scoutkit.anchors import remembered

        found = remembered.find(anchor, self._target)
        if found.guess is None:
            self._readable(anchor.path)
            self._whole("")
        if found.guess and (now := self._target.document(found.guess.path)):
            lines = Lines(now, found.guess.start, found.guess.end)
            return self._answer(region, anchor.path, lines, found, kept=found.guess.kept)
        return self._answer(region, anchor.path, None, found)

    def _journey(self, commit: str) -> Journey:
        if commit not in self._journeys:
            from scoutkit import history

            stations = history.mainline(self._where, commit, self._to or "HEAD")
            stations = stations[:-1] if self._to else stations
            self._journeys[commit] = Journey(stations, self._files, self._target, self._pair)
        return self._journeys[commit]

    def _pair(self, old: CommitFiles, new: Target) -> Pair:
        pair = (old.tree, id(new))
        if pair not in self._pairs:
            self._pairs[pair] = Pair(self._objects, old, new, self._notes)
        return self._pairs[pair]

    def _lines(self, old: CommitFiles, path: str, region: Region) -> Lines:
        document = old.document(path) if path else None
        if document is None:
            if path and old.raw(path) is None:
                raise RepositoryError(f"not in this clone: {path} as it was", FETCH)
            item = self._objects.item(old.tree, region.path)
            kind = (
                {SUBMODULE: "in a submodule", FOLDER: "a folder"}.get(item.mode, "no file") if item else "no such file"
            )
            what = "a binary file: it has no lines" if path else kind
            raise NotFound(f"{what}: {region.path}", "give the path of a text file, from the repository's root")
        if not 1 <= region.start <= region.end <= max(len(document), 1):
            number = len(document)
            raise NotFound(
                f"no such lines: {reference.write(region.path, region.start, region.end)}, "
                f"the file has {number} line{'s' * (number != 1)}",
                "lines are counted from 1",
            )
        return Lines(document, region.start - 1, region.end - 1, (region.start_col, region.end_col))

    def _readable(self, path: str) -> None:
        """What is there and cannot be read is not gone."""
        here = self._target.path(path)
        if here and self._target.document(here) is None and self._target.raw(here) is None:
            if self._target.lacking(here):
                raise RepositoryError(f"not in this clone: {here} as it is", FETCH)
            raise RepositoryError(f"cannot be read: {here}", "check its permissions and its size")

    def _whole(self, tree: str) -> None:
        """Of lines that are not found nothing is known where a partial clone lacks a file that may hold them."""
        if not self._objects.partial:
            return
        for path, _ in self._target.differing(tree):
            if self._target.lacking(path):
                raise RepositoryError(f"not in this clone: {path}, which may hold the lines", FETCH)

    def _answer(
        self, region: Region, path: str, lines: Lines | None, found: Found, *, kept: bool | None = None
    ) -> Located:
        """What is said of a place. Where it is known whether the text was kept, nothing is compared."""
        candidates = tuple(
            Candidate(Region(guess.path, guess.start + 1, guess.end + 1), round(rate, 3))
            for rate, guess in found.rated[:_SHOWN]
        )
        best, sure = found.guess, round(found.score, 3)
        if best is not None and sure < score.GUESS:
            return Located(Verdict.AMBIGUOUS, None, sure, best.survived, candidates)
        if best is None or lines is None:
            return Located(Verdict.AMBIGUOUS if found.ambiguous else Verdict.GONE, None, sure, 0.0, candidates)
        document = self._target.document(best.path)
        assert document is not None
        now = Lines(document, best.start, best.end)
        spot = columns.follow(lines, now)
        if spot is None:
            return Located(Verdict.GONE, None, sure, 0.0, candidates)
        place = Region(best.path, spot.start + 1, spot.end + 1, spot.start_col, spot.end_col)
        if best.kept or (kept is None and sameness.same(lines, now)):
            same = (place.path, place.start, place.end) == (path, region.start, region.end)
            return Located(Verdict.FRESH if same else Verdict.MOVED, place, sure, 1.0, candidates)
        return Located(Verdict.EDITED, place, sure, round(best.survived, 3), candidates)

    def _files(self, commit: str) -> CommitFiles | None:
        if commit not in self._commits:
            found = self._objects.commit(commit)
            self._commits[commit] = CommitFiles(self._objects, found[1]) if found else None
        return self._commits[commit]

    def _known(self, commit: str) -> CommitFiles:
        files = self._files(commit)
        if files is None:
            raise RepositoryError(f"no such revision: {commit}", "name a commit that exists: git log --oneline --all")
        return files

    def _index(self) -> Target:
        from scoutkit import difference

        entries = difference.entries(self._repository)
        return IndexFiles(self._objects, {path: Item(*entry) for path, entry in entries.items()})

    def _disk(self) -> Target:
        if self._repository.toplevel is None:
            raise RepositoryError("a bare repository has no working tree", "name a target: --to REV")
        return WorkingTree(self._repository, self._objects)
