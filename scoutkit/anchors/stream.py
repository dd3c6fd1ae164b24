"""Questions and answers as JSON lines: where are these lines now? Any number of targets, one git process for objects.

What is wrong with a question is its answer (`{"verdict": "error", "message": …}`), never an exception.
"""

from __future__ import annotations

import os
import posixpath
import re
from typing import Any, Self

from scoutkit.anchors.region import Regions
from scoutkit.anchors.targets import CommitFiles
from scoutkit.errors import NotFound, RepositoryError, ScoutError, UsageError
from scoutkit.model import reference
from scoutkit.model.places import Repository
from scoutkit.model.regions import Located, Region
from scoutkit.objects import Objects

LONGEST = 1_000_000  # bytes of a question
ERROR = "error"
_TARGETS = 8  # kept open, each with the files it has read
_CONTROL = re.compile(r"[\0-\x1f\x7f]")


class Stream:
    """Follows lines from any commit to any target. A context manager. `notes` is as for `Regions`."""

    def __init__(self, repository: Repository, *, notes: str = "") -> None:
        self._repository, self._notes = repository, notes
        self.objects = Objects(repository.toplevel or repository.git_dir)
        self._targets: dict[str, Regions] = {}  # the one asked for last is last
        self._asked = CommitFiles(self.objects, "")  # whose columns were asked for last

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.objects.__exit__()

    def again(self) -> None:
        """Look anew at what may have changed meanwhile: the working tree, and what names of commits mean."""
        self._targets.pop("", None)
        self.objects.forget()

    def commit(self, revision: str) -> str:
        """A revision's full id. RepositoryError where there is none."""
        odd = _CONTROL.search(revision) or not _encodable(revision)
        found = None if odd else self.objects.commit(revision)
        if found is None:
            raise RepositoryError(f"no such revision: {revision}", "name a commit that exists")
        return found[0]

    def locate(self, region: Region, old: str, new: str = "") -> Located:
        """Where lines of the commit `old` are in the commit `new`, or in the working tree. Full ids.

        NotFound for columns that the lines do not have; one past a line's last is its end, as editors have it.
        """
        regions = self._targets.pop(new, None) or Regions(
            self._repository, new, notes=self._notes, objects=self.objects
        )
        self._targets[new] = regions
        if len(self._targets) > _TARGETS:
            del self._targets[next(iter(self._targets))]
        found = regions.locate(region, old)
        if region.start_col:
            self._check_columns(region, old)
        return found

    def _check_columns(self, region: Region, commit: str) -> None:
        tree = self.objects.commit(commit)
        assert tree
        files = self._asked = self._asked if self._asked.tree == tree[1] else CommitFiles(self.objects, tree[1])
        document = files.document(files.path(region.path))
        assert document
        for line, column in ((region.start, region.start_col), (region.end, region.end_col)):
            width = len(document.lines[line - 1]) if len(document) else 0
            if column > width + 1:
                raise NotFound(
                    f"no such columns: {shown(region)}",
                    f"line {line} has {width} character{'s' * (width != 1)}, counted from 1",
                )

    def answer(self, line: bytes) -> dict[str, Any]:
        """The answer to one line of input."""
        try:
            region, old, new = question(line)
            return answer_json(self.locate(region, self.commit(old), self.commit(new) if new else ""))
        except ScoutError as error:
            return {"verdict": ERROR, "message": f"{error.message} ({error.hint})" if error.hint else error.message}
        except OSError as error:  # a file that went away while it was read
            return {"verdict": ERROR, "message": f"{error.strerror or error}: {error.filename or 'git'}"}


def question(line: bytes) -> tuple[Region, str, str]:
    """A line of input as a region, `from` and `to` ("" for the working tree). UsageError for one that is none."""
    asked = _read(line)
    path, old, new = (_text(asked, name) for name in ("path", "from", "to"))
    start, end, first, last = (_number(asked, name) for name in ("start", "end", "start_col", "end_col"))
    if path is None or old is None or start is None or end is None:
        needed = (("path", path), ("start", start), ("end", end), ("from", old))
        raise UsageError(f"missing: {', '.join(name for name, value in needed if value is None)}")
    if (first is None) != (last is None):
        raise UsageError("start_col and end_col go together")
    region = Region(plain(path), start, end, first or 0, last or 0)
    if (start, first or 0) > (end, last or 0):
        raise UsageError(f"the end is before the start: {shown(region)}")
    return region, old, new or ""


def plain(path: str) -> str:
    """A path from the repository's root without `.` and doubled slashes. UsageError for one that is none."""
    if not path or "\0" in path or not _encodable(path):
        raise UsageError(f"not a path: {path!r}", "give one from the repository's root")
    if path.startswith("/") or ".." in path.split("/"):
        raise UsageError(f"leads out of the repository: {path}", "give a path from its root")
    return posixpath.normpath(path)


def answer_json(located: Located) -> dict[str, Any]:
    """An answer as scripts see it: where there is no place, path, lines and columns are null."""
    return {
        **_place_json(located.region),
        "verdict": located.verdict.value,
        "score": located.score,
        "candidates": [
            {"path": one.region.path, "start": one.region.start, "end": one.region.end, "score": one.score}
            for one in located.candidates
        ],
    }


def shown(region: Region) -> str:
    """`path:12`, `path:12-40`, `path:12:5-14:20`. A path that is not printable on one line is a JSON string."""
    if region.start_col:
        path = reference.write(region.path, 0, 0)
        return f"{path}:{region.start}:{region.start_col}-{region.end}:{region.end_col}"
    return reference.write(region.path, region.start, region.end)


def _place_json(region: Region | None) -> dict[str, Any]:
    if region is None:
        return dict.fromkeys(("path", "start", "end", "start_col", "end_col"))
    return {
        "path": region.path,
        "start": region.start,
        "end": region.end,
        "start_col": region.start_col or None,
        "end_col": region.end_col or None,
    }


def _read(line: bytes) -> dict[str, Any]:
    if len(line) > LONGEST:
        raise UsageError(f"longer than {LONGEST:,} bytes")
    import json

    try:
        found = json.loads(line.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise UsageError(f"not UTF-8: byte {error.start + 1}") from error
    except (ValueError, RecursionError) as error:  # the first also for an integer of more digits than Python reads
        raise UsageError("not JSON" if line.strip() else "an empty line") from error
    if not isinstance(found, dict):
        raise UsageError("not a JSON object")
    return found


def _text(asked: dict[str, Any], name: str) -> str | None:
    value = asked.get(name)
    if value is None:
        return None
    if not isinstance(value, str):
        raise UsageError(f"{name} is not text: {_shortly(value)}")
    if not value:
        raise UsageError(f"{name} is empty")
    return value


def _number(asked: dict[str, Any], name: str) -> int | None:
    """A line or a column, counted from 1."""
    value = asked.get(name)
    if value is None:
        return None
    if type(value) is not int or value < 1:
        raise UsageError(f"{name} is not a number from 1 on: {_shortly(value)}")
    return value


def _shortly(value: Any) -> str:
    """What was given instead."""
    import json

    return json.dumps(value)[:80]


def _encodable(text: str) -> bool:
    """Could it be the name of a file? Half of a surrogate pair is none, but for what stands for a byte."""
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        return False
    return True
