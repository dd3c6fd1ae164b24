"""Front matter that is not a note's own: what another tool wrote on top of a Markdown file, kept as it stands."""

from __future__ import annotations

from scoutkit.errors import Refused
from scoutkit.notefile.frontmatter import KEYS, FrontMatter, examine, scalar
from scoutkit.notefile.reading import parse

IMPORTED = "imported"
"""The key under which a note says where its text is from, and what that said of itself."""


def said(text: str) -> dict[str, str]:
    """The keys of a text's front matter that a note has too and that hold plain text: `status: accepted`."""
    import yaml

    front = examine(text, "")
    if not front.present:
        return {}
    return {
        key: scalar(key, node, front.text)[0].strip()
        for key, (_, node) in front.fields.items()
        if key in KEYS and isinstance(node, yaml.ScalarNode)
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
    kept = [
        front.text[at:end].rstrip() for (at, key), end in zip(starts, ends, strict=True) if key not in (*KEYS, IMPORTED)
    ]
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
