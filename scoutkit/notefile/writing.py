"""`Note` to bytes: a new note file, and YAML values that every reader takes for what they are."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence

from scoutkit.errors import ScoutError
from scoutkit.model import reference
from scoutkit.model.notes import Citation, Note
from scoutkit.notefile import closing, plainly
from scoutkit.notefile.frontmatter import KEYS, LIMIT, TEXTS
from scoutkit.notefile.reading import parse
from scoutkit.notefile.text import cleaned_tags, one_line, storable, title_of, trimmed

Value = str | Sequence["Value"] | Mapping[str, "Value"]

PLACES = ("at", "base")
"""Keys whose text is always quoted: `path:start-end`, or a moment."""

_UNSAFE = r"\x00-\x1f\x7f-\xa0:#\u2028\u2029\ufeff\ufffe\uffff"
_PLAIN_PROSE = re.compile(rf"[^\W_](?:[^{_UNSAFE}]|:(?! |\Z))*")
_PLAIN = re.compile(rf"[^\W_](?:[^{_UNSAFE}?,\[\]{{}}]|:(?! |\Z))*")  # inside brackets too, for every reader
_TYPED = re.compile(
    r"y|n|yes|no|on|off|true|false|null|nan|inf"
    r"|[0-9][0-9_.,:]*(?:e[-+]?[0-9]+)?|0[xob][0-9a-f_]+|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}.*",
    re.IGNORECASE,
)
"""What some reader of YAML 1.1 or 1.2 would take for a number, a date, a truth value or nothing."""
_MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?(?:\+00:00|Z)")


def front_matter(note: Note) -> dict[str, Value]:
    """A note's keys and values in the order they are written; texts that are empty are left out.

    Its values are also what `amend` takes.
    """
    values: dict[str, Value] = {
        "id": note.id,
        "type": note.type,
        "title": note.title,
        "description": note.description,
        "question": note.question,
        "paths": note.paths,
        "checks": note.checks,
        "tags": note.tags,
        "status": note.status,
        "commit": note.commit,
        "generated": _without_empty({"by": note.by, "at": note.at}),
        "verified": [_without_empty({"by": by, "at": at}) for by, at in note.verified],
        "supersedes": note.supersedes,
        "superseded_by": note.superseded_by,
        "recalled": note.recalled,
        "repositories": [{"at": f"{one.name}@{one.commit}", "from": one.origin} for one in note.sources],
        "citations": [_citation(citation) for citation in note.citations],
    }
    return {key: values[key] for key in KEYS if values[key] or key in ("tags", "verified", "supersedes", "citations")}


def _citation(citation: Citation) -> dict[str, Value]:
    at = reference.write(citation.path, citation.start, citation.end)
    verdict = citation.verdict.value if citation.verdict else ""
    texts = {"symbol": citation.symbol, "was": citation.was, "base": citation.base}
    return _without_empty({"at": at, "verdict": verdict, **texts})


def _without_empty(pairs: Mapping[str, str]) -> dict[str, Value]:
    return {key: value for key, value in pairs.items() if value}


def settled(note: Note) -> Note:
    """The note as a file can hold it: what `parse(render(note))` gives.

    Texts lose space at both ends, title and tags are one line, the body has no blank lines at either end, NUL and
    halves of surrogate pairs become U+FFFD (in paths of citations and anchors they stay), and there is a title.
    """

    def tidy(text: str) -> str:
        return storable(text).strip()

    body = trimmed(note.body)
    return dataclasses.replace(
        note,
        id=tidy(note.id),
        title=one_line(storable(note.title)) or title_of(body, note.path),
        body=body,
        type=tidy(note.type) or "note",
        description=tidy(note.description),
        question=tidy(note.question),
        paths=tuple(text for one in note.paths if (text := tidy(one))) if tidy(note.type) == "scout" else (),
        checks=tuple(text for one in note.checks if (text := tidy(one))) if tidy(note.type) == "scout" else (),
        tags=cleaned_tags(map(storable, note.tags)),
        status=tidy(note.status) or "stable",
        commit=tidy(note.commit),
        by=storable(note.by),
        at=storable(note.at),
        verified=tuple((storable(by), storable(at)) for by, at in note.verified if by or at),
        supersedes=tuple(text for one in note.supersedes if (text := tidy(one))),
        superseded_by=tidy(note.superseded_by),
        recalled=tuple(text for one in note.recalled if (text := tidy(one))),
        sources=tuple(dataclasses.replace(one, origin=storable(one.origin)) for one in note.sources),
        citations=tuple(
            dataclasses.replace(one, symbol=tidy(one.symbol), was=tidy(one.was), base=tidy(one.base))
            for one in note.citations
        ),
    )


def render(note: Note) -> bytes:
    """A new note file. Reads it back; ScoutError when that does not give the same note."""
    note = settled(note)
    header = "".join(entry(key, value, "\n") for key, value in front_matter(note).items())
    if len(header) > LIMIT:
        raise ScoutError(
            f"front matter of {len(header):,} characters, with {len(note.citations):,} citations: at most {LIMIT:,}",
            "make several notes of it",
        )
    body = f"\n{note.body}\n" if note.body else ""
    comment = f"\n{closing.write(note.anchors)}" if note.anchors or closing.MARK in note.body else ""
    raw = f"---\n{header}---\n{body}{comment}".encode()
    again = plainly.read(raw, note.path)
    if again != note:  # or it takes a YAML parser to read it, which takes long to import
        again = parse(raw, note.path).note
    if again != note:
        fields = ", ".join(
            one.name for one in dataclasses.fields(Note) if getattr(again, one.name) != getattr(note, one.name)
        )
        raise ScoutError(
            f"the note {note.id} cannot be written so that it reads back the same: {fields}",
            "please report this, with the note's text",
        )
    return raw


def entry(key: str, value: Value, line_end: str) -> str:
    """`key: value` with its line end; a list of mappings has one mapping a line below its key."""
    if _is_list(value) and value and all(isinstance(item, Mapping) for item in value):
        rows = "".join(f"- {flow(item)}{line_end}" for item in value)
        return f"{key}:{line_end}{rows}"
    return f"{key}: {flow(value, key)}{line_end}"


def flow(value: Value, key: str = "") -> str:
    """A value on one line, readable in any place of a YAML document."""
    if isinstance(value, str):
        return _scalar(value, key)
    if isinstance(value, Mapping):
        pairs = (f"{_scalar(name, '')}: {flow(item, name if name in PLACES else '')}" for name, item in value.items())
        return "{" + ", ".join(pairs) + "}"
    return "[" + ", ".join(flow(item) for item in value) + "]"


def _is_list(value: Value) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _scalar(text: str, key: str) -> str:
    text = storable(text)
    if _MOMENT.fullmatch(text) and key == "at":
        return text
    plain = _PLAIN_PROSE if key in TEXTS else _PLAIN
    if plain.fullmatch(text) and not text.endswith(" ") and not _TYPED.fullmatch(text) and key not in PLACES:
        return text
    if reference.unprintable().search(text):
        return reference.quoted(text)
    return "'" + text.replace("'", "''") + "'"
