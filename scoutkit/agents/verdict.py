"""How an agent's work ended: readable text, the exit status in words, the rule for done. Shared by every reader."""

from __future__ import annotations

import re
import signal

from scoutkit.model.agents import END_OF_REPORT
from scoutkit.model.missions import Outcome, Result, Usage

_ESCAPE = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor movement
    r"|\x1b[\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)"  # OSC and its kin up to their end: titles, links (whose text stays)
    r"|\x1b[ -/]*[0-~]"  # shorter sequences, and openings of longer ones that never end
    r"|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]"  # every other control character but tab and newline
)

_NO_TEXT = re.compile(r"[\x00-\x06\x0e-\x1a\x1c-\x1f\x7f-\x9f\ufffd]")  # terminals are sent BEL, BS and ESC
_LITTLE = 0.1  # of the characters of a text


def readable(text: str) -> str:
    """Text as a person would read it: no escape sequences or control characters, lines ended by newlines alone."""
    return _ESCAPE.sub("", text.removeprefix("\ufeff").replace("\r\n", "\n").removesuffix("\r").replace("\r", "\n"))


def ending(exit_code: int | None) -> str:
    """An exit status in words: `exit status 3`, `signal 9 (killed)`."""
    if exit_code is None:
        return "nobody saw how it ended"
    if exit_code < 0:
        return _signal(-exit_code)
    if 128 < exit_code < 128 + signal.NSIG and (name := _signal(exit_code - 128)):  # as a shell says it
        return f"exit status {exit_code}: {name}"
    return f"exit status {exit_code}"


def _signal(number: int) -> str:
    meaning = signal.strsignal(number) if 0 < number < signal.NSIG else None
    return f"signal {number} ({meaning.lower()})" if meaning else f"signal {number}"


def last_line(text: str, limit: int = 300) -> str:
    """The last line that says something, cut to `limit` characters."""
    lines = [" ".join(line.split()) for line in readable(text).splitlines()]
    said = next((line for line in reversed(lines) if line), "")
    return said if len(said) <= limit else f"{said[: limit - 1]}…"


def is_closed(report: str) -> bool:
    """Does it end in the closing line that prompts ask for? Plain programs need not write one."""
    return report.rstrip().rstrip("`*").endswith(END_OF_REPORT)


def _unclosed(report: str) -> str:
    """Without closing line. By hand: a regular expression for it takes hours over a million blanks."""
    text = report.rstrip().rstrip("`*")
    return text.removesuffix(END_OF_REPORT).rstrip("`*").rstrip() if text.endswith(END_OF_REPORT) else report


def _is_text(report: str) -> bool:
    """Is it text, mostly? Pictures and other encodings come as U+FFFD and control characters."""
    return sum(1 for _ in _NO_TEXT.finditer(report)) <= _LITTLE * len(report)


def judge(
    report: str,
    exit_code: int | None,
    stderr_tail: str,
    *,
    complete: bool = True,
    error: str = "",
    hint: str = "",
    usage: Usage = Usage(),  # noqa: B008 - frozen
    model: str = "",
    version: str = "",
) -> Outcome:
    """Done needs exit status 0 and a report that is text and not blank. What was said is kept either way, without
    closing line.

    `complete` is for streams that say when they end: without that line the rest may be missing. `error` is what the
    agent itself said went wrong; without it stderr's last line stands in for it.
    """
    text = _unclosed(readable(report)).strip("\n")
    if not text.strip():
        text = ""
    is_text = _is_text(report)
    if exit_code == 0 and text and complete and is_text:
        return Outcome(Result.DONE, f"{text}\n", usage=usage, model=model, version=version)
    how = (
        ending(exit_code)
        if exit_code != 0
        else "its report is no text"
        if not is_text
        else "it broke off"
        if text
        else "it left no report"
    )
    said = last_line(error) or last_line(stderr_tail)
    reason = f"{how}: {said}" if said else how
    report = f"{text}\n" if text else ""
    return Outcome(Result.FAILED, report, reason, hint, usage=usage, model=model, version=version)
