"""Where lines are now: given a region of a file at an old commit, its place in another commit or the working tree."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from scoutkit import git
from scoutkit.anchors import fingerprint
from scoutkit.errors import NotFound
from scoutkit.model.notes import Anchor, Candidate, Located, Region, Verdict
from scoutkit.model.places import Repository


class Regions:
    """Follows regions to one target. A context manager.

    `to` is a full commit id, or "" for the working tree. `notes` is a folder that nothing is followed into, but for
    what was in it.
    """

    def __init__(self, repository: Repository, to: str = "", *, notes: str = "") -> None:
        self._repository, self._to, self._notes = repository, to, notes
        self._where = repository.toplevel or repository.git_dir
        self._snapshots: dict[str, git.Snapshot] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for snapshot in self._snapshots.values():
            snapshot.__exit__()

    def locate(self, region: Region, commit: str, anchor: Anchor | None = None) -> Located:
        """Where a region of `commit` (a full id) is now. Without the commit, from what its anchor stores.

        ScoutError for a file or lines that the commit does not have, and where there is neither commit nor anchor.
        """
        old = self._lines(commit, region.path)
        if old is None or region.end > len(old):
            raise NotFound(f"no such lines: {region.path}:{region.start}-{region.end}", "give lines of that commit")
        new = self._lines(self._to, region.path) or []
        wanted = fingerprint.of_text(old[region.start - 1 : region.end])
        size = region.end - region.start
        starts = [at for at in range(1, len(new) - size + 1) if fingerprint.of_text(new[at - 1 : at + size]) == wanted]
        places = tuple(Candidate(Region(region.path, at, at + size), 1 / len(starts)) for at in starts)
        if region.start in starts:
            return Located(Verdict.FRESH, region, 1.0, 1.0, places)
        if len(places) == 1:
            return Located(Verdict.MOVED, places[0].region, 1.0, 1.0, places)
        return Located(Verdict.AMBIGUOUS if places else Verdict.GONE, None, 0.5, 0.0, places)

    def _lines(self, commit: str, path: str) -> list[str] | None:
        if not commit:
            file = (self._repository.toplevel or self._where) / path
            return file.read_text("utf-8", "replace").splitlines() if file.is_file() else None
        if commit not in self._snapshots:
            self._snapshots[commit] = git.Snapshot(self._where, commit).__enter__()
        return self._snapshots[commit].lines(path)
