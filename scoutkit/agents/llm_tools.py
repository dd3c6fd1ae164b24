"""Tools that let a model behind `llm` read one repository: for `llm --functions`, which runs this file by itself.

Every name here that can be called and has no underscore is a tool. It is confined to the folder that the variable
SCOUTKIT_WORKTREE names: what leads out of it, by `..` or by a link, is refused. Needs the standard library alone. Each
call writes a line on stdout, which is how scoutkit sees what was looked at, and one with its answer to the file that
SCOUTKIT_ANSWERS names, from which a report can be asked for once a limit has stopped the model.
"""

import fnmatch as _fnmatch
import json as _json
import os as _os
import re as _re
import signal as _signal
import stat as _stat
import sys as _sys
import time as _time
from collections.abc import Callable as _Callable
from collections.abc import Iterator as _Iterator
from contextlib import contextmanager as _contextmanager
from pathlib import Path as _Path

_MARK = "\x1e"  # begins a line that says which tool was called: no text has it
_LINES, _LINE, _BYTES = 400, 500, 2_000_000  # shown at once, characters of one, of a file that is read
_HITS, _FILES, _SECONDS, _LONG = 200, 1000, 10.0, 20_000

_DEFINES = {
    ".md .markdown .rst": r"#{1,6} ",
    ".py .pyi": r"\s*(?:async\s+def|def|class)\s",
    ".rb": r"\s*(?:def|class|module)\s",
    ".go": r"(?:func|type|var|const)\s",
    ".rs": r"\s*(?:pub(?:\([^)]*\))?\s+)?(?:async\s+|unsafe\s+|const\s+)*(?:fn|struct|enum|trait|impl|mod|type)\b",
    ".js .jsx .ts .tsx .mjs .cjs .vue": (
        r"\s*(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?"
        r"(?:function|class|interface|type|enum|namespace)\b|\s*(?:export\s+)?(?:const|let|var)\s+\w+\s*=\s*(?:async\s*)?(?:\(|function)"
        r"|\s+(?:async\s+|static\s+|get\s+|set\s+)*(?!if|for|while|switch|catch|return)\w+\s*\([^)]*\)\s*\{"
    ),
    ".php": r"\s*(?:(?:abstract|final|public|protected|private|static)\s+)*(?:function|class|interface|trait|enum)\s",
    ".sh .bash .zsh": r"\s*(?:function\s+)?[\w-]+\s*\(\)",
}
_ELSE = (
    r"\s*(?:(?:public|private|protected|internal|static|final|abstract|export|async|inline|virtual|sealed|override)\s+)*"
    r"(?:class|interface|struct|enum|union|record|object|trait|protocol|namespace|module|package|fun|func|function|def)\s"
    r"|[A-Za-z_][\w:<>,*&\s]*\b[\w:~]+\s*\([^;]*\)\s*(?:const\s*)?\{?\s*$"
)


def read_file(path: str, start: int = 1, end: int = 0) -> str:
    """Lines of a file with their numbers, at most 400 at a time: from `start` to `end`, or on from `start`."""
    return _told("read_file", path, lambda: _read(path, start, end))


def grep(pattern: str, path: str = ".", files: str = "*") -> str:
    """Lines that match a regular expression, as `path:line: text`. Looks in a folder or a file; `files` is a glob."""
    return _told("grep", pattern, lambda: _grep(pattern, path, files))


def list_files(path: str = ".", files: str = "*") -> str:
    """Files below a folder, with their paths as the other tools take them; `files` is a glob for names or paths."""
    return _told("list_files", path, lambda: _list(path, files))


def outline(path: str) -> str:
    """The lines of a file that define something (functions, classes, headings), with their numbers."""
    return _told("outline", path, lambda: _outline(path))


class _No(Exception):
    """Why a call gives nothing, for the model."""


def _told(tool: str, about: object, work: _Callable[[], str]) -> str:
    try:
        answer, good = work(), True
    except _No as error:
        answer, good = f"Error: {error}", False
    except (OSError, ValueError, TypeError, RecursionError, _re.error) as error:
        answer, good = f"Error: {getattr(error, 'strerror', '') or error}", False
    said = _json.dumps({"tool": tool, "about": str(about)[:200], "ok": good})
    _sys.stdout.write(f"\n{_MARK}{said}\n")
    _sys.stdout.flush()
    _keep(f"{tool} {about}", answer)
    return answer


def _keep(call: str, answer: str) -> None:
    if file := _os.environ.get("SCOUTKIT_ANSWERS"):
        try:
            with _Path(file).open("a", encoding="utf-8", errors="replace") as out:
                out.write(_json.dumps({"call": call[:_LINE], "answer": answer}) + "\n")
        except (OSError, ValueError):
            pass  # the answer counts more than its copy


def _root() -> _Path:
    root = _os.environ.get("SCOUTKIT_WORKTREE", "")
    if not root:
        raise _No("there is no repository here")
    return _Path(_os.path.realpath(root))


def _inside(path: str) -> _Path:
    """The real path, in the repository. Refused where it is not."""
    root = _root()
    real = _Path(_os.path.realpath(root / path))
    if not real.is_relative_to(root):
        raise _No(f"{path} is outside of the repository")
    if ".git" in real.relative_to(root).parts[:1]:
        raise _No(f"{path} is not part of the code")
    if not real.exists():
        raise _No(f"there is no {path}; list_files tells what there is")
    return real


