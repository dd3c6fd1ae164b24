"""What is below a note's front matter: where its text is, and its closing comment made anew."""

from __future__ import annotations

from collections.abc import Sequence

from scoutkit.errors import Refused
from scoutkit.model.notes import Anchor
from scoutkit.notefile import closing
from scoutkit.notefile.frontmatter import examine


def sections(text: str) -> list[tuple[int, int]]:
    """Where a note's own words are in its file (decoded, offsets): before its closing comment, and behind it."""
    begin, comment = _parts(text)
    return [(begin, comment.start), (comment.end, len(text))] if comment else [(begin, len(text))]


def anchored(raw: bytes, anchors: Sequence[Anchor], path: str = "") -> bytes:
    """The file with these anchors in its closing comment, and every other byte as it was."""
    text = raw.decode("utf-8", "surrogateescape")
    _, comment = _parts(text)
    line_end = "\r\n" if text[: text.find("\n") + 1].endswith("\r\n") else "\n"
    written = closing.write(anchors).replace("\n", line_end)
    if comment is None:
        end = "" if not text or text.endswith("\n") else line_end
        changed = f"{text}{end}{line_end}{written}" if anchors else text
    else:
        behind = text[comment.end :]
        last = text[comment.inner_end : comment.end]
        kept = written if behind or last.endswith("\n") else written.rstrip("\r\n")
        changed = f"{text[: comment.start]}{kept}{behind}"
    _, again = _parts(changed)
    if anchors and (again is None or closing.read(again, changed, path)[0] != list(anchors)):
        raise Refused(f"{path or 'the note'}: its anchors cannot be written, nothing was changed", "edit it by hand")
    return changed.encode("utf-8", "surrogateescape")


def _parts(text: str) -> tuple[int, closing.Comment | None]:
    begin = examine(text, "").body
    return begin, closing.find(text, begin)
