"""Front matter that is not a note's own: what another tool wrote on top of a Markdown file, kept as it stands."""

from __future__ import annotations

import json
import re
from typing import Any

from scoutkit.errors import Refused
from scoutkit.model import reference
from scoutkit.notefile.frontmatter import KEYS, LIMIT, SCOUTED, FrontMatter, examine, scalar
from scoutkit.notefile.reading import parse

IMPORTED = "imported"
"""The key under which a note says where its text is from, and what that said of itself."""


_TOML = re.compile(r"(\ufeff?)\+\+\+[ \t]*\r?\n(.*?)^\+\+\+[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)


def from_toml(text: str) -> tuple[str, str]:
    """A text whose front matter is TOML, between lines `+++`, with the same in YAML on as many lines; and why it stays
    as it is where that cannot be done. Any other text as it is. Keys are in lower case: to Hugo case makes none."""
    import tomllib

    found = _TOML.match(text)
    if found is None:
        return text, ""
    if len(found[2]) > LIMIT:
        return text, f"longer than {LIMIT:,} characters"
    try:
        given = tomllib.loads(found[2].replace("\r\n", "\n"))
    except (ValueError, RecursionError) as error:
        return text, str(error) or "nested too deeply"
    block = "".join(f"{_key(key)}: {_yaml(value)}\n" for key, value in given.items())
    more = "\n" * (found[2].count("\n") - len(given))  # a key of TOML takes a line or more
    done = f"{found[1]}---\n{block}{more}---\n{text[found.end() :]}"
    return (done, "") if examine(done, "").present else (text, "its keys cannot be those of a note")


def _key(key: str) -> str:
    return key.lower() if re.fullmatch(r"[\w.-]+", key) else reference.quoted(key)


def _yaml(value: Any) -> str:
    """A value of TOML on one line: JSON, which YAML takes; moments as they are written."""
    if isinstance(value, str):
        return reference.quoted(value)
    if isinstance(value, bool | int | float | list | dict):
        written = json.dumps(value, ensure_ascii=False, default=str)
        return reference.unprintable().sub(lambda sign: f"\\u{ord(sign[0]):04x}", written)
    return str(value)


def said(text: str) -> dict[str, str]:
    """The keys of a text's front matter that a note has too and that hold plain text: `status: accepted`."""
    import yaml

    front = examine(text, "")
    if not front.present:
        return {}
    return {
        key: scalar(key, node, front.text)[0].strip()
        for key, (_, node) in front.fields.items()
        if key in KEYS and key not in SCOUTED and isinstance(node, yaml.ScalarNode)
    }


def lines(text: str) -> str:
    """The lines of a text's front matter whose keys a note does not have, with the comments among them; without what
    an earlier import said."""
    front = examine(text, "")
    if not front.present or not front.fields:
        return ""
    starts = [(name.start_mark.index, key) for key, (name, _) in front.fields.items()]
    starts.sort()
    if any(at and front.text[at - 1] != "\n" for at, _ in starts):  # `{a: 1, b: 2}`: not one key a line
        return ""
    ends = [at for at, _ in starts[1:]] + [len(front.text)]
    given = parse(text.encode("utf-8", "surrogateescape"), "").note
    own = {*KEYS, IMPORTED} - {key for key in SCOUTED if not getattr(given, key)}
    kept = [front.text[at:end].rstrip() for (at, key), end in zip(starts, ends, strict=True) if key not in own]
    return "".join(f"{block}\n" for block in kept).replace("\r\n", "\n")


def body_line(text: str) -> int:
    """The line of a text, from 1, that what follows its front matter begins on, blank lines left out."""
    front: FrontMatter = examine(text, "")
    begin = 0 if front.problem else front.body
    blank = len(text[begin:]) - len(text[begin:].lstrip())
    return 1 + text.count("\n", 0, begin + blank)


def added(raw: bytes, more: str) -> bytes:
    """A note file with lines added to its front matter. Refused where the note would not read back the same."""
    text = raw.decode()
    front = examine(text, "")
    after = f"{text[: front.end]}{more}{text[front.end :]}".encode()
    again = parse(after, "")
    if not front.present or again.problems or again.note != parse(raw, "").note:
        raise Refused("front matter that cannot be kept beside a note's own", "add its keys by hand")
    return after
