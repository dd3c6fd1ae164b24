"""What answers say of notes, hits and citations: as data and as lines of text. Any bytes in, well-formed text out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from scoutkit.model import pinned
from scoutkit.model.found import Hit
from scoutkit.model.notes import Citation, Note

if TYPE_CHECKING:
    from scoutkit.anchors.check import Followed
    from scoutkit.stories.knowing import Known

WIDTHS = (300, 100, 16)  # characters of a line of an answer: a title may be as long as its writer liked
_LINE = WIDTHS[0]
_PLACES = 5  # cited places of one note that are named
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\x80-\x9f]")


def clean(text: str) -> str:
    """Text that any client can take: no lone surrogates (a path may hold any bytes), no control characters."""
    return _CONTROL.sub("�", text.replace("\r\n", "\n")).encode("utf-8", "backslashreplace").decode()


def line(text: str, most: int = _LINE) -> str:
    """Text on one line, and not a long one."""
    flat = clean(" ".join(text[: most * 4].split()))
    return flat if len(flat) <= most else f"{flat[: most - 1]}…"


def capital(text: str) -> str:
    """A sentence as one begins, whatever it quotes."""
    return text[:1].upper() + text[1:]


def within(text: str, most: int) -> str:
    """Text on one line, of so many bytes at most."""
    flat = line(text, most).encode()
    return flat.decode() if len(flat) <= most else f"{flat[: most - 3].decode('utf-8', 'ignore')}…"


def fenced(text: str) -> str:
    """Text in a fence that nothing in it can close."""
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    ticks = "`" * (longest + 1)
    body = text.rstrip("\n")
    return f"{ticks}markdown\n{body}\n{ticks}"


def head(note: Note | Hit, width: int = _LINE) -> dict[str, Any]:
    """Which note it is."""
    return {
        "id": line(note.id, width),
        "path": line(note.path, width),
        "title": line(note.title, width),
        "type": note.type,
        "status": note.status,
    }


def provenance(note: Note, width: int = _LINE) -> dict[str, Any]:
    """Where a note comes from."""
    return {
        **head(note, width),
        "question": line(note.question, width),
        "by": line(note.by, width),
        "at": line(note.at, width),
        "commit": line(note.commit, width),
        "confirmed_by": [line(f"{by} {at}", width) for by, at in note.verified[-1:]],
        "superseded_by": line(note.superseded_by, width),
    }


def hit(found: Hit, cited: tuple[int, int] | None, sure: str = "") -> dict[str, Any]:
    """A hit, with how many of its citations were supported at birth, and how sure its text says that it is."""
    row: dict[str, Any] = {**head(found), "snippet": line(found.snippet)}
    row = row if cited is None else {**row, "supported": cited[0], "citations": cited[1]}
    return {**row, "confidence": sure} if sure else row


def hit_text(row: Mapping[str, Any]) -> str:
    """A hit as lines."""
    facts = [row["type"], row["status"]]
    if row.get("citations") == 0:
        facts.append("no citations")
    elif "citations" in row:
        facts.append(f"{row['supported']} of {row['citations']} citations supported when written")
    if "confidence" in row:
        facts.append(f"says of itself: confidence {row['confidence']}")
    lines = [f"{row['id']}  {row['title']}", f"  {row['path']} ({', '.join(facts)})"]
    return "\n".join([*lines, *([f"  {row['snippet']}"] if row["snippet"] else [])])


def known(one: Known) -> dict[str, Any]:
    """A note that is about a place, and the lines of it that it cites there."""
    places = [citation(each.followed) for each in one.places[:_PLACES]]
    return {**head(one.note), "says": line(one.says), "places": places}


def known_text(row: Mapping[str, Any]) -> str:
    """The same as lines."""
    lines = [f"{row['id']}  {row['title']}", f"  {row['path']} ({row['type']}, {row['status']})"]
    lines += [f"  {citation_text(each)}" for each in row["places"]]
    return "\n".join([*lines, *([f"  {row['says']}"] if row["says"] else [])])


def place(path: str, start: int, end: int) -> dict[str, Any]:
    """Lines of a file; null for a whole file."""
    return {"path": line(pinned.shortened(path), 1_000), "start": start or None, "end": end or None}


def citation(one: Followed) -> dict[str, Any]:
    """What became of a citation."""
    now, was = one.now, one.citation
    row: dict[str, Any] = {**place(was.path, was.start, was.end), "verdict": str(one.verdict)}
    row["now"] = place(now.path, now.start, now.end) if now else None
    if one.located and not one.holds and now:
        row["similarity"] = int(100 * one.located.similarity) / 100  # never rounded up to "all the same"
    return {**row, "why": line(one.why)} if one.why else row


def citation_text(row: Mapping[str, Any]) -> str:
    """The same as one line: `edited: src/a.py:10-20 → src/a.py:14-25, 82 % the same`."""
    now = f" → {_at(row['now'])}" if row.get("now") and _at(row["now"]) != _at(row) else ""
    alike = f", {round(row['similarity'] * 100)} % the same" if "similarity" in row else ""
    return f"{row['verdict']}: {_at(row)}{now}{alike}{', ' + row['why'] if 'why' in row else ''}"


def _at(row: Mapping[str, Any]) -> str:
    return Citation(row["path"], row["start"] or 0, row["end"] or 0).at


def counts(followed: Iterable[Followed]) -> dict[str, int]:
    """How many citations became what."""
    return {str(verdict): number for verdict, number in Counter(one.verdict for one in followed).items()}


def counted(verdicts: Mapping[str, int]) -> str:
    """`3 fresh, 1 edited`."""
    return ", ".join(f"{number} {verdict}" for verdict, number in verdicts.items()) or "no citations"
