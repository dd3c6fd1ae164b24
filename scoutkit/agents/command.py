"""Any command line as an agent, run by `sh -c` in the worktree: the user's own program, a script, a pipeline.

The prompt comes on stdin, or where the command says `{prompt}` (the text) or `{prompt_file}` (a file that holds it).
The report is stdout, or the file that `report` names, or what the command writes to `{report_file}`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from scoutkit import config, process
from scoutkit.agents.verdict import judge, last_line, readable
from scoutkit.errors import UsageError
from scoutkit.model.agents import Availability, Event, EventKind, Invocation
from scoutkit.model.missions import Kind, Mission, Outcome

KEYS = ("command", "report", "env", "kinds")
SHELL = "/bin/sh"
LONGEST_ARGUMENT = 100_000  # bytes: Linux takes 131,072 in one argument, and the program may add to it
_POSITION = {"prompt": "1", "prompt_file": "2", "report_file": "3"}
_PLACEHOLDER = re.compile(rf"(?<!\$)\{{({'|'.join(_POSITION)})\}}")  # `${prompt}` is a variable of the command's own
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=\S*$")
_NOT_RUN = {126: "a program in it cannot be run", 127: "a program in it was not found"}


@dataclass(frozen=True, slots=True)
class Command:
    """A command line, where its report is, which variables of the user's environment it needs."""

    command: str
    name: str = "command"
    report: str = ""
    env: tuple[str, ...] = ()
    kinds: frozenset[Kind] = frozenset(Kind)
    needs_checkout: bool = True

    def availability(self) -> Availability:
        """Whether the shell knows the command's first word. A word that needs more than a look is taken as there."""
        word = first_word(self.command)
        if not re.fullmatch(r"[\w.+/-]+", word) or ("/" in word and not word.startswith("/")):
            return Availability(ok=True)  # shell syntax, or a path that will be taken from the worktree
        found = process.run([SHELL, "-c", 'command -v -- "$1"', SHELL, word], timeout=10)
        if found.code == 0:
            return Availability(ok=True, path=found.text.strip() if found.out.startswith(b"/") else "")
        return Availability(ok=False, hint=f"`{word}` is not on PATH: install it, or write its full path")

    def invocation(self, mission: Mission, prompt: str, worktree: Path, scratch: Path) -> Invocation:  # noqa: ARG002
        """Placeholders become the shell's own arguments, so no shell ever reads the prompt as code."""
        used = {match[1] for match in _PLACEHOLDER.finditer(self.command)}
        if "prompt" in used and len(os.fsencode(prompt)) > LONGEST_ARGUMENT:
            raise UsageError(
                f"the prompt has {len(os.fsencode(prompt)):,} bytes, too many for {{prompt}} in: {self.command}",
                "use {prompt_file} there, or let the command read the prompt from stdin",
            )
        asks = bool(used & {"prompt", "prompt_file"})
        if "prompt_file" in used:
            (scratch / "prompt.md").write_text(prompt, "utf-8", "surrogateescape", newline="")
        report = str(scratch / "report.md") if "report_file" in used else self.report
        arguments = (
            prompt.replace("\0", "") if "prompt" in used else "",
            str(scratch / "prompt.md"),
            str(scratch / "report.md"),
        )
        return Invocation(
            argv=(SHELL, "-c", in_shell(self.command), SHELL, *(arguments if used else ())),
            reader=CommandReader(self, bool(report)),
            stdin="" if asks else prompt,
            env={name: os.environ[name] for name in self.env if name in os.environ},
            report_file=report,
        )


class CommandReader:
    """Takes stdout as the report as it comes, or as narration where the report goes to a file."""

    def __init__(self, agent: Command, to_file: bool) -> None:
        self._agent = agent
        self._to_file = to_file
        self._lines: list[str] = []

    def feed(self, line: str) -> Iterable[Event]:
        """Each line is an event: of the report, or of what the command does now."""
        text = readable(line)
        self._lines.append(text)
        return (Event(EventKind.STATUS if self._to_file else EventKind.TEXT, text),)

    def finish(self, exit_code: int | None, stderr_tail: str, report_file: str | None) -> Outcome:
        """Done on exit status 0 and a report that is not blank. Where the file is missing, stdout is kept instead."""
        said = "\n".join(self._lines)
        written = (report_file or "") if self._to_file else said
        error, hint = self._trouble(exit_code, stderr_tail)
        outcome = judge(written, exit_code, stderr_tail, error=error, hint=hint)
        return outcome if outcome.report else replace(outcome, report=judge(said, exit_code, "").report)

    def _trouble(self, exit_code: int | None, stderr_tail: str) -> tuple[str, str]:
        """What went wrong and the way out, where the exit status or the environment tells."""
        command = self._agent.command
        if meaning := _NOT_RUN.get(exit_code or 0):
            return last_line(stderr_tail) or f"{meaning}: {command}", f"{meaning}; look at the command: {command}"
        if missing := [name for name in self._agent.env if name not in os.environ]:
            return "", f"its `env` asks for {', '.join(missing)}, which your environment does not have"
        return "", ""


