"""Markdown that a person has, made into notes: its citations are checked, its text stays as it is."""

from __future__ import annotations

import functools
import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from types import TracebackType
from typing import TYPE_CHECKING, Self

from scoutkit import git
from scoutkit.desk import Desk
from scoutkit.errors import Refused, RepositoryError, ScoutError
from scoutkit.model import NOTE_TYPES
from scoutkit.model.notes import Anchor, Citation, Located, Note, Region, Verdict

if TYPE_CHECKING:
    from scoutkit.anchors.region import Regions
    from scoutkit.knowledge.citations import Reference
    from scoutkit.knowledge.permalinks import Pinned
    from scoutkit.knowledge.verify import Checked

_HEADING = re.compile(r"^#{1,4}[ \t]+(?:\d+[.)][ \t]*)?([^\r\n#]+)", re.MULTILINE)
_STATUS = re.compile(
    r"^(?:#{1,4}[ \t]+Status[ \t]*\r?\n\s*(?:[*-][ \t]+)?|[*-][ \t]+(?:\*\*)?Status(?:\*\*)?:(?:\*\*)?[ \t]*)"
    r"[*_]{0,2}([A-Za-z]+)",
    re.MULTILINE | re.IGNORECASE,
)
_DECISION = {"decision", "decision outcome"}
_BESIDE = {"status", "context", "context and problem statement", "consequences", "considered options"}
_OVER = ("superseded", "deprecated", "rejected", "obsolete")


@dataclass(frozen=True, slots=True)
class Source:
    """A Markdown text and where it is from. `folder`: POSIX, of a file in the repository; None for any other text."""

    text: str
    title: str = ""  # where the text has none
    name: str = ""
    folder: str | None = None


@dataclass(frozen=True, slots=True)
class Seen:
    """A citation, the line of the text it is on, how it is written there, and why the verdict, for a person."""

    citation: Citation
    line: int
    written: str
    why: str


@dataclass(frozen=True, slots=True)
class Kept:
    """A note, each of its text's citations in order, and what a person should know."""

    note: Note
    seen: tuple[Seen, ...]
    told: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Followed:
    """A reference whose address names a commit, and where its lines are at the commit that is checked."""

    reference: Reference  # as it is written
    commit: str
    located: Located


