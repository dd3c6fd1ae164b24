"""The few lines of a command's output that tell why it failed, whatever program wrote it.

Lines in a form that a tool keeps for failures come first; where there is none, lines with a word of failure in them.
What `make` says last of a recipe is told after the error above it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_OUTPUT = 200_000  # characters that are looked at
_WIDEST, _LONGEST = 2_000, 300  # of a line: that are looked at, that are told
_TELLS = 3  # lines that tell why
_ESCAPE = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b[@-_]|[\x00-\x08\x0b-\x1f\x7f]")
_STATUS_LINE = re.compile(r"^<?(?:exit(?:ed)?\b.*\d|command exited.*)>?$", re.IGNORECASE)

_FORMS = re.compile(
    r"^(?:"
    r"\S.*?:\d+(?::\d+)?:? (?:- )?(?:fatal )?error\b"  # gcc, clang, javac, tsc --pretty
    r"|\S+\(\d+(?:,\d+)?\): error\b"  # tsc, csc, MSVC
    r"|\s+\d+:\d+\s+error\s"  # eslint
    r"|\S.*: undefined reference to |(?:collect2|ld|clang)(?:\.\w+)?: (?:error: )?\S"
    r"|(?:fatal )?error(?:\[\w+\])?: \S|fatal: \S|CONFLICT \("  # rustc, git, many others
    r"|thread '.*' .*panicked at |panic: |assertion .* failed\b|test \S+ \.\.\. FAILED$"
    r"|\s*--- FAIL: |\s*\S+\.go:\d+:(?:\d+:)? \S|# \S+ \[build failed\]"
    r"|E   +\S|(?:FAILED|ERROR) [\w./-]+(?:::\S.*| - .*)|\S+\.py:\d+: \w+(?:Error|Exception|Failure)$"  # pytest
    r"|(?:Uncaught )?(?:[A-Za-z_]\w*(?:\.|::))*(?:[A-Za-z_]\w*)?(?:Error|Exception)(?: \[\w+\])?(?::|$)"  # Python, Node
    r"|\s+(?:[A-Za-z_]\w*\.)*\w*(?:Error|Exception) \[\w+\]: "  # mocha
    r"|Exception in thread |Caused by: "
    r"|\s*not ok \d+|\s+location: '|\s+error: (?!\|)\S"  # TAP
    r"|\s+● |FAIL +\S+\.\w+"  # jest
    r"|npm (?:ERR!|error) (?!A complete log|To see a list|errno|path|command|  npm |\d+$)\S.*|\s?ERR_PNPM_\S+ "
    r"|\[ERROR\] +(?!To see the full|Re-run Maven|For more information|\[Help|COMPILATION ERROR|-> \[Help)\S"
    r"|e: |Execution failed for task |\s*> Task \S+ FAILED"  # Gradle
    r"|\S*\.rb:\d+:in .*\([A-Z][\w:]*\)$|\s*Failure/Error: |rspec \S+:\d+ #"  # Ruby
    r"|ERROR: \S|\S+: line \d+: .*|(?:/\S*/)?(?:ba|z|da)?sh: .*(?:not found|denied|No such)"
    r")"
)
"""How tools write that something is wrong, at the beginning of a line: an echo of the command has a sign there."""
_WORDS = re.compile(
    r"\b\w*(?:error|exception|panic)\b|\berr!|\bfail(?:ed|ure|ures|ing)?\b|\bfatal\b|\bcannot\b|can't|could not|"
    r"\bunable to\b|\bnot found\b|no such|\bundefined\b|\bunknown\b|\bmissing\b|\bconflict|\bdenied\b|\brefused\b|"
    r"\bunresolved\b|\bincompatible\b|\bnot supported\b|\bunsupported\b|\bmismatch\b|\bexpected\b|\binvalid\b",
    re.IGNORECASE,
)
_RULER = re.compile(
    r"^(?:[=_!-]{3,}.*|Traceback\b.*|\d+ (?:error|problem|failure)s?\b.*|Found \d+ errors?\b.*|failures:|errors:"
    r"|(?:npm (?:ERR!|error)|\[ERROR\])(?: *$| (?:A complete log|To see|errno|path|command|  npm|\[Help).*)"
    r"|\[ERROR\] (?:To see|Re-run|For more|COMPILATION ERROR).*|collected \d+ items.*|(?:\[INFO\] )?BUILD FAIL.*"
    r"|FAILURE: Build failed.*|FAIL\s*|> \S.*|For more information about this error.*|Some errors have .*)$"
)
"""Headings, counts and advice: they tell that something failed, and not what."""
_WARNS = re.compile(r"\bwarn(?:ing)?s?\b|\bdeprecat|^npm notice", re.IGNORECASE)
_NOTHING_WRONG = re.compile(r"\b(?:0|no) (?:errors?|failures?|failed|warnings?)\b", re.IGNORECASE)
_MAKE = re.compile(r"^\w*make(?:\.\w+)?(?:\[\d+\])?: \*\*\* ")
_PLACE = re.compile(r"^ *--> \S+:\d+|^ +at (?:\S.*\()?(?!node:|[^()]*/node_modules/)[^()\s]+:\d+:\d+\)?$")
_FRAME = re.compile(
    r'^ +File "(?!<|[^"]*/(?:lib/python[\d.]+|site-packages)/)[^"]+", line \d+|^(?!/)\S+\.py:\d+: in \S'
)


def telling(output: str) -> tuple[str, ...]:
    """The first lines of some output that tell why it failed; the last ones where none seems to."""
    lines = [_ESCAPE.sub("", line[:_WIDEST]).rstrip() for line in output[-_OUTPUT:].replace("\r", "\n").splitlines()]
    lines = [line for line in lines if line.strip() and not _STATUS_LINE.match(line.strip())]
    made = [number for number, line in enumerate(lines) if _MAKE.match(line)]
    found = _told(lines[: made[0]] if made else lines, _TELLS - bool(made))
    if made:
        above = [line for line in found if not _WARNS.search(line)] or lines[: made[0]][-1:]
        found = [*(above if "Stop." not in lines[made[0]] else []), lines[made[0]]]
    found = found or lines[-2:]
    return tuple(dict.fromkeys(" ".join(line.split())[:_LONGEST] for line in found))[:_TELLS]


def _told(lines: Sequence[str], most: int) -> list[str]:
    """At most so many lines: in the form of an error if there are such, each with its place where that is below it."""
    found: list[str] = []
    seen: set[str] = set()
    for number, line in enumerate(lines):
        if len(found) >= most:
            break
        if _FORMS.match(line) and not (line.startswith("E  ") and number and lines[number - 1].startswith("E  ")):
            said = [line, *_place(lines, number)]
        elif line.endswith((" error: |-", "* What went wrong:")):  # TAP and Gradle say it in the next line
            said = list(lines[number + 1 : number + 2])
        else:
            continue
        found += [one for one in said if one.strip() not in seen]
        seen |= {one.strip() for one in said}
    return found[:most] or list(_weak(lines))[:most]


def _place(lines: Sequence[str], number: int) -> Iterator[str]:
    """Where a line's error is: Rust and Node say it below, Python above it."""
    for line in lines[number + 1 : number + 12]:
        if _PLACE.match(line):
            yield line
            return
        if _FORMS.match(line):
            return
    for line in reversed(lines[max(0, number - 40) : number]):
        if line.startswith("Traceback") or _FORMS.match(line):
            return
        if _FRAME.match(line):
            yield line
            return


def _weak(lines: Sequence[str]) -> Iterator[str]:
    """Lines with a word of failure; those of a warning where there are no others."""
    told = [line for line in lines if _WORDS.search(line) and not _NOTHING_WRONG.search(line)]
    told = [line for line in told if not _RULER.match(line.strip())] or told
    return iter([line for line in told if not _WARNS.search(line)] or told)
