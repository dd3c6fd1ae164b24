"""Permalinks of a text: which lead to other repositories, and where the lines that one names are at another commit."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from scoutkit import git
from scoutkit.desk import Desk
from scoutkit.errors import RepositoryError, ScoutError
from scoutkit.model.notes import Citation, Located, Region, Verdict

if TYPE_CHECKING:
    from scoutkit.anchors.region import Regions
    from scoutkit.knowledge.citations import Reference
    from scoutkit.knowledge.permalinks import Pinned
    from scoutkit.knowledge.verify import Checked
    from scoutkit.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Followed:
    """A reference whose address names a commit, and where its lines are at the commit that is checked."""

    reference: Reference  # as it is written
    commit: str
    located: Located


class Links:
    """Follows permalinks to one commit, whose files `snapshot` has."""

    def __init__(self, desk: Desk, commit: str, snapshot: Snapshot) -> None:
        self._desk, self._commit, self._snapshot = desk, commit, snapshot
        self._named: dict[str, str] = {}  # commits of permalinks; "" for one that is not here

    def close(self) -> None:
        """Let go of what following took."""
        if "_regions" in self.__dict__:
            self._regions.__exit__(None, None, None)

    def follow(self, reference: Reference, name: str, told: list[str]) -> Followed | None:
        """Where lines that a permalink names are now; None where they are of this commit, or cannot be told."""
        commit = self._resolved(name)
        if not commit:
            said = f"a permalink's commit {name[:12]} is not here: its lines are looked for in {self._commit[:12]}"
            if said not in told:
                told.append(said)
        if not commit or commit == self._commit or not reference.start:
            return None
        try:
            region = Region(reference.path, reference.start, reference.end)
            return Followed(reference, commit, self._regions.locate(region, commit))
        except ScoutError:  # no such lines there either: the birth check says so
            return None

    def _resolved(self, name: str) -> str:
        """A permalink's commit in full, or nothing where it is not here."""
        if name not in self._named:
            try:
                self._named[name] = git.resolve(self._desk.repository, name)
            except RepositoryError:
                self._named[name] = ""
        return self._named[name]

    def is_foreign(self, reference: Reference, link: Pinned) -> bool:
        """Does a permalink surely lead to another repository? Neither its commit nor such a file is here, and no remote
        of this one is called so."""
        if reference.path in self._snapshot.entries or self._resolved(link.commit) or not self._remotes:
            return False
        return _name(link.repository) not in self._remotes

    @functools.cached_property
    def _remotes(self) -> set[str]:
        """The last part of each remote's address, in lower case."""
        said = git.git(self._desk.where, "config", "--get-regexp", r"^remote\..*\.url$").text
        return {_name(line.partition(" ")[2]) for line in said.splitlines()}

    @functools.cached_property
    def _regions(self) -> Regions:
        from scoutkit.anchors.region import Regions

        return Regions(self._desk.repository, self._commit, notes=self._desk.settings.notes)


def _name(address: str) -> str:
    """The last part of a repository's address: `scoutkit` of `git@host:owner/Scoutkit.git`."""
    return re.split(r"[/:]", address.strip().rstrip("/"))[-1].removesuffix(".git").lower()


def there(reference: Reference, region: Region | None) -> Reference:
    """A reference to where its lines are; as it is where they are nowhere."""
    return replace(reference, path=region.path, start=region.start, end=region.end) if region else reference


def judged(one: Checked, followed: Followed | None) -> Checked:
    """A verdict that knows where a permalink's lines came from: what was moved with the code is `corrected`, unless
    what the sentence names is not there."""
    if followed is None:
        return one
    citation, written, located = one.citation, followed.reference, followed.located
    since = f"at {followed.commit[:10]}"
    if located.region is None:
        return replace(one, why=f"{located.verdict} since {followed.commit[:10]}; {one.why}")
    if (citation.path, citation.start, citation.end) == (written.path, written.start, written.end):
        return one
    was = Citation(written.path, written.start, written.end).at
    unsaid = citation.verdict is Verdict.UNSUPPORTED and not (one.reference.names or one.reference.quotes)
    if citation.verdict in (Verdict.SUPPORTED, Verdict.CORRECTED) or unsaid:
        why = f"the lines that were {was} {since}, {located.verdict} since" + ("" if unsaid else f"; {one.why}")
        return replace(one, citation=replace(citation, verdict=Verdict.CORRECTED, was=was), why=why)
    return replace(one, why=f"{one.why}; {since} the lines were {was}")