def _name(real: _Path) -> str:
    return real.relative_to(_root()).as_posix()


def _text(real: _Path) -> tuple[list[str], bool]:
    """The lines of a file, and whether it has more than is read. Refused for one that is no text or no file."""
    if real.is_dir():
        raise _No(f"{_name(real)} is a folder: use list_files")
    # a link or a pipe that takes the place of the file meanwhile is not followed, nor waited for
    handle = _os.open(real, _os.O_RDONLY | getattr(_os, "O_NONBLOCK", 0) | getattr(_os, "O_NOFOLLOW", 0))
    with _os.fdopen(handle, "rb") as file:
        status = _os.fstat(handle)
        if not _stat.S_ISREG(status.st_mode):
            raise _No(f"{_name(real)} is no file")
        data = file.read(_BYTES + 1)
    if b"\0" in data[:8192]:
        raise _No(f"{_name(real)} is binary, {status.st_size} bytes")
    return data[:_BYTES].decode("utf-8", "replace").split("\n"), len(data) > _BYTES


def _short(line: str) -> str:
    return line if len(line) <= _LINE else f"{line[:_LINE]}…"


def _read(path: str, start: int, end: int) -> str:
    lines, more = _text(_inside(path))
    if lines and not lines[-1]:
        lines.pop()  # what comes after the last newline is no line
    start, end = max(1, int(start)), int(end)
    last = min(len(lines), start + _LINES - 1, end if end >= start else len(lines))
    if start > len(lines):
        return f"{path} has {len(lines)} lines"
    shown = [f"{number:>5}  {_short(lines[number - 1].rstrip())}" for number in range(start, last + 1)]
    if last < len(lines) or more:
        shown.append(f"(lines {start} to {last} of {len(lines)}{', and more that is not read' if more else ''})")
    return "\n".join(shown)


def _walk(real: _Path) -> _Iterator[_Path]:
    """Files below a folder, or the one that is named; no link is followed. In order."""
    if not real.is_dir():
        yield real
        return
    for folder, folders, names in _os.walk(real):
        here = _Path(folder)
        folders[:] = sorted(one for one in folders if one != ".git" and not (here / one).is_symlink())
        yield from (here / one for one in sorted(names) if one != ".git" and not (here / one).is_symlink())


def _wanted(file: _Path, glob: str) -> bool:
    return glob in ("", "*") or any(_fnmatch.fnmatch(one, glob) for one in (file.name, _name(file)))


def _grep(pattern: str, path: str, files: str) -> str:
    real, found = _inside(path), list[str]()
    with _alarm() as bounded:
        wanted = _re.compile(pattern if bounded else _re.escape(pattern))
        until = _time.monotonic() + _SECONDS
        try:
            for file in _walk(real):
                if _time.monotonic() > until:
                    raise TimeoutError
                if _wanted(file, files):
                    found += _matches(wanted, file)
                if len(found) > _HITS:
                    return "\n".join([*found[:_HITS], f"(only the first {_HITS}: look for less, or in one folder)"])
        except TimeoutError:
            return "\n".join([*found, f"(stopped after {_SECONDS:g} seconds: look for less, or in one folder)"])
    return "\n".join(found) or "nothing matches"


def _matches(wanted: _re.Pattern[str], file: _Path) -> list[str]:
    try:
        lines, _ = _text(file)
    except (_No, PermissionError, FileNotFoundError):
        return []
    name = _name(file)
    return [
        f"{name}:{number}: {_short(line.strip())}"
        for number, line in enumerate(lines, 1)
        if wanted.search(line[:_LONG])
    ]


def _list(path: str, files: str) -> str:
    found = list[str]()
    for file in _walk(_inside(path)):
        if _wanted(file, files):
            found.append(_name(file))
        if len(found) > _FILES:
            return "\n".join([*found[:_FILES], f"(only the first {_FILES}: name a folder below)"])
    return "\n".join(found) or "no files"


def _outline(path: str) -> str:
    real = _inside(path)
    lines, _ = _text(real)
    suffix = real.suffix.lower()
    defines = next((one for suffixes, one in _DEFINES.items() if suffix and suffix in suffixes.split()), _ELSE)
    found, cut = list[str](), ""
    with _alarm():
        try:
            for number, line in enumerate(lines, 1):
                if _re.match(defines, line[:_LINE]):
                    found.append(f"{number:>5}  {_short(line.rstrip())}")
        except TimeoutError:
            cut = "(and more)"
    if len(found) > _LINES:
        cut = f"(only the first {_LINES})"
    return "\n".join([*found[:_LINES], *([cut] if cut else [])]) or f"nothing is defined in {path}"


@_contextmanager
def _alarm() -> _Iterator[bool]:
    """Ends what takes too long with TimeoutError, a regular expression too. False where that cannot be."""

    def ring(*_: object) -> None:
        raise TimeoutError

    try:
        before = _signal.signal(_signal.SIGALRM, ring)
    except (ValueError, AttributeError):  # not the main thread, or no such signal here
        yield False
        return
    _signal.setitimer(_signal.ITIMER_REAL, _SECONDS)
    try:
        yield True
    finally:
        _signal.setitimer(_signal.ITIMER_REAL, 0)
        _signal.signal(_signal.SIGALRM, before)
