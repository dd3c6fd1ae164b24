"""The text of a research's note where the agent's report is not all there is to keep: the code it leaves behind and the
commands it ran, when it did not come to its end or shows no code itself."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from scoutkit.knowledge.passages import Document, Form, closing
from scoutkit.model.evidence import Ran
from scoutkit.model.missions import Outcome, Result

CODE, COMMANDS = "Code that it left", "Commands that it ran"
_FILES, _FILE, _ALL = 20, 8_000, 40_000  # files, characters of one, of all
_LOOKED_AT = 2_000  # entries of the scratch folder
_ROWS = 20
_BUILT = frozenset(
    {".git", "node_modules", "__pycache__", "target", "dist", "build", ".venv", "venv", ".tox", "vendor"}
)


def is_whole(outcome: Outcome) -> bool:
    """Is a report that of an agent that was done, with a block of code in it?"""
    blocks = (passage for passage in Document(outcome.report).passages if passage.form is Form.CODE)
    return outcome.result is Result.DONE and any(blocks)


def text(report: str, code: Mapping[str, str], ran: Sequence[Ran]) -> str:
    """The report, then what the run shows by itself. Where the agent said nothing and did nothing: nothing."""
    parts = [report.rstrip() + (f"\n{end}" if (end := closing(report)) else "")] if report.strip() else []
    if code:
        parts.append(f"## {CODE}")
        parts += [f"`{name}`:\n\n{_fenced(content, name)}" for name, content in code.items()]
    if ran:
        rows = [f"$ {' '.join(one.command.split())[:300]}{_ended(one)}" for one in ran[-_ROWS:]]
        more = f"[{len(ran) - _ROWS} earlier ones]\n" if len(ran) > _ROWS else ""
        parts.append(f"## {COMMANDS}\n\n{_fenced(more + chr(10).join(rows), '')}")
    if parts and not report.strip():
        parts.insert(0, "# The agent left code and no report")
    return "\n\n".join(parts) + "\n" * bool(parts)


def _ended(one: Ran) -> str:
    how = (
        "" if one.ok or (one.ok is None and one.exit is None) else f"  # {f'exit {one.exit}' if one.exit else 'failed'}"
    )
    return how + "".join(f"\n  {line}" for line in one.telling if not one.ok)


def code(folder: Path, template: Path | None, redact: Callable[[str], str]) -> dict[str, str]:
    """The text files of a scratch folder that its template does not have so, small ones, by name. Follows no link."""
    found: dict[str, str] = {}
    room = _ALL
    for path in _files(folder):
        name = path.relative_to(folder).as_posix()
        raw = _read(path)
        if raw is None or b"\0" in raw or len(found) >= _FILES or room <= 0:
            continue
        if template and (template / name).is_file() and _read(template / name) == raw:
            continue
        content = redact(raw.decode("utf-8", "replace"))
        most = min(_FILE, room)
        if len(content) > most:
            content = f"{content[:most]}\n[cut here: {len(content) - most:,} more characters]"
        if content.strip():
            found[name] = content
            room -= len(content)
    return found


def _files(folder: Path) -> Iterator[Path]:
    looked = 0
    for where, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in _BUILT)
        for name in sorted(names):
            looked += 1
            if looked > _LOOKED_AT:
                return
            if name != ".git":
                yield Path(where) / name


def _read(path: Path) -> bytes | None:
    """A plain file's first bytes; None for anything else, and for what only looks like one."""
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
            return file.read(4 * _FILE) if stat.S_ISREG(os.fstat(file.fileno()).st_mode) else None
    except OSError:
        return None


def _fenced(content: str, name: str) -> str:
    longest = max((len(run) for run in re.findall(r"`{3,}", content)), default=2)
    ticks = "`" * (longest + 1)
    ending = name.rpartition(".")[2] if "." in name else ""
    language = ending if re.fullmatch(r"[A-Za-z0-9]{1,8}", ending) else ""
    return f"{ticks}{language}\n{content.rstrip()}\n{ticks}"
