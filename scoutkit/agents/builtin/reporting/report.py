"""The report, from findings: Markdown whose every citation names something that its lines hold, in the order that fits
the kind of question, and no longer than people read."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from scoutkit.agents.builtin.reporting import sections, wording
from scoutkit.agents.builtin.reporting.findings import Findings
from scoutkit.agents.builtin.reporting.kinds import Kind
from scoutkit.agents.builtin.reporting.sections import Room

LONGEST = 6_600  # bytes, where that is enough for the least room
_SIZES = ((14, 8, 10), (10, 6, 9), (8, 5, 8), (6, 4, 8), (5, 3, 7), (4, 2, 6), (3, 2, 5), (2, 1, 4), (1, 1, 3))
_ROOMS = tuple(Room(*size) for size in _SIZES)
_Section = tuple[str, Callable[[Findings, Room], Iterator[str]]]

_START: _Section = ("Start here", sections.start)
_TOGETHER: _Section = ("How it hangs together", sections.together)
_USED: _Section = ("What uses it", sections.used)
_SETTINGS: _Section = ("Settings", sections.settings)
_BESIDE: _Section = ("Tests and docs", sections.beside)
_CHANGES: _Section = ("Changes", sections.changes)
_RECENT: _Section = ("Changes", sections.recent)
_FAILURES: _Section = ("When it goes wrong", sections.failures)
_OPEN: _Section = ("Open questions", sections.left_open)
_ORDER: dict[Kind, tuple[_Section, ...]] = {
    Kind.WHERE: (_START, _TOGETHER, _BESIDE, _SETTINGS, _CHANGES),
    Kind.HOW: (_START, _TOGETHER, _SETTINGS, _BESIDE, _CHANGES),
    Kind.HAPPENS: (("The path", sections.together), _FAILURES, _START, _SETTINGS, _BESIDE, _CHANGES),
    Kind.CALLS: (_USED, _START, _TOGETHER, _CHANGES),
    Kind.BREAKS: (_USED, ("What changes with it", sections.with_it), _START, _TOGETHER, _BESIDE, _RECENT),
    Kind.CONFIG: (_SETTINGS, _START, _TOGETHER, _BESIDE, _CHANGES),
    Kind.WHY: (("Why", sections.why), _START, _TOGETHER, _BESIDE, _CHANGES),
    Kind.NAME: (_START, _USED, _TOGETHER, _SETTINGS, _BESIDE, _CHANGES),
    Kind.TRACE: (("The traceback", sections.traced), _START, _TOGETHER, _BESIDE, _CHANGES),
}


def write(found: Findings) -> str:
    """The report as Markdown: as much as there is room for."""
    text = ""
    for room in _ROOMS:
        parts = [*(_answered(found, room) if found.spots else _unanswered(found))]
        if told := sections.untold(found):
            parts += ["## What this does not tell", "\n".join(f"- {line}" for line in told)]
        text = "\n\n".join(parts) + "\n"
        if len(text.encode()) <= LONGEST:
            break
    return text


def _answered(found: Findings, room: Room) -> Iterator[str]:
    yield f"# {wording.title(found)}"
    yield wording.description(found)
    yield wording.confidence(found)
    for heading, section in (*_order(found), _OPEN):
        if parts := list(section(found, room)):
            yield f"## {heading}"
            yield from parts


def _order(found: Findings) -> tuple[_Section, ...]:
    """As the kind says, unless what would come first is not there: a path, or a setting of the name that was asked."""
    order = _ORDER[found.kind]
    if found.kind is Kind.HAPPENS and not found.graph.chain:
        return (_START, *(one for one in order if one is not _START))
    if found.kind is Kind.NAME and any(one.name in found.question.names for one in found.settings):
        return (_SETTINGS, *(one for one in order if one is not _SETTINGS))
    return order


def _unanswered(found: Findings) -> Iterator[str]:
    words = ", ".join(map(wording.plain, [*(found.ranking.absent or found.question.said)][:6]))
    if not found.files:
        yield "# The commit has no files to look at"
        yield "Nothing can be said about the code: this commit holds no file, or none that was checked out."
        return
    if words:
        yield f"# Nothing in this code matches: {words}"
        none = "The only file does not hold" if found.files == 1 else f"None of the {found.files:,} files holds"
        yield f"{none} these words in a place that could answer the question."
    else:
        yield "# The question says too little to find a place in the code"
        yield f"It has no word that tells one place in {wording.count(found.files, 'file')} from another."
    if found.meant:
        yield (
            "Did you mean "
            + ", ".join(f"“{near}” for “{wording.plain(one)}”" for one, near in found.meant.items())
            + "?"
        )
    if found.instead:
        yield "## Where to begin instead"
        yield "\n".join(f"- {cited.place} `{cited.name}`" for cited in found.instead)
