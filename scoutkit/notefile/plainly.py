"""Notes as scoutkit writes them, read without a YAML parser: ten times faster. Anything else is left to `parse`."""

from __future__ import annotations

import re

from scoutkit.model import reference
from scoutkit.model.notes import Anchor, Citation, Note, Verdict
from scoutkit.model.pinned import NAME, Pinned
from scoutkit.notefile import closing
from scoutkit.notefile.text import cleaned_tags, conflict, one_line, title_of, trimmed

_LIMIT = 524_288  # characters of front matter
_FRONT = re.compile(r"---\n((?:[^\n]*\n)*?)---\n")
_TEXTS = ("id", "type", "title", "description", "question", "status", "commit", "superseded_by")
_LISTS = ("tags", "supersedes", "recalled", "paths", "checks")
_ROWS = ("citations", "repositories")
# A plain scalar that every version of YAML takes as it stands, wherever it is; and one in single quotes.
_PLAIN = r"[A-Za-z0-9](?:[A-Za-z0-9 ./()_+=*;!%$@<>^\\-]|:(?=[A-Za-z0-9/.])|'(?=[a-z]))*(?<! )"
_QUOTED = r"'(?:[^']|'')*'"
_VALUE = rf"(?:{_QUOTED}|{_PLAIN})"
_PROSE = re.compile(rf"{_QUOTED}|[A-Za-z0-9](?:[^:#]|:(?=[\w/.]))*(?<! )")
_LIST = re.compile(rf"\[(?:({_VALUE})(?:, {_VALUE})*)?\]")
_PAIR = re.compile(rf"([a-z_]+): ({_VALUE})")
_MAPPING = re.compile(rf"\{{[a-z_]+: {_VALUE}(?:, [a-z_]+: {_VALUE})*\}}")
_ITEM = re.compile(_VALUE)
_USUAL = re.compile(
    r"\{at: '([^':]+):([0-9]{1,9})(?:-([0-9]{1,9}))?', verdict: ([a-z]+)(?:, symbol: ([A-Za-z][\w.]*))?\}", re.ASCII
)
_KEY = re.compile(r"([a-z_]+):(?: (.*))?")
_NOTHING = ("null", "Null", "NULL", "")
_SOURCE = rf"({NAME})@([0-9a-f]{{40}}|[0-9a-f]{{64}})"
_VERDICTS = {verdict.value: verdict for verdict in Verdict}


def read(raw: bytes, path: str) -> Note | None:
    """The note that `parse` gives where it finds nothing wrong; None where that takes a YAML parser to say."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        return None
    front = _FRONT.match(text, 0, _LIMIT) if "\0" not in text and "\r" not in text else None
    if front is None or conflict(text) or not front[1].replace("\n", "").isprintable():
        return None
    fields = _fields(front[1])
    if fields is None:
        return None
    comment = closing.find(text, front.end())
    anchors, lost = closing.read(comment, text, path) if comment else ([], [])
    parts = [text[front.end() : comment.start], text[comment.end :]] if comment else [text[front.end() :]]
    body = "\n\n".join(part for part in map(trimmed, parts) if part)
    try:
        return None if lost else _note(fields, body, anchors, path)
    except _UnknownError:
        return None


class _UnknownError(Exception):
    """Not written as scoutkit does."""


def _fields(block: str) -> dict[str, str | list[str]] | None:
    """Keys with what stands behind them on the same line, or the rows of a list below them."""
    found: dict[str, str | list[str]] = {}
    rows: list[str] | None = None
    for line in block.split("\n")[:-1]:
        if line.startswith("- ") and rows is not None:
            rows.append(line[2:])
            continue
        key = _KEY.fullmatch(line)
        if not key or key[1] in found:
            return None
        rows = None
        if key[2] is None:
            rows = []
            found[key[1]] = rows
        else:
            found[key[1]] = key[2]
    return found


def _note(fields: dict[str, str | list[str]], body: str, anchors: list[Anchor], path: str) -> Note:
    texts = {key: _text(fields.pop(key), key) for key in _TEXTS if key in fields}
    kind = texts.get("type", "") or "note"
    lists = {key: _list(fields.pop(key)) for key in _LISTS if key in fields}
    if kind != "scout" and ("paths" in lists or "checks" in lists):
        raise _UnknownError
    made = _mapping(fields.pop("generated")) if "generated" in fields else {}
    verified = _verified(fields.pop("verified")) if "verified" in fields else ()
    citations = tuple(_citation(row) for row in _rows(fields.pop("citations", [])))
    sources = tuple(_source(_mapping(row)) for row in _rows(fields.pop("repositories", [])))
    if fields:
        raise _UnknownError
    return Note(
        id=texts.get("id", ""),
        title=one_line(texts.get("title", "")) or title_of(body, path),
        body=body,
        type=kind,
        description=texts.get("description", ""),
        question=texts.get("question", ""),
        paths=tuple(lists.get("paths", ())),
        checks=tuple(lists.get("checks", ())),
        tags=cleaned_tags(lists.get("tags", ())),
        status=texts.get("status", "") or "stable",
        commit=texts.get("commit", ""),
        by=made.get("by", ""),
        at=made.get("at", ""),
        verified=verified,
        supersedes=tuple(lists.get("supersedes", ())),
        superseded_by=texts.get("superseded_by", ""),
        citations=citations,
        anchors=tuple(anchors),
        sources=sources,
        recalled=tuple(lists.get("recalled", ())),
        path=path,
    )


def _text(value: str | list[str], key: str) -> str:
    pattern = _PROSE if key in ("title", "description", "question") else _ITEM
    if isinstance(value, list) or not pattern.fullmatch(value) or value in _NOTHING:
        raise _UnknownError
    return _plain(value).strip()


def _plain(value: str) -> str:
    return value[1:-1].replace("''", "'") if value[0] == "'" else value


def _list(value: str | list[str]) -> list[str]:
    if isinstance(value, list) or not _LIST.fullmatch(value):
        raise _UnknownError
    return [text for item in _ITEM.findall(value[1:-1]) if (text := _plain(item).strip())]


def _rows(value: str | list[str]) -> list[str]:
    if value == "[]":
        return []
    if isinstance(value, str):
        raise _UnknownError
    return value


def _mapping(value: str | list[str]) -> dict[str, str]:
    if isinstance(value, list) or not _MAPPING.fullmatch(value):
        raise _UnknownError
    return {key: _plain(text) for key, text in _PAIR.findall(value)}


def _verified(value: str | list[str]) -> tuple[tuple[str, str], ...]:
    pairs = [_mapping(row) for row in _rows(value)]
    return tuple((pair.get("by", ""), pair.get("at", "")) for pair in pairs)


def _citation(written: str) -> Citation:
    if (usual := _USUAL.fullmatch(written)) and usual[4] in _VERDICTS:
        start = int(usual[2])
        return Citation(usual[1], start, int(usual[3] or start), _VERDICTS[usual[4]], usual[5] or "")
    row = _mapping(written)
    place = reference.read(row.get("at", ""))
    verdict = row.get("verdict", "")
    if place is None or (verdict and verdict not in _VERDICTS):
        raise _UnknownError
    return Citation(*place, _VERDICTS.get(verdict), *(row.get(key, "").strip() for key in ("symbol", "was", "base")))


def _source(row: dict[str, str]) -> Pinned:
    found = re.fullmatch(_SOURCE, row.get("at", ""))
    if not found or not row.get("from"):
        raise _UnknownError
    return Pinned(found[1], row["from"], found[2])