class Keeper:
    """Makes notes of texts that speak of one commit: HEAD where none is named. A context manager.

    RepositoryError for an unknown revision.
    """

    def __init__(self, desk: Desk, revision: str | None = None) -> None:
        self._desk, self._named_one = desk, revision is not None
        self._commit = git.resolve(desk.repository, "HEAD" if revision is None else revision)
        self._snapshot = desk.snapshot(self._commit)
        self._named: dict[str, str] = {}  # commits of permalinks; "" for one that is not here

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._snapshot.__exit__()
        if "_regions" in self.__dict__:
            self._regions.__exit__(None, None, None)

    def keep(
        self, source: Source, *, kind: str = "", tags: Sequence[str] = (), write: bool = True, again: bool = True
    ) -> Kept:
        """A note of a text. Without `write` it is only made, with an empty path; with one that is there already and
        not `again`, AlreadyKept is raised.

        Title, description, question, type and tags are the text's own where its front matter has them; other keys are
        kept as they stand. Front matter keys that mean something else to a note go under `imported`.
        """
        from scoutkit import notefile
        from scoutkit.knowledge import capture, headline
        from scoutkit.notefile import foreign

        text, problem = foreign.from_toml(source.text)
        source = replace(source, text=text)
        given = notefile.parse(source.text.encode("utf-8", "surrogateescape"), source.title).note
        fields = foreign.said(source.text)
        body = self._desk.redactor()(given.body)
        if write and not again and (found := self._same(body)):
            raise AlreadyKept(found)
        checked, told = self._check(body, source)
        if problem:
            told.append(f"its TOML front matter cannot be read and stays in the text: {problem}")
        title, description = headline.read(body, question="")
        status = _status(fields.get("status", ""), body)
        if status == "deprecated":
            told.append("by its own word it no longer applies: kept as deprecated")
        note = replace(
            given,
            id=self._desk.notebook.new_id(),
            title=fields.get("title", "") or title or source.title,
            description=given.description or description,
            type=kind or _type(fields.get("type", ""), body),
            tags=tuple(dict.fromkeys((*given.tags, *tags))),
            status=status,
            body=body,
            commit=self._commit,
            by=f"human:{self._user}",
            at=_now(),
            verified=(),
            superseded_by="",
            citations=capture.cited(checked),
            anchors=self._anchors(checked),
            path="",
        )
        first = foreign.body_line(source.text) - 1
        seen = [Seen(one.citation, first + one.reference.line, one.reference.written, one.why) for one in checked]
        if write:
            note = self._write(note, foreign.lines(source.text), _imported(source, fields, note), told)
        return Kept(note, tuple(seen), tuple(told))

    def _write(self, note: Note, more: str, imported: Mapping[str, str], told: list[str]) -> Note:
        from scoutkit import notefile
        from scoutkit.notefile import foreign

        if imported:
            block = notefile.amend(b"", {foreign.IMPORTED: imported}).decode()
            more += block.removeprefix("---\n").removesuffix("---\n")
        try:
            written = self._desk.notebook.write(note, more=more)
        except Refused as error:
            told.append(f"{error.message}: left out")
            written = self._desk.notebook.write(note)
        self._known.append((written.path, written.body))
        return written

    def _anchors(self, checked: Sequence[Checked]) -> tuple[Anchor, ...]:
        from scoutkit.anchors import anchor

        made = (anchor.make(one.citation, self._snapshot) for one in checked)
        return tuple({(one.path, one.start, one.end): one for one in made if one}.values())

    # The citations

    def _check(self, body: str, source: Source) -> tuple[list[Checked], list[str]]:
        from scoutkit.knowledge import citations, permalinks, verify

        references = citations.read(body, roots=(str(self._desk.where),))
        told: list[str] = []
        followed: dict[int, _Followed] = {}
        pinned = permalinks.pinned(body, references)
        if foreign := [one for one in references if (link := pinned.get(one.offset)) and self._is_foreign(one, link)]:
            names = ", ".join(dict.fromkeys(pinned[one.offset].repository for one in foreign))
            told.append(f"of other repositories, not checked: {names}")
            offsets = {one.offset for one in foreign}
            references = [one for one in references if one.offset not in offsets]
        for number, reference in enumerate(references):
            if link := pinned.get(reference.offset):
                if found := self._follow(reference, link.commit, told):
                    followed[reference.offset] = found
                    references[number] = _there(reference, found.located.region)
            elif source.folder is not None:
                beside = posixpath.normpath(posixpath.join(source.folder, reference.path))
                if not beside.startswith("../") and beside != reference.path:
                    references[number] = replace(reference, also=(*reference.also, beside))
        checked = verify.check(references, self._snapshot, notes=self._desk.settings.notes)
        return [_judged(one, followed.get(one.reference.offset)) for one in checked], told

    def _follow(self, reference: Reference, name: str, told: list[str]) -> _Followed | None:
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
            return _Followed(reference, commit, self._regions.locate(region, commit))
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

    def _is_foreign(self, reference: Reference, link: Pinned) -> bool:
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

    # What is there already

    def _same(self, body: str) -> str:
        """The path of a note with this very text whose place no other took, or nothing.

        Where a commit is named, of one that was checked against that.
        """
        from scoutkit.notefile.text import trimmed

        wanted = trimmed(body)
        for path, text in self._known:
            if wanted in text and wanted:
                note = self._desk.notebook.read(path).note
                same = note.commit == self._commit or not self._named_one
                if note.body == wanted and same and not note.superseded_by:
                    return path
        return ""

    @functools.cached_property
    def _known(self) -> list[tuple[str, str]]:
        """The text of every note."""
        found = []
        for path, _, _ in self._desk.notebook.files()[0]:
            try:
                found.append((path, self._desk.notebook.bytes_of(path).decode("utf-8", "replace")))
            except ScoutError:
                continue  # told by every command that lists notes
        return found

    @functools.cached_property
    def _user(self) -> str:
        return git.user(self._desk.where)


class AlreadyKept(ScoutError):
    """There is a note with this very text."""

    def __init__(self, path: str) -> None:
        super().__init__(f"a note with this text is there already: {path}", "--force makes a second one")
        self.path = path


def _name(address: str) -> str:
    """The last part of a repository's address: `scoutkit` of `git@host:owner/Scoutkit.git`."""
    return re.split(r"[/:]", address.strip().rstrip("/"))[-1].removesuffix(".git").lower()


def _there(reference: Reference, region: Region | None) -> Reference:
    return replace(reference, path=region.path, start=region.start, end=region.end) if region else reference


def _judged(one: Checked, followed: _Followed | None) -> Checked:
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


def _type(given: str, body: str) -> str:
    """The text's own type where it is one of a note's; a decision for an ADR by its headings."""
    if given in NOTE_TYPES:
        return given
    headings = {found[1].strip().rstrip(":").lower() for found in _HEADING.finditer(body)}
    return "decision" if headings & _DECISION and headings & _BESIDE else "note"


def _status(given: str, body: str) -> str:
    """A text that says of itself that it is superseded, deprecated or rejected is a deprecated note."""
    found = _STATUS.search(body)
    words = (given, found[1] if found else "")
    return "deprecated" if any(word.lower().startswith(_OVER) for word in words) else "stable"


def _imported(source: Source, fields: Mapping[str, str], note: Note) -> dict[str, str]:
    """Where a note's text is from, and what its front matter said that a note says otherwise."""
    own = {"id": note.id, "type": note.type, "status": note.status, "commit": note.commit}
    other = {key: fields[key] for key, value in own.items() if fields.get(key, value) not in (value, "")}
    return {"from": source.name, **other} if source.name else other


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
