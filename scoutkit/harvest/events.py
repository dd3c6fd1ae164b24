"""What an agent did, from its events: commands with how they ended, and edits. Knows the tools of every agent.

Durations are from the times at which the events came. A result belongs to the call whose `id` it names, else to the
oldest call that waits for one.
"""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from scoutkit.harvest.shell import families
from scoutkit.harvest.telling import telling
from scoutkit.model.evidence import Ran

MOST = 2_000  # commands, and edits, that are kept
LONGEST = 1_000  # characters of a command
WORDS = 5_000  # lines that the agent said, the last ones
COMMANDS = frozenset({"Bash", "command_execution", "run_shell_command", "bash", "run", "shell"})
EDITS = frozenset(
    {"Edit", "Write", "MultiEdit", "NotebookEdit", "file_change", "write_file", "replace", "edit", "create", "write"}
)
_PATHS = ("path", "file_path", "notebook_path")
_EXIT = re.compile(r"\bexit(?:ed with(?: exit)?|ed with code)?(?: code| status)?:? (-?\d{1,3})\b", re.IGNORECASE)
_SILENT = frozenset({"run_shell_command"})  # tools whose success is that a command was run, however it ended
_BROKE = re.compile(
    r"^(?:\w+: \*\*\*|npm ERR!|npm error|fatal:|error(?:\[\w+\])?:|E  +\w|FAILED\b|Traceback \()|command not found$|"
    r"^=+ .*\b[1-9]\d* failed",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Edit:
    """A file that a tool wrote to. `old` and `new` where the tool was given both; `said`: what the agent said last
    before it."""

    path: str
    order: int
    old: str | None = None
    new: str | None = None
    said: str = ""


@dataclass(slots=True)
class Did:
    """All of it, in order. `words`: what the agent said, line by line."""

    ran: list[Ran] = field(default_factory=list)
    orders: list[int] = field(default_factory=list)  # of `ran`, on the same count as that of `edits`
    edits: list[Edit] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    cut: bool = False  # there was more


@dataclass(slots=True)
class _Call:
    id: str
    at: float | None
    tool: str
    given: Mapping[str, Any]
    order: int
    said: str


def read(records: Path, *, roots: Sequence[str]) -> Did:
    """From a run's `events.jsonl`. `roots`: where its worktree stood. A file that is not there tells nothing."""
    did, waiting, said, last = Did(), list[_Call](), "", None
    for order, (at, kind, text, data) in enumerate(records_of(records / "events.jsonl")):
        last = at or last
        if kind in ("text", "report"):
            lines = [line.strip() for line in text.splitlines() if line.strip()]
            did.words.extend(lines)
            if len(did.words) > 2 * WORDS:
                del did.words[:-WORDS]
            said = lines[-1] if lines and kind == "text" else said
        elif kind == "tool_call":
            given = data.get("input")
            given = given if isinstance(given, Mapping) else data
            waiting.append(_Call(str(data.get("id") or ""), at, str(data.get("tool") or ""), given, order, said))
            said = ""
        elif kind == "tool_result" and (found := _belongs(waiting, str(data.get("id") or ""))):
            waiting.remove(found)
            _ended(did, found, at, text, data, roots)
    for call in waiting:
        if call.tool in COMMANDS and _command(call.given):
            lasted = None if call.at is None or last is None else max(0.0, last - call.at)
            _add(did, call, Ran(_command(call.given), None, lasted, (), None, "was running when the agent ended"))
        elif call.tool in EDITS:
            did.edits += _edits(call, roots)
    del did.words[:-WORDS]
    together = sorted(zip(did.orders, did.ran, strict=True), key=lambda one: one[0])
    did.orders, did.ran = [order for order, _ in together], [ran for _, ran in together]
    did.edits.sort(key=lambda one: one.order)
    return did


def records_of(path: Path) -> Iterator[tuple[float | None, str, str, Mapping[str, Any]]]:
    """Each event of a run as (time, kind, text, data); what is no event is skipped."""
    try:
        with path.open("rb") as file:
            for line in file:
                try:
                    record = json.loads(line)
                    kind, text, data = record["kind"], record.get("text", ""), record.get("data", {})
                    at = datetime.fromisoformat(str(record.get("at"))).timestamp() if record.get("at") else None
                except (ValueError, KeyError, AttributeError, TypeError, RecursionError, OverflowError):
                    continue  # half a line, from a power cut
                if isinstance(kind, str) and isinstance(text, str) and isinstance(data, dict):
                    yield at, kind, text, data
    except OSError:
        return


def _belongs(waiting: Sequence[_Call], wanted: str) -> _Call | None:
    named = next((call for call in waiting if wanted and call.id == wanted), None)
    return named or next((call for call in waiting if not wanted or not call.id), None)


def _ended(did: Did, call: _Call, at: float | None, text: str, data: Mapping[str, Any], roots: Sequence[str]) -> None:
    ok = data["ok"] if isinstance(data.get("ok"), bool) else None
    if call.tool in EDITS:
        if ok is not False:
            did.edits = (did.edits + _edits(call, roots))[:MOST]
        return
    command = _command(call.given)
    if call.tool not in COMMANDS or not command:
        return
    status = data.get("exit")
    status = status if isinstance(status, int) and not isinstance(status, bool) else None
    found = None
    if status is None:
        found = _EXIT.search(text[:200]) or _EXIT.search(text[-200:])
        status = int(found[1]) if found else 0 if ok else None
    if status == 0 and not found and call.tool in _SILENT:  # it only says that it was run
        ok = False if _BROKE.search(text) else None
        status = None
    well = status == 0 if status is not None else ok
    lasted = None if at is None or call.at is None else round(max(0.0, at - call.at), 3)
    _add(did, call, Ran(command, status, lasted, () if well is not False else telling(text), well))


def _add(did: Did, call: _Call, ran: Ran) -> None:
    if len(did.ran) >= MOST:
        did.cut = True
        return
    did.ran.append(replace(ran, tries=bool(families(ran.command, ok=True))))
    did.orders.append(call.order)


def _command(given: Mapping[str, Any]) -> str:
    line = given.get("command")
    line = shlex.join(map(str, line)) if isinstance(line, list) else str(line or "")
    return unwrapped(line)[:LONGEST]


def unwrapped(line: str) -> str:
    """Without the shell around it: `/bin/bash -lc 'cat -n a.py'` is `cat -n a.py`."""
    if re.match(r"(?:/\S*/)?(?:ba|z|da)?sh\s+-\w*c\s", line):
        try:
            words = shlex.split(line)
        except ValueError:
            return line.strip()
        return words[2].strip() if len(words) == 3 else line.strip()
    return line.strip()


def _edits(call: _Call, roots: Sequence[str]) -> list[Edit]:
    given = call.given
    changes = given.get("changes")
    if isinstance(changes, list):
        paths = [str(one.get("path") or "") for one in changes if isinstance(one, Mapping)]
    else:
        paths = [str(given[name]) for name in _PATHS if given.get(name)][:1]
    old, new = given.get("old_string", given.get("old_str")), given.get("new_string", given.get("new_str"))
    return [
        Edit(
            relative(path, roots),
            call.order,
            old if isinstance(old, str) else None,
            new if isinstance(new, str) else None,
            call.said,
        )
        for path in paths
        if path
    ]


def relative(path: str, roots: Sequence[str]) -> str:
    """A path as the repository knows it; one that leads elsewhere stays as it is."""
    for root in roots:
        if root and path.startswith(f"{root}/"):
            path = path[len(root) + 1 :]
    return path if path.startswith("/") else os.path.normpath(path)