def from_settings(name: str, table: object) -> Command:
    """A command agent from the user's `[agents.NAME]`. UsageError naming file and key."""
    if not re.fullmatch(r"[A-Za-z0-9][\w.-]*", name):
        raise UsageError(f"{setting(name)}: no name for an agent", "use letters, digits, dots, dashes and underscores")
    if not isinstance(table, Mapping):
        raise UsageError(f"{setting(name)} must be a table, not {table!r}", f'write [agents.{name}] command = "…"')
    for key in table:
        if key not in KEYS:
            raise UsageError(f"{setting(name, key)}: unknown key", meant(key, KEYS))
    kinds = _texts(name, table, "kinds") if "kinds" in table else tuple(Kind)
    for kind in kinds:
        if kind not in tuple(Kind):
            raise UsageError(f"{setting(name, 'kinds')}: no kind of mission: {kind}", meant(kind, tuple(Kind)))
    command = _text(name, table, "command")
    if not command.strip():
        raise UsageError(f"{setting(name, 'command')} is missing", f'write command = "…" under [agents.{name}]')
    report = _text(name, table, "report")
    if os.path.isabs(report) or ".." in Path(report).parts:  # noqa: PTH117 - "" is no path here
        hint = "name a file in the worktree, or let the command write to {report_file}"
        raise UsageError(f"{setting(name, 'report')} leads out of the worktree: {report}", hint)
    return Command(
        command,
        name=name,
        report=report,
        env=_texts(name, table, "env"),
        kinds=frozenset(map(Kind, kinds)),
    )


def first_word(command: str) -> str:
    """The program a simple command starts, past variable assignments: `A=1 claude -p` → claude."""
    return next((word for word in command.split() if not _ASSIGNMENT.match(word)), "")


def in_shell(command: str) -> str:
    """The command with each placeholder as a reference to a shell argument, quoted as the place needs it."""
    return "".join(_rewritten(command))


def _rewritten(command: str) -> Iterator[str]:
    """Walks the command as a shell does, so that a placeholder inside quotes keeps them balanced."""
    quote, at = "", 0
    while at < len(command):
        sign = command[at]
        if match := _PLACEHOLDER.match(command, at):
            reference = f"${{{_POSITION[match[1]]}}}"
            yield {"": f'"{reference}"', '"': reference, "'": f"'\"{reference}\"'"}[quote]
            at = match.end()
            continue
        if sign == "\\" and quote != "'":
            yield command[at : at + 2]
            at += 2
            continue
        if sign in "\"'" and quote in ("", sign):
            quote = "" if quote else sign
        yield sign
        at += 1


def meant(given: str, known: Sequence[str]) -> str:
    """A hint for a name that is none: the nearest one, and all there are."""
    import difflib

    close = difflib.get_close_matches(given, known, n=1)
    meant = f"did you mean {close[0]}? " if close else ""
    return f"{meant}known: {', '.join(known)}"


def setting(name: str, key: str = "") -> str:
    """A setting of a command agent, as an error names it."""
    return f"{config.user_config() / 'config.toml'}: agents.{name}{f'.{key}' if key else ''}"


def _text(name: str, table: Mapping[str, Any], key: str) -> str:
    value = table.get(key, "")
    if not isinstance(value, str):
        raise UsageError(f"{setting(name, key)} must be text, not {value!r}", f'write {key} = "…"')
    return value


def _texts(name: str, table: Mapping[str, Any], key: str) -> tuple[str, ...]:
    value = table.get(key, [])
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise UsageError(f"{setting(name, key)} must be a list of texts, not {value!r}", f'write {key} = ["…"]')
    return tuple(value)
