"""`path:start-end` as text, and back: the same in front matter and in the closing comment."""

from __future__ import annotations

import functools
import re

_LINES = re.compile(r"(.*):([0-9]{1,9})(?:-([0-9]{1,9}))?", re.DOTALL)
_UNPRINTABLE = "\0-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff"


@functools.cache
def unprintable() -> re.Pattern[str]:
    """Characters that YAML does not take as they are, or that an editor or a renderer treats as a line's end."""
    return re.compile(f"[{_UNPRINTABLE}]")


@functools.cache
def _in_comment() -> re.Pattern[str]:
    return re.compile(f"[{_UNPRINTABLE}]|--|>")


def _escape(found: re.Match[str]) -> str:
    return "".join(f"\\u{ord(char):04x}" for char in found[0])


def quoted(text: str, *, comment: bool = False) -> str:
    """A JSON string on one printable line; for an HTML comment also without `--` and `>`."""
    import json

    plain = json.dumps(text, ensure_ascii=False)
    return (_in_comment() if comment else unprintable()).sub(_escape, plain)


def unquoted(text: str) -> str | None:
    """What a JSON string stands for; None when it is none."""
    import json

    try:
        value = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, str) else None


def write(path: str, start: int, end: int) -> str:
    """`src/app.py:41-63`. The path is a JSON string where it could not be read back otherwise."""
    odd = not path.isprintable() and unprintable().search(path)
    if odd or path.startswith('"') or (not start and _LINES.fullmatch(path)):
        path = quoted(path)
    return f"{path}{lines(start, end)}"


def lines(start: int, end: int) -> str:
    """`:41-63`, `:41` for one line, nothing for a whole file."""
    if not start:
        return ""
    return f":{start}" if start == end else f":{start}-{end}"


def read(text: str) -> tuple[str, int, int] | None:
    """Path, start and end; both 0 where there are no lines. Read from the right: a path may hold colons and spaces."""
    found = _LINES.fullmatch(text)
    path, start, end = (found[1], int(found[2]), int(found[3] or found[2])) if found else (text, 0, 0)
    if path.startswith('"'):
        path = unquoted(path) or path
    return (path, start, end) if path else None
