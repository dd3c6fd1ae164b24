"""Bytes to `Note`: reads anything, reports what is wrong with it, and where."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scoutkit.model import reference
from scoutkit.model.found import Problem
from scoutkit.model.notes import Citation, Note, Verdict
from scoutkit.model.pinned import NAME, Pinned
from scoutkit.notefile import closing, plainly
from scoutkit.notefile.frontmatter import FrontMatter, examine, salvage, scalar
from scoutkit.notefile.text import cleaned_tags, conflict, decode, line_at, one_line, storable, title_of, trimmed

if TYPE_CHECKING:
    import yaml

_SOURCE = re.compile(rf"({NAME})@([0-9a-f]{{40}}|[0-9a-f]{{64}})")
_VERDICTS = {verdict.value: verdict for verdict in Verdict}
_NOTHING = ("", "~", "null", "Null", "NULL")


@dataclass(frozen=True, slots=True)
class Parsed:
    """A note as far as it could be read, what is wrong with its file, and the line its id is on.

    `readable` is False when there was nothing to read from: the file is there, but what it says is not known. `broken`
    is what keeps its front matter, and so its citations, from being read.
    """

    note: Note
    problems: tuple[Problem, ...] = ()
    id_line: int = 1
    readable: bool = True
    broken: Problem | None = None


def quickly(raw: bytes, path: str) -> Parsed:
    """What `parse` gives, without a YAML parser where scoutkit wrote the note and nothing is wrong with it."""
    note = plainly.read(raw, path)
    if note is None or not note.id:
        return parse(raw, path)
    return Parsed(note, id_line=raw.count(b"\n", 0, raw.index(b"\nid:")) + 2)


def parse(raw: bytes, path: str) -> Parsed:
    """Read a note. Never raises. Without an `id` the note's id is empty; without a title it gets one from its text.

    Broken front matter is reported and then belongs to the body, so that every word is found; id, type, title,
    description, question and status are still taken from it where they stand plainly on a line of their own.
    """
    text, undecodable = decode(raw)
    problems = [*_bytes_problems(text, undecodable, path)]
    front = examine(text, path)
    fields = _Fields(front, path)
    problems += [front.problem] if front.problem else []
    problems += front.repeated
    if (line := conflict(text)) and not front.problem:
        problems.append(Problem(path, line, "merge conflict markers", "resolve the conflict"))
    begin = int(text.startswith("\ufeff")) if front.problem else front.body
    comment = closing.find(text, begin)
    anchors, lost = closing.read(comment, text, path) if comment else ([], [])
    body = _body(text, begin, comment)
    known = salvage(front) if front.problem else fields.texts()
    note = Note(
        id=known.get("id", ""),
        title=one_line(known.get("title", "")) or title_of(body, path),
        body=body,
        type=known.get("type", "") or "note",
        description=known.get("description", ""),
        question=known.get("question", ""),
        paths=fields.scouted("paths", known.get("type", "")),
        checks=fields.scouted("checks", known.get("type", "")),
        tags=fields.tags(),
        status=known.get("status", "") or "stable",
        commit=known.get("commit", ""),
        **fields.generated(),
        verified=fields.verified(),
        supersedes=fields.ids("supersedes"),
        superseded_by=known.get("superseded_by", ""),
        recalled=fields.ids("recalled"),
        citations=tuple(fields.citations()),
        anchors=tuple(anchors),
        sources=tuple(fields.sources()),
        path=path,
    )
    problems += [*fields.problems, *lost]
    return Parsed(note, tuple(problems), fields.id_line(note.id), broken=front.problem)


def duplicates(notes: Iterable[Parsed]) -> list[Problem]:
    """A problem for every note whose id another one has too."""
    by_id: dict[str, list[Parsed]] = {}
    for parsed in notes:
        if parsed.note.id:
            by_id.setdefault(parsed.note.id, []).append(parsed)
    return [_duplicate(one, same) for same in by_id.values() if len(same) > 1 for one in same]


def _duplicate(one: Parsed, same: Sequence[Parsed]) -> Problem:
    others = [other.note.path for other in same[:4] if other is not one][:3]
    more = f" and {len(same) - 1 - len(others)} more" if len(same) - 1 > len(others) else ""
    problem = f"the id {one.note.id} is also in {', '.join(others)}{more}"
    return Problem(one.note.path, one.id_line, problem, "give one of them another id")


def _bytes_problems(text: str, undecodable: int, path: str) -> Iterator[Problem]:
    if undecodable:
        yield Problem(path, undecodable, "not UTF-8", "save it as UTF-8, with your editor or iconv")
    if (at := text.find("\0")) >= 0:
        yield Problem(path, line_at(text, at), "a NUL byte", "delete it; the text around it is read")


def _body(text: str, begin: int, comment: closing.Comment | None) -> str:
    """The text without front matter, closing comment and the blank lines around them."""
    if not comment:
        return trimmed(text[begin:])
    parts = (trimmed(text[begin : comment.start]), trimmed(text[comment.end :]))
    return "\n\n".join(part for part in parts if part)


class _Fields:
    """Known keys as the types a note has. What is wrong with them collects in `problems`."""

    def __init__(self, front: FrontMatter, path: str) -> None:
        self.problems: list[Problem] = []
        self._front = front
        self._path = path

    def id_line(self, note_id: str) -> int:
        if self._front.problem and note_id:
            at = re.search(rf"^id:.*{re.escape(note_id)}", self._front.text, re.MULTILINE)
            return 1 + line_at(self._front.text, at.start()) if at else 1
        return self._front.line("id")

    def texts(self) -> dict[str, str]:
        keys = ("id", "type", "title", "description", "question", "status", "commit", "superseded_by")
        return {key: self._text(key) for key in keys}

    def _text(self, key: str) -> str:
        import yaml

        node = self._node(key)
        if node is None:
            return ""
        if not isinstance(node, yaml.ScalarNode):
            self._complain(node, f"`{key}` is not text", f"write `{key}: …` on one line")
            return ""
        return storable(scalar(key, node, self._front.text)[0]).strip()

    def tags(self) -> tuple[str, ...]:
        import yaml

        node = self._node("tags")
        if isinstance(node, yaml.ScalarNode):
            parts = node.value.split("," if "," in node.value else None)
        else:
            parts = [self._plain(item, "tags") for item in self._items(node, "tags")]
        return cleaned_tags(parts)

    def scouted(self, key: str, kind: str) -> tuple[str, ...]:
        """What a scout was asked besides its task. Of another shape or type it is somebody else's key."""
        import yaml

        node = self._node(key) if kind == "scout" else None
        items = node.value if isinstance(node, yaml.SequenceNode) else ()
        return tuple(
            text for one in items if isinstance(one, yaml.ScalarNode) and (text := storable(one.value).strip())
        )

    def ids(self, key: str) -> tuple[str, ...]:
        """Other notes."""
        import yaml

        node = self._node(key)
        items = [node] if isinstance(node, yaml.ScalarNode) else self._items(node, key)
        return tuple(text for item in items if (text := self._plain(item, key)))

    def generated(self) -> dict[str, str]:
        """`by` and `at`."""
        import yaml

        node = self._node("generated")
        if isinstance(node, yaml.ScalarNode):
            return {"by": self._plain(node, "generated"), "at": ""}
        pairs = self._mapping(node, "generated", "{by: WHO, at: WHEN}") if node else {}
        return {"by": pairs.get("by", ""), "at": pairs.get("at", "")}

    def verified(self) -> tuple[tuple[str, str], ...]:
        import yaml

        node = self._node("verified")
        items = [node] if isinstance(node, yaml.MappingNode) else self._items(node, "verified")
        pairs = [self._mapping(item, "verified", "{by: human:NAME, at: WHEN}") for item in items]
        return tuple((pair.get("by", ""), pair.get("at", "")) for pair in pairs if pair)

    def citations(self) -> Iterator[Citation]:
        import yaml

        shape = "{at: 'path:start-end', verdict: …}"
        for item in self._items(self._node("citations"), "citations"):
            if isinstance(item, yaml.ScalarNode):
                row = {"at": str(item.value)}
            else:
                row = self._mapping(item, "citations", shape)
            place = reference.read(row.get("at", ""))
            if place is None:
                if row or isinstance(item, yaml.ScalarNode):
                    self._complain(item, "a citation without `at`", f"write {shape}")
                continue
            verdict = row.get("verdict", "")
            if verdict and verdict not in _VERDICTS:
                self._complain(item, f"no such verdict: {verdict}", f"one of {', '.join(_VERDICTS)}")
            texts = (row.get(key, "").strip() for key in ("symbol", "was", "base"))
            yield Citation(*place, _VERDICTS.get(verdict), *texts)

    def sources(self) -> Iterator[Pinned]:
        """What `repositories` says of sources. Of another shape it is somebody else's key, and none of our business."""
        import yaml

        node = self._node("repositories")
        for item in node.value if isinstance(node, yaml.SequenceNode) else ():
            if isinstance(item, yaml.MappingNode):
                row = self._mapping(item, "repositories", "")
                if (found := _SOURCE.fullmatch(row.get("at", ""))) and row.get("from"):
                    yield Pinned(found[1], row["from"], found[2])

    def _node(self, key: str) -> yaml.Node | None:
        """A key's value; None where there is none, or it says so."""
        import yaml

        if self._front.problem or key not in self._front.fields:
            return None
        node = self._front.fields[key][1]
        if isinstance(node, yaml.ScalarNode) and not node.style and node.value in _NOTHING:
            return node if scalar(key, node, self._front.text)[0] != node.value else None
        return node

    def _items(self, node: yaml.Node | None, key: str) -> list[yaml.Node]:
        import yaml

        if isinstance(node, yaml.SequenceNode):
            return list(node.value)
        if node is not None:
            self._complain(node, f"`{key}` is not a list", f"write `{key}: […]`")
        return []

    def _plain(self, node: yaml.Node, key: str) -> str:
        import yaml

        if isinstance(node, yaml.ScalarNode):
            return storable(node.value).strip()
        self._complain(node, f"`{key}` holds something that is not text", f"write `{key}: [one, two]`")
        return ""

    def _mapping(self, node: yaml.Node, key: str, shape: str) -> dict[str, str]:
        """A flat mapping of texts; values of other shapes are left out."""
        import yaml

        if isinstance(node, yaml.MappingNode):
            pairs = ((str(name.value), value) for name, value in node.value)
            return {name: storable(value.value) for name, value in pairs if isinstance(value, yaml.ScalarNode)}
        self._complain(node, f"`{key}` has the wrong shape", f"write {shape}")
        return {}

    def _complain(self, node: yaml.Node, problem: str, hint: str) -> None:
        self.problems.append(Problem(self._path, self._front.line_of(node), problem, hint))
