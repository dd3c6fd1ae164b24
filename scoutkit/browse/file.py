"""A file's page, or a folder's: all that is known about it, and its text as it is now with marks in the margin."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from scoutkit import git
from scoutkit.browse.find import quoted, shown
from scoutkit.browse.markdown import coloured_lines, visible
from scoutkit.browse.pages import Asked, Made
from scoutkit.desk import Desk
from scoutkit.errors import ScoutError
from scoutkit.model.notes import Citation
from scoutkit.stories import knowing
from scoutkit.stories.knowing import Known

NOTES = 50
_ROUND = 12  # lines around cited ones that are shown of a long file
_LONG = 2_000  # lines; a longer file is shown where it is cited
_MOST = 3_000  # lines that are shown at all
_WIDEST = 500  # characters of a line


_NAMED = 3  # notes that are named where their lines begin


@dataclass(frozen=True, slots=True)
class Row:
    """A line. `verdict`: the worst of what is cited there, if anything is; `begins`: numbers and verdicts of the notes
    whose lines begin here, and `more` of them that are not named; `gap`: lines are left out before it."""

    number: int
    code: str
    verdict: str
    begins: tuple[tuple[int, str], ...]
    more: int
    gap: bool


def page(desk: Desk, asked: Asked) -> Made:
    """What is known about a path, best first. An unknown path is a page that says so."""
    path = asked.parts["path"].strip("/")
    if _is_folder(desk, path):
        return _folder(desk, path)
    answer = knowing.about(desk, path, limit=NOTES, most=NOTES)
    lines = _lines(desk, path) if in_git(desk, path) else None
    told = {
        "path": visible(path),
        "there": lines is not None,
        "notes": [_note(number, one) for number, one in enumerate(answer.known, 1)],
        "more": answer.more + answer.unfollowed,
        "rows": _rows(path, lines, answer.known) if lines else [],
        "length": len(lines or ()),
    }
    return Made("scoutkit_file.html", told, 200 if told["there"] or answer.known else 404)


def _folder(desk: Desk, path: str) -> Made:
    """What is in a folder, and the newest notes that cite anything in it, as the last check saw them."""
    hits = desk.catalogue.list(paths=[path] if path else [], limit=NOTES)
    told = {
        "path": visible(path),
        "parts": [(visible(name), f"{path}/{name}".strip("/"), count) for name, count in desk.ledger.within(path)],
        **shown(desk, hits),
        "all": f"/find?{urlencode({'q': f'path:{quoted(path)}'})}",
        "full": len(hits) == NOTES,
    }
    return Made("scoutkit_folder.html", told)


def in_git(desk: Desk, path: str) -> bool:
    """Is it a file that git has, or that would go into the next commit with `git add`? Nothing else is shown: not what
    is ignored, as `.env` often is, not git's own files, and nothing outside."""
    if desk.repository.toplevel is None:
        return True  # pages are made from a commit
    listed = git.git(
        desk.repository.toplevel,
        *("--literal-pathspecs", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", path or "."),
    )
    return listed.code == 0 and path in listed.text.split("\0")


def _is_folder(desk: Desk, path: str) -> bool:
    top = desk.repository.toplevel
    return top is not None and ".." not in path.split("/") and (top / path).is_dir()


def _lines(desk: Desk, path: str) -> Sequence[str] | None:
    """The text of the working tree, or of HEAD in a bare repository; None where there is no such text."""
    from scoutkit.anchors.region import Regions

    to = "" if desk.repository.toplevel else git.resolve(desk.repository, "HEAD")
    try:
        with Regions(desk.repository, to, notes=desk.settings.notes) as regions:
            return regions.lines(path) if regions.there(path) else None
    except ScoutError:
        return None


def _note(number: int, one: Known) -> dict[str, Any]:
    return {
        "number": number,
        "id": one.note.id,
        "title": visible(one.note.title),
        "status": one.note.status,
        "says": visible(one.says),
        "places": [
            {
                "at": visible(Citation(place.at.path, place.at.start, place.at.end).at),
                "line": place.at.start,
                "verdict": place.followed.verdict.value,
            }
            for place in one.places
        ],
        "changed": [[visible(line) for line in place.changed] for place in one.places if place.changed],
    }


def _rows(path: str, lines: Sequence[str], known: Sequence[Known]) -> list[Row]:
    cited: dict[int, dict[int, str]] = defaultdict(dict)
    begins: dict[int, dict[int, str]] = defaultdict(dict)
    for number, one in enumerate(known, 1):
        for place in one.places:
            if place.at.path == path and place.followed.now:
                begins[place.at.start][number] = place.followed.verdict.value
                for line in range(place.at.start, min(place.at.end, len(lines)) + 1):
                    cited[line][number] = place.followed.verdict.value
    wanted = range(1, len(lines) + 1) if len(lines) <= _LONG else _around(cited, len(lines))
    shown = list(wanted)[:_MOST]
    code = coloured_lines("\n".join(visible(lines[number - 1][:_WIDEST].rstrip("\r\n")) for number in shown), path=path)
    rows = []
    for index, (number, text) in enumerate(zip(shown, code, strict=True)):
        notes = cited.get(number, {})
        worst = "edited" if "edited" in notes.values() else next(iter(notes.values()), "")
        gap = number != (shown[index - 1] + 1 if index else 1)
        here = tuple(begins[number].items()) if number in begins else ()
        rows.append(Row(number, text, worst, here[:_NAMED], len(here[_NAMED:]), gap))
    return rows


def _around(cited: dict[int, dict[int, str]], last: int) -> list[int]:
    return sorted({line for one in cited for line in range(max(1, one - _ROUND), min(last, one + _ROUND) + 1)})
