"""What a run's records say, while it goes on or once it is over: events, the report, what was heard. Only reads."""

from __future__ import annotations

import contextlib
import json
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

from scoutkit.dispatch.records import Redact, printable
from scoutkit.model.agents import Event, EventKind
from scoutkit.model.missions import Outcome, Result, Run, Usage

LARGEST_REPORT = 16_000_000  # bytes of a report file that are read


@dataclass(frozen=True, slots=True)
class Heard:
    """What a run's records say the agent said."""

    report: str = ""
    usage: Usage = Usage()  # noqa: RUF009 - frozen
    model: str = ""
    version: str = ""
    unanswered: str = ""


def heard(folder: Path) -> Heard:
    """From the events: the last REPORT, else all TEXT; usage, model and version as last said."""
    found, texts, report = Heard(), list[str](), ""
    for event in events(folder):
        match event.kind:
            case EventKind.TEXT:
                texts.append(event.text)
            case EventKind.REPORT:
                report, unanswered = event.text, event.data.get("unanswered")
                found = replace(found, unanswered=unanswered if isinstance(unanswered, str) else "")
        if event.usage:
            said = {name: value for name, value in asdict(event.usage).items() if value is not None}
            found = replace(found, usage=replace(found.usage, **said))
        if event.kind not in {EventKind.TOOL_CALL, EventKind.TOOL_RESULT, EventKind.OTHER}:
            model, version = event.data.get("model"), event.data.get("version")
            found = replace(
                found,
                model=model if isinstance(model, str) and model else found.model,
                version=version if isinstance(version, str) and version else found.version,
            )
    return replace(found, report=report if report.strip() else "\n".join(texts))


def events(folder: Path) -> Iterator[Event]:
    """What the agent did, in order. A line that a power cut left half written is skipped."""
    return (event for _, event in timeline(folder))


def timeline(folder: Path) -> Iterator[tuple[str, Event]]:
    """The same, each with the time at which it was heard of (UTC, ISO 8601)."""
    try:
        with (folder / "events.jsonl").open("rb") as file:
            yield from ((_time_of(line), event) for line in file if (event := _event(line)))
    except (FileNotFoundError, NotADirectoryError):
        return


def _time_of(line: bytes) -> str:
    at = json.loads(line).get("at")
    return at if isinstance(at, str) else ""


def _event(line: bytes) -> Event | None:
    names = {field.name for field in fields(Usage)}
    try:
        record = json.loads(line)
        usage = record.get("usage")
        known = Usage(**{name: usage[name] for name in names & usage.keys()}) if usage else None
        return Event(EventKind(record["kind"]), record.get("text", ""), known, record.get("data", {}))
    except (ValueError, KeyError, AttributeError, TypeError, RecursionError):
        return None


def follow(folder: Path, going_on: Callable[[], bool]) -> Iterator[Event | None]:
    """What the agent does, as it does it; None when there is nothing new, which is for the caller to wait. Ends once
    the run no longer goes on and all of it was told."""
    at = 0
    while True:
        last = not going_on()
        try:
            with (folder / "events.jsonl").open("rb") as file:
                file.seek(at)
                for line in file:
                    if not line.endswith(b"\n"):
                        break  # still being written
                    at += len(line)
                    if event := _event(line):
                        yield event
        except (FileNotFoundError, NotADirectoryError):
            pass  # its agent has not begun
        if last:
            return
        yield None


def latest(folder: Path) -> Event | None:
    """The last thing an agent did or said that has a text, as far as the end of its events tells."""
    try:
        with (folder / "events.jsonl").open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - 16_384))
            lines = file.read().splitlines()
    except (FileNotFoundError, NotADirectoryError):
        return None
    for line in reversed(lines):
        with contextlib.suppress(ValueError, KeyError, AttributeError, TypeError, RecursionError):
            record = json.loads(line)
            if record.get("text", "").strip() and record["kind"] != EventKind.OTHER:
                return Event(EventKind(record["kind"]), record["text"])
    return None


def report_file(path: str, within: Sequence[Path]) -> str | None:
    """The text an agent left in a file of its own; None when there is no such plain file inside one of `within`.

    The agent chose what is there: a symlink out of its folders, a pipe or a device is not followed.
    """
    real = Path(os.path.realpath(path))
    if not path or not any(real.is_relative_to(os.path.realpath(folder)) for folder in within):
        return None
    try:
        with os.fdopen(os.open(real, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return None
            return file.read(LARGEST_REPORT).decode("utf-8", "replace")
    except (OSError, ValueError):
        return None


def salvage(folder: Path, run: Run, redactor: Callable[[], Redact]) -> Outcome:
    """What a run found, rebuilt from its records by another command than the one that ran it.

    A run whose agent was done already comes back as it ended; one that was cut short is `killed`, with what was said
    until then and what its report file holds.
    """
    said = heard(folder)
    final = report_file(str(folder / "report.md"), [folder])
    if run.result and final is not None:
        usage = run.usage if run.usage != Usage() else said.usage
        model, version = run.model or said.model, run.version or said.version
        unanswered = said.unanswered if run.result is Result.DONE else ""
        return Outcome(run.result, final, run.reason, "", usage, model, version, unanswered)
    try:
        name = json.loads((folder / "invocation.json").read_bytes())["report_file"]
    except (OSError, ValueError, KeyError, TypeError):
        name = ""
    left = printable(redactor()((report_file(str(name), [Path(run.folder)]) if run.folder else None) or ""))
    parts = [left, said.report if said.report.strip() not in left else ""]
    report = "\n\n".join(part.strip("\n") for part in parts if part.strip())
    reason = run.reason or "scoutkit was killed while the agent worked"
    return Outcome(
        run.result or Result.KILLED, f"{report}\n" if report else "", reason, "", said.usage, said.model, said.version
    )
