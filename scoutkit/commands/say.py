"""How commands speak: answers to stdout, narration, errors and hints to stderr, JSON as one document."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TextIO

from scoutkit.errors import ScoutError

_ROOM = 24  # characters of a column that is worth having
_INDENT = 6

if TYPE_CHECKING:  # `--help` and completion need no nouns
    from scoutkit.model.found import Hit
    from scoutkit.model.missions import Run
    from scoutkit.model.notes import Citation, Note


def open_streams() -> None:
    """Give a process that was started with stdin, stdout or stderr closed ones that lead nowhere: otherwise the next
    file it opens takes their place."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            null = os.open(os.devnull, os.O_RDWR)
            if null != number:
                os.dup2(null, number)
                os.close(null)
            setattr(sys, name, open(number, "w" if number else "r", encoding="utf-8"))  # noqa: SIM115, PTH123


def escape_unprintable() -> None:
    """Print what the terminal's encoding lacks (a file name that is no text, an emoji) as an escape; never fail."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def tell(line: str) -> None:
    """One line of narration. That nobody can hear it (a terminal that went away, a full disk) stops nothing."""
    try:
        print(line, file=sys.stderr, flush=True)
    except OSError:
        close(sys.stderr)


def complain(error: ScoutError) -> None:
    """An error: what, with the value, then what to do about it."""
    tell(f"{paint('error:', 31, sys.stderr)} {error.message}")
    if error.hint:
        tell(f"hint: {error.hint}")


def answer(text: str) -> None:
    """The answer of a command. A reader that has enough (`head`, a pager) is not an error: the rest goes nowhere."""
    with _sending():
        print(text)


_failed: list[OSError] = []


def flush() -> ScoutError | None:
    """Send off what was answered; what went wrong, if anything did."""
    with _sending():
        sys.stdout.flush()
    if not _failed:
        return None
    return ScoutError(f"cannot write the answer: {_failed[0].strerror}", "make room where stdout leads")


@contextlib.contextmanager
def _sending() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if not isinstance(error, BrokenPipeError):
            _failed.append(error)  # told at the end: what is narrated after the answer is still worth it
        close(sys.stdout)


def close(stream: TextIO) -> None:
    """Point a stream nowhere, also for what Python still has to flush at exit."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, stream.fileno())
    os.close(null)


def as_json(command: str, **fields: Any) -> None:
    """One JSON document with its schema's name."""
    import json

    answer(json.dumps({"schema": f"scoutkit/{command}/1", **fields}, ensure_ascii=False, allow_nan=False, indent=1))


def colourful(stream: Any = None) -> bool:
    """May this stream be coloured? As no-color.org has it: a terminal, `NO_COLOR` unset or empty, `TERM` not dumb."""
    stream = stream or sys.stdout
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def paint(text: str, code: int, stream: Any = None) -> str:
    """Text in an ANSI colour where the stream takes it."""
    return f"\x1b[{code}m{text}\x1b[0m" if colourful(stream) else text


def citation_json(citation: Citation) -> dict[str, Any]:
    """A citation as scripts see it; lines are null where it named none."""
    row: dict[str, Any] = {
        "path": citation.path,
        "start": citation.start or None,
        "end": citation.end or None,
        "verdict": citation.verdict,
        "symbol": citation.symbol or None,
    }
    return {**row, "was": citation.was} if citation.was else row


def note_json(note: Note, *, body: bool = False) -> dict[str, Any]:
    """A note as scripts see it."""
    row: dict[str, Any] = {
        "id": note.id,
        "path": note.path,
        "title": note.title,
        "type": note.type,
        "status": note.status,
        "tags": list(note.tags),
        "commit": note.commit or None,
        "citations": [citation_json(citation) for citation in note.citations],
    }
    if note.supersedes:
        row["supersedes"] = list(note.supersedes)
    if note.superseded_by:
        row["superseded_by"] = note.superseded_by
    return {**row, "body": note.body} if body else row


def hit_json(hit: Hit) -> dict[str, Any]:
    """A search hit as scripts see it."""
    return {
        "id": hit.id,
        "path": hit.path,
        "title": hit.title,
        "type": hit.type,
        "status": hit.status,
        "score": round(hit.score, 4),
        "snippet": hit.snippet,
    }


