"""Edits of a note's front matter that touch nothing else: unknown keys, comments, order, quotes, line ends, body."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from scoutkit.errors import Refused
from scoutkit.notefile.edits import ROW_KEYS, Editor, end_of, plain
from scoutkit.notefile.frontmatter import FrontMatter, examine, scalar
from scoutkit.notefile.text import storable
from scoutkit.notefile.writing import Value, entry


def amend(raw: bytes, changes: Mapping[str, object], path: str = "") -> bytes:
    """The file with keys of its front matter set, added, or removed (None).

    Values are text, lists and mappings of them, as `front_matter` gives them. A list is changed item by item and a
    mapping key by key, so that comments and unknown keys inside stay. A file without front matter gets one on top.
    Raises Refused, naming file and line, where the front matter is broken or the change cannot be made safely.
    """
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise Refused(
            f"{path or 'the note'}:1: UTF-16, nothing was changed", "save the file as UTF-8, with your editor or iconv"
        )
    text = raw.decode("utf-8", "surrogateescape")
    front = _usable(examine(text, path), path)
    wanted = {key: None if value is None else _value(value) for key, value in changes.items()}
    line_end = "\r\n" if text[: text.find("\n") + 1].endswith("\r\n") else "\n"
    if not front.present:
        block = "".join(entry(key, value, line_end) for key, value in wanted.items() if value is not None)
        head = f"---{line_end}{block}---{line_end}" if block else ""
        return f"{text[: front.body]}{head}{text[front.body :]}".encode("utf-8", "surrogateescape")
    closed = [key for key in wanted if key in front.fields and _said(front, key) is None]
    if closed:
        raise _refusal(front, path, closed)
    block = Editor(front, line_end).edited(wanted)
    changed = text[: front.start] + block + text[front.end :]
    if not _as_wanted(front, examine(changed, path), wanted):
        raise _refusal(front, path, wanted)
    return changed.encode("utf-8", "surrogateescape")


def _value(value: object) -> Value:
    if isinstance(value, Mapping):
        return {str(key): _value(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_value(item) for item in value]
    return storable(str(value))


def _usable(front: FrontMatter, path: str) -> FrontMatter:
    problem = front.problem or next(iter(front.repeated), None)
    if problem:
        raise Refused(f"{path or 'the note'}:{problem.line}: {problem.problem}, nothing was changed", problem.hint)
    if front.doubtful:
        raise Refused(
            f"{path or 'the note'}:1: begins with a rule, but not with front matter, nothing was changed",
            "write `key: value` lines between two rules on top by hand",
        )
    try:
        front.text.encode()
    except UnicodeEncodeError as error:
        line = 2 + front.text.count("\n", 0, error.start)
        raise Refused(
            f"{path or 'the note'}:{line}: front matter is not UTF-8, nothing was changed",
            "save the file as UTF-8, with your editor or iconv",
        ) from error
    return front


def _refusal(front: FrontMatter, path: str, keys: Collection[str]) -> Refused:
    line = min((front.line(key) for key in keys if key in front.fields), default=1)
    names = ", ".join(f"`{key}`" for key in keys)
    return Refused(
        f"{path or 'the note'}:{line}: {names} cannot be changed without touching more, nothing was changed",
        "edit the file by hand",
    )


def _as_wanted(before: FrontMatter, after: FrontMatter, wanted: Mapping[str, Value | None]) -> bool:
    """Read back what is about to be saved: changed keys say what was wanted, the others stand as they stood."""
    if not after.present or after.repeated:
        return False
    kept = [key for key in before.fields if wanted.get(key, "") is not None]
    if [key for key in after.fields if key in before.fields] != kept:
        return False
    if any(_slice(before, key) != _slice(after, key) for key in kept if key not in wanted):
        return False
    return all(
        key not in after.fields if value is None else key in after.fields and _agrees(_said(after, key), value)
        for key, value in wanted.items()
    )


def _agrees(said: Value | None, wanted: Value) -> bool:
    """Is it what was wanted? Unknown keys of a mapping may stay."""
    if isinstance(said, Mapping) and isinstance(wanted, Mapping):
        known = all(key in wanted or key not in ROW_KEYS for key in said)
        return known and all(_agrees(said.get(key), value) for key, value in wanted.items())
    if isinstance(said, list) and isinstance(wanted, list):
        return len(said) == len(wanted) and all(map(_agrees, said, wanted))
    return said == wanted


def _slice(front: FrontMatter, key: str) -> str:
    name, node = front.fields[key]
    return front.text[name.start_mark.index : end_of(front.text, node, name)]


def _said(front: FrontMatter, key: str) -> Value | None:
    """A key's value as plain data; None where it holds an alias, or is nested beyond what a note needs."""
    import yaml

    name, node = front.fields[key]
    if isinstance(node, yaml.ScalarNode) and node.start_mark.index >= name.start_mark.index:
        return scalar(key, node, front.text)[0]
    return plain(node, name.start_mark.index)
