"""From a report and its checked citations to a note. What the agent wrote stays as it wrote it, but for its citations:
each has its verdict beside it, and a corrected one its new place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from scoutkit.knowledge import headline, marks, unmarked
from scoutkit.knowledge.passages import closing
from scoutkit.knowledge.verify import Checked
from scoutkit.model.missions import Mission, Outcome, Result
from scoutkit.model.notes import NO_REPORT, Anchor, Citation, Note, Verdict
from scoutkit.model.pinned import Pinned, shortened

_ENDED = {
    Result.DONE: "the agent said nothing",
    Result.FAILED: "the agent failed",
    Result.TIMEOUT: "the agent ran out of time",
    Result.BUDGET: "the agent ran out of its budget",
    Result.STOPPED: "the run was stopped",
    Result.INTERRUPTED: "the run was interrupted",
    Result.KILLED: "the run was killed",
}
_RANK = (Verdict.SUPPORTED, Verdict.CORRECTED, Verdict.UNSUPPORTED, Verdict.WRONG, None)
MOST = 1_000  # citations of a report that become a note's: all of them must fit into front matter
LONGEST = 1_000_000  # characters of a report that become a note: nobody reads more, and checking it takes minutes
MEANING = "Supported means that the lines match what is said of them, not that the claim is true."


def note(
    *,
    report: str,
    checked: Sequence[Checked],
    anchors: Sequence[Anchor],
    mission: Mission,
    outcome: Outcome,
    id: str,  # noqa: A002 - the note's own word
    at: str,
    status: str,
    overtaken: str = "",
) -> Note:
    """The note of a run. A run without a report makes one that says what happened. `overtaken`: why the note of a run
    that is done is a draft all the same."""
    if report.strip():
        title, description = headline.read(report, question=mission.text)
        body = with_check(report, checked, unfinished=_unfinished(outcome) or overtaken, sources=mission.sources)
    else:
        title, description, body = _nothing(mission, outcome)
    return Note(
        id=id,
        title=title,
        description=description,
        body=body,
        type=mission.kind.value,
        question=mission.text,
        paths=mission.paths,
        checks=mission.checks,
        status=status,
        commit=mission.base,
        by=author(mission, outcome),
        at=at,
        citations=cited(checked),
        anchors=tuple({(one.path, one.start, one.end): one for one in anchors}.values()),
        sources=mission.sources,
    )


def bounded(report: str, run_id: str, *, longest: int = LONGEST) -> str:
    """A report cut, between lines if it can be, to what a note holds; what is beyond stays in the run's records."""
    if len(report) <= longest:
        return report
    kept = report[:longest]
    kept = kept[: kept.rfind("\n", longest // 2) + 1 or longest]
    rest = f"{len(report) - len(kept):,} more characters: scoutkit run logs {run_id}"
    end = closing(kept)
    return f"{kept.rstrip()}\n{end}\n\nCut here; {rest}\n" if end else f"{kept.rstrip()}\n\nCut here; {rest}\n"


def author(mission: Mission, outcome: Outcome) -> str:
    """`claude/2.1.240 (claude-sonnet-4-5)`, as far as it is known."""
    version = f"/{outcome.version}" if outcome.version else ""
    return f"{mission.agent}{version}" + (f" ({outcome.model})" if outcome.model else "")


def cited(checked: Sequence[Checked]) -> tuple[Citation, ...]:
    """Every place once, in order of appearance. Of one that several sentences speak of, the best verdict counts."""
    places: dict[tuple[str, int, int, str], Citation] = {}
    for one in checked:
        place = one.citation
        key = (place.path, place.start, place.end, "" if place.start else place.symbol)
        known = places.get(key)
        if known is None or _RANK.index(place.verdict) < _RANK.index(known.verdict):
            places[key] = place
    return tuple(places.values())


def with_check(report: str, checked: Sequence[Checked], *, unfinished: str = "", sources: Sequence[Pinned] = ()) -> str:
    """The report with each verdict where its citation stands, then one line that counts all, and the doubtful ones.
    Of citations in other repositories, `sources` says which these are."""
    report = marks.marked(report, checked)
    said = [f"This is a draft: {unfinished}."] if unfinished else []
    counted = Counter(one.verdict for one in cited(checked))
    counts = ", ".join(f"{counted[verdict]} {verdict}" for verdict in _RANK if verdict and counted[verdict])
    said.append(f"Citations: {counts}. {MEANING}" if counts else "Citations: none.")
    why = {one.citation: one.why for one in reversed(checked)}
    doubtful = [one for one in cited(checked) if one.verdict is not Verdict.SUPPORTED]
    said += (
        ["\n".join(f"- {one.verdict}: {_code(_named(one))}, {_why(one, why[one])}" for one in doubtful)]
        if doubtful
        else []
    )
    said += [_sources(sources)] if sources else []
    end = closing(report)
    return "\n\n".join([report.rstrip() + (f"\n{end}" if end else ""), f"## {unmarked.SECTION}", *said]) + "\n"


def _sources(sources: Sequence[Pinned]) -> str:
    rows = [f"- `{one.name}@{one.commit[:12]}` is {_code(one.origin)} at `{one.commit}`" for one in sources]
    which = f" A path without a name is in {sources[0].name}." if len(sources) == 1 else ""
    return f"Checked against these repositories.{which}\n\n" + "\n".join(rows)


def _why(citation: Citation, why: str) -> str:
    return f"was {_code(citation.was)}: {why}" if citation.was else why


def _named(citation: Citation) -> str:
    return citation.at if citation.start or not citation.symbol else f"{citation.path}::{citation.symbol}"


def _code(text: str) -> str:
    text = shortened(text)
    return f"`{text}`" if "`" not in text else text


def _unfinished(outcome: Outcome) -> str:
    if outcome.result is Result.DONE:
        return ""
    return _ENDED[outcome.result] + (f" ({_line(outcome.reason)})" if outcome.reason else "")


def _nothing(mission: Mission, outcome: Outcome) -> tuple[str, str, str]:
    """Title, description and body where there is no report."""
    ended = _ENDED[outcome.result]
    reason = _line(outcome.reason) or "no reason is known"
    hint = f"\n\n{_line(outcome.hint)}" if outcome.hint else ""
    body = f"`{author(mission, outcome)}` was asked and left no report: {ended}.\n\nReason: {reason}{hint}\n"
    title = headline.shortened(f"{NO_REPORT}{ended}: {_line(mission.text)}", headline.TITLE)
    return title, headline.shortened(f"{ended}: {reason}", headline.DESCRIPTION), body


def _line(text: str) -> str:
    return " ".join(text.split())
