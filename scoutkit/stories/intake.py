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
from scoutkit.errors import Refused, ScoutError
from scoutkit.model import NOTE_TYPES
from scoutkit.model.notes import Anchor, Citation, Note
from scoutkit.stories.linked import Followed, Links, judged, there

if TYPE_CHECKING:
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


class Keeper:
    """Makes notes of texts that speak of one commit: HEAD where none is named. A context manager.

    RepositoryError for an unknown revision.
    """

    def __init__(self, desk: Desk, revision: str | None = None) -> None:
        self._desk, self._named_one = desk, revision is not None
        self._commit = git.resolve(desk.repository, "HEAD" if revision is None else revision)
        self._snapshot = desk.snapshot(self._commit)
        self._links = Links(desk, self._commit, self._snapshot)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._snapshot.__exit__()
        self._links.close()

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
        followed: dict[int, Followed] = {}
        pinned = permalinks.pinned(body, references)
        if foreign := [
            one for one in references if (link := pinned.get(one.offset)) and self._links.is_foreign(one, link)
        ]:
            names = ", ".join(dict.fromkeys(pinned[one.offset].repository for one in foreign))
            told.append(f"of other repositories, not checked: {names}")
            offsets = {one.offset for one in foreign}
            references = [one for one in references if one.offset not in offsets]
        for number, reference in enumerate(references):
            if link := pinned.get(reference.offset):
                if found := self._links.follow(reference, link.commit, told):
                    followed[reference.offset] = found
                    references[number] = there(reference, found.located.region)
            elif source.folder is not None:
                beside = posixpath.normpath(posixpath.join(source.folder, reference.path))
                if not beside.startswith("../") and beside != reference.path:
                    references[number] = replace(reference, also=(*reference.also, beside))
        checked = verify.check(references, self._snapshot, notes=self._desk.settings.notes)
        return [judged(one, followed.get(one.reference.offset)) for one in checked], told

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
