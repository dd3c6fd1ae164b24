"""What a commit's history says of some files and lines: recent commits, files that change together, the commits that
made lines what they are. Every call is bounded in commits and in time; what git cannot tell in that is not told.
"""

from __future__ import annotations

import re
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from scoutkit import git
from scoutkit.agents.builtin.indexing.paths import Role, role_of
from scoutkit.agents.builtin.reporting.evidence import Cited, citable

_COMMITS = 1000  # of the whole tree that are looked at
_OF_LINES = 60  # that changed some lines
_PATIENCE = 1.2  # seconds for the history of all lines, or of a file that nobody touched lately
_BULK_FILES = 25  # a commit that touched more says nothing about what belongs together
_TIMES, _SHARE = 3, 0.3  # that files changed together at least
_HERE = {"GIT_NO_LAZY_FETCH": "1"}
_FORMAT = "%x01%H%x00%cI%x00%s%x00"
BULK = re.compile(
    r"^(?:bump|merge|release|prepare|version|format|reformat|\[pre-commit|chore|ci\b|build\(deps|apply|run|v?\d+\.\d)"
    r"|^(?:style|lint|typo|codespell)\b|^move to \S+ (?:dir|folder)"
    r"|\b(?:dependenc|deps\b|go\.mod|ruff|black|prettier|rubocop|gofmt|rustfmt|clippy|lint|typos?|spelling|codespell"
    r"|copyright|licen[cs]e|changelog|pre-commit|whitespace|spotless|pyupgrade|isort|(?:auto|code )format)",
    re.IGNORECASE,
)
_REASON = re.compile(
    r"\b(?:because|since|so that|otherwise|in order to|avoid\w*|prevent\w*|ensur\w*|due to|instead of|rather than"
    r"|workaround|work around|fix(?:es|ed)?|security|CVE-\d+|regression|compatib\w*|leak\w*|race|deadlock|reason"
    r"|to keep|must not|no longer|previously|needed|necessary)\b"
    r"|因为|为了|避免|防止|否则",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Commit:
    """`reason`: what its message says of why, in a sentence; "" where it says nothing."""

    id: str
    when: str
    subject: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Together:
    """Of `of` commits that touched a file, `times` touched `path` too."""

    path: str
    times: int
    of: int


@dataclass(frozen=True, slots=True)
class Past:
    """`commits` of the best file, the newest first; `together`: files that change with it; `cut_off`: older commits are
    not here."""

    commits: tuple[Commit, ...]
    together: tuple[Together, ...]
    cut_off: bool


def look(where: Path, commit: str) -> Callable[[str, Sequence[str]], Past]:
    """Begins to read the history; what is given tells of a file, among the paths that there are now."""
    listing = git.begin(
        where, "log", "--no-merges", f"--max-count={_COMMITS}", "--name-only", "--no-renames", "-z",
        f"--format={_FORMAT}", "--end-of-options", commit, "--", env=_HERE,
    )  # fmt: skip
    shallow = git.git(where, "rev-parse", "--is-shallow-repository").text.strip() == "true"

    def tell(path: str, known: Sequence[str]) -> Past:
        done = listing()
        if done.code:
            return Past((), (), cut_off=True)
        rows = list(_read(done.out.decode("utf-8", "replace")))
        touching = [(one, paths) for one, paths in rows if path in paths]
        commits = [one for one, _ in touching if not BULK.search(one.subject)]
        if len(commits) < 3 and len(rows) >= _COMMITS:
            commits = _of_file(where, commit, path) or commits
        return Past(tuple(commits[:5]), tuple(_together(path, touching, set(known))), shallow)

    return tell


def _read(text: str) -> list[tuple[Commit, frozenset[str]]]:
    found = []
    for row in text.split("\x01")[1:]:
        parts = row.split("\0")
        if len(parts) > 3:
            found.append(
                (
                    Commit(parts[0], parts[1], parts[2]),
                    frozenset(path.lstrip("\n") for path in parts[3:] if path.strip()),
                )
            )
    return found


def _together(path: str, touching: Sequence[tuple[Commit, frozenset[str]]], known: set[str]) -> list[Together]:
    telling = [paths for one, paths in touching if len(paths) <= _BULK_FILES and not BULK.search(one.subject)]
    counts = Counter(other for paths in telling for other in paths if other != path and other in known)
    found = [
        Together(other, times, len(telling))
        for other, times in counts.most_common(20)
        if times >= _TIMES and times >= _SHARE * len(telling) and _counts(other)
    ]
    return found[:5]


def _counts(path: str) -> bool:
    return role_of(path) not in (Role.RECORD, Role.GENERATED) and citable(path)


def _of_file(where: Path, commit: str, path: str) -> list[Commit]:
    text = _log(
        where, "--no-merges", "--max-count=20", "-z", "--name-only", "--no-renames", f"--format={_FORMAT}",
        "--end-of-options", commit, "--", f":(literal){path}",
    )  # fmt: skip
    return [one for one, _ in _read(text) if not BULK.search(one.subject)]


def _log(where: Path, *arguments: str, patience: float = _PATIENCE) -> str:
    """Nothing where it takes too long, or objects are missing."""
    try:
        done = git.git(where, "log", *arguments, env=_HERE, timeout=patience)
    except subprocess.TimeoutExpired:
        return ""
    return done.out.decode("utf-8", "replace") if done.code == 0 else ""


def of_lines(where: Path, commit: str, places: Sequence[Cited]) -> list[Commit]:
    """The commits that made some lines what they are: those that last changed them and the one that brought them, the
    newest first. Bulk commits are left out, except where it is the first."""
    found: dict[str, Commit] = {}
    until = time.monotonic() + _PATIENCE
    for place in places:
        if ":" in place.path or (left := until - time.monotonic()) < 0.1:
            continue
        text = _log(
            where, f"--max-count={_OF_LINES}", "-s", "--format=%x01%H%x00%cI%x00%s%x00%b",
            f"-L{place.start},{place.end}:{place.path}", commit, patience=left,
        )  # fmt: skip
        rows = [row.split("\0") for row in text.split("\x01")[1:]]
        commits = [Commit(row[0], row[1], row[2], reason_in(row[3])) for row in rows if len(row) > 3]
        telling = [one for one in commits if not BULK.search(one.subject) or one.reason]
        first = commits[-1:] if len(commits) < _OF_LINES else []
        chosen = {one.id: one for one in (*telling[:3], *[one for one in telling if one.reason][:3], *first)}
        found |= {one.id: one for one in commits if one.id in chosen}
    return sorted(found.values(), key=lambda one: one.when, reverse=True)


def reason_in(message: str) -> str:
    """The first sentence of a message that says why; "" where none does."""
    lines = [
        line
        for line in message.splitlines()
        if not re.match(r"\s*(?:[A-Z][\w-]+-by:|Co-authored|https?:|#|\* ?$|---)", line)
    ]
    for paragraph in re.split(r"\n\s*\n|\n\s*[-*]\s", "\n".join(lines)):
        for sentence in re.split(r"(?<=[.!?。])\s+", " ".join(paragraph.split())):
            if _REASON.search(sentence) and len(sentence) >= 20 and sentence[:1] not in "*-#|>":
                return sentence if len(sentence) <= 200 else sentence[:200].rsplit(" ", 1)[0] + " …"
    return ""