def run_json(run: Run) -> dict[str, Any]:
    """A run as scripts see it."""
    return {
        "id": run.id,
        "kind": run.kind,
        "agent": run.agent,
        "state": run.state,
        "result": run.result,
        "isolation": run.isolation,
        "bounded": run.bounded or None,
        "text": run.text,
        "started": run.started,
        "seconds": run.seconds,
        "usage": usage_json(run),
        "cost": None if run.usage.cost_usd is None else {"usd": run.usage.cost_usd},
        "note": run.note_id or None,
    }


def usage_json(run: Run) -> Mapping[str, int | None] | None:
    """Tokens used, or null where the agent does not say."""
    usage = run.usage
    if usage.input_tokens is None and usage.output_tokens is None:
        return None
    return {"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens}


def hits(found: Iterable[Hit]) -> None:
    """Hits for a person: a title line, where it is, and the matching text, each no wider than the terminal."""
    import shutil

    room = shutil.get_terminal_size().columns - 10 if sys.stdout.isatty() else 10_000
    for hit in found:
        marks = [hit.status] if hit.status != "stable" else []
        marks += ["no citations"] if hit.citations == 0 else []
        mark = f"  ({', '.join(marks)})" if marks else ""
        answer(f"{paint(hit.id, 33)}  {paint(visible(_cut(hit.title, room - len(mark))), 1)}{mark}")
        answer(f"          {paint(path(hit.path), 2)}")
        if hit.snippet:
            answer(f"          {_marked(hit, room)}")


def visible(text: str) -> str:
    """A text of a note in which what steers a terminal or turns the order of letters around is seen: `⟨U+202E⟩`."""
    if text.isascii() and text.isprintable():
        return text
    import re

    steering = "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]"
    return re.sub(steering, lambda found: f"⟨U+{ord(found[0]):04X}⟩", text.replace("\r\n", "\n"))


def path(text: str) -> str:
    """A file's name on one line, as a JSON string where it has line breaks or what no terminal shows."""
    if text.isprintable():
        return text
    import json

    return json.dumps(text)


def _cut(text: str, room: int) -> str:
    return text if len(text) <= room else f"{text[: room - 1]}…"


def _marked(hit: Hit, room: int) -> str:
    """The snippet, cut so that it shows its first match."""
    first = max(hit.marks[0][1] - room + 10, 0) if hit.marks else 0
    text = hit.snippet[first : first + room]
    if len(hit.snippet) > first + room:
        text = f"{text[:-1]}…"
    if not colourful():
        return visible(text)
    pieces, at = [], 0
    for start, end in ((start - first, end - first) for start, end in hit.marks):
        if start >= at and end <= len(text):
            pieces += [visible(text[at:start]), paint(visible(text[start:end]), 32)]
            at = end
    return "".join([*pieces, visible(text[at:])])


def count(number: int, noun: str) -> str:
    """`1 note`, `2 notes`."""
    return f"{number:,} {noun}{'s' * (number != 1)}"


def table(header: Iterable[str], rows: Iterable[Iterable[str]], *, whole: bool = False) -> None:
    """Columns as wide as their content, the last one cut at the terminal's edge; `whole`: it goes on below."""
    import shutil

    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 10_000
    lines = [tuple(header), *(tuple(row) for row in rows)]
    columns = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    for number, line in enumerate(lines):
        text = "  ".join(cell.ljust(size) for cell, size in zip(line, columns, strict=True)).rstrip()
        if whole and len(text) > width:
            for part in _continued(line, columns, width):
                answer(part)
            continue
        text = text if len(text) <= width else text[: width - 1] + "…"
        answer(paint(text, 2) if number == 0 else text)


def _continued(cells: tuple[str, ...], columns: list[int], width: int) -> Iterator[str]:
    """A row whose last cell goes on below itself; below the row where there is little room beside it."""
    import textwrap

    head = "  ".join(cell.ljust(size) for cell, size in zip(cells[:-1], columns[:-1], strict=True))
    beside = width - len(head) - 2 >= _ROOM
    indent = " " * (len(head) + 2 if beside else min(_INDENT, width // 2))
    lines = textwrap.wrap(cells[-1], max(width - len(indent), 1), break_on_hyphens=False) or [""]
    yield f"{head}  {lines.pop(0)}".rstrip() if beside else head.rstrip()
    yield from (f"{indent}{one}" for one in lines)
